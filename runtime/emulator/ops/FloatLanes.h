// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Float values with the modifiers of PTX: NaN results are canonical in f32
// (PTX ISA "Floating Point Instructions": NaN payloads are not kept), .ftz
// flushes subnormals to zero of the same sign, .sat clamps to [0, 1].
#ifndef GEMM_EMULATOR_OPS_FLOATLANES_H
#define GEMM_EMULATOR_OPS_FLOATLANES_H

#include "../FloatFormats.h"
#include "Lanes.h"

#include <cmath>

namespace gemm::emulator {

inline uint32_t canonical32(float f) {
  uint32_t b = asBits(f);
  return (b & 0x7fffffff) > 0x7f800000 ? 0x7fffffffu : b;
}
inline uint32_t flush32(uint32_t b) {
  return (b & 0x7f800000) ? b : b & 0x80000000;
}
/// The NaN of an invalid f64 operation; the ISA leaves its bits open, the
/// H200's are these.
inline uint64_t canonical64(double f) {
  const uint64_t b = asBits(f);
  return isNaN64(b) ? canonicalNaN64 : b;
}
/// An f64 result; a NaN is that of the first of `operands` that is one (PTX
/// ISA: f64 keeps payloads; which one, see the callers: H200, measured).
template <class... Operands>
uint64_t payload64(double f, Operands... operands) {
  const uint64_t b = asBits(f);
  return isNaN64(b) ? propagatedNaN64({operands...}) : b;
}

/// Whether a result that was rounded to the least normal f32, 2^-126, is still
/// below it when rounded to 24 bits with no limit to the exponent (IEEE 754:
/// "tininess after rounding"): .ftz flushes it then (H200, measured; the ISA
/// does not say). To the nearest the limit is the tie, which goes up; where
/// `away` from zero, only what is no more than the 24-bit number below is tiny.
/// All terms are exact in double.
inline double tinyLimit32(bool away) {
  return away ? 0x1p-126 * (1 - 0x1p-24) : 0x1p-126 * (1 - 0x1p-25);
}
inline bool isTinyProduct(float a, float b, bool away = false) {
  const double p = std::fabs(double(a) * double(b)), t = tinyLimit32(away);
  return away ? p <= t : p < t;
}
inline bool isTinyFma(float a, float b, float c, bool away = false) {
  const double p = double(a) * double(b), x = c, t = tinyLimit32(away);
  return away ? p <= t - x && p >= -t - x : p < t - x && p > -t - x;
}
inline bool isTinyQuotient(float a, float b, bool away = false) {
  const double x = std::fabs(double(a)),
               t = std::fabs(double(b)) * tinyLimit32(away);
  return away ? x <= t : x < t;
}
inline bool isLeastNormal32(uint32_t b) {
  return (b & 0x7fffffff) == 0x00800000;
}

template <bool Ftz> inline float in32(uint32_t b) {
  return asFloat(Ftz ? flush32(b) : b);
}
template <bool Ftz, bool Sat> inline uint32_t out32(float f) {
  if (Sat)
    f = f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f; // NaN: 0
  uint32_t b = canonical32(f);
  return Ftz ? flush32(b) : b;
}

template <class Op, bool Ftz, bool Sat> struct F32Unary {
  static uint32_t run(uint32_t a) {
    return out32<Ftz, Sat>(Op::run(in32<Ftz>(a)));
  }
};
template <class Op, bool Ftz, bool Sat> struct F32Binary {
  static uint32_t run(uint32_t a, uint32_t b) {
    const float x = in32<Ftz>(a), y = in32<Ftz>(b);
    const uint32_t r = out32<Ftz, Sat>(Op::run(x, y));
    if constexpr (Ftz && requires { Op::isTiny(x, y); })
      if (isLeastNormal32(r) && Op::isTiny(x, y))
        return r & 0x80000000;
    return r;
  }
};
template <class Op, bool Ftz, bool Sat> struct F32Ternary {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t c) {
    const float x = in32<Ftz>(a), y = in32<Ftz>(b), z = in32<Ftz>(c);
    const uint32_t r = out32<Ftz, Sat>(Op::run(x, y, z));
    if constexpr (Ftz && requires { Op::isTiny(x, y, z); })
      if (isLeastNormal32(r) && Op::isTiny(x, y, z))
        return r & 0x80000000;
    return r;
  }
};
template <class Op> struct F64Unary {
  static uint64_t run(uint64_t a) { return payload64(Op::run(asDouble(a)), a); }
};
/// The second operand's NaN comes first; in a quotient, which is a sequence of
/// instructions, the first one's.
template <class Op> struct F64Binary {
  static uint64_t run(uint64_t a, uint64_t b) {
    const double r = Op::run(asDouble(a), asDouble(b));
    if constexpr (requires { Op::isQuotient; })
      return payload64(r, a, b);
    return payload64(r, b, a);
  }
};
template <class Op> struct F64Ternary {
  static uint64_t run(uint64_t a, uint64_t b, uint64_t c) {
    return payload64(Op::run(asDouble(a), asDouble(b), asDouble(c)), b, c, a);
  }
};

template <class Op> Handler f32Unary(bool ftz, bool sat) {
  using U = uint32_t;
  return ftz ? (sat ? unaryExec<U, U, F32Unary<Op, true, true>>
                    : unaryExec<U, U, F32Unary<Op, true, false>>)
             : (sat ? unaryExec<U, U, F32Unary<Op, false, true>>
                    : unaryExec<U, U, F32Unary<Op, false, false>>);
}
template <class Op> Handler f32Binary(bool ftz, bool sat) {
  using U = uint32_t;
  return ftz ? (sat ? binaryExec<U, U, U, F32Binary<Op, true, true>>
                    : binaryExec<U, U, U, F32Binary<Op, true, false>>)
             : (sat ? binaryExec<U, U, U, F32Binary<Op, false, true>>
                    : binaryExec<U, U, U, F32Binary<Op, false, false>>);
}
template <class Op> Handler f32Ternary(bool ftz, bool sat) {
  using U = uint32_t;
  return ftz ? (sat ? ternaryExec<U, U, U, U, F32Ternary<Op, true, true>>
                    : ternaryExec<U, U, U, U, F32Ternary<Op, true, false>>)
             : (sat ? ternaryExec<U, U, U, U, F32Ternary<Op, false, true>>
                    : ternaryExec<U, U, U, U, F32Ternary<Op, false, false>>);
}

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_OPS_FLOATLANES_H
