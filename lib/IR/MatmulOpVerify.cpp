//===- MatmulOpVerify.cpp - The rules of gemm.matmul ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/IR/MatmulRules.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace gemm {

//===----------------------------------------------------------------------===//
// Rules that importers ask too
//===----------------------------------------------------------------------===//

std::string describeDim(unsigned dim, unsigned numBatch) {
  if (dim < numBatch)
    return numBatch == 1 ? "b" : ("b" + Twine(dim)).str();
  static constexpr StringRef names[] = {"m", "n", "k"};
  return names[dim - numBatch].str();
}

/// The index list `map` must use each dimension at most once, `required`
/// exactly once, and `forbidden` never.
static std::optional<std::string> getIndexListError(AffineMap map,
                                                    unsigned numBatch,
                                                    ArrayRef<unsigned> required,
                                                    unsigned forbidden) {
  llvm::SmallBitVector used(map.getNumDims());
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return ("index " + Twine(i) + " is not a plain dimension").str();
    if (dim.getPosition() == forbidden)
      return "must not use " + describeDim(forbidden, numBatch);
    if (used.test(dim.getPosition()))
      return "uses " + describeDim(dim.getPosition(), numBatch) + " twice";
    used.set(dim.getPosition());
  }
  for (unsigned dim : required)
    if (!used.test(dim))
      return "must use " + describeDim(dim, numBatch);
  return std::nullopt;
}

/// A matrix must be contiguous along one of `rows` and `cols`, as far as its
/// type says.
static std::optional<std::string> getContiguityError(Type type, AffineMap map,
                                                     unsigned numBatch,
                                                     unsigned rows,
                                                     unsigned cols) {
  auto isCoordinate = [&](unsigned pos) {
    unsigned dim = map.getDimPosition(pos);
    return dim == rows || dim == cols;
  };
  std::string message = "is contiguous along neither " +
                        describeDim(rows, numBatch) + " nor " +
                        describeDim(cols, numBatch);
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return isCoordinate(map.getNumResults() - 1)
               ? std::nullopt
               : std::optional<std::string>(message);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return "has a layout without strides";
  bool batchIsContiguous = false, maybeContiguous = false;
  for (auto [i, stride] : llvm::enumerate(strides)) {
    if (isCoordinate(i) && stride == 1)
      return std::nullopt;
    maybeContiguous |= isCoordinate(i) && ShapedType::isDynamic(stride);
    batchIsContiguous |= !isCoordinate(i) && stride == 1;
  }
  if (maybeContiguous && !batchIsContiguous)
    return std::nullopt;
  return message;
}

std::optional<std::string> getMatrixError(MatrixRole role, Type type,
                                          AffineMap map) {
  unsigned numBatch = map.getNumDims() - 3;
  unsigned m = numBatch, n = numBatch + 1, k = numBatch + 2;
  unsigned rows = role == MatrixRole::B ? n : m;
  unsigned cols = role == MatrixRole::D ? n : k;
  unsigned forbidden = role == MatrixRole::A   ? n
                       : role == MatrixRole::B ? m
                                               : k;
  SmallVector<unsigned> required{rows, cols};
  if (role == MatrixRole::D)
    for (unsigned batch = 0; batch < numBatch; ++batch)
      required.push_back(batch);
  if (auto error = getIndexListError(map, numBatch, required, forbidden))
    return error;
  return getContiguityError(type, map, numBatch, rows, cols);
}

std::optional<Order> getMatrixOrder(Type type, AffineMap map, unsigned row,
                                    unsigned col) {
  AffineExpr rowExpr = getAffineDimExpr(row, map.getContext());
  AffineExpr colExpr = getAffineDimExpr(col, map.getContext());
  if (!llvm::is_contained(map.getResults(), rowExpr) ||
      !llvm::is_contained(map.getResults(), colExpr))
    return std::nullopt;
  auto ofDim = [&](unsigned pos) -> std::optional<Order> {
    if (map.getResult(pos) == colExpr)
      return Order::Row;
    if (map.getResult(pos) == rowExpr)
      return Order::Col;
    return std::nullopt;
  };
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return ofDim(map.getNumResults() - 1);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  for (unsigned pos = map.getNumResults(); pos-- > 0;)
    if (auto order = ofDim(pos); order && strides[pos] == 1)
      return order;
  return std::nullopt;
}

std::optional<std::string> getEpilogueOperandError(AffineMap map) {
  unsigned numBatch = map.getNumDims() - 3;
  return getIndexListError(map, numBatch, /*required=*/{},
                           /*forbidden=*/numBatch + 2);
}

static bool isMultipliable(Type type) {
  return isa<FloatType>(type) || type.isSignlessInteger(4) ||
         type.isSignlessInteger(8);
}

std::optional<std::string> getAccumulatorError(Type a, Type b,
                                               Type accumulator) {
  auto print = [](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  };
  for (Type type : {a, b})
    if (!isMultipliable(type))
      return "cannot multiply " + print(type) +
             ": elements are floating-point numbers, i8 or i4";
  if (isa<FloatType>(a) != isa<FloatType>(b))
    return "cannot multiply " + print(a) + " by " + print(b) +
           ": convert one of them";
  if (!isa<FloatType>(a)) {
    if (accumulator.isSignlessInteger(32))
      return std::nullopt;
    return "products of integers are accumulated in i32, not " +
           print(accumulator);
  }
  auto sum = dyn_cast<FloatType>(accumulator);
  for (Type type : {a, b}) {
    const llvm::fltSemantics &semantics =
        cast<FloatType>(type).getFloatSemantics();
    if (!sum ||
        !llvm::APFloat::isRepresentableBy(semantics, sum.getFloatSemantics()))
      return "accumulator " + print(accumulator) +
             " does not hold every value of " + print(type);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The verifier, one function per concern
//===----------------------------------------------------------------------===//

/// Every operand has an index list of its own rank over one iteration space.
static LogicalResult verifyIndexLists(MatmulOp op) {
  ArrayAttr maps = op.getIndexingMaps();
  if (maps.size() != op->getNumOperands())
    return op.emitOpError("has ") << maps.size() << " index lists for "
                                  << op->getNumOperands() << " operands";
  unsigned numDims = op.getIndexingMap(0).getNumDims();
  if (numDims < 3)
    return op.emitOpError("index list of A has ")
           << numDims << " dimensions; batch..., m, n, k are at least 3";
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getIndexingMap(operand);
    std::string name = op.getOperandName(operand.getOperandNumber());
    if (map.getNumSymbols() || map.getNumDims() != numDims)
      return op.emitOpError("index list of ")
             << name << " is not over the " << numDims << " dimensions of A's";
    Type type = operand.get().getType();
    if (type.isIntOrFloat()) {
      if (map.getNumResults())
        return op.emitOpError()
               << name << " is a scalar and needs an empty index list";
      continue;
    }
    if (!isa<RankedTensorType, MemRefType>(type))
      return op.emitOpError() << name
                              << " is neither a ranked tensor, a ranked memref "
                                 "nor a number, but "
                              << type;
    auto shaped = cast<ShapedType>(type);
    if (shaped.getRank() != map.getNumResults())
      return op.emitOpError()
             << name << " of rank " << shaped.getRank()
             << " has an index list of " << map.getNumResults();
  }
  return success();
}

/// All tensors, or all memrefs.
static LogicalResult verifySemantics(MatmulOp op) {
  bool isBuffer = isa<MemRefType>(op.getA().getType());
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (isa<ShapedType>(type) && isa<MemRefType>(type) != isBuffer)
      return op.emitOpError("mixes tensors and memrefs: A is ")
             << op.getA().getType() << ", "
             << op.getOperandName(operand.getOperandNumber()) << " is " << type;
  }
  if (op.getOuts().empty())
    return op.emitOpError("needs a result in outs");
  return success();
}

static LogicalResult verifyMatrix(MatmulOp op, unsigned index,
                                  MatrixRole role) {
  if (auto error = getMatrixError(role, op->getOperand(index).getType(),
                                  op.getIndexingMap(index)))
    return op.emitOpError() << op.getOperandName(index) << " " << *error;
  return success();
}

/// Scales of A are indexed by (batch, m, k), of B by (batch, n, k), each as a
/// plain dimension or divided by a block.
static LogicalResult verifyScale(MatmulOp op, unsigned index,
                                 unsigned forbidden) {
  std::string name = op.getOperandName(index);
  unsigned numBatch = op.getNumBatchDims();
  for (AffineExpr expr : op.getIndexingMap(index).getResults()) {
    if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
      auto block = dyn_cast<AffineConstantExpr>(binary.getRHS());
      if (expr.getKind() == AffineExprKind::FloorDiv && block &&
          block.getValue() > 0)
        expr = binary.getLHS();
    }
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return op.emitOpError()
             << name
             << " is indexed by something else than dimensions and "
                "dimensions floordiv a positive number";
    if (dim.getPosition() == forbidden)
      return op.emitOpError()
             << name << " must not use " << describeDim(forbidden, numBatch);
  }
  if (!isa<FloatType>(getElementTypeOrSelf(op->getOperand(index).getType())))
    return op.emitOpError() << name << " needs floating-point elements";
  return success();
}

static LogicalResult verifyOperands(MatmulOp op) {
  unsigned numBs = op.getBs().size();
  if (!numBs)
    return op.emitOpError("needs at least one B");
  if (failed(verifyMatrix(op, 0, MatrixRole::A)))
    return failure();
  for (unsigned i = 0; i < numBs; ++i)
    if (failed(verifyMatrix(op, 1 + i, MatrixRole::B)))
      return failure();
  for (unsigned i = op.getFirstOut(); i < op->getNumOperands(); ++i)
    if (failed(verifyMatrix(op, i, MatrixRole::D)))
      return failure();

  unsigned index = 1 + numBs;
  if (op.getAScale() && failed(verifyScale(op, index++, op.getNDim())))
    return failure();
  unsigned numBScales = op.getBScales().size();
  if (numBScales && numBScales != numBs)
    return op.emitOpError("has ")
           << numBScales << " scales of B; needs none or one for each of "
           << numBs;
  for (unsigned i = 0; i < numBScales; ++i)
    if (failed(verifyScale(op, index++, op.getMDim())))
      return failure();

  for (unsigned i = op.getFirstEpilogueOperand(); i < op.getFirstOut(); ++i)
    if (auto error = getEpilogueOperandError(op.getIndexingMap(i)))
      return op.emitOpError() << op.getOperandName(i) << " " << *error;
  return success();
}

/// A buffer that is a result is otherwise at most an epilogue operand, element
/// for element: each thread reads what it then writes, and nobody else does.
static LogicalResult verifyAliasing(MatmulOp op) {
  if (!isa<MemRefType>(op.getA().getType()))
    return success();
  for (unsigned d = op.getFirstOut(); d < op->getNumOperands(); ++d)
    for (unsigned other = 0; other < d; ++other) {
      if (op->getOperand(other) != op->getOperand(d))
        continue;
      bool isEpilogue =
          other >= op.getFirstEpilogueOperand() && other < op.getFirstOut();
      if (!isEpilogue)
        return op.emitOpError("writes ")
               << op.getOperandName(d) << " over " << op.getOperandName(other)
               << "; a result overlaps nothing but, exactly, an epilogue "
                  "operand: "
                  "use another buffer";
      if (op.getIndexingMap(other) != op.getIndexingMap(d))
        return op.emitOpError("writes ")
               << op.getOperandName(d) << " over " << op.getOperandName(other)
               << ", which it reads in another order; use another buffer";
    }
  return success();
}

/// Static extents of one dimension are the same wherever it appears.
static LogicalResult verifyExtents(MatmulOp op) {
  unsigned numBatch = op.getNumBatchDims();
  SmallVector<std::pair<int64_t, unsigned>> known(
      op.getIndexingMap(0).getNumDims(), {ShapedType::kDynamic, 0});
  auto check = [&](unsigned index, int64_t extent, unsigned dim) {
    auto &[value, owner] = known[dim];
    if (ShapedType::isDynamic(extent))
      return success();
    if (ShapedType::isDynamic(value)) {
      value = extent;
      owner = index;
    }
    if (value == extent)
      return success();
    return LogicalResult(op.emitOpError("extent of ")
                         << describeDim(dim, numBatch) << " is " << value
                         << " in " << op.getOperandName(owner) << " and "
                         << extent << " in " << op.getOperandName(index));
  };
  for (OpOperand &operand : op->getOpOperands()) {
    auto shaped = dyn_cast<ShapedType>(operand.get().getType());
    if (!shaped)
      continue;
    AffineMap map = op.getIndexingMap(operand);
    for (auto [extent, expr] : llvm::zip(shaped.getShape(), map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (failed(
                check(operand.getOperandNumber(), extent, dim.getPosition())))
          return failure();
  }
  // A block scale covers its dimension.
  for (OpOperand &operand : op->getOpOperands()) {
    auto shaped = dyn_cast<ShapedType>(operand.get().getType());
    if (!shaped)
      continue;
    AffineMap map = op.getIndexingMap(operand);
    for (auto [extent, expr] : llvm::zip(shaped.getShape(), map.getResults())) {
      auto division = dyn_cast<AffineBinaryOpExpr>(expr);
      if (!division || ShapedType::isDynamic(extent))
        continue;
      auto dim = dyn_cast<AffineDimExpr>(division.getLHS());
      auto block = dyn_cast<AffineConstantExpr>(division.getRHS());
      if (!dim || !block)
        continue;
      auto [value, owner] = known[dim.getPosition()];
      if (ShapedType::isDynamic(value))
        continue;
      int64_t blocks = llvm::divideCeil(value, block.getValue());
      if (blocks != extent)
        return op.emitOpError()
               << op.getOperandName(operand.getOperandNumber()) << " has "
               << extent << " blocks of " << block.getValue() << " for the "
               << value << " of " << describeDim(dim.getPosition(), numBatch)
               << " in " << op.getOperandName(owner) << "; needs " << blocks;
    }
  }
  return success();
}

/// A region has one argument per type, and ops that are functions of scalars.
static LogicalResult verifyScalarRegion(MatmulOp op, Region &region,
                                        const Twine &name, TypeRange arguments,
                                        StringRef meaning) {
  if (region.getArgumentTypes() != arguments)
    return op.emitOpError()
           << name << " needs arguments (" << arguments << "), " << meaning
           << ", but has (" << region.getArgumentTypes() << ")";
  for (Operation &inner : region.front())
    if (!isMemoryEffectFree(&inner) || inner.getNumRegions())
      return op.emitOpError()
             << name << " holds '" << inner.getName()
             << "', which is no scalar op without side effects";
  return success();
}

static LogicalResult verifyConversions(MatmulOp op) {
  unsigned numMatrices = 1 + op.getBs().size();
  unsigned numRegions = op.getConversions().size();
  if (numRegions && numRegions != numMatrices)
    return op.emitOpError("has ")
           << numRegions
           << " conversion regions; needs none, or one for A and for each B";
  unsigned numOperands = 0;
  if (auto counts = op.getConversionOperandCounts()) {
    if (counts->size() != numRegions)
      return op.emitOpError("has conversion operand counts for ")
             << counts->size() << " operands and " << numRegions
             << " conversion regions";
    for (int32_t count : *counts) {
      if (count < 0)
        return op.emitOpError("has a negative conversion operand count");
      numOperands += count;
    }
  }
  if (numOperands != op.getConversionOperands().size())
    return op.emitOpError("conversion regions take ")
           << numOperands << " operands, but "
           << op.getConversionOperands().size() << " are there";

  ValueRange operands = op.getConversionOperands();
  for (unsigned i = 0; i < numRegions; ++i) {
    SmallVector<Type> arguments{
        getElementTypeOrSelf(op->getOperand(i).getType())};
    unsigned count = op.getNumConversionOperands(i);
    for (Value operand : operands.take_front(count))
      arguments.push_back(getElementTypeOrSelf(operand.getType()));
    operands = operands.drop_front(count);
    Region &region = op.getConversions()[i];
    std::string name = "conversion of " + op.getOperandName(i);
    if (failed(verifyScalarRegion(op, region, name, arguments,
                                  "the element, then the extra operands")))
      return failure();
    if (region.front().getTerminator()->getNumOperands() != 1)
      return op.emitOpError() << name << " must yield one value";
  }
  return success();
}

static LogicalResult verifyEpilogue(MatmulOp op) {
  SmallVector<Type> arguments(op.getBs().size(), op.getAccumulator());
  for (Type type : op.getEpilogueOperands().getTypes())
    arguments.push_back(getElementTypeOrSelf(type));
  if (failed(verifyScalarRegion(op, op.getEpilogue(), "epilogue", arguments,
                                "the products, then the epilogue operands")))
    return failure();
  SmallVector<Type> results;
  for (Type type : op.getOuts().getTypes())
    results.push_back(getElementTypeOrSelf(type));
  TypeRange yields =
      op.getEpilogue().front().getTerminator()->getOperandTypes();
  if (yields != TypeRange(results))
    return op.emitOpError("epilogue yields (")
           << yields << ") for results of elements (" << results << ")";
  return success();
}

static LogicalResult verifyArithmetic(MatmulOp op) {
  for (unsigned i = 0; i < op.getBs().size(); ++i)
    if (auto error = getAccumulatorError(op.getMultipliedType(0),
                                         op.getMultipliedType(1 + i),
                                         op.getAccumulator()))
      return op.emitOpError() << *error;
  if (auto interval = op.getPromotionInterval())
    if (static_cast<int64_t>(*interval) <= 0)
      return op.emitOpError("promotion interval must be positive");
  return success();
}

/// A family needs a target, and its guards name what the problem has.
static LogicalResult verifyFamily(MatmulOp op) {
  if (!op.getFamily())
    return success();
  if (!op.getTarget())
    return op.emitOpError("has a family of schedules but no target");
  SmallVector<std::string> names;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<ShapedType>(operand.get().getType()))
      names.push_back(op.getOperandName(operand.getOperandNumber()));
  for (EntryAttr entry : op.getFamily()->getAsRange<EntryAttr>())
    for (ConditionAttr condition : entry.getGuard().getConditions()) {
      bool ofOperand = condition.getKind() == ConditionKind::Align ||
                       condition.getKind() == ConditionKind::Pitch;
      if (ofOperand && !llvm::is_contained(names, condition.getSubject()))
        return op.emitOpError("a guard of the family names the operand '")
               << condition.getSubject() << "'; there are "
               << llvm::join(names, ", ");
    }
  return success();
}

LogicalResult MatmulOp::verify() {
  if (failed(verifyIndexLists(*this)) || failed(verifySemantics(*this)) ||
      failed(verifyOperands(*this)) || failed(verifyExtents(*this)))
    return failure();
  if (failed(verifyAliasing(*this)))
    return failure();
  return verifyFamily(*this);
}

LogicalResult MatmulOp::verifyRegions() {
  if (failed(verifyConversions(*this)) || failed(verifyEpilogue(*this)))
    return failure();
  return verifyArithmetic(*this);
}

} // namespace gemm
