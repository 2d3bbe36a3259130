// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/HostMatrix.h"
#include "support/Generate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

using namespace gemm::tools;

namespace {

HostMatrix paddedMatrix(bool columnMajor, int64_t shift = 0) {
  MatrixLayout layout{5, 3, columnMajor, 9, 2, 9 * 5 + 2};
  HostMatrix matrix(ElementType::F16, layout, shift);
  for (int64_t batch = 0; batch < 2; ++batch)
    for (int64_t row = 0; row < 5; ++row)
      for (int64_t col = 0; col < 3; ++col)
        matrix.setBits(batch, row, col, 0x3c00 + row);
  return matrix;
}

TEST(HostMatrix, AWrittenMatrixHasNoWriteOutside) {
  for (bool columnMajor : {false, true})
    for (int64_t shift : {0, 1}) {
      HostMatrix matrix = paddedMatrix(columnMajor, shift);
      EXPECT_EQ(matrix.findWriteOutside(), "");
      EXPECT_EQ(matrix.findPoison(), "");
    }
}

TEST(HostMatrix, SeesEveryByteOutside) {
  HostMatrix matrix = paddedMatrix(false);
  std::set<const std::byte *> elements;
  for (int64_t batch = 0; batch < 2; ++batch)
    for (int64_t row = 0; row < 5; ++row)
      for (int64_t col = 0; col < 3; ++col)
        for (int i = 0; i < 2; ++i)
          elements.insert(matrix.elements() +
                          matrix.layout().offset(batch, row, col) * 2 + i);
  int outside = 0;
  for (size_t i = 0; i < matrix.storageBytes(); ++i) {
    std::byte *at = matrix.storage() + i;
    *at ^= std::byte{1};
    bool found = !matrix.findWriteOutside().empty();
    EXPECT_EQ(found, elements.count(at) == 0) << i;
    outside += found;
    *at ^= std::byte{1};
  }
  EXPECT_EQ(outside + 60, static_cast<int>(matrix.storageBytes()));
}

TEST(HostMatrix, SaysWhere) {
  auto report = [](bool columnMajor, int64_t offset) {
    HostMatrix matrix = paddedMatrix(columnMajor);
    matrix.elements()[offset * 2] ^= std::byte{0xff};
    return matrix.findWriteOutside();
  };
  EXPECT_EQ(report(false, -1), "2 bytes before the matrix");
  EXPECT_EQ(report(false, 9 + 3),
            "batch 0, padding of row 1, 1 elements after its end");
  EXPECT_EQ(report(true, 9 * 2 + 6),
            "batch 0, padding of column 2, 2 elements after its end");
  EXPECT_EQ(report(false, 9 * 4 + 3),
            "batch 0, padding of row 4, 1 elements after its end");
  EXPECT_EQ(report(false, 9 * 5),
            "batch 0, between the batches, 7 elements after the last");
  EXPECT_EQ(report(false, 47 + 9 * 4 + 3), "1 bytes after the matrix");
}

TEST(HostMatrix, FindsAnUnwrittenElement) {
  HostMatrix matrix = paddedMatrix(true);
  matrix.setBits(1, 4, 2, poisonBits(ElementType::F16));
  EXPECT_EQ(matrix.findPoison(), "batch 1, element (4, 2)");
}

TEST(HostMatrix, FindsAChangedInput) {
  HostMatrix original = paddedMatrix(false), copy = paddedMatrix(false);
  EXPECT_EQ(copy.findDifference(original), "");
  copy.setBits(0, 2, 1, 0);
  EXPECT_EQ(copy.findDifference(original), "batch 0, element (2, 1)");
}

TEST(HostMatrix, EmptyMatricesAreAllGuard) {
  HostMatrix matrix(ElementType::F32, {0, 7, false, 7, 1, 0});
  EXPECT_EQ(matrix.layout().span(), 0);
  EXPECT_EQ(matrix.findWriteOutside(), "");
  matrix.storage()[100] = std::byte{0};
  EXPECT_NE(matrix.findWriteOutside(), "");
}

TEST(Generate, ValuesDependOnCoordinatesAlone) {
  HostMatrix row(ElementType::F32, {33, 17, false, 20, 2, 33 * 20});
  HostMatrix col(ElementType::F32, {33, 17, true, 40, 2, 40 * 17 + 5}, 3);
  DataRequest request{DataKind::Normal, 7, 1, 17};
  fillMatrix(row, request);
  fillMatrix(col, request);
  for (int64_t batch = 0; batch < 2; ++batch)
    for (int64_t i = 0; i < 33; ++i)
      for (int64_t j = 0; j < 17; ++j)
        ASSERT_EQ(row.view().bits(batch, i, j), col.view().bits(batch, i, j));
  EXPECT_EQ(row.findWriteOutside(), "");
  EXPECT_EQ(col.findWriteOutside(), "");
  EXPECT_NE(row.view().bits(0, 0, 0), row.view().bits(1, 0, 0));

  HostMatrix other(ElementType::F32, {33, 17, false, 20, 2, 33 * 20});
  request.stream = 2;
  fillMatrix(other, request);
  EXPECT_NE(other.findDifference(row), "");
}

// Moments of the standard normal: 0, 1, 0, 3; standard errors over 10^6 draws
// are 0.001, 0.0014, 0.0039 and 0.0098.
TEST(Generate, NormalHasTheMomentsOfANormal) {
  HostMatrix matrix(ElementType::F32, {1000, 1000, false, 1000, 1, 0});
  fillMatrix(matrix, {DataKind::Normal, 3, 0, 1});
  double moments[5] = {};
  for (int64_t i = 0; i < 1000; ++i)
    for (int64_t j = 0; j < 1000; ++j) {
      double x = matrix.view().at(0, i, j);
      for (int power = 1; power <= 4; ++power)
        moments[power] += std::pow(x, power) * 1e-6;
    }
  EXPECT_NEAR(moments[1], 0, 0.006);
  EXPECT_NEAR(moments[2], 1, 0.008);
  EXPECT_NEAR(moments[3], 0, 0.02);
  EXPECT_NEAR(moments[4], 3, 0.06);
}

TEST(Generate, IntegersKeepSumsExact) {
  for (ElementType type : {ElementType::BF16, ElementType::E4M3,
                           ElementType::E5M2, ElementType::S8})
    for (int64_t k : {0, 1, 100, 8192, 1 << 20}) {
      int64_t limit = integerLimit(type, k);
      EXPECT_GE(limit, 1);
      EXPECT_LE(static_cast<double>(k * limit * limit), 0x1p23);
      for (int64_t value = -limit; value <= limit; ++value)
        EXPECT_EQ(roundToElement(type, static_cast<double>(value)), value);
    }
}

TEST(Generate, SpecialDataHasEveryClass) {
  HostMatrix matrix(ElementType::BF16, {200, 200, false, 200, 1, 0});
  fillMatrix(matrix, {DataKind::Special, 5, 0, 20});
  int nan = 0, inf = 0, zero = 0, subnormal = 0, normal = 0;
  for (int64_t i = 0; i < 200; ++i)
    for (int64_t j = 0; j < 200; ++j) {
      double x = matrix.view().at(0, i, j);
      nan += std::isnan(x);
      inf += std::isinf(x);
      zero += x == 0;
      subnormal += x != 0 && std::abs(x) < 0x1p-126;
      normal += std::isfinite(x) && std::abs(x) >= 0x1p-126;
    }
  EXPECT_GT(nan, 10);
  EXPECT_GT(inf, 10);
  EXPECT_LT(nan + inf, 500);
  EXPECT_GT(zero, 1000);
  EXPECT_GT(subnormal, 1000);
  EXPECT_GT(normal, 20000);
}

} // namespace
