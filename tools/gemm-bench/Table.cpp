// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Table.h"

#include "support/Report.h"

#include <algorithm>

namespace gemm::bench {

using namespace tools;

namespace {

using Cells = std::vector<std::string>;

std::string microseconds(double seconds) {
  double value = seconds * 1e6;
  return format(value < 100 ? "%.2f" : value < 10000 ? "%.1f" : "%.0f", value);
}

std::string tera(double operations, double seconds) {
  return format("%.1f", operations / seconds / 1e12);
}

std::string ratioCell(const std::vector<double> &ratios) {
  if (ratios.empty())
    return "-";
  Spread spread = spreadOf(ratios);
  return format("%.3f [%.3f %.3f]", spread.median, spread.lowest,
                spread.highest);
}

// "problem" cells end the line, so that they may be long.
std::string remark(const Row &row, const Timed *timed) {
  std::string text;
  if (!row.failure.empty())
    return row.failure;
  if (timed && !timed->problem.empty())
    text = timed->problem;
  if (!row.libraryProblem.empty())
    text += (text.empty() ? "" : "; ") + row.libraryProblem;
  size_t wrong = static_cast<size_t>(
      std::count_if(row.theirs.begin(), row.theirs.end(),
                    [](const Timed &item) { return item.wrong; }));
  if (wrong > 0)
    text += format("%s%zu of cuBLASLt's candidates are wrong",
                   text.empty() ? "" : "; ", wrong);
  return text;
}

double medianOf(const std::vector<double> &seconds) {
  return spreadOf(seconds).median;
}

// Our and their cells for one power state: us, TFLOP/s, fraction of the
// roofline, cuBLASLt's best us, ratio.
void addState(Cells &cells, const Row &row, int index, PowerState state) {
  const Timed *timed =
      index >= 0 ? &row.ours[static_cast<size_t>(index)] : nullptr;
  double roofline = row.rooflineSeconds(state);
  int best = row.best(state);
  double theirs =
      best >= 0 ? medianOf(row.theirs[static_cast<size_t>(best)].times(state))
                : 0;
  if (timed && !timed->times(state).empty()) {
    double ours = medianOf(timed->times(state));
    cells.push_back(microseconds(ours));
    cells.push_back(tera(row.operations, ours));
    cells.push_back(roofline > 0 ? format("%.3f", roofline / ours) : "-");
  } else {
    cells.insert(cells.end(), {"-", "-", "-"});
  }
  cells.push_back(theirs > 0 ? microseconds(theirs) : "-");
  cells.push_back(theirs > 0 && roofline > 0 ? format("%.3f", roofline / theirs)
                                             : "-");
  cells.push_back(
      timed ? ratioCell(row.ratios(static_cast<size_t>(index), state)) : "-");
}

bool measured(const std::vector<Row> &rows, PowerState state) {
  auto any = [&](const std::vector<Timed> &list) {
    return std::any_of(list.begin(), list.end(), [&](const Timed &timed) {
      return !timed.times(state).empty();
    });
  };
  return std::any_of(rows.begin(), rows.end(), [&](const Row &row) {
    return any(row.ours) || any(row.theirs);
  });
}

std::string csvCell(const std::string &text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

} // namespace

std::string alignedTable(const std::vector<Cells> &cells) {
  std::vector<size_t> widths;
  for (const Cells &line : cells) {
    widths.resize(std::max(widths.size(), line.size()));
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const Cells &line : cells) {
    std::string out;
    for (size_t i = 0; i < line.size(); ++i) {
      bool left = i == 0 || cells[0][i].starts_with("<");
      std::string cell = line[i].starts_with("<") && &line == &cells[0]
                             ? line[i].substr(1)
                             : line[i];
      std::string padding(widths[i] - cell.size(), ' ');
      out += (i ? "  " : "") + (left ? cell + padding : padding + cell);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  return text;
}

std::string rowTable(const std::vector<Row> &rows) {
  std::string text;
  Cells groups;
  for (const Row &row : rows)
    if (std::find(groups.begin(), groups.end(), row.problem.group) ==
        groups.end())
      groups.push_back(row.problem.group);
  bool hasState[] = {measured(rows, PowerState::Sustained),
                     measured(rows, PowerState::Rested)};
  for (const std::string &group : groups) {
    Cells head = {group + ": m x n x k", "<types", "<schedule"};
    for (PowerState state : powerStates)
      if (hasState[static_cast<size_t>(state)])
        head.insert(
            head.end(),
            {state == PowerState::Sustained ? "sustained us" : "rested us",
             "TFLOP/s", "roof", "cuBLASLt us", "roof", "ratio [range]"});
    head.insert(head.end(), {"MHz", "W", "C", "error", "<remarks"});
    std::vector<Cells> cells = {head};
    for (const Row &row : rows) {
      if (row.problem.group != group)
        continue;
      int count = static_cast<int>(row.ours.size());
      for (int i = count > 0 ? 0 : -1; i < count; ++i) {
        const Timed *timed =
            i >= 0 ? &row.ours[static_cast<size_t>(i)] : nullptr;
        Cells line = {row.problem.shape(), row.problem.kind(),
                      timed ? timed->label : "none"};
        for (PowerState state : powerStates)
          if (hasState[static_cast<size_t>(state)])
            addState(line, row, i, state);
        const ClockSummary &clocks =
            row.clocks[0].readings > 0 ? row.clocks[0] : row.clocks[1];
        if (clocks.readings > 0)
          line.insert(line.end(), {format("%.0f", clocks.smMegahertz.median),
                                   format("%.0f", clocks.watts.median),
                                   format("%.0f", clocks.celsius)});
        else
          line.insert(line.end(), {"-", "-", "-"});
        line.push_back(timed && timed->relativeError > 0
                           ? format("%.1e", timed->relativeError)
                           : "-");
        line.push_back(remark(row, timed));
        cells.push_back(line);
      }
    }
    text += (text.empty() ? "" : "\n") + alignedTable(cells);
  }
  return text;
}

std::string ladderTable(const Row &row) {
  std::string text;
  for (PowerState state : powerStates) {
    if (!measured({row}, state))
      continue;
    double roofline = row.rooflineSeconds(state);
    std::vector<Cells> cells = {{"ladder, " + row.problem.shape() + " " +
                                     row.problem.kind() + ", " +
                                     powerStateName(state),
                                 "us", "TFLOP/s", "roof", "over the one before",
                                 "cuBLASLt / ours", "<remarks"}};
    double before = 0;
    for (size_t i = 0; i < row.ours.size(); ++i) {
      const Timed &timed = row.ours[i];
      if (timed.times(state).empty()) {
        cells.push_back({timed.label, "-", "-", "-", "-", "-", timed.problem});
        continue;
      }
      double seconds = medianOf(timed.times(state));
      cells.push_back({timed.label, microseconds(seconds),
                       tera(row.operations, seconds),
                       roofline > 0 ? format("%.3f", roofline / seconds) : "-",
                       before > 0 ? format("%.2fx", before / seconds) : "-",
                       ratioCell(row.ratios(i, state)), timed.problem});
      before = seconds;
    }
    text += (text.empty() ? "" : "\n") + alignedTable(cells);
  }
  return text;
}

std::string rowsToCsv(const std::vector<Row> &rows) {
  std::string text =
      "group,m,n,k,batch,types,layout,pitch,schedule,state,seconds,"
      "seconds_lowest,seconds_highest,operations_per_second,roofline_fraction,"
      "cublaslt_seconds,cublaslt_candidate,cublaslt_candidates,ratio,"
      "ratio_lowest,ratio_highest,relative_error,sm_mhz,watts,celsius,"
      "clock_reasons,footprint,device,driver,commit,date,problem\n";
  for (const Row &row : rows) {
    int count = static_cast<int>(row.ours.size());
    for (int i = count > 0 ? 0 : -1; i < count; ++i) {
      const Timed *timed = i >= 0 ? &row.ours[static_cast<size_t>(i)] : nullptr;
      for (PowerState state : powerStates) {
        if (state == PowerState::Rested && !measured({row}, state))
          continue;
        const Case &problem = row.problem;
        Cells line = {problem.group,
                      std::to_string(problem.m),
                      std::to_string(problem.n),
                      std::to_string(problem.k),
                      std::to_string(problem.batch),
                      problem.typeList(),
                      problem.layout,
                      std::to_string(problem.pitch),
                      timed ? timed->label : "",
                      powerStateName(state)};
        auto number = [](double value) { return format("%.6g", value); };
        double roofline = row.rooflineSeconds(state);
        if (timed && !timed->times(state).empty()) {
          Spread spread = spreadOf(timed->times(state));
          line.insert(line.end(),
                      {number(spread.median), number(spread.lowest),
                       number(spread.highest),
                       number(row.operations / spread.median),
                       roofline > 0 ? number(roofline / spread.median) : ""});
        } else {
          line.insert(line.end(), {"", "", "", "", ""});
        }
        int best = row.best(state);
        if (best >= 0) {
          const Timed &their = row.theirs[static_cast<size_t>(best)];
          line.insert(line.end(),
                      {number(medianOf(their.times(state))), their.label,
                       std::to_string(row.theirs.size())});
        } else {
          line.insert(line.end(), {"", "", std::to_string(row.theirs.size())});
        }
        std::vector<double> ratios;
        if (timed)
          ratios = row.ratios(static_cast<size_t>(i), state);
        if (ratios.empty()) {
          line.insert(line.end(), {"", "", ""});
        } else {
          Spread spread = spreadOf(ratios);
          line.insert(line.end(), {number(spread.median), number(spread.lowest),
                                   number(spread.highest)});
        }
        line.push_back(timed ? number(timed->relativeError) : "");
        const ClockSummary &clocks = row.clocks[static_cast<size_t>(state)];
        std::string reasons;
        for (const std::string &reason : clocks.reasons)
          reasons += (reasons.empty() ? "" : "; ") + reason;
        if (clocks.readings > 0)
          line.insert(line.end(), {number(clocks.smMegahertz.median),
                                   number(clocks.watts.median),
                                   number(clocks.celsius), reasons});
        else
          line.insert(line.end(), {"", "", "", ""});
        line.insert(line.end(), {number(row.footprint), row.device, row.driver,
                                 row.commit, row.date, remark(row, timed)});
        std::string joined;
        for (size_t column = 0; column < line.size(); ++column)
          joined += (column ? "," : "") + csvCell(line[column]);
        text += joined + "\n";
      }
    }
  }
  return text;
}

} // namespace gemm::bench
