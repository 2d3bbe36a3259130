// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 and f64 arithmetic with .rz, .rm, .rp: the host's rounding mode is
// switched around each warp instruction. Built with -frounding-math.
#include "Families.h"
#include "FloatLanes.h"

#include <cfenv>
#include <cmath>

namespace gemm::emulator {

namespace {
enum class Op { Add, Sub, Mul, Fma, Div, Rcp, Sqrt };

template <class F, Op K> F compute(F av, F bv, F cv) {
  volatile F a = av, b = bv,
             c = cv; // the operation must happen here, in this mode
  switch (K) {
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mul:
    return a * b;
  case Op::Fma:
    return std::fma(F(a), F(b), F(c));
  case Op::Div:
    return a / b;
  case Op::Rcp:
    return F(1) / a;
  case Op::Sqrt:
    return std::sqrt(F(a));
  }
  return 0;
}

/// Of a result rounded away from zero: rounded toward it, none is tiny.
template <Op K> bool isTiny(float a, float b, float c) {
  return K == Op::Mul   ? isTinyProduct(a, b, true)
         : K == Op::Fma ? isTinyFma(a, b, c, true)
         : K == Op::Div ? isTinyQuotient(a, b, true)
         : K == Op::Rcp ? isTinyQuotient(1, a, true)
                        : false;
}

/// imm: the host's rounding mode; small: 1 ftz, 2 sat.
template <class F, Op K> void directedExec(Warp &w, const Inst &i, uint32_t m) {
  using B = std::conditional_t<sizeof(F) == 4, uint32_t, uint64_t>;
  const B *a = w.lanes<B>(i.a), *b = w.lanes<B>(i.b), *c = w.lanes<B>(i.c);
  const bool ftz = i.small & 1, sat = i.small & 2;
  const int old = std::fegetround();
  std::fesetround(int(i.imm));
  writeLanes<B>(w, i.d, m, [&](unsigned l) {
    if constexpr (sizeof(F) == 4) {
      auto in = [&](uint32_t v) { return asFloat(ftz ? flush32(v) : v); };
      volatile float r = compute<float, K>(in(a[l]), in(b[l]), in(c[l]));
      float f = r;
      if (sat)
        f = f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f;
      uint32_t bits = canonical32(f);
      if (ftz && isLeastNormal32(bits) &&
          isTiny<K>(in(a[l]), in(b[l]), in(c[l])))
        return bits & 0x80000000;
      return ftz ? flush32(bits) : bits;
    } else {
      volatile double r =
          compute<double, K>(asDouble(a[l]), asDouble(b[l]), asDouble(c[l]));
      if constexpr (K == Op::Fma)
        return payload64(r, b[l], c[l], a[l]);
      else if constexpr (K == Op::Rcp || K == Op::Sqrt)
        return payload64(r, a[l]);
      else if constexpr (K == Op::Div)
        return payload64(r, a[l], b[l]);
      else
        return payload64(r, b[l], a[l]);
    }
  });
  std::fesetround(old);
}
} // namespace

void decodeDirected(DecodeContext &c, std::string_view op,
                    std::string_view rounding, Type t, bool ftz, bool sat) {
  auto pick = [&](auto z) -> Handler {
    using F = decltype(z);
    return op == "add"    ? directedExec<F, Op::Add>
           : op == "sub"  ? directedExec<F, Op::Sub>
           : op == "mul"  ? directedExec<F, Op::Mul>
           : op == "fma"  ? directedExec<F, Op::Fma>
           : op == "div"  ? directedExec<F, Op::Div>
           : op == "rcp"  ? directedExec<F, Op::Rcp>
           : op == "sqrt" ? directedExec<F, Op::Sqrt>
                          : nullptr;
  };
  Handler run = t == Type::F32                   ? pick(0.0f)
                : t == Type::F64 && !ftz && !sat ? pick(0.0)
                                                 : nullptr;
  c.inst.imm = rounding == "rz"   ? FE_TOWARDZERO
               : rounding == "rm" ? FE_DOWNWARD
                                  : FE_UPWARD;
  c.inst.small = uint8_t(ftz | sat << 1);
  if (op == "fma")
    emitSimple(c, t, {t, t, t}, run, OpClass::Float);
  else if (op == "rcp" || op == "sqrt")
    emitSimple(c, t, {t}, run, OpClass::Float);
  else
    emitSimple(c, t, {t, t}, run, OpClass::Float);
}

} // namespace gemm::emulator
