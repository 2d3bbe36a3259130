// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Summary.h"

#include "support/Report.h"

#include <algorithm>
#include <cmath>

namespace gemm::bench {

using namespace tools;

double geometricMean(const std::vector<double> &values) {
  if (values.empty())
    return 0;
  double sum = 0;
  for (double value : values)
    sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

double relativeMedianError(const std::vector<double> &values) {
  if (values.size() < 2)
    return 0;
  double median = spreadOf(values).median;
  std::vector<double> deviations;
  for (double value : values)
    deviations.push_back(std::abs(value - median));
  double sigma = 1.4826 * spreadOf(deviations).median;
  return 1.2533 * sigma / std::sqrt(static_cast<double>(values.size())) /
         median;
}

std::vector<GroupSummary> summarize(const std::vector<Row> &rows) {
  std::vector<GroupSummary> summaries;
  for (const Row &row : rows) {
    for (size_t i = 0; i < row.ours.size(); ++i) {
      for (PowerState state : powerStates) {
        auto same = [&](const GroupSummary &summary) {
          return summary.group == row.problem.group &&
                 summary.label == row.ours[i].label && summary.state == state;
        };
        auto at = std::find_if(summaries.begin(), summaries.end(), same);
        if (at == summaries.end()) {
          GroupSummary fresh;
          fresh.group = row.problem.group;
          fresh.label = row.ours[i].label;
          fresh.state = state;
          at = summaries.insert(summaries.end(), fresh);
        }
        std::vector<double> ratios = row.ratios(i, state);
        if (ratios.empty())
          ++at->without;
        else
          at->worst.emplace_back(spreadOf(ratios).median,
                                 row.problem.shape() + " " +
                                     row.problem.kind());
      }
    }
  }
  std::erase_if(summaries, [](const GroupSummary &summary) {
    return summary.worst.empty();
  });
  for (GroupSummary &summary : summaries) {
    std::vector<double> ratios;
    for (const auto &[ratio, name] : summary.worst)
      ratios.push_back(ratio);
    summary.rows = ratios.size();
    summary.mean = geometricMean(ratios);
    summary.below = static_cast<size_t>(std::count_if(
        ratios.begin(), ratios.end(), [](double ratio) { return ratio < 1; }));
    std::sort(summary.worst.begin(), summary.worst.end());
    summary.worst.resize(std::min<size_t>(summary.worst.size(), 5));
  }
  return summaries;
}

std::string describe(const std::vector<GroupSummary> &summaries) {
  std::string text;
  for (const GroupSummary &summary : summaries) {
    text += format("%s, %s, %s: geometric mean of ratios %.4f over %zu rows, "
                   "%zu below 1",
                   summary.group.c_str(), summary.label.c_str(),
                   powerStateName(summary.state), summary.mean, summary.rows,
                   summary.below);
    if (summary.without > 0)
      text += format(", %zu rows without a ratio", summary.without);
    text += "\n";
    for (const auto &[ratio, name] : summary.worst)
      text += format("    %.4f  %s\n", ratio, name.c_str());
  }
  return text;
}

} // namespace gemm::bench
