//===- KernelRules.h - What of a gemm.matmul has kernels --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gemm.matmul can say more than there are kernels for. Whoever makes one of
// another op asks here before, and leaves the op alone; whoever makes a kernel
// asks here again, and refuses.
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_IR_KERNELRULES_H
#define GEMM_IR_KERNELRULES_H

#include "Gemm/IR/MatmulRules.h"

namespace gemm {

/// The largest extent: rounded up to a whole tile it still fits 32 bits. The
/// runtime's interface has the same number (docs/Artifact.md).
inline constexpr int64_t largestExtent = 0x7fff0000;

/// Which part of `matmul` no kernel computes; nothing if there are kernels, as
/// far as this does not depend on single operands.
std::optional<std::string> getKernelProblemError(MatmulOp matmul);

/// Why kernels cannot have an iteration space of `numBatch` batch dimensions
/// and m, n, k; nothing if they can.
std::optional<std::string> getKernelBatchError(unsigned numBatch);

/// Why kernels cannot read or write a value of `type` as the matrix `role` with
/// the index list `map`; nothing if they can. Whether they multiply its
/// elements is a question to the target.
std::optional<std::string>
getKernelMatrixError(MatrixRole role, mlir::Type type, mlir::AffineMap map);

/// Why an epilogue in a kernel cannot read an operand of `type`, a scalar,
/// tensor or memref, with the index list `map`; nothing if it can.
std::optional<std::string> getKernelEpilogueError(mlir::Type type,
                                                  mlir::AffineMap map);

/// Why a thread cannot compute `op` of an epilogue; nothing if it can.
std::optional<std::string> getKernelScalarOpError(mlir::Operation &op);

} // namespace gemm

#endif // GEMM_IR_KERNELRULES_H
