// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gemm dialect, passes and pipelines for a stock mlir-opt:
//   mlir-opt --load-dialect-plugin=GemmPlugin.so
//   --load-pass-plugin=GemmPlugin.so
//     --pass-pipeline='builtin.module(...)'
// The passes of a plugin have no flags of their own: mlir-opt reads its options
// before it loads plugins.
#include "Gemm/InitAll.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "gemm", GEMM_VERSION,
          [](mlir::DialectRegistry *registry) {
            gemm::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "gemm", GEMM_VERSION,
          [] { gemm::registerAllPasses(); }};
}
