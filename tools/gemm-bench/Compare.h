// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moved between two recorded runs.
#ifndef GEMM_BENCH_COMPARE_H
#define GEMM_BENCH_COMPARE_H

#include "Record.h"

#include <string>
#include <vector>

namespace gemm::bench {

struct Change {
  std::string group, name, label;
  PowerState state = PowerState::Sustained;
  // Our speed against cuBLASLt's; or, if `absolute`, one second / our time,
  // because one of the runs has no ratio.
  double before = 0, after = 0;
  bool absolute = false;
  // Below this |log(after / before)| a difference means nothing.
  double noise = 0;

  double factor() const { return after / before; }
  bool moved() const;
};

// Noise: three standard errors of the difference of both medians, but at least
// this much. Ratios of interleaved rounds repeat within 1 %; times of different
// runs differ by the power state, up to 5 %.
constexpr double leastRatioNoise = 0.01, leastTimeNoise = 0.05;

// Variants that both runs have timed.
std::vector<Change> compareRows(const std::vector<Row> &before,
                                const std::vector<Row> &after);

// What moved, then the geometric means of both runs by group and variant over
// the rows that they share.
std::string describe(const std::vector<Change> &changes);

} // namespace gemm::bench

#endif // GEMM_BENCH_COMPARE_H
