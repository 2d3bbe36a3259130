//===- KLoop.h - The parts of a placed K loop -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_TRANSFORMS_KLOOP_H
#define GEMM_LIB_TRANSFORMS_KLOOP_H

#include "Gemm/IR/Gemm.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gemm {

/// A loop over K tiles as gemm-promote-operands leaves it: copies and their
/// finish, a barrier, the multiplication (k-steps over fragments, or one
/// asynchronous mma over shared tiles), a barrier.
struct KLoop {
  mlir::scf::ForOp loop;
  llvm::SmallVector<CopyStartOp, 2> copies;
  /// Something that threads wrote is read asynchronously.
  bool fenced = false;
  MmaOp mma;
  /// The loop over k-steps and its fragments; null when the mma reads shared
  /// memory.
  mlir::scf::ForOp steps;
  ReadFragOp readA, readB;
  /// k of one tile.
  int64_t tileK = 0;

  bool isAsync() const { return !steps; }
  bool has(CopyEngine engine) const {
    return llvm::any_of(copies, [&](CopyStartOp copy) {
      return const_cast<CopyStartOp &>(copy).getCopy().getEngine() == engine;
    });
  }

  /// Takes a loop apart, or says on it what does not belong.
  static mlir::FailureOr<KLoop> match(mlir::scf::ForOp loop);
};

} // namespace gemm

#endif // GEMM_LIB_TRANSFORMS_KLOOP_H
