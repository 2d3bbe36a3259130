//===- ProblemDescription.h - What the host must know of a GEMM -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_TRANSFORMS_PROBLEMDESCRIPTION_H
#define GEMM_LIB_TRANSFORMS_PROBLEMDESCRIPTION_H

#include "Gemm/IR/Gemm.h"

namespace gemm {

/// A matrix or vector of a problem.
struct OperandDescription {
  std::string name; // A, B, E0..., D
  std::string role; // a, b, epilogue, d
  mlir::Type elementType;
  /// Canonical coordinates: A is (m, k), B (n, k), the others (m, n), (m) or
  /// (n).
  llvm::SmallVector<llvm::StringRef, 2> dims;
  Order order = Order::Row;
  bool batched = false;
  /// Position in `scalarTypes` of the scalar that says, by being zero, that the
  /// operand makes no difference: it is then not read.
  std::optional<unsigned> unusedIfZero;
};

/// A problem that the kernels of this compiler can compute.
struct ProblemDescription {
  llvm::SmallVector<OperandDescription> operands; // A, B, epilogue operands, D
  llvm::SmallVector<mlir::Type> scalarTypes;
  llvm::SmallVector<std::string> scalarNames;
  bool batched = false;
  /// The result is contiguous along m: kernels compute D^T = B·A^T.
  bool transposed = false;

  /// The `problem` part of the kernel artifact (docs/Artifact.md).
  mlir::DictionaryAttr toAttribute(MatmulOp matmul) const;
};

/// Describes `matmul`, or says on the op which part of it no kernel computes
/// yet.
mlir::FailureOr<ProblemDescription> describeProblem(MatmulOp matmul);

} // namespace gemm

#endif // GEMM_LIB_TRANSFORMS_PROBLEMDESCRIPTION_H
