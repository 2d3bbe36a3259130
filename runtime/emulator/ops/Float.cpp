// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 and f64 arithmetic to the nearest (PTX ISA "Floating Point
// Instructions"). Directed rounding is in FloatRounding.cpp, approximate
// functions in FloatApprox.cpp, 16-bit types in Half.cpp.
#include "Families.h"
#include "FloatLanes.h"

#include <cmath>

namespace gemm::emulator {

namespace {
struct Add {
  template <class T> static T run(T a, T b) { return a + b; }
};
struct Sub {
  template <class T> static T run(T a, T b) { return a - b; }
};
struct Mul {
  template <class T> static T run(T a, T b) { return a * b; }
  static bool isTiny(float a, float b) { return isTinyProduct(a, b); }
};
struct Div {
  static constexpr bool isQuotient = true;
  template <class T> static T run(T a, T b) { return a / b; }
  static bool isTiny(float a, float b) { return isTinyQuotient(a, b); }
};
/// PTX ISA "div": for |b| in (2^126, 2^128) an approximate quotient is 0, or
/// NaN if a is infinite.
struct DivApprox : Div {
  static float run(float a, float b) {
    if (std::fabs(b) > 0x1p126f && std::isfinite(b))
      return a * std::copysign(0.0f, b);
    return a / b;
  }
};
struct Fma {
  static float run(float a, float b, float c) { return std::fma(a, b, c); }
  static double run(double a, double b, double c) { return std::fma(a, b, c); }
  static bool isTiny(float a, float b, float c) { return isTinyFma(a, b, c); }
};
struct Rcp {
  template <class T> static T run(T a) { return T(1) / a; }
};
struct Sqrt {
  static float run(float a) { return std::sqrt(a); }
  static double run(double a) { return std::sqrt(a); }
};
bool isNan(uint32_t b) { return (b & 0x7fffffff) > 0x7f800000; }
bool isNan(uint64_t b) { return (b & 0x7fffffffffffffff) > 0x7ff0000000000000; }
template <class B>
constexpr B kNan = sizeof(B) == 4 ? B(0x7fffffff) : B(0xfff8000000000000);

/// min and max: a NaN operand is ignored unless .NaN; -0 < +0.
template <bool Max, bool Nan, bool XorSign, bool Ftz> struct MinMax {
  template <class B> static B run(B a, B b) {
    constexpr B sign = B(1) << (sizeof(B) * 8 - 1);
    if constexpr (Ftz && sizeof(B) == 4) {
      a = flush32(a);
      b = flush32(b);
    }
    B s = 0;
    if constexpr (XorSign) {
      s = (a ^ b) & sign;
      a &= ~sign;
      b &= ~sign;
    }
    if (isNan(a) || isNan(b)) {
      if (sizeof(B) == 8 && isNan(a) && isNan(b))
        return b | B(quietNaN64); // H200, measured; the ISA says "a NaN"
      if (Nan || (isNan(a) && isNan(b)))
        return kNan<B>;
      return (isNan(a) ? b : a) | s;
    }
    // Order of the bit patterns as sign-magnitude numbers.
    auto key = [&](B v) { return v & sign ? B(~v) : B(v | sign); };
    bool aLess = key(a) < key(b);
    B r = aLess != Max ? a : b;
    return XorSign ? r | s : r;
  }
};
template <bool Max, bool Nan, bool Xor> Handler minMaxOf(Type t, bool ftz) {
  using U = uint32_t;
  using L = uint64_t;
  if (t == Type::F32)
    return ftz ? binaryExec<U, U, U, MinMax<Max, Nan, Xor, true>>
               : binaryExec<U, U, U, MinMax<Max, Nan, Xor, false>>;
  return t == Type::F64 && !ftz && !Nan && !Xor
             ? binaryExec<L, L, L, MinMax<Max, false, false, false>>
             : nullptr;
}
template <bool Max, bool Nan, bool Ftz>
void minMax3(Warp &w, const Inst &i, uint32_t m) {
  const uint32_t *a = w.lanes<uint32_t>(i.a), *b = w.lanes<uint32_t>(i.b),
                 *c = w.lanes<uint32_t>(i.c);
  writeLanes<uint32_t>(w, i.d, m, [&](unsigned l) {
    return MinMax<Max, Nan, false, Ftz>::run(
        MinMax<Max, Nan, false, Ftz>::run(a[l], b[l]), c[l]);
  });
}

template <class B, bool Neg, bool Ftz> struct SignOp {
  static B run(B a) {
    constexpr B sign = B(1) << (sizeof(B) * 8 - 1);
    if constexpr (Ftz && sizeof(B) == 4)
      a = flush32(a);
    if (isNan(a)) // f64 keeps sign and payload: H200, measured
      return sizeof(B) == 4 ? kNan<B> : a | B(quietNaN64);
    return Neg ? a ^ sign : a & ~sign;
  }
};

enum class Test { Finite, Infinite, Number, NotANumber, Normal, Subnormal };
template <class B, Test K> void testpExec(Warp &w, const Inst &i, uint32_t m) {
  const B *a = w.lanes<B>(i.a);
  constexpr B magnitude = B(~B(0)) >> 1;
  constexpr B inf = sizeof(B) == 4 ? B(0x7f800000) : B(0x7ff0000000000000);
  constexpr B least = sizeof(B) == 4 ? B(0x00800000) : B(0x0010000000000000);
  uint32_t r = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    B v = a[l] & magnitude;
    bool p = K == Test::Finite       ? v < inf
             : K == Test::Infinite   ? v == inf
             : K == Test::Number     ? v <= inf
             : K == Test::NotANumber ? v > inf
             : K == Test::Normal
                 ? (v >= least && v < inf) || v == 0 // as the ISA says
                 : v < least && v != 0;
    r |= uint32_t(p) << l;
  }
  w.setPred(i.d, m, r);
}
struct CopySign {
  template <class B> static B run(B a, B b) {
    constexpr B sign = B(1) << (sizeof(B) * 8 - 1);
    return (a & sign) | (b & ~sign);
  }
};

template <class Op> Handler nearestBinary(Type t, bool ftz, bool sat) {
  if (t == Type::F32)
    return f32Binary<Op>(ftz, sat);
  return t == Type::F64 && !ftz && !sat
             ? &binaryExec<uint64_t, uint64_t, uint64_t, F64Binary<Op>>
             : nullptr;
}
template <class Op> Handler nearestUnary(Type t, bool ftz) {
  if (t == Type::F32)
    return f32Unary<Op>(ftz, false);
  return t == Type::F64 && !ftz ? &unaryExec<uint64_t, uint64_t, F64Unary<Op>>
                                : nullptr;
}
} // namespace

/// add, sub, mul, fma, mad of f32 and f64.
void decodeArithmeticFloat(DecodeContext &c) {
  std::string_view b = c.base(), rounding = c.takeAny({"rn", "rz", "rm", "rp"});
  bool ftz = c.take("ftz"), sat = c.take("sat");
  Type t = c.takeType();
  bool ternary = b == "fma" || b == "mad";
  if (!rounding.empty() && rounding != "rn")
    return decodeDirected(c, b == "mad" ? "fma" : b, rounding, t, ftz, sat);
  Handler run;
  if (ternary)
    run = t == Type::F32 ? f32Ternary<Fma>(ftz, sat)
          : t == Type::F64 && !ftz && !sat
              ? &ternaryExec<uint64_t, uint64_t, uint64_t, uint64_t,
                             F64Ternary<Fma>>
              : nullptr;
  else
    run = b == "add"   ? nearestBinary<Add>(t, ftz, sat)
          : b == "sub" ? nearestBinary<Sub>(t, ftz, sat)
                       : nearestBinary<Mul>(t, ftz, sat);
  if (ternary)
    return emitSimple(c, t, {t, t, t}, run, OpClass::Float);
  if (t == Type::F32 && c.count() == 3)
    return emitSimple(c, t, {t, t}, run, OpClass::Float);
  emitSimple(c, t, {t, t}, run, OpClass::Float);
}

/// div, rcp, sqrt: exact forms, and approximate ones, which are allowed to be
/// as good.
void decodeDivideFloat(DecodeContext &c) {
  std::string_view b = c.base(),
                   rounding =
                       c.takeAny({"rn", "rz", "rm", "rp", "approx", "full"});
  bool ftz = c.take("ftz");
  Type t = c.takeType();
  if (rounding == "rz" || rounding == "rm" || rounding == "rp")
    return decodeDirected(c, b, rounding, t, ftz, false);
  if (rounding.empty() && t == Type::F64)
    c.unknown();
  if (b == "div")
    return emitSimple(c, t, {t, t},
                      rounding == "approx" && t == Type::F32
                          ? f32Binary<DivApprox>(ftz, false)
                          : nearestBinary<Div>(t, ftz, false),
                      OpClass::Float);
  if (b == "rcp" && t == Type::F64 && rounding == "approx")
    ftz = false; // rcp.approx.ftz.f64
  emitSimple(c, t, {t},
             b == "rcp" ? nearestUnary<Rcp>(t, ftz)
                        : nearestUnary<Sqrt>(t, ftz),
             OpClass::Float);
}

void decodeMinMaxFloat(DecodeContext &c) {
  bool isMax = c.base() == "max", ftz = c.take("ftz"), nan = c.take("NaN");
  bool xorSign = c.take("xorsign");
  if (xorSign && !c.take("abs"))
    c.unknown();
  Type t = c.takeType();
  if (c.count() == 4 && t == Type::F32 && !xorSign) {
    Handler run = isMax ? (nan ? (ftz ? minMax3<true, true, true>
                                      : minMax3<true, true, false>)
                               : (ftz ? minMax3<true, false, true>
                                      : minMax3<true, false, false>))
                        : (nan ? (ftz ? minMax3<false, true, true>
                                      : minMax3<false, true, false>)
                               : (ftz ? minMax3<false, false, true>
                                      : minMax3<false, false, false>));
    return emitSimple(c, t, {t, t, t}, run, OpClass::Float);
  }
  Handler run = isMax
                    ? (nan ? (xorSign ? minMaxOf<true, true, true>(t, ftz)
                                      : minMaxOf<true, true, false>(t, ftz))
                           : (xorSign ? minMaxOf<true, false, true>(t, ftz)
                                      : minMaxOf<true, false, false>(t, ftz)))
                    : (nan ? (xorSign ? minMaxOf<false, true, true>(t, ftz)
                                      : minMaxOf<false, true, false>(t, ftz))
                           : (xorSign ? minMaxOf<false, false, true>(t, ftz)
                                      : minMaxOf<false, false, false>(t, ftz)));
  emitSimple(c, t, {t, t}, run, OpClass::Float);
}

void decodeAbsNegFloat(DecodeContext &c) {
  bool neg = c.base() == "neg", ftz = c.take("ftz");
  Type t = c.takeType();
  using U = uint32_t;
  using L = uint64_t;
  Handler run = nullptr;
  if (t == Type::F32)
    run = neg ? (ftz ? unaryExec<U, U, SignOp<U, true, true>>
                     : unaryExec<U, U, SignOp<U, true, false>>)
              : (ftz ? unaryExec<U, U, SignOp<U, false, true>>
                     : unaryExec<U, U, SignOp<U, false, false>>);
  else if (t == Type::F64 && !ftz)
    run = neg ? unaryExec<L, L, SignOp<L, true, false>>
              : unaryExec<L, L, SignOp<L, false, false>>;
  emitSimple(c, t, {t}, run, OpClass::Float);
}

void decodeTestp(DecodeContext &c) {
  std::string_view k = c.takeAny(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Type t = c.takeType();
  auto pick = [&](auto z) -> Handler {
    using B = decltype(z);
    return k == "finite"       ? testpExec<B, Test::Finite>
           : k == "infinite"   ? testpExec<B, Test::Infinite>
           : k == "number"     ? testpExec<B, Test::Number>
           : k == "notanumber" ? testpExec<B, Test::NotANumber>
           : k == "normal"     ? testpExec<B, Test::Normal>
           : k == "subnormal"  ? testpExec<B, Test::Subnormal>
                               : nullptr;
  };
  emitSimple(c, Type::Pred, {t},
             t == Type::F32   ? pick(uint32_t())
             : t == Type::F64 ? pick(uint64_t())
                              : nullptr,
             OpClass::Compare);
}

void decodeCopysign(DecodeContext &c) {
  Type t = c.takeType();
  emitSimple(c, t, {t, t},
             t == Type::F32   ? binaryOf<uint32_t, CopySign>()
             : t == Type::F64 ? binaryOf<uint64_t, CopySign>()
                              : nullptr,
             OpClass::Float);
}

} // namespace gemm::emulator
