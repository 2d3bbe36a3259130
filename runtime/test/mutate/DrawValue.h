// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_TEST_MUTATE_DRAWVALUE_H
#define GEMM_TEST_MUTATE_DRAWVALUE_H

#include <cstdint>
#include <cstring>
#include <random>
#include <string>

namespace gemm::mutate {

/// Writes a finite value in (-1, 1) of the element type, little-endian; small
/// whole bytes for types that are not listed.
inline void drawValue(std::mt19937_64 &rng, const std::string &type,
                      uint8_t *to, size_t bytes) {
  const double x = double(int64_t(rng() >> 11)) / double(1ull << 52) - 1;
  const float f = float(x);
  if (type == "f64") {
    std::memcpy(to, &x, 8);
  } else if (type == "f32" || type == "tf32") {
    std::memcpy(to, &f, 4);
  } else if (type == "bf16") {
    std::memcpy(to, reinterpret_cast<const uint8_t *>(&f) + 2, 2);
  } else if (type == "f16") {
    // Exponents from 2^-8 to 1/2, any significand.
    const uint16_t h = uint16_t((rng() & 0x83ff) | (7 + rng() % 8) << 10);
    std::memcpy(to, &h, 2);
  } else {
    for (size_t i = 0; i < bytes; ++i)
      to[i] = uint8_t(rng() % 48);
  }
}

} // namespace gemm::mutate

#endif // GEMM_TEST_MUTATE_DRAWVALUE_H
