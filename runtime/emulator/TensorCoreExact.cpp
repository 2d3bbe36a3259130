// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations with IEEE or exact arithmetic: f64, integers, and the f16
// instruction that is expanded into f32 multiply-adds.

#include "TensorCoreDetail.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <vector>

namespace gemm::emulator::detail {

namespace {

/// Value of a raw integer element.
int32_t decodeInteger(uint32_t bits, ElementType type) {
  switch (type) {
  case ElementType::S8:
    return int8_t(bits);
  case ElementType::S4:
    return int32_t(bits << 28) >> 28;
  case ElementType::U8:
    return int32_t(bits & 0xFF);
  case ElementType::U4:
    return int32_t(bits & 0xF);
  default: // b1
    return int32_t(bits & 1);
  }
}

/// Sets the host's rounding direction for one scope. The asm statements keep
/// the arithmetic between them: the compiler does not model the direction.
class RoundingScope {
public:
  explicit RoundingScope(Rounding rounding) : previous(std::fegetround()) {
    std::fesetround(host(rounding));
    asm volatile("" ::: "memory");
  }
  ~RoundingScope() {
    asm volatile("" ::: "memory");
    std::fesetround(previous);
  }
  RoundingScope(const RoundingScope &) = delete;
  RoundingScope &operator=(const RoundingScope &) = delete;

private:
  static int host(Rounding rounding) {
    switch (rounding) {
    case Rounding::TowardZero:
      return FE_TOWARDZERO;
    case Rounding::Down:
      return FE_DOWNWARD;
    case Rounding::Up:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
    }
  }
  int previous;
};

} // namespace

void runInteger(const TensorOperationSpec &spec, const uint32_t *a,
                const uint32_t *b, const uint32_t *c, uint32_t *d) {
  const auto [m, n, k] = spec.shape;
  thread_local std::vector<int32_t> left, right;
  left.resize(m * k);
  right.resize(k * n);
  std::transform(a, a + m * k, left.begin(), [&](uint32_t bits) {
    return decodeInteger(bits, spec.aType);
  });
  std::transform(b, b + k * n, right.begin(), [&](uint32_t bits) {
    return decodeInteger(bits, spec.bType);
  });
  const bool isXor =
      spec.aType == ElementType::B1 && spec.bitOperation == BitOperation::Xor;
  int32_t sums[256]; // K * 255 * 255 fits: K <= 256
  for (unsigned row = 0; row < m; ++row) {
    std::fill_n(sums, n, 0);
    for (unsigned depth = 0; depth < k; ++depth) {
      const int32_t factor = left[row * k + depth];
      const int32_t *line = &right[depth * n];
      // For single bits the product of the values is their AND.
      if (isXor)
        for (unsigned column = 0; column < n; ++column)
          sums[column] += factor ^ line[column];
      else
        for (unsigned column = 0; column < n; ++column)
          sums[column] += factor * line[column];
    }
    for (unsigned column = 0; column < n; ++column) {
      const unsigned at = row * n + column;
      int64_t sum = int64_t(c ? int32_t(c[at]) : 0) + sums[column];
      if (spec.saturate)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      d[at] = uint32_t(sum);
    }
  }
}

void runMultiplyAdds(const TensorOperationSpec &spec, const uint32_t *a,
                     const uint32_t *b, const uint32_t *c, uint32_t *d) {
  const auto [m, n, k] = spec.shape;
  const auto half = [](uint32_t bits) {
    return bitsToFloat(f16ToF32Bits(uint16_t(bits)));
  };
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < n; ++column) {
      // Exact: 22 bits.
      float products[4];
      for (unsigned depth = 0; depth < 4; ++depth)
        products[depth] =
            half(a[row * 4 + depth]) * half(b[depth * n + column]);
      const unsigned at = row * n + column;
      float sum = 0;
      if (c)
        sum = spec.cType == ElementType::F16 ? half(c[at]) : bitsToFloat(c[at]);
      // The addend of a multiply-add is all that rounds.
      if (spec.dType == ElementType::F16) {
        sum += products[0] + products[1];
        sum += products[2] + products[3];
        d[at] = f32BitsToF16(floatToBits(sum));
      } else {
        sum += ((products[0] + products[1]) + products[2]) + products[3];
        d[at] = std::isnan(sum) ? uint32_t(canonicalNaN(FloatFormat::F32))
                                : floatToBits(sum);
      }
    }
}

void runDouble(const TensorOperationSpec &spec, const uint64_t *a,
               const uint64_t *b, const uint64_t *c, uint64_t *d) {
  const auto [m, n, k] = spec.shape;
  RoundingScope scope(spec.rounding);
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < n; ++column) {
      const unsigned at = row * n + column;
      uint64_t sum = c ? c[at] : 0;
      for (unsigned depth = 0; depth < k; ++depth) {
        const uint64_t x = a[row * k + depth], y = b[depth * n + column];
        const double next =
            std::fma(bitsToDouble(x), bitsToDouble(y), bitsToDouble(sum));
        // The order of fma.f64.
        sum = std::isnan(next) ? propagatedNaN64({y, sum, x})
                               : doubleToBits(next);
      }
      d[at] = sum;
    }
}

} // namespace gemm::emulator::detail
