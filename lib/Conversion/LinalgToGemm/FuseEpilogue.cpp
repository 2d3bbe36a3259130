//===- FuseEpilogue.cpp - Elementwise consumers into the epilogue ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Conversion/LinalgToGemm.h"

#include "Gemm/Conversion/Passes.h"
#include "Gemm/IR/KernelRules.h"

#include "MovedOperand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace gemm {

#define GEN_PASS_DEF_FUSEEPILOGUEPASS
#include "Gemm/Conversion/Passes.h.inc"

//===----------------------------------------------------------------------===//
// What may be fused
//===----------------------------------------------------------------------===//

/// The one linalg op that uses the result of `matmul`, if it is elementwise.
static linalg::LinalgOp getConsumer(MatmulOp matmul) {
  if (matmul.getResults().size() != 1 || matmul->use_empty())
    return {};
  auto consumer = dyn_cast<linalg::LinalgOp>(*matmul->user_begin());
  bool isOnly = llvm::all_of(matmul->getUsers(), [&](Operation *user) {
    return consumer && user == consumer.getOperation();
  });
  if (!isOnly || consumer->getBlock() != matmul->getBlock() ||
      !consumer.hasPureTensorSemantics() || consumer.getNumDpsInits() != 1 ||
      !consumer.isAllParallelLoops())
    return {};
  return consumer;
}

/// Whether a thread can compute every op of `body`.
static bool isScalarCode(Block &body) {
  return llvm::none_of(body.without_terminator(), [](Operation &op) {
    return getKernelScalarOpError(op).has_value();
  });
}

/// The loops of `consumer` as functions of (batch..., m, n, k): each use of the
/// product reads it in the same order. Null if they do not.
static AffineMap getLoops(MatmulOp matmul, linalg::LinalgOp consumer) {
  AffineMap read;
  for (OpOperand &use : matmul->getUses()) {
    AffineMap map = consumer.getMatchingIndexingMap(&use);
    if ((read && map != read) || !map.isPermutation())
      return {};
    read = map;
  }
  return inversePermutation(read).compose(
      matmul.getIndexingMap(matmul.getFirstOut()));
}

namespace {

/// The epilogue that is being made: its operands, then its body.
class Fusion {
public:
  Fusion(RewriterBase &rewriter, MatmulOp matmul, linalg::LinalgOp consumer)
      : rewriter(rewriter), matmul(matmul), consumer(consumer) {}

  /// Finds what the fused epilogue reads; changes nothing.
  LogicalResult plan();
  /// Makes the fused op.
  MatmulOp build();

private:
  /// What an argument of the consumer's body, or a value captured by it,
  /// becomes.
  struct Source {
    enum { Product, Operand, Constant } kind;
    unsigned operand = 0; // position in `operands`
    TypedAttr constant = {};
  };

  bool isProduct(Value value) { return value == matmul.getResults().front(); }
  unsigned addOperand(IndexedValue operand);
  LogicalResult planInput(OpOperand &operand);
  LogicalResult planCapture(Value value);
  Value materialize(const Source &source, Value product, Block *block);

  RewriterBase &rewriter;
  MatmulOp matmul;
  linalg::LinalgOp consumer;
  AffineMap loops;
  SmallVector<IndexedValue> operands; // epilogue operands, old ones first
  llvm::MapVector<Value, Source> sources;
};

} // namespace

unsigned Fusion::addOperand(IndexedValue operand) {
  for (auto [i, known] : llvm::enumerate(operands))
    if (known.value == operand.value && known.map == operand.map)
      return i;
  operands.push_back(operand);
  return operands.size() - 1;
}

/// Index lists of gemm.matmul have no constants; a dimension of extent 1 that
/// is always read at 0 is dropped from the tensor. Null if another index is
/// constant.
static std::optional<IndexedValue> dropUnitDims(IndexedValue operand) {
  auto type = dyn_cast<RankedTensorType>(operand.value.getType());
  SmallVector<AffineExpr> kept;
  for (auto [i, expr] : llvm::enumerate(operand.map.getResults())) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant)
      kept.push_back(expr);
    else if (constant.getValue() != 0 || type.getDimSize(i) != 1)
      return std::nullopt;
  }
  operand.map = AffineMap::get(operand.map.getNumDims(), 0, kept,
                               operand.map.getContext());
  return operand;
}

LogicalResult Fusion::planInput(OpOperand &use) {
  BlockArgument argument = consumer.getMatchingBlockArgument(&use);
  if (argument.use_empty())
    return success();
  if (isProduct(use.get())) {
    sources[argument] = {Source::Product};
    return success();
  }
  IndexedValue operand{use.get(),
                       consumer.getMatchingIndexingMap(&use).compose(loops)};
  // A broadcast is cheaper to index than to read; other moves are only worth
  // removing if nobody else needs their result.
  while (std::optional<IndexedValue> source = lookThroughMove(operand)) {
    bool isBroadcast =
        source->map.getNumResults() < operand.map.getNumResults();
    if (!isBroadcast && !operand.value.hasOneUse())
      break;
    operand = *source;
  }
  Splat splat = getSplat(operand.value);
  if (splat.constant && splat.constant.getType() == argument.getType()) {
    sources[argument] = {Source::Constant, 0, splat.constant};
    return success();
  }
  if (splat.scalar && splat.scalar.getType() == argument.getType())
    operand = {splat.scalar,
               AffineMap::get(loops.getNumDims(), 0, matmul.getContext())};
  if (operand.getElementType() != argument.getType())
    return failure();
  std::optional<IndexedValue> dropped = dropUnitDims(operand);
  if (!dropped || getEpilogueOperandError(dropped->map))
    return failure();
  // A single element is read here and passed on as a scalar.
  bool isScalar = dropped->map.getNumResults() == 0;
  if (getKernelEpilogueError(isScalar ? operand.getElementType()
                                      : operand.value.getType(),
                             dropped->map))
    return failure();
  sources[argument] = {Source::Operand, addOperand(operand)};
  return success();
}

LogicalResult Fusion::planCapture(Value value) {
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    sources[value] = {Source::Constant, 0, constant};
    return success();
  }
  IndexedValue scalar{
      value, AffineMap::get(loops.getNumDims(), 0, matmul.getContext())};
  if (getKernelEpilogueError(value.getType(), scalar.map))
    return failure();
  sources[value] = {Source::Operand, addOperand(scalar)};
  return success();
}

LogicalResult Fusion::plan() {
  Block &body = *consumer.getBlock();
  loops = getLoops(matmul, consumer);
  if (!loops || !isScalarCode(body))
    return failure();
  OpOperand *init = consumer.getDpsInitOperand(0);
  AffineMap written = consumer.getMatchingIndexingMap(init).compose(loops);
  Type type = init->get().getType();
  if (getMatrixError(MatrixRole::D, type, written) ||
      getKernelMatrixError(MatrixRole::D, type, written))
    return failure();

  unsigned first = matmul.getFirstEpilogueOperand();
  for (auto [i, value] : llvm::enumerate(matmul.getEpilogueOperands()))
    operands.push_back({value, matmul.getIndexingMap(first + i)});
  for (OpOperand &use : consumer->getOpOperands())
    if (failed(planInput(use)))
      return failure();
  for (Operation &op : body)
    for (Value value : op.getOperands())
      if (value.getParentBlock() != &body && !sources.contains(value) &&
          failed(planCapture(value)))
        return failure();
  // What only overwrites the product is better off without it.
  return success(llvm::any_of(sources, [](const auto &source) {
    return source.second.kind == Source::Product;
  }));
}

//===----------------------------------------------------------------------===//
// The fused op
//===----------------------------------------------------------------------===//

Value Fusion::materialize(const Source &source, Value product, Block *block) {
  switch (source.kind) {
  case Source::Product:
    return product;
  case Source::Operand:
    return block->getArgument(matmul.getBs().size() + source.operand);
  case Source::Constant:
    return arith::ConstantOp::create(rewriter, consumer.getLoc(),
                                     source.constant);
  }
  llvm_unreachable("all kinds of sources are handled");
}

/// `operand` without the dimensions that dropUnitDims drops; a scalar if none
/// is left.
static IndexedValue takeUnitDims(OpBuilder &builder, Location loc,
                                 IndexedValue operand) {
  IndexedValue dropped = *dropUnitDims(operand);
  auto type = dyn_cast<RankedTensorType>(operand.value.getType());
  if (type && dropped.map.getNumResults() == 0) {
    SmallVector<Value> zeros;
    if (type.getRank())
      zeros.assign(type.getRank(),
                   arith::ConstantIndexOp::create(builder, loc, 0));
    dropped.value =
        tensor::ExtractOp::create(builder, loc, operand.value, zeros);
    return dropped;
  }
  if (dropped.map.getNumResults() == operand.map.getNumResults())
    return operand;
  SmallVector<int64_t> shape;
  for (auto [extent, expr] :
       llvm::zip(type.getShape(), operand.map.getResults()))
    if (!isa<AffineConstantExpr>(expr))
      shape.push_back(extent);
  dropped.value = tensor::createCanonicalRankReducingExtractSliceOp(
      builder, loc, operand.value,
      RankedTensorType::get(shape, type.getElementType()));
  return dropped;
}

MatmulOp Fusion::build() {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(consumer);
  Location loc = rewriter.getFusedLoc({matmul.getLoc(), consumer.getLoc()});

  // Operands and index lists.
  OpOperand *init = consumer.getDpsInitOperand(0);
  Value out = isProduct(init->get()) ? matmul.getOuts().front() : init->get();
  ArrayRef<Attribute> oldMaps = matmul.getIndexingMaps().getValue();
  SmallVector<Attribute> maps(
      oldMaps.take_front(matmul.getFirstEpilogueOperand()));
  SmallVector<Value> epilogueOperands;
  for (IndexedValue operand : operands) {
    operand = takeUnitDims(rewriter, loc, operand);
    epilogueOperands.push_back(operand.value);
    maps.push_back(AffineMapAttr::get(operand.map));
  }
  maps.push_back(
      AffineMapAttr::get(consumer.getMatchingIndexingMap(init).compose(loops)));

  auto fused = MatmulOp::create(
      rewriter, loc, TypeRange(out.getType()), matmul.getA(), matmul.getBs(),
      matmul.getAScale(), matmul.getBScales(), matmul.getConversionOperands(),
      epilogueOperands, out, rewriter.getArrayAttr(maps),
      matmul.getAccumulatorAttr(), matmul.getPromotionIntervalAttr(),
      matmul.getConversionOperandCountsAttr(), matmul.getTargetAttr(),
      matmul.getFamilyAttr(), matmul.getConversions().size());
  fused->setDiscardableAttrs(matmul->getDiscardableAttrDictionary());
  for (auto [from, to] :
       llvm::zip(matmul.getConversions(), fused.getConversions()))
    rewriter.inlineRegionBefore(from, to, to.end());

  // The old epilogue, then the consumer's body.
  Block &old = matmul.getEpilogue().front();
  SmallVector<Type> types(old.getArgumentTypes());
  for (const IndexedValue &operand :
       ArrayRef(operands).drop_front(matmul.getEpilogueOperands().size()))
    types.push_back(operand.getElementType());
  Block *block = rewriter.createBlock(&fused.getEpilogue(), {}, types,
                                      SmallVector<Location>(types.size(), loc));
  IRMapping mapping;
  mapping.map(old.getArguments(),
              block->getArguments().take_front(old.getNumArguments()));
  for (Operation &op : old.without_terminator())
    rewriter.clone(op, mapping);
  Value product = mapping.lookup(old.getTerminator()->getOperand(0));
  for (auto &[value, source] : sources)
    mapping.map(value, materialize(source, product, block));
  Block &body = *consumer.getBlock();
  for (Operation &op : body.without_terminator())
    rewriter.clone(op, mapping);
  YieldOp::create(rewriter, loc,
                  mapping.lookup(body.getTerminator()->getOperand(0)));

  SmallVector<Value> read(consumer->getOperands());
  llvm::erase_if(read, [&](Value value) { return isProduct(value); });
  rewriter.replaceOp(consumer, fused->getResults());
  rewriter.eraseOp(matmul);
  eraseDeadMoves(rewriter, read);
  return fused;
}

FailureOr<MatmulOp> fuseEpilogue(RewriterBase &rewriter, MatmulOp matmul) {
  linalg::LinalgOp consumer = getConsumer(matmul);
  if (!consumer)
    return failure();
  Fusion fusion(rewriter, matmul, consumer);
  if (failed(fusion.plan()))
    return failure();
  return fusion.build();
}

namespace {

struct FuseEpiloguePass : public impl::FuseEpiloguePassBase<FuseEpiloguePass> {
  void runOnOperation() override {
    SmallVector<MatmulOp> matmuls;
    getOperation()->walk([&](MatmulOp matmul) { matmuls.push_back(matmul); });
    IRRewriter rewriter(&getContext());
    for (MatmulOp matmul : matmuls) {
      FailureOr<MatmulOp> fused = matmul;
      while (succeeded(fused))
        fused = fuseEpilogue(rewriter, *fused);
    }
  }
};

} // namespace
} // namespace gemm
