// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole tool on a device, a driver and a cuBLASLt that only pretend: their
// clock makes every time known.
#include "FakeRuntime.h"

#include "Clocks.h"
#include "Session.h"

#include "support/Error.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

using namespace gemm::bench;
namespace fs = std::filesystem;

namespace {

class SessionTest : public testing::Test {
protected:
  SessionTest() {
    deviceBroken = false;
    fakeMemory = size_t{1} << 30;
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~SessionTest() override { fs::remove_all(folder); }

  // Parses and runs; what it prints is in `out` and `err`.
  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"gemm-bench", "--device=fake-gpu",
                      "--cublaslt=" + library, "--types=" + types});
    std::vector<char *> pointers;
    for (std::string &argument : arguments)
      pointers.push_back(argument.data());
    BenchOptions options;
    int status = 0;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    try {
      if (parseBenchOptions(static_cast<int>(pointers.size()), pointers.data(),
                            options, status)) {
        // The clock of the fakes needs no patience.
        options.protocol.warmUpSeconds = 0.001;
        options.protocol.settleSeconds = 0.001;
        options.protocol.idleSeconds = 0.001;
        status = runSession(options, arguments);
      }
    } catch (const gemm::tools::ToolError &error) {
      message = error.what();
      status = -1;
    }
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return status;
  }

  std::string write(const std::string &name, const std::string &text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  std::string path(const std::string &name) { return (folder / name).string(); }

  fs::path folder =
      fs::path(testing::TempDir()) / ("gemm-bench-" + std::to_string(getpid()));
  std::string library = FAKE_CUBLASLT, types = "f32,f32,f32,f32";
  std::string out, err, message;
};

const std::vector<std::string> small = {"--m=12", "--n=20", "--k=8", "--hot",
                                        "--power=sustained"};

std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), small.begin(), small.end());
  return more;
}

TEST_F(SessionTest, TimesEverythingOnCheckedResults) {
  EXPECT_EQ(run(with({"--schedule=good,slow", "--json=" + path("a.jsonl")})),
            0);
  std::vector<Row> rows = readRows(path("a.jsonl"));
  ASSERT_EQ(rows.size(), 1u);
  const Row &row = rows[0];
  ASSERT_EQ(row.ours.size(), 2u);
  ASSERT_EQ(row.theirs.size(), 3u);
  auto nearAll = [](const std::vector<double> &seconds, double value) {
    EXPECT_EQ(seconds.size(), 7u);
    for (double item : seconds)
      EXPECT_NEAR(item, value, 1e-6 * value);
  };
  nearAll(row.ours[0].times(PowerState::Sustained), 2e-3);
  nearAll(row.ours[1].times(PowerState::Sustained), 6e-3);
  nearAll(row.theirs[0].times(PowerState::Sustained), 3e-3);
  nearAll(row.theirs[2].times(PowerState::Sustained), 4e-3);
  // The fake refuses to run its second candidate.
  EXPECT_NE(row.theirs[1].problem.find("refused"), std::string::npos);
  EXPECT_TRUE(row.theirs[1].times(PowerState::Sustained).empty());
  nearAll(row.theirs[2].screening, 4e-3);
  EXPECT_EQ(row.best(PowerState::Sustained), 0);
  nearAll(row.ratios(0, PowerState::Sustained), 1.5);
  nearAll(row.ratios(1, PowerState::Sustained), 0.5);
  EXPECT_TRUE(row.ratios(0, PowerState::Rested).empty());
  EXPECT_EQ(row.operations, 2.0 * 12 * 20 * 8);
  EXPECT_EQ(row.bytes, 4.0 * (12 * 8 + 20 * 8 + 12 * 20));
  EXPECT_EQ(row.sets, 1);
  EXPECT_EQ(row.device, "Fake GPU");
  EXPECT_EQ(row.driver, "580.1.2");
  EXPECT_EQ(row.library, "cuBLASLt 13.1.0");
  EXPECT_FALSE(row.commit.empty());
  EXPECT_EQ(row.date.size(), std::string("2000-01-01T00:00:00Z").size());
  EXPECT_NE(out.find("1.500 [1.500 1.500]"), std::string::npos) << out;
  EXPECT_NE(out.find("geometric mean of ratios 1.5000 over 1 rows, 0 below 1"),
            std::string::npos)
      << out;
}

TEST_F(SessionTest, RotatesBuffersUnlessHot) {
  std::vector<std::string> cold = {
      "--m=512",           "--n=512",         "--k=256",
      "--power=sustained", "--schedule=good", "--json=" + path("a.jsonl")};
  EXPECT_EQ(run(cold), 0);
  Row row = readRows(path("a.jsonl")).at(0);
  // A, B and D have half a million elements.
  double set = 4.0 * (512 * 256 + 512 * 256 + 512 * 512);
  EXPECT_EQ(row.footprint, set * static_cast<double>(row.sets));
  EXPECT_GE(row.footprint, 512.0 * (1 << 20));
  EXPECT_LT(row.footprint, 512.0 * (1 << 20) + set);
}

TEST_F(SessionTest, MeasuresRestedToo) {
  EXPECT_EQ(run({"--m=12", "--n=20", "--k=8", "--hot", "--schedule=good",
                 "--json=" + path("a.jsonl")}),
            0);
  Row row = readRows(path("a.jsonl")).at(0);
  for (double ratio : row.ratios(0, PowerState::Rested))
    EXPECT_NEAR(ratio, 1.5, 1e-5);
  EXPECT_EQ(row.ratios(0, PowerState::Rested).size(), 7u);
  EXPECT_NE(out.find("rested us"), std::string::npos);
}

TEST_F(SessionTest, SaysWhichKernelIsWrongAndGoesOn) {
  EXPECT_EQ(run(with({"--schedule=wrong,missing,bad,guarded,good",
                      "--json=" + path("a.jsonl")})),
            someFailed);
  Row row = readRows(path("a.jsonl")).at(0);
  ASSERT_EQ(row.ours.size(), 5u);
  EXPECT_TRUE(row.ours[0].wrong);
  EXPECT_NE(row.ours[0].problem.find("e.g. D(11, 19) of batch 0"),
            std::string::npos)
      << row.ours[0].problem;
  EXPECT_TRUE(row.ours[1].wrong);
  EXPECT_NE(row.ours[1].problem.find(
                "1 elements of D were never written, the first is D(11, 19)"),
            std::string::npos)
      << row.ours[1].problem;
  EXPECT_EQ(row.ours[2].problem, "does not compile: no such schedule");
  EXPECT_EQ(row.ours[3].problem, "A's pitch is no multiple of 8");
  for (size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(row.ours[i].times(PowerState::Sustained).empty()) << i;
  EXPECT_EQ(row.ratios(4, PowerState::Sustained).size(), 7u);
  EXPECT_NE(out.find("never written"), std::string::npos);
}

TEST_F(SessionTest, SaysThatCublasLtIsMissing) {
  library = "/nowhere/libcublasLt.so";
  EXPECT_EQ(run(with({"--schedule=good", "--json=" + path("a.jsonl")})),
            someFailed);
  Row row = readRows(path("a.jsonl")).at(0);
  EXPECT_NE(row.libraryProblem.find("/nowhere/libcublasLt.so"),
            std::string::npos);
  // Ours is timed all the same.
  EXPECT_EQ(row.ours[0].times(PowerState::Sustained).size(), 7u);
  EXPECT_TRUE(row.ratios(0, PowerState::Sustained).empty());
}

TEST_F(SessionTest, SaysWhatCublasLtDoesNotSupport) {
  // The fake knows f32 sums only.
  types = "f32,f32,f64,f32";
  EXPECT_EQ(run(with({"--schedule=good", "--json=" + path("a.jsonl")})),
            someFailed);
  EXPECT_NE(readRows(path("a.jsonl"))
                .at(0)
                .libraryProblem.find("CUBLAS_STATUS_NOT_SUPPORTED"),
            std::string::npos);
}

TEST_F(SessionTest, OutOfMemoryIsARow) {
  std::string shapes = write("shapes", "12 20 8\n200000 64 64\n16 16 16\n");
  fakeMemory = size_t{65} << 20;
  EXPECT_EQ(run({"--shapes=" + shapes, "--hot", "--power=sustained",
                 "--schedule=good", "--json=" + path("a.jsonl")}),
            someFailed);
  std::vector<Row> rows = readRows(path("a.jsonl"));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_FALSE(rows[0].failed());
  EXPECT_EQ(rows[1].failure, "out of memory: so much memory is not free");
  EXPECT_FALSE(rows[2].failed());
}

TEST_F(SessionTest, ResumesWhatIsMissing) {
  std::string file = path("a.jsonl");
  std::string two = write("two", "12 20 8\n16 20 8\n");
  std::string three = write("three", "12 20 8\n16 20 8\n24 20 8\n");
  std::vector<std::string> common = {"--hot", "--power=sustained",
                                     "--schedule=good", "--resume=" + file};
  auto shapes = [&](const std::string &name) {
    std::vector<std::string> all = common;
    all.push_back("--shapes=" + name);
    return all;
  };
  EXPECT_EQ(run(shapes(two)), 0);
  EXPECT_NE(err.find("2 rows, 0 of them already"), std::string::npos) << err;
  EXPECT_EQ(run(shapes(three)), 0);
  EXPECT_NE(err.find("3 rows, 2 of them already"), std::string::npos) << err;
  EXPECT_EQ(err.find("12 x 20 x 8"), std::string::npos) << err;
  // All three are printed.
  for (const char *name : {"12 x 20 x 8", "16 x 20 x 8", "24 x 20 x 8"})
    EXPECT_NE(out.find(name), std::string::npos) << name;
  EXPECT_EQ(readRows(file).size(), 3u);
  // Nothing is left: nothing runs.
  int before = kernelLaunches;
  EXPECT_EQ(run(shapes(three)), 0);
  EXPECT_EQ(kernelLaunches, before);
  // Another schedule, or buffers of another kind, is another measurement.
  common[2] = "--schedule=slow";
  EXPECT_EQ(run(shapes(three)), 0);
  EXPECT_NE(err.find("3 rows, 0 of them already"), std::string::npos) << err;
}

TEST_F(SessionTest, ResumesAfterHalfALine) {
  std::string file = path("a.jsonl");
  EXPECT_EQ(run(with({"--schedule=good", "--json=" + file})), 0);
  std::ofstream(file, std::ios::app) << "{\"kind\":\"row\",\"run\":\"2026";
  EXPECT_EQ(readRows(file).size(), 1u);
  EXPECT_EQ(run(with({"--schedule=slow", "--resume=" + file})), 0);
  EXPECT_EQ(readRows(file).size(), 2u);
  // In the middle it is not the tool's doing.
  std::ofstream(file, std::ios::app) << "half\n{}\n";
  EXPECT_EQ(run(with({"--schedule=slow", "--resume=" + file})), -1);
  EXPECT_NE(message.find("a.jsonl:5: not a line of gemm-bench"),
            std::string::npos)
      << message;
}

TEST_F(SessionTest, StopsInTime) {
  std::string file = path("a.jsonl");
  EXPECT_EQ(
      run(with({"--schedule=good", "--seconds=0.000001", "--resume=" + file})),
      stoppedEarly);
  EXPECT_NE(err.find("stopped after 0 of 1 rows"), std::string::npos) << err;
  EXPECT_NE(err.find("--resume=" + file), std::string::npos) << err;
  EXPECT_EQ(readRows(file).size(), 0u);
  EXPECT_EQ(run(with({"--schedule=good", "--seconds=60", "--resume=" + file})),
            0);
}

TEST_F(SessionTest, StopsAfterTheRowThatIsInterrupted) {
  std::string shapes = write("shapes", "12 20 8\n16 20 8\n");
  EXPECT_EQ(run({"--shapes=" + shapes, "--hot", "--power=sustained",
                 "--schedule=signal", "--json=" + path("a.jsonl")}),
            stoppedEarly);
  EXPECT_LE(readRows(path("a.jsonl")).size(), 1u);
}

TEST_F(SessionTest, ADeviceThatBreaksIsNotBlamedOnOthers) {
  std::string shapes = write("shapes", "12 20 8\n16 20 8\n");
  EXPECT_EQ(run({"--shapes=" + shapes, "--hot", "--power=sustained",
                 "--schedule=good,fault"}),
            someFailed);
  EXPECT_NE(out.find("the device is lost after fault"), std::string::npos)
      << out;
  EXPECT_EQ(out.find("16 x 20 x 8"), std::string::npos) << out;
  EXPECT_NE(err.find("--json=FILE"), std::string::npos) << err;
}

TEST_F(SessionTest, ADeviceThatBreaksBeforeTheRowsEndsTheRun) {
  EXPECT_EQ(run(with({"--schedule=fault,good"})), -1);
  EXPECT_EQ(message.find("the device is lost after fault on 64 x 64 x 64"), 0u)
      << message;
}

TEST(Protocol, IsTheAgreedOne) {
  Protocol protocol;
  EXPECT_GE(protocol.warmUpSeconds, 0.4);
  EXPECT_GE(protocol.rounds, 7);
  EXPECT_GE(Protocol::footprint, size_t{512} * 1000 * 1000);
  EXPECT_TRUE(protocol.sustained && protocol.rested && !protocol.hot);
}

TEST_F(SessionTest, TakesArtifactsThatFit) {
  write("fast.ptx", fakeArtifact("good"));
  write("late.ptx", fakeArtifact("slow"));
  std::string other = fakeArtifact("good");
  other.replace(other.find("[\"n\",\"k\"], \"order\": \"row\""), 25,
                "[\"n\",\"k\"], \"order\": \"col\"");
  write("other-layout.ptx", other);
  write("notes.txt", "no artifact");
  EXPECT_EQ(run(with({"--artifacts=" + folder.string(),
                      "--json=" + path("a.jsonl")})),
            0);
  Row row = readRows(path("a.jsonl")).at(0);
  ASSERT_EQ(row.ours.size(), 2u);
  EXPECT_EQ(row.ours[0].label, "fast");
  EXPECT_EQ(row.ours[1].label, "late");
  EXPECT_EQ(row.ours[1].schedule, "slow");
  fs::create_directories(folder / "empty");
  EXPECT_EQ(run(with({"--artifacts=" + path("empty")})), -1);
  EXPECT_NE(message.find("has no .ptx file"), std::string::npos) << message;
}

TEST_F(SessionTest, ComparesWithNothingOfOurs) {
  EXPECT_EQ(run(with({"--schedule=none", "--json=" + path("a.jsonl")})), 0);
  Row row = readRows(path("a.jsonl")).at(0);
  EXPECT_TRUE(row.ours.empty());
  EXPECT_EQ(row.best(PowerState::Sustained), 0);
  EXPECT_NE(out.find("none"), std::string::npos);
}

TEST_F(SessionTest, ALadderIsReadFromBelow) {
  EXPECT_EQ(run(with({"--ladder", "--schedule=slow,good"})), 0);
  EXPECT_NE(out.find("3.00x"), std::string::npos) << out;
}

TEST(Clocks, AreReadWhileSomethingRuns) {
  using namespace std::chrono_literals;
  gemm::tools::Device device("fake-gpu");
  ClockMonitor clocks(device);
  EXPECT_EQ(clocks.problem(), "");
  EXPECT_EQ(clocks.driverVersion(), "580.1.2");
  EXPECT_EQ(clocks.powerLimit(), 700);
  EXPECT_EQ(clocks.highestSmClock(), 1980);
  clocks.start();
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(clocks.stop().readings, 0);
  clocks.start();
  clocks.running(true);
  std::this_thread::sleep_for(100ms);
  clocks.running(false);
  ClockSummary summary = clocks.stop();
  EXPECT_GT(summary.readings, 0);
  EXPECT_EQ(summary.smMegahertz.median, 1234);
  EXPECT_NEAR(summary.watts.median, 456.7, 1e-9);
  EXPECT_EQ(summary.celsius, 42);
  EXPECT_EQ(summary.reasons, std::vector<std::string>{"sw power cap"});
}

TEST(Continuation, KeepsTheRestOfTheCommand) {
  EXPECT_EQ(continuation({"gemm-bench", "--seconds=9", "--suite=llm",
                          "--resume", "old", "--json=old", "--hot"},
                         "new", 3.14159),
            (std::vector<std::string>{"gemm-bench", "--suite=llm", "--hot",
                                      "--resume=new", "--seconds=3.1"}));
  EXPECT_EQ(continuation({"gemm-bench", "--json", "f"}, "f", std::nullopt),
            (std::vector<std::string>{"gemm-bench", "--resume=f"}));
}

TEST(Fits, ARowThatMayTakeAsLongAsTheLongest) {
  EXPECT_TRUE(fits(0, 0, 10));
  EXPECT_TRUE(fits(6, 4, 10));
  EXPECT_FALSE(fits(6.1, 4, 10));
  EXPECT_TRUE(fits(1e9, 1e9, HUGE_VAL));
}

} // namespace
