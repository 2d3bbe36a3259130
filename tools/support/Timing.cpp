// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Timing.h"

#include "CudaGraph.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

namespace gemm::tools {
namespace {

// Kernel nodes in one graph; enough to hide the gap between two graphs.
constexpr int64_t mostRunsPerGraph = 640;
// Nodes in a graph that would otherwise not reach all buffers.
constexpr int64_t mostSetsPerGraph = 8192;

} // namespace

// One contender made ready: a sample is so many runs, from a graph if the
// device has graphs.
class InterleavedTimer::Sampler {
public:
  Sampler(const Device &device, const Contender &contender,
          const TimingOptions &options)
      : contender(contender), options(options), timer(device) {
    contender.enqueue(0);
    device.synchronize();
    double one = loop(1);
    // A single run may be dominated by its launch; look again with a few.
    if (one < options.sampleSeconds / 8)
      one = loop(8);
    double wanted = options.sampleSeconds / std::max(one, 1e-9);
    runs =
        std::clamp<int64_t>(static_cast<int64_t>(wanted), 1, mostRunsPerGraph);
    if (device.info().is_emulator)
      return;
    // Whole rotations, so that every sample sees the same buffers.
    runs = std::max(runs, std::min(options.sets, mostSetsPerGraph));
    if (runs > options.sets)
      runs -= runs % options.sets;
    graph = std::make_unique<CudaGraph>(device, [&] {
      for (int64_t i = 0; i < runs; ++i)
        contender.enqueue(i % options.sets);
    });
    // Short kernels: several graphs a sample.
    double each = sampleGraphs();
    graphs = std::clamp<int64_t>(
        static_cast<int64_t>(options.sampleSeconds /
                             std::max(each * static_cast<double>(runs), 1e-9)),
        1, 100);
  }

  double sample() { return graph ? sampleGraphs() : loop(runs); }
  int64_t runsPerSample() const { return graph ? runs * graphs : runs; }
  bool hasGraph() const { return graph != nullptr; }

private:
  double loop(int64_t count) {
    timer.start();
    for (int64_t i = 0; i < count; ++i)
      contender.enqueue(i % options.sets);
    return timer.stop() / static_cast<double>(count);
  }

  double sampleGraphs() {
    timer.start();
    for (int64_t i = 0; i < graphs; ++i)
      graph->launch();
    return timer.stop() / static_cast<double>(graphs * runs);
  }

  const Contender &contender;
  const TimingOptions &options;
  StreamTimer timer;
  int64_t runs = 1, graphs = 1;
  std::unique_ptr<CudaGraph> graph;
};

Spread spreadOf(std::vector<double> values) {
  if (values.empty())
    return {};
  std::sort(values.begin(), values.end());
  size_t half = values.size() / 2;
  double median =
      values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {median, values.front(), values.back()};
}

Spread TimingResult::ratio(size_t contender, size_t other) const {
  std::vector<double> ratios;
  for (size_t i = 0; i < seconds[contender].size(); ++i)
    ratios.push_back(seconds[other][i] / seconds[contender][i]);
  return spreadOf(ratios);
}

InterleavedTimer::InterleavedTimer(const Device &device,
                                   const std::vector<Contender> &contenders,
                                   const TimingOptions &options)
    : options(options) {
  for (const Contender &contender : contenders)
    samplers.push_back(
        std::make_unique<Sampler>(device, contender, this->options));
}

InterleavedTimer::~InterleavedTimer() = default;

void InterleavedTimer::round(std::vector<size_t> which, int number,
                             TimingResult &result,
                             const std::function<void(Sampler &)> &prepare) {
  // Whoever comes before changes from round to round; the same in every run.
  std::shuffle(which.begin(), which.end(), std::mt19937(number));
  for (size_t index : which) {
    prepare(*samplers[index]);
    if (options.observe)
      options.observe(true);
    result.seconds[index].push_back(samplers[index]->sample());
    if (options.observe)
      options.observe(false);
  }
}

TimingResult InterleavedTimer::emptyResult() const {
  TimingResult result;
  result.seconds.resize(samplers.size());
  for (const std::unique_ptr<Sampler> &sampler : samplers) {
    result.runsPerSample.push_back(sampler->runsPerSample());
    result.graphs = sampler->hasGraph();
  }
  return result;
}

TimingResult InterleavedTimer::sustained(const std::vector<size_t> &which,
                                         double settleSeconds) {
  using Clock = std::chrono::steady_clock;
  auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  TimingResult result = emptyResult();
  Clock::time_point start = Clock::now();
  for (size_t next = 0; !which.empty() && since(start) < options.warmUpSeconds;
       ++next)
    samplers[which[next % which.size()]]->sample();
  for (int number = 0; number < options.rounds; ++number)
    round(which, number, result, [&](Sampler &sampler) {
      Clock::time_point begin = Clock::now();
      while (since(begin) < settleSeconds)
        sampler.sample();
    });
  return result;
}

TimingResult InterleavedTimer::rested(const std::vector<size_t> &which) {
  TimingResult result = emptyResult();
  for (int number = 0; number < options.rounds; ++number)
    round(which, number, result, [&](Sampler &) {
      std::this_thread::sleep_for(
          std::chrono::duration<double>(options.idleSeconds));
    });
  return result;
}

TimingResult timeInterleaved(const Device &device,
                             const std::vector<Contender> &contenders,
                             const TimingOptions &options) {
  std::vector<size_t> all(contenders.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return InterleavedTimer(device, contenders, options).sustained(all, 0);
}

} // namespace gemm::tools
