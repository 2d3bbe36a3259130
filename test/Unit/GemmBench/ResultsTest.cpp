// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is made of measurements: statistics, tables, comparisons, drawings.
#include "Clocks.h"
#include "Compare.h"
#include "Plot.h"
#include "Record.h"
#include "Summary.h"
#include "Table.h"

#include "support/Error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

using namespace gemm::bench;

namespace {

// 4096 x n x 4096 with one variant and two candidates.
Row makeRow(int64_t n, std::vector<double> ours, std::vector<double> theirs,
            std::vector<double> otherCandidate = {}) {
  Row row;
  row.problem.group = "squares";
  row.problem.m = row.problem.k = 4096;
  row.problem.n = n;
  Timed mine;
  mine.label = "wgmma";
  mine.relativeError = 1.6e-3;
  mine.entry = "matmul_0";
  mine.schedule = "#gemm.schedule<tile = [128, 256, 64], \"quoted\">";
  mine.times(PowerState::Sustained) = std::move(ours);
  row.ours = {mine};
  Timed their;
  their.label = "0";
  their.times(PowerState::Sustained) = std::move(theirs);
  row.theirs = {their};
  if (!otherCandidate.empty()) {
    their.label = "1";
    their.times(PowerState::Sustained) = std::move(otherCandidate);
    row.theirs.push_back(their);
  }
  row.operations = 2.0 * 4096 * 4096 * static_cast<double>(n);
  row.bytes = 1e8;
  row.limits.operationsPerSecond[0] = 800e12;
  row.limits.bytesPerSecond = 4.6e12;
  row.limits.instruction = "wgmma <m64>";
  row.device = "GPU & Co";
  row.driver = "1";
  row.commit = "abc";
  return row;
}

TEST(Statistics, GeometricMean) {
  EXPECT_DOUBLE_EQ(geometricMean({1, 4}), 2);
  EXPECT_NEAR(geometricMean({0.5, 2, 8}), 2, 1e-12);
  EXPECT_EQ(geometricMean({}), 0);
}

TEST(Statistics, ErrorOfAMedian) {
  // Deviations from 10: 2 1 0 1 2, their median 1: sigma 1.4826, so
  // 1.2533 * 1.4826 / sqrt(5) / 10.
  EXPECT_NEAR(relativeMedianError({8, 9, 10, 11, 12}), 0.083099, 1e-6);
  // An outlier changes little.
  EXPECT_NEAR(relativeMedianError({8, 9, 10, 11, 1000}), 0.083099, 1e-6);
  EXPECT_EQ(relativeMedianError({5, 5, 5}), 0);
  EXPECT_EQ(relativeMedianError({5}), 0);
}

TEST(Row, ComparesWithTheFastestRightCandidate) {
  Row row = makeRow(4096, {2, 4, 2}, {3, 3, 3}, {1, 2, 6});
  // Medians 3 and 2: candidate 1, round by round 1/2, 2/4, 6/2.
  EXPECT_EQ(row.best(PowerState::Sustained), 1);
  EXPECT_EQ(row.ratios(0, PowerState::Sustained),
            (std::vector<double>{0.5, 0.5, 3}));
  row.theirs[1].wrong = true;
  EXPECT_EQ(row.best(PowerState::Sustained), 0);
  row.ours[0].wrong = true;
  EXPECT_TRUE(row.ratios(0, PowerState::Sustained).empty());
  EXPECT_EQ(row.best(PowerState::Rested), -1);
}

TEST(Row, RooflineIsTheTighterLimit) {
  Row row = makeRow(4096, {1}, {1});
  // 1.374e11 operations at 800e12 a second take longer than 1e8 bytes.
  EXPECT_NEAR(row.rooflineSeconds(PowerState::Sustained),
              2.0 * 4096 * 4096 * 4096 / 800e12, 1e-12);
  row.bytes = 4.6e12;
  EXPECT_DOUBLE_EQ(row.rooflineSeconds(PowerState::Sustained), 1);
  EXPECT_EQ(row.rooflineSeconds(PowerState::Rested), 0);
}

TEST(Summary, GeometricMeanWorstFiveAndCountBelowOne) {
  std::vector<Row> rows;
  const double ratios[] = {0.5, 2, 0.8, 1.25, 0.9, 1, 0.7};
  for (double ratio : ratios)
    rows.push_back(makeRow(1000 + static_cast<int64_t>(100 * ratio), {1, 1, 1},
                           {ratio, ratio, ratio}));
  Row failed = makeRow(9, {}, {1});
  rows.push_back(failed);
  std::vector<GroupSummary> summaries = summarize(rows);
  ASSERT_EQ(summaries.size(), 1u);
  const GroupSummary &summary = summaries[0];
  EXPECT_EQ(summary.rows, 7u);
  EXPECT_EQ(summary.without, 1u);
  // (0.5 * 2 * 0.8 * 1.25 * 0.9 * 1 * 0.7)^(1/7)
  EXPECT_NEAR(summary.mean, std::pow(0.63, 1.0 / 7), 1e-12);
  EXPECT_EQ(summary.below, 4u);
  ASSERT_EQ(summary.worst.size(), 5u);
  const double worst[] = {0.5, 0.7, 0.8, 0.9, 1};
  for (size_t i = 0; i < 5; ++i)
    EXPECT_DOUBLE_EQ(summary.worst[i].first, worst[i]);
  EXPECT_EQ(summary.worst[0].second, "4096 x 1050 x 4096 bf16 tn");
}

TEST(Clocks, AreSummedUp) {
  ClockSummary summary = summarize(std::vector<ClockReading>{
      {1400, 690, 60, 0x4}, {1500, 700, 62, 0x20}, {1980, 300, 40, 0}});
  EXPECT_EQ(summary.readings, 3);
  EXPECT_EQ(summary.smMegahertz.median, 1500);
  EXPECT_EQ(summary.smMegahertz.lowest, 1400);
  EXPECT_EQ(summary.watts.median, 690);
  EXPECT_EQ(summary.celsius, 62);
  EXPECT_EQ(summary.reasons,
            (std::vector<std::string>{"sw power cap", "sw thermal slowdown"}));
}

TEST(Record, SurvivesTheFile) {
  Row row = makeRow(4096, {1.25e-4, 1.5e-4}, {1.0e-4, 1.1e-4}, {2, 3});
  row.problem.batch = 3;
  row.problem.layout = "nt";
  row.problem.pitch = 8;
  row.ours[0].errorOverBound = 0.25;
  row.ours[0].times(PowerState::Rested) = {1e-4};
  row.theirs[1].wrong = true;
  row.theirs[1].problem = "wrong result: \"quoted\", line\nbreak";
  row.library = "cuBLASLt 13.1.0";
  row.clocks[1].readings = 2;
  row.clocks[1].smMegahertz = {1980, 1900, 1980};
  row.clocks[1].reasons = {"idle"};
  row.hot = true;
  row.sets = 7;
  row.date = "2026-01-02T03:04:05Z";
  std::string line = rowToJson(row);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  Row again = rowFromJson(line);
  EXPECT_EQ(rowToJson(again), line);
  EXPECT_EQ(rowKey(again, true), rowKey(row, true));
  EXPECT_EQ(again.ours[0].seconds[0], row.ours[0].seconds[0]);
  EXPECT_EQ(again.ours[0].schedule, row.ours[0].schedule);
  EXPECT_EQ(again.theirs[1].problem, row.theirs[1].problem);
  EXPECT_EQ(again.clocks[1].smMegahertz.lowest, 1900);
  EXPECT_EQ(again.clocks[0].readings, 0);
  EXPECT_THROW(rowFromJson("{\"kind\": \"row\"}"), gemm::tools::ToolError);
}

TEST(Record, TheLastOfSeveralRowsCounts) {
  std::string file = testing::TempDir() + "/gemm-bench-record.jsonl";
  Row first = makeRow(1, {1}, {1}), second = makeRow(1, {2}, {1}),
      other = makeRow(2, {3}, {1});
  RunInfo run;
  run.id = "x";
  std::ofstream(file) << runToJson(run) << "\n"
                      << rowToJson(first) << "\n"
                      << rowToJson(other) << "\n\n"
                      << rowToJson(second) << "\n";
  std::vector<Row> rows = readRows(file);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].ours[0].seconds[0], std::vector<double>{2});
  EXPECT_EQ(rows[1].ours[0].seconds[0], std::vector<double>{3});
  std::ofstream(file) << "no json\n";
  EXPECT_THROW(readRows(file), gemm::tools::ToolError);
  EXPECT_THROW(readRows(file + ".missing"), gemm::tools::ToolError);
}

TEST(Compare, SeparatesWhatMovedFromNoise) {
  std::vector<double> one = {1, 1, 1, 1, 1};
  // 4096: 3 % slower with still rounds. 8192: 3 % slower, but the rounds differ
  // by more. 512: half a per cent, below the least noise.
  std::vector<double> noisy = {0.9, 0.95, 1, 1.05, 1.1};
  std::vector<Row> before = {makeRow(4096, one, one), makeRow(8192, one, noisy),
                             makeRow(512, one, one), makeRow(1, one, one)};
  auto scaled = [](std::vector<double> values, double factor) {
    for (double &value : values)
      value *= factor;
    return values;
  };
  std::vector<Row> after = {makeRow(4096, one, scaled(one, 0.97)),
                            makeRow(8192, one, scaled(noisy, 0.97)),
                            makeRow(512, one, scaled(one, 1.005)),
                            makeRow(2, one, one)};
  std::vector<Change> changes = compareRows(before, after);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_TRUE(changes[0].moved());
  EXPECT_NEAR(changes[0].factor(), 0.97, 1e-12);
  EXPECT_EQ(changes[0].noise, leastRatioNoise);
  EXPECT_FALSE(changes[1].moved());
  // Both medians: 1.2533 * 1.4826 * 0.05 / sqrt(5); three errors of the
  // difference.
  EXPECT_NEAR(changes[1].noise,
              3 * std::sqrt(2.0) * 1.2533 * 1.4826 * 0.05 / std::sqrt(5.0),
              1e-4);
  EXPECT_FALSE(changes[2].moved());
  std::string text = describe(changes);
  EXPECT_NE(text.find("1 of 3 measurements moved"), std::string::npos) << text;
  EXPECT_NE(text.find("-3.0 %"), std::string::npos) << text;
  // (0.97 * 0.97 * 1.005)^(1/3)
  EXPECT_NE(text.find("0.9815"), std::string::npos) << text;
}

TEST(Compare, TimesWhereThereIsNoRatio) {
  std::vector<double> one = {1e-3, 1e-3, 1e-3};
  Row before = makeRow(64, one, {}), after = before;
  after.ours[0].times(PowerState::Sustained) = {1.04e-3, 1.04e-3, 1.04e-3};
  std::vector<Change> changes = compareRows({before}, {after});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_TRUE(changes[0].absolute);
  // The power state alone does that.
  EXPECT_FALSE(changes[0].moved());
  after.ours[0].times(PowerState::Sustained) = {2e-3, 2e-3, 2e-3};
  changes = compareRows({before}, {after});
  EXPECT_TRUE(changes[0].moved());
  EXPECT_NE(describe(changes).find("1000.00 us"), std::string::npos)
      << describe(changes);
  EXPECT_EQ(describe(compareRows({}, {after})),
            "the files have no measurement in common\n");
}

TEST(Table, IsAligned) {
  EXPECT_EQ(alignedTable({{"name", "us", "<remark"},
                          {"a", "1.5", "x"},
                          {"long name", "100", ""}}),
            "name        us  remark\n"
            "a          1.5  x\n"
            "long name  100\n");
}

TEST(Table, ShowsTimesRatesAndFailures) {
  Row good = makeRow(4096, {200e-6, 200e-6, 200e-6}, {210e-6, 190e-6, 200e-6});
  Row bad = makeRow(512, {}, {});
  bad.failure = "out of memory";
  std::string text = rowTable({good, bad});
  EXPECT_NE(text.find("200.0"), std::string::npos) << text;
  // 1.37439e11 operations in 200 us; the roofline at 800e12 takes 171.8 us.
  EXPECT_NE(text.find("687.2"), std::string::npos) << text;
  EXPECT_NE(text.find("0.859"), std::string::npos) << text;
  EXPECT_NE(text.find("1.000 [0.950 1.050]"), std::string::npos) << text;
  EXPECT_NE(text.find("out of memory"), std::string::npos) << text;
  EXPECT_EQ(text.find("rested"), std::string::npos) << text;
}

TEST(Table, LadderCountsFromTheRungBefore) {
  Row row = makeRow(4096, {8e-3}, {2e-3});
  row.ours[0].label = "smem";
  Timed next = row.ours[0];
  next.label = "broken";
  next.problem = "does not compile";
  next.times(PowerState::Sustained).clear();
  row.ours.push_back(next);
  next = row.ours[0];
  next.label = "wgmma";
  next.times(PowerState::Sustained) = {2.5e-3};
  row.ours.push_back(next);
  std::string text = ladderTable(row);
  // 8 / 2.5, past the rung that is missing.
  EXPECT_NE(text.find("3.20x"), std::string::npos) << text;
  EXPECT_NE(text.find("does not compile"), std::string::npos) << text;
}

// Fields of one line of comma-separated values (RFC 4180).
std::vector<std::string> fields(const std::string &line) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      result.back() += line[++i];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      result.emplace_back();
    else
      result.back() += line[i];
  }
  return result;
}

TEST(Table, CsvHasOneFieldForEachHead) {
  Row good = makeRow(4096, {200e-6}, {210e-6});
  good.clocks[0].readings = 1;
  good.clocks[0].smMegahertz.median = 1400;
  good.clocks[0].reasons = {"idle", "sw power cap"};
  Row bad = makeRow(512, {}, {});
  bad.failure = "out of memory, \"really\"";
  Row none = makeRow(64, {}, {1e-3});
  none.ours.clear();
  std::istringstream stream(rowsToCsv({good, bad, none}));
  std::string line;
  std::getline(stream, line);
  std::vector<std::string> head = fields(line);
  std::vector<std::vector<std::string>> lines;
  while (std::getline(stream, line))
    lines.push_back(fields(line));
  ASSERT_EQ(lines.size(), 3u);
  auto cell = [&](size_t row, const std::string &name) {
    size_t column = static_cast<size_t>(
        std::find(head.begin(), head.end(), name) - head.begin());
    return lines.at(row).at(column);
  };
  for (const auto &item : lines)
    EXPECT_EQ(item.size(), head.size());
  EXPECT_EQ(cell(0, "seconds"), "0.0002");
  EXPECT_EQ(cell(0, "ratio"), "1.05");
  EXPECT_EQ(cell(0, "types"), "bf16,bf16,f32,bf16");
  EXPECT_EQ(cell(0, "sm_mhz"), "1400");
  EXPECT_EQ(cell(0, "clock_reasons"), "idle; sw power cap");
  EXPECT_EQ(cell(1, "problem"), "out of memory, \"really\"");
  EXPECT_EQ(cell(1, "seconds"), "");
  EXPECT_EQ(cell(2, "cublaslt_seconds"), "0.001");
  EXPECT_EQ(cell(2, "schedule"), "");
}

// Whether `text` is one well-formed XML element after an optional declaration:
// tags match, attributes are quoted, no stray '<' or '&'.
std::string xmlProblem(const std::string &text) {
  std::vector<std::string> open;
  size_t at = 0;
  bool root = false;
  while (at < text.size()) {
    if (text[at] == '&') {
      size_t end = text.find(';', at);
      std::string entity = text.substr(at, end - at + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" &&
          entity != "&quot;")
        return "entity " + entity;
      at = end + 1;
      continue;
    }
    if (text[at] != '<') {
      if (open.empty() && !std::isspace(static_cast<unsigned char>(text[at])))
        return "text outside";
      ++at;
      continue;
    }
    size_t end = text.find('>', at);
    if (end == std::string::npos)
      return "tag without end";
    std::string tag = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with("?"))
      continue;
    if (tag.find('<') != std::string::npos)
      return "'<' inside of " + tag;
    if (std::count(tag.begin(), tag.end(), '"') % 2)
      return "quotes of " + tag;
    std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.starts_with("/")) {
      if (open.empty() || "/" + open.back() != tag)
        return tag + " closes nothing";
      open.pop_back();
      continue;
    }
    if (open.empty() && root)
      return "second root";
    root = true;
    if (!tag.ends_with("/"))
      open.push_back(name);
  }
  return open.empty() ? "" : open.back() + " stays open";
}

TEST(Plot, IsWellFormedAndHasEveryPoint) {
  EXPECT_NE(xmlProblem("<a><b></a></b>"), "");
  EXPECT_NE(xmlProblem("<a>&</a>;"), "");
  std::vector<Row> rows = {makeRow(4096, {2e-4, 3e-4}, {2e-4, 2e-4}),
                           makeRow(512, {1e-5}, {2e-5}),
                           makeRow(64, {}, {1e-5})};
  rows[0].problem.group = "<a & b>";
  rows[1].ours[0].label = "\"x\" < y";
  std::string text = plotRows(rows, PowerState::Sustained);
  EXPECT_EQ(xmlProblem(text), "");
  auto count = [&](const std::string &what) {
    size_t found = 0;
    for (size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + 1))
      ++found;
    return found;
  };
  // Roofline: three of theirs, two of ours. Ratios: two. Legend: three.
  EXPECT_EQ(count("<circle"), 10u);
  EXPECT_EQ(count("nan"), 0u);
  EXPECT_EQ(count("inf\""), 0u);
  EXPECT_NE(text.find("GPU &amp; Co"), std::string::npos);
  EXPECT_EQ(xmlProblem(plotRows({}, PowerState::Sustained)), "");
  EXPECT_EQ(xmlProblem(plotRows(rows, PowerState::Rested)), "");
}

TEST(Plot, PutsEqualSpeedOnTheLine) {
  // A ratio of exactly 1 lies on the black line.
  Row row = makeRow(4096, {2e-4}, {2e-4});
  std::string text = plotRows({row}, PowerState::Sustained);
  size_t label = text.find(">1</text>");
  ASSERT_NE(label, std::string::npos);
  size_t x = text.rfind("x=\"", label);
  std::string position = text.substr(x + 3, text.find('"', x + 3) - x - 3);
  EXPECT_NE(text.find("<circle cx=\"" + position + "\""), std::string::npos);
}

} // namespace
