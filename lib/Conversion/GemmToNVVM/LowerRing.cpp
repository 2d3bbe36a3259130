//===- LowerRing.cpp - TMA copies and the mbarriers they arrive on --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace gemm {

namespace {

/// The mbarrier of a stage: 8 bytes each.
Value stageBarrier(Emitter &emit, Value ring, Value stage) {
  return emit.sharedPointer(emit.add(ring, emit.mul(stage, 8)));
}

/// One thread issues what the CTA asks for.
void byLeader(Emitter &emit, const ThreadIds &ids,
              llvm::function_ref<void()> body) {
  emit.when(emit.equal(ids.thread, 0), body);
}

struct TmaCopyLowering : ThreadPattern<CopyStartOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult
  matchAndRewrite(CopyStartOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getCopy().getEngine() != CopyEngine::Tma)
      return failure();
    if (!op.getRing())
      return op.emitOpError(
          "by TMA needs a ring to arrive on; run gemm-pipeline-loads first");
    Emitter emit(rewriter, op.getLoc());
    layout::SharedLayout layout = op.getDest().getType().getSharedLayout();
    SmallVector<Value> indices = singles(adaptor.getIndices());
    Value row = indices[indices.size() - 2], col = indices.back();
    Value line = layout.rowMajor ? row : col, pos = layout.rowMajor ? col : row;
    Value barrier = stageBarrier(emit, single(adaptor.getRing()),
                                 single(adaptor.getStage()));
    byLeader(emit, ids, [&] {
      // One box per panel; innermost coordinate first.
      for (int64_t panel = 0; panel < layout.panels(); ++panel) {
        SmallVector<Value> coordinates = {emit.add(pos, panel * layout.panel),
                                          line};
        if (indices.size() == 3)
          coordinates.push_back(indices.front());
        Value destination = emit.sharedPointer(
            emit.add(single(adaptor.getDest()), panel * layout.panelBytes()));
        // The instruction's destination is an address of the cluster's window.
        Value inCluster = LLVM::AddrSpaceCastOp::create(
            rewriter, op.getLoc(), LLVM::LLVMPointerType::get(getContext(), 7),
            destination);
        NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
            rewriter, op.getLoc(), inCluster, single(adaptor.getSource()),
            coordinates, barrier, ValueRange(), Value(), Value(),
            NVVM::TMALoadMode::TILE,
            /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
      }
    });
    SmallVector<ValueRange> nothing(1);
    rewriter.replaceOpWithMultiple(op, nothing);
    return success();
  }
};

struct RingInitLowering : ThreadPattern<RingInitOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult
  matchAndRewrite(RingInitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    auto offset = op->getAttrOfType<IntegerAttr>("gemm.offset");
    Value symbol = LLVM::AddressOfOp::create(
        rewriter, op.getLoc(), LLVM::LLVMPointerType::get(getContext(), 3),
        sharedSymbol);
    Value start = LLVM::PtrToIntOp::create(rewriter, op.getLoc(),
                                           rewriter.getI32Type(), symbol);
    Value ring = emit.add(start, offset.getInt());
    byLeader(emit, ids, [&] {
      for (int64_t s = 0; s < op.getResult().getType().getStages(); ++s)
        NVVM::MBarrierInitOp::create(rewriter, op.getLoc(),
                                     emit.sharedPointer(emit.add(ring, 8 * s)),
                                     emit.i32(1), Value());
      // Makes the initial phase visible to the copy engine.
      NVVM::FenceMbarrierInitOp::create(rewriter, op.getLoc());
    });
    NVVM::Barrier0Op::create(rewriter, op.getLoc());
    rewriter.replaceOp(op, ring);
    return success();
  }
};

struct RingExpectLowering : ThreadPattern<RingExpectOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult
  matchAndRewrite(RingExpectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    byLeader(emit, ids, [&] {
      NVVM::MBarrierArriveExpectTxOp::create(
          rewriter, op.getLoc(), Type(),
          stageBarrier(emit, single(adaptor.getRing()),
                       single(adaptor.getStage())),
          emit.i32(op.getBytes()), NVVM::MemScopeKind::CTA, /*relaxed=*/false,
          Value());
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct RingWaitLowering : ThreadPattern<RingWaitOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult
  matchAndRewrite(RingWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    // Suspended for at most this many nanoseconds before it looks again.
    constexpr int32_t suspendHint = 10000000;
    NVVM::MBarrierTryWaitParityOp::create(
        rewriter, op.getLoc(),
        stageBarrier(emit, single(adaptor.getRing()),
                     single(adaptor.getStage())),
        single(adaptor.getParity()), emit.i32(suspendHint));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateRingPatterns(RewritePatternSet &patterns,
                          const TypeConverter &converter,
                          const ThreadIds &ids) {
  patterns.add<TmaCopyLowering, RingInitLowering, RingExpectLowering,
               RingWaitLowering>(converter, patterns.getContext(), ids);
}

} // namespace gemm
