//===- GemmToNVVM.cpp - From a kernel to one thread -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Conversion/Passes.h"
#include "Gemm/Target/Target.h"

#include "Lowering.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace gemm {

#define GEN_PASS_DEF_CONVERTGEMMTONVVM
#include "Gemm/Conversion/Passes.h.inc"

GemmTypeConverter::GemmTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](ViewType type, SmallVectorImpl<Type> &parts) {
    MLIRContext *context = type.getContext();
    Type i64 = IntegerType::get(context, 64);
    parts.push_back(LLVM::LLVMPointerType::get(context, 1));
    if (type.getRank() >= 2)
      parts.push_back(i64);
    if (type.isBatched())
      parts.push_back(i64);
    return success();
  });
  addConversion([](TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  addConversion([](SharedType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
  addConversion([](RingType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
  addConversion([](FragType type, SmallVectorImpl<Type> &parts) {
    parts.append(wordCount(type.getElementType(), type.getElementsPerThread()),
                 wordType(type.getElementType()));
    return success();
  });
  addConversion([](TokenType, SmallVectorImpl<Type> &) { return success(); });
}

SmallVector<Value> singles(ArrayRef<ValueRange> values) {
  return llvm::map_to_vector(values, [](ValueRange v) { return v.front(); });
}

int64_t wordCount(Type type, int64_t elements) {
  int64_t bits = type.getIntOrFloatBitWidth();
  return bits >= 32 ? elements : (elements * bits + 31) / 32;
}

Type wordType(Type type) {
  return type.getIntOrFloatBitWidth() >= 32
             ? type
             : IntegerType::get(type.getContext(), 32);
}

Value matrixPointer(Emitter &emit, ViewType type, ViewParts view,
                    ArrayRef<Value> indices) {
  Value row = indices[indices.size() - 2], col = indices.back();
  Value line = type.getOrder() == Order::Row ? row : col;
  Value pos = type.getOrder() == Order::Row ? col : row;
  Value elements =
      emit.add(emit.mul(emit.extend(line), view.leading), emit.extend(pos));
  if (type.isBatched())
    elements = emit.add(
        elements, emit.mul(emit.extend(indices.front()), view.batchStride));
  return emit.offset(
      view.pointer, emit.mul(elements, getElementBytes(type.getElementType())));
}

namespace {

/// Loops over k-steps have constant bounds; unrolled, the fragments' addresses
/// fold into immediates.
LogicalResult unrollSteps(KernelOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (!loop.getBody()->getOps<MmaOp>().empty() &&
        !loop.getBody()->getOps<ReadFragOp>().empty() &&
        matchPattern(loop.getLowerBound(), m_Constant()) &&
        matchPattern(loop.getUpperBound(), m_Constant()) &&
        matchPattern(loop.getStep(), m_Constant()))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    if (failed(loopUnrollFull(loop)))
      return failure();
  // The steps' positions become constants.
  return loops.empty() ? success() : applyPatternsGreedily(kernel, {});
}

/// The lowest PTX version that has everything a kernel uses: drivers are older
/// than toolkits.
int requiredPtx(KernelOp kernel, const TargetInfo &target) {
  int ptx = target.ptx;
  kernel.walk([&](Operation *op) {
    if (auto copy = dyn_cast<CopyStartOp>(op))
      ptx = std::max(ptx, target.ptxFor(copy.getCopy().getEngine()));
    auto mma = dyn_cast<MmaOp>(op);
    if (!mma || !mma.getInstruction())
      return;
    MmaAttr i = *mma.getInstruction();
    auto element = [](Value v) {
      if (auto shared = dyn_cast<SharedType>(v.getType()))
        return shared.getElementType();
      return cast<FragType>(v.getType()).getElementType();
    };
    if (const Instruction *found = target.find(
            i.getKind(), i.getM(), i.getN(), i.getK(), element(mma.getA()),
            element(mma.getB()), element(mma.getAcc())))
      ptx = std::max(ptx, found->ptx);
  });
  return ptx;
}

struct ConvertGemmToNVVM : impl::ConvertGemmToNVVMBase<ConvertGemmToNVVM> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    SmallVector<KernelOp> kernels(module.getOps<KernelOp>());
    if (kernels.empty())
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    // Swizzles repeat every 1024 bytes, so every tile starts at a multiple of
    // that.
    LLVM::GlobalOp::create(builder, module.getLoc(), bytes,
                           /*isConstant=*/false, LLVM::Linkage::External,
                           sharedSymbol, Attribute(),
                           /*alignment=*/1024, /*addrSpace=*/3);
    // Without it i64 accesses are split (translation does not set it).
    module->setAttr(
        LLVM::LLVMDialect::getDataLayoutAttrName(),
        builder.getStringAttr(
            "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"));
    int ptx = 0;
    const TargetInfo *target = nullptr;
    for (KernelOp kernel : kernels) {
      target = kernel.getTargetAttr()
                   ? requireTarget(kernel.getLoc(), kernel.getTargetAttr())
                   : nullptr;
      if (!target || !kernel.getBlock()) {
        if (!kernel.getTargetAttr() || !kernel.getBlock())
          kernel.emitOpError("needs a block size and a target; run "
                             "gemm-promote-operands first");
        return signalPassFailure();
      }
      ptx = std::max(ptx, requiredPtx(kernel, *target));
      if (failed(convert(kernel, *target)))
        return signalPassFailure();
    }
    module.setTargetsAttr(builder.getArrayAttr(NVVM::NVVMTargetAttr::get(
        &getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", target->name,
        "+ptx" + std::to_string(ptx))));
  }

  /// Patterns rely on it that everything has a home.
  LogicalResult checkHomes(KernelOp kernel) {
    WalkResult result = kernel.walk([](Operation *op) -> WalkResult {
      if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<TileType>))
        return op->emitOpError(
            "makes a tile without a home; run gemm-promote-operands first");
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult convert(KernelOp kernel, const TargetInfo &target) {
    if (failed(checkHomes(kernel)))
      return failure();
    FailureOr<int64_t> sharedBytes = planSharedMemory(kernel);
    if (failed(sharedBytes))
      return failure();
    if (*sharedBytes > target.sharedPerCta)
      return kernel.emitOpError("needs ")
             << *sharedBytes << " bytes of shared memory, "
             << *sharedBytes - target.sharedPerCta << " more than a CTA has on "
             << target.name << "; use fewer stages or a smaller tile";
    FailureOr<DictionaryAttr> entry = describeEntry(kernel, *sharedBytes);
    if (failed(entry) || failed(unrollSteps(kernel)))
      return failure();
    kernel->setAttr("gemm.entry", *entry);

    MLIRContext *context = &getContext();
    GemmTypeConverter converter;
    ThreadIds ids;
    ids.count = *kernel.getBlock();
    RewritePatternSet patterns(context);
    ConversionTarget legal(*context);
    legal.addIllegalDialect<GemmDialect>();
    legal.addLegalDialect<arith::ArithDialect, LLVM::LLVMDialect,
                          NVVM::NVVMDialect>();
    legal.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         legal);
    populateKernelPatterns(patterns, converter, ids);
    populateCopyPatterns(patterns, converter, ids);
    populateRingPatterns(patterns, converter, ids);
    populateFragmentPatterns(patterns, converter, ids);
    populateMmaPatterns(patterns, converter, ids);
    populateMapPatterns(patterns, converter, ids);
    populateStorePatterns(patterns, converter, ids);
    populateSyncPatterns(patterns, converter, ids);
    // A pattern that refuses says why; that the op could not be converted,
    // which the driver adds, says nothing more. Other threads' diagnostics are
    // not ours.
    bool refused = false;
    ScopedDiagnosticHandler firstError(
        context, [&, thread = llvm::get_threadid()](Diagnostic &diagnostic) {
          bool isOurs = diagnostic.getSeverity() == DiagnosticSeverity::Error &&
                        llvm::get_threadid() == thread;
          return success(isOurs && std::exchange(refused, true));
        });
    return applyPartialConversion(kernel, legal, std::move(patterns));
  }
};

} // namespace

} // namespace gemm
