// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with the gemm dialect, its passes and pipelines, and the upstream
// passes that go between and after them. For all others, load GemmPlugin.so
// into the stock mlir-opt.
#include "Gemm/InitAll.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  gemm::registerAllDialects(registry);
  gemm::registerAllPasses();
  mlir::registerTransformsPasses();
  mlir::bufferization::registerBufferizationPasses();
  mlir::registerPass([] { return mlir::createSCFToControlFlowPass(); });
  mlir::registerPass([] { return mlir::createConvertToLLVMPass(); });
  mlir::registerPass([] { return mlir::createReconcileUnrealizedCastsPass(); });
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "GEMM optimizer driver\n", registry));
}
