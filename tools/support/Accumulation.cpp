// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Accumulation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gemm::tools {
namespace {

constexpr std::array<std::string_view, 5> tensorInstructions = {
    "wgmma", "mma.sync", "mma_sync", "wmma", "tcgen05"};

bool mentions(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

AccumulationModel fmaChain(ElementType type) {
  const FloatFormat &format = floatFormat(type);
  AccumulationModel model;
  model.outputUnit = std::ldexp(1.0, -format.fractionBits - 1);
  model.smallest = halfUlp(type, 0);
  model.overflow = overflowThreshold(type);
  // The reference sums in float64 too: its own rounding counts once more.
  if (type == ElementType::F64)
    model.outputUnit *= 2;
  model.description =
      "chain of " + std::string(elementTypeName(type)) + " multiply-adds";
  return model;
}

// Fraction bits to which the terms of a fused step are cut.
int alignmentBits(bool wgmma, int capability, ElementType type) {
  bool fp8 = type == ElementType::E4M3 || type == ElementType::E5M2;
  if (capability < 75)
    return 23;
  if (capability < 90)
    return fp8 ? 13 : 24;
  return fp8 && wgmma && capability < 100 ? 13 : 25;
}

int stepBytes(int capability) {
  if (capability < 75)
    return 8;
  return capability < 90 ? 16 : 32;
}

// K of the first "MxNxK" after the instruction's name; 0 if there is none.
int instructionDepth(std::string_view schedule) {
  constexpr std::string_view digits = "0123456789";
  size_t at = std::string_view::npos;
  for (std::string_view word : tensorInstructions)
    at = std::min(at, schedule.find(word));
  if (at == std::string_view::npos)
    return 0;
  std::string_view rest = schedule.substr(at);
  int numbers[3] = {};
  for (int i = 0; i < 3; ++i) {
    size_t start = i == 0 ? rest.find_first_of(digits) : 0;
    if (start == std::string_view::npos)
      return 0;
    rest.remove_prefix(start);
    const char *end = rest.data() + rest.size();
    auto [next, error] = std::from_chars(rest.data(), end, numbers[i]);
    if (error != std::errc() || (i < 2 && (next == end || *next != 'x')))
      return 0;
    rest.remove_prefix(static_cast<size_t>(next - rest.data()) + (i < 2));
  }
  return numbers[2];
}

} // namespace

bool usesTensorCores(std::string_view schedule) {
  return std::any_of(
      tensorInstructions.begin(), tensorInstructions.end(),
      [&](std::string_view word) { return mentions(schedule, word); });
}

AccumulationModel chooseAccumulation(std::string_view schedule, int capability,
                                     ElementType type,
                                     ElementType accumulator) {
  if (!isFloat(accumulator)) {
    AccumulationModel model;
    model.exact = true;
    model.wraps32 = accumulator == ElementType::S32;
    model.overflow = HUGE_VAL;
    model.description = "exact integer sums";
    return model;
  }
  bool wgmma = mentions(schedule, "wgmma");
  if (!usesTensorCores(schedule) || type == ElementType::F64)
    return fmaChain(accumulator);

  // f32 operands of a tensor core are tf32; the bytes in memory count.
  size_t size = elementSize(type);
  int bits = alignmentBits(wgmma, capability, type);
  AccumulationModel model;
  model.termsPerStep = stepBytes(capability) / static_cast<int>(size);
  // A short instruction is a short step.
  if (int depth = instructionDepth(schedule); depth > 0)
    model.termsPerStep = std::min(model.termsPerStep, depth);
  model.alignmentUnit = std::ldexp(1.0, -bits);
  // f32 results are truncated (fp8 steps of 13 bits to 13 bits), f16 results
  // rounded to nearest.
  if (accumulator == ElementType::F16)
    model.outputUnit = 0x1p-11;
  else
    model.outputUnit = bits < 23 ? std::ldexp(1.0, -bits) : 0x1p-23;
  model.smallest = 2 * halfUlp(accumulator, 0);
  model.overflow = overflowThreshold(accumulator);
  model.description = std::string(wgmma ? "wgmma" : "mma") + ": steps of " +
                      std::to_string(model.termsPerStep) + " terms cut to " +
                      std::to_string(bits) + " fraction bits";
  return model;
}

AccumulationModel exactAccumulation(const AccumulationModel &model) {
  AccumulationModel result = model;
  result.exact = true;
  result.description = "exact sums of integers";
  return result;
}

int targetCapability(std::string_view target) {
  constexpr std::string_view prefix = "sm_";
  if (!target.starts_with(prefix))
    return 0;
  int number = 0;
  target.remove_prefix(prefix.size());
  std::from_chars(target.data(), target.data() + target.size(), number);
  return number;
}

} // namespace gemm::tools
