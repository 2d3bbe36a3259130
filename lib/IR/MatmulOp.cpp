//===- MatmulOp.cpp - What gemm.matmul says of itself ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/IR/MatmulRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace gemm {

/// The type of a scalar region's argument for an operand of type `type`.
static Type getScalarType(Type type) { return getElementTypeOrSelf(type); }

//===----------------------------------------------------------------------===//
// The epilogue that only converts
//===----------------------------------------------------------------------===//

/// `value` as `type`, by one cast that rounds or extends; null if none does.
static Value convertOnce(OpBuilder &builder, Location loc, Value value,
                         Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  unsigned fromBits = from.getIntOrFloatBitWidth();
  unsigned toBits = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(from) && isa<FloatType>(type)) {
    if (fromBits > toBits)
      return arith::TruncFOp::create(builder, loc, type, value);
    if (fromBits < toBits)
      return arith::ExtFOp::create(builder, loc, type, value);
  }
  if (from.isSignlessInteger() && type.isSignlessInteger()) {
    if (fromBits > toBits)
      return arith::TruncIOp::create(builder, loc, type, value);
    return arith::ExtSIOp::create(builder, loc, type, value);
  }
  return {};
}

LogicalResult MatmulOp::buildDefaultEpilogue(OpBuilder &builder, Location loc,
                                             Region &region,
                                             TypeRange arguments,
                                             unsigned numProducts,
                                             TypeRange results) {
  if (numProducts != results.size() || arguments.size() < numProducts)
    return failure();
  for (Type type : llvm::concat<const Type>(
           llvm::to_vector(arguments.take_front(numProducts)),
           llvm::to_vector(results)))
    if (!type.isIntOrFloat())
      return failure();
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(arguments.size(), loc);
  Block *block =
      builder.createBlock(&region, region.end(), arguments, locations);
  SmallVector<Value> yields;
  for (unsigned i = 0; i < numProducts; ++i) {
    Value value = convertOnce(builder, loc, block->getArgument(i), results[i]);
    if (!value) {
      block->erase();
      return failure();
    }
    yields.push_back(value);
  }
  YieldOp::create(builder, loc, yields);
  return success();
}

bool MatmulOp::hasDefaultEpilogue() {
  SmallVector<Type> results;
  for (Type type : getOuts().getTypes())
    results.push_back(getScalarType(type));
  OpBuilder builder(getContext());
  Region region;
  if (!getEpilogue().hasOneBlock() ||
      failed(buildDefaultEpilogue(builder, getLoc(), region,
                                  getEpilogue().getArgumentTypes(),
                                  getBs().size(), results)))
    return false;
  return OperationEquivalence::isRegionEquivalentTo(
      &getEpilogue(), &region, OperationEquivalence::IgnoreLocations);
}

//===----------------------------------------------------------------------===//
// Builder
//===----------------------------------------------------------------------===//

void MatmulOp::build(
    OpBuilder &builder, OperationState &state, Value a, Value b,
    ValueRange epilogueOperands, Value out, ArrayRef<AffineMap> maps,
    Type accumulator,
    function_ref<void(OpBuilder &, Location, ValueRange)> epilogueBuilder) {
  SmallVector<Type> results;
  if (isa<TensorType>(out.getType()))
    results.push_back(out.getType());
  build(builder, state, results, a, b, /*a_scale=*/Value(),
        /*b_scales=*/ValueRange(), /*conversion_operands=*/ValueRange(),
        epilogueOperands, out, builder.getAffineMapArrayAttr(maps),
        TypeAttr::get(accumulator), /*promotion_interval=*/IntegerAttr(),
        /*conversion_operand_counts=*/DenseI32ArrayAttr(),
        /*target=*/TargetAttr(), /*family=*/ArrayAttr(),
        /*conversionsCount=*/0);

  SmallVector<Type> arguments{accumulator};
  for (Type type : epilogueOperands.getTypes())
    arguments.push_back(getScalarType(type));
  Region &region = *state.regions.front();
  Type element = getScalarType(out.getType());
  if (!epilogueBuilder) {
    // A result that one cast does not reach has no default; the verifier then
    // says that the region is missing.
    (void)buildDefaultEpilogue(builder, state.location, region, arguments,
                               /*numProducts=*/1, element);
    return;
  }
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(arguments.size(), state.location);
  Block *block =
      builder.createBlock(&region, region.end(), arguments, locations);
  epilogueBuilder(builder, state.location, block->getArguments());
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

int64_t MatmulOp::getNumBatchDims() {
  // A is always there; the verifier makes all maps agree.
  return static_cast<int64_t>(getIndexingMap(0).getNumDims()) - 3;
}

AffineMap MatmulOp::getIndexingMap(unsigned index) {
  return cast<AffineMapAttr>(getIndexingMaps()[index]).getValue();
}

AffineMap MatmulOp::getIndexingMap(OpOperand &operand) {
  return getIndexingMap(operand.getOperandNumber());
}

unsigned MatmulOp::getFirstEpilogueOperand() {
  return getFirstOut() - getEpilogueOperands().size();
}

unsigned MatmulOp::getFirstOut() { return getNumOperands() - getOuts().size(); }

/// B, B1, B2...
static std::string numbered(StringRef name, unsigned index) {
  return index ? (name + Twine(index)).str() : name.str();
}

std::string MatmulOp::getOperandName(unsigned index) {
  if (index >= getFirstOut())
    return numbered("D", index - getFirstOut());
  if (index >= getFirstEpilogueOperand())
    return ("E" + Twine(index - getFirstEpilogueOperand())).str();
  if (index == 0)
    return "A";
  index -= 1;
  if (index < getBs().size())
    return numbered("B", index);
  index -= getBs().size();
  if (getAScale() && index == 0)
    return "scale of A";
  index -= getAScale() ? 1 : 0;
  if (index < getBScales().size())
    return "scale of " + numbered("B", index);
  return ("conversion operand " + Twine(index - getBScales().size())).str();
}

StringRef MatmulOp::getDimName(AffineMap map, unsigned pos) {
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(pos));
  if (!dim)
    return "";
  if (dim.getPosition() == getMDim())
    return "m";
  if (dim.getPosition() == getNDim())
    return "n";
  return dim.getPosition() == getKDim() ? "k" : "batch";
}

FailureOr<Order> MatmulOp::getOrder(unsigned index) {
  unsigned numBs = getBs().size();
  unsigned row = getMDim(), col = getNDim();
  if (index == 0)
    col = getKDim();
  else if (index <= numBs)
    row = getNDim(), col = getKDim();
  else if (index < getFirstEpilogueOperand())
    return failure();

  if (auto order = getMatrixOrder(getOperand(index).getType(),
                                  getIndexingMap(index), row, col))
    return *order;
  return failure();
}

Type MatmulOp::getMultipliedType(unsigned index) {
  if (index < getConversions().size()) {
    Region &region = getConversions()[index];
    auto yield = cast<YieldOp>(region.front().getTerminator());
    if (yield.getNumOperands() == 1)
      return yield.getOperand(0).getType();
  }
  return getScalarType(getOperand(index).getType());
}

unsigned MatmulOp::getNumConversionOperands(unsigned index) {
  std::optional<ArrayRef<int32_t>> counts = getConversionOperandCounts();
  return counts && index < counts->size() ? (*counts)[index] : 0;
}

void MatmulOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

} // namespace gemm
