// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Case.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

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

bool runCases(CaseList &cases, Platform &first, Platform &second,
              const RunOptions &options) {
  size_t width = 4;
  for (const auto &c : cases)
    width = std::max(width, c->name.size());
  printHeader(width);

  const Clock::time_point start = Clock::now();
  Schedule schedule(cases);
  std::vector<std::atomic<uint64_t>> done(cases.size());
  std::vector<std::atomic<bool>> failed(cases.size());
  std::mutex printing;
  std::atomic<bool> late = false;

  const auto runOne = [&](size_t at, uint64_t batch, Queue &a, Queue &b) {
    Case &c = *cases[at];
    if (failed[at])
      return;
    try {
      const Clock::time_point began = Clock::now();
      std::call_once(c.prepared, [&] { c.prepare(first, second); });
      a.sanitize(batch == 0);
      b.sanitize(batch == 0);
      Outcome outcome = c.run(batch, a, b);
      outcome.seconds = since(began);
      std::lock_guard lock(c.mutex);
      c.total.add(outcome);
    } catch (const std::exception &error) {
      std::lock_guard lock(c.mutex);
      if (!failed[at].exchange(true))
        c.total.error = error.what();
    }
  };
  const auto work = [&] {
    const std::unique_ptr<Queue> a = first.queue(), b = second.queue();
    size_t at;
    uint64_t batch;
    while (schedule.next(at, batch)) {
      if (options.seconds > 0 && since(start) > options.seconds) {
        late = true;
        return;
      }
      runOne(at, batch, *a, *b);
      if (++done[at] == cases[at]->batches) {
        std::lock_guard lock(printing);
        printLine(*cases[at], width);
      }
    }
  };
  unsigned threads =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  std::vector<std::thread> workers;
  for (unsigned t = 1; t < threads; ++t)
    workers.emplace_back(work);
  work();
  for (std::thread &worker : workers)
    worker.join();

  size_t agree = 0, incomplete = 0;
  for (size_t at = 0; at < cases.size(); ++at) {
    if (done[at] < cases[at]->batches) {
      printLine(*cases[at], width);
      ++incomplete;
    }
    agree += cases[at]->total.agrees();
  }
  std::printf("%zu of %zu agree, %zu incomplete; %.0f s\n", agree, cases.size(),
              incomplete, since(start));
  return agree == cases.size();
}

std::string toJson(const CaseList &cases, Platform &first, Platform &second,
                   const RunOptions &options) {
  nlohmann::json document;
  document["devices"] = {first.name(), second.name()};
  document["seed"] = options.seed;
  document["cases"] = nlohmann::json::array();
  for (const auto &c : cases) {
    const Outcome &o = c->total;
    nlohmann::json line = {{"name", c->name},
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
    document["cases"].push_back(line);
  }
  return document.dump(1);
}

} // namespace gemm::agreement
