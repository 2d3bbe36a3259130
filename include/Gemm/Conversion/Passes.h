//===- Passes.h - Conversions to and from the gemm dialect ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_CONVERSION_PASSES_H
#define GEMM_CONVERSION_PASSES_H

#include "Gemm/IR/Gemm.h"

#include "mlir/Pass/Pass.h"

namespace gemm {

#define GEN_PASS_DECL
#include "Gemm/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Gemm/Conversion/Passes.h.inc"

} // namespace gemm

#endif // GEMM_CONVERSION_PASSES_H
