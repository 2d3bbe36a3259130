//===- Instructions.h - Multiply-accumulate instructions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups of instructions that came to the hardware together; a target's row
// names the groups it has.
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_TARGET_INSTRUCTIONS_H
#define GEMM_LIB_TARGET_INSTRUCTIONS_H

#include "Gemm/Target/Target.h"

namespace gemm::detail {

/// Scalar multiply-add of one thread: everywhere.
llvm::ArrayRef<Instruction> getFmaInstructions();
/// mma.sync of the first 16x8 generation, with f16 and 8-bit integers.
llvm::ArrayRef<Instruction> getMmaSync75();
/// mma.sync with bf16, tf32, f64 and twice the depth.
llvm::ArrayRef<Instruction> getMmaSync80();
/// mma.sync with 8-bit floats.
llvm::ArrayRef<Instruction> getMmaSync89();
/// mma.sync of 16 rows with f64.
llvm::ArrayRef<Instruction> getMmaSync90();
/// wgmma.mma_async.
llvm::ArrayRef<Instruction> getWgmma90();

} // namespace gemm::detail

#endif // GEMM_LIB_TARGET_INSTRUCTIONS_H
