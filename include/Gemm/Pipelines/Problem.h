//===- Problem.h - A GEMM described by a few words --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_PIPELINES_PROBLEM_H
#define GEMM_PIPELINES_PROBLEM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace gemm {

/// D = activation(alpha · A·B + beta · C + bias), in the terms of BLAS.
/// Extents, leading dimensions, batch strides and scalars are run-time values.
struct ProblemSpec {
  /// Element types as MLIR writes them: f16, bf16, f32, f64, f8E4M3FN, f8E5M2,
  /// i8, ...
  std::string aType = "f16", bType = "f16", accumulatorType = "f32",
              dType = "f16";
  /// How A and B lie in memory, row-major: tn: A [M, K], B [N, K]; nn: A [M,
  /// K], B [K, N]; nt: A [K, M], B [K, N]; tt: A [K, M], B [N, K].
  std::string layout = "tn";
  /// D and C as [N, M] instead of [M, N].
  bool dColumnMajor = false;
  /// One more dimension, the first, of A, B, C and D.
  bool batched = false;
  /// Whether there are scalars alpha and beta, of the accumulator's type. C, of
  /// D's type and order, exists if beta does.
  bool alpha = false, beta = false;
  /// A vector of the accumulator's type added to every row of D (row: it has N
  /// elements) or to every column (col: M elements); or none.
  std::string bias = "none";
  /// none, or relu: max(x, 0), with which NaN stays NaN.
  std::string activation = "none";
  /// Name of the function, and of the kernels that are made from it.
  std::string name = "matmul";
};

/// A module with one function of memrefs that is `spec` in one gemm.matmul. Its
/// arguments are A, B, C, bias, D, alpha, beta, those that exist; epilogue
/// operands are C, bias, alpha, beta. Null, and an error to the context's
/// diagnostics, if `spec` is not a GEMM.
mlir::OwningOpRef<mlir::ModuleOp> buildProblem(mlir::MLIRContext *context,
                                               const ProblemSpec &spec);

} // namespace gemm

#endif // GEMM_PIPELINES_PROBLEM_H
