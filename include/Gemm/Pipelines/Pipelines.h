//===- Pipelines.h - The order of the passes --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_PIPELINES_PIPELINES_H
#define GEMM_PIPELINES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace gemm {

/// What a user decides; everything else is in the schedule.
struct CompileOptions {
  /// A name of the target table, as `#gemm.target` writes it; empty: its
  /// default row.
  std::string target;
  /// Empty: the compiler chooses. Otherwise the name of a schedule (smem,
  /// mma-sync, wgmma) or the text of a `#gemm.schedule`.
  std::string schedule;
};

/// The phases of the IR, in order. A compilation can stop after any of them.
enum class Phase {
  Problem,   // gemm.matmul
  Scheduled, // with a family of schedules, on buffers
  Tiled,     // gemm.launch and gemm.kernel, tiles without a home
  Placed,    // shared tiles and fragments
  Swizzled,  // shared layouts
  Pipelined, // stages and rings
  Thread,    // llvm.func of nvvm, llvm, arith, scf
  NVVM       // llvm and nvvm only: ready for translation
};

/// The phase called `name` (problem, scheduled, tiled, placed, swizzled,
/// pipelined, thread, nvvm), or nothing.
std::optional<Phase> parsePhase(llvm::StringRef name);

/// Adds the passes from source IR (linalg or gemm.matmul, on tensors or
/// memrefs) to `last`, that phase included.
void buildPipeline(mlir::OpPassManager &manager, const CompileOptions &options,
                   Phase last = Phase::NVVM);

/// Makes `gemm-lower-to-nvvm-pipeline` and its parts known by name.
void registerPipelines();

/// The kernel artifact (docs/Artifact.md) of the only `gpu.module` of a module
/// in phase NVVM. Fails with a diagnostic on the module.
mlir::FailureOr<std::string> translateToArtifact(mlir::ModuleOp module);

/// Runs the whole pipeline in place and translates. Diagnostics go to the
/// context.
mlir::FailureOr<std::string> compileToArtifact(mlir::ModuleOp module,
                                               const CompileOptions &options);

/// Runs the pipeline in place up to `last`.
mlir::LogicalResult compileToPhase(mlir::ModuleOp module,
                                   const CompileOptions &options, Phase last);

} // namespace gemm

#endif // GEMM_PIPELINES_PIPELINES_H
