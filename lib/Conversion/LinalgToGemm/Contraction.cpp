//===- Contraction.cpp - Which linalg ops are a matrix product ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"

#include "Gemm/IR/KernelRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gemm {

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// The value below exact extensions of signed or floating-point numbers.
static Value stripExtensions(Value value) {
  while (isa_and_present<arith::ExtFOp, arith::ExtSIOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Whether the body is exactly acc + extend(a) * extend(b), in the type of acc.
/// The contraction interface allows any unary op in between, also one that
/// rounds.
static bool isMultiplyAdd(Block &body) {
  if (body.getNumArguments() != 3)
    return false;
  Value a = body.getArgument(0), b = body.getArgument(1),
        acc = body.getArgument(2);
  Value sum = body.getTerminator()->getOperand(0);
  Operation *add = sum.getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::AddIOp>(add))
    return false;
  Value product;
  if (add->getOperand(0) == acc)
    product = add->getOperand(1);
  else if (add->getOperand(1) == acc)
    product = add->getOperand(0);
  else
    return false;
  Operation *multiply = product.getDefiningOp();
  if (!isa_and_present<arith::MulFOp, arith::MulIOp>(multiply))
    return false;
  Value x = stripExtensions(multiply->getOperand(0));
  Value y = stripExtensions(multiply->getOperand(1));
  return (x == a && y == b) || (x == b && y == a);
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Index lists over the loops of the op become index lists over (batch..., m,
/// n, k).
static AffineMap renameDims(AffineMap map, ArrayRef<AffineExpr> names) {
  return map.replaceDimsAndSymbols(names, {}, names.size(), 0);
}

/// The contraction in which loops `m` and `n` are m and n; nothing, and why, if
/// one of its matrices would be none that kernels read or write.
static std::optional<Contraction> chooseDims(const Contraction &loops,
                                             Type dType, unsigned m, unsigned n,
                                             unsigned k, std::string &why) {
  MLIRContext *context = dType.getContext();
  unsigned numLoops = loops.d.getNumDims();
  SmallVector<AffineExpr> names(numLoops);
  unsigned next = 0;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    if (loop != m && loop != n && loop != k)
      names[loop] = getAffineDimExpr(next++, context);
  for (unsigned loop : {m, n, k})
    names[loop] = getAffineDimExpr(next++, context);

  Contraction result = loops;
  result.a.map = renameDims(loops.a.map, names);
  result.b.map = renameDims(loops.b.map, names);
  result.d = renameDims(loops.d, names);
  auto isMatrix = [&](StringRef name, MatrixRole role, Type type,
                      AffineMap map) {
    auto error = getMatrixError(role, type, map);
    if (!error)
      error = getKernelMatrixError(role, type, map);
    if (error)
      why = (name + " " + *error).str();
    return !error;
  };
  if (auto error = getKernelBatchError(numLoops - 3)) {
    why = "it has " + *error;
    return std::nullopt;
  }
  if (!isMatrix("A", MatrixRole::A, result.a.value.getType(), result.a.map) ||
      !isMatrix("B", MatrixRole::B, result.b.value.getType(), result.b.map) ||
      !isMatrix("the result", MatrixRole::D, dType, result.d))
    return std::nullopt;
  return result;
}

/// An operand as it may be read, the farthest from the op first: what a chain
/// of moves started from, when nothing else needs what lies between.
static SmallVector<IndexedValue> getReadings(IndexedValue operand) {
  SmallVector<IndexedValue> readings{operand};
  while (readings.back().value.hasOneUse()) {
    std::optional<IndexedValue> source = lookThroughMove(readings.back());
    if (!source)
      break;
    readings.push_back(*source);
  }
  std::reverse(readings.begin(), readings.end());
  return readings;
}

std::optional<Contraction> matchContraction(linalg::LinalgOp op,
                                            std::string &why) {
  if (!linalg::isaContractionOpInterface(op))
    return std::nullopt;
  auto refuse = [&](const Twine &reason) {
    why = reason.str();
    return std::nullopt;
  };
  if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
    return refuse("it mixes tensors and memrefs");
  if (!isMultiplyAdd(*op.getBlock()))
    return refuse("it does more, or in another order, than to extend elements, "
                  "multiply them and add the product");
  OpOperand *init = op.getDpsInitOperand(0);
  Type dType = init->get().getType();
  Type accumulator = getElementTypeOrSelf(dType);
  IndexedValue a{op.getDpsInputOperand(0)->get(),
                 op.getMatchingIndexingMap(op.getDpsInputOperand(0))};
  IndexedValue b{op.getDpsInputOperand(1)->get(),
                 op.getMatchingIndexingMap(op.getDpsInputOperand(1))};
  AffineMap d = op.getMatchingIndexingMap(init);
  if (!isa<ShapedType>(a.value.getType()) ||
      !isa<ShapedType>(b.value.getType()))
    return refuse("it multiplies by a scalar");
  if (auto error = getAccumulatorError(a.getElementType(), b.getElementType(),
                                       accumulator))
    return refuse(*error);
  if (op.hasPureBufferSemantics() &&
      (a.value == init->get() || b.value == init->get()))
    return refuse("it overwrites an operand");

  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims))
    return std::nullopt;
  if (dims->m.empty() || dims->n.empty())
    return refuse("one of its operands is a vector");
  if (dims->k.size() != 1)
    return refuse("it sums over " + Twine(dims->k.size()) +
                  " dimensions; collapse them into one");
  if (dims->batch.size() + dims->m.size() + dims->n.size() + 1 !=
      op.getNumLoops())
    return refuse("a dimension of it is of no operand, or of one only");

  // One of several m (n) loops is m (n); the others become batches that B (A)
  // does not use. Later loops are tried first: they are the usual inner ones.
  // What is said is of the op's own operands and its innermost loops.
  for (const IndexedValue &readA : getReadings(a))
    for (const IndexedValue &readB : getReadings(b))
      for (unsigned m : llvm::reverse(dims->m))
        for (unsigned n : llvm::reverse(dims->n)) {
          std::string reason;
          if (auto result = chooseDims({readA, readB, d, accumulator}, dType, m,
                                       n, dims->k.front(), reason))
            return result;
          if (m == dims->m.back() && n == dims->n.back())
            why = reason;
        }
  return std::nullopt;
}

} // namespace gemm
