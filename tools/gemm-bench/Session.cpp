// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "Commit.h"
#include "Compare.h"
#include "Plot.h"
#include "Summary.h"
#include "Table.h"

#include "support/Error.h"
#include "support/Report.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <unistd.h>

namespace gemm::bench {

using namespace tools;

namespace {

volatile std::sig_atomic_t interrupted = 0;

std::string now() {
  std::time_t time = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

void writeFile(const std::string &file, const std::string &text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (!stream)
    throw ToolError("cannot write " + file);
}

// Appends whole lines; a line is in the file before the next row starts.
class RecordFile {
public:
  explicit RecordFile(const std::string &file) : file(file) {
    if (file.empty())
      return;
    mend();
    stream.open(file, std::ios::app | std::ios::binary);
    if (!stream)
      throw ToolError("cannot write " + file);
  }
  void append(const std::string &line) {
    if (file.empty())
      return;
    stream << line << "\n" << std::flush;
    if (!stream)
      throw ToolError("cannot write " + file);
  }

private:
  // A run that was killed may have left part of a line: it is dropped.
  void mend() const {
    std::ifstream old(file, std::ios::binary);
    std::stringstream content;
    if (!old || !(content << old.rdbuf()))
      return;
    std::string text = content.str();
    size_t end = text.rfind('\n');
    end = end == std::string::npos ? 0 : end + 1;
    if (end < text.size())
      std::filesystem::resize_file(file, end);
  }

  std::string file;
  std::ofstream stream;
};

void printResults(const BenchOptions &options, const std::vector<Row> &rows) {
  std::string text;
  if (options.ladder && rows.size() == 1)
    text = ladderTable(rows[0]) + "\n";
  text += rowTable(rows) + "\n" + describe(summarize(rows));
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  if (!options.csv.empty())
    writeFile(options.csv, rowsToCsv(rows));
  if (options.plot.empty())
    return;
  bool sustained = std::any_of(rows.begin(), rows.end(), [](const Row &row) {
    return row.best(PowerState::Sustained) >= 0 ||
           std::any_of(row.ours.begin(), row.ours.end(),
                       [](const Timed &timed) {
                         return !timed.times(PowerState::Sustained).empty();
                       });
  });
  writeFile(options.plot, plotRows(rows, sustained ? PowerState::Sustained
                                                   : PowerState::Rested));
}

// "wgmma 0.985 (65.3 us, cuBLASLt 64.3 us)"
std::string progressOf(const Row &row) {
  if (!row.failure.empty())
    return row.failure;
  std::string text;
  for (PowerState state : powerStates) {
    int best = row.best(state);
    if (best < 0)
      continue;
    text += format(
        "%s%s: cuBLASLt %s", text.empty() ? "" : "; ", powerStateName(state),
        formatSeconds(
            spreadOf(row.theirs[static_cast<size_t>(best)].times(state)).median)
            .c_str());
    for (size_t i = 0; i < row.ours.size(); ++i) {
      std::vector<double> ratios = row.ratios(i, state);
      if (!ratios.empty())
        text += format(
            ", %s %s (%.3f)", row.ours[i].label.c_str(),
            formatSeconds(spreadOf(row.ours[i].times(state)).median).c_str(),
            spreadOf(ratios).median);
    }
  }
  for (const Timed &timed : row.ours)
    if (!timed.problem.empty())
      text += (text.empty() ? "" : "; ") + timed.label + ": " + timed.problem;
  if (!row.libraryProblem.empty())
    text += (text.empty() ? "" : "; ") + row.libraryProblem;
  return text;
}

class Session {
public:
  Session(const BenchOptions &options, std::vector<Case> cases)
      : options(options), cases(std::move(cases)), device(options.device),
        tools(device), clocks(device),
        kernels(device, options.schedules, options.target, options.artifacts),
        bench{device, tools, clocks, kernels, options.protocol, ceilings} {
    if (device.info().is_emulator)
      throw ToolError("--device=" + options.device +
                      ": an emulator has no GPU time; gemm-run checks kernels "
                      "on it");
    describeRun();
    readDone();
  }

  int run(const std::vector<std::string> &arguments) {
    interrupted = 0;
    std::signal(SIGINT, [](int) { interrupted = 1; });
    std::signal(SIGTERM, [](int) { interrupted = 1; });
    RecordFile file(options.json);
    size_t pending = cases.size() - results.size();
    std::fprintf(stderr, "gemm-bench: %zu rows, %zu of them already in %s\n",
                 cases.size(), results.size(),
                 options.resume.empty() ? "no file" : options.resume.c_str());
    if (pending > 0)
      calibrate(file);
    bool stopped = false;
    size_t number = 0;
    double longest = 0;
    for (size_t i = 0; i < cases.size(); ++i) {
      if (results.contains(i))
        continue;
      if (interrupted ||
          !fits(elapsed(), longest, options.seconds.value_or(HUGE_VAL))) {
        stopped = true;
        break;
      }
      Row row = measureRow(bench, cases[i]);
      stamp(row);
      file.append(rowToJson(row));
      longest = std::max(longest, row.wallSeconds);
      std::fprintf(stderr, "[%zu/%zu] %s %s: %s, took %.1f s\n", ++number,
                   pending, row.problem.shape().c_str(),
                   row.problem.kind().c_str(), progressOf(row).c_str(),
                   row.wallSeconds);
      bool suspicious = row.failed();
      results.emplace(i, std::move(row));
      if (suspicious && deviceIsLost(device))
        return continueElsewhere(arguments);
    }
    return finish(stopped);
  }

private:
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }

  void describeRun() {
    const gemm_device_info &info = device.info();
    runInfo.device = info.name;
    runInfo.architecture = info.architecture;
    runInfo.multiprocessors = info.multiprocessors;
    runInfo.driver = clocks.driverVersion();
    if (runInfo.driver.empty())
      runInfo.driver = format("CUDA %d.%d", info.driver_version / 1000,
                              info.driver_version / 10 % 100);
    runInfo.commit = commitOfBuild();
    runInfo.date = now();
    runInfo.id = runInfo.date + format("-%d", static_cast<int>(getpid()));
    runInfo.powerLimit = clocks.powerLimit();
    runInfo.highestSmClock = clocks.highestSmClock();
  }

  void stamp(Row &row) const {
    row.run = runInfo.id;
    row.device = runInfo.device;
    row.driver = runInfo.driver;
    row.commit = runInfo.commit;
    row.date = now();
  }

  void readDone() {
    if (options.resume.empty() || !std::filesystem::exists(options.resume))
      return;
    std::map<std::string, Row> known;
    for (Row &row : readRows(options.resume)) {
      std::string key = rowKey(row, true);
      known.insert_or_assign(key, std::move(row));
    }
    for (size_t i = 0; i < cases.size(); ++i) {
      Row wanted;
      wanted.problem = cases[i];
      wanted.hot = options.protocol.hot;
      for (const std::string &label : kernels.labels(cases[i]))
        wanted.ours.emplace_back().label = label;
      stamp(wanted);
      auto at = known.find(rowKey(wanted, true));
      if (at != known.end() && covers(at->second, wanted, options.protocol))
        results.emplace(i, at->second);
    }
  }

  // Ceilings and host costs, once; the head of the record.
  void calibrate(RecordFile &file) {
    std::vector<ElementType> types;
    for (const Case &item : cases)
      if (std::find(types.begin(), types.end(), item.types[0]) == types.end())
        types.push_back(item.types[0]);
    auto note = [&](const std::string &text) {
      runInfo.notes.push_back(text);
      std::fprintf(stderr, "%s\n", text.c_str());
    };
    note(format("device: %s, %s, %d multiprocessors, driver %s, power limit "
                "%.0f W, SM clock up to %.0f MHz",
                runInfo.device.c_str(), runInfo.architecture.c_str(),
                runInfo.multiprocessors, runInfo.driver.c_str(),
                runInfo.powerLimit, runInfo.highestSmClock));
    if (!clocks.problem().empty())
      note("clocks: unknown: " + clocks.problem());
    note("build: " + runInfo.commit + ", started " + runInfo.date);
    const Protocol &protocol = options.protocol;
    note(format("protocol: %.1f s of warm-up, median of %d interleaved rounds "
                "of captured graphs; first all candidates of cuBLASLt (64 MiB "
                "workspace), then the three fastest and its first guess with "
                "ours; sustained: each runs for %.0f ms before its sample of "
                "10 ms; rested: %.0f ms idle before it; data %s, seed %llu; "
                "%s; results checked on poisoned memory against a float64 "
                "sample",
                protocol.warmUpSeconds, protocol.rounds,
                protocol.settleSeconds * 1e3, protocol.idleSeconds * 1e3,
                "standard normal (8-bit integers: 32 times that)",
                static_cast<unsigned long long>(protocol.seed),
                protocol.hot ? "one set of buffers (hot)"
                             : "buffers rotate through 512 MB (cold)"));
    ceilings = measureCeilings(tools, clocks, types, protocol.rested);
    for (const std::string &line : ceilings.describe())
      note(line);
    HostCost cost = measureHostCost(bench, cases[0]);
    runInfo.library = cost.library;
    note(cost.describe());
    file.append(runToJson(runInfo));
  }

  std::vector<Row> sorted() const {
    std::vector<Row> rows;
    for (const auto &[index, row] : results)
      rows.push_back(row);
    return rows;
  }

  int finish(bool stopped) {
    std::vector<Row> rows = sorted();
    for (const std::string &line : runInfo.notes)
      std::fprintf(stdout, "%s\n", line.c_str());
    std::fputs("\n", stdout);
    printResults(options, rows);
    bool failed = std::any_of(rows.begin(), rows.end(),
                              [](const Row &row) { return row.failed(); });
    if (stopped)
      std::fprintf(stderr, "gemm-bench: stopped after %zu of %zu rows%s\n",
                   rows.size(), cases.size(),
                   options.json.empty()
                       ? ""
                       : ("; --resume=" + options.json + " goes on").c_str());
    if (stopped)
      return stoppedEarly;
    return failed ? someFailed : allMeasured;
  }

  // A kernel has broken the context, for good as far as this process goes.
  int continueElsewhere(const std::vector<std::string> &arguments) {
    if (options.json.empty()) {
      finish(false);
      std::fprintf(stderr, "gemm-bench: the device does not answer any more; "
                           "with --json=FILE the run would go on\n");
      return someFailed;
    }
    std::optional<double> left;
    if (options.seconds)
      left = std::max(1.0, *options.seconds - elapsed());
    std::vector<std::string> next = continuation(arguments, options.json, left);
    std::vector<char *> pointers;
    for (std::string &argument : next)
      pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    std::fprintf(stderr, "gemm-bench: the device does not answer any more; "
                         "going on in a new process\n");
    std::fflush(nullptr);
    execv("/proc/self/exe", pointers.data());
    throw ToolError("cannot start again; --resume=" + options.json +
                    " goes on with the next row");
  }

  const BenchOptions &options;
  std::vector<Case> cases;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  Device device;
  DeviceTools tools;
  ClockMonitor clocks;
  Kernels kernels;
  Ceilings ceilings;
  Bench bench;
  RunInfo runInfo;
  std::map<size_t, Row> results;
};

} // namespace

bool covers(const Row &row, const Row &wanted, const Protocol &protocol) {
  if (rowKey(row, true) != rowKey(wanted, true))
    return false;
  if (!row.failure.empty())
    return true;
  for (PowerState state : powerStates) {
    bool asked =
        state == PowerState::Sustained ? protocol.sustained : protocol.rested;
    // A variant that could not be timed will not be the next time.
    auto lacks = [&](const Timed &timed) {
      return timed.problem.empty() && timed.times(state).empty();
    };
    if (asked && std::any_of(row.ours.begin(), row.ours.end(), lacks))
      return false;
    if (asked && row.ours.empty() && row.best(state) < 0 &&
        row.libraryProblem.empty())
      return false;
  }
  return true;
}

bool fits(double elapsed, double longestRow, double limit) {
  return elapsed + longestRow <= limit;
}

std::vector<std::string> continuation(const std::vector<std::string> &arguments,
                                      const std::string &file,
                                      std::optional<double> secondsLeft) {
  std::vector<std::string> result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    bool dropped = false;
    for (const char *flag : {"--seconds", "--resume", "--json"}) {
      if (arguments[i].starts_with(std::string(flag) + "="))
        dropped = true;
      if (arguments[i] == flag) {
        dropped = true;
        ++i; // Its value.
        break;
      }
    }
    if (!dropped)
      result.push_back(arguments[i]);
  }
  result.push_back("--resume=" + file);
  if (secondsLeft)
    result.push_back(format("--seconds=%.1f", *secondsLeft));
  return result;
}

int runSession(const BenchOptions &options,
               const std::vector<std::string> &arguments) {
  std::error_code error;
  std::filesystem::path executable =
      std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<Case> cases =
      casesOf(options, error ? arguments[0] : executable.string());
  if (cases.empty())
    throw ToolError("no problem is left to measure: --layout or --types fits "
                    "none of the lines");
  return Session(options, std::move(cases)).run(arguments);
}

int printRecorded(const BenchOptions &options) {
  if (!options.read.empty()) {
    printResults(options, readRows(options.read));
    return allMeasured;
  }
  std::string text = describe(
      compareRows(readRows(options.compare[0]), readRows(options.compare[1])));
  std::fputs(text.c_str(), stdout);
  return allMeasured;
}

} // namespace gemm::bench
