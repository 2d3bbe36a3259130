// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One fused step on 128-bit integers, as its definition reads.

#include "TensorCoreDetail.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace gemm::emulator {

namespace {

/// A product or the accumulator: (-1)^negative * significand * 2^(exponent -
/// fractionBits), where `exponent` is the one that alignment compares.
struct Term {
  bool negative;
  uint64_t significand;
  unsigned fractionBits;
  int exponent;
};

__extension__ typedef __int128 Int128;

/// `significand * 2^-fractionBits`, scaled by 2^(exponent - emax + F) and
/// truncated toward zero.
Int128 align(const Term &term, int largest, unsigned keptBits) {
  const int shift =
      int(keptBits) - int(term.fractionBits) + term.exponent - largest;
  Int128 value = 0;
  if (shift >= 0)
    value = Int128(term.significand) << shift;
  else if (shift > -64)
    value = Int128(term.significand >> -shift);
  return term.negative ? -value : value;
}

/// Term of a finite element. Subnormals keep the smallest exponent and their
/// leading zeros.
Term decodeTerm(uint32_t bits, FloatFormat format) {
  const ExactValue value = decodeExact(bits, format);
  const unsigned fractionBits = formatInfo(format).fractionBits;
  return {value.negative, uint64_t(value.magnitude), fractionBits,
          value.exponent + int(fractionBits)};
}

bool signOf(uint32_t bits, FloatFormat format) {
  return bits >> (formatInfo(format).storageBits - 1) & 1;
}

/// What NaNs and infinities among the inputs make of a sum.
struct SpecialSum {
  bool nan = false, plus = false, minus = false;

  void addInfinity(bool negative) { (negative ? minus : plus) = true; }
  bool any() const { return nan || plus || minus; }
  uint32_t result(FloatFormat format) const {
    if (nan || (plus && minus))
      return uint32_t(canonicalNaN(format));
    const FloatFormatInfo &info = formatInfo(format);
    const uint32_t infinity = ((1u << info.exponentBits) - 1)
                              << info.fractionBits;
    return infinity | (minus ? 1u << (info.storageBits - 1) : 0u);
  }
};

int bitWidth(UInt128 value) {
  const uint64_t high = uint64_t(value >> 64);
  return high ? 64 + std::bit_width(high)
              : int(std::bit_width(uint64_t(value)));
}

bool isZero(uint32_t bits, FloatFormat format) {
  return decodeExact(bits, format).magnitude == 0;
}

} // namespace

uint32_t fusedStepReference(const TensorCoreModel &model, ElementType aType,
                            ElementType bType, ElementType cType,
                            ElementType dType, const uint32_t *a,
                            const uint32_t *b, unsigned length, uint32_t c) {
  const FloatFormat aFormat = detail::floatFormat(aType);
  const FloatFormat bFormat = detail::floatFormat(bType);
  const FloatFormat cFormat = detail::floatFormat(cType);
  const FloatFormat dFormat = detail::floatFormat(dType);

  SpecialSum special;
  std::vector<Term> terms;
  terms.reserve(length + 1);
  for (unsigned k = 0; k < length; ++k) {
    const bool aInfinite = isInfinity(a[k], aFormat);
    const bool bInfinite = isInfinity(b[k], bFormat);
    if (isNaN(a[k], aFormat) || isNaN(b[k], bFormat) ||
        (aInfinite && !bInfinite && isZero(b[k], bFormat)) ||
        (bInfinite && !aInfinite && isZero(a[k], aFormat))) {
      special.nan = true;
      continue;
    }
    const bool negative = signOf(a[k], aFormat) != signOf(b[k], bFormat);
    if (aInfinite || bInfinite) {
      special.addInfinity(negative);
      continue;
    }
    const Term x = decodeTerm(a[k], aFormat), y = decodeTerm(b[k], bFormat);
    terms.push_back({negative, x.significand * y.significand,
                     x.fractionBits + y.fractionBits, x.exponent + y.exponent});
  }
  if (isNaN(c, cFormat))
    special.nan = true;
  else if (isInfinity(c, cFormat))
    special.addInfinity(signOf(c, cFormat));
  else
    terms.push_back(decodeTerm(c, cFormat));
  if (special.any())
    return special.result(dFormat);

  // A zero term takes no part in the alignment, but see zeroExponent.
  std::erase_if(terms, [](const Term &term) { return term.significand == 0; });
  if (terms.empty())
    return 0;
  int largest = detail::zeroExponent(cFormat);
  for (const Term &term : terms)
    largest = std::max(largest, term.exponent);
  Int128 sum = 0;
  for (const Term &term : terms)
    sum += align(term, largest, model.fractionBits);
  if (sum == 0)
    return 0;

  ExactValue value;
  value.negative = sum < 0;
  value.magnitude = UInt128(sum < 0 ? -sum : sum);
  value.exponent = largest - int(model.fractionBits);
  ConvertOptions options;
  if (dFormat == FloatFormat::F16) {
    const uint32_t rounded = uint32_t(roundExact(value, dFormat, options));
    return (rounded & 0x7FFF) == 0 ? 0 : rounded;
  }
  options.rounding = Rounding::TowardZero;
  uint32_t truncated = uint32_t(roundExact(value, FloatFormat::F32, options));
  // Truncation stops at the largest finite value; the unit's sum overflows to
  // infinity.
  if (bitWidth(value.magnitude) + value.exponent > 128)
    return value.negative ? 0xFF800000u : 0x7F800000u;
  truncated &= ~((1u << (23 - model.resultFractionBits)) - 1);
  return (truncated & 0x7FFFFFFFu) == 0 ? 0 : truncated;
}

namespace detail {

uint32_t addAccumulator(uint32_t sum, uint32_t c, ElementType cType,
                        ElementType type) {
  if (type == ElementType::F16) {
    // Both addends are exact in f64 and so is their sum.
    const double exact = double(bitsToFloat(f16ToF32Bits(uint16_t(sum)))) +
                         (cType == ElementType::F16
                              ? double(bitsToFloat(f16ToF32Bits(uint16_t(c))))
                              : double(bitsToFloat(c)));
    return uint32_t(std::isnan(exact)
                        ? canonicalNaN(FloatFormat::F16)
                        : convertFloat(doubleToBits(exact), FloatFormat::F64,
                                       FloatFormat::F16));
  }
  const float addend = cType == ElementType::F16
                           ? bitsToFloat(f16ToF32Bits(uint16_t(c)))
                           : bitsToFloat(c);
  const uint32_t result = floatToBits(bitsToFloat(sum) + addend);
  return (result & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFFFFFu : result;
}

} // namespace detail
} // namespace gemm::emulator
