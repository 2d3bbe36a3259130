// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speed of the emulator: lane-instructions a second of processor time (one
// thread does all the work, so this is per core) with the sanitizer off, on
// and strict, and what the sanitizer costs. Ends with one table of all kernels.
//
// A lane-instruction is an instruction executed by one lane, as the counters
// count it. Kernels whose work is tensor instructions also say seconds.
#include "Emulator.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace gemm::emulator;

namespace {

/// A kernel with its buffers, ready to be launched again and again.
struct Workload {
  std::shared_ptr<const Module> module;
  std::unique_ptr<Device> device;
  std::string entry, error;
  Dim3 grid, block;
  size_t shared = 0;
  std::vector<uint8_t> params;
  uint64_t laneInstructions = 0;

  Workload(const std::string &file, const std::string &entry,
           const char *target)
      : entry(entry) {
    std::ifstream in(std::string(GEMM_EMULATOR_DIR) + "/" + file,
                     std::ios::binary);
    if (!in) {
      error = "cannot read '" + file + "'";
      return;
    }
    auto parsed =
        Module::parse(std::string(std::istreambuf_iterator<char>(in), {}));
    auto created = Device::create(target);
    if (!parsed || !created) {
      error = parsed ? created.error() : parsed.error();
      return;
    }
    module = *parsed;
    device = std::move(*created);
    const EntryInfo *e = module->entry(entry);
    if (e)
      params.resize(e->paramBytes);
    else
      error = "no entry '" + entry + "' in '" + file + "'";
  }
  template <class T> void argument(size_t index, T value) {
    if (!error.empty())
      return;
    const ParamInfo &p = module->entry(entry)->params[index];
    std::memcpy(params.data() + p.offset, &value,
                std::min(p.size, sizeof value));
  }
  uint64_t buffer(const void *data, size_t bytes) {
    if (!error.empty())
      return 0;
    auto address = device->allocate(bytes);
    if (!address)
      error = address.error();
    else if (data)
      error = device->write(*address, data, bytes);
    return address ? *address : 0;
  }
  LaunchResult launch(const LaunchOptions &options) {
    return device->launch(*module, entry, grid, block, {}, shared,
                          params.data(), params.size(), options);
  }
  /// Counts the lane-instructions of one launch.
  void prepare() {
    if (!error.empty() || laneInstructions)
      return;
    LaunchOptions options;
    options.counters = true;
    LaunchResult r = launch(options);
    if (!r.ok || !r.reports.empty())
      error = r.refusal + r.summary();
    laneInstructions = r.counters.laneInstructions;
  }
};

std::vector<float> randomFloats(size_t n) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> v(n);
  std::generate(v.begin(), v.end(), [&] { return uniform(rng); });
  return v;
}

/// Finite bit patterns of f16 in [1, 2), of bf16 in a wide range.
std::vector<uint16_t> randomHalves(size_t n) {
  std::mt19937 rng(1);
  std::vector<uint16_t> v(n);
  std::generate(v.begin(), v.end(), [&] {
    return uint16_t(0x3c00 | (rng() & 0x3ff) | (rng() & 1) << 15);
  });
  return v;
}

/// D[n,n] = A * B in f32, parameters a, b, d, m, n, k.
std::unique_ptr<Workload> simtGemm(const char *file, const char *entry,
                                   uint32_t n, Dim3 block) {
  auto w = std::make_unique<Workload>(file, entry, "sm_90a");
  const auto data = randomFloats(size_t(n) * n);
  w->block = block;
  w->grid = {n / block.x, n / block.y, 1};
  w->argument(0, w->buffer(data.data(), data.size() * 4));
  w->argument(1, w->buffer(data.data(), data.size() * 4));
  w->argument(2, w->buffer(nullptr, data.size() * 4));
  for (size_t i = 3; i < 6; ++i)
    w->argument(i, n);
  return w;
}

/// The compiler's kernel: pointers and pitches of A, B, D, then m, n, k, batch.
std::unique_ptr<Workload> smemSchedule(uint64_t n) {
  auto w = std::make_unique<Workload>("benchmark/kernels/smem.ptx", "matmul_0",
                                      "sm_90a");
  const auto data = randomFloats(n * n);
  w->block = {1024, 1, 1};
  w->grid = {uint32_t(n / 32 * n / 32), 1, 1};
  w->shared = 9344;
  for (size_t i = 0; i < 6; i += 2) {
    w->argument(i, w->buffer(i < 4 ? data.data() : nullptr, data.size() * 4));
    w->argument(i + 1, n);
  }
  for (size_t i = 6; i < 10; ++i)
    w->argument(i, uint32_t(i < 9 ? n : 1));
  return w;
}

std::unique_ptr<Workload> walk() {
  auto w = std::make_unique<Workload>("benchmark/kernels/walk.ptx", "walk",
                                      "sm_90a");
  constexpr uint32_t n = 1 << 14;
  std::vector<uint32_t> links(n);
  std::mt19937 rng(1);
  std::generate(links.begin(), links.end(), [&] { return rng() % n; });
  w->block = {256, 1, 1};
  w->grid = {16, 1, 1};
  w->argument(0, w->buffer(links.data(), links.size() * 4));
  w->argument(1, n - 1);
  w->argument(2, 128);
  w->argument(3, w->buffer(nullptr, 16 * 256 * 8));
  return w;
}

std::unique_ptr<Workload> transpose() {
  auto w = std::make_unique<Workload>("benchmark/kernels/walk.ptx", "transpose",
                                      "sm_90a");
  constexpr uint32_t n = 512;
  const auto data = randomFloats(n * n);
  w->block = {32, 8, 1};
  w->grid = {n / 32, n / 32, 1};
  w->argument(0, w->buffer(data.data(), data.size() * 4));
  w->argument(1, w->buffer(nullptr, data.size() * 4));
  w->argument(2, n);
  return w;
}

std::unique_ptr<Workload> softmax() {
  auto w = std::make_unique<Workload>("benchmark/kernels/softmax.ptx",
                                      "softmax", "sm_90a");
  constexpr uint32_t rows = 256, columns = 500;
  const auto data = randomHalves(size_t(rows) * columns);
  const uint32_t zero = 0;
  w->block = {128, 1, 1};
  w->grid = {rows / 4, 1, 1};
  w->argument(0, w->buffer(data.data(), data.size() * 2));
  w->argument(1, w->buffer(nullptr, data.size() * 2));
  w->argument(2, w->buffer(&zero, 4));
  w->argument(3, columns);
  return w;
}

/// D = A[n,n] * B[n,n]^T, f16 in, f32 out, tiles of 64 x 64.
std::unique_ptr<Workload> mmaSync(uint32_t n) {
  auto w = std::make_unique<Workload>("test/kernels/mma_sync.ptx", "mmaSync",
                                      "sm_90a");
  const auto data = randomHalves(size_t(n) * n);
  w->block = {128, 1, 1};
  w->grid = {n / 64, n / 64, 1};
  w->argument(0, w->buffer(data.data(), data.size() * 2));
  w->argument(1, w->buffer(data.data(), data.size() * 2));
  w->argument(2, w->buffer(nullptr, data.size() * 4));
  for (size_t i = 3; i < 6; ++i)
    w->argument(i, n);
  return w;
}

/// The same with bf16 through tensor maps and wgmma.
std::unique_ptr<Workload> wgmmaTma(uint32_t n) {
  auto w = std::make_unique<Workload>("test/kernels/wgmma.ptx", "wgmmaTma",
                                      "sm_90a");
  const auto data = randomHalves(size_t(n) * n);
  w->block = {160, 1, 1};
  w->grid = {n / 64, n / 64, 1};
  w->shared = 49152;
  for (size_t i = 0; i < 2; ++i) {
    TiledMapArguments t;
    t.dataType = 9; // BFLOAT16
    t.rank = 2;
    t.globalAddress = w->buffer(data.data(), data.size() * 2);
    t.globalDim = {n, n};
    t.globalStrides = {uint64_t(n) * 2};
    t.boxDim = {64, 64};
    t.elementStrides = {1, 1};
    t.swizzle = 3; // 128 bytes
    std::array<uint8_t, 128> map{};
    if (w->error.empty())
      w->error = encodeTiledMap(t, map.data());
    w->argument(i, map);
  }
  w->argument(2, w->buffer(nullptr, data.size() * 4));
  for (size_t i = 3; i < 6; ++i)
    w->argument(i, n);
  return w;
}

struct Mode {
  const char *name;
  SanitizeMode sanitize;
};
constexpr Mode kModes[] = {{"off", SanitizeMode::Off},
                           {"on", SanitizeMode::On},
                           {"strict", SanitizeMode::Strict}};

void runWorkload(benchmark::State &state, Workload &w, SanitizeMode mode) {
  w.prepare();
  LaunchOptions options;
  options.sanitize = mode;
  for (auto _ : state) {
    if (!w.error.empty()) {
      state.SkipWithError(w.error.c_str());
      break;
    }
    LaunchResult r = w.launch(options);
    if (!r.ok)
      w.error = r.refusal + r.summary();
    ++options.seed;
  }
  state.counters["lanes/s"] =
      benchmark::Counter(double(w.laneInstructions),
                         benchmark::Counter::kIsIterationInvariantRate);
}

/// The console's lines, and a table by kernel at the end.
class TableReporter : public benchmark::ConsoleReporter {
public:
  TableReporter() : ConsoleReporter(OO_Tabular) {}
  void ReportRuns(const std::vector<Run> &runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run &r : runs) {
      if (r.error_occurred) {
        failed = true;
        continue;
      }
      auto lanes = r.counters.find("lanes/s");
      if (lanes == r.counters.end())
        continue;
      const std::string name = r.benchmark_name();
      const size_t slash = name.find('/');
      rows[name.substr(0, slash)][name.substr(slash + 1)] = {
          lanes->second.value / 1e6,
          r.cpu_accumulated_time / double(r.iterations)};
    }
  }
  void Finalize() override {
    std::printf("\n%-12s %28s %9s %14s\n%-12s %9s %9s %8s %9s %14s\n", "",
                "million lane-instructions/s", "", "seconds a run", "kernel",
                "off", "on", "strict", "on costs", "on");
    for (auto &[kernel, byMode] : rows)
      std::printf("%-12s %9.0f %9.0f %8.0f %8.1fx %14.3f\n", kernel.c_str(),
                  byMode["off"].rate, byMode["on"].rate, byMode["strict"].rate,
                  byMode["on"].rate ? byMode["off"].rate / byMode["on"].rate
                                    : 0.0,
                  byMode["on"].seconds);
  }
  bool failed = false;

private:
  struct Cell {
    double rate = 0, seconds = 0;
  };
  std::map<std::string, std::map<std::string, Cell>> rows;
};

} // namespace

int main(int argc, char **argv) {
  struct Entry {
    const char *name;
    std::function<std::unique_ptr<Workload>()> make;
    std::unique_ptr<Workload> made;
  };
  Entry entries[] = {
      {"naive",
       [] {
         return simtGemm("test/kernels/simt.ptx", "naive", 128, {32, 8, 1});
       },
       nullptr},
      {"shared16",
       [] {
         return simtGemm("test/kernels/simt.ptx", "shared16", 128, {16, 16, 1});
       },
       nullptr},
      {"smem", [] { return smemSchedule(128); }, nullptr},
      {"walk", walk, nullptr},
      {"transpose", transpose, nullptr},
      {"softmax", softmax, nullptr},
      {"mma-sync512", [] { return mmaSync(512); }, nullptr},
      {"wgmma512", [] { return wgmmaTma(512); }, nullptr},
  };
  for (Entry &e : entries)
    for (const Mode &mode : kModes)
      benchmark::RegisterBenchmark(
          (std::string(e.name) + "/" + mode.name).c_str(),
          [&e, mode](benchmark::State &state) {
            if (!e.made)
              e.made = e.make();
            runWorkload(state, *e.made, mode.sanitize);
          })
          ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  TableReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return reporter.failed ? 1 : 0;
}
