// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reference: the value of a pattern from the definition of its format
// (IEEE 754-2019 3.4, OCP FP8 1.0 table 1, OCP MX 1.0 section 5.3), rounding by
// comparing with the two neighbouring values.

#include "FloatFormats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace gemm::emulator;

namespace {

using enum FloatFormat;

constexpr uint64_t f32Infinity = 0x7F800000, f32NaN = 0x7FC00000;

uint64_t f32(float value) { return floatToBits(value); }
uint64_t f64(double value) { return doubleToBits(value); }

ConvertOptions with(Rounding rounding) {
  ConvertOptions options;
  options.rounding = rounding;
  return options;
}

/// Value of a finite pattern with the given field widths.
double valueOf(uint64_t bits, int exponentBits, int fractionBits, int bias) {
  const uint64_t fraction = bits & ((uint64_t(1) << fractionBits) - 1);
  const int exponent =
      int(bits >> fractionBits & ((uint64_t(1) << exponentBits) - 1));
  const double magnitude =
      exponent == 0
          ? std::ldexp(double(fraction), 1 - bias - fractionBits)
          : std::ldexp(double(fraction + (uint64_t(1) << fractionBits)),
                       exponent - bias - fractionBits);
  return bits >> (exponentBits + fractionBits) & 1 ? -magnitude : magnitude;
}

struct Small {
  FloatFormat format;
  int exponentBits, fractionBits, bias;
  uint64_t maxFinite;
};

// Largest values from the specifications: 65504, 0x7F7F, 448, 57344, 28, 7.5,
// 6.
const Small smallFormats[] = {
    {F16, 5, 10, 15, 0x7BFF}, {BF16, 8, 7, 127, 0x7F7F}, {E4M3, 4, 3, 7, 0x7E},
    {E5M2, 5, 2, 15, 0x7B},   {E3M2, 3, 2, 3, 0x1F},     {E2M3, 2, 3, 1, 0x1F},
    {E2M1, 2, 1, 1, 0x7},
};

/// Index of the value that `x` in [0, max] rounds to: the patterns of
/// nonnegative values are their own order.
uint64_t nearest(const Small &small, double x, Rounding rounding) {
  uint64_t low = 0, high = small.maxFinite;
  while (low < high) { // largest pattern whose value is at most x
    const uint64_t middle = (low + high + 1) / 2;
    if (valueOf(middle, small.exponentBits, small.fractionBits, small.bias) <=
        x)
      low = middle;
    else
      high = middle - 1;
  }
  const double below =
      valueOf(low, small.exponentBits, small.fractionBits, small.bias);
  if (below == x)
    return low;
  const double above =
      valueOf(low + 1, small.exponentBits, small.fractionBits, small.bias);
  switch (rounding) {
  case Rounding::TowardZero:
  case Rounding::Down:
    return low;
  case Rounding::Up:
    return low + 1;
  default:
    break;
  }
  // Exact in double: the operands have few bits at close exponents.
  const double toBelow = x - below, toAbove = above - x;
  if (toBelow != toAbove)
    return toBelow < toAbove ? low : low + 1;
  if (rounding == Rounding::NearestAway)
    return low + 1;
  return low % 2 == 0 ? low : low + 1;
}

TEST(FloatFormats, EveryPatternOfSmallFormatsHasItsValue) {
  for (const Small &small : smallFormats)
    for (uint64_t bits = 0; bits <= small.maxFinite; ++bits) {
      const double value =
          valueOf(bits, small.exponentBits, small.fractionBits, small.bias);
      ASSERT_EQ(convertFloat(bits, small.format, F64), f64(value))
          << formatInfo(small.format).name << " " << bits;
      const uint64_t sign = uint64_t(1)
                            << (small.exponentBits + small.fractionBits);
      ASSERT_EQ(convertFloat(bits | sign, small.format, F64), f64(-value));
      ASSERT_EQ(convertFloat(f64(value), F64, small.format), bits);
    }
}

TEST(FloatFormats, RoundsToTheRightNeighbour) {
  std::mt19937_64 random(1);
  for (const Small &small : smallFormats) {
    const double largest = valueOf(small.maxFinite, small.exponentBits,
                                   small.fractionBits, small.bias);
    std::vector<double> values;
    for (int i = 0; i < 3000; ++i) {
      const uint64_t pattern = random() % small.maxFinite;
      const double low =
          valueOf(pattern, small.exponentBits, small.fractionBits, small.bias);
      const double high = valueOf(pattern + 1, small.exponentBits,
                                  small.fractionBits, small.bias);
      const double middle = (low + high) / 2;
      const double tiny = (high - low) * 0x1p-20;
      for (double value :
           {low, middle, middle - tiny, middle + tiny, low + tiny, high - tiny})
        values.push_back(value);
    }
    for (double value : values) {
      ASSERT_LE(value, largest);
      for (Rounding rounding :
           {Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero,
            Rounding::Down, Rounding::Up}) {
        ASSERT_EQ(convertFloat(f64(value), F64, small.format, with(rounding)),
                  nearest(small, value, rounding))
            << formatInfo(small.format).name << " " << value;
        // Down and up trade places for negative values.
        const Rounding mirrored = rounding == Rounding::Down ? Rounding::Up
                                  : rounding == Rounding::Up ? Rounding::Down
                                                             : rounding;
        const uint64_t sign = uint64_t(1)
                              << (small.exponentBits + small.fractionBits);
        ASSERT_EQ(convertFloat(f64(-value), F64, small.format, with(rounding)),
                  nearest(small, value, mirrored) | sign);
      }
    }
  }
}

TEST(FloatFormats, FastPathsAgreeWithTheGeneralOne) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    ASSERT_EQ(f16ToF32Bits(uint16_t(bits)), convertFloat(bits, F16, F32));
    ASSERT_EQ(bf16ToF32Bits(uint16_t(bits)), convertFloat(bits, BF16, F32));
  }
  std::mt19937 random(2);
  for (uint32_t i = 0; i < 2000000; ++i) {
    // Half of them near the range of f16, with ties.
    uint32_t bits = random();
    if (i % 2)
      bits = (bits & 0x807FFFFFu) | ((100 + random() % 45) << 23);
    if (i % 3 == 0)
      bits &= 0xFFFFF000u;
    ASSERT_EQ(f32BitsToF16(bits), convertFloat(bits, F32, F16)) << bits;
    ASSERT_EQ(f32BitsToBF16(bits), convertFloat(bits, F32, BF16)) << bits;
  }
}

TEST(FloatFormats, DoubleToSingleFollowsTheHostInEveryDirection) {
  const struct {
    Rounding rounding;
    int host;
  } modes[] = {{Rounding::NearestEven, FE_TONEAREST},
               {Rounding::TowardZero, FE_TOWARDZERO},
               {Rounding::Down, FE_DOWNWARD},
               {Rounding::Up, FE_UPWARD}};
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    // Exponents around the whole range of f32, subnormals and overflow too.
    const uint64_t exponent = 1023 - 160 + random() % 300;
    const uint64_t bits =
        (random() & 0x800FFFFFFFFFFFFFu & ~((random() & 1) * 0xFFFFFFFu)) |
        exponent << 52;
    for (auto mode : modes) {
      std::fesetround(mode.host);
      volatile double value = bitsToDouble(bits);
      volatile float expected = float(value);
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(convertFloat(bits, F64, F32, with(mode.rounding)),
                floatToBits(expected))
          << std::hexfloat << value;
    }
  }
}

TEST(FloatFormats, StickyBitsBreakTies) {
  // 1 and half a place of f16 (2^-11), with three bits to spare.
  const ExactValue tie{false, (0x400u << 3) | 4, -13, false};
  ExactValue above = tie, exact = tie;
  above.sticky = true;
  EXPECT_EQ(roundExact(tie, F16), 0x3C00u);
  EXPECT_EQ(roundExact(above, F16), 0x3C01u);
  exact.magnitude = 0x400u << 3;
  EXPECT_EQ(roundExact(exact, F16, with(Rounding::Up)), 0x3C00u);
  exact.sticky = true;
  EXPECT_EQ(roundExact(exact, F16, with(Rounding::Up)), 0x3C01u);
  EXPECT_EQ(roundExact(exact, F16), 0x3C00u);
}

TEST(FloatFormats, HalfOverflowAndUnderflow) {
  EXPECT_EQ(convertFloat(f32(65504.0f), F32, F16), 0x7BFFu);
  EXPECT_EQ(convertFloat(f32(65519.996f), F32, F16), 0x7BFFu);
  EXPECT_EQ(convertFloat(f32(65520.0f), F32, F16), 0x7C00u);
  EXPECT_EQ(convertFloat(f32(-65520.0f), F32, F16), 0xFC00u);
  EXPECT_EQ(convertFloat(f32(1e30f), F32, F16, with(Rounding::TowardZero)),
            0x7BFFu);
  EXPECT_EQ(convertFloat(f32(65505.0f), F32, F16, with(Rounding::Up)), 0x7C00u);
  EXPECT_EQ(convertFloat(f32(-1e30f), F32, F16, with(Rounding::Up)), 0xFBFFu);
  EXPECT_EQ(convertFloat(f32(0x1p-25f), F32, F16), 0u); // tie to even
  EXPECT_EQ(convertFloat(f32(0x1.8p-25f), F32, F16), 1u);
  EXPECT_EQ(convertFloat(f32(-0x1p-40f), F32, F16), 0x8000u);
  EXPECT_EQ(convertFloat(f32(0x1p-40f), F32, F16, with(Rounding::Up)), 1u);
  EXPECT_EQ(convertFloat(f32(-0x1p-140f), F32, F16, with(Rounding::Down)),
            0x8001u);
}

TEST(FloatFormats, Fp8SaturatesAndKeepsNaN) {
  ConvertOptions finite;
  finite.saturateFinite = true;
  // e4m3: the largest value is 448 and 464 ties to it.
  EXPECT_EQ(convertFloat(f32(448.0f), F32, E4M3, finite), 0x7Eu);
  EXPECT_EQ(convertFloat(f32(464.0f), F32, E4M3), 0x7Eu);
  EXPECT_EQ(convertFloat(f32(465.0f), F32, E4M3), 0x7Fu); // NaN: no infinity
  EXPECT_EQ(convertFloat(f32(465.0f), F32, E4M3, finite), 0x7Eu);
  EXPECT_EQ(convertFloat(f32(-1e9f), F32, E4M3, finite), 0xFEu);
  EXPECT_EQ(convertFloat(f32Infinity, F32, E4M3, finite), 0x7Eu);
  EXPECT_EQ(convertFloat(f32NaN, F32, E4M3, finite), 0x7Fu);
  EXPECT_EQ(convertFloat(f32(0x1p-9f), F32, E4M3, finite), 0x01u);
  EXPECT_EQ(convertFloat(f32(0x1p-10f), F32, E4M3, finite), 0x00u);
  // e5m2: the largest value is 57344; 61440 is half way to infinity.
  EXPECT_EQ(convertFloat(f32(61440.0f), F32, E5M2), 0x7Cu);
  EXPECT_EQ(convertFloat(f32(61440.0f), F32, E5M2, finite), 0x7Bu);
  EXPECT_EQ(convertFloat(f32(61439.0f), F32, E5M2), 0x7Bu);
  EXPECT_EQ(convertFloat(f32NaN, F32, E5M2, finite), 0x7Fu);
  // Formats without NaN turn it into +max (PTX ISA, cvt .satfinite).
  EXPECT_EQ(convertFloat(0xFFC00000u, F32, E2M1, finite), 0x7u);
  EXPECT_EQ(convertFloat(f32NaN, F32, E3M2, finite), 0x1Fu);
  EXPECT_EQ(convertFloat(f32(-7.0f), F32, E2M1, finite), 0xFu); // -6
  EXPECT_EQ(convertFloat(f32(5.0f), F32, E2M1, finite), 0x6u);  // tie: 4
  // Unpacking e5m2 keeps infinities and NaN.
  EXPECT_EQ(convertFloat(0xFC, E5M2, F16), 0xFC00u);
  EXPECT_EQ(convertFloat(0x7E, E5M2, F16), 0x7FFFu);
  EXPECT_EQ(convertFloat(0xFF, E4M3, F16), 0x7FFFu);
}

TEST(FloatFormats, SatfiniteOfHalfTypes) {
  ConvertOptions finite;
  finite.saturateFinite = true;
  EXPECT_EQ(convertFloat(f32(1e6f), F32, F16, finite), 0x7BFFu);
  EXPECT_EQ(convertFloat(0xFF800000u, F32, F16, finite), 0xFBFFu);
  EXPECT_EQ(convertFloat(f32NaN, F32, F16, finite), 0x7FFFu);
  EXPECT_EQ(convertFloat(f32Infinity, F32, BF16, finite), 0x7F7Fu);
  EXPECT_EQ(convertFloat(f32Infinity, F32, TF32, finite), 0x7F7FE000u);
}

TEST(FloatFormats, Tf32KeepsTenBits) {
  // Ties: 1 + 2^-11 lies between 1 and 1 + 2^-10.
  const uint64_t tie = f32(1.0f + 0x1p-11f);
  EXPECT_EQ(convertFloat(tie, F32, TF32, with(Rounding::NearestAway)),
            f32(1.0f + 0x1p-10f));
  EXPECT_EQ(convertFloat(tie, F32, TF32), f32(1.0f));
  EXPECT_EQ(convertFloat(tie, F32, TF32, with(Rounding::TowardZero)),
            f32(1.0f));
  // The largest f32 rounds to infinity, and its tf32 input ignores low bits.
  EXPECT_EQ(convertFloat(0x7F7FFFFF, F32, TF32, with(Rounding::NearestAway)),
            f32Infinity);
  EXPECT_EQ(convertFloat(f32(1.0f) | 0x1FFF, TF32, F32), f32(1.0f));
  EXPECT_EQ(convertFloat(f32NaN, F32, TF32), 0x7FFFE000u); // H200, measured
}

TEST(FloatFormats, ReluFlushAndUnitSaturation) {
  ConvertOptions relu;
  relu.relu = true;
  EXPECT_EQ(convertFloat(f32(-1.5f), F32, F16, relu), 0u);
  EXPECT_EQ(convertFloat(f32(1.5f), F32, F16, relu), 0x3E00u);
  EXPECT_EQ(convertFloat(0xFFC00000u, F32, BF16, relu), 0x7FFFu);
  ConvertOptions flush;
  flush.flushSubnormals = true;
  EXPECT_EQ(convertFloat(0x807FFFFF, F32, F64, flush), f64(-0.0));
  EXPECT_EQ(convertFloat(f64(-0x1p-130), F64, F32, flush), 0x80000000u);
  EXPECT_EQ(convertFloat(0x0001, F16, F32, flush), f32(0x1p-24f));
  EXPECT_EQ(convertFloat(f32(0x1p-20f), F32, F16, flush), 0x0010u);
  ConvertOptions unit;
  unit.saturateUnit = true;
  EXPECT_EQ(convertFloat(f32(2.5f), F32, F16, unit), 0x3C00u);
  EXPECT_EQ(convertFloat(f32(-2.5f), F32, F32, unit), 0u);
  EXPECT_EQ(convertFloat(f32NaN, F32, F32, unit), 0u);
  EXPECT_EQ(convertFloat(f32(0.25f), F32, F32, unit), f32(0.25f));
  EXPECT_EQ(convertFloat(f32Infinity, F32, F64, unit), f64(1.0));
}

TEST(FloatFormats, NaNsAreCanonicalExceptOfF64) {
  EXPECT_EQ(convertFloat(0xFF800001, F32, F16), 0x7FFFu);
  // H200, measured.
  EXPECT_EQ(convertFloat(0xFFF0000000000001u, F64, F32), 0xFFC00000u);
  EXPECT_EQ(convertFloat(0xFE01, F16, F32), 0x7FFFFFFFu);
}

TEST(FloatFormats, ScaleFormatIsAPowerOfTwo) {
  const ConvertOptions zero = with(Rounding::TowardZero);
  const ConvertOptions up = with(Rounding::Up);
  EXPECT_EQ(convertFloat(f32(1.0f), F32, UE8M0, zero), 127u);
  EXPECT_EQ(convertFloat(f32(1.5f), F32, UE8M0, zero), 127u);
  EXPECT_EQ(convertFloat(f32(1.5f), F32, UE8M0, up), 128u);
  EXPECT_EQ(convertFloat(f32(2.0f), F32, UE8M0, up), 128u);
  EXPECT_EQ(convertFloat(0x7F7FFFFF, F32, UE8M0, up), 0xFFu);
  ConvertOptions finite = up;
  finite.saturateFinite = true;
  EXPECT_EQ(convertFloat(0x7F7FFFFF, F32, UE8M0, finite), 0xFEu);
  EXPECT_EQ(convertFloat(f32NaN, F32, UE8M0, finite), 0xFFu);
  EXPECT_EQ(convertFloat(128, UE8M0, BF16), 0x4000u); // 2.0
  EXPECT_EQ(convertFloat(0, UE8M0, F32), f32(0x1p-127f));
}

TEST(FloatFormats, RoundToIntegralKeepsSignAndValue) {
  EXPECT_EQ(roundToIntegral(f32(2.5f), F32, Rounding::NearestEven), f32(2.0f));
  EXPECT_EQ(roundToIntegral(f32(3.5f), F32, Rounding::NearestEven), f32(4.0f));
  EXPECT_EQ(roundToIntegral(f32(-0.25f), F32, Rounding::NearestEven),
            f32(-0.0f));
  EXPECT_EQ(roundToIntegral(f32(-0.25f), F32, Rounding::Down), f32(-1.0f));
  EXPECT_EQ(roundToIntegral(f64(1e300), F64, Rounding::Up), f64(1e300));
  EXPECT_EQ(roundToIntegral(0x3A00 /* 0.75 */, F16, Rounding::TowardZero), 0u);
  EXPECT_EQ(roundToIntegral(0x00000001, F32, Rounding::Up, true), 0u);
  EXPECT_EQ(roundToIntegral(0x00000001, F32, Rounding::Up), f32(1.0f));
}

TEST(FloatFormats, FloatToIntegerClampsAndRounds) {
  const auto s32 = [](float value, Rounding rounding) {
    return int64_t(convertFloatToInt(f32(value), F32, 32, true, rounding));
  };
  EXPECT_EQ(s32(2.5f, Rounding::NearestEven), 2);
  EXPECT_EQ(s32(-2.5f, Rounding::Down), -3);
  EXPECT_EQ(s32(-2.5f, Rounding::TowardZero), -2);
  EXPECT_EQ(s32(2.1f, Rounding::Up), 3);
  EXPECT_EQ(s32(3e9f, Rounding::NearestEven), INT32_MAX);
  EXPECT_EQ(s32(-3e9f, Rounding::NearestEven), INT32_MIN);
  EXPECT_EQ(s32(INFINITY, Rounding::NearestEven), INT32_MAX);
  EXPECT_EQ(convertFloatToInt(f32(-1.0f), F32, 32, false, Rounding::TowardZero),
            0u);
  EXPECT_EQ(
      convertFloatToInt(f32(255.5f), F32, 8, false, Rounding::NearestEven),
      255u);
  EXPECT_EQ(int64_t(convertFloatToInt(f32(-200.0f), F32, 8, true,
                                      Rounding::NearestEven)),
            -128);
  EXPECT_EQ(convertFloatToInt(f64(1e20), F64, 64, false, Rounding::TowardZero),
            UINT64_MAX);
  EXPECT_EQ(
      convertFloatToInt(f64(0x1p63), F64, 64, false, Rounding::TowardZero),
      uint64_t(1) << 63);
  EXPECT_EQ(convertFloatToInt(0x0001, F16, 32, true, Rounding::Up), 1u);
  EXPECT_EQ(convertFloatToInt(1, F32, 32, true, Rounding::Up, true), 0u);
}

TEST(FloatFormats, NaNToIntegerFollowsTheIsa) {
  // PTX ISA, cvt, integer notes: 0, unless f64 or a 64-bit integer is involved.
  const auto rounding = Rounding::NearestEven;
  EXPECT_EQ(convertFloatToInt(f32NaN, F32, 32, true, rounding), 0u);
  EXPECT_EQ(convertFloatToInt(f32NaN, F32, 16, false, rounding), 0u);
  EXPECT_EQ(convertFloatToInt(f32NaN, F32, 64, true, rounding), uint64_t(1)
                                                                    << 63);
  EXPECT_EQ(convertFloatToInt(0x7FF8000000000000u, F64, 32, false, rounding),
            0x80000000u);
  EXPECT_EQ(
      int64_t(convertFloatToInt(0x7FF8000000000000u, F64, 32, true, rounding)),
      INT32_MIN);
}

TEST(FloatFormats, FloatToIntegerFollowsTheHost) {
  std::mt19937 random(4);
  for (int i = 0; i < 200000; ++i) {
    const uint32_t bits =
        (random() & 0x807FFFFFu) | ((120 + random() % 34) << 23);
    const float value = bitsToFloat(bits);
    ASSERT_EQ(
        int64_t(convertFloatToInt(bits, F32, 32, true, Rounding::NearestEven)),
        int64_t(std::nearbyint(value)));
    ASSERT_EQ(int64_t(convertFloatToInt(bits, F32, 64, true, Rounding::Down)),
              int64_t(std::floor(value)));
    ASSERT_EQ(
        int64_t(convertFloatToInt(bits, F32, 32, true, Rounding::TowardZero)),
        int64_t(value));
  }
}

TEST(FloatFormats, IntegerToFloatRounds) {
  EXPECT_EQ(convertIntToFloat(16777217, 32, true, F32), f32(16777216.0f));
  EXPECT_EQ(convertIntToFloat(16777217, 32, true, F32, with(Rounding::Up)),
            f32(16777218.0f));
  EXPECT_EQ(convertIntToFloat(UINT64_MAX, 64, false, F32), f32(0x1p64f));
  EXPECT_EQ(
      convertIntToFloat(UINT64_MAX, 64, false, F32, with(Rounding::TowardZero)),
      f32(0x1.fffffep63f));
  EXPECT_EQ(convertIntToFloat(uint64_t(1) << 63, 64, true, F64), f64(-0x1p63));
  EXPECT_EQ(convertIntToFloat(0xFFFFFFFF, 32, true, F16), 0xBC00u);
  EXPECT_EQ(convertIntToFloat(65520, 32, false, F16), 0x7C00u);
  EXPECT_EQ(convertIntToFloat(0x80, 8, true, F32), f32(-128.0f));
  EXPECT_EQ(convertIntToFloat(0, 32, true, F32), 0u);
}

} // namespace
