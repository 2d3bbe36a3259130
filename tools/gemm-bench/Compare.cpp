// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compare.h"

#include "Summary.h"
#include "Table.h"

#include "support/Report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace gemm::bench {

using namespace tools;

namespace {

std::string caseKey(const Row &row) {
  return row.problem.group + "|" + row.problem.key() + (row.hot ? "|hot" : "");
}

std::vector<double> inverse(const std::vector<double> &seconds) {
  std::vector<double> result;
  for (double value : seconds)
    result.push_back(1 / value);
  return result;
}

} // namespace

bool Change::moved() const { return std::abs(std::log(factor())) > noise; }

std::vector<Change> compareRows(const std::vector<Row> &before,
                                const std::vector<Row> &after) {
  std::map<std::string, const Row *> known;
  for (const Row &row : before)
    known[caseKey(row)] = &row;
  std::vector<Change> changes;
  for (const Row &row : after) {
    auto at = known.find(caseKey(row));
    if (at == known.end())
      continue;
    const Row &old = *at->second;
    for (size_t i = 0; i < row.ours.size(); ++i) {
      auto same = std::find_if(
          old.ours.begin(), old.ours.end(),
          [&](const Timed &timed) { return timed.label == row.ours[i].label; });
      if (same == old.ours.end() || same->wrong || row.ours[i].wrong)
        continue;
      auto index = static_cast<size_t>(same - old.ours.begin());
      for (PowerState state : powerStates) {
        Change change;
        std::vector<double> a = old.ratios(index, state);
        std::vector<double> b = row.ratios(i, state);
        change.absolute = a.empty() || b.empty();
        if (change.absolute) {
          a = inverse(same->times(state));
          b = inverse(row.ours[i].times(state));
        }
        if (a.empty() || b.empty())
          continue;
        change.group = row.problem.group;
        change.name = row.problem.shape() + " " + row.problem.kind();
        change.label = row.ours[i].label;
        change.state = state;
        change.before = spreadOf(a).median;
        change.after = spreadOf(b).median;
        change.noise = std::max(
            change.absolute ? leastTimeNoise : leastRatioNoise,
            3 * std::hypot(relativeMedianError(a), relativeMedianError(b)));
        changes.push_back(change);
      }
    }
  }
  return changes;
}

std::string describe(const std::vector<Change> &changes) {
  if (changes.empty())
    return "the files have no measurement in common\n";
  std::vector<const Change *> moved;
  for (const Change &change : changes)
    if (change.moved())
      moved.push_back(&change);
  std::sort(moved.begin(), moved.end(), [](const Change *a, const Change *b) {
    return std::pair(a->factor(), a) < std::pair(b->factor(), b);
  });
  std::string text = format("%zu of %zu measurements moved beyond noise\n",
                            moved.size(), changes.size());
  if (!moved.empty()) {
    std::vector<std::vector<std::string>> cells = {
        {"moved", "<schedule", "<power", "<what", "before", "after", "change",
         "noise"}};
    for (const Change *change : moved) {
      auto value = [&](double number) {
        return change->absolute ? format("%.2f us", 1e6 / number)
                                : format("%.4f", number);
      };
      cells.push_back({change->group + ": " + change->name, change->label,
                       powerStateName(change->state),
                       change->absolute ? "time" : "ratio",
                       value(change->before), value(change->after),
                       format("%+.1f %%", 100 * (change->factor() - 1)),
                       format("%.1f %%", 100 * change->noise)});
    }
    text += alignedTable(cells);
  }
  // By group, variant and power state: ratios only.
  std::vector<std::vector<std::string>> means = {{"geometric mean of ratios",
                                                  "<schedule", "<power", "rows",
                                                  "before", "after", "change"}};
  std::vector<std::string> seen;
  for (const Change &first : changes) {
    std::string key =
        first.group + "|" + first.label + "|" + powerStateName(first.state);
    if (first.absolute ||
        std::find(seen.begin(), seen.end(), key) != seen.end())
      continue;
    seen.push_back(key);
    std::vector<double> before, after;
    for (const Change &change : changes) {
      if (change.absolute || change.group != first.group ||
          change.label != first.label || change.state != first.state)
        continue;
      before.push_back(change.before);
      after.push_back(change.after);
    }
    double a = geometricMean(before), b = geometricMean(after);
    means.push_back({first.group, first.label, powerStateName(first.state),
                     std::to_string(before.size()), format("%.4f", a),
                     format("%.4f", b), format("%+.2f %%", 100 * (b / a - 1))});
  }
  if (means.size() > 1)
    text += "\n" + alignedTable(means);
  return text;
}

} // namespace gemm::bench
