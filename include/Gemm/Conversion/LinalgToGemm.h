//===- LinalgToGemm.h - From linalg ops to problems -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of convert-linalg-to-gemm and gemm-fuse-epilogue, for callers with
// their own passes.
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_CONVERSION_LINALGTOGEMM_H
#define GEMM_CONVERSION_LINALGTOGEMM_H

#include "Gemm/IR/Gemm.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace gemm {

/// Replaces `op` by a gemm.matmul if it is a matrix product; otherwise changes
/// nothing and fails, without a diagnostic.
mlir::FailureOr<MatmulOp> convertToMatmul(mlir::RewriterBase &rewriter,
                                          mlir::linalg::LinalgOp op);

/// Moves the elementwise linalg op that is the only user of `matmul`'s result
/// into its epilogue. Returns the new gemm.matmul; changes nothing and fails,
/// without a diagnostic, if there is no such op.
mlir::FailureOr<MatmulOp> fuseEpilogue(mlir::RewriterBase &rewriter,
                                       MatmulOp matmul);

} // namespace gemm

#endif // GEMM_CONVERSION_LINALGTOGEMM_H
