// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of gemm-bench.
#ifndef GEMM_BENCH_BENCHOPTIONS_H
#define GEMM_BENCH_BENCHOPTIONS_H

#include "Case.h"
#include "MeasureRow.h"
#include "Suites.h"

#include <optional>
#include <string>
#include <vector>

namespace gemm::bench {

struct BenchOptions {
  std::vector<std::string> suites;
  std::string shapesFile;
  std::optional<int64_t> m, n, k, batch;
  CaseDefaults defaults;
  // Empty: what the mode implies.
  std::vector<std::string> schedules;
  bool onlyTheirs = false;
  std::string artifacts, target;
  std::string device = "cuda";
  bool ladder = false;
  Protocol protocol;
  std::optional<double> seconds;
  std::string resume, json, csv, plot;
  // Print a recorded file instead of measuring.
  std::string read;
  // --compare A B.
  std::vector<std::string> compare;
};

// Parses argv. Returns false, with the exit status in `status`, if there is
// nothing to run (help was asked for, or a message was printed).
bool parseBenchOptions(int argc, char **argv, BenchOptions &options,
                       int &status);

// "a,#gemm.schedule<x = 1, y>,b" at the commas outside of brackets.
std::vector<std::string> splitSchedules(const std::string &text);

// Every schedule that the compiler knows by name, the simplest first.
std::vector<std::string> namedSchedules();

// The problems that the options ask for. Throws ToolError.
std::vector<Case> casesOf(const BenchOptions &options,
                          const std::string &executable);

} // namespace gemm::bench

#endif // GEMM_BENCH_BENCHOPTIONS_H
