// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars in the kernel's type: values from IEEE 754-2019 (binary16, binary32,
// binary64) and the definition of bfloat16 (the upper half of binary32).
#include "../lib/ElementType.h"
#include "../lib/Error.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace gemm::runtime;

TEST(ElementType, Names) {
  EXPECT_EQ(parseElementType("bf16"), ElementType::BF16);
  EXPECT_FALSE(parseElementType("f15"));
  EXPECT_EQ(elementBytes(ElementType::TF32), 4u);
  EXPECT_EQ(elementBytes(ElementType::F8E5M2), 1u);
}

TEST(ElementType, HalfPrecision) {
  auto f16 = [](double value) {
    return convertScalar(value, ElementType::F16);
  };
  EXPECT_EQ(f16(0.0), 0x0000u);
  EXPECT_EQ(f16(-0.0), 0x8000u);
  EXPECT_EQ(f16(1.0), 0x3c00u);
  EXPECT_EQ(f16(-2.0), 0xc000u);
  EXPECT_EQ(f16(65504.0), 0x7bffu);  // largest finite
  EXPECT_EQ(f16(65519.99), 0x7bffu); // below the midpoint to 2^16
  EXPECT_EQ(f16(65520.0), 0x7c00u);  // the midpoint: to even, infinity
  EXPECT_EQ(f16(1e300), 0x7c00u);
  EXPECT_EQ(f16(std::ldexp(1.0, -14)), 0x0400u); // smallest normal
  EXPECT_EQ(f16(std::ldexp(1.0, -24)), 0x0001u); // smallest subnormal
  EXPECT_EQ(f16(std::ldexp(1.0, -25)), 0x0000u); // midpoint: to even
  EXPECT_EQ(f16(std::ldexp(1.5, -25)), 0x0001u);
  EXPECT_EQ(f16(1.0 + std::ldexp(1.0, -11)), 0x3c00u); // midpoint: to even
  EXPECT_EQ(f16(1.0 + std::ldexp(3.0, -11)), 0x3c02u); // midpoint: to even
  // Once from double: rounding through float first would give 0x3c00.
  EXPECT_EQ(f16(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)), 0x3c01u);
  // The largest subnormal rounds up into the smallest normal.
  EXPECT_EQ(f16(std::ldexp(1.0, -14) - std::ldexp(1.0, -26)), 0x0400u);
  EXPECT_EQ(f16(-std::numeric_limits<double>::infinity()), 0xfc00u);
  EXPECT_EQ(f16(std::nan("")) & 0x7e00u, 0x7e00u);
}

TEST(ElementType, BrainFloat) {
  auto bf16 = [](double value) {
    return convertScalar(value, ElementType::BF16);
  };
  EXPECT_EQ(bf16(1.0), 0x3f80u);
  EXPECT_EQ(bf16(0.5), 0x3f00u);
  EXPECT_EQ(bf16(1.0 + std::ldexp(1.0, -8)), 0x3f80u); // midpoint: to even
  EXPECT_EQ(bf16(1.0 + std::ldexp(1.0, -8) + std::ldexp(1.0, -50)), 0x3f81u);
  EXPECT_EQ(bf16(std::ldexp(1.0, -133)), 0x0001u); // smallest subnormal
  EXPECT_EQ(bf16(3.4e38), 0x7f80u);
}

TEST(ElementType, OtherScalars) {
  EXPECT_EQ(convertScalar(0.1, ElementType::F32),
            std::bit_cast<uint32_t>(0.1f));
  EXPECT_EQ(convertScalar(0.1, ElementType::F64), std::bit_cast<uint64_t>(0.1));
  EXPECT_EQ(convertScalar(-3, ElementType::I32), 0xfffffffdu);
  EXPECT_THROW(convertScalar(0.5, ElementType::I32), Error);
  EXPECT_THROW(convertScalar(2147483648.0, ElementType::I32), Error);
  EXPECT_THROW(convertScalar(std::nan(""), ElementType::I32), Error);
}
