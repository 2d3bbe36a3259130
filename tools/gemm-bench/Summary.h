// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics over rows.
#ifndef GEMM_BENCH_SUMMARY_H
#define GEMM_BENCH_SUMMARY_H

#include "Record.h"

#include <string>
#include <utility>
#include <vector>

namespace gemm::bench {

// exp(mean(log)); 0 of nothing.
double geometricMean(const std::vector<double> &values);

// Standard error of the median of `values`, relative to it: 1.2533 sigma /
// sqrt(n), the normal distribution's, with sigma = 1.4826 times the median
// absolute deviation. 0 of fewer than two values.
double relativeMedianError(const std::vector<double> &values);

// One variant on all rows of a group in which it has a ratio.
struct GroupSummary {
  std::string group, label;
  PowerState state = PowerState::Sustained;
  size_t rows = 0;
  // Rows of the group in which the variant has no ratio.
  size_t without = 0;
  double mean = 0;  // Geometric, of median ratios.
  size_t below = 0; // Rows with a ratio below 1.
  // (ratio, shape and kind), smallest first, five at most.
  std::vector<std::pair<double, std::string>> worst;
};

// In the order in which groups and variants first appear.
std::vector<GroupSummary> summarize(const std::vector<Row> &rows);

std::string describe(const std::vector<GroupSummary> &summaries);

} // namespace gemm::bench

#endif // GEMM_BENCH_SUMMARY_H
