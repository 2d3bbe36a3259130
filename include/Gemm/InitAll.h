//===- InitAll.h - Everything a tool registers ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_INITALL_H
#define GEMM_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace gemm {

/// Adds the gemm dialect, the upstream dialects that a GEMM comes from or is
/// lowered through, and what upstream needs to bufferize and to translate them.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Makes the passes and pipelines of this project known by name.
void registerAllPasses();

} // namespace gemm

#endif // GEMM_INITALL_H
