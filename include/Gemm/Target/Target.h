//===- Target.h - What an architecture can do -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table row per architecture: limits, copy engines, multiply-accumulate
// instructions with their shapes, types and the PTX version that has them.
// Passes ask questions of a row; they never compare names.
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_TARGET_TARGET_H
#define GEMM_TARGET_TARGET_H

#include "Gemm/IR/Gemm.h"

namespace gemm {

/// A multiply-accumulate instruction as an architecture has it.
struct Instruction {
  InstructionKind kind;
  /// Shape of one instruction. For wgmma `n` is the largest; every multiple of
  /// 8 up to it exists, and for integers 8, 24 and every multiple of 16.
  int64_t m, n, k;
  /// Element types, as MLIR writes them: "f16", "bf16", "f32", "f64"... For
  /// fma, A and B are extended to the accumulator's type first.
  llvm::StringRef a, b, accumulator;
  /// PTX ISA version that has it, 10 * major + minor (PTX ISA, "Release
  /// Notes").
  int ptx;
};

/// One architecture.
struct TargetInfo {
  /// The name of the `#gemm.target`, which is what LLVM and ptxas call it.
  llvm::StringRef name;
  /// Lowest PTX ISA version that knows the architecture, 10 * major + minor.
  int ptx;
  /// Shared memory one CTA can have, and one SM holds, in bytes (CUDA C++
  /// Programming Guide, "Technical Specifications per Compute Capability").
  int64_t sharedPerCta, sharedPerSm;
  /// 32-bit registers of an SM; most of one thread.
  int64_t registersPerSm, registersPerThread;
  int64_t threadsPerCta, threadsPerSm;
  /// Copy engines beyond plain loads and stores.
  bool hasCpAsync, hasTma;
  llvm::ArrayRef<Instruction> instructions;

  bool supports(CopyEngine engine) const;
  /// PTX version that an engine needs here.
  int ptxFor(CopyEngine engine) const;
  /// The instruction of this kind and shape for these element types; null when
  /// the architecture does not have it.
  const Instruction *find(InstructionKind kind, int64_t m, int64_t n, int64_t k,
                          mlir::Type a, mlir::Type b,
                          mlir::Type accumulator) const;
};

/// Why no kernel is made of an instruction that an architecture has; nothing if
/// kernels are. The table holds what the hardware documents, and this is what
/// convert-gemm-to-nvvm writes of it: whoever chooses an instruction asks here.
std::optional<std::string> getEmissionError(InstructionKind kind, mlir::Type a,
                                            mlir::Type b,
                                            mlir::Type accumulator);

/// The row of `name`, or null for a name the table does not have.
const TargetInfo *lookupTarget(llvm::StringRef name);

/// The row that is meant where nobody names a target.
const TargetInfo &getDefaultTarget();

/// The names of all rows, comma-separated, for diagnostics.
std::string knownTargets();

/// The row of `target`; on an unknown name, an error at `loc` that lists the
/// known ones.
const TargetInfo *requireTarget(mlir::Location loc, TargetAttr target);

/// Where one instruction's operands live. `a` is m x k, `b` n x k, `c` m x n,
/// each for one warp (for wgmma: the four warps of a warpgroup). All are empty
/// for fma, which is one thread's own; `a` and `b` are empty for operands that
/// the instruction reads from shared memory. Register digits count elements;
/// elements narrower than 32 bits are packed into a PTX register low first, and
/// PTX registers follow in PTX order.
struct FragmentLayouts {
  layout::Distribution a, b, c;
};

/// Fragments of an instruction, from the PTX ISA section of its kind ("Matrix
/// fragments for mma.m16n8k16" and its siblings; "Register fragments and shared
/// memory matrix layouts" of wgmma). `elementBits` is the width of A's and B's
/// elements. Shapes come from a table row: what no row has gives empty layouts.
FragmentLayouts getFragments(InstructionKind kind, int64_t m, int64_t n,
                             int64_t k, int64_t elementBits);

} // namespace gemm

#endif // GEMM_TARGET_TARGET_H
