// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 and bf16 arithmetic, scalar and packed (PTX ISA "Half Precision Floating
// Point Instructions"). Each result is rounded once: sums and products of two
// are exact or safely double-rounded in f32 or f64; fma goes through a double
// rounded to odd.
#include "../FloatFormats.h"
#include "Families.h"
#include "FloatLanes.h"

#include <cmath>
#include <limits>

namespace gemm::emulator {

namespace {
struct F16 {
  static constexpr uint16_t kNan = 0x7fff, kInf = 0x7c00, kLeastNormal = 0x0400,
                            kOne = 0x3c00;
  static constexpr double kTiny = 0x1p-14 * (1 - 0x1p-12);
  static float up(uint16_t v) { return asFloat(f16ToF32Bits(v)); }
  static uint16_t down(float f) { return f32BitsToF16(asBits(f)); }
};
struct BF16 {
  static constexpr uint16_t kNan = 0x7fff, kInf = 0x7f80, kLeastNormal = 0x0080,
                            kOne = 0x3f80;
  static constexpr double kTiny = 0x1p-126 * (1 - 0x1p-9);
  static float up(uint16_t v) { return asFloat(bf16ToF32Bits(v)); }
  static uint16_t down(float f) { return f32BitsToBF16(asBits(f)); }
};
template <class H> bool isNan(uint16_t v) { return (v & 0x7fff) > H::kInf; }
template <class H> uint16_t flush(uint16_t v) {
  return (v & 0x7fff) < H::kLeastNormal ? v & 0x8000 : v;
}

/// The double rounded to odd to f32, so that a second rounding is harmless.
float oddFloat(double d) {
  float f = float(d);
  if (std::isnan(d) || double(f) == d || std::isinf(d))
    return f;
  uint32_t b = asBits(f);
  if (std::isinf(f))
    return asFloat((b & 0x80000000) | 0x7f7fffff);
  // Truncate, then make the last bit sticky.
  if (std::fabs(double(f)) > std::fabs(d))
    b -= 1;
  return asFloat(b | 1);
}
/// a * b + c rounded to odd.
template <class H> double fmaHalf(uint16_t a, uint16_t b, uint16_t c) {
  double p = double(H::up(a)) * double(H::up(b)),
         x = double(H::up(c)); // exact product
  double s = p + x;
  if (!std::isfinite(s))
    return s;
  double t = s - p; // TwoSum: s + e == p + x exactly
  double e = (p - (s - t)) + (x - t);
  if (e != 0.0) {
    uint64_t bits = asBits(s);
    if (!(bits & 1)) {
      bool away = (e > 0) == (s > 0);
      s = asDouble(away ? bits + 1 : bits - 1);
    }
  }
  return s;
}

enum class Op {
  Add,
  Sub,
  Mul,
  Fma,
  Min,
  Max,
  MinNan,
  MaxNan,
  Neg,
  Abs,
  Tanh,
  Ex2
};
enum : uint8_t { kFtz = 1, kSat = 2, kRelu = 4, kXorSign = 8 };

template <class H, Op K>
uint16_t one(uint16_t a, uint16_t b, uint16_t c, uint8_t flags) {
  if (flags & kFtz) {
    a = flush<H>(a);
    b = flush<H>(b);
    c = flush<H>(c);
  }
  uint16_t r = 0;
  uint16_t sign = 0;
  // Where the result may be rounded up to the least normal.
  double unrounded = std::numeric_limits<double>::quiet_NaN();
  if (flags & kXorSign) {
    sign = (a ^ b) & 0x8000;
    a &= 0x7fff;
    b &= 0x7fff;
  }
  switch (K) {
  // f32 holds more than twice the bits and the sum's rounding is innocuous.
  case Op::Add:
    r = H::down(oddFloat(double(H::up(a)) + double(H::up(b))));
    break;
  case Op::Sub:
    r = H::down(oddFloat(double(H::up(a)) - double(H::up(b))));
    break;
  case Op::Mul:
    unrounded = double(H::up(a)) * double(H::up(b));
    r = H::down(oddFloat(unrounded));
    break;
  case Op::Fma:
    unrounded = fmaHalf<H>(a, b, c);
    r = H::down(oddFloat(unrounded));
    break;
  case Op::Min:
  case Op::Max:
  case Op::MinNan:
  case Op::MaxNan: {
    bool na = isNan<H>(a), nb = isNan<H>(b);
    constexpr bool keep = K == Op::MinNan || K == Op::MaxNan,
                   isMax = K == Op::Max || K == Op::MaxNan;
    if (na || nb) {
      r = keep || (na && nb) ? H::kNan : na ? b : a;
      if (r == H::kNan)
        return r;
    } else {
      auto key = [](uint16_t v) {
        return uint16_t(v & 0x8000 ? ~v : v | 0x8000);
      };
      r = (key(a) < key(b)) != isMax ? a : b;
    }
    r |= sign;
    break;
  }
  case Op::Neg:
    r = isNan<H>(a) ? H::kNan : a ^ 0x8000;
    break;
  case Op::Abs:
    r = isNan<H>(a) ? H::kNan : a & 0x7fff;
    break;
  case Op::Tanh:
    r = H::down(oddFloat(std::tanh(double(H::up(a)))));
    break;
  case Op::Ex2:
    r = H::down(oddFloat(std::exp2(double(H::up(a)))));
    break;
  }
  if (flags & kSat)
    r = isNan<H>(r) || (r & 0x8000) ? 0 : r > H::kOne ? H::kOne : r;
  if (flags & kRelu)
    r = isNan<H>(r) ? H::kNan : r & 0x8000 ? 0 : r;
  // As in f32 (tinyLimit32): tiny is what stays below the least normal when it
  // is rounded with no limit to the exponent (H200, measured).
  if (flags & kFtz)
    r = std::fabs(unrounded) < H::kTiny ? r & 0x8000 : flush<H>(r);
  return r;
}

template <class H, Op K, bool Packed>
void halfExec(Warp &w, const Inst &i, uint32_t m) {
  const uint8_t flags = i.small;
  if constexpr (Packed) {
    const uint32_t *a = w.lanes<uint32_t>(i.a), *b = w.lanes<uint32_t>(i.b),
                   *c = w.lanes<uint32_t>(i.c);
    writeLanes<uint32_t>(w, i.d, m, [&](unsigned l) {
      return uint32_t(one<H, K>(uint16_t(a[l]), uint16_t(b[l]), uint16_t(c[l]),
                                flags)) |
             uint32_t(one<H, K>(uint16_t(a[l] >> 16), uint16_t(b[l] >> 16),
                                uint16_t(c[l] >> 16), flags))
                 << 16;
    });
  } else {
    const uint16_t *a = w.lanes<uint16_t>(i.a), *b = w.lanes<uint16_t>(i.b),
                   *c = w.lanes<uint16_t>(i.c);
    writeLanes<uint16_t>(w, i.d, m, [&](unsigned l) {
      return one<H, K>(a[l], b[l], c[l], flags);
    });
  }
}

template <Op K> Handler halfOf(Type t) {
  switch (t) {
  case Type::F16:
    return halfExec<F16, K, false>;
  case Type::F16x2:
    return halfExec<F16, K, true>;
  case Type::BF16:
    return halfExec<BF16, K, false>;
  case Type::BF16x2:
    return halfExec<BF16, K, true>;
  default:
    return nullptr;
  }
}
} // namespace

void decodeHalf(DecodeContext &c) {
  std::string_view b = c.base();
  c.take("rn");
  c.take("approx");
  uint8_t flags = 0;
  if (c.take("ftz"))
    flags |= kFtz;
  bool nan = c.take("NaN");
  if (c.take("xorsign")) {
    if (!c.take("abs"))
      c.unknown();
    flags |= kXorSign;
  }
  if (c.take("sat"))
    flags |= kSat;
  if (c.take("relu"))
    flags |= kRelu;
  Type t = c.takeType();
  Handler run = nullptr;
  unsigned sources = 2;
  if (b == "add")
    run = halfOf<Op::Add>(t);
  else if (b == "sub")
    run = halfOf<Op::Sub>(t);
  else if (b == "mul")
    run = halfOf<Op::Mul>(t);
  else if (b == "min")
    run = nan ? halfOf<Op::MinNan>(t) : halfOf<Op::Min>(t);
  else if (b == "max")
    run = nan ? halfOf<Op::MaxNan>(t) : halfOf<Op::Max>(t);
  else if (b == "fma") {
    run = halfOf<Op::Fma>(t);
    sources = 3;
  } else {
    sources = 1;
    run = b == "neg"    ? halfOf<Op::Neg>(t)
          : b == "abs"  ? halfOf<Op::Abs>(t)
          : b == "tanh" ? halfOf<Op::Tanh>(t)
          : b == "ex2"  ? halfOf<Op::Ex2>(t)
                        : nullptr;
  }
  c.inst.small = flags;
  if (sources == 1)
    emitSimple(c, t, {t}, run, OpClass::Float);
  else if (sources == 2)
    emitSimple(c, t, {t, t}, run, OpClass::Float);
  else
    emitSimple(c, t, {t, t, t}, run, OpClass::Float);
}

} // namespace gemm::emulator
