// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FloatFormats.h"

namespace gemm::emulator {

namespace {

constexpr FloatFormatInfo infos[] = {
    {16, 5, 10, 15, true, true, "f16"},    {16, 8, 7, 127, true, true, "bf16"},
    {32, 8, 10, 127, true, true, "tf32"},  {32, 8, 23, 127, true, true, "f32"},
    {64, 11, 52, 1023, true, true, "f64"}, {8, 4, 3, 7, false, true, "e4m3"},
    {8, 5, 2, 15, true, true, "e5m2"},     {6, 3, 2, 3, false, false, "e3m2"},
    {6, 2, 3, 1, false, false, "e2m3"},    {4, 2, 1, 1, false, false, "e2m1"},
    {8, 8, 0, 127, false, true, "ue8m0"},
};

/// Low bits of the storage below the fraction (tf32 in a 32-bit register).
constexpr unsigned paddingBits(FloatFormat format) {
  return format == FloatFormat::TF32 ? 13 : 0;
}

/// Sign, exponent field and fraction, the padding dropped.
struct Fields {
  bool negative;
  uint64_t exponent, fraction;
};

Fields split(uint64_t bits, FloatFormat format) {
  const FloatFormatInfo &info = formatInfo(format);
  if (format == FloatFormat::UE8M0)
    return {false, bits & 0xFF, 0};
  bits >>= paddingBits(format);
  const unsigned signBit = info.exponentBits + info.fractionBits;
  return {(bits >> signBit & 1) != 0,
          bits >> info.fractionBits & ((uint64_t(1) << info.exponentBits) - 1),
          bits & ((uint64_t(1) << info.fractionBits) - 1)};
}

uint64_t signMask(FloatFormat format) {
  return format == FloatFormat::UE8M0
             ? 0
             : uint64_t(1) << (formatInfo(format).storageBits - 1);
}

uint64_t infinity(FloatFormat format) {
  const FloatFormatInfo &info = formatInfo(format);
  return ((uint64_t(1) << info.exponentBits) - 1)
         << (info.fractionBits + paddingBits(format));
}

int highestBit(UInt128 value) {
  const uint64_t high = uint64_t(value >> 64);
  return high ? 127 - __builtin_clzll(high)
              : 63 - __builtin_clzll(uint64_t(value));
}

/// magnitude * 2^-shift rounded to an integer.
UInt128 roundShift(UInt128 magnitude, int shift, bool sticky, bool negative,
                   Rounding rounding) {
  if (shift <= 0)
    return magnitude << -shift;
  UInt128 kept = 0;
  int below; // the dropped part against one half: -1, 0, 1
  bool inexact;
  if (shift > 128) {
    inexact = magnitude != 0 || sticky;
    below = -1;
  } else {
    const UInt128 half = UInt128(1) << (shift - 1);
    const UInt128 dropped =
        shift == 128 ? magnitude : magnitude & ((half << 1) - 1);
    kept = shift == 128 ? 0 : magnitude >> shift;
    inexact = dropped != 0 || sticky;
    below = dropped < half ? -1 : dropped > half || sticky ? 1 : 0;
  }
  bool increment = false;
  switch (rounding) {
  case Rounding::NearestEven:
    increment = below > 0 || (below == 0 && (kept & 1));
    break;
  case Rounding::NearestAway:
    increment = below >= 0;
    break;
  case Rounding::TowardZero:
    break;
  case Rounding::Down:
    increment = inexact && negative;
    break;
  case Rounding::Up:
    increment = inexact && !negative;
    break;
  }
  return kept + increment;
}

/// A result beyond the largest finite value: which of infinity and the largest
/// finite value IEEE 754 7.4 chooses.
uint64_t overflow(FloatFormat format, bool negative,
                  const ConvertOptions &options) {
  bool toInfinity = true;
  switch (options.rounding) {
  case Rounding::NearestEven:
  case Rounding::NearestAway:
    break;
  case Rounding::TowardZero:
    toInfinity = false;
    break;
  case Rounding::Down:
    toInfinity = negative;
    break;
  case Rounding::Up:
    toInfinity = !negative;
    break;
  }
  const FloatFormatInfo &info = formatInfo(format);
  const uint64_t sign = negative ? signMask(format) : 0;
  if (options.saturateFinite || !toInfinity)
    return sign | maxFinite(format);
  if (info.hasInfinity)
    return sign | infinity(format);
  return info.hasNaN ? canonicalNaN(format) : sign | maxFinite(format);
}

/// roundExact for the exponent-only format: the sign is ignored, and a value
/// below 2^-127, zero included, becomes 2^-127.
uint64_t roundToScale(const ExactValue &value, const ConvertOptions &options) {
  if (value.magnitude == 0)
    return 0;
  const int top = highestBit(value.magnitude);
  int exponent = top + value.exponent;
  const UInt128 rest = value.magnitude & ((UInt128(1) << top) - 1);
  const bool inexact = rest != 0 || value.sticky;
  switch (options.rounding) {
  case Rounding::Up:
    exponent += inexact;
    break;
  case Rounding::NearestEven:
  case Rounding::NearestAway:
    exponent += top > 0 && rest >= UInt128(1) << (top - 1);
    break;
  case Rounding::TowardZero:
  case Rounding::Down:
    break;
  }
  if (exponent < -127)
    return 0;
  if (exponent > 127)
    return options.saturateFinite ? 0xFE : 0xFF;
  return uint64_t(exponent + 127);
}

uint64_t clampToUnit(uint64_t bits, FloatFormat format) {
  const uint64_t one =
      uint64_t(formatInfo(format).bias)
      << (formatInfo(format).fractionBits + paddingBits(format));
  if (isNaN(bits, format) || (bits & signMask(format)))
    return 0;
  return bits > one ? one : bits;
}

/// The modifiers that act on a rounded result.
uint64_t finish(uint64_t bits, FloatFormat format,
                const ConvertOptions &options) {
  if (options.flushSubnormals && format == FloatFormat::F32 &&
      (bits & 0x7F800000u) == 0)
    bits &= 0x80000000u;
  if (options.saturateUnit)
    bits = clampToUnit(bits, format);
  if (options.relu && (bits & signMask(format)))
    bits = isNaN(bits, format) ? canonicalNaN(format) : 0;
  return bits;
}

/// Integer nearest to a finite value under `rounding`, as a magnitude; a value
/// of 2^127 or more comes back as 2^127.
UInt128 integerMagnitude(const ExactValue &value, Rounding rounding) {
  if (value.magnitude != 0 &&
      highestBit(value.magnitude) + value.exponent >= 127)
    return UInt128(1) << 127;
  return roundShift(value.magnitude, -value.exponent, value.sticky,
                    value.negative, rounding);
}

/// The ISA leaves the bits open; these are the H200's, measured.
uint64_t convertNaN(uint64_t bits, FloatFormat from, FloatFormat to,
                    const ConvertOptions &options = {}) {
  if (to == FloatFormat::TF32 && options.rounding == Rounding::NearestAway)
    return bits & 0xFFFFE000u; // .rna: no NaN is looked for
  const bool keeps = to == FloatFormat::F64 ||
                     (from == FloatFormat::F64 &&
                      (to == FloatFormat::F32 || to == FloatFormat::F16 ||
                       to == FloatFormat::BF16));
  if (!keeps)
    return formatInfo(to).hasNaN ? canonicalNaN(to) : maxFinite(to);
  if (from == FloatFormat::F32 && options.flushSubnormals)
    bits = canonicalNaN(from);
  const Fields fields = split(bits, from);
  const int shift = formatInfo(to).fractionBits - formatInfo(from).fractionBits;
  const uint64_t quiet = uint64_t(1) << (formatInfo(to).fractionBits - 1);
  return (fields.negative ? signMask(to) : 0) | infinity(to) | quiet |
         (shift < 0 ? fields.fraction >> -shift : fields.fraction << shift);
}

} // namespace

const FloatFormatInfo &formatInfo(FloatFormat format) {
  return infos[unsigned(format)];
}

uint64_t canonicalNaN(FloatFormat format) {
  switch (format) {
  case FloatFormat::F16:
  case FloatFormat::BF16:
    return 0x7FFF;
  case FloatFormat::TF32:
    return 0x7FFFE000;
  case FloatFormat::F32:
    return 0x7FFFFFFF;
  case FloatFormat::F64:
    return 0xFFF8000000000000u;
  case FloatFormat::E4M3:
  case FloatFormat::E5M2:
    return 0x7F;
  case FloatFormat::UE8M0:
    return 0xFF;
  case FloatFormat::E3M2:
  case FloatFormat::E2M3:
  case FloatFormat::E2M1:
    break;
  }
  return 0;
}

uint64_t maxFinite(FloatFormat format) {
  const FloatFormatInfo &info = formatInfo(format);
  if (format == FloatFormat::UE8M0)
    return 0xFE;
  // All ones without the sign, less what infinity and NaN take.
  const uint64_t ones =
      (uint64_t(1) << (info.exponentBits + info.fractionBits)) - 1;
  if (info.hasInfinity)
    return (ones ^ (uint64_t(1) << info.fractionBits)) << paddingBits(format);
  return info.hasNaN ? ones - 1 : ones;
}

bool isNaN(uint64_t bits, FloatFormat format) {
  const FloatFormatInfo &info = formatInfo(format);
  if (!info.hasNaN)
    return false;
  const Fields fields = split(bits, format);
  const uint64_t top = (uint64_t(1) << info.exponentBits) - 1;
  if (fields.exponent != top)
    return false;
  if (info.hasInfinity)
    return fields.fraction != 0;
  // Only the all-ones pattern (e4m3, ue8m0).
  return fields.fraction == (uint64_t(1) << info.fractionBits) - 1;
}

bool isInfinity(uint64_t bits, FloatFormat format) {
  const FloatFormatInfo &info = formatInfo(format);
  if (!info.hasInfinity)
    return false;
  const Fields fields = split(bits, format);
  return fields.exponent == (uint64_t(1) << info.exponentBits) - 1 &&
         fields.fraction == 0;
}

ExactValue decodeExact(uint64_t bits, FloatFormat format) {
  const FloatFormatInfo &info = formatInfo(format);
  const Fields fields = split(bits, format);
  if (format == FloatFormat::UE8M0)
    return {false, 1, int(fields.exponent) - info.bias, false};
  const bool subnormal = fields.exponent == 0;
  return {fields.negative,
          fields.fraction | (subnormal ? 0 : uint64_t(1) << info.fractionBits),
          int(subnormal ? 1 : fields.exponent) - info.bias - info.fractionBits,
          false};
}

uint64_t roundExact(const ExactValue &value, FloatFormat format,
                    const ConvertOptions &options) {
  if (format == FloatFormat::UE8M0)
    return roundToScale(value, options);
  const FloatFormatInfo &info = formatInfo(format);
  const uint64_t sign = value.negative ? signMask(format) : 0;
  if (value.magnitude == 0 && !value.sticky)
    return finish(sign, format, options);

  const int minExponent = 1 - info.bias;
  const int maxExponent =
      int((uint64_t(1) << info.exponentBits) - 1) - info.bias;
  const int exponent = value.magnitude == 0
                           ? minExponent
                           : highestBit(value.magnitude) + value.exponent;
  if (exponent > maxExponent)
    return finish(overflow(format, value.negative, options), format, options);

  const int scale = exponent < minExponent ? minExponent : exponent;
  const int quantum = scale - info.fractionBits;
  const uint64_t kept =
      uint64_t(roundShift(value.magnitude, quantum - value.exponent,
                          value.sticky, value.negative, options.rounding));
  // The implicit bit adds one to the exponent field; a carry out of the
  // fraction moves on to the next binade by itself.
  const uint64_t magnitude =
      (uint64_t(scale - minExponent) << info.fractionBits) + kept;
  const uint64_t encoded = magnitude << paddingBits(format);
  if (encoded > maxFinite(format))
    return finish(overflow(format, value.negative, options), format, options);
  return finish(sign | encoded, format, options);
}

uint64_t convertFloat(uint64_t bits, FloatFormat from, FloatFormat to,
                      const ConvertOptions &options) {
  if (isNaN(bits, from)) {
    if (options.saturateUnit)
      return 0;
    return convertNaN(bits, from, to, options);
  }
  if (isInfinity(bits, from)) {
    const bool negative = (bits & signMask(from)) != 0;
    const FloatFormatInfo &info = formatInfo(to);
    const uint64_t sign = negative ? signMask(to) : 0;
    uint64_t result = sign | maxFinite(to);
    if (!options.saturateFinite && info.hasInfinity)
      result = sign | infinity(to);
    else if (!options.saturateFinite && info.hasNaN)
      result = canonicalNaN(to);
    return finish(result, to, options);
  }
  ExactValue value = decodeExact(bits, from);
  // To f16 a subnormal still counts for .rm and .rp (H200, measured).
  if (options.flushSubnormals && from == FloatFormat::F32 &&
      to != FloatFormat::F16 && (bits & 0x7F800000u) == 0)
    value.magnitude = 0;
  return roundExact(value, to, options);
}

uint64_t roundToIntegral(uint64_t bits, FloatFormat format, Rounding rounding,
                         bool flushSubnormals) {
  if (isNaN(bits, format))
    return convertNaN(bits, format, format);
  ExactValue value = decodeExact(bits, format);
  if (isInfinity(bits, format) || value.exponent >= 0)
    return bits;
  if (flushSubnormals && format == FloatFormat::F32 &&
      (bits & 0x7F800000u) == 0)
    value.magnitude = 0;
  value.magnitude = integerMagnitude(value, rounding);
  value.exponent = 0;
  return roundExact(value, format);
}

uint64_t convertFloatToInt(uint64_t bits, FloatFormat from, unsigned width,
                           bool isSigned, Rounding rounding,
                           bool flushSubnormals) {
  const uint64_t ones = ~uint64_t(0) >> (64 - width);
  const uint64_t topBit = uint64_t(1) << (width - 1);
  const uint64_t lowest = isSigned ? ~(ones >> 1) : 0; // sign-extended
  const uint64_t highest = isSigned ? ones >> 1 : ones;
  if (isNaN(bits, from)) {
    if (from != FloatFormat::F64 && width != 64)
      return 0;
    return isSigned ? lowest : topBit;
  }
  const bool negative = (bits & signMask(from)) != 0;
  if (isInfinity(bits, from))
    return negative ? lowest : highest;
  ExactValue value = decodeExact(bits, from);
  if (flushSubnormals && from == FloatFormat::F32 && (bits & 0x7F800000u) == 0)
    value.magnitude = 0;
  const UInt128 magnitude = integerMagnitude(value, rounding);
  if (!negative)
    return magnitude > highest ? highest : uint64_t(magnitude);
  const UInt128 limit = isSigned ? topBit : 0;
  return magnitude > limit ? lowest : uint64_t(-uint64_t(magnitude));
}

uint64_t convertIntToFloat(uint64_t value, unsigned width, bool isSigned,
                           FloatFormat to, const ConvertOptions &options) {
  const uint64_t ones = ~uint64_t(0) >> (64 - width);
  value &= ones;
  const bool negative = isSigned && (value >> (width - 1) & 1);
  const uint64_t magnitude = negative ? (-value & ones) : value;
  return roundExact({negative, magnitude, 0, false}, to, options);
}

} // namespace gemm::emulator
