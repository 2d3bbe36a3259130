// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with the gemm dialect, its passes and pipelines, and the upstream
// passes that go well between them. For all others, load GemmPlugin.so into the
// stock mlir-opt.
#include "Gemm/InitAll.h"

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
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "GEMM optimizer driver\n", registry));
}
