//===- MatmulRules.h - What gemm.matmul accepts -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of the verifier that whoever makes a gemm.matmul asks beforehand.
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_IR_MATMULRULES_H
#define GEMM_IR_MATMULRULES_H

#include "Gemm/IR/Gemm.h"

#include <optional>
#include <string>

namespace gemm {

/// A is (m, k), B (n, k), D (m, n).
enum class MatrixRole { A, B, D };

/// Dimension `dim` of an iteration space (batch..., m, n, k) as it is printed.
std::string describeDim(unsigned dim, unsigned numBatch);

/// Why a value of `type`, a tensor or memref of the rank of `map`, cannot be
/// the matrix `role` with the index list `map`; nothing if it can.
std::optional<std::string> getMatrixError(MatrixRole role, mlir::Type type,
                                          mlir::AffineMap map);

/// Which coordinate of a matrix of `type`, a tensor or memref of the rank of
/// `map`, is contiguous when dimensions `row` and `col` of the iteration space
/// are its first and second; nothing if it has no such coordinates or the type
/// does not say. A tensor becomes a buffer whose last dimension is contiguous.
std::optional<Order> getMatrixOrder(mlir::Type type, mlir::AffineMap map,
                                    unsigned row, unsigned col);

/// Why an epilogue operand cannot have the index list `map`; nothing if it can.
std::optional<std::string> getEpilogueOperandError(mlir::AffineMap map);

/// Why products of elements `a` and `b` cannot be summed in `accumulator`;
/// nothing if they can.
std::optional<std::string> getAccumulatorError(mlir::Type a, mlir::Type b,
                                               mlir::Type accumulator);

} // namespace gemm

#endif // GEMM_IR_MATMULRULES_H
