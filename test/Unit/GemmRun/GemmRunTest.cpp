// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeRuntime.h"

#include "ExitStatus.h"
#include "Options.h"
#include "Run.h"
#include "Sweep.h"
#include "SweepList.h"

#include "support/Error.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace gemm::tools;

namespace {

struct Outcome {
  int status = 0;
  std::string out, err;
};

// Runs the tool's main path on command-line arguments.
Outcome run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "gemm-run");
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  Options options;
  if (parseOptions(static_cast<int>(argv.size()), argv.data(), options,
                   outcome.status)) {
    try {
      outcome.status =
          options.sweep.empty() ? runProblem(options) : runSweep(options);
    } catch (const std::exception &error) {
      outcome.status = exitStatusOf(error);
      outcome.err = error.what();
    }
  }
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err += testing::internal::GetCapturedStderr();
  return outcome;
}

Outcome runNaive(std::vector<std::string> arguments, Defect kind) {
  defect = kind;
  arguments.insert(arguments.begin(), {NAIVE_ARTIFACT, "--device=fake"});
  Outcome outcome = run(arguments);
  defect = Defect::None;
  return outcome;
}

const std::vector<std::string> smallProblem = {
    "--m=37",   "--n=45",   "--k=29",         "--batch=2",
    "--lda=+3", "--ldd=50", "--offset=1,0,1", "--alpha=0.3"};

TEST(GemmRun, PassesARightKernel) {
  for (const char *data : {"normal", "uniform", "integers", "special"}) {
    std::vector<std::string> arguments = smallProblem;
    arguments.push_back(std::string("--data=") + data);
    Outcome outcome = runNaive(arguments, Defect::None);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("PASS, 3 330 elements (all), 0 wrong"),
              std::string::npos)
        << outcome.out;
  }
}

TEST(GemmRun, FindsEveryDefect) {
  const std::pair<Defect, const char *> cases[] = {
      {Defect::WrongElement, "D(36, 44) of batch 1 ="},
      {Defect::MissingElement, "D(36, 44) of batch 1 was never written"},
      {Defect::WritesPadding,
       "wrote outside of D: batch 0, padding of row 0, 1 elements after"},
      {Defect::WritesBefore, "wrote outside of D: 4 bytes before the matrix"},
      {Defect::WritesInput, "wrote to its input A: batch 0, element (0, 0)"},
      {Defect::Irreproducible, "differs from the first one in D: batch 0, "
                               "element (0, 0)"},
      {Defect::ReadsBeyondK, "D(0, 0) = nan"},
  };
  for (const auto &[kind, message] : cases) {
    std::vector<std::string> arguments = smallProblem;
    arguments.push_back("--repeat=2");
    Outcome outcome = runNaive(arguments, kind);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.out.find("FAIL"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(message), std::string::npos) << message << "\n"
                                                            << outcome.out;
  }
}

TEST(GemmRun, SampledChecksSeeUnwrittenElementsEverywhere) {
  Outcome outcome = runNaive({"--m=300", "--n=300", "--k=8", "--check=sampled"},
                             Defect::MissingElement);
  EXPECT_EQ(outcome.status, 1) << outcome.out;
}

TEST(GemmRun, PassesOnWhatTheEmulatorFinds) {
  Outcome outcome =
      runNaive({"--m=4", "--n=4", "--k=4", "--repeat=3"}, Defect::Note);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("3 runs agree to the bit, sanitizer: 1 note\n"),
            std::string::npos)
      << outcome.out;
  // Twice in each of three runs.
  EXPECT_NE(outcome.out.find("note      race: two writes of the same value; "
                             "line 7 [6 times]\n"),
            std::string::npos)
      << outcome.out;

  outcome = runNaive({"--m=4", "--n=4", "--k=4", "--json"}, Defect::Race);
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["check"]["passed"], false);
  EXPECT_EQ(json["check"]["complaint"], "the emulator found errors in the "
                                        "kernel; --interleaving=5 repeats "
                                        "this run");
  EXPECT_EQ(json["sanitizer"]["errors"], 1);
  EXPECT_EQ(json["sanitizer"]["findings"][0]["line"], 9);
  EXPECT_EQ(json["sanitizer"]["findings"][0]["text"],
            "race: a write after a read; line 9");
}

TEST(GemmRun, RefusesEmulatorFlagsOnAGpu) {
  const std::pair<const char *, const char *> cases[] = {
      {"--sanitize=strict", "--sanitize is for the emulator"},
      {"--async=late", "--async is for the emulator"},
      {"--sms=1", "--sms is for the emulator"},
      {"--interleaving=3", "--interleaving is for the emulator"}};
  for (const auto &[flag, message] : cases) {
    Outcome outcome = run({NAIVE_ARTIFACT, "--device=cuda", flag});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("give --device=emulator"), std::string::npos);
  }
}

TEST(GemmRun, WritesJson) {
  std::vector<std::string> arguments = smallProblem;
  arguments.insert(arguments.end(), {"--json", "--explain"});
  Outcome outcome = runNaive(arguments, Defect::WrongElement);
  EXPECT_EQ(outcome.status, 1);
  auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["problem"]["m"], 37);
  EXPECT_EQ(json["problem"]["operands"][0]["leading_dimension"], 32);
  EXPECT_EQ(json["check"]["passed"], false);
  EXPECT_EQ(json["check"]["wrong"], 1);
  EXPECT_EQ(json["check"]["worst"]["row"], 36);
  // 3 x 3 tiles of 16 x 16 in each of two batches.
  EXPECT_EQ(json["explain"]["tiles"], 18);
  // (2 * (37 + 45) * 29 + 2 * 37 * 45) * 4 bytes.
  EXPECT_EQ(json["explain"]["memory_bytes"], 32344);
}

TEST(GemmRun, TimesAGpuAgainstCublasLt) {
  Outcome outcome =
      run({NAIVE_ARTIFACT, "--device=fake-gpu", "--m=20", "--n=20", "--k=10",
           "--json", "--vs=cublaslt", "--cublaslt=" FAKE_CUBLASLT});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["time"]["rounds"], 9);
  EXPECT_EQ(json["time"]["buffer_sets"], 512);
  EXPECT_GE(json["time"]["runs_per_round"], 512);
  // Every sample takes a millisecond, so a run takes 1 ms / runs.
  EXPECT_EQ(json["time"]["median"].get<double>(),
            1e-3 / json["time"]["runs_per_round"].get<double>());
  double seconds = json["time"]["median"];
  EXPECT_NEAR(json["rate"]["operations_per_second"], 8000 / seconds, 1);
  // 800 elements of A, B and D at 10^9 bytes a second: 3.2 us; 8000 operations
  // at 512 * 10^9 a second: 16 ns.
  EXPECT_EQ(json["rate"]["roofline_limit"], "memory");
  EXPECT_NEAR(json["rate"]["roofline_fraction"], 3.2e-6 / seconds, 1e-6);
  EXPECT_EQ(json["cublaslt"]["version"], "cuBLASLt 13.1.0");
  EXPECT_EQ(json["cublaslt"]["candidates"], 2);
  EXPECT_EQ(json["cublaslt"]["ratio"]["median"], 1);
  EXPECT_LT(json["cublaslt"]["relative_difference"], 1e-6);
}

TEST(GemmRun, GoesOnWithoutCublasLt) {
  Outcome outcome =
      run({NAIVE_ARTIFACT, "--device=fake-gpu", "--m=10", "--n=10", "--k=5",
           "--hot", "--vs=cublaslt", "--cublaslt=/nowhere/lib.so"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("not compared: cannot open any of"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("one set of buffers"), std::string::npos);
}

TEST(GemmRun, EmptyProblemsPass) {
  for (const char *extent : {"--m=0", "--n=0", "--k=0"}) {
    Outcome outcome = runNaive({extent}, Defect::None);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  }
}

TEST(GemmRun, SaysWhatIsWrongWithTheCommandLine) {
  const std::pair<std::vector<std::string>, const char *> cases[] = {
      {{"--m=x"}, "'x' is not an integer"},
      {{"--m=-1"}, "-1 is not between 0 and"},
      {{"--types=f16,f16"}, "takes four types"},
      {{"--types=f16,f16,f32,f6"}, "'f6' is none of f16, bf16"},
      {{"--layout=ab"}, "'ab' is none of tn, nn, nt, tt"},
      {{"--lda=0"}, "0 is not between 1 and"},
      {{"--alpha=one"}, "'one' is not a number"},
      {{"--alpha=inf"}, "'inf' is not finite"},
      {{"--beta=-nan"}, "'-nan' is not finite"},
      {{"--bias=both"}, "'both' is none of none, row, col"},
      {{"--data=primes"}, "'primes' is none of normal, uniform"},
      {{"--check=most"}, "'most' is none of full, sampled"},
      {{"--repeat=0"}, "0 is not between 1 and"},
      {{"--emit=ptx", "--json"}, "--emit: does not go with --json"},
      {{"--sweep=drawn:1", "--counters"},
       "--sweep: does not go with --counters"},
      {{"--cublaslt=/lib/x.so"}, "--cublaslt: needs --vs=cublaslt"},
      {{"--vs=mkl"}, "'mkl' is none of cublaslt"},
      {{"--sanitize=yes"}, "'yes' is none of on, off, strict"},
      {{"--async=soon"}, "'soon' is none of late, early, random"},
      {{"--sms=0"}, "0 is not between 1 and 1024"},
      {{"--interleaving=-1"}, "-1 is not between 0 and"},
      {{"--frobnicate"}, "--frobnicate"},
  };
  for (const auto &[arguments, message] : cases) {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << message << "\n"
                                                            << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(GemmRun, SaysWhatIsWrongWithTheProblem) {
  const std::pair<std::vector<std::string>, const char *> cases[] = {
      {{"--lda=5", "--k=6"},
       "--lda=5 is smaller than a row of A, which has 6 elements"},
      {{"--beta=1"},
       "--beta: the kernel has no scalar that multiplies a matrix"},
      {{"--alpha=1e39"}, "--alpha=1e+39 is infinite in f32, the type of alpha"},
      {{"--inplace"}, "--inplace: the kernel has no matrix C that D could be"},
      {{"--layout=nn"}, "says what is computed"},
      {{"--schedule=smem"}, "is compiled already"},
  };
  for (const auto &[arguments, message] : cases) {
    Outcome outcome = runNaive(arguments, Defect::None);
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << message << "\n"
                                                            << outcome.err;
  }
  EXPECT_NE(run({"missing.ptx", "--device=fake"})
                .err.find("cannot read missing.ptx: No such file"),
            std::string::npos);
  EXPECT_NE(run({"a.cpp", "--device=fake"}).err.find("expected a module"),
            std::string::npos);
  Outcome noDevice = run({NAIVE_ARTIFACT, "--device=none"});
  EXPECT_EQ(noDevice.err, "no device none");
  EXPECT_EQ(noDevice.status, 3);
}

TEST(GemmRun, WithoutADeviceSaysWhatComesNext) {
  Outcome outcome = run({NAIVE_ARTIFACT});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.out.find("none: no device cuda; no device emulator"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("on a machine with a GPU"), std::string::npos);
}

struct SweepFile {
  std::string path;
  explicit SweepFile(const std::string &text)
      : path(std::filesystem::temp_directory_path() /
             ("gemm-sweep-" + std::to_string(getpid()) + ".txt")) {
    std::ofstream(path) << text;
  }
  ~SweepFile() { std::filesystem::remove(path); }
};

TEST(Sweep, ChecksEachLineAndCompilesOnce) {
  SweepFile file("# two problems\n--m=3 --n=4 --k=5\n\n--m=17 --n=1 --k=70 "
                 "--lda=+1 --data=integers --seed=9\n");
  Outcome outcome = run({"--device=fake", "--sweep=" + file.path, "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["problems"], 2);
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(json["elements"], 12 + 17);
  EXPECT_GE(json["exact_elements"], 17);
  EXPECT_EQ(json["kernels"], 1);
}

TEST(Sweep, PrintsTheFlagsThatRepeatAFailure) {
  SweepFile file("--m=3 --n=4 --k=5 --ldd=+2 --seed=9\n");
  defect = Defect::WrongElement;
  Outcome outcome = run({"--device=fake", "--sweep=" + file.path});
  defect = Defect::None;
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("FAIL --m=3 --n=4 --k=5 --ldd=+2 --data=normal "
                             "--seed=9: 1 of 12 elements are wrong; D(2, 3)"),
            std::string::npos)
      << outcome.out;
}

TEST(Sweep, EndsWhenTheDeviceFails) {
  SweepFile file("--m=3 --n=4 --k=5\n--m=3 --n=4 --k=6\n");
  defect = Defect::DeviceFault;
  int before = launches;
  Outcome outcome = run({"--device=fake-gpu", "--sweep=" + file.path});
  defect = Defect::None;
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(launches, before + 1);
  EXPECT_NE(outcome.err.find("the sweep ends here: --m=3 --n=4 --k=5"),
            std::string::npos)
      << outcome.err;
}

TEST(Sweep, GoesOnAfterARaceOnTheEmulator) {
  SweepFile file("--m=3 --n=4 --k=5\n--m=3 --n=4 --k=6\n");
  defect = Defect::Race;
  Outcome outcome = run({"--device=fake", "--sweep=" + file.path});
  defect = Defect::None;
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("2 problems, 2 failed"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("--k=6 --data=normal --seed=1: the emulator found "
                             "errors in the kernel; --interleaving=5 repeats "
                             "this run; race: a write after a read; line 9"),
            std::string::npos)
      << outcome.out;
}

TEST(Sweep, NamesTheLineThatIsWrong) {
  SweepFile file("--m=3\n--m=three\n");
  Outcome outcome = run({"--device=fake", "--sweep=" + file.path});
  EXPECT_NE(outcome.err.find(":2: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("'three' is not an integer"), std::string::npos)
      << outcome.err;
}

TEST(Sweep, DrawsWhatItPromises) {
  ProblemOptions base;
  std::vector<ProblemOptions> problems =
      drawSweep({7, INT64_MAX}, {128, 64, 32}, base);
  // 42 sizes, 4 layouts, 2 batches, 2 kinds of data.
  EXPECT_EQ(problems.size(), 42u * 16);
  std::set<std::string> layouts;
  std::set<int64_t> pitches, batches, rows;
  for (const ProblemOptions &problem : problems) {
    layouts.insert(problem.layout);
    batches.insert(*problem.batch);
    pitches.insert(problem.lda.padding);
    rows.insert(*problem.m);
  }
  EXPECT_EQ(layouts, (std::set<std::string>{"nn", "nt", "tn", "tt"}));
  EXPECT_EQ(batches, (std::set<int64_t>{1, 3}));
  EXPECT_EQ(pitches, (std::set<int64_t>{0, 1, 7, 8}));
  for (int64_t m : {1, 127, 128, 129, 259, 4096})
    EXPECT_EQ(rows.count(m), 1u) << m;

  // Every layout meets every epilogue, as one product and as a batch, at
  // pitches that are multiples of 8 and at others.
  std::set<std::string> kinds;
  for (const ProblemOptions &problem : problems) {
    int64_t pitch = *problem.k + problem.lda.padding;
    bool byRows = problem.layout == "tn" || problem.layout == "nn";
    if (!byRows)
      pitch = *problem.m + problem.lda.padding;
    kinds.insert(problem.layout + std::to_string(*problem.batch) +
                 problem.bias + (problem.alpha ? "a" : "") +
                 (problem.inPlace ? "i" : "") +
                 (pitch % 8 == 0 && problem.offsets[0] == 0 ? "aligned" : ""));
  }
  EXPECT_EQ(kinds.size(), 4u * 2 * 4 * 2);

  // The same seed draws the same problems; a limit only leaves some out.
  std::vector<ProblemOptions> again =
      drawSweep({7, INT64_MAX}, {128, 64, 32}, base);
  EXPECT_EQ(problemFlags(problems[500]), problemFlags(again[500]));
  for (const ProblemOptions &problem : drawSweep({7, 130}, {128, 64, 32}, base))
    EXPECT_LE(std::max({*problem.m, *problem.n, *problem.k}), 130);
}

TEST(Sweep, AProblemsFlagsDescribeIt) {
  ProblemOptions base;
  for (const ProblemOptions &problem :
       drawSweep({3, 300}, {128, 64, 32}, base)) {
    std::string flags = problemFlags(problem);
    EXPECT_EQ(problemFlags(parseProblemLine(flags)), flags);
  }
  // Scales keep all their bits.
  const double third = 1.0 / 3;
  base.alpha = third;
  base.beta = 1e-30;
  ProblemOptions again = parseProblemLine(problemFlags(base));
  EXPECT_EQ(again.alpha, third);
  EXPECT_EQ(again.beta, 1e-30);
}

TEST(Sweep, RefusesABadSeed) {
  for (const char *text :
       {"drawn:", "drawn:x", "drawn:1:", "drawn:1:2:3", "drawn:1x"})
    EXPECT_THROW(parseDrawnSweep(text), ToolError) << text;
  EXPECT_EQ(parseDrawnSweep("drawn:5:130")->limit, 130);
  EXPECT_FALSE(parseDrawnSweep("list.txt"));
}

} // namespace
