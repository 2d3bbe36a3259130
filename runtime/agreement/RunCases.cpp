// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Case.h"
#include "Isolation.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <unistd.h>

namespace gemm::agreement {

uint64_t batchSeed(uint64_t seed, std::string_view name, uint64_t batch) {
  // FNV-1a over the name, then a mixing step (splitmix64).
  uint64_t hash = 0xCBF29CE484222325u ^ seed;
  for (char c : name)
    hash = (hash ^ uint8_t(c)) * 0x100000001B3u;
  uint64_t z = hash + (batch + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

void select(CaseList &cases, const RunOptions &options) {
  if (options.only.empty())
    return;
  std::erase_if(cases, [&](const std::unique_ptr<Case> &c) {
    return std::none_of(options.only.begin(), options.only.end(),
                        [&](const std::string &part) {
                          return c->name.find(part) != std::string::npos;
                        });
  });
}

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void printHeader(size_t width) {
  std::printf("%-*s %10s %13s %12s %8s  %s\n", int(width), "name", "cases",
              "values", "different", "seconds", "differences");
}

void printLine(const Case &c, size_t width) {
  const Outcome &o = c.total;
  std::string verdict = o.distribution();
  if (!o.error.empty())
    verdict += (verdict.empty() ? "" : "; ") + std::string("ERROR: ") + o.error;
  if (verdict.empty())
    verdict = "none";
  if (o.mismatches && !o.beyondAllowed)
    verdict += " (allowed)";
  if (o.cases < o.planned)
    verdict += " (incomplete: " + std::to_string(o.planned) + " planned)";
  std::printf("%-*s %10llu %13llu %12llu %8.1f  %s\n", int(width),
              c.name.c_str(), (unsigned long long)o.cases,
              (unsigned long long)o.values, (unsigned long long)o.mismatches,
              o.seconds, verdict.c_str());
  if (!o.groups.empty()) {
    std::string groups;
    for (const auto &[group, count] : o.groups)
      groups +=
          (groups.empty() ? "" : ", ") + group + ": " + std::to_string(count);
    std::printf(
        "    in %s; the first device's is larger in magnitude in %llu\n",
        groups.c_str(), (unsigned long long)o.firstLarger);
  }
  for (const auto &[group, texts] : o.examples)
    for (size_t i = 0; i < std::min<size_t>(texts.size(), 2); ++i)
      std::printf("    %s: %s\n", group.c_str(), texts[i].c_str());
  std::fflush(stdout);
}

/// The order of work: (case, batch) pairs, first batches first.
class Schedule {
public:
  explicit Schedule(const CaseList &cases) : cases(cases) {}

  bool next(size_t &at, uint64_t &batch) {
    std::lock_guard lock(mutex);
    if (overview < cases.size()) {
      at = overview++;
      batch = 0;
      return true;
    }
    while (current < cases.size() && nextBatch >= cases[current]->batches) {
      ++current;
      nextBatch = 1;
    }
    if (current >= cases.size())
      return false;
    at = current;
    batch = nextBatch++;
    return true;
  }

private:
  const CaseList &cases;
  std::mutex mutex;
  size_t overview = 0, current = 0;
  uint64_t nextBatch = 1;
};

} // namespace

namespace {

/// One line of the results file.
std::string toJson(const Case &c) {
  const Outcome &o = c.total;
  nlohmann::json line = {{"name", c.name},
                         {"cases", o.cases},
                         {"planned", o.planned},
                         {"values", o.values},
                         {"different", o.mismatches},
                         {"beyond_allowed", o.beyondAllowed},
                         {"first_larger", o.firstLarger},
                         {"agrees", o.agrees()},
                         {"differences", o.distribution()},
                         {"groups", o.groups},
                         {"examples", o.examples}};
  if (!o.error.empty())
    line["error"] = o.error;
  return line.dump();
}

/// Prints results and appends them to the results file as they come, so that
/// nothing is lost when the process is.
class Report {
public:
  Report(const CaseList &cases, const std::string &path) : path(path) {
    for (const auto &c : cases)
      width = std::max(width, c->name.size());
    if (!path.empty() && !std::ofstream(path))
      throw std::runtime_error("cannot write '" + path + "'");
  }
  void header(const std::string &first, const std::string &second,
              uint64_t seed) const {
    std::printf("%s against %s, seed %llu\n", first.c_str(), second.c_str(),
                (unsigned long long)seed);
    printHeader(width);
    std::fflush(stdout);
    append(nlohmann::json{{"devices", {first, second}}, {"seed", seed}}.dump());
  }
  void line(const Case &c) const {
    printLine(c, width);
    append(toJson(c));
  }

private:
  void append(const std::string &text) const {
    if (!path.empty())
      std::ofstream(path, std::ios::app) << text << std::endl;
  }
  std::string path;
  size_t width = 4;
};

/// Marks a case as being run.
class InFlight {
public:
  explicit InFlight(SharedCase &shared) : shared(shared) { ++shared.inFlight; }
  ~InFlight() { --shared.inFlight; }
  InFlight(const InFlight &) = delete;
  InFlight &operator=(const InFlight &) = delete;

private:
  SharedCase &shared;
};

/// For how long a case that may have lost the device runs alone.
constexpr double aloneSeconds = 2;

/// Runs what is left of the cases; in a process of its own.
class Runner {
public:
  Runner(const CaseList &cases, Platform &first, Platform &second,
         const RunOptions &options, Clock::time_point start, Report &report,
         SharedProgress &progress)
      : cases(cases), first(first), second(second), options(options),
        start(start), report(report), progress(progress), schedule(cases),
        done(cases.size()) {}

  void run() {
    for (size_t at = 0; at < cases.size(); ++at)
      if (progress[at].suspect && !progress[at].finished) {
        runAlone(at);
        progress[at].cleared = true;
        progress[at].suspect = false;
      }
    const unsigned threads =
        options.threads ? options.threads : std::thread::hardware_concurrency();
    std::vector<std::thread> workers;
    for (unsigned t = 1; t < threads; ++t)
      workers.emplace_back([this] { work(); });
    work();
    for (std::thread &worker : workers)
      worker.join();
    for (size_t at = 0; at < cases.size(); ++at)
      if (!progress[at].finished)
        report.line(*cases[at]);
  }

private:
  bool isLate() const {
    return options.seconds > 0 && since(start) > options.seconds;
  }

  void runAlone(size_t at) {
    const InFlight flight(progress[at]);
    try {
      const std::unique_ptr<Queue> a = first.queue(), b = second.queue();
      cases[at]->prepare(first, second);
      cases[at]->isPrepared = true;
      const Clock::time_point began = Clock::now();
      for (uint64_t batch = 0;
           batch < cases[at]->batches && since(began) < aloneSeconds; ++batch)
        cases[at]->run(batch, *a, *b);
    } catch (const DeviceLost &error) {
      leave(error.what());
    } catch (const std::exception &) {
      // It will be reported when the case has its turn.
    }
  }

  void work() {
    std::unique_ptr<Queue> a, b;
    size_t at;
    uint64_t batch;
    while (!isLate() && schedule.next(at, batch)) {
      if (!progress[at].finished)
        runOne(at, batch, a, b);
      if (++done[at] == cases[at]->batches)
        finish(at);
    }
  }

  void runOne(size_t at, uint64_t batch, std::unique_ptr<Queue> &a,
              std::unique_ptr<Queue> &b) {
    Case &c = *cases[at];
    std::string error;
    {
      const InFlight flight(progress[at]);
      try {
        if (!a)
          a = first.queue();
        if (!b)
          b = second.queue();
        runBatch(c, batch, *a, *b);
        return;
      } catch (const DeviceLost &lost) {
        leave(lost.what());
      } catch (const std::exception &failure) {
        error = failure.what();
      }
    }
    {
      std::lock_guard lock(c.mutex);
      if (c.total.error.empty())
        c.total.error = error;
    }
    finish(at);
  }

  void runBatch(Case &c, uint64_t batch, Queue &a, Queue &b) {
    const Clock::time_point began = Clock::now();
    {
      // Not std::call_once: an exception must not pass through the C library,
      // whose unwinder may be another than that of a static libgcc.
      std::lock_guard lock(c.preparing);
      if (!c.isPrepared)
        c.prepare(first, second);
      c.isPrepared = true;
    }
    a.sanitize(batch == 0);
    b.sanitize(batch == 0);
    Outcome outcome = c.run(batch, a, b);
    outcome.seconds = since(began);
    std::lock_guard lock(c.mutex);
    c.total.add(outcome);
  }

  void finish(size_t at) {
    std::lock_guard lock(printing);
    std::lock_guard totals(cases[at]->mutex);
    if (progress[at].finished)
      return;
    report.line(*cases[at]);
    progress[at].agrees = cases[at]->total.agrees();
    progress[at].finished = true;
  }

  [[noreturn]] void leave(const std::string &reason) {
    progress.loseDevice(reason);
    std::lock_guard lock(printing); // no line is left half written
    std::fflush(stdout);
    _exit(deviceLostStatus);
  }

  const CaseList &cases;
  Platform &first, &second;
  const RunOptions &options;
  const Clock::time_point start;
  Report &report;
  SharedProgress &progress;
  Schedule schedule;
  std::vector<std::atomic<uint64_t>> done;
  std::mutex printing;
};

/// Of a batch that is running when the time is up.
constexpr double graceSeconds = 20;

} // namespace

int runCases(CaseList &cases, const std::string &firstDevice,
             const std::string &secondDevice, const RunOptions &options) {
  const Clock::time_point start = Clock::now();
  Report report(cases, options.json);
  SharedProgress progress(cases.size());
  const auto child = [&](unsigned before) {
    try {
      const std::unique_ptr<Platform> first = openPlatform(firstDevice);
      const std::unique_ptr<Platform> second = openPlatform(secondDevice);
      if (before == 0)
        report.header(first->name(), second->name(), options.seed);
      Runner(cases, *first, *second, options, start, report, progress).run();
      std::fflush(stdout);
      _exit(0); // destroying every module takes long
    } catch (const NoDevice &error) {
      std::fprintf(stderr, "ptx-agree: %s\n", error.what());
      return 3;
    } catch (const std::exception &error) {
      std::fprintf(stderr, "ptx-agree: %s\n", error.what());
      return 2;
    }
  };
  const auto blame = [&](size_t at, const std::string &reason) {
    cases[at]->total.error = reason;
    report.line(*cases[at]);
  };
  const int status = runIsolated(
      progress, options.seconds > 0 ? options.seconds + graceSeconds : 0, child,
      blame);
  if (status)
    return status;
  size_t agree = 0, incomplete = 0;
  for (size_t at = 0; at < cases.size(); ++at) {
    incomplete += !progress[at].finished;
    agree += progress[at].finished && progress[at].agrees;
  }
  std::printf("%zu of %zu agree, %zu incomplete; %.0f s\n", agree, cases.size(),
              incomplete, since(start));
  return agree == cases.size() ? 0 : 1;
}

} // namespace gemm::agreement
