// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_TOOLS_SUPPORT_EPILOGUEFORM_H
#define GEMM_TOOLS_SUPPORT_EPILOGUEFORM_H

#include "Signature.h"

namespace gemm::tools {

// An epilogue in BLAS terms, D = relu(alpha * A * B + beta * C + bias), by what
// its program does, whatever its operands are called. -1: there is none.
struct EpilogueForm {
  int alpha = -1, beta = -1; // Scalar indices.
  int c = -1, bias = -1;     // Operand indices: the first matrix, vector.
  bool relu = false;
  // Epilogue operands that are neither c nor bias.
  int others = 0;
};

EpilogueForm recognizeEpilogue(const Signature &signature);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_EPILOGUEFORM_H
