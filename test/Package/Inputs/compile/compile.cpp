// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest embedding: a problem in, PTX out, in one process.
#include "Gemm/InitAll.h"
#include "Gemm/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

static const char *const source = R"mlir(
func.func @matmul(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  %product = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>)
                           outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %product : tensor<?x?xf32>
}
)mlir";

int main() {
  mlir::DialectRegistry registry;
  gemm::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
  if (!module)
    return 1;
  auto artifact = gemm::compileToArtifact(
      *module, {.target = "sm_90a", .schedule = "smem"});
  if (mlir::failed(artifact))
    return 1;
  llvm::outs() << *artifact;
  return 0;
}
