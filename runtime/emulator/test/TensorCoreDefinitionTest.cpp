// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definition of a fused step (TensorCore.h) once more, in doubles, against
// whole tiles of ordinary, wide, cancelling, sparse and subnormal data; special
// values against the integer reference.

#include "TensorCore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace gemm::emulator;

namespace {

using enum ElementType;
using Family = TensorCoreFamily;

constexpr uint32_t inf32 = 0x7F800000;

uint32_t f32(float value) { return floatToBits(value); }

/// Value and alignment exponent of a finite element, by frexp.
struct Split {
  double value;
  int exponent;
};
Split splitOf(uint32_t bits, ElementType type) {
  FloatFormat format = FloatFormat::F32;
  int smallest = -126;
  switch (type) {
  case F16:
    format = FloatFormat::F16, smallest = -14;
    break;
  case BF16:
    format = FloatFormat::BF16;
    break;
  case TF32:
    format = FloatFormat::TF32;
    break;
  case E4M3:
    format = FloatFormat::E4M3, smallest = -6;
    break;
  case E5M2:
    format = FloatFormat::E5M2, smallest = -14;
    break;
  default:
    break;
  }
  const double value =
      bitsToDouble(convertFloat(bits, format, FloatFormat::F64));
  int exponent;
  std::frexp(value, &exponent);
  return {value, std::max(exponent - 1, smallest)};
}

/// One fused step in doubles: exact as long as F + log2(terms) < 53.
uint32_t stepInDoubles(const TensorCoreModel &model, ElementType aType,
                       ElementType bType, ElementType cType, ElementType dType,
                       const uint32_t *a, const uint32_t *b, unsigned length,
                       uint32_t c) {
  std::vector<Split> terms;
  for (unsigned i = 0; i < length; ++i) {
    const Split x = splitOf(a[i], aType), y = splitOf(b[i], bType);
    terms.push_back({x.value * y.value, x.exponent + y.exponent});
  }
  terms.push_back(splitOf(c, cType));
  int largest = INT32_MIN;
  for (const Split &term : terms)
    if (term.value != 0)
      largest = std::max(largest, term.exponent);
  if (largest == INT32_MIN)
    return 0;
  const int unit = largest - int(model.fractionBits);
  double sum = 0;
  for (const Split &term : terms)
    sum += std::trunc(std::ldexp(term.value, -unit));
  sum = std::ldexp(sum, unit);
  if (sum == 0)
    return 0;
  if (dType == F16) {
    const uint32_t half = uint32_t(
        convertFloat(doubleToBits(sum), FloatFormat::F64, FloatFormat::F16));
    return half == 0x8000 ? 0 : half;
  }
  if (std::fabs(sum) >= 0x1p128)
    return sum < 0 ? 0xFF800000u : inf32;
  int exponent;
  std::frexp(sum, &exponent);
  const int place =
      std::max(exponent - 1, -126) - int(model.resultFractionBits);
  const double kept = std::ldexp(std::trunc(std::ldexp(sum, -place)), place);
  return kept == 0 ? 0 : f32(float(kept));
}

/// Random elements of several characters: ordinary, wide exponents,
/// cancelling pairs, sparse, subnormal.
struct Generator {
  std::mt19937 random{42};

  uint32_t element(ElementType type, unsigned character) {
    for (;;) {
      uint32_t bits = random();
      switch (type) {
      case F16:
        bits &= 0xFFFF;
        if (character == 0)
          bits = (bits & 0x83FF) | (13 + random() % 4) << 10;
        if (character == 4)
          bits &= 0x83FF | (random() % 3) << 10;
        if ((bits & 0x7C00) == 0x7C00)
          continue;
        break;
      case BF16:
        bits &= 0xFFFF;
        if (character == 0)
          bits = (bits & 0x807F) | (124 + random() % 6) << 7;
        if (character == 1)
          bits = (bits & 0x807F) | (100 + random() % 54) << 7;
        if ((bits & 0x7F80) == 0x7F80)
          continue;
        break;
      case TF32:
        if (character == 0)
          bits = (bits & 0x807FFFFF) | (124 + random() % 6) << 23;
        if ((bits & 0x7F800000) == 0x7F800000)
          continue;
        break;
      case E4M3:
        bits &= 0xFF;
        if ((bits & 0x7F) == 0x7F)
          continue;
        break;
      case E5M2:
        bits &= 0xFF;
        if ((bits & 0x7C) == 0x7C)
          continue;
        break;
      default: // accumulators
        if (character == 0)
          bits = (bits & 0x807FFFFF) | (120 + random() % 14) << 23;
        if (character == 4)
          bits &= 0x807FFFFF;
        if ((bits & 0x7F800000) == 0x7F800000)
          continue;
      }
      if (character == 3 && random() % 3)
        return random() % 2 ? 0 : 1u << (elementBits(type) - 1);
      return bits;
    }
  }
};

struct Combination {
  Family family;
  TensorInstruction instruction;
  ElementType aType, bType, accumulator;
  unsigned k;
};

const Combination combinations[] = {
    {Family::Volta, TensorInstruction::MmaSync, F16, F16, F32, 4},
    {Family::Turing, TensorInstruction::MmaSync, F16, F16, F32, 8},
    {Family::Turing, TensorInstruction::MmaSync, F16, F16, F16, 16},
    {Family::Ampere, TensorInstruction::MmaSync, F16, F16, F32, 16},
    {Family::Ampere, TensorInstruction::MmaSync, F16, F16, F16, 16},
    {Family::Ampere, TensorInstruction::MmaSync, BF16, BF16, F32, 16},
    {Family::Ampere, TensorInstruction::MmaSync, TF32, TF32, F32, 8},
    {Family::Ada, TensorInstruction::MmaSync, E4M3, E5M2, F32, 32},
    {Family::Ada, TensorInstruction::MmaSync, E5M2, E4M3, F16, 32},
    {Family::Hopper, TensorInstruction::MmaSync, F16, F16, F32, 16},
    {Family::Hopper, TensorInstruction::MmaSync, F16, F16, F16, 16},
    {Family::Hopper, TensorInstruction::MmaSync, BF16, BF16, F32, 16},
    {Family::Hopper, TensorInstruction::MmaSync, TF32, TF32, F32, 8},
    {Family::Hopper, TensorInstruction::Wgmma, BF16, BF16, F32, 16},
    {Family::Hopper, TensorInstruction::Wgmma, F16, F16, F16, 16},
    {Family::Hopper, TensorInstruction::Wgmma, TF32, TF32, F32, 8},
    {Family::Hopper, TensorInstruction::Wgmma, E4M3, E4M3, F32, 32},
    {Family::Hopper, TensorInstruction::Wgmma, E5M2, E4M3, F16, 32},
    {Family::Blackwell, TensorInstruction::MmaSync, E4M3, E4M3, F32, 32},
};

TEST(TensorCore, TilesMatchTheDefinition) {
  Generator generate;
  for (const Combination &c : combinations) {
    TensorOperationSpec spec;
    spec.family = c.family;
    spec.instruction = c.instruction;
    spec.shape = {16, 24, c.k};
    spec.aType = c.aType;
    spec.bType = c.bType;
    spec.cType = spec.dType = c.accumulator;
    std::string error;
    const auto op = TensorOperation::create(spec, &error);
    ASSERT_TRUE(op) << error;
    const auto [m, n, k] = spec.shape;
    const TensorCoreModel &model = op->model();
    for (unsigned trial = 0; trial < 40; ++trial) {
      const unsigned character = trial % 5;
      std::vector<uint32_t> a(m * k), b(k * n), sums(m * n), d(m * n);
      for (uint32_t &x : a)
        x = generate.element(c.aType, character);
      for (uint32_t &x : b)
        x = generate.element(c.bType, character);
      for (uint32_t &x : sums)
        x = generate.element(c.accumulator, character);
      if (character == 2) // the second half cancels the first
        for (unsigned row = 0; row < m; ++row)
          for (unsigned i = 0; i < k / 2; ++i)
            a[row * k + k - 1 - i] =
                a[row * k + i] ^ (1u << (elementBits(c.aType) - 1));
      if (character == 2)
        for (unsigned i = 0; i < k / 2; ++i)
          for (unsigned column = 0; column < n; ++column)
            b[(k - 1 - i) * n + column] =
                b[i * n + column] ^
                (generate.random() % 4 == 0 && c.bType != TF32);
      op->run(a.data(), b.data(), sums.data(), d.data());
      for (unsigned row = 0; row < m; ++row)
        for (unsigned column = 0; column < n; ++column) {
          uint32_t want = sums[row * n + column], slow = want;
          std::vector<uint32_t> line(model.stepLength);
          for (unsigned first = 0; first < k; first += model.stepLength) {
            for (unsigned i = 0; i < model.stepLength; ++i)
              line[i] = b[(first + i) * n + column];
            want = stepInDoubles(model, c.aType, c.bType, c.accumulator,
                                 c.accumulator, &a[row * k + first],
                                 line.data(), model.stepLength, want);
            slow = fusedStepReference(model, c.aType, c.bType, c.accumulator,
                                      c.accumulator, &a[row * k + first],
                                      line.data(), model.stepLength, slow);
            const bool half = c.accumulator == F16;
            if ((want & (half ? 0x7C00u : inf32)) == (half ? 0x7C00u : inf32))
              break; // overflow inside the tile: covered by its own test
          }
          const uint32_t got = d[row * n + column];
          const bool half = c.accumulator == F16;
          if ((want & (half ? 0x7C00u : inf32)) == (half ? 0x7C00u : inf32))
            continue;
          ASSERT_EQ(got, want)
              << elementName(c.aType) << " k" << k << " family "
              << unsigned(c.family) << " trial " << trial;
          ASSERT_EQ(slow, want);
        }
    }
  }
}

TEST(TensorCore, SpecialsMatchTheReference) {
  // Tiles with infinities and NaNs: every element, also those whose row and
  // column have none, agrees with the slow path.
  Generator generate;
  for (const Combination &c : combinations) {
    TensorOperationSpec spec;
    spec.family = c.family;
    spec.instruction = c.instruction;
    spec.shape = {16, 8, c.k};
    spec.aType = c.aType;
    spec.bType = c.bType;
    spec.cType = spec.dType = c.accumulator;
    const auto op = TensorOperation::create(spec, nullptr);
    ASSERT_TRUE(op);
    const auto [m, n, k] = spec.shape;
    const unsigned length = op->model().stepLength;
    for (unsigned trial = 0; trial < 20; ++trial) {
      std::vector<uint32_t> a(m * k), b(k * n), sums(m * n), d(m * n);
      const auto draw = [&](ElementType type) {
        return generate.random() % 60 == 0
                   ? generate.random() & (type == F32 || type == TF32
                                              ? 0xFFFFE000u
                                              : (1u << elementBits(type)) - 1)
                   : generate.element(type, 0);
      };
      const auto fill = [&](std::vector<uint32_t> &to, ElementType type) {
        for (uint32_t &x : to)
          x = draw(type);
        const bool wide = type == F32 || type == TF32;
        const uint32_t infinity = wide           ? inf32
                                  : type == F16  ? 0x7C00
                                  : type == BF16 ? 0x7F80
                                  : type == E5M2 ? 0x7C
                                                 : 0x7F; // e4m3: NaN
        to[generate.random() % to.size()] = infinity;
        to[generate.random() % to.size()] =
            infinity | 1u << (elementBits(type) - 1);
      };
      fill(a, c.aType);
      fill(b, c.bType);
      fill(sums, c.accumulator);
      op->run(a.data(), b.data(), sums.data(), d.data());
      for (unsigned row = 0; row < m; ++row)
        for (unsigned column = 0; column < n; ++column) {
          uint32_t want = sums[row * n + column];
          std::vector<uint32_t> line(length);
          for (unsigned first = 0; first < k; first += length) {
            for (unsigned i = 0; i < length; ++i)
              line[i] = b[(first + i) * n + column];
            want = fusedStepReference(
                op->model(), c.aType, c.bType, c.accumulator, c.accumulator,
                &a[row * k + first], line.data(), length, want);
          }
          ASSERT_EQ(d[row * n + column], want) << elementName(c.aType);
        }
    }
  }
}

} // namespace
