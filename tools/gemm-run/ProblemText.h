// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_RUN_PROBLEMTEXT_H
#define GEMM_RUN_PROBLEMTEXT_H

#include "Options.h"

#include <string>

namespace gemm::tools {

// A module with the one gemm.matmul that the flags describe, as text, with
// extents, strides and scalars that are known at run time only. Operands are A,
// B, C if beta is not zero, the bias, alpha, beta and D. Throws ToolError if
// the flags contradict each other.
std::string problemText(const ProblemOptions &problem);

} // namespace gemm::tools

#endif // GEMM_RUN_PROBLEMTEXT_H
