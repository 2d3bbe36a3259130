// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit-exact conversions between the floating-point formats of the PTX ISA and
// between them and integers, with the ISA's rounding and saturation.
//
// Every value travels as raw bits in a uint64_t, right-aligned; a result has
// zeros above the format's storage. Sources: PTX ISA 8.8, 9.7.9.21 "cvt"; OCP
// 8-bit floating point specification 1.0 (e4m3, e5m2); OCP microscaling
// formats 1.0 (e2m3, e3m2, e2m1, ue8m0); IEEE 754-2019 for the rest.

#ifndef GEMM_EMULATOR_FLOAT_FORMATS_H
#define GEMM_EMULATOR_FLOAT_FORMATS_H

#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace gemm::emulator {

__extension__ typedef unsigned __int128 UInt128;

/// A floating-point format of the PTX ISA.
///
/// TF32 lives in a 32-bit register as a binary32 whose 13 low bits are
/// ignored on input and zero on output (PTX ISA 5.2.3).
enum class FloatFormat : uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  E3M2,
  E2M3,
  E2M1,
  UE8M0
};

/// Rounding of a result that the destination cannot hold exactly.
enum class Rounding : uint8_t {
  NearestEven, ///< .rn, .rni
  TowardZero,  ///< .rz, .rzi
  Down,        ///< .rm, .rmi
  Up,          ///< .rp, .rpi
  NearestAway  ///< .rna: ties away from zero (tf32 only in PTX)
};

/// What a format can hold. All but UE8M0 are sign, exponent, fraction with
/// subnormals; UE8M0 is a bare exponent 2^(e-127), 0xFF is NaN.
struct FloatFormatInfo {
  uint8_t storageBits;  ///< bits in a register or in memory
  uint8_t exponentBits; ///< width of the exponent field
  uint8_t fractionBits; ///< width of the fraction field
  int16_t bias;         ///< exponent bias
  bool hasInfinity;     ///< largest exponent with zero fraction is infinity
  bool hasNaN;          ///< some pattern is a NaN
  const char *name;     ///< as in PTX, without the dot
};

/// Properties of `format`.
const FloatFormatInfo &formatInfo(FloatFormat format);

/// The NaN that PTX instructions produce in `format` (0x7FFF for f16 and bf16,
/// 0x7FFFFFFF for f32, 0x7FFFE000 for tf32, 0xFFF8000000000000 for f64). 0 if
/// the format has no NaN.
uint64_t canonicalNaN(FloatFormat format);

/// Largest finite magnitude of `format`.
uint64_t maxFinite(FloatFormat format);

bool isNaN(uint64_t bits, FloatFormat format);

inline bool isNaN64(uint64_t bits) {
  return (bits & 0x7FFFFFFFFFFFFFFFu) > 0x7FF0000000000000u;
}
constexpr uint64_t canonicalNaN64 = 0xFFF8000000000000u;
constexpr uint64_t quietNaN64 = 0x0008000000000000u;
/// The NaN that f64 arithmetic makes of its operands: the first of them that is
/// one, quieted and with its sign, or the canonical NaN of an invalid operation
/// (PTX ISA: f64 keeps payloads; the order is the caller's).
inline uint64_t propagatedNaN64(std::initializer_list<uint64_t> operands) {
  for (uint64_t bits : operands)
    if (isNaN64(bits))
      return bits | quietNaN64;
  return canonicalNaN64;
}
bool isInfinity(uint64_t bits, FloatFormat format);

/// Modifiers of a conversion.
struct ConvertOptions {
  Rounding rounding = Rounding::NearestEven;
  /// .satfinite: overflow and infinity become the largest finite value of the
  /// same sign. A NaN stays the canonical NaN where the format has one and
  /// becomes +max where it has none (e2m3, e3m2, e2m1).
  bool saturateFinite = false;
  /// .relu: a negative result becomes +0; a NaN becomes the canonical NaN.
  bool relu = false;
  /// .ftz: f32 subnormal inputs and results become zero of the same sign.
  bool flushSubnormals = false;
  /// .sat: clamp to [0, 1], NaN to +0.
  bool saturateUnit = false;
};

/// A finite value (-1)^negative * magnitude * 2^exponent; `sticky` says that a
/// nonzero amount smaller than one unit of magnitude was dropped below it (the
/// magnitude must then have two bits more than the format it is rounded to).
struct ExactValue {
  bool negative = false;
  UInt128 magnitude = 0;
  int exponent = 0;
  bool sticky = false;
};

/// The exact value of finite `bits`. The result's magnitude is the
/// significand as an integer, not normalised (a subnormal keeps its leading
/// zeros). Must not be a NaN or an infinity.
ExactValue decodeExact(uint64_t bits, FloatFormat format);

/// Rounds an exact finite value to `format`: the one place where every
/// conversion rounds. Overflow follows IEEE 754 7.4 for the rounding direction
/// (infinity, or the largest finite value; a format without infinity gives its
/// NaN if it has one and the largest finite value otherwise), or .satfinite.
/// UE8M0 ignores the sign.
uint64_t roundExact(const ExactValue &value, FloatFormat format,
                    const ConvertOptions &options = {});

/// cvt.{rnd}{.ftz}{.sat}{.relu}{.satfinite}.to.from. A NaN keeps its sign and
/// the top of its payload, quieted, from and to f64; .rna.tf32 truncates it;
/// all others become the destination's canonical NaN (H200, measured).
uint64_t convertFloat(uint64_t bits, FloatFormat from, FloatFormat to,
                      const ConvertOptions &options = {});

/// cvt.{rni,rzi,rmi,rpi}.fN.fN: rounds to an integral value in the same
/// format, keeping the sign of a zero result.
uint64_t roundToIntegral(uint64_t bits, FloatFormat format, Rounding rounding,
                         bool flushSubnormals = false);

/// cvt.{rni,rzi,rmi,rpi}.{s,u}W.fN: clamped to the range of the integer type.
/// A NaN gives 0, or 1 << (width-1) if the source is f64 or the destination
/// has 64 bits (PTX ISA, cvt, integer notes). The result is sign- or
/// zero-extended to 64 bits. `width` is 8, 16, 32 or 64.
uint64_t convertFloatToInt(uint64_t bits, FloatFormat from, unsigned width,
                           bool isSigned, Rounding rounding,
                           bool flushSubnormals = false);

/// cvt.rnd.fN.{s,u}W: `value` is read as a `width`-bit integer.
uint64_t convertIntToFloat(uint64_t value, unsigned width, bool isSigned,
                           FloatFormat to, const ConvertOptions &options = {});

//===----------------------------------------------------------------------===//
// Fast paths, equal to convertFloat with default options.
//===----------------------------------------------------------------------===//

inline float bitsToFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline uint32_t floatToBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline double bitsToDouble(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline uint64_t doubleToBits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// f16 to f32 bits, exact; a NaN becomes 0x7FFFFFFF.
inline uint32_t f16ToF32Bits(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000u) << 16;
  uint32_t rest = half & 0x7FFFu;
  if (rest >= 0x7C00u)
    return rest > 0x7C00u ? 0x7FFFFFFFu : sign | 0x7F800000u;
  if (rest >= 0x0400u)
    return sign | ((rest << 13) + (112u << 23));
  // Subnormal: rest * 2^-24 is exact in f32.
  return sign | floatToBits(float(int32_t(rest)) * 0x1p-24f);
}

/// f32 bits to f16, round to nearest even; a NaN becomes 0x7FFF.
inline uint16_t f32BitsToF16(uint32_t bits) {
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t rest = bits & 0x7FFFFFFFu;
  if (rest >= 0x47800000u) { // 2^16 and above, infinity, NaN
    if (rest > 0x7F800000u)
      return 0x7FFFu;
    return uint16_t(sign | 0x7C00u);
  }
  if (rest >= 0x38800000u) { // normal in f16; the carry may reach infinity
    uint32_t shifted = rest - (112u << 23);
    shifted += 0xFFFu + ((shifted >> 13) & 1u);
    return uint16_t(sign | (shifted >> 13));
  }
  // Subnormal in f16: adding 0.5 leaves round(value * 2^24) in the low bits.
  float magnitude = bitsToFloat(rest) + 0.5f;
  return uint16_t(sign | (floatToBits(magnitude) - floatToBits(0.5f)));
}

/// bf16 to f32 bits, exact; a NaN becomes 0x7FFFFFFF.
inline uint32_t bf16ToF32Bits(uint16_t value) {
  uint32_t bits = uint32_t(value) << 16;
  return (bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFFFFFu : bits;
}

/// f32 bits to bf16, round to nearest even; a NaN becomes 0x7FFF.
inline uint16_t f32BitsToBF16(uint32_t bits) {
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
    return 0x7FFFu;
  return uint16_t((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_FLOAT_FORMATS_H
