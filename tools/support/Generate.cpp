// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Generate.h"

#include "Parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gemm::tools {
namespace {

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

constexpr uint64_t golden = 0x9e3779b97f4a7c15;

uint64_t streamKey(uint64_t seed, uint64_t stream) {
  return mix(mix(seed + golden) + (stream + 1) * golden);
}

// Box-Muller with 32 bits for radius and angle each; |result| < 6.7.
float normal(uint64_t bits) {
  float radius = (static_cast<float>(bits >> 40) + 0.5f) * 0x1p-24f;
  float angle = static_cast<float>(bits & 0xffffff) * 0x1p-24f;
  return std::sqrt(-2.0f * std::log(radius)) *
         std::cos(2 * std::numbers::pi_v<float> * angle);
}

double uniform(uint64_t bits) {
  return static_cast<double>(static_cast<int64_t>(bits)) * 0x1p-63;
}

// One of the values that arithmetic gets wrong first. Sums of products of
// finite ones stay within f32 for up to 2^20 terms, so that an infinite result
// always comes from an infinite input.
double special(ElementType type, uint64_t bits, double nonFiniteRate) {
  if (!isFloat(type)) {
    constexpr double edges[] = {-128, 127, -1, 0, 1, -127, 126, 64};
    return edges[bits & 7];
  }
  const FloatFormat &format = floatFormat(type);
  double sign = bits & 1 ? -1 : 1;
  bool narrow = std::ilogb(format.largest) < 52;
  double chance = static_cast<double>(bits >> 11) * 0x1p-53;
  if (chance < nonFiniteRate) {
    if (narrow && (bits & 4))
      return sign * format.largest;
    if (format.infinities && (bits & 2))
      return sign * std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
  }
  double fraction = 1 + static_cast<double>(bits >> 32 & 0xffff) * 0x1p-16;
  int smallest = std::max(format.smallestExponent(), -126);
  // Results in a narrow type shall not all be infinite.
  int largest = narrow ? 6 : 52;
  switch (bits >> 1 & 7) {
  case 0:
    return sign * 0.0;
  case 1: // Subnormal.
    return sign * std::ldexp(fraction - 1, smallest);
  case 2: // Smallest normal numbers.
    return sign * std::ldexp(fraction, smallest);
  case 3: // Large numbers.
    return sign * std::ldexp(fraction, largest);
  case 4: // Exponent anywhere between.
    return sign * std::ldexp(fraction,
                             smallest + static_cast<int>((bits >> 48) %
                                                         (largest - smallest)));
  case 5: // Opposite numbers that cancel.
    return sign * 1.5;
  default:
    return sign * fraction;
  }
}

double element(const DataRequest &request, ElementType type, int64_t limit,
               uint64_t bits) {
  switch (request.kind) {
  case DataKind::Normal:
    return isFloat(type) ? normal(bits) : 32 * normal(bits);
  case DataKind::Uniform:
    return isFloat(type) ? uniform(bits)
                         : static_cast<double>(static_cast<int8_t>(bits >> 56));
  case DataKind::Integers:
    return static_cast<double>(static_cast<int64_t>(
               bits % static_cast<uint64_t>(2 * limit + 1))) -
           static_cast<double>(limit);
  case DataKind::Special:
    // About every fifth dot product meets an infinity, a NaN or the largest
    // number.
    return special(
        type, bits,
        0.0625 / static_cast<double>(std::max<int64_t>(1, request.reduction)));
  }
  return 0;
}

} // namespace

std::optional<DataKind> parseDataKind(std::string_view name) {
  for (DataKind kind : {DataKind::Normal, DataKind::Uniform, DataKind::Integers,
                        DataKind::Special})
    if (name == dataKindName(kind))
      return kind;
  return std::nullopt;
}

std::string_view dataKindName(DataKind kind) {
  switch (kind) {
  case DataKind::Normal:
    return "normal";
  case DataKind::Uniform:
    return "uniform";
  case DataKind::Integers:
    return "integers";
  case DataKind::Special:
    return "special";
  }
  return "";
}

uint64_t randomBits(uint64_t seed, uint64_t stream, uint64_t counter) {
  return mix(streamKey(seed, stream) + counter * golden);
}

int64_t integerLimit(ElementType type, int64_t reduction) {
  // e5m2 has the fewest significant bits: three.
  int64_t limit = type == ElementType::E5M2 ? 8 : 9;
  auto sum = static_cast<double>(std::max<int64_t>(1, reduction));
  auto exact = static_cast<int64_t>(std::sqrt(0x1p23 / sum));
  return std::max<int64_t>(1, std::min(limit, exact));
}

void fillMatrix(HostMatrix &matrix, const DataRequest &request) {
  const MatrixLayout &shape = matrix.layout();
  if (shape.span() == 0)
    return;
  ElementType type = matrix.type();
  auto size = static_cast<int64_t>(elementSize(type));
  int64_t limit = integerLimit(type, request.reduction);
  uint64_t key = streamKey(request.seed, request.stream);
  // Counter of element (batch, row, col): its index in a packed row-major
  // matrix. Matrices that batches share have one batch.
  int64_t batches = shape.batchStride == 0 ? 1 : shape.batches;
  int64_t lineStep = shape.columnMajor ? 1 : shape.cols;
  int64_t elementStep = shape.columnMajor ? shape.cols : 1;
  int64_t grain = std::max<int64_t>(1, 32768 / shape.lineLength());
  parallelRanges(
      shape.lines() * batches, grain, [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; ++line) {
          int64_t batch = line / shape.lines(), inBatch = line % shape.lines();
          std::byte *out =
              matrix.elements() +
              (batch * shape.batchStride + inBatch * shape.leadingDimension) *
                  size;
          auto counter = static_cast<uint64_t>(batch * shape.rows * shape.cols +
                                               inBatch * lineStep);
          for (int64_t i = 0; i < shape.lineLength(); ++i) {
            uint64_t bits = mix(key + counter * golden);
            storeBits(type, out + i * size,
                      encodeElement(type, element(request, type, limit, bits)));
            counter += static_cast<uint64_t>(elementStep);
          }
        }
      });
}

} // namespace gemm::tools
