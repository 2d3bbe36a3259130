//===- Contraction.h - Which linalg ops are a matrix product ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_CONVERSION_LINALGTOGEMM_CONTRACTION_H
#define GEMM_LIB_CONVERSION_LINALGTOGEMM_CONTRACTION_H

#include "MovedOperand.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace gemm {

/// A linalg op in the terms of gemm.matmul; index lists are over (batch..., m,
/// n, k).
struct Contraction {
  IndexedValue a, b;
  mlir::AffineMap d;
  /// Also the type of D's elements.
  mlir::Type accumulator;
};

/// What `op` multiplies, if it is a product that gemm.matmul can say and
/// kernels compute. Otherwise `why` says what is in the way, or nothing of an
/// op that is far from a product.
std::optional<Contraction> matchContraction(mlir::linalg::LinalgOp op,
                                            std::string &why);

} // namespace gemm

#endif // GEMM_LIB_CONVERSION_LINALGTOGEMM_CONTRACTION_H
