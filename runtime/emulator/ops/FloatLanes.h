// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Float values with the modifiers of PTX: NaN results are canonical in f32
// (PTX ISA "Floating Point Instructions": NaN payloads are not kept), .ftz
// flushes subnormals to zero of the same sign, .sat clamps to [0, 1].
#ifndef GEMM_EMULATOR_OPS_FLOATLANES_H
#define GEMM_EMULATOR_OPS_FLOATLANES_H

#include "Lanes.h"

namespace gemm::emulator {

inline uint32_t canonical32(float f) {
  uint32_t b = asBits(f);
  return (b & 0x7fffffff) > 0x7f800000 ? 0x7fffffffu : b;
}
inline uint32_t flush32(uint32_t b) {
  return (b & 0x7f800000) ? b : b & 0x80000000;
}
/// PTX f64 results: a NaN is any quiet NaN; the hardware's is this one.
inline uint64_t canonical64(double f) {
  uint64_t b = asBits(f);
  return (b & 0x7fffffffffffffff) > 0x7ff0000000000000 ? 0xfff8000000000000u
                                                       : b;
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
    return out32<Ftz, Sat>(Op::run(in32<Ftz>(a), in32<Ftz>(b)));
  }
};
template <class Op, bool Ftz, bool Sat> struct F32Ternary {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t c) {
    return out32<Ftz, Sat>(Op::run(in32<Ftz>(a), in32<Ftz>(b), in32<Ftz>(c)));
  }
};
template <class Op> struct F64Unary {
  static uint64_t run(uint64_t a) { return canonical64(Op::run(asDouble(a))); }
};
template <class Op> struct F64Binary {
  static uint64_t run(uint64_t a, uint64_t b) {
    return canonical64(Op::run(asDouble(a), asDouble(b)));
  }
};
template <class Op> struct F64Ternary {
  static uint64_t run(uint64_t a, uint64_t b, uint64_t c) {
    return canonical64(Op::run(asDouble(a), asDouble(b), asDouble(c)));
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
