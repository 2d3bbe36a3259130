// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Reference.h"
#include "support/Accumulation.h"
#include "support/Generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

using namespace gemm::tools;

namespace {

std::vector<int64_t> iota(int64_t count) {
  std::vector<int64_t> result(count);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

HostMatrix random(ElementType type, int64_t rows, int64_t cols, uint64_t stream,
                  bool columnMajor = false, DataKind kind = DataKind::Normal) {
  HostMatrix matrix(
      type, {rows, cols, columnMajor, (columnMajor ? rows : cols) + 3, 1, 0});
  fillMatrix(matrix, {kind, 11, stream, cols});
  return matrix;
}

TEST(Reference, HandComputedProduct) {
  // [1 2; 3 4] * [5 6; 7 8]^T
  HostMatrix a(ElementType::F32, {2, 2, false, 2, 1, 0});
  HostMatrix b(ElementType::F32, {2, 2, true, 2, 1, 0});
  const float aValues[] = {1, 2, 3, 4}, bValues[] = {5, 6, 7, 8};
  for (int i = 0; i < 4; ++i) {
    a.setBits(0, i / 2, i % 2, std::bit_cast<uint32_t>(aValues[i]));
    b.setBits(0, i / 2, i % 2, std::bit_cast<uint32_t>(bValues[i]));
  }
  BoundedValues result;
  referenceTile(
      a.view(), b.view(), 0, iota(2), iota(2),
      chooseAccumulation("fma", 90, ElementType::F32, ElementType::F32),
      result);
  EXPECT_EQ(result.value, (std::vector<double>{17, 23, 39, 53}));
  // Two steps; half ulps of 5 and 17 with u = 2^-24, and a sum of errors.
  EXPECT_NEAR(result.error[0], (5 + 17) * 0x1p-24, 1e-12);
}

TEST(Reference, EmptySumsAreExactlyZero) {
  HostMatrix a = random(ElementType::F16, 3, 0, 0),
             b = random(ElementType::F16, 4, 0, 1);
  BoundedValues result;
  referenceTile(
      a.view(), b.view(), 0, iota(3), iota(4),
      chooseAccumulation("wgmma", 90, ElementType::F16, ElementType::F32),
      result);
  EXPECT_EQ(result.value, std::vector<double>(12, 0.0));
  EXPECT_EQ(result.error, std::vector<double>(12, 0.0));
}

TEST(Reference, AgreesWithAPlainLoopForAllOrders) {
  for (bool aColumn : {false, true})
    for (bool bColumn : {false, true}) {
      HostMatrix a = random(ElementType::BF16, 37, 601, 0, aColumn);
      HostMatrix b = random(ElementType::BF16, 29, 601, 1, bColumn);
      std::vector<int64_t> rows = {0, 5, 36}, cols = {28, 3, 3, 11};
      BoundedValues result;
      referenceTile(
          a.view(), b.view(), 0, rows, cols,
          chooseAccumulation("wgmma", 90, ElementType::BF16, ElementType::F32),
          result);
      for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 4; ++j) {
          long double sum = 0;
          for (int64_t k = 0; k < 601; ++k)
            sum += static_cast<long double>(a.view().at(0, rows[i], k)) *
                   b.view().at(0, cols[j], k);
          EXPECT_NEAR(result.value[i * 4 + j], static_cast<double>(sum), 1e-11);
        }
    }
}

// The published model of a tensor core, bit by bit: terms cut toward zero
// relative to the largest exponent, added exactly, normalised by truncation.
float tensorCoreSum(const std::vector<double> &a, const std::vector<double> &b,
                    int terms, int fractionBits) {
  float sum = 0;
  for (size_t k = 0; k < a.size(); k += terms) {
    size_t end = std::min(a.size(), k + terms);
    int exponent = sum == 0 ? -200 : std::ilogb(sum);
    for (size_t i = k; i < end; ++i)
      if (a[i] * b[i] != 0)
        exponent = std::max(exponent, std::ilogb(a[i]) + std::ilogb(b[i]));
    double unit = std::ldexp(1.0, exponent - fractionBits);
    double exact = std::trunc(sum / unit);
    for (size_t i = k; i < end; ++i)
      exact += std::trunc(a[i] * b[i] / unit);
    double value = exact * unit;
    float rounded = static_cast<float>(value);
    if (std::abs(static_cast<double>(rounded)) > std::abs(value))
      rounded = std::nextafter(rounded, 0.0f);
    sum = rounded;
  }
  return sum;
}

struct ModelCase {
  const char *schedule;
  int capability;
  int terms, fractionBits;
};

// The bound must hold for the model's own arithmetic and be within two orders
// of magnitude of what it really does.
TEST(Reference, BoundHoldsForTheTensorCoreModel) {
  const ModelCase cases[] = {{"wgmma.m64n256k16", 90, 16, 25},
                             {"mma.sync.m16n8k16", 90, 16, 25},
                             {"mma.sync.m16n8k16", 80, 8, 24}};
  for (const ModelCase &test : cases) {
    AccumulationModel model = chooseAccumulation(
        test.schedule, test.capability, ElementType::F16, ElementType::F32);
    EXPECT_EQ(model.termsPerStep, test.terms);
    EXPECT_EQ(model.alignmentUnit, std::ldexp(1.0, -test.fractionBits));
    for (DataKind kind : {DataKind::Normal, DataKind::Uniform}) {
      HostMatrix a = random(ElementType::F16, 24, 1003, 0, false, kind);
      HostMatrix b = random(ElementType::F16, 24, 1003, 1, false, kind);
      BoundedValues result;
      referenceTile(a.view(), b.view(), 0, iota(24), iota(24), model, result);
      double worst = 0;
      for (int64_t i = 0; i < 24; ++i)
        for (int64_t j = 0; j < 24; ++j) {
          std::vector<double> x(1003), y(1003);
          for (int64_t k = 0; k < 1003; ++k) {
            x[k] = a.view().at(0, i, k);
            y[k] = b.view().at(0, j, k);
          }
          double device = tensorCoreSum(x, y, test.terms, test.fractionBits);
          size_t at = i * 24 + j;
          double ratio = std::abs(device - result.value[at]) / result.error[at];
          ASSERT_LE(ratio, 1);
          worst = std::max(worst, ratio);
        }
      EXPECT_GT(worst, 0.01);
    }
  }
}

TEST(Reference, BoundHoldsForAnFmaChain) {
  AccumulationModel model =
      chooseAccumulation("fma", 90, ElementType::F32, ElementType::F32);
  HostMatrix a = random(ElementType::F32, 24, 997, 0),
             b = random(ElementType::F32, 24, 997, 1);
  BoundedValues result;
  referenceTile(a.view(), b.view(), 0, iota(24), iota(24), model, result);
  double worst = 0;
  for (int64_t i = 0; i < 24; ++i)
    for (int64_t j = 0; j < 24; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < 997; ++k)
        sum = std::fma(static_cast<float>(a.view().at(0, i, k)),
                       static_cast<float>(b.view().at(0, j, k)), sum);
      double ratio =
          std::abs(sum - result.value[i * 24 + j]) / result.error[i * 24 + j];
      ASSERT_LE(ratio, 1);
      worst = std::max(worst, ratio);
    }
  EXPECT_GT(worst, 0.01);
}

TEST(Reference, IntegersAreExactAndWrap) {
  AccumulationModel model =
      chooseAccumulation("mma.sync", 90, ElementType::S8, ElementType::S32);
  EXPECT_TRUE(model.exact);
  // 140000 * 127 * 127 = 2258060000 = 2^32 - 2036907296.
  HostMatrix a(ElementType::S8, {1, 140000, false, 140000, 1, 0});
  for (int64_t k = 0; k < 140000; ++k)
    a.setBits(0, 0, k, 127);
  BoundedValues result;
  referenceTile(a.view(), a.view(), 0, iota(1), iota(1), model, result);
  EXPECT_EQ(result.value[0], -2036907296.0);
  EXPECT_EQ(result.error[0], 0);
}

TEST(Reference, OverflowedSumsHaveNoBound) {
  HostMatrix a(ElementType::BF16, {1, 3, false, 3, 1, 0});
  HostMatrix b(ElementType::BF16, {1, 3, false, 3, 1, 0});
  const double aValues[] = {0x1p100, -0x1p100, 1},
               bValues[] = {0x1p100, 0x1p100, 1};
  for (int64_t k = 0; k < 3; ++k) {
    a.setBits(0, 0, k, encodeElement(ElementType::BF16, aValues[k]));
    b.setBits(0, 0, k, encodeElement(ElementType::BF16, bValues[k]));
  }
  BoundedValues result;
  referenceTile(
      a.view(), b.view(), 0, iota(1), iota(1),
      chooseAccumulation("fma", 90, ElementType::BF16, ElementType::F32),
      result);
  EXPECT_TRUE(std::isinf(result.error[0]));
}

TEST(Accumulation, AStepIsNoLongerThanTheInstruction) {
  auto terms = [](const char *schedule, int capability) {
    return chooseAccumulation(schedule, capability, ElementType::F16,
                              ElementType::F32)
        .termsPerStep;
  };
  EXPECT_EQ(terms("tile<128x128x32>, mma<mma_sync 16x8x16, warps = 2x4>", 90),
            16);
  EXPECT_EQ(terms("tile<128x128x32>, mma<mma_sync 16x8x8, warps = 2x4>", 90),
            8);
  EXPECT_EQ(terms("mma<mma_sync 16x8x16>", 80), 8);
  EXPECT_EQ(terms("mma<wgmma 64x256x16>", 90), 16);
}

TEST(Accumulation, FollowsThePublishedTable) {
  auto bits = [](const char *schedule, int capability, ElementType type) {
    return -std::log2(
        chooseAccumulation(schedule, capability, type, ElementType::F32)
            .alignmentUnit);
  };
  EXPECT_EQ(bits("wmma", 70, ElementType::F16), 23);
  EXPECT_EQ(bits("mma.sync", 75, ElementType::F16), 24);
  EXPECT_EQ(bits("mma.sync", 89, ElementType::E4M3), 13);
  EXPECT_EQ(bits("mma.sync", 90, ElementType::E4M3), 25);
  EXPECT_EQ(bits("wgmma", 90, ElementType::E4M3), 13);
  EXPECT_EQ(bits("wgmma", 90, ElementType::BF16), 25);
  EXPECT_EQ(bits("tcgen05", 100, ElementType::E4M3), 25);
  EXPECT_EQ(targetCapability("sm_90a"), 90);
  EXPECT_EQ(targetCapability("sm_120a"), 120);
  EXPECT_EQ(targetCapability("gfx942"), 0);
}

} // namespace
