// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer and f64 instructions: exact references, and the order and rounding of
// the chain of fused multiply-adds (PTX ISA 9.7.14.5.14, "Precision and
// rounding").

#include "TensorCore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace gemm::emulator;

namespace {

using enum ElementType;

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
