// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured, as it is written to and read from a JSON-lines file. One
// line "run" for each start of the tool, one line "row" for each problem.
#ifndef GEMM_BENCH_RECORD_H
#define GEMM_BENCH_RECORD_H

#include "Case.h"
#include "Clocks.h"

#include <string>
#include <vector>

namespace gemm::bench {

// Sustained: warmed up, without pauses. Rested: idle before every burst.
enum class PowerState : uint8_t { Sustained, Rested };
constexpr PowerState powerStates[] = {PowerState::Sustained,
                                      PowerState::Rested};
const char *powerStateName(PowerState state);

// One kernel's times on one problem.
struct Timed {
  // Ours: the schedule. Theirs: the number of the candidate.
  std::string label;
  // Why it was not timed; "" if it was.
  std::string problem;
  // The check found it wrong.
  bool wrong = false;
  double relativeError = 0;
  double errorOverBound = 0; // Ours only.
  // Ours only: what the artifact says about the entry that runs.
  std::string entry, schedule;
  // Theirs only: seconds per run in the rounds of all candidates, from which
  // the finalists were chosen.
  std::vector<double> screening;
  // Seconds per run, one per round; by power state. Empty: not measured.
  std::vector<double> seconds[2];

  const std::vector<double> &times(PowerState state) const {
    return seconds[static_cast<size_t>(state)];
  }
  std::vector<double> &times(PowerState state) {
    return seconds[static_cast<size_t>(state)];
  }
};

// What the device could do at best for the types of a row, as measured. 0:
// unknown.
struct Limits {
  double operationsPerSecond[2] = {0, 0}; // By power state.
  double bytesPerSecond = 0;
  std::string instruction;
};

struct Row {
  Case problem;
  // Why nothing at all could be timed; "" otherwise.
  std::string failure;
  std::vector<Timed> ours, theirs;
  // E.g. "cuBLASLt 13.1.0"; and why there is nothing of theirs.
  std::string library, libraryProblem;
  double operations = 0, bytes = 0;
  Limits limits;
  ClockSummary clocks[2]; // By power state.
  bool hot = false;
  int64_t sets = 0;
  double footprint = 0;
  double wallSeconds = 0;
  // Where, when and with what.
  std::string run, device, driver, commit, date;

  // Index of the fastest right one of theirs; -1: none was timed.
  int best(PowerState state) const;
  // Of best() / ours[index], round by round: above 1 we are faster. Empty if
  // one of them was not timed.
  std::vector<double> ratios(size_t index, PowerState state) const;
  // Shortest time that the limits allow; 0 if they are unknown.
  double rooflineSeconds(PowerState state) const;
  // A time of ours or all of theirs are missing: decides the exit status.
  bool failed() const;
};

// Of one start of the tool.
struct RunInfo {
  std::string id, device, architecture, driver, commit, date, library;
  int multiprocessors = 0;
  double powerLimit = 0, highestSmClock = 0;
  // In the words of the table's head, for people.
  std::vector<std::string> notes;
};

std::string rowToJson(const Row &row);
std::string runToJson(const RunInfo &run);
// Throws ToolError that names the field.
Row rowFromJson(const std::string &line);

// All rows of a file; of several for the same problem and variants, the last.
// Throws ToolError that names file and line. A last line without its end (the
// tool was killed) is skipped.
std::vector<Row> readRows(const std::string &file);

// What makes two rows the same measurement, but for chance: group, problem,
// variants and the kind of buffers. With `where`: also device, driver and
// commit.
std::string rowKey(const Row &row, bool where);

} // namespace gemm::bench

#endif // GEMM_BENCH_RECORD_H
