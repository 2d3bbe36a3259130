//===- EmitPtx.h - PTX text of a module of kernels --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_PIPELINES_EMITPTX_H
#define GEMM_LIB_PIPELINES_EMITPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace gemm {

/// PTX of a `gpu.module` in phase NVVM, for its NVVM target. Fails with a
/// diagnostic on the module.
mlir::FailureOr<std::string> emitPtx(mlir::gpu::GPUModuleOp module);

} // namespace gemm

#endif // GEMM_LIB_PIPELINES_EMITPTX_H
