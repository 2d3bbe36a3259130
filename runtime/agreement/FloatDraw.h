// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws bit patterns of a floating-point format by their exponent.
#ifndef GEMM_AGREEMENT_FLOATDRAW_H
#define GEMM_AGREEMENT_FLOATDRAW_H

#include "FloatFormats.h"

#include <algorithm>
#include <random>

namespace gemm::agreement {

class FloatDraw {
public:
  FloatDraw(emulator::FloatFormat format, std::mt19937_64 &random)
      : random(random) {
    const emulator::FloatFormatInfo &info = emulator::formatInfo(format);
    exponentBits = info.exponentBits;
    // tf32 lies in the upper bits of an f32; its 13 low bits are drawn too.
    fractionBits = info.storageBits - 1 - exponentBits;
    bias = info.bias;
    hasInfinity = info.hasInfinity;
    ignoredBits = fractionBits - info.fractionBits;
  }

  int smallest() const { return 1 - bias; }
  /// e4m3 has finite values in its last binade.
  int largest() const { return int(topField()) - bias - (hasInfinity ? 1 : 0); }

  uint64_t below(uint64_t n) { return random() % n; }
  int between(int low, int high) {
    return low + int(below(uint64_t(high - low) + 1));
  }
  bool chance(unsigned inverse) { return below(inverse) == 0; }

  uint64_t bits() {
    return random() & ((uint64_t(2) << (exponentBits + fractionBits)) - 1);
  }
  uint64_t zero() { return sign(); }
  uint64_t infinity() {
    return sign() | topField() << fractionBits | (hasInfinity ? 0 : allOnes());
  }
  /// A NaN of any payload, often a single bit: of tf32 possibly an ignored one.
  uint64_t nan() {
    uint64_t payload = allOnes();
    if (hasInfinity)
      payload = chance(3) ? uint64_t(1) << below(fractionBits)
                          : std::max<uint64_t>(random() & allOnes(), 1);
    return sign() | topField() << fractionBits | payload;
  }
  /// A value of this exponent, a subnormal below the smallest one and the
  /// largest exponent above it. The fraction is random, or one of its extremes.
  uint64_t value(int exponent) {
    uint64_t fraction = random() & allOnes();
    switch (below(8)) {
    case 0:
      fraction = 0;
      break;
    case 1:
      fraction = allOnes();
      break;
    case 2:
      fraction = uint64_t(1) << below(fractionBits);
      break;
    case 3:
      fraction &= ~uint64_t(0) << ignoredBits;
      break;
    default:
      break;
    }
    if (exponent < smallest()) {
      const int shift = smallest() - exponent;
      const uint64_t significand = fraction | uint64_t(1) << fractionBits;
      return sign() | (shift > int(fractionBits) ? 0 : significand >> shift);
    }
    const int field = std::min(exponent, largest()) + bias;
    uint64_t magnitude = uint64_t(field) << fractionBits | fraction;
    if (!hasInfinity && magnitude == nanMagnitude())
      --magnitude;
    return sign() | magnitude;
  }
  uint64_t negated(uint64_t bits) const { return bits ^ signBit(); }
  /// The exponent of a finite value; that of the smallest for subnormals.
  int exponentOf(uint64_t bits) const {
    const int field = int(bits >> fractionBits & topField());
    return std::max(field, 1) - bias;
  }

private:
  uint64_t topField() const { return (uint64_t(1) << exponentBits) - 1; }
  uint64_t allOnes() const { return (uint64_t(1) << fractionBits) - 1; }
  uint64_t nanMagnitude() const {
    return topField() << fractionBits | allOnes();
  }
  uint64_t signBit() const {
    return uint64_t(1) << (exponentBits + fractionBits);
  }
  uint64_t sign() { return random() & signBit(); }

  std::mt19937_64 &random;
  unsigned exponentBits, fractionBits, ignoredBits;
  int bias;
  bool hasInfinity;
};

} // namespace gemm::agreement

#endif // GEMM_AGREEMENT_FLOATDRAW_H
