//===- MovedOperand.cpp - Operands that another op only rearranges --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MovedOperand.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gemm {

std::optional<IndexedValue> lookThroughMove(IndexedValue operand) {
  auto move = operand.value.getDefiningOp<linalg::LinalgOp>();
  if (!move || !move.hasPureTensorSemantics() || move.getNumDpsInputs() != 1 ||
      move.getNumDpsInits() != 1 || !move.isAllParallelLoops())
    return std::nullopt;
  Block *body = move.getBlock();
  if (body->getTerminator()->getOperand(0) != body->getArgument(0))
    return std::nullopt;
  OpOperand *input = move.getDpsInputOperand(0);
  if (!isa<RankedTensorType>(input->get().getType()))
    return std::nullopt;
  AffineMap read = move.getMatchingIndexingMap(input);
  AffineMap written = move.getMatchingIndexingMap(move.getDpsInitOperand(0));
  if (!read.isProjectedPermutation() || !written.isPermutation())
    return std::nullopt;
  return IndexedValue{
      input->get(),
      read.compose(inversePermutation(written)).compose(operand.map)};
}

bool Splat::isZero() const {
  if (auto number = dyn_cast_or_null<FloatAttr>(constant))
    return number.getValue().isPosZero();
  if (auto number = dyn_cast_or_null<IntegerAttr>(constant))
    return number.getValue().isZero();
  return false;
}

Splat getSplat(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    Value scalar = fill.getInputs().front();
    TypedAttr constant;
    if (matchPattern(scalar, m_Constant(&constant)))
      return {scalar, constant};
    return {scalar, {}};
  }
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return {{}, dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>())};
  return {};
}

void eraseDeadMoves(RewriterBase &rewriter, ValueRange values) {
  llvm::SetVector<Operation *> dead;
  for (Value value : values)
    if (Operation *op = value.getDefiningOp())
      dead.insert(op);
  while (!dead.empty()) {
    auto op = dyn_cast<linalg::LinalgOp>(dead.pop_back_val());
    if (!op || !op.isAllParallelLoops() || !isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp())
        dead.insert(source);
    rewriter.eraseOp(op);
  }
}

} // namespace gemm
