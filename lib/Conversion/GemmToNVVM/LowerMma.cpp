//===- LowerMma.cpp - Multiplication, by instruction kind -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace gemm {

namespace {

struct MmaLowering : ThreadPattern<MmaOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(checkFragments(op)))
      return failure();
    Emitter emit(rewriter, op.getLoc());
    MmaOperands operands{llvm::to_vector(adaptor.getA()),
                         llvm::to_vector(adaptor.getB()),
                         llvm::to_vector(adaptor.getAcc())};
    LogicalResult emitted = failure();
    switch (op.getInstruction()->getKind()) {
    case InstructionKind::Fma:
      emitted = emitFma(op, emit, operands);
      break;
    case InstructionKind::MmaSync:
      emitted = emitMmaSync(op, emit, operands);
      break;
    case InstructionKind::Wgmma:
      emitted = emitWgmma(op, emit, operands, ids);
      break;
    }
    if (failed(emitted))
      return failure();
    rewriter.replaceOpWithMultiple(op, {ValueRange(operands.acc)});
    return success();
  }
};

} // namespace

void populateMmaPatterns(RewritePatternSet &patterns,
                         const TypeConverter &converter, const ThreadIds &ids) {
  patterns.add<MmaLowering>(converter, patterns.getContext(), ids);
}

} // namespace gemm
