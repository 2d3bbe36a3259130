//===- TargetQueries.cpp - What passes ask a target -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Target/Target.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace gemm {

bool TargetInfo::supports(CopyEngine engine) const {
  switch (engine) {
  case CopyEngine::Registers:
    return true;
  case CopyEngine::CpAsync:
    return hasCpAsync;
  case CopyEngine::Tma:
    return hasTma;
  }
  return false;
}

int TargetInfo::ptxFor(CopyEngine engine) const {
  // PTX ISA Notes of "cp.async" and "cp.async.bulk.tensor".
  constexpr int cpAsync = 70, tma = 80;
  switch (engine) {
  case CopyEngine::Registers:
    return ptx;
  case CopyEngine::CpAsync:
    return std::max(ptx, cpAsync);
  case CopyEngine::Tma:
    return std::max(ptx, tma);
  }
  return ptx;
}

/// The type as the table writes it.
static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Whether `n` is a width of this instruction (PTX ISA, "Matrix Shape" of
/// wgmma).
static bool hasWidth(const Instruction &instruction, int64_t n) {
  if (instruction.kind != InstructionKind::Wgmma)
    return n == instruction.n;
  if (n < 8 || n > instruction.n || n % 8)
    return false;
  return instruction.accumulator != "i32" || n == 8 || n == 24 || n % 16 == 0;
}

const Instruction *TargetInfo::find(InstructionKind kind, int64_t m, int64_t n,
                                    int64_t k, Type a, Type b,
                                    Type accumulator) const {
  std::string aName = print(a), bName = print(b), cName = print(accumulator);
  for (const Instruction &i : instructions)
    if (i.kind == kind && i.m == m && hasWidth(i, n) && i.k == k &&
        i.a == aName && i.b == bName && i.accumulator == cName)
      return &i;
  return nullptr;
}

std::optional<std::string> getEmissionError(InstructionKind kind, Type a,
                                            Type b, Type accumulator) {
  // An fma is LLVM's, for all types of the table.
  if (kind == InstructionKind::Fma ||
      ((a.isF16() || a.isBF16()) && b == a && accumulator.isF32()))
    return std::nullopt;
  return llvm::formatv("{0} takes f16 or bf16 operands, both the same, and an "
                       "f32 accumulator, not {1} x {2} -> {3}",
                       stringifyEnum(kind), print(a), print(b),
                       print(accumulator))
      .str();
}

const TargetInfo *requireTarget(Location loc, TargetAttr target) {
  if (!target) {
    emitError(loc) << "has no target; the known ones are " << knownTargets();
    return nullptr;
  }
  const TargetInfo *row = lookupTarget(target.getName());
  if (!row)
    emitError(loc) << "unknown target '" << target.getName()
                   << "'; the known ones are " << knownTargets();
  return row;
}

} // namespace gemm
