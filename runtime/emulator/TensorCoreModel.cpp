// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of tensor-core models, one row per (family, instruction, type).
// Rows that no GPU of ours has confirmed say so in `source`; what was measured
// is in ../agreement/README.md.

#include "TensorCore.h"

#include <algorithm>
#include <iterator>

namespace gemm::emulator {

namespace {

using Family = TensorCoreFamily;

constexpr const char *literature = "from the literature, not confirmed here";
constexpr const char *hopperMeasured =
    "MMA-Sim, arXiv 2511.10909; an H200, measured";
constexpr const char *fp8Expansion =
    "ptxas 13.0: F2FP to f16, two HMMAs from zero, then an addition";
constexpr const char *multiplyAdds =
    "ptxas 13.0: FFMA in increasing k, then an addition";

bool isFp8(ElementType type) {
  return type == ElementType::E4M3 || type == ElementType::E5M2;
}

/// Properties of a family's unit.
struct FamilyRow {
  Family family;
  const char *name;
  unsigned fractionBits; ///< F of the f16, bf16 and tf32 instructions
  unsigned stepBytes;    ///< operand bytes that one fused step consumes
  bool hasWideTypes;     ///< bf16 and tf32
  bool hasFp8;
  const char *source;
};

constexpr FamilyRow families[] = {
    {Family::Volta, "Volta", 23, 8, false, false, literature},
    {Family::Turing, "Turing", 24, 16, false, false, literature},
    {Family::Ampere, "Ampere", 24, 16, true, false, literature},
    {Family::Ada, "Ada", 24, 16, true, true, literature},
    {Family::Hopper, "Hopper", 25, 32, true, true, hopperMeasured},
    // As published for sm_120; sm_100 expands an fp8 mma.sync like Hopper.
    {Family::Blackwell, "Blackwell", 25, 32, true, true, literature},
};

const FamilyRow &familyRow(Family family) {
  return *std::find_if(
      std::begin(families), std::end(families),
      [&](const FamilyRow &row) { return row.family == family; });
}

} // namespace

TensorCoreFamily tensorCoreFamily(unsigned architecture) {
  if (architecture < 75)
    return Family::Volta;
  if (architecture < 80)
    return Family::Turing;
  if (architecture < 89)
    return Family::Ampere;
  if (architecture < 90)
    return Family::Ada;
  return architecture < 100 ? Family::Hopper : Family::Blackwell;
}

std::optional<TensorCoreModel>
tensorCoreModel(TensorCoreFamily family, TensorInstruction instruction,
                ElementType multiplicand, MmaShape shape, std::string *error) {
  const FamilyRow &row = familyRow(family);
  const bool isWgmma = instruction == TensorInstruction::Wgmma;
  bool exists = false;
  switch (multiplicand) {
  case ElementType::F16:
    exists = true;
    break;
  case ElementType::BF16:
  case ElementType::TF32:
    exists = row.hasWideTypes;
    break;
  case ElementType::E4M3:
  case ElementType::E5M2:
    exists = row.hasFp8;
    break;
  default:
    break;
  }
  if (isWgmma && family != Family::Hopper)
    exists = false;
  if (!exists) {
    if (error)
      *error = std::string(row.name) + " tensor cores have no " +
               (isWgmma ? "wgmma" : "mma.sync") + " on " +
               elementName(multiplicand);
    return std::nullopt;
  }

  const unsigned k = shape.k;
  TensorCoreModel model;
  model.fractionBits = row.fractionBits;
  model.stepLength = std::min(k, row.stepBytes * 8 / elementBits(multiplicand));
  model.source = row.source;
  if (multiplicand == ElementType::F16 && k == 4 && family >= Family::Ampere) {
    model.expansion = TensorExpansion::MultiplyAdds;
    model.source = multiplyAdds;
  }
  // The tf32 shape of wmma, m16n16k8, becomes HMMAs of depth 4 in increasing k
  // (ptxas 13.0), also where mma.m16n8k8 is one step.
  if (multiplicand == ElementType::TF32 && shape.m == 16 && shape.n == 16)
    model.stepLength = std::min(k, 4u);
  if (!isFp8(multiplicand))
    return model;
  if (family == Family::Ada || isWgmma) {
    model.fractionBits = 13;
    model.resultFractionBits = 13;
  } else if (family == Family::Hopper) {
    model.expansion = TensorExpansion::Fp8ToF16;
    model.stepLength = k / 2;
    model.source = fp8Expansion;
  }
  return model;
}

} // namespace gemm::emulator
