// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Suites.h"
#include "BenchOptions.h"
#include "SampleCheck.h"

#include "support/Error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

using namespace gemm::bench;
using gemm::tools::ToolError;

namespace {

std::string messageOf(const std::string &text) {
  try {
    parseCases(text, "file", "group", {});
  } catch (const ToolError &error) {
    return error.what();
  }
  return "";
}

std::vector<Case> suite(const std::string &name,
                        const CaseDefaults &defaults = {}) {
  return parseCases(findSuite(name, "/nowhere/gemm-bench").text, name, name,
                    defaults);
}

TEST(Suites, ListsMeanEveryCombination) {
  std::vector<Case> cases = parseCases("# a comment\n"
                                       "\n"
                                       "1,2 3 4,5 layout=tn,nn # another\n"
                                       "group other one\n"
                                       "7 8 9 batch=6 pitch=16 "
                                       "types=f16,f16,f32,f32\n",
                                       "file", "group", {});
  ASSERT_EQ(cases.size(), 9u);
  std::set<std::string> keys;
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(cases[i].group, "group");
    EXPECT_EQ(cases[i].n, 3);
    EXPECT_EQ(cases[i].typeList(), "bf16,bf16,f32,bf16");
    keys.insert(cases[i].key());
  }
  EXPECT_EQ(keys.size(), 8u);
  EXPECT_EQ(cases[8].group, "other one");
  EXPECT_EQ(cases[8].shape(), "6 x (7 x 8 x 9) ld % 16");
  EXPECT_EQ(cases[8].kind(), "f16,f16,f32,f32 tn");
}

TEST(Suites, SayWhichLineIsWrong) {
  EXPECT_EQ(messageOf("1 2 3\n1 2\n"), "file:2: expected M N K");
  EXPECT_EQ(messageOf("1 2 x"),
            "file:1: 'x' is not a number from 1 to 2147418112");
  EXPECT_EQ(messageOf("1 0 3"),
            "file:1: '0' is not a number from 1 to 2147418112");
  EXPECT_EQ(messageOf("1 2 3 layout=xx"),
            "file:1: layout 'xx' is none of tn, nn, nt, tt");
  EXPECT_NE(messageOf("1 2 3 types=f16").find("expected four"),
            std::string::npos);
  EXPECT_NE(messageOf("1 2 3 size=4").find("'size=4' is none of"),
            std::string::npos);
  EXPECT_NE(messageOf("1 2 3 4").find("'4' is none of"), std::string::npos);
}

TEST(Suites, FlagsChooseAmongStatedLayoutsAndTypes) {
  CaseDefaults nn;
  nn.layout = "nn";
  // Lines that leave it open take the flag's; stated ones are selected.
  EXPECT_EQ(suite("squares", nn).at(0).layout, "nn");
  for (const Case &item : suite("awkward", nn))
    EXPECT_EQ(item.layout, "nn");
  EXPECT_EQ(suite("awkward", nn).size() * 2, suite("awkward").size());
  CaseDefaults types;
  types.types = "f16,f16,f32,f16";
  EXPECT_EQ(
      parseCases("1 2 3 types=bf16,bf16,f32,bf16\n4 5 6\n", "file", "g", types)
          .size(),
      1u);
}

// What the suites must contain.
TEST(Suites, AreTheAgreedOnes) {
  EXPECT_EQ(suiteNames(),
            (std::vector<std::string>{"squares", "llm", "awkward", "longk",
                                      "thin", "batched"}));
  std::vector<int64_t> squares;
  for (const Case &item : suite("squares")) {
    EXPECT_EQ(item.m, item.n);
    EXPECT_EQ(item.m, item.k);
    squares.push_back(item.m);
  }
  EXPECT_EQ(squares,
            (std::vector<int64_t>{256, 512, 768, 1024, 1536, 2048, 3072, 4096,
                                  6144, 8192, 12288, 16384}));

  std::map<std::pair<int64_t, int64_t>, std::set<int64_t>> layers;
  for (const Case &item : suite("llm"))
    layers[{item.n, item.k}].insert(item.m);
  EXPECT_EQ(layers.size(), 9u);
  for (const auto &[layer, tokens] : layers)
    EXPECT_EQ(tokens, (std::set<int64_t>{1, 8, 16, 32, 64, 128, 256, 512, 2048,
                                         4096, 8192}));
  EXPECT_TRUE(layers.contains({128256, 4096}));
  EXPECT_TRUE(layers.contains({8192, 28672}));

  for (const Case &item : suite("awkward")) {
    bool onlyM = item.n % 8 == 0 && item.k % 8 == 0;
    EXPECT_EQ(item.group, onlyM ? "awkward, only M odd" : "awkward")
        << item.shape();
    EXPECT_TRUE(item.m % 2 == 1 || !onlyM) << item.shape();
  }
  EXPECT_EQ(suite("longk").size(), 7u);
  EXPECT_EQ(suite("thin").size(), 5u);
  EXPECT_EQ(suite("batched").size(), 9u);
  for (const Case &item : suite("batched"))
    EXPECT_GT(item.batch, 1);
}

TEST(Suites, AFileBesideTheToolComesFirst) {
  namespace fs = std::filesystem;
  fs::path root = fs::path(testing::TempDir()) / "gemm-bench-suites";
  fs::remove_all(root);
  std::string tool = (root / "bin/gemm-bench").string();
  EXPECT_EQ(findSuite("thin", tool).source, "built in");
  fs::create_directories(root / "share/gemm-bench/suites");
  std::ofstream(root / "share/gemm-bench/suites/thin.txt") << "1 2 3\n";
  EXPECT_EQ(findSuite("thin", tool).text, "1 2 3\n");
  fs::create_directories(root / "bin/suites");
  std::ofstream(root / "bin/suites/thin.txt") << "4 5 6\n";
  EXPECT_EQ(findSuite("thin", tool).text, "4 5 6\n");
  EXPECT_THROW(findSuite("fat", tool), ToolError);
  fs::remove_all(root);
}

TEST(Case, PitchRoundsLeadingDimensionsUp) {
  Case item;
  item.m = 127;
  item.n = 100;
  item.k = 65;
  item.pitch = 8;
  // (A, B, D) of each layout: the contiguous extent, rounded up to 8.
  const std::map<std::string, std::vector<int64_t>> expected = {
      {"tn", {72, 72, 104}},
      {"nn", {72, 104, 104}},
      {"nt", {128, 104, 104}},
      {"tt", {128, 72, 104}}};
  for (const auto &[layout, pitches] : expected) {
    item.layout = layout;
    auto signature = item.signature();
    auto shape = gemm::tools::resolveShape(signature, item.problem());
    for (size_t i = 0; i < 3; ++i)
      EXPECT_EQ(shape.layouts[i].leadingDimension, pitches[i])
          << layout << " operand " << i;
  }
}

TEST(Sample, HasEveryPartAndBothEnds) {
  std::vector<int64_t> sample = stratifiedSample(1000, 10, 3);
  ASSERT_EQ(sample.size(), 10u);
  EXPECT_EQ(sample.front(), 0);
  EXPECT_EQ(sample.back(), 999);
  for (int64_t part = 0; part < 10; ++part)
    EXPECT_EQ(sample[static_cast<size_t>(part)] / 100, part);
  EXPECT_NE(sample, stratifiedSample(1000, 10, 4));
  EXPECT_EQ(stratifiedSample(3, 10, 1), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(stratifiedSample(1, 1, 1), (std::vector<int64_t>{0}));
}

int parse(std::vector<std::string> arguments, BenchOptions &options) {
  arguments.insert(arguments.begin(), "gemm-bench");
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  int status = 0;
  testing::internal::CaptureStderr();
  bool go = parseBenchOptions(static_cast<int>(pointers.size()),
                              pointers.data(), options, status);
  testing::internal::GetCapturedStderr();
  return go ? 0 : status;
}

TEST(Options, SchedulesMayContainCommas) {
  EXPECT_EQ(
      splitSchedules("wgmma, #gemm.schedule<tile = [1, 2], mma = <a,b>>,x"),
      (std::vector<std::string>{
          "wgmma", "#gemm.schedule<tile = [1, 2], mma = <a,b>>", "x"}));
}

TEST(Options, RefuseWhatMakesNoSense) {
  for (const std::vector<std::string> &arguments :
       std::vector<std::vector<std::string>>{
           {},
           {"--suite=squares", "--m=1", "--n=1", "--k=1"},
           {"--m=1", "--n=1"},
           {"--m=0", "--n=1", "--k=1"},
           {"--suite=squares", "--ladder"},
           {"--suite=squares", "--data=zeros"},
           {"--suite=squares", "--data=ones"},
           {"--suite=squares", "--rounds=6"},
           {"--suite=squares", "--types=f16,f16"},
           {"--suite=squares", "--layout=xy"},
           {"--suite=squares", "--seconds=-1"},
           {"--suite=squares", "--artifacts=x", "--schedule=smem"},
           {"--read=a", "--suite=squares"},
           {"--compare", "a"}}) {
    BenchOptions options;
    EXPECT_EQ(parse(arguments, options), 2)
        << (arguments.empty() ? "" : arguments.back());
  }
}

TEST(Options, ImplyTheRest) {
  BenchOptions options;
  EXPECT_EQ(parse({"--ladder"}, options), 0);
  EXPECT_EQ(options.schedules, namedSchedules());
  ASSERT_EQ(casesOf(options, "x").size(), 1u);
  EXPECT_EQ(casesOf(options, "x")[0].shape(), "4096 x 4096 x 4096");

  BenchOptions resumed;
  EXPECT_EQ(
      parse({"--suite=thin,longk", "--resume=file", "--power=rested"}, resumed),
      0);
  EXPECT_EQ(resumed.json, "file");
  EXPECT_EQ(resumed.schedules, std::vector<std::string>{""});
  EXPECT_FALSE(resumed.protocol.sustained);
  EXPECT_TRUE(resumed.protocol.rested);
  EXPECT_EQ(casesOf(resumed, "/nowhere/x").size(), 12u);
  BenchOptions all;
  EXPECT_EQ(parse({"--suite=all"}, all), 0);
  EXPECT_EQ(casesOf(all, "/nowhere/x").front().group, "squares");
}

} // namespace
