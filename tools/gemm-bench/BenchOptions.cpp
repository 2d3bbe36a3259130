// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BenchOptions.h"

#include "support/Error.h"

#include <CLI/CLI.hpp>

#include <fstream>
#include <sstream>

namespace gemm::bench {

using namespace tools;

namespace {

void addWhat(CLI::App &app, BenchOptions &options) {
  const std::string group = "What is measured";
  std::string names;
  for (const std::string &name : suiteNames())
    names += name + ", ";
  app.add_option("--suite", options.suites,
                 "suites, comma-separated: " + names + "all")
      ->delimiter(',')
      ->type_name("NAME")
      ->group(group);
  app.add_option("--shapes", options.shapesFile,
                 "a file of lines \"M N K [batch=] [layout=] [types=] "
                 "[pitch=]\", numbers or comma-separated lists")
      ->type_name("FILE")
      ->group(group);
  auto extent = [&](const std::string &flag, const std::string &help,
                    std::optional<int64_t> &value) {
    app.add_option(flag, value, help)
        ->type_name("N")
        ->check(CLI::Range(int64_t{1}, GEMM_MAX_EXTENT))
        ->group(group);
  };
  extent("--m", "rows of A and D", options.m);
  extent("--n", "columns of D", options.n);
  extent("--k", "length of the sums", options.k);
  extent("--batch", "number of independent products (default 1)",
         options.batch);
  app.add_option("--types", options.defaults.types,
                 "types of A, B, the accumulator and D (default "
                 "bf16,bf16,f32,bf16)")
      ->type_name("A,B,ACC,D")
      ->group(group);
  app.add_option("--layout", options.defaults.layout,
                 "tn, nn, nt or tt, as gemm-run has them (default tn, and "
                 "what a suite says)")
      ->check(CLI::IsMember({"tn", "nn", "nt", "tt"}))
      ->type_name("AB")
      ->group(group);
  app.add_option_function<std::string>(
         "--schedule",
         [&](const std::string &text) {
           if (text == "none")
             options.onlyTheirs = true;
           else
             options.schedules = splitSchedules(text);
         },
         "schedules, comma-separated: smem, mma-sync, wgmma, "
         "#gemm.schedule<...>; none: cuBLASLt alone (default: the compiler's "
         "choice)")
      ->type_name("LIST")
      ->group(group);
  app.add_option("--artifacts", options.artifacts,
                 "measure the kernel artifacts (.ptx) of a folder instead of "
                 "compiling")
      ->type_name("DIR")
      ->group(group);
  app.add_flag("--ladder", options.ladder,
               "every schedule that the compiler has a name for, on one "
               "problem (default 4096 x 4096 x 4096), each against the one "
               "before")
      ->group(group);
}

void addHow(CLI::App &app, BenchOptions &options) {
  const std::string group = "How it is measured";
  app.add_option("--device", options.device, "cuda or cuda:N (default cuda)")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--target", options.target,
                 "what to compile for (default: the device)")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--cublaslt", options.protocol.cublasLtPath,
                 "path of libcublasLt (default: searched for)")
      ->type_name("PATH")
      ->group(group);
  app.add_option_function<std::string>(
         "--power",
         [&](const std::string &text) {
           options.protocol.sustained = text != "rested";
           options.protocol.rested = text != "sustained";
         },
         "both, sustained (warmed up for 0.4 s, then without a pause) or "
         "rested (0.2 s idle before every burst of 10 ms) (default both)")
      ->check(CLI::IsMember({"both", "sustained", "rested"}))
      ->type_name("STATE")
      ->group(group);
  app.add_option("--rounds", options.protocol.rounds,
                 "interleaved rounds, of which the median counts (default 7)")
      ->check(CLI::Range(7, 1001))
      ->type_name("N")
      ->group(group);
  app.add_flag("--hot", options.protocol.hot,
               "one set of buffers, instead of rotating through 512 MB so "
               "that every run finds the caches cold")
      ->group(group);
  app.add_option("--seed", options.protocol.seed,
                 "of the data and of the samples that are checked (default 1)")
      ->type_name("N")
      ->group(group);
  app.add_option_function<std::string>(
         "--data",
         [](const std::string &text) {
           if (text == "zeros")
             throw CLI::ValidationError(
                 "--data",
                 "zeros are refused: multiplying them switches almost no "
                 "transistors, so the chip draws half the power, clocks higher "
                 "and looks faster (20 % and more on large problems) than on "
                 "anybody's data");
           if (text != "normal")
             throw CLI::ValidationError("--data",
                                        "'" + text + "' is not normal");
         },
         "normal: independent standard normal numbers, rounded to the type; "
         "8-bit integers: 32 times that (the default and the only one)")
      ->type_name("KIND")
      ->group(group);
}

void addOutput(CLI::App &app, BenchOptions &options) {
  const std::string group = "Records";
  app.add_option("--seconds", options.seconds,
                 "stop before the row that would end later than this")
      ->type_name("S")
      ->check([](const std::string &text) {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && value > 0
                   ? ""
                   : "'" + text + "' is no number of seconds above 0";
      })
      ->group(group);
  app.add_option("--json", options.json,
                 "append every row to a JSON-lines file, as soon as it is "
                 "measured")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--resume", options.resume,
                 "leave out rows that this file has of the same device, "
                 "driver, commit and schedules, and append the others to it "
                 "(or to --json)")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--csv", options.csv, "write all rows as a table")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--plot", options.plot,
                 "write a drawing (SVG): the roofline, and the ratio of every "
                 "row")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--read", options.read,
                 "measure nothing: print (and --csv, --plot) what a JSON-lines "
                 "file holds")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--compare", options.compare,
                 "measure nothing: what moved beyond noise from file A to B")
      ->expected(2)
      ->type_name("A B")
      ->group(group);
}

// What contradicts, as one sentence; "" if nothing does.
std::string contradiction(const BenchOptions &options) {
  bool single = options.m || options.n || options.k || options.batch;
  int sources = !options.suites.empty();
  sources += !options.shapesFile.empty();
  sources += single;
  bool offline = !options.read.empty() || !options.compare.empty();
  if (offline) {
    if (sources > 0 || options.ladder)
      return "--read and --compare measure nothing: leave out what to measure";
    if (!options.read.empty() && !options.compare.empty())
      return "--read and --compare exclude each other";
    return "";
  }
  if (sources > 1)
    return "--suite, --shapes and --m --n --k exclude each other";
  if (sources == 0 && !options.ladder)
    return "nothing to measure: give --suite, --shapes, --m --n --k or "
           "--ladder (or --read, --compare)";
  if (single && !(options.m && options.n && options.k))
    return "--m, --n and --k belong together";
  if (options.ladder &&
      (!options.suites.empty() || !options.shapesFile.empty()))
    return "--ladder is for one problem: --m --n --k";
  if (!options.artifacts.empty() &&
      (!options.schedules.empty() || options.onlyTheirs || options.ladder ||
       !options.target.empty()))
    return "--artifacts are compiled already: leave out --schedule, --ladder "
           "and --target";
  if (options.ladder && options.onlyTheirs)
    return "--ladder needs schedules";
  return "";
}

} // namespace

std::vector<std::string> namedSchedules() {
  return {"smem", "mma-sync", "wgmma"};
}

std::vector<std::string> splitSchedules(const std::string &text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '<' || c == '[' || c == '(';
    depth -= c == '>' || c == ']' || c == ')';
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != ' ' || depth > 0)
      parts.back() += c;
  }
  return parts;
}

bool parseBenchOptions(int argc, char **argv, BenchOptions &options,
                       int &status) {
  CLI::App app("Measures matrix multiplications against cuBLASLt: every "
               "candidate that it offers, in the same process, in interleaved "
               "rounds, on checked results.\n"
               "Exit status: 0 all rows measured and right; 1 a row failed or "
               "nothing could be measured; 2 bad command line; 3 stopped "
               "before the end (--seconds, SIGINT).",
               "gemm-bench");
  app.get_formatter()->column_width(28);
  addWhat(app, options);
  addHow(app, options);
  addOutput(app, options);
  try {
    app.parse(argc, argv);
    if (options.defaults.types) {
      ElementType types[4];
      parseTypes(*options.defaults.types, types);
    }
  } catch (const CLI::CallForHelp &help) {
    status = app.exit(help);
    return false;
  } catch (const CLI::ParseError &error) {
    std::fprintf(stderr, "gemm-bench: %s\n", error.what());
    status = 2;
    return false;
  } catch (const ToolError &error) {
    std::fprintf(stderr, "gemm-bench: --types: %s\n", error.what());
    status = 2;
    return false;
  }
  std::string wrong = contradiction(options);
  if (!wrong.empty()) {
    std::fprintf(stderr, "gemm-bench: %s\n", wrong.c_str());
    status = 2;
    return false;
  }
  if (options.schedules.empty() && !options.onlyTheirs)
    options.schedules =
        options.ladder ? namedSchedules() : std::vector<std::string>{""};
  if (options.json.empty())
    options.json = options.resume;
  return true;
}

std::vector<Case> casesOf(const BenchOptions &options,
                          const std::string &executable) {
  if (!options.shapesFile.empty()) {
    std::ifstream file(options.shapesFile);
    std::stringstream text;
    if (!file || !(text << file.rdbuf()))
      throw ToolError("--shapes: cannot read " + options.shapesFile);
    return parseCases(text.str(), options.shapesFile, "shapes",
                      options.defaults);
  }
  if (options.suites.empty()) {
    Case item;
    item.group = options.ladder ? "ladder" : "single";
    item.m = options.m.value_or(4096);
    item.n = options.n.value_or(4096);
    item.k = options.k.value_or(4096);
    item.batch = options.batch.value_or(1);
    item.layout = options.defaults.layout.value_or("tn");
    if (options.defaults.types)
      parseTypes(*options.defaults.types, item.types);
    return {item};
  }
  std::vector<std::string> names;
  for (const std::string &name : options.suites) {
    if (name != "all")
      names.push_back(name);
    else
      names = suiteNames();
  }
  std::vector<Case> cases;
  for (const std::string &name : names) {
    SuiteText suite = findSuite(name, executable);
    std::vector<Case> more =
        parseCases(suite.text, suite.source == "built in" ? name : suite.source,
                   name, options.defaults);
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

} // namespace gemm::bench
