// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of the tool from its problems to its tables.
#ifndef GEMM_BENCH_SESSION_H
#define GEMM_BENCH_SESSION_H

#include "BenchOptions.h"
#include "Record.h"

#include <string>
#include <vector>

namespace gemm::bench {

// Exit statuses.
constexpr int allMeasured = 0, someFailed = 1, stoppedEarly = 3;

// Whether `row`, from a file, makes measuring again what `wanted` says
// superfluous. `wanted` is a row without results.
bool covers(const Row &row, const Row &wanted, const Protocol &protocol);

// Whether another row fits before `limit` seconds, judged by the longest one so
// far.
bool fits(double elapsed, double longestRow, double limit);

// The arguments with which another process goes on: those of `arguments`
// without --seconds, --resume and --json, plus what is left.
std::vector<std::string> continuation(const std::vector<std::string> &arguments,
                                      const std::string &file,
                                      std::optional<double> secondsLeft);

// Measures. `arguments` are the command line, the program's path first.
int runSession(const BenchOptions &options,
               const std::vector<std::string> &arguments);

// --read and --compare.
int printRecorded(const BenchOptions &options);

} // namespace gemm::bench

#endif // GEMM_BENCH_SESSION_H
