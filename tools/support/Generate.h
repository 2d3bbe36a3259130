// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test data. Every element is a function of (seed, stream, its coordinates)
// alone, so the same matrix has the same values whatever its order, leading
// dimension or the number of threads.
#ifndef GEMM_TOOLS_SUPPORT_GENERATE_H
#define GEMM_TOOLS_SUPPORT_GENERATE_H

#include "HostMatrix.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gemm::tools {

enum class DataKind : uint8_t {
  Normal,   // Standard normal; 8-bit integers: 32 times that.
  Uniform,  // Uniform in [-1, 1); 8-bit integers: all values.
  Integers, // Small integers: every partial sum of the GEMM is exact.
  // Zeros of both signs, subnormals, extreme exponents, and a few infinities
  // and NaNs.
  Special
};

std::optional<DataKind> parseDataKind(std::string_view name);
std::string_view dataKindName(DataKind kind);

// Well-mixed 64 bits of a counter: SplitMix64's output function (Steele, Lea,
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) applied
// to a key derived from seed and stream, plus the counter.
uint64_t randomBits(uint64_t seed, uint64_t stream, uint64_t counter);

struct DataRequest {
  DataKind kind = DataKind::Normal;
  uint64_t seed = 0;
  // Different for each operand.
  uint64_t stream = 0;
  // Length of the dot products that the matrix takes part in: sizes the
  // integers and the rarity of infinities and NaNs.
  int64_t reduction = 1;
};

// Largest magnitude of Integers for products summed `reduction` at a time:
// reduction * limit^2 <= 2^23, which every accumulator model here (f32, s32)
// holds exactly, and the type holds the integer.
int64_t integerLimit(ElementType type, int64_t reduction);

// Fills the elements; padding and guard zones stay as they are.
void fillMatrix(HostMatrix &matrix, const DataRequest &request);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_GENERATE_H
