//===- Pipelines.cpp - The order of the passes ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Pipelines/Pipelines.h"

#include "Gemm/Conversion/Passes.h"
#include "Gemm/Transforms/Passes.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace gemm {

std::optional<Phase> parsePhase(StringRef name) {
  return llvm::StringSwitch<std::optional<Phase>>(name)
      .Case("problem", Phase::Problem)
      .Case("scheduled", Phase::Scheduled)
      .Case("tiled", Phase::Tiled)
      .Case("placed", Phase::Placed)
      .Case("swizzled", Phase::Swizzled)
      .Case("pipelined", Phase::Pipelined)
      .Case("thread", Phase::Thread)
      .Case("nvvm", Phase::NVVM)
      .Default(std::nullopt);
}

void buildPipeline(OpPassManager &manager, const CompileOptions &options,
                   Phase last) {
  // Source to problem.
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createConvertLinalgToGemmPass());
  functions.addPass(createFuseEpiloguePass());
  if (last == Phase::Problem)
    return;

  // Problem to schedule, and to buffers: a kernel needs addresses.
  SelectSchedulePassOptions select;
  select.target = options.target;
  select.schedule = options.schedule;
  manager.addPass(createSelectSchedulePass(select));
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  if (last == Phase::Scheduled)
    return;

  // Schedule to kernels.
  manager.addPass(createTileToGrid());
  manager.addPass(createCanonicalizerPass());
  if (last == Phase::Tiled)
    return;
  OpPassManager &modules = manager.nest<gpu::GPUModuleOp>();
  OpPassManager &kernels = modules.nest<KernelOp>();
  kernels.addPass(createPromoteOperands());
  if (last == Phase::Placed)
    return;
  kernels.addPass(createSwizzleShared());
  if (last == Phase::Swizzled)
    return;
  kernels.addPass(createPipelineLoads());
  if (last == Phase::Pipelined)
    return;

  // Kernels to threads.
  modules.addPass(createConvertGemmToNVVM());
  // No canonicalizer: on loops that carry a hundred registers it takes ten
  // times as long as everything else, and LLVM folds the same.
  modules.addPass(createCSEPass());
  if (last == Phase::Thread)
    return;

  // Threads to what upstream translates.
  modules.addPass(createSCFToControlFlowPass());
  ConvertToLLVMPassOptions toLLVM;
  toLLVM.filterDialects = {"arith", "cf", "math", "nvvm"};
  modules.addPass(createConvertToLLVMPass(toLLVM));
  modules.addPass(createReconcileUnrealizedCastsPass());
}

namespace {

/// The options on the command line.
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("Architecture, as #gemm.target names it; "
                     "empty: the default of the target table"),
      llvm::cl::init("")};
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc(
          "smem, mma-sync, wgmma, or the text of a #gemm.schedule; empty: the "
          "compiler chooses"),
      llvm::cl::init("")};
  Option<std::string> phase{
      *this, "to",
      llvm::cl::desc(
          "Last phase: problem, scheduled, tiled, placed, swizzled, pipelined, "
          "thread, nvvm"),
      llvm::cl::init("nvvm")};
};

} // namespace

// PassPipelineRegistration cannot say that an option's value is wrong.
void registerPipelines() {
  auto build = [](OpPassManager &manager, StringRef text,
                  function_ref<LogicalResult(const Twine &)> emitError) {
    PipelineOptions options;
    if (failed(options.parseFromString(text)))
      return failure();
    std::optional<Phase> phase = parsePhase(options.phase);
    if (!phase)
      return emitError(
          "unknown phase '" + Twine(options.phase) +
          "'; use problem, scheduled, tiled, placed, swizzled, pipelined, "
          "thread or nvvm");
    buildPipeline(manager, {options.target, options.schedule}, *phase);
    return success();
  };
  registerPassPipeline(
      "gemm-lower-to-nvvm-pipeline",
      "Lower linalg contractions and gemm.matmul to NVVM kernels", build,
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(PipelineOptions());
      });
}

LogicalResult compileToPhase(ModuleOp module, const CompileOptions &options,
                             Phase last) {
  PassManager manager(module.getContext());
  buildPipeline(manager, options, last);
  return manager.run(module);
}

FailureOr<std::string> compileToArtifact(ModuleOp module,
                                         const CompileOptions &options) {
  if (failed(compileToPhase(module, options, Phase::NVVM)))
    return failure();
  return translateToArtifact(module);
}

} // namespace gemm
