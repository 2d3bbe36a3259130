// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Float values with the modifiers of PTX: NaN results are canonical in f32
// (PTX ISA "Floating Point Instructions": NaN payloads are not kept), .ftz
// flushes subnormals to zero of the same sign, .sat clamps to [0, 1].
#ifndef GEMM_EMULATOR_OPS_FLOATLANES_H
#define GEMM_EMULATOR_OPS_FLOATLANES_H

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
inline bool isNan64(uint64_t b) {
  return (b & 0x7fffffffffffffff) > 0x7ff0000000000000;
}
/// PTX f64 results: the NaN of an invalid operation; the ISA leaves its bits
/// open, the H200's are these.
inline uint64_t canonical64(double f) {
  uint64_t b = asBits(f);
  return isNan64(b) ? 0xfff8000000000000u : b;
}
constexpr uint64_t kQuiet64 = 0x0008000000000000;
/// An f64 result with the payload of the first operand that is a NaN, quieted
/// and with its sign (PTX ISA: f64 keeps payloads; which one: H200, measured).
template <class... Operands>
uint64_t payload64(double f, Operands... operands) {
  uint64_t b = asBits(f);
  if (!isNan64(b))
    return b;
  b = 0xfff8000000000000u;
  const bool found = (... || (isNan64(operands) && (b = operands, true)));
  return found ? b | kQuiet64 : b;
}

/// Whether a result was below the least normal f32, 2^-126, before it was
/// rounded to it: .ftz flushes it then (H200, measured; the ISA does not say
/// whether before or after rounding). All terms are exact in double.
constexpr double kLeastNormal32 = 0x1p-126;
inline bool isTinyProduct(float a, float b) {
  return std::fabs(double(a) * double(b)) < kLeastNormal32;
}
inline bool isTinyFma(float a, float b, float c) {
  const double p = double(a) * double(b), x = c;
  return p < kLeastNormal32 - x && p > -kLeastNormal32 - x;
}
inline bool isTinyQuotient(float a, float b) {
  return std::fabs(double(a)) < std::fabs(double(b)) * kLeastNormal32;
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
template <class Op> struct F64Binary {
  static uint64_t run(uint64_t a, uint64_t b) {
    return payload64(Op::run(asDouble(a), asDouble(b)), a, b);
  }
};
template <class Op> struct F64Ternary {
  static uint64_t run(uint64_t a, uint64_t b, uint64_t c) {
    return payload64(Op::run(asDouble(a), asDouble(b), asDouble(c)), a, b, c);
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
