// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptx-mutate: deletes in turn everything that orders or guards in a kernel, and
// runs each mutant on the emulator under many timings. A deletion must be
// reported or be the same kernel for a known reason; one that changes the
// result without a report is a defect of the emulator.
#include "DescribeLaunch.h"
#include "RecordLaunch.h"
#include "Verdict.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iostream>
#include <random>
#include <thread>

using namespace gemm;
using namespace gemm::mutate;

namespace {

struct Options {
  std::string path;
  std::vector<std::string> problems;
  LaunchText launch;
  uint64_t seed = 1;
  unsigned extra = 0, jobs = 0;
  size_t sample = 0, first = 0;
  bool json = false, verbose = false, thorough = false;
};

std::string readFile(const std::string &path) {
  std::ifstream f(path, std::ios::binary);
  if (!f)
    throw std::runtime_error("cannot read '" + path + "'");
  return std::string(std::istreambuf_iterator<char>(f), {});
}

/// M,N,K[,BATCH][/MULTIPLE][=] : '=' is D in place.
ProblemSize problemOf(const std::string &text) {
  ProblemSize p;
  long long m, n, k, batch = 1, multiple = 1;
  int used = 0;
  if (std::sscanf(text.c_str(), "%lld,%lld,%lld%n", &m, &n, &k, &used) != 3)
    throw std::runtime_error("'" + text +
                             "' is no problem: M,N,K[,BATCH][/MULTIPLE][=]");
  const char *rest = text.c_str() + used;
  if (std::sscanf(rest, ",%lld%n", &batch, &used) == 1)
    rest += used;
  if (std::sscanf(rest, "/%lld%n", &multiple, &used) == 1)
    rest += used;
  p.inPlace = *rest == '=';
  if (rest[p.inPlace] || multiple < 1)
    throw std::runtime_error("'" + text +
                             "' is no problem: M,N,K[,BATCH][/MULTIPLE][=]");
  p.m = m;
  p.n = n;
  p.k = k;
  p.batch = batch;
  p.multiple = multiple;
  return p;
}

std::vector<Timing> timingsOf(const Options &o) {
  using emulator::AsyncMode;
  std::mt19937_64 rng(o.seed);
  auto seed = [&] { return rng() % 100000; };
  std::vector<Timing> t = {{AsyncMode::Late, 4, seed()},
                           {AsyncMode::Early, 4, seed()},
                           {AsyncMode::Random, 1, seed()},
                           {AsyncMode::Random, 2, seed()}};
  for (unsigned i = 0; i < o.extra; ++i)
    t.push_back({AsyncMode(i % 3), 1 + i % 4, seed()});
  return t;
}

struct Result {
  Mutation mutation;
  Verdict verdict;
};

std::vector<Result> runAll(const Options &o,
                           const std::vector<Baseline> &baselines,
                           const std::vector<Timing> &timings) {
  const Launch &launch = baselines[0].launch;
  const auto statements = statementsOf(launch.ptx, launch.entry);
  std::vector<Mutation> mutations = mutationsOf(launch.ptx, launch.entry);
  if (o.sample && mutations.size() > o.sample) {
    std::mt19937_64 rng(o.seed);
    std::shuffle(mutations.begin(), mutations.end(), rng);
    mutations.resize(o.sample);
    std::sort(mutations.begin(), mutations.end(),
              [](const Mutation &a, const Mutation &b) {
                return std::tie(a.statement, a.kind) <
                       std::tie(b.statement, b.kind);
              });
  }
  std::vector<Result> results(mutations.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < mutations.size();)
      results[i] = {mutations[i], judge(baselines, timings, statements,
                                        mutations[i], o.thorough)};
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < o.jobs; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &t : threads)
    t.join();
  return results;
}

bool isBad(Verdict::Kind kind) {
  return kind == Verdict::Kind::Survivor || kind == Verdict::Kind::Failure;
}

int report(const Options &o, const std::vector<Result> &results) {
  std::array<size_t, Verdict::kinds> counts{};
  nlohmann::json list = nlohmann::json::array();
  bool bad = false;
  for (const Result &r : results) {
    ++counts[size_t(r.verdict.kind)];
    bad |= isBad(r.verdict.kind);
    if (o.json)
      list.push_back({{"mutation", r.mutation.text()},
                      {"opcode", r.mutation.opcode},
                      {"predicate", r.mutation.kind == Mutation::Kind::Unguard},
                      {"verdict", toString(r.verdict.kind)},
                      {"category", r.verdict.category},
                      {"detail", r.verdict.detail}});
    else if (o.verbose || isBad(r.verdict.kind))
      std::printf("%-10s %s\n           %s\n", toString(r.verdict.kind),
                  r.mutation.text().c_str(), r.verdict.detail.c_str());
  }
  if (o.json) {
    nlohmann::json j{{"kernel", o.path}, {"seed", o.seed}, {"mutants", list}};
    for (size_t k = 0; k < Verdict::kinds; ++k)
      j["counts"][toString(Verdict::Kind(k))] = counts[k];
    std::cout << j.dump(1) << "\n";
    return bad;
  }
  std::printf("%s, seed %llu: %zu mutants", o.path.c_str(),
              (unsigned long long)o.seed, results.size());
  for (size_t k = 0; k < Verdict::kinds; ++k)
    if (counts[k])
      std::printf(", %zu %s", counts[k], toString(Verdict::Kind(k)));
  std::printf("\n");
  return bad;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Deletes in turn each barrier, fence, wait, commit, arrival, "
               "initialisation and predicate of a\nkernel and runs the mutants "
               "on the emulator. Exit status 1: a mutant computes something "
               "else\nunreported, or survives without a known reason."};
  Options o;
  app.add_option("ptx", o.path, "kernel artifact, or other PTX")->required();
  app.add_option("arguments", o.launch.arguments,
                 "of other PTX, one a parameter: u32=, u64=, f32=VALUE, "
                 "random=TYPE:ELEMENTS, zero=BYTES, out=BYTES, "
                 "buffer=TYPE:ELEMENTS (no parameter), "
                 "map=BUFFER:TYPE:DIMS:STRIDES:BOX:SWIZZLE as in ptx-run");
  app.add_option("--entry", o.launch.entry, "of other PTX");
  app.add_option("--grid", o.launch.grid, "X,Y,Z CTAs, of other PTX")
      ->delimiter(',');
  app.add_option("--block", o.launch.block, "X,Y,Z threads, of other PTX")
      ->delimiter(',');
  app.add_option("--cluster", o.launch.cluster, "X,Y,Z CTAs, of other PTX")
      ->delimiter(',');
  app.add_option("--shared", o.launch.sharedBytes,
                 "dynamic shared memory in bytes, of other PTX");
  app.add_option(
      "--problem", o.problems,
      "M,N,K[,BATCH][/MULTIPLE][=]: lines of matrices start at "
      "multiples; = for D in place; of an artifact; may be repeated");
  app.add_option("--seed", o.seed, "of data, timings and sample");
  app.add_option("--timings", o.extra, "timings beside the first four");
  app.add_option("--sample", o.sample, "so many mutants only, drawn");
  app.add_option("--jobs", o.jobs, "threads (default: one a core)");
  app.add_flag("--thorough", o.thorough,
               "run every timing also after a report");
  app.add_flag("--verbose", o.verbose, "show every mutant");
  app.add_flag("--json", o.json, "one JSON object");
  CLI11_PARSE(app, argc, argv);
  if (!o.jobs)
    o.jobs = std::max(1u, std::thread::hardware_concurrency());
  try {
    const std::string artifact = readFile(o.path);
    const std::vector<Timing> timings = timingsOf(o);
    std::vector<Baseline> baselines;
    if (o.problems.empty()) {
      Launch launch = describeLaunch(artifact, o.launch, o.seed);
      launch.name = launch.entry;
      baselines.push_back(makeBaseline(std::move(launch), timings));
    }
    for (const std::string &text : o.problems) {
      Launch launch = recordLaunch(artifact, problemOf(text), o.seed);
      launch.name = text;
      if (!baselines.empty() && launch.entry != baselines[0].launch.entry)
        throw std::runtime_error("problem " + text + " runs entry " +
                                 launch.entry + ", not " +
                                 baselines[0].launch.entry);
      baselines.push_back(makeBaseline(std::move(launch), timings));
    }
    return report(o, runAll(o, baselines, timings));
  } catch (const std::exception &error) {
    std::cerr << "ptx-mutate: " << o.path << ": " << error.what() << "\n";
    return 2;
  }
}
