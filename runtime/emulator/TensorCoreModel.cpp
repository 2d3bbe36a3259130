// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of tensor-core models, one row per (family, instruction, type).
// Rows that no GPU of ours has confirmed say so in `source`.

#include "TensorCore.h"

#include <algorithm>
#include <iterator>

namespace gemm::emulator {

namespace {

using Family = TensorCoreFamily;

constexpr const char *literature = "from the literature, not confirmed here";
constexpr const char *hopperLiterature =
    "from the literature: MMA-Sim, arXiv 2511.10909";
constexpr const char *expansion =
    "ptxas 13.0 for sm_90: F2FP to f16, two HMMAs from zero, then an addition";

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
    {Family::Hopper, "Hopper", 25, 32, true, true, hopperLiterature},
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

std::optional<TensorCoreModel> tensorCoreModel(TensorCoreFamily family,
                                               TensorInstruction instruction,
                                               ElementType multiplicand,
                                               unsigned k, std::string *error) {
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

  TensorCoreModel model;
  model.fractionBits = row.fractionBits;
  model.stepLength = std::min(k, row.stepBytes * 8 / elementBits(multiplicand));
  model.source = row.source;
  if (!isFp8(multiplicand))
    return model;
  if (family == Family::Ada || isWgmma) {
    model.fractionBits = 13;
    model.resultFractionBits = 13;
  } else if (family == Family::Hopper) {
    model.expandsToF16 = true;
    model.stepLength = k / 2;
    model.source = expansion;
  }
  return model;
}

} // namespace gemm::emulator
