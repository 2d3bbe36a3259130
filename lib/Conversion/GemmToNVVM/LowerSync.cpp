//===- LowerSync.cpp - Barriers, fences, waits, shared tiles --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlineAsm.h"
#include "Lowering.h"

using namespace mlir;

namespace gemm {

namespace {

struct BarrierLowering : OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(BarrierOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::Barrier0Op::create(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

struct FenceAsyncLowering : OpConversionPattern<FenceAsyncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(FenceAsyncOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::FenceProxyOp::create(
        rewriter, op.getLoc(), NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(getContext(),
                                   NVVM::SharedSpace::shared_cta));
    rewriter.eraseOp(op);
    return success();
  }
};

struct CopyCommitLowering : OpConversionPattern<CopyCommitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(CopyCommitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct CopyWaitLowering : OpConversionPattern<CopyWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(CopyWaitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op, op.getPending());
    return success();
  }
};

/// A finish outside a pipeline waits for everything. Copies through registers
/// have finished when they are issued.
struct CopyFinishLowering : OpConversionPattern<CopyFinishOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(CopyFinishOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool grouped = false;
    for (Value token : op.getTokens())
      if (auto copy = token.getDefiningOp<CopyStartOp>())
        grouped |= copy.getCopy().getEngine() == CopyEngine::CpAsync;
    if (grouped) {
      NVVM::CpAsyncCommitGroupOp::create(rewriter, op.getLoc());
      NVVM::CpAsyncWaitGroupOp::create(rewriter, op.getLoc(), 0);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct MmaWaitLowering : OpConversionPattern<MmaWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MmaWaitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::WgmmaWaitGroupSyncOp::create(rewriter, op.getLoc(), op.getPending());
    rewriter.eraseOp(op);
    return success();
  }
};

/// The wait has no operands in LLVM's eyes; tied to the accumulators, it cannot
/// be passed by a use of them.
struct MmaFinishLowering : OpConversionPattern<MmaFinishOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MmaFinishOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> tied =
        tieRegisters(rewriter, op.getLoc(), adaptor.getAcc(),
                     "wgmma.wait_group.sync.aligned 0;");
    rewriter.replaceOpWithMultiple(op, {ValueRange(tied)});
    return success();
  }
};

struct AllocSharedLowering : OpConversionPattern<AllocSharedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AllocSharedOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto offset = op->getAttrOfType<IntegerAttr>("gemm.offset");
    if (!offset) { // never used
      rewriter.eraseOp(op);
      return success();
    }
    Emitter emit(rewriter, op.getLoc());
    Value symbol = LLVM::AddressOfOp::create(
        rewriter, op.getLoc(), LLVM::LLVMPointerType::get(getContext(), 3),
        sharedSymbol);
    Value start = LLVM::PtrToIntOp::create(rewriter, op.getLoc(),
                                           rewriter.getI32Type(), symbol);
    rewriter.replaceOp(op, emit.add(start, offset.getInt()));
    return success();
  }
};

struct SlotLowering : OpConversionPattern<SlotOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(SlotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    int64_t bytes = op.getResult().getType().getStageBytes();
    rewriter.replaceOp(op,
                       emit.add(single(adaptor.getSource()),
                                emit.mul(single(adaptor.getStage()), bytes)));
    return success();
  }
};

} // namespace

void populateSyncPatterns(RewritePatternSet &patterns,
                          const TypeConverter &converter, const ThreadIds &) {
  patterns.add<BarrierLowering, FenceAsyncLowering, CopyCommitLowering,
               CopyWaitLowering, CopyFinishLowering, MmaWaitLowering,
               MmaFinishLowering, AllocSharedLowering, SlotLowering>(
      converter, patterns.getContext());
}

} // namespace gemm
