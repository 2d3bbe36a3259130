// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of gemm-run.
#ifndef GEMM_RUN_OPTIONS_H
#define GEMM_RUN_OPTIONS_H

#include "EmulatorFlags.h"

#include "support/Check.h"
#include "support/Generate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gemm::tools {

// A leading dimension: of its own or so many elements more than a line.
struct Pitch {
  std::optional<int64_t> elements;
  int64_t padding = 0;

  int64_t resolve(int64_t lineLength) const {
    return elements ? *elements : lineLength + padding;
  }
};

// What is computed, on which data. A line of a sweep has the same flags.
struct ProblemOptions {
  // Absent: what the file fixes, otherwise defaultExtent (batch: 1).
  std::optional<int64_t> m, n, k, batch;
  // Of A, B, the accumulator and D.
  ElementType types[4] = {ElementType::F16, ElementType::F16, ElementType::F32,
                          ElementType::F16};
  std::string layout = "tn";
  bool dColumnMajor = false;
  Pitch lda, ldb, ldd;
  // By how many elements the pointers of A, B and D miss their alignment.
  int64_t offsets[3] = {0, 0, 0};
  std::optional<double> alpha, beta;
  std::string bias = "none";
  std::string activation = "none";
  DataKind data = DataKind::Normal;
  uint64_t seed = 1;
  // D = C.
  bool inPlace = false;

  // Whether a flag was given that contradicts reading the problem from a file.
  bool describesSignature = false;

  static constexpr int64_t defaultExtent = 1024;
};

struct Options {
  std::string file;
  // Empty: a GPU if there is one, otherwise the emulator.
  std::string device;
  EmulatorOptions emulator;
  // Empty: the device's.
  std::string target;
  std::string schedule;
  ProblemOptions problem;
  CheckMode check = CheckMode::Auto;
  int repeat = 1;
  std::string emit;
  bool explain = false;
  bool json = false;
  bool versusCublasLt = false;
  std::string cublasLtPath;
  bool hot = false;
  std::string sweep;
};

// Parses argv. Returns false, with the exit status in `status`, if there is
// nothing to run (help was asked for, or a message was printed).
bool parseOptions(int argc, char **argv, Options &options, int &status);

// Parses one line of a sweep. Throws ToolError.
ProblemOptions parseProblemLine(const std::string &line);

// The flags that describe `options`, for messages and for running it alone.
std::string problemFlags(const ProblemOptions &options);

} // namespace gemm::tools

#endif // GEMM_RUN_OPTIONS_H
