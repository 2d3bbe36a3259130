//===- MovedOperand.h - Operands another op only rearranges -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_CONVERSION_LINALGTOGEMM_MOVEDOPERAND_H
#define GEMM_LIB_CONVERSION_LINALGTOGEMM_MOVEDOPERAND_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace gemm {

/// A value and the index list under which it is read.
struct IndexedValue {
  mlir::Value value;
  mlir::AffineMap map;

  mlir::Type getElementType() const {
    return mlir::getElementTypeOrSelf(value.getType());
  }
};

/// If `operand` is a tensor whose elements were only moved (a transpose, a
/// broadcast, a generic that yields its input): what they were moved from, with
/// the index list that reads the same elements.
std::optional<IndexedValue> lookThroughMove(IndexedValue operand);

/// The scalar, or the constant, that every element of tensor `value` is: of a
/// linalg.fill or of a splat constant. Null in both if there is none.
struct Splat {
  mlir::Value scalar;
  mlir::TypedAttr constant;

  explicit operator bool() const { return scalar || constant; }
  /// Whether this is the constant +0.
  bool isZero() const;
};
Splat getSplat(mlir::Value value);

/// Erases the moves and fills that only led to `values`, former operands of an
/// op.
void eraseDeadMoves(mlir::RewriterBase &rewriter, mlir::ValueRange values);

} // namespace gemm

#endif // GEMM_LIB_CONVERSION_LINALGTOGEMM_MOVEDOPERAND_H
