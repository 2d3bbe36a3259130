// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Honest timing: captured graphs of many launches over rotating buffers, warmed
// up, contenders interleaved in rounds, medians with their spread.
#ifndef GEMM_TOOLS_SUPPORT_TIMING_H
#define GEMM_TOOLS_SUPPORT_TIMING_H

#include "Device.h"

#include <functional>
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

// Runs every contender in every round, in alternating order.
TimingResult timeInterleaved(const Device &device,
                             const std::vector<Contender> &contenders,
                             const TimingOptions &options);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_TIMING_H
