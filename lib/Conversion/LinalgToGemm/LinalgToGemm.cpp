//===- LinalgToGemm.cpp - Matrix products among linalg ops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Conversion/LinalgToGemm.h"

#include "Gemm/Conversion/Passes.h"

#include "Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace gemm {

#define GEN_PASS_DEF_CONVERTLINALGTOGEMMPASS
#include "Gemm/Conversion/Passes.h.inc"

//===----------------------------------------------------------------------===//
// The initial value
//===----------------------------------------------------------------------===//

/// Whether `op` touches no memory that exists already.
static bool touchesNoMemory(Operation &op) {
  if (isMemoryEffectFree(&op))
    return true;
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(&op);
  return effects && llvm::all_of(*effects, [](const auto &effect) {
           return isa<MemoryEffects::Allocate>(effect.getEffect());
         });
}

/// The fill of zero that wrote the buffer `op` adds to, when nothing came in
/// between.
static linalg::FillOp findZeroFill(linalg::LinalgOp op) {
  Value buffer = op.getDpsInitOperand(0)->get();
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get() == buffer)
      return {};
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(before);
    if (fill && fill.getOutputs().front() == buffer) {
      Attribute constant;
      bool isZero =
          matchPattern(fill.getInputs().front(), m_Constant(&constant)) &&
          Splat{{}, dyn_cast<TypedAttr>(constant)}.isZero();
      return isZero ? fill : linalg::FillOp();
    }
    if (!touchesNoMemory(*before))
      return {};
  }
  return {};
}

namespace {

/// What the product is written to, and whether that is first read.
struct InitialValue {
  Value out;
  bool isRead;
  linalg::FillOp deadFill = {};
};

} // namespace

static InitialValue getInitialValue(RewriterBase &rewriter,
                                    linalg::LinalgOp op) {
  Value init = op.getDpsInitOperand(0)->get();
  if (op.hasPureBufferSemantics()) {
    linalg::FillOp fill = findZeroFill(op);
    return {init, !fill, fill};
  }
  if (!getSplat(init).isZero())
    return {init, /*isRead=*/true};
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return {fill.getOutputs().front(), /*isRead=*/false};
  auto type = cast<RankedTensorType>(init.getType());
  Value empty =
      tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(),
                              type.getElementType(), type.getEncoding());
  return {empty, /*isRead=*/false};
}

//===----------------------------------------------------------------------===//
// The conversion
//===----------------------------------------------------------------------===//

/// acc + c
static void buildAddition(OpBuilder &builder, Location loc,
                          ValueRange arguments) {
  Value acc = arguments[0], c = arguments[1];
  Value sum = isa<FloatType>(acc.getType())
                  ? arith::AddFOp::create(builder, loc, acc, c).getResult()
                  : arith::AddIOp::create(builder, loc, acc, c).getResult();
  YieldOp::create(builder, loc, sum);
}

/// Replaces `op` by a gemm.matmul, or leaves it alone and says why.
static FailureOr<MatmulOp> convert(RewriterBase &rewriter, linalg::LinalgOp op,
                                   std::string &why) {
  std::optional<Contraction> contraction = matchContraction(op, why);
  if (!contraction)
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  InitialValue init = getInitialValue(rewriter, op);

  SmallVector<Value> epilogueOperands;
  SmallVector<AffineMap> maps{contraction->a.map, contraction->b.map};
  if (init.isRead) {
    epilogueOperands.push_back(init.out);
    maps.push_back(contraction->d);
  }
  maps.push_back(contraction->d);
  function_ref<void(OpBuilder &, Location, ValueRange)> epilogue;
  if (init.isRead)
    epilogue = buildAddition;
  auto matmul = MatmulOp::create(
      rewriter, op.getLoc(), contraction->a.value, contraction->b.value,
      epilogueOperands, init.out, maps, contraction->accumulator, epilogue);

  SmallVector<Value> operands(op->getOperands());
  rewriter.replaceOp(op, matmul->getResults());
  eraseDeadMoves(rewriter, operands);
  if (init.deadFill)
    rewriter.eraseOp(init.deadFill);
  return matmul;
}

FailureOr<MatmulOp> convertToMatmul(RewriterBase &rewriter,
                                    linalg::LinalgOp op) {
  std::string why;
  return convert(rewriter, op, why);
}

namespace {

struct ConvertLinalgToGemmPass
    : public impl::ConvertLinalgToGemmPassBase<ConvertLinalgToGemmPass> {
  void runOnOperation() override {
    // Operands of a product come before it, so erasing them is safe in this
    // order.
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.getNumReductionLoops())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      std::string why;
      if (failed(convert(rewriter, op, why)) && !why.empty())
        op.emitRemark("becomes no gemm.matmul: ") << why;
    }
  }
};

} // namespace
} // namespace gemm
