// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Honest timing: captured graphs of many launches over rotating buffers, warmed
// up, contenders interleaved in rounds, medians with their spread.
#ifndef GEMM_TOOLS_SUPPORT_TIMING_H
#define GEMM_TOOLS_SUPPORT_TIMING_H

#include "Device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gemm::tools {

// Enqueues one run on the device's stream; `set` selects the buffers.
using EnqueueRun = std::function<void(int64_t set)>;

struct Contender {
  std::string name;
  EnqueueRun enqueue;
};

struct TimingOptions {
  // Buffer sets that the runs rotate through.
  int64_t sets = 1;
  double warmUpSeconds = 0.4;
  int rounds = 9;
  // Aimed length of one sample.
  double sampleSeconds = 0.01;
  // Length of the pause before every sample of a rested measurement.
  double idleSeconds = 0.2;
  // Called with true before and false after every sample.
  std::function<void(bool running)> observe;
};

struct Spread {
  double median = 0, lowest = 0, highest = 0;
};

Spread spreadOf(std::vector<double> values);

struct TimingResult {
  // Seconds per run, one entry per round; by contender.
  std::vector<std::vector<double>> seconds;
  // Runs in a sample, by contender.
  std::vector<int64_t> runsPerSample;
  bool graphs = false;

  Spread time(size_t contender) const { return spreadOf(seconds[contender]); }
  // Of time(other) / time(contender), round by round: above 1, `contender` is
  // faster.
  Spread ratio(size_t contender, size_t other) const;
};

// Contenders made ready to be timed: their graphs are captured and have run.
// `contenders` must outlive it.
class InterleavedTimer {
public:
  InterleavedTimer(const Device &device,
                   const std::vector<Contender> &contenders,
                   const TimingOptions &options);
  ~InterleavedTimer();

  // Warms up the given contenders together, so that none starts on a cooler
  // chip, then runs each in every round, without a pause. Before its sample a
  // contender runs untimed for `settleSeconds`: under a power limit the clock
  // is then its own, and not what its predecessor left.
  TimingResult sustained(const std::vector<size_t> &which,
                         double settleSeconds);
  // The same rounds without a warm-up, the device idle before every sample.
  TimingResult rested(const std::vector<size_t> &which);
  // In both the order changes from round to round, and contenders that are not
  // given have no times.

private:
  class Sampler;
  // One sample of each of `which`, `prepare` called before it.
  void round(std::vector<size_t> which, int number, TimingResult &result,
             const std::function<void(Sampler &)> &prepare);
  TimingResult emptyResult() const;

  TimingOptions options;
  std::vector<std::unique_ptr<Sampler>> samplers;
};

// InterleavedTimer::sustained of all, not settled.
TimingResult timeInterleaved(const Device &device,
                             const std::vector<Contender> &contenders,
                             const TimingOptions &options);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_TIMING_H
