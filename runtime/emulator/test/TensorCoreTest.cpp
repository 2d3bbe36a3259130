// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-computed sums that tell the published models (arXiv 2511.10909, PeerJ CS
// 7:e330) and the assembler's expansions apart.

#include "TensorCore.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

using namespace gemm::emulator;

namespace {

using enum ElementType;
using Family = TensorCoreFamily;

constexpr uint32_t nan32 = 0x7FFFFFFF, inf32 = 0x7F800000;

uint32_t f32(float value) { return floatToBits(value); }
uint32_t raw(double value, ElementType type) {
  const auto to = [&](FloatFormat format) {
    const uint64_t bits =
        convertFloat(doubleToBits(value), FloatFormat::F64, format);
    // Test inputs must be exact.
    EXPECT_EQ(bitsToDouble(convertFloat(bits, format, FloatFormat::F64)),
              value);
    return uint32_t(bits);
  };
  switch (type) {
  case F16:
    return to(FloatFormat::F16);
  case BF16:
    return to(FloatFormat::BF16);
  case E4M3:
    return to(FloatFormat::E4M3);
  case E5M2:
    return to(FloatFormat::E5M2);
  case TF32:
    return to(FloatFormat::TF32);
  default:
    return to(FloatFormat::F32);
  }
}

struct Unit {
  Family family = Family::Hopper;
  TensorInstruction instruction = TensorInstruction::MmaSync;
  ElementType type = F16;
  ElementType accumulator = F32;
  unsigned k = 16;
  bool negate = false;
};

TensorOperation operation(const Unit &unit) {
  TensorOperationSpec spec;
  spec.family = unit.family;
  spec.instruction = unit.instruction;
  spec.shape = {unit.instruction == TensorInstruction::Wgmma ? 64u : 16u, 8,
                unit.k};
  spec.aType = spec.bType = unit.type;
  spec.cType = spec.dType = unit.accumulator;
  spec.negateA = unit.negate;
  std::string error;
  auto result = TensorOperation::create(spec, &error);
  EXPECT_TRUE(result) << error;
  return *result;
}

/// Element (row, column) of the tile whose row of A and column of B hold the
/// raw elements `a` and `b`, the rest of the tile being other finite data.
uint32_t dotRaw(const Unit &unit, std::vector<uint32_t> a,
                std::vector<uint32_t> b, uint32_t c) {
  const TensorOperation op = operation(unit);
  const auto [m, n, k] = op.spec().shape;
  a.resize(k);
  b.resize(k);
  const unsigned row = 9, column = 5;
  std::vector<uint32_t> left(m * k, raw(1.5, unit.type)),
      right(k * n, raw(-0.75, unit.type)), sums(m * n);
  for (unsigned i = 0; i < k; ++i) {
    left[row * k + i] = a[i];
    right[i * n + column] = b[i];
  }
  sums[row * n + column] = c;
  op.run(left.data(), right.data(), sums.data(), sums.data());
  return sums[row * n + column];
}

uint32_t dot(const Unit &unit, const std::vector<double> &a,
             const std::vector<double> &b, double c = 0) {
  std::vector<uint32_t> left, right;
  for (double value : a)
    left.push_back(raw(value, unit.type));
  for (double value : b)
    right.push_back(raw(value, unit.type));
  return dotRaw(unit, left, right, raw(c, unit.accumulator));
}

/// 1 * 1 followed by `count` products x * y.
uint32_t oneAnd(const Unit &unit, unsigned count, double x, double y,
                double c = 0) {
  std::vector<double> a{1}, b{1};
  a.resize(1 + count, x);
  b.resize(1 + count, y);
  return dot(unit, a, b, c);
}

TEST(TensorCoreModel, TableOfFamilies) {
  const auto model = [](Family family, TensorInstruction instruction,
                        ElementType type, unsigned k) {
    std::string error;
    const auto m =
        tensorCoreModel(family, instruction, type, {16, 8, k}, &error);
    EXPECT_TRUE(m) << error;
    return m.value_or(TensorCoreModel{});
  };
  const auto mma = TensorInstruction::MmaSync;
  const auto wgmma = TensorInstruction::Wgmma;
  const struct {
    Family family;
    TensorInstruction instruction;
    ElementType type;
    unsigned k, fractionBits, stepLength, resultBits;
  } rows[] = {
      {Family::Volta, mma, F16, 4, 23, 4, 23},
      {Family::Volta, mma, F16, 16, 23, 4, 23},
      {Family::Turing, mma, F16, 8, 24, 8, 23},
      {Family::Turing, mma, F16, 16, 24, 8, 23},
      {Family::Ampere, mma, F16, 16, 24, 8, 23},
      {Family::Ampere, mma, BF16, 8, 24, 8, 23},
      {Family::Ampere, mma, TF32, 8, 24, 4, 23},
      {Family::Ampere, mma, TF32, 4, 24, 4, 23},
      {Family::Ada, mma, E4M3, 32, 13, 16, 13},
      {Family::Ada, mma, F16, 16, 24, 8, 23},
      {Family::Hopper, mma, F16, 16, 25, 16, 23},
      {Family::Hopper, mma, F16, 8, 25, 8, 23},
      {Family::Hopper, mma, TF32, 8, 25, 8, 23},
      {Family::Hopper, wgmma, BF16, 16, 25, 16, 23},
      {Family::Hopper, wgmma, TF32, 8, 25, 8, 23},
      {Family::Hopper, wgmma, E5M2, 32, 13, 32, 13},
      {Family::Hopper, mma, E4M3, 32, 25, 16, 23},
      {Family::Blackwell, mma, E4M3, 32, 25, 32, 23},
  };
  for (const auto &row : rows) {
    const TensorCoreModel m =
        model(row.family, row.instruction, row.type, row.k);
    EXPECT_EQ(m.fractionBits, row.fractionBits);
    EXPECT_EQ(m.stepLength, row.stepLength);
    EXPECT_EQ(m.resultFractionBits, row.resultBits);
    EXPECT_EQ(m.expansion == TensorExpansion::Fp8ToF16,
              row.family == Family::Hopper && row.instruction == mma &&
                  row.type == E4M3);
    EXPECT_STRNE(m.source, "");
  }
  // ptxas 13.0: m16n16k8 of wmma is two HMMAs of depth 4 per half of N.
  std::string error;
  EXPECT_EQ(tensorCoreModel(Family::Hopper, mma, TF32, {16, 16, 8}, &error)
                ->stepLength,
            4u);
  EXPECT_EQ(tensorCoreFamily(70), Family::Volta);
  EXPECT_EQ(tensorCoreFamily(75), Family::Turing);
  EXPECT_EQ(tensorCoreFamily(80), Family::Ampere);
  EXPECT_EQ(tensorCoreFamily(86), Family::Ampere);
  EXPECT_EQ(tensorCoreFamily(89), Family::Ada);
  EXPECT_EQ(tensorCoreFamily(90), Family::Hopper);
  EXPECT_EQ(tensorCoreFamily(120), Family::Blackwell);
}

TEST(TensorCoreModel, RefusesWhatAFamilyLacks) {
  std::string error;
  EXPECT_FALSE(tensorCoreModel(Family::Turing, TensorInstruction::MmaSync, BF16,
                               {16, 8, 8}, &error));
  EXPECT_EQ(error, "Turing tensor cores have no mma.sync on bf16");
  EXPECT_FALSE(tensorCoreModel(Family::Ampere, TensorInstruction::MmaSync, E4M3,
                               {16, 8, 32}, &error));
  EXPECT_FALSE(tensorCoreModel(Family::Ampere, TensorInstruction::Wgmma, F16,
                               {64, 8, 16}, &error));
  TensorOperationSpec spec;
  spec.shape = {16, 8, 16};
  spec.bType = BF16;
  EXPECT_FALSE(TensorOperation::create(spec, &error));
  EXPECT_NE(error.find("multiplies"), std::string::npos);
  spec.aType = BF16;
  spec.dType = F16;
  EXPECT_FALSE(TensorOperation::create(spec, &error));
  spec.dType = F32;
  EXPECT_TRUE(TensorOperation::create(spec, &error));
  spec.saturate = true;
  EXPECT_FALSE(TensorOperation::create(spec, &error));
  spec.saturate = false;
  spec.shape.n = 12;
  EXPECT_FALSE(TensorOperation::create(spec, &error));
}

TEST(TensorCore, HopperKeepsTwentyFiveBitsAmpereTwentyFour) {
  const Unit hopper, wgmma{Family::Hopper, TensorInstruction::Wgmma};
  const Unit ampere{Family::Ampere}, turing{Family::Turing};
  const Unit volta{Family::Volta, TensorInstruction::MmaSync, F16, F32, 4};
  // Four terms of 2^-25 make one unit in the last place of 1, if each is kept.
  EXPECT_EQ(oneAnd(hopper, 4, 0x1p-12, 0x1p-13), f32(1 + 0x1p-23f));
  EXPECT_EQ(oneAnd(wgmma, 4, 0x1p-12, 0x1p-13), f32(1 + 0x1p-23f));
  EXPECT_EQ(oneAnd(ampere, 4, 0x1p-12, 0x1p-13), f32(1));
  EXPECT_EQ(oneAnd(turing, 4, 0x1p-12, 0x1p-13), f32(1));
  // Two of 2^-24 do so on Ampere too, but not on Volta.
  EXPECT_EQ(oneAnd(ampere, 2, 0x1p-12, 0x1p-12), f32(1 + 0x1p-23f));
  EXPECT_EQ(oneAnd(volta, 2, 0x1p-12, 0x1p-12), f32(1));
  EXPECT_EQ(oneAnd(volta, 1, 0x1p-12, 0x1p-11), f32(1 + 0x1p-23f));
  // Eight of 2^-26 are lost on all.
  EXPECT_EQ(oneAnd(hopper, 8, 0x1p-13, 0x1p-13), f32(1));
}

TEST(TensorCore, TermsTruncateTowardZero) {
  const Unit hopper;
  // 1 - 2^-26: the exact sum truncated would be 1 - 2^-24.
  EXPECT_EQ(oneAnd(hopper, 1, 0x1p-13, -0x1p-13), f32(1));
  // 1 - 2^-25: kept, so the result truncates to the f32 below 1.
  EXPECT_EQ(oneAnd(hopper, 1, 0x1p-12, -0x1p-13), f32(1 - 0x1p-24f));
  // 1 + 2^-23 - 2^-24 truncates to 1, where rounding would tie.
  EXPECT_EQ(dot(hopper, {1, 0x1p-11, 0x1p-12}, {1, 0x1p-12, -0x1p-12}), f32(1));
  // The mirror image has the mirror result: truncation, not floor.
  EXPECT_EQ(dot(hopper, {1, 0x1p-11, 0x1p-12}, {-1, -0x1p-12, 0x1p-12}),
            f32(-1));
}

TEST(TensorCore, ProductsAlignUnnormalised) {
  // 1.5 * 1.5 = 2.25 has exponent 0 for the alignment: 2^-25 is kept. Were it
  // normalised to 1.125 * 2^1, 2^-25 would fall below 2^(1-25).
  EXPECT_EQ(dot({},
                {1.5, 0x1p-12, 0x1p-12, 0x1p-12, 0x1p-12, 0x1p-12, 0x1p-12,
                 0x1p-12, 0x1p-12},
                {1.5, 0x1p-13, 0x1p-13, 0x1p-13, 0x1p-13, 0x1p-13, 0x1p-13,
                 0x1p-13, 0x1p-13}),
            f32(2.25f + 0x1p-22f));
}

TEST(TensorCore, AccumulatorIsOneOfTheTerms) {
  const Unit hopper;
  // Under C = 2^24 the products keep bits down to 2^(24-25) only.
  EXPECT_EQ(dot(hopper, {0.5}, {0.5}, 0x1p24), f32(0x1p24f));
  EXPECT_EQ(dot(hopper, {1, 1}, {1, 1}, 0x1p24), f32(0x1p24f + 2));
  // The accumulator itself is truncated against a larger product: of C =
  // 1 + 2^-23 under 2^11, bits below 2^(11-25) vanish.
  EXPECT_EQ(dot(hopper, {0x1p11, 0x1p11}, {1, -1}, 1 + 0x1p-23f), f32(1));
  // No products: C passes unchanged whatever its exponent.
  EXPECT_EQ(dotRaw(hopper, {}, {}, 0x00000123), 0x00000123u);
  EXPECT_EQ(dotRaw(hopper, {}, {}, f32(-0x1.23456p-100f)),
            f32(-0x1.23456p-100f));
  EXPECT_EQ(dotRaw(hopper, {}, {}, f32(0x1.fffffep127f)), f32(0x1.fffffep127f));
}

TEST(TensorCore, LargerKIsSeveralStepsInOrder) {
  // 1 in the first eight, four 2^-24 pairs after it: on Ampere the second step
  // sees C = 1 and four terms of 2^-24, on Hopper one step sees all.
  std::vector<double> a(16), b(16);
  a[0] = b[0] = 1;
  for (unsigned i = 8; i < 12; ++i)
    a[i] = 0x1p-12, b[i] = 0x1p-13;
  EXPECT_EQ(dot({Family::Hopper}, a, b), f32(1 + 0x1p-23f));
  EXPECT_EQ(dot({Family::Ampere}, a, b), f32(1));
  // 2^20 and -2^20 cancel, across the halves: Hopper keeps bits down to
  // 2^(20-25) beside them, Ampere's first step ends in an f32 whose last place
  // is 2^-3.
  a.assign(16, 0);
  b.assign(16, 0);
  a[0] = 0x1p10, b[0] = 0x1p10;
  a[1] = 0x1p-3, b[1] = 1;
  a[8] = 0x1p10, b[8] = -0x1p10;
  EXPECT_EQ(dot({Family::Hopper}, a, b), f32(0x1p-3f));
  EXPECT_EQ(dot({Family::Ampere}, a, b), f32(0x1p-3f));
  a[1] = 0x1p-4;
  EXPECT_EQ(dot({Family::Hopper}, a, b), f32(0x1p-4f));
  EXPECT_EQ(dot({Family::Ampere}, a, b), f32(0));
}

TEST(TensorCore, OrderInsideAStepDoesNotMatter) {
  std::mt19937 random(5);
  std::vector<double> a(16), b(16);
  for (unsigned i = 0; i < 16; ++i) {
    a[i] = std::ldexp(int(random() % 2047) - 1023, int(random() % 12) - 16);
    b[i] = std::ldexp(int(random() % 2047) - 1023, int(random() % 12) - 16);
  }
  const uint32_t first = dot({}, a, b, 0.125);
  for (unsigned trial = 0; trial < 50; ++trial) {
    const unsigned i = random() % 16, j = random() % 16;
    std::swap(a[i], a[j]);
    std::swap(b[i], b[j]);
    ASSERT_EQ(dot({}, a, b, 0.125), first);
  }
}

TEST(TensorCore, SubnormalsAreHonoured) {
  EXPECT_EQ(dot({}, {0x1p-24}, {1}), f32(0x1p-24f));
  EXPECT_EQ(dot({}, {0x1p-24}, {0x1p-24}), f32(0x1p-48f));
  const Unit bf16{Family::Hopper, TensorInstruction::MmaSync, BF16};
  EXPECT_EQ(dot(bf16, {0x1p-133}, {1}), f32(0x1p-133f));
  EXPECT_EQ(dot(bf16, {0x1p-133}, {0x1p-16}), f32(0x1p-149f));
  EXPECT_EQ(dot(bf16, {0x1p-133}, {0x1p-17}), 0u);
  // A subnormal aligns by the smallest exponent: 2^-24 counts as 2^-14, and
  // keeps bits down to 2^(-14-25) only. 2^-40 (2^-14 * 2^-26) is not in f16;
  // 2^-20 * 2^-20 is.
  EXPECT_EQ(dot({}, {0x1p-24, 0x1p-20}, {1, 0x1p-20}), f32(0x1p-24f));
  EXPECT_EQ(dot({}, {0x1p-14, 0x1p-20, -0x1p-14}, {1, 0x1p-19, 1}),
            f32(0x1p-39f));
}

TEST(TensorCore, SpecialValues) {
  const double inf = INFINITY;
  for (unsigned k : {8u, 16u})
    for (Family family : {Family::Ampere, Family::Hopper}) {
      Unit unit{family, TensorInstruction::MmaSync, F16, F32, k};
      EXPECT_EQ(dot(unit, {inf, 1}, {1, 1}), inf32);
      EXPECT_EQ(dot(unit, {inf, 1}, {-1, 1}), inf32 | 0x80000000u);
      EXPECT_EQ(dot(unit, {inf}, {0}), nan32);
      EXPECT_EQ(dot(unit, {0}, {-inf}), nan32);
      EXPECT_EQ(dot(unit, {inf, inf}, {1, -1}), nan32);
      EXPECT_EQ(dot(unit, {inf, inf}, {1, 1}), inf32);
      EXPECT_EQ(dot(unit, {inf}, {1}, -inf), nan32);
      EXPECT_EQ(dot(unit, {1}, {1}, -inf), inf32 | 0x80000000u);
      EXPECT_EQ(dotRaw(unit, {0xFE00}, {0x3C00}, 0), nan32);
      EXPECT_EQ(dotRaw(unit, {0x3C00}, {0x3C00}, 0xFFC01234), nan32);
      unit.accumulator = F16;
      EXPECT_EQ(dotRaw(unit, {0xFE00}, {0x3C00}, 0), 0x7FFFu);
      EXPECT_EQ(dot(unit, {inf}, {-1}), 0xFC00u);
    }
  // An infinity in the second half meets a finite first half on Ampere.
  std::vector<double> a(16, 1), b(16, 1);
  a[12] = inf;
  EXPECT_EQ(dot({Family::Ampere}, a, b), inf32);
}

TEST(TensorCore, OverflowIsInfinity) {
  const Unit bf16{Family::Hopper, TensorInstruction::MmaSync, BF16};
  EXPECT_EQ(dot(bf16, {0x1p100}, {0x1p28}), inf32);
  EXPECT_EQ(dot(bf16, {0x1p100}, {-0x1p28}), inf32 | 0x80000000u);
  EXPECT_EQ(dot(bf16, {0x1.fcp100}, {0x1p27}), f32(0x1.fcp127f));
  // Intermediate terms may exceed the range: only the sum is normalised.
  EXPECT_EQ(dot(bf16, {0x1p100, 0x1p100}, {0x1p28, -0x1p28}, 3.0), f32(0));
  EXPECT_EQ(dot(bf16, {0x1p100, 0x1p100, 0x1p100}, {0x1p28, -0x1p28, 0x1p10}),
            f32(0x1p110f));
  const Unit half{Family::Hopper, TensorInstruction::MmaSync, F16, F16};
  EXPECT_EQ(dot(half, {65504}, {2}), 0x7C00u);
  EXPECT_EQ(dot(half, {65504, 15}, {1, 1}), 0x7BFFu); // below the midpoint
  EXPECT_EQ(dot(half, {65504, 16}, {1, 1}), 0x7C00u);
}

TEST(TensorCore, HalfAccumulatorRoundsToNearestEven) {
  for (Family family : {Family::Ampere, Family::Hopper}) {
    const Unit half{family, TensorInstruction::MmaSync, F16, F16};
    const uint32_t one = 0x3C00; // last place 2^-10
    EXPECT_EQ(oneAnd(half, 1, 0x1p-11, 1), one);
    EXPECT_EQ(oneAnd(half, 3, 0x1p-11, 1), one + 2);
    EXPECT_EQ(dot(half, {1, 0x1p-11, 0x1p-12}, {1, 1, 0x1p-10}), one + 1);
    EXPECT_EQ(dot(half, {1}, {1}, -0x1p-11), 0x3C00u - 1); // exact below 1
    EXPECT_EQ(dot(half, {0x1p-12, 0x1p-14}, {0x1p-13, 0x1p-13}), 1u); // up
    EXPECT_EQ(dot(half, {0x1p-12}, {0x1p-13}), 0u);                   // tie
  }
  // Each step rounds: on Ampere 1 + 2^-11 ties to 1 before 2^-11 comes again.
  std::vector<double> a(16), b(16);
  a[0] = b[0] = 1;
  a[1] = a[8] = 0x1p-11;
  b[1] = b[8] = 1;
  EXPECT_EQ(dot({Family::Ampere, TensorInstruction::MmaSync, F16, F16}, a, b),
            0x3C00u);
  EXPECT_EQ(dot({Family::Hopper, TensorInstruction::MmaSync, F16, F16}, a, b),
            0x3C01u);
}

TEST(TensorCore, WgmmaFp8KeepsThirteenBits) {
  const Unit fp8{Family::Hopper, TensorInstruction::Wgmma, E4M3, F32, 32};
  EXPECT_EQ(oneAnd(fp8, 1, 0x1p-6, 0x1p-7), f32(1 + 0x1p-13f));
  EXPECT_EQ(oneAnd(fp8, 30, 0x1p-7, 0x1p-7), f32(1));
  // The accumulator is cut to the same 13 bits.
  EXPECT_EQ(dot(fp8, {0}, {0}, 1 + 0x1p-14f), f32(1));
  EXPECT_EQ(dot(fp8, {1}, {0x1p-9}, 2), f32(2 + 0x1p-9f));
  EXPECT_EQ(dot(fp8, {1}, {0x1p-9}, 32), f32(32)); // 2^-9 < 2^(5-13)
  const Unit ada{Family::Ada, TensorInstruction::MmaSync, E5M2, F32, 32};
  EXPECT_EQ(oneAnd(ada, 1, 0x1p-7, 0x1p-6), f32(1 + 0x1p-13f));
  EXPECT_EQ(oneAnd(ada, 15, 0x1p-7, 0x1p-7), f32(1));
}

TEST(TensorCore, LongStepsDoNotOverflow) {
  // 32 aligned terms of 1.75^2 * 2^25 exceed 31 bits.
  const Unit fp8{Family::Blackwell, TensorInstruction::MmaSync, E4M3, F32, 32};
  EXPECT_EQ(
      dot(fp8, std::vector<double>(32, 448), std::vector<double>(32, 448)),
      f32(32 * 448 * 448));
  EXPECT_EQ(
      dot(fp8, std::vector<double>(32, -448), std::vector<double>(32, 448)),
      f32(-32 * 448 * 448));
}

TEST(TensorCore, TinyProductsKeepTheirBits) {
  const Unit bf16{Family::Hopper, TensorInstruction::MmaSync, BF16};
  EXPECT_EQ(dot(bf16, {0x1.02p-119}, {1}), f32(0x1.02p-119f));
  // 1.9375 * 2^-149 truncates to 2^-149.
  EXPECT_EQ(dot(bf16, {0x1.fp-100}, {0x1p-49}), 1u);
}

TEST(TensorCore, HopperExpandsFp8MmaIntoHalves) {
  const Unit fp8{Family::Hopper, TensorInstruction::MmaSync, E4M3, F32, 32};
  // C is added last and rounded to nearest: three products of 2^-18 are 0.75
  // of a last place of 2^7 and round up; a fused step would truncate them.
  EXPECT_EQ(dot(fp8, {0x1p-9, 0x1p-9, 0x1p-9}, {0x1p-9, 0x1p-9, 0x1p-9}, 0x1p7),
            f32(0x1p7f + 0x1p-16f));
  // First step: k mod 4 in {0, 1}; second: {2, 3}. 2^8 * 2^8 = 2^16 in the
  // first step, -2^16 at k = 2 in the second, 2^-9 at k = 4 in the first: it is
  // lost in the first step's result (last place 2^-7), at k = 6 it is kept.
  std::vector<double> a(32), b(32);
  a[0] = b[0] = 256;
  a[2] = 256, b[2] = -256;
  a[4] = 0x1p-9, b[4] = 1;
  EXPECT_EQ(dot(fp8, a, b), f32(0));
  a[4] = b[4] = 0;
  a[6] = 0x1p-9, b[6] = 1;
  EXPECT_EQ(dot(fp8, a, b), f32(0x1p-9f));
  const Unit half{Family::Hopper, TensorInstruction::MmaSync, E4M3, F16, 32};
  EXPECT_EQ(dot(half, {1}, {0x1p-9}, 4),
            0x4400u); // 4 + 2^-9: below half a place
  EXPECT_EQ(dot(half, {1, 1, 1, 1}, {1, 1, 1, 1}, 0.5), 0x4480u); // 4.5
}

TEST(TensorCore, Tf32IgnoresTheLowBits) {
  const Unit tf32{Family::Hopper, TensorInstruction::MmaSync, TF32, F32, 8};
  // 1 + 2^-10 - 2^-23 is cut to 1 by the unit.
  EXPECT_EQ(dotRaw(tf32, {0x3F801FFF}, {f32(1)}, 0), f32(1));
  EXPECT_EQ(dotRaw(tf32, {0x3F802000}, {f32(1)}, 0), f32(1 + 0x1p-10f));
  // A NaN whose payload sits in the ignored bits is an infinity to the unit.
  EXPECT_EQ(dotRaw(tf32, {0x7F800001}, {f32(1)}, 0), inf32);
}

TEST(TensorCore, NegationAndMissingAccumulator) {
  const Unit negated{
      Family::Hopper, TensorInstruction::Wgmma, F16, F32, 16, true};
  EXPECT_EQ(dot(negated, {2, 3}, {5, 7}, 100), f32(100 - 31));
  const TensorOperation op =
      operation({Family::Hopper, TensorInstruction::Wgmma});
  std::vector<uint32_t> a(64 * 16, 0x3C00), b(16 * 8, 0x4000), d(64 * 8, nan32);
  op.run(a.data(), b.data(), nullptr, d.data());
  for (uint32_t value : d)
    ASSERT_EQ(value, f32(32));
}

TEST(TensorCore, AccumulatorTypesMayDiffer) {
  // wmma.mma allows .f32.f16 and .f16.f32.
  TensorOperationSpec spec;
  spec.shape = {16, 16, 16};
  spec.cType = F16;
  std::string error;
  auto op = TensorOperation::create(spec, &error);
  ASSERT_TRUE(op) << error;
  std::vector<uint32_t> a(256, 0), b(256, 0), c(256, 0x3555), d(256);
  op->run(a.data(), b.data(), c.data(), d.data());
  EXPECT_EQ(d[17], f16ToF32Bits(0x3555));
  spec.cType = F32;
  spec.dType = F16;
  op = TensorOperation::create(spec, &error);
  ASSERT_TRUE(op) << error;
  std::fill(c.begin(), c.end(), f32(1 + 0x1p-11f + 0x1p-20f));
  op->run(a.data(), b.data(), c.data(), d.data());
  EXPECT_EQ(d[17], 0x3C01u);
  // f32 first, then f16: 1 + 2^-11 + 2^-24 truncates to the tie 1 + 2^-11 and
  // goes to the even 1; rounding the exact sum once would give 1 + 2^-10.
  std::fill(c.begin(), c.end(), f32(1 + 0x1p-11f));
  for (unsigned i = 0; i < 16; ++i)
    a[16 + i] = i == 0 ? 0x0C00 : 0; // 2^-12
  for (unsigned i = 0; i < 16; ++i)
    b[i] = 0x0C00;
  op->run(a.data(), b.data(), c.data(), d.data());
  EXPECT_EQ(d[17], 0x3C00u);
}

TEST(TensorCore, QuadPairsAreMultiplyAddsFromAmpereOn) {
  // ptxas 13.0 for sm_80 and sm_90: with f32, fma in increasing k and C last,
  // to nearest: products 1, 2^-24, 2^-24, 0 each tie to 1.
  Unit unit{Family::Hopper, TensorInstruction::MmaSync, F16, F32, 4};
  EXPECT_EQ(dot(unit, {1, 0x1p-12, 0x1p-12}, {1, 0x1p-12, 0x1p-12}), f32(1));
  EXPECT_EQ(dot(unit, {0x1p-12, 0x1p-12, 1}, {0x1p-12, 0x1p-12, 1}),
            f32(1 + 0x1p-23f));
  EXPECT_EQ(dot(unit, {0x1p-12, 0, 0, 0x1p-12}, {0x1p-12, 0, 0, 0x1p-13}, 1),
            f32(1 + 0x1p-23f)); // 1.5 * 2^-24 rounds up
  // With f16 the two halves enter an f32 sum one after the other.
  unit.accumulator = F16;
  EXPECT_EQ(dot(unit, {0x1p-12, 0, 0x1p-12}, {0x1p-12, 0, 0x1p-12}, 1),
            0x3C00u);
  EXPECT_EQ(dot(unit, {0x1p10, 1, -0x1p10}, {0x1p14, 0.5, 0x1p14}, 0), 0u);
  EXPECT_EQ(dot(unit, {0x1p10, 1, -0x1p10}, {0x1p14, 1, 0x1p14}, 0), 0u);
  EXPECT_EQ(dot(unit, {0x1p10, 2, -0x1p10}, {0x1p14, 1, 0x1p14}, 0), 0x4000u);
  // On Turing the unit has it.
  unit = {Family::Turing, TensorInstruction::MmaSync, F16, F32, 4};
  EXPECT_EQ(dot(unit, {1, 0x1p-12, 0x1p-12}, {1, 0x1p-12, 0x1p-12}),
            f32(1 + 0x1p-23f));
}

TEST(TensorCore, SmallIntegersAreExact) {
  std::mt19937 random(9);
  const Unit units[] = {
      {Family::Volta, TensorInstruction::MmaSync, F16, F32, 4},
      {Family::Turing, TensorInstruction::MmaSync, F16, F32, 8},
      {Family::Ampere, TensorInstruction::MmaSync, F16, F32, 16},
      {Family::Ampere, TensorInstruction::MmaSync, BF16, F32, 16},
      {Family::Ampere, TensorInstruction::MmaSync, TF32, F32, 8},
      {Family::Hopper, TensorInstruction::MmaSync, F16, F32, 4},
      {Family::Hopper, TensorInstruction::MmaSync, F16, F32, 16},
      {Family::Hopper, TensorInstruction::MmaSync, E4M3, F32, 32},
      {Family::Hopper, TensorInstruction::Wgmma, F16, F32, 16},
      {Family::Hopper, TensorInstruction::Wgmma, BF16, F32, 16},
      {Family::Hopper, TensorInstruction::Wgmma, TF32, F32, 8},
  };
  for (const Unit &unit : units) {
    std::vector<double> a, b;
    double sum = 17;
    for (unsigned i = 0; i < unit.k; ++i) {
      a.push_back(int(random() % 17) - 8);
      b.push_back(int(random() % 17) - 8);
      sum += a.back() * b.back();
    }
    EXPECT_EQ(dot(unit, a, b, 17), f32(float(sum)));
  }
}

} // namespace
