// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only door from gemm-run to the compiler.
#ifndef GEMM_RUN_COMPILE_H
#define GEMM_RUN_COMPILE_H

#include <string>
#include <utility>
#include <vector>

namespace gemm::tools {

struct CompileRequest {
  // An .mlir file; empty: the module `moduleText`.
  std::string file;
  std::string moduleText;
  // Empty: the most capable target that runs on `architecture`, or without one
  // the compiler's default.
  std::string target;
  // Of the device that is to run it, as a PTX target name.
  std::string architecture;
  std::string schedule;
};

struct Compilation {
  // Empty if it failed; then `diagnostics` says why.
  std::string text;
  std::string diagnostics;
  // Seconds, by what they went into.
  std::vector<std::pair<std::string, double>> seconds;
};

// Compiles in process to an artifact or, if `phase` is not empty, up to that
// phase, as the text of a module.
Compilation compile(const CompileRequest &request,
                    const std::string &phase = "");

} // namespace gemm::tools

#endif // GEMM_RUN_COMPILE_H
