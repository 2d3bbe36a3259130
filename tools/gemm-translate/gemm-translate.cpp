//===- gemm-translate.cpp - From kernels in the NVVM phase to an artifact -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/InitAll.h"
#include "Gemm/Pipelines/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;

int main(int argc, char **argv) {
  TranslateFromMLIRRegistration artifact(
      "gemm-to-artifact",
      "PTX with a description of its kernels, from phase nvvm",
      [](Operation *op, llvm::raw_ostream &output) -> LogicalResult {
        FailureOr<std::string> text =
            gemm::translateToArtifact(cast<ModuleOp>(op));
        if (failed(text))
          return failure();
        output << *text;
        return success();
      },
      gemm::registerAllDialects);
  TranslateFromMLIRRegistration compiled(
      "compile-gemm",
      "the same from source IR, for the default target and the compiler's "
      "schedule",
      [](Operation *op, llvm::raw_ostream &output) -> LogicalResult {
        FailureOr<std::string> text =
            gemm::compileToArtifact(cast<ModuleOp>(op), gemm::CompileOptions());
        if (failed(text))
          return failure();
        output << *text;
        return success();
      },
      gemm::registerAllDialects);
  return failed(mlirTranslateMain(argc, argv, "GEMM translation driver"));
}
