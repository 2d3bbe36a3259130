//===- LowerKernel.cpp - Kernels and work items ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace gemm {

namespace {

/// gemm.kernel -> llvm.func with nvvm.kernel.
class KernelLowering : public OpConversionPattern<KernelOp> {
public:
  KernelLowering(const TypeConverter &converter, MLIRContext *context,
                 ThreadIds &ids)
      : OpConversionPattern(converter, context), ids(ids) {}

  LogicalResult
  matchAndRewrite(KernelOp kernel, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = kernel.getLoc();
    TypeConverter::SignatureConversion signature(
        kernel.getBody().getNumArguments());
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      SmallVector<Type> parts;
      if (failed(getTypeConverter()->convertType(type, parts)))
        return rewriter.notifyMatchFailure(kernel, "argument type");
      signature.addInputs(i, parts);
    }
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(getContext()), signature.getConvertedTypes());
    auto function =
        LLVM::LLVMFuncOp::create(rewriter, loc, kernel.getName(), type);
    int32_t block = *kernel.getBlock();
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      rewriter.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      rewriter.getDenseI32ArrayAttr({block}));
    function->setAttr("gemm.entry", kernel->getAttr("gemm.entry"));
    setArgumentAttributes(kernel, function, signature, rewriter);

    rewriter.inlineRegionBefore(kernel.getBody(), function.getBody(),
                                function.getBody().end());
    Block *entry = rewriter.applySignatureConversion(
        &function.getBody().front(), signature, getTypeConverter());
    rewriter.setInsertionPointToStart(entry);
    emitThreadIds(rewriter, loc, block);
    rewriter.eraseOp(kernel);
    return success();
  }

private:
  /// A and B are read only and overlap nothing; a tensor map is a grid
  /// constant, without which LLVM copies it to local memory, where TMA cannot
  /// read it.
  void setArgumentAttributes(KernelOp kernel, LLVM::LLVMFuncOp function,
                             TypeConverter::SignatureConversion &signature,
                             OpBuilder &builder) const {
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      auto mapped = signature.getInputMapping(i);
      if (!mapped)
        continue;
      unsigned first = mapped->inputNo;
      if (isa<TensorMapType>(type)) {
        function.setArgAttr(
            first, LLVM::LLVMDialect::getByValAttrName(),
            TypeAttr::get(LLVM::LLVMArrayType::get(builder.getI8Type(), 128)));
        function.setArgAttr(first, LLVM::LLVMDialect::getAlignAttrName(),
                            builder.getI64IntegerAttr(64));
        function.setArgAttr(first, NVVM::NVVMDialect::getGridConstantAttrName(),
                            builder.getUnitAttr());
      } else if (isa<ViewType>(type) && kernel.getRole(i).getIndex() < 2) {
        function.setArgAttr(first, LLVM::LLVMDialect::getNoAliasAttrName(),
                            builder.getUnitAttr());
        function.setArgAttr(first, LLVM::LLVMDialect::getReadonlyAttrName(),
                            builder.getUnitAttr());
      }
    }
  }

  void emitThreadIds(OpBuilder &builder, Location loc, int32_t block) const {
    Emitter emit(builder, loc);
    Type i32 = builder.getI32Type();
    ids.thread = NVVM::ThreadIdXOp::create(
        builder, loc, i32,
        LLVM::ConstantRangeAttr::get(builder.getContext(), APInt(32, 0),
                                     APInt(32, block)));
    ids.lane = emit.bitAnd(ids.thread, 31);
    // Broadcast, so that what follows from it is the same register in all lanes
    // (wgmma descriptors then live in uniform registers).
    ids.warp = NVVM::ShflOp::create(
        builder, loc, i32, emit.i32(-1), emit.shr(ids.thread, 5), emit.i32(0),
        emit.i32(31), NVVM::ShflKind::idx, UnitAttr());
  }

  ThreadIds &ids;
};

struct ReturnLowering : OpConversionPattern<ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ReturnOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

/// One CTA per tile: the item follows from the block index. Tiles are walked in
/// groups of `raster` tile rows, column by column inside a group.
struct ForWorkLowering : OpConversionPattern<ForWorkOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ForWorkOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Emitter emit(rewriter, loc);
    Value rows = single(adaptor.getM()), cols = single(adaptor.getN());
    int64_t tileM = op.getTile()[0], tileN = op.getTile()[1];
    // Without overflow for extents near 2^31: (x - 1) / tile + 1, x >= 1.
    auto tiles = [&](Value extent, int64_t tile) {
      return emit.add(emit.div(emit.add(extent, -1), tile), 1);
    };
    Value tilesM = tiles(rows, tileM), tilesN = tiles(cols, tileN);
    Value cta = NVVM::BlockIdXOp::create(rewriter, loc, rewriter.getI32Type());
    Value perBatch = emit.mul(tilesM, tilesN);
    Value batch = emit.div(cta, perBatch);
    Value tile = emit.sub(cta, emit.mul(batch, perBatch));
    int64_t raster = op.getWork().getRaster();
    Value perGroup = emit.mul(tilesN, raster);
    Value group = emit.div(tile, perGroup);
    Value first = emit.mul(group, raster);
    Value height = emit.min(emit.sub(tilesM, first), emit.i32(raster));
    Value inGroup = emit.sub(tile, emit.mul(group, perGroup));
    Value col = emit.div(inGroup, height);
    Value row = emit.add(first, emit.sub(inGroup, emit.mul(col, height)));

    SmallVector<Value> item = {batch, emit.mul(row, tileM),
                               emit.mul(col, tileN), emit.i32(0),
                               single(adaptor.getK())};
    Block *body = &op.getBody().front();
    rewriter.eraseOp(body->getTerminator());
    rewriter.inlineBlockBefore(body, op, item);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateKernelPatterns(RewritePatternSet &patterns,
                            const TypeConverter &converter, ThreadIds &ids) {
  patterns.add<KernelLowering>(converter, patterns.getContext(), ids);
  patterns.add<ReturnLowering, ForWorkLowering>(converter,
                                                patterns.getContext());
}

} // namespace gemm
