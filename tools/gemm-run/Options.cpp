// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"

#include "EmulatorFlags.h"
#include "FlagParsing.h"

#include "support/Error.h"

#include <charconv>
#include <sstream>

namespace gemm::tools {
namespace {

constexpr int64_t largestExtent = 0x7fff0000; // GEMM_MAX_EXTENT

void parseTypes(const std::string &text, ProblemOptions &problem) {
  std::vector<std::string> names = split(text, ',');
  if (names.size() != 4)
    throw CLI::ValidationError(
        "--types",
        "takes four types, of A, B, the accumulator and D, got '" + text + "'");
  for (size_t i = 0; i < 4; ++i) {
    std::optional<ElementType> type = parseElementType(names[i]);
    if (!type)
      throw CLI::ValidationError("--types", "'" + names[i] + "' is none of " +
                                                elementTypeNames());
    problem.types[i] = *type;
  }
}

Pitch parsePitch(const std::string &flag, const std::string &text) {
  Pitch pitch;
  if (text.starts_with("+"))
    pitch.padding = parseInteger(flag, text.substr(1), 0, largestExtent);
  else
    pitch.elements = parseInteger(flag, text, 1, largestExtent);
  return pitch;
}

void addProblemFlags(CLI::App &app, ProblemOptions &problem) {
  const std::string group = "Problem";
  auto addExtent = [&](const std::string &flag, const std::string &help,
                       std::optional<int64_t> &extent) {
    add(
        app, flag, help,
        [flag, &extent](const std::string &text) {
          extent = parseInteger(flag, text, 0, largestExtent);
        },
        "N")
        ->group(group);
  };
  addExtent("--m", "rows of A and D (default 1024)", problem.m);
  addExtent("--n", "columns of D (default 1024)", problem.n);
  addExtent("--k", "length of the sums (default 1024)", problem.k);
  addExtent("--batch", "number of independent products (default 1)",
            problem.batch);
  add(
      app, "--types",
      "types of A, B, the accumulator and D; which of them can be multiplied "
      "is "
      "up to target and schedule (default f16,f16,f32,f16)",
      [&](const std::string &text) {
        parseTypes(text, problem);
        problem.describesSignature = true;
      },
      "A,B,ACC,D")
      ->group(group);
  add(
      app, "--layout",
      "how A, then B, is stored, in BLAS letters for row-major matrices: tn is "
      "A [M,K], B [N,K]; nn is A [M,K], B [K,N]; nt is A [K,M], B [K,N]; tt is "
      "A [K,M], B [N,K] (default tn)",
      [&](const std::string &text) {
        oneOf("--layout", text, {"tn", "nn", "nt", "tt"});
        problem.layout = text;
        problem.describesSignature = true;
      },
      "AB")
      ->group(group);
  add(
      app, "--d-order", "row: D is stored [M,N]; col: [N,M] (default row)",
      [&](const std::string &text) {
        oneOf("--d-order", text, {"row", "col"});
        problem.dColumnMajor = text == "col";
        problem.describesSignature = true;
      },
      "ORDER")
      ->group(group);
  auto addPitch = [&](const std::string &flag, const std::string &matrix,
                      Pitch &pitch) {
    add(
        app, flag,
        "elements between consecutive lines of " + matrix +
            "; +N: N more than a line",
        [flag, &pitch](const std::string &text) {
          pitch = parsePitch(flag, text);
        },
        "N")
        ->group(group);
  };
  addPitch("--lda", "A", problem.lda);
  addPitch("--ldb", "B", problem.ldb);
  addPitch("--ldd", "D and C", problem.ldd);
  add(
      app, "--offset",
      "by how many elements the pointers of A, B and D (and C) are off "
      "256-byte "
      "alignment (default 0,0,0)",
      [&](const std::string &text) {
        std::vector<std::string> parts = split(text, ',');
        if (parts.size() != 3)
          throw CLI::ValidationError("--offset",
                                     "takes three numbers, got '" + text + "'");
        for (size_t i = 0; i < 3; ++i)
          problem.offsets[i] = parseInteger("--offset", parts[i], 0, 4096);
      },
      "A,B,D")
      ->group(group);
  add(
      app, "--alpha", "scales the product",
      [&](const std::string &text) {
        problem.alpha = parseNumber("--alpha", text);
      },
      "X")
      ->group(group);
  add(
      app, "--beta", "adds beta * C (default 0: there is no C)",
      [&](const std::string &text) {
        problem.beta = parseNumber("--beta", text);
      },
      "X")
      ->group(group);
  add(
      app, "--bias",
      "adds a vector to every row of D (row: it has N elements) or to every "
      "column (col: M elements) (default none)",
      [&](const std::string &text) {
        oneOf("--bias", text, {"none", "row", "col"});
        problem.bias = text;
        problem.describesSignature = true;
      },
      "KIND")
      ->group(group);
  add(
      app, "--activation", "none or relu, after everything else (default none)",
      [&](const std::string &text) {
        oneOf("--activation", text, {"none", "relu"});
        problem.activation = text;
        problem.describesSignature = true;
      },
      "NAME")
      ->group(group);
  app.add_flag("--inplace", problem.inPlace, "D is C, not another matrix")
      ->group(group);
  add(
      app, "--data",
      "normal, uniform in [-1, 1), integers (sums are exact, results must "
      "agree "
      "to the bit) or special (signed zeros, subnormals, extremes, infinities, "
      "NaNs) (default normal)",
      [&](const std::string &text) {
        std::optional<DataKind> kind = parseDataKind(text);
        if (!kind)
          oneOf("--data", text, {"normal", "uniform", "integers", "special"});
        else
          problem.data = *kind;
      },
      "KIND")
      ->group(group);
  add(
      app, "--seed", "of the data and of sampling (default 1)",
      [&](const std::string &text) {
        problem.seed =
            static_cast<uint64_t>(parseInteger("--seed", text, 0, INT64_MAX));
      },
      "N")
      ->group(group);
}

void addRunFlags(CLI::App &app, Options &options) {
  app.add_option(
      "FILE", options.file,
      "a module (.mlir) or a kernel artifact (.ptx); without one the "
      "flags describe the problem");
  app.add_option("--device", options.device,
                 "cuda, cuda:N, emulator or emulator:TARGET (default: cuda if "
                 "there is a GPU, otherwise the emulator)")
      ->type_name("NAME");
  app.add_option(
         "--target", options.target,
         "what to compile for, as a PTX target name (default: the most capable "
         "target that the device runs)")
      ->type_name("NAME");
  app.add_option(
         "--schedule", options.schedule,
         "smem, mma-sync, wgmma or #gemm.schedule<...> (default: chosen "
         "by the compiler)")
      ->type_name("NAME");
  add(
      app, "--check",
      "full, sampled (random whole rows and columns) or off (default: full up "
      "to "
      "2e9 multiply-adds, then sampled)",
      [&](const std::string &text) {
        oneOf("--check", text, {"full", "sampled", "off", "auto"});
        options.check = *parseCheckMode(text);
      },
      "MODE");
  add(
      app, "--repeat",
      "runs of the kernel; all must agree to the bit (default 1)",
      [&](const std::string &text) {
        options.repeat =
            static_cast<int>(parseInteger("--repeat", text, 1, 1000000));
      },
      "N");
  app.add_option(
         "--emit", options.emit,
         "print a phase of the compilation and stop: problem, scheduled, "
         "tiled, placed, swizzled, pipelined, thread, nvvm or ptx")
      ->type_name("PHASE");
  app.add_flag("--explain", options.explain,
               "print what the schedule means for this problem: traffic, "
               "arithmetic intensity, occupancy, waves");
  app.add_flag("--json", options.json, "print one JSON object instead of text");
  add(
      app, "--vs", "cublaslt: time cuBLASLt's algorithms on the same problem",
      [&](const std::string &text) {
        oneOf("--vs", text, {"cublaslt"});
        options.versusCublasLt = true;
      },
      "WHAT");
  app.add_option("--cublaslt", options.cublasLtPath,
                 "path of libcublasLt (default: searched for)")
      ->type_name("PATH");
  app.add_flag(
      "--hot", options.hot,
      "time on one set of buffers, instead of rotating through 512 MB");
  app.add_option(
         "--sweep", options.sweep,
         "check many problems in one process: a file with the flags of one "
         "problem a line, or drawn:SEED for a built-in list of sizes, layouts, "
         "pitches and batches drawn around the schedule's tile")
      ->type_name("FILE|drawn:SEED");
}

// Flags that would do nothing are refused.
void refuseIdleFlags(const CLI::App &app) {
  for (const auto &[flag, others] :
       {std::pair{"--emit",
                  std::vector{"--json", "--explain", "--vs", "--sweep",
                              "--counters", "--sanitize", "--async", "--sms",
                              "--interleaving", "--repeat", "--check"}},
        std::pair{"--sweep", std::vector{"--explain", "--vs", "--counters"}}})
    for (const char *other : others)
      if (app.count(flag) && app.count(other))
        throw CLI::ValidationError(flag,
                                   std::string("does not go with ") + other);
  if (app.count("--cublaslt") && !app.count("--vs"))
    throw CLI::ValidationError("--cublaslt", "needs --vs=cublaslt");
}

// The fewest digits that are read back as the same number.
std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, std::end(text), value).ptr};
}

} // namespace

bool parseOptions(int argc, char **argv, Options &options, int &status) {
  CLI::App app(
      "Compiles a matrix multiplication (or takes a compiled one), runs "
      "it, checks every number and times it.\n"
      "D = activation(alpha * A * B + beta * C + bias)",
      "gemm-run");
  app.get_formatter()->column_width(28);
  addRunFlags(app, options);
  addEmulatorFlags(app, options.emulator);
  addProblemFlags(app, options.problem);
  app.footer(
      "Exit status: 0 right; 1 wrong (a number, a stray write, runs that "
      "differ, a finding of the sanitizer, a fault of the device);\n"
      "2 refused (command line, file, what kernel or target cannot do); "
      "3 impossible here (no device, no memory, output not writable).");
  try {
    app.parse(argc, argv);
    refuseIdleFlags(app);
  } catch (const CLI::CallForHelp &help) {
    status = app.exit(help);
    return false;
  } catch (const CLI::ParseError &error) {
    std::fprintf(stderr, "gemm-run: %s\n", error.what());
    status = 2;
    return false;
  }
  return true;
}

ProblemOptions parseProblemLine(const std::string &line) {
  CLI::App app;
  ProblemOptions problem;
  addProblemFlags(app, problem);
  try {
    app.parse(line);
  } catch (const CLI::Error &error) {
    throw ToolError(error.what());
  }
  return problem;
}

std::string problemFlags(const ProblemOptions &options) {
  std::ostringstream text;
  auto extent = [&](const char *flag, const std::optional<int64_t> &value) {
    if (value)
      text << flag << *value << " ";
  };
  extent("--m=", options.m);
  extent("--n=", options.n);
  extent("--k=", options.k);
  extent("--batch=", options.batch);
  if (options.describesSignature) {
    text << "--types=";
    for (size_t i = 0; i < 4; ++i)
      text << (i ? "," : "") << elementTypeName(options.types[i]);
    text << " --layout=" << options.layout << " ";
    if (options.dColumnMajor)
      text << "--d-order=col ";
  }
  auto pitch = [&](const char *flag, const Pitch &value) {
    if (value.elements)
      text << flag << *value.elements << " ";
    else if (value.padding)
      text << flag << "+" << value.padding << " ";
  };
  pitch("--lda=", options.lda);
  pitch("--ldb=", options.ldb);
  pitch("--ldd=", options.ldd);
  if (options.offsets[0] || options.offsets[1] || options.offsets[2])
    text << "--offset=" << options.offsets[0] << "," << options.offsets[1]
         << "," << options.offsets[2] << " ";
  if (options.alpha)
    text << "--alpha=" << shortest(*options.alpha) << " ";
  if (options.beta)
    text << "--beta=" << shortest(*options.beta) << " ";
  if (options.bias != "none")
    text << "--bias=" << options.bias << " ";
  if (options.activation != "none")
    text << "--activation=" << options.activation << " ";
  if (options.inPlace)
    text << "--inplace ";
  text << "--data=" << dataKindName(options.data) << " --seed=" << options.seed;
  return text.str();
}

} // namespace gemm::tools
