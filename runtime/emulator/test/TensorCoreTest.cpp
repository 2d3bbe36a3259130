// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-computed sums that tell the published models apart (arXiv 2511.10909,
// PeerJ CS 7:e330), a second implementation of the definition in doubles, and
// exact references for integers and f64.

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

//===----------------------------------------------------------------------===//
// The definition once more, in doubles.
//===----------------------------------------------------------------------===//

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

TEST(TensorCore, SmallIntegersAreExact) {
  std::mt19937 random(9);
  for (const Combination &c : combinations) {
    if (c.accumulator != F32 || c.aType == E4M3 || c.aType == E5M2)
      continue;
    Unit unit{c.family, c.instruction, c.aType, F32, c.k};
    std::vector<double> a, b;
    double sum = 17;
    for (unsigned i = 0; i < c.k; ++i) {
      a.push_back(int(random() % 17) - 8);
      b.push_back(int(random() % 17) - 8);
      sum += a.back() * b.back();
    }
    EXPECT_EQ(dot(unit, a, b, 17), f32(float(sum)));
  }
}

//===----------------------------------------------------------------------===//
// Integers and f64.
//===----------------------------------------------------------------------===//

TensorOperation integerOperation(ElementType a, ElementType b, MmaShape shape,
                                 bool saturate = false,
                                 BitOperation bits = BitOperation::Xor) {
  TensorOperationSpec spec;
  spec.shape = shape;
  spec.aType = a;
  spec.bType = b;
  spec.cType = spec.dType = S32;
  spec.saturate = saturate;
  spec.bitOperation = bits;
  std::string error;
  const auto op = TensorOperation::create(spec, &error);
  EXPECT_TRUE(op) << error;
  return *op;
}

TEST(TensorCoreInteger, SignsWrapAndSaturate) {
  const MmaShape shape{16, 8, 32};
  std::vector<uint32_t> a(16 * 32, 0xFF), b(32 * 8, 0xFF), c(16 * 8), d(16 * 8);
  const auto run = [&](ElementType x, ElementType y, int32_t start,
                       bool saturate = false) {
    std::fill(c.begin(), c.end(), uint32_t(start));
    integerOperation(x, y, shape, saturate)
        .run(a.data(), b.data(), c.data(), d.data());
    return int32_t(d[77]);
  };
  EXPECT_EQ(run(S8, S8, 5), 32 + 5);
  EXPECT_EQ(run(U8, U8, 0), 32 * 255 * 255);
  EXPECT_EQ(run(U8, S8, 0), -32 * 255);
  EXPECT_EQ(run(S8, U8, 0), -32 * 255);
  EXPECT_EQ(run(S8, S8, INT32_MAX - 3), INT32_MIN + 28);
  EXPECT_EQ(run(S8, S8, INT32_MAX - 3, true), INT32_MAX);
  EXPECT_EQ(run(S8, U8, INT32_MIN + 3, true), INT32_MIN);
  EXPECT_EQ(run(S4, S4, 0), 32);
  EXPECT_EQ(run(U4, S4, 0), -15 * 32);
}

TEST(TensorCoreInteger, EveryElementMatches) {
  std::mt19937 random(11);
  const MmaShape shape{16, 8, 64};
  std::vector<uint32_t> a(16 * 64), b(64 * 8), c(16 * 8), d(16 * 8);
  for (auto *matrix : {&a, &b})
    for (uint32_t &x : *matrix)
      x = random() % 16;
  for (uint32_t &x : c)
    x = random();
  integerOperation(S4, U4, shape).run(a.data(), b.data(), c.data(), d.data());
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      int64_t sum = int32_t(c[row * 8 + column]);
      for (unsigned k = 0; k < 64; ++k) {
        const int x = int(a[row * 64 + k]);
        sum += (x >= 8 ? x - 16 : x) * int(b[k * 8 + column]);
      }
      ASSERT_EQ(d[row * 8 + column], uint32_t(sum));
    }
}

TEST(TensorCoreInteger, SingleBits) {
  std::mt19937 random(12);
  const MmaShape shape{16, 8, 256};
  std::vector<uint32_t> a(16 * 256), b(256 * 8), c(16 * 8, 3), d(16 * 8);
  for (auto *matrix : {&a, &b})
    for (uint32_t &x : *matrix)
      x = random() % 2;
  for (BitOperation operation : {BitOperation::Xor, BitOperation::And}) {
    integerOperation(B1, B1, shape, false, operation)
        .run(a.data(), b.data(), c.data(), d.data());
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        uint32_t count = 3;
        for (unsigned k = 0; k < 256; ++k) {
          const bool x = a[row * 256 + k], y = b[k * 8 + column];
          count += operation == BitOperation::Xor ? x != y : x && y;
        }
        ASSERT_EQ(d[row * 8 + column], count);
      }
  }
}

uint64_t doubleDot(std::vector<double> a, std::vector<double> b, double c,
                   Rounding rounding = Rounding::NearestEven) {
  TensorOperationSpec spec;
  spec.shape = {16, 8, 4};
  spec.aType = spec.bType = spec.cType = spec.dType = F64;
  spec.rounding = rounding;
  std::string error;
  const auto op = TensorOperation::create(spec, &error);
  EXPECT_TRUE(op) << error;
  std::vector<uint64_t> left(16 * 4), right(4 * 8), sums(16 * 8), d(16 * 8);
  a.resize(4);
  b.resize(4);
  for (unsigned k = 0; k < 4; ++k) {
    left[3 * 4 + k] = doubleToBits(a[k]);
    right[k * 8 + 6] = doubleToBits(b[k]);
  }
  sums[3 * 8 + 6] = doubleToBits(c);
  op->run(left.data(), right.data(), sums.data(), d.data());
  return d[3 * 8 + 6];
}

TEST(TensorCoreDouble, IsAChainOfFusedMultiplyAdds) {
  // Increasing k: 2^53 + 1 loses the 1 first.
  EXPECT_EQ(doubleDot({0x1p53, 1, -0x1p53}, {1, 1, 1}, 0), doubleToBits(0));
  EXPECT_EQ(doubleDot({0x1p53, -0x1p53, 1}, {1, 1, 1}, 0), doubleToBits(1));
  // The product is not rounded: (1+2^-30)^2 - (1+2^-29) = 2^-60.
  EXPECT_EQ(doubleDot({1 + 0x1p-30}, {1 + 0x1p-30}, -(1 + 0x1p-29)),
            doubleToBits(0x1p-60));
}

TEST(TensorCoreDouble, RoundingModes) {
  const auto sum = [](double tiny, Rounding rounding) {
    return bitsToDouble(doubleDot({tiny}, {1}, 1, rounding));
  };
  EXPECT_EQ(sum(0x1p-80, Rounding::NearestEven), 1);
  EXPECT_EQ(sum(0x1p-80, Rounding::Up), 1 + 0x1p-52);
  EXPECT_EQ(sum(0x1p-80, Rounding::Down), 1);
  EXPECT_EQ(sum(-0x1p-80, Rounding::Down), 1 - 0x1p-53);
  EXPECT_EQ(sum(-0x1p-80, Rounding::TowardZero), 1 - 0x1p-53);
  EXPECT_EQ(sum(-0x1p-80, Rounding::NearestEven), 1);
}

} // namespace
