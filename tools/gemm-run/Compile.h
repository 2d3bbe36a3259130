// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only door from gemm-run to the compiler.
#ifndef GEMM_RUN_COMPILE_H
#define GEMM_RUN_COMPILE_H

#include "Options.h"

#include <string>

namespace gemm::tools {

struct CompileRequest {
  // An .mlir file; empty: the problem that `problem` describes.
  std::string file;
  ProblemOptions problem;
  // Empty: the compiler's default.
  std::string target;
  std::string schedule;
};

struct Compilation {
  std::string artifact;
  double seconds = 0;
};

// Compiles in process. Throws ToolError with the compiler's diagnostics.
Compilation compile(const CompileRequest &request);

// The module after a phase, as text.
std::string printCompilation(const CompileRequest &request,
                             const std::string &phase);

} // namespace gemm::tools

#endif // GEMM_RUN_COMPILE_H
