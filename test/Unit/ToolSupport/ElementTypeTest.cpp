// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ElementType.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace gemm::tools;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Encoding {
  ElementType type;
  double value;
  uint64_t bits;
};

// IEEE 754-2019 tables 3.5 and 3.6, bfloat16 as the upper half of binary32,
// OCP OFP8 1.0 table 2.
TEST(ElementType, EncodesPublishedValues) {
  const Encoding table[] = {
      {ElementType::F16, 1.0, 0x3c00},
      {ElementType::F16, -2.0, 0xc000},
      {ElementType::F16, 65504.0, 0x7bff},
      {ElementType::F16, 0x1p-14, 0x0400},
      {ElementType::F16, 0x1p-24, 0x0001},
      {ElementType::F16, 0x1.ff8p-15, 0x03ff},
      {ElementType::F16, infinity, 0x7c00},
      {ElementType::F16, -0.0, 0x8000},
      {ElementType::BF16, 1.0, 0x3f80},
      {ElementType::BF16, 3.140625, 0x4049},
      {ElementType::BF16, 0x1p-133, 0x0001},
      {ElementType::BF16, -infinity, 0xff80},
      {ElementType::TF32, 1.0, 0x3f800000},
      {ElementType::F32, 1.0, 0x3f800000},
      {ElementType::F64, 1.0, 0x3ff0000000000000},
      {ElementType::E4M3, 448.0, 0x7e},
      {ElementType::E4M3, 1.0, 0x38},
      {ElementType::E4M3, 0x1p-6, 0x08},
      {ElementType::E4M3, 0x1p-9, 0x01},
      {ElementType::E5M2, 57344.0, 0x7b},
      {ElementType::E5M2, 1.0, 0x3c},
      {ElementType::E5M2, 0x1p-16, 0x01},
      {ElementType::E5M2, infinity, 0x7c},
      {ElementType::S8, -128.0, 0x80},
      {ElementType::S8, 5.0, 0x05},
      {ElementType::S32, -1.0, 0xffffffff},
  };
  for (const Encoding &row : table) {
    EXPECT_EQ(encodeElement(row.type, row.value), row.bits)
        << elementTypeName(row.type) << " " << row.value;
    EXPECT_EQ(decodeElement(row.type, row.bits), row.value)
        << elementTypeName(row.type) << " " << row.value;
  }
}

TEST(ElementType, RoundsTiesToEven) {
  EXPECT_EQ(roundToElement(ElementType::F16, 2049), 2048);
  EXPECT_EQ(roundToElement(ElementType::F16, 2051), 2052);
  EXPECT_EQ(roundToElement(ElementType::BF16, 257), 256);
  EXPECT_EQ(roundToElement(ElementType::BF16, 259), 260);
  EXPECT_EQ(roundToElement(ElementType::E4M3, 17), 16);
  EXPECT_EQ(roundToElement(ElementType::E4M3, 19), 20);
  EXPECT_EQ(roundToElement(ElementType::F16, 0x1p-25), 0);
  EXPECT_EQ(roundToElement(ElementType::F16, 0x1.8p-24), 0x1p-23);
  EXPECT_EQ(roundToElement(ElementType::S8, 2.5), 2);
}

TEST(ElementType, OverflowsWhereTheFormatSays) {
  EXPECT_EQ(roundToElement(ElementType::F16, 65519.99), 65504);
  EXPECT_EQ(roundToElement(ElementType::F16, 65520), infinity);
  EXPECT_EQ(overflowThreshold(ElementType::F16), 65520);
  EXPECT_EQ(roundToElement(ElementType::E5M2, 61440), infinity);
  EXPECT_EQ(roundToElement(ElementType::E4M3, 464), 448);
  EXPECT_TRUE(std::isnan(roundToElement(ElementType::E4M3, 465)));
  EXPECT_TRUE(std::isnan(roundToElement(ElementType::E4M3, -infinity)));
  EXPECT_EQ(roundToElement(ElementType::S8, 1000), 127);
}

// The compiler's own _Float16 is the witness.
TEST(ElementType, AgreesWithTheCompilersHalf) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double expected = std::bit_cast<_Float16>(static_cast<uint16_t>(bits));
    double value = decodeElement(ElementType::F16, bits);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(value)) << bits;
    else
      EXPECT_EQ(std::bit_cast<uint64_t>(value),
                std::bit_cast<uint64_t>(expected))
          << bits;
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    double value = std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53,
                              static_cast<int>(random() % 50) - 30);
    auto expected = static_cast<_Float16>(value);
    ASSERT_EQ(encodeElement(ElementType::F16, value),
              std::bit_cast<uint16_t>(expected))
        << value;
  }
}

TEST(ElementType, EveryNarrowValueSurvivesARoundTrip) {
  for (ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::E4M3,
        ElementType::E5M2, ElementType::S8}) {
    uint32_t count = 1u << (8 * elementSize(type));
    for (uint32_t bits = 0; bits < count; ++bits) {
      double value = decodeElement(type, bits);
      if (!std::isnan(value)) {
        ASSERT_EQ(encodeElement(type, value), bits) << elementTypeName(type);
      }
    }
  }
}

TEST(ElementType, HalfUlpBoundsEveryRounding) {
  std::mt19937_64 random(2);
  for (ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::E4M3,
        ElementType::E5M2, ElementType::TF32, ElementType::F32}) {
    double largest = 0;
    for (int i = 0; i < 20000; ++i) {
      double value =
          std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52,
                     static_cast<int>(random() % 20) - 14);
      if (value >= overflowThreshold(type))
        continue;
      double ratio =
          std::abs(roundToElement(type, value) - value) / halfUlp(type, value);
      ASSERT_LE(ratio, 1) << elementTypeName(type) << " " << value;
      largest = std::max(largest, ratio);
    }
    EXPECT_GT(largest, 0.95) << elementTypeName(type);
  }
}

TEST(ElementType, PoisonIsNaNWhereThereIsOne) {
  for (ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::TF32,
        ElementType::F32, ElementType::F64, ElementType::E4M3,
        ElementType::E5M2})
    EXPECT_TRUE(std::isnan(decodeElement(type, poisonBits(type))))
        << elementTypeName(type);
}

TEST(ElementType, DecodesStridedRuns) {
  const uint16_t source[] = {0x3c00, 0x4000, 0x4200, 0x4400};
  double result[2];
  decodeElements(ElementType::F16, reinterpret_cast<const std::byte *>(source),
                 2, 2, result);
  EXPECT_EQ(result[0], 1);
  EXPECT_EQ(result[1], 3);
}

TEST(ElementType, KnowsBothSpellings) {
  EXPECT_EQ(parseElementType("e4m3"), ElementType::E4M3);
  EXPECT_EQ(parseElementType("f8E4M3FN"), ElementType::E4M3);
  EXPECT_EQ(parseElementType("i8"), ElementType::S8);
  EXPECT_EQ(parseElementType("float"), std::nullopt);
}

} // namespace
