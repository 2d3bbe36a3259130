// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logic, shifts, bit fields, byte permutation, dot products of bytes.
#include "Families.h"
#include "Lanes.h"

namespace gemm::emulator {

namespace {
struct And {
  template <class T> static T run(T a, T b) { return T(a & b); }
};
struct Or {
  template <class T> static T run(T a, T b) { return T(a | b); }
};
struct Xor {
  template <class T> static T run(T a, T b) { return T(a ^ b); }
};
struct Not {
  template <class T> static T run(T a) { return T(~a); }
};
struct Cnot {
  template <class T> static T run(T a) { return T(a == 0); }
};
struct Popc {
  template <class T> static uint32_t run(T a) {
    return uint32_t(__builtin_popcountll(uint64_t(a)));
  }
};
struct Clz {
  static uint32_t run(uint32_t a) {
    return a ? uint32_t(__builtin_clz(a)) : 32;
  }
  static uint32_t run(uint64_t a) {
    return a ? uint32_t(__builtin_clzll(a)) : 64;
  }
};
template <class T> uint32_t highestBit(T a) {
  using U = std::make_unsigned_t<T>;
  U u = U(a);
  if (std::is_signed_v<T> && a < 0)
    u = U(~u);
  return u ? 63 - uint32_t(__builtin_clzll(uint64_t(u))) : ~0u;
}
struct Bfind {
  template <class T> static uint32_t run(T a) { return highestBit(a); }
};
struct BfindShift {
  template <class T> static uint32_t run(T a) {
    uint32_t b = highestBit(a);
    return b == ~0u ? b : uint32_t(sizeof(T) * 8 - 1) - b;
  }
};
struct Brev {
  template <class T> static T run(T a) {
    T r = 0;
    for (unsigned i = 0; i < sizeof(T) * 8; ++i)
      r = T(r << 1 | (a >> i & 1));
    return r;
  }
};
/// PTX ISA "bfe", "bfi": pos and len are the low 8 bits. On the H200 that is so
/// of 32 bits only: those of 64 bits use all of the operand (measured).
template <class T> uint32_t fieldOperand(uint32_t v) {
  return sizeof(T) == 4 ? v & 0xff : v > 0xff ? 0xff : v;
}
// The sign bit of a signed field is that of the highest bit inside the
// register.
struct Bfe {
  template <class T> static T run(T a, uint32_t pos, uint32_t len) {
    using U = std::make_unsigned_t<T>;
    const uint32_t msb = sizeof(T) * 8 - 1;
    pos = fieldOperand<T>(pos);
    len = fieldOperand<T>(len);
    U sign = 0;
    if (std::is_signed_v<T> && len) {
      uint32_t at = pos + len - 1;
      sign = U(a) >> (at < msb ? at : msb) & 1;
    }
    U field = pos > msb ? 0 : U(U(a) >> pos);
    if (len > msb)
      len = pos > msb ? 0 : msb + 1;
    U mask = len > msb ? U(~U(0)) : U((U(1) << len) - 1);
    uint32_t valid = pos > msb ? 0 : msb + 1 - pos; // bits that exist
    U validMask = valid > msb ? U(~U(0)) : U((U(1) << valid) - 1);
    U value = field & mask & validMask;
    if (sign)
      value |= U(~(mask & validMask));
    return T(value);
  }
};
template <class T> void bfiExec(Warp &w, const Inst &i, uint32_t m) {
  const T *a = w.lanes<T>(i.a), *b = w.lanes<T>(i.b);
  const uint32_t *pos = w.lanes<uint32_t>(i.c), *len = w.lanes<uint32_t>(i.aux);
  writeLanes<T>(w, i.d, m, [&](unsigned l) {
    uint32_t p = fieldOperand<T>(pos[l]), n = fieldOperand<T>(len[l]);
    const uint32_t bits = sizeof(T) * 8;
    if (p >= bits || n == 0)
      return b[l];
    T mask = n >= bits ? T(~T(0)) : T((T(1) << n) - 1);
    return T((b[l] & ~T(mask << p)) | T((a[l] & mask) << p));
  });
  w.setUndefined(i.d, m,
                 w.undef[i.a] | w.undef[i.b] | w.undef[i.c] | w.undef[i.aux]);
}
struct ShlOp {
  template <class T> static T run(T a, uint32_t n) {
    return n >= sizeof(T) * 8 ? T(0) : T(uint64_t(a) << n);
  }
};
struct ShrOp {
  template <class T> static T run(T a, uint32_t n) {
    const uint32_t bits = sizeof(T) * 8;
    if (n >= bits)
      return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
    return T(a >> n);
  }
};
template <bool Left, bool Wrap> struct Funnel {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t n = Wrap ? c & 31 : (c > 32 ? 32 : c);
    uint64_t v = uint64_t(b) << 32 | a;
    return Left ? uint32_t((n == 32 ? v << 32 : v << n) >> 32)
                : uint32_t(n == 32 ? v >> 32 : v >> n);
  }
};
void lop3Exec(Warp &w, const Inst &i, uint32_t m) {
  const uint32_t *a = w.lanes<uint32_t>(i.a), *b = w.lanes<uint32_t>(i.b),
                 *c = w.lanes<uint32_t>(i.c);
  const uint32_t table = uint32_t(i.imm);
  // Each term of the truth table as a mask: bit k of the table is the value for
  // a = k>>2, b = k>>1, c = k.
  uint32_t t[8];
  for (unsigned k = 0; k < 8; ++k)
    t[k] = table >> k & 1 ? ~0u : 0;
  writeLanes<uint32_t>(w, i.d, m, [&](unsigned l) {
    uint32_t x = a[l], y = b[l], z = c[l];
    uint32_t hi =
        (y & ((z & t[7]) | (~z & t[6]))) | (~y & ((z & t[5]) | (~z & t[4])));
    uint32_t lo =
        (y & ((z & t[3]) | (~z & t[2]))) | (~y & ((z & t[1]) | (~z & t[0])));
    return (x & hi) | (~x & lo);
  });
}
uint32_t pickByte(uint64_t v, uint32_t sel) {
  uint32_t b = uint32_t(v >> ((sel & 7) * 8)) & 0xff;
  return sel & 8 ? (b & 0x80 ? 0xff : 0) : b;
}
struct PrmtOp {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t s) {
    uint64_t v = uint64_t(b) << 32 | a;
    return pickByte(v, s & 15) | pickByte(v, s >> 4 & 15) << 8 |
           pickByte(v, s >> 8 & 15) << 16 | pickByte(v, s >> 12 & 15) << 24;
  }
};
template <int Mode> struct PrmtMode {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t s) {
    s &= 3;
    static constexpr uint32_t table[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
        {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
        {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
        {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
        {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
        {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
    };
    return PrmtOp::run(a, b, table[Mode][s]);
  }
};
struct BmskClamp {
  static uint32_t run(uint32_t a, uint32_t b) {
    uint32_t p = a > 32 ? 32 : a, n = b > 32 ? 32 : b;
    uint64_t mask = ((uint64_t(1) << n) - 1) << p;
    return uint32_t(mask);
  }
};
struct BmskWrap {
  static uint32_t run(uint32_t a, uint32_t b) {
    return uint32_t(((uint64_t(1) << (b & 31)) - 1) << (a & 31));
  }
};
template <class T, bool Wrap> struct Szext {
  static T run(T a, uint32_t n) {
    if (Wrap)
      n &= 31;
    if (n >= 32)
      return a;
    if (n == 0)
      return 0;
    uint32_t v = uint32_t(a) << (32 - n);
    return std::is_signed_v<T> ? T(int32_t(v) >> (32 - n)) : T(v >> (32 - n));
  }
};
struct Fns {
  static uint32_t run(uint32_t mask, uint32_t base, int32_t offset) {
    base &= 31;
    if (offset == 0)
      return mask >> base & 1 ? base : ~0u;
    int step = offset > 0 ? 1 : -1;
    int left = offset > 0 ? offset : -offset;
    for (int p = int(base); p >= 0 && p < 32; p += step)
      if ((mask >> p & 1) && --left == 0)
        return uint32_t(p);
    return ~0u;
  }
};
template <class A, class B> struct Dp4a {
  template <class C> static C run(uint32_t a, uint32_t b, C c) {
    int64_t s = int64_t(c);
    for (int k = 0; k < 4; ++k)
      s += int64_t(A(a >> (8 * k))) * int64_t(B(b >> (8 * k)));
    return C(s);
  }
};
template <class A, class B, bool High> struct Dp2a {
  template <class C> static C run(uint32_t a, uint32_t b, C c) {
    using A16 = std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>;
    int64_t s = int64_t(c);
    for (int k = 0; k < 2; ++k)
      s += int64_t(A16(a >> (16 * k))) *
           int64_t(B(b >> (8 * (k + (High ? 2 : 0)))));
    return C(s);
  }
};

// Predicate logic: lanes are bits.
template <class Op> void predicateBinary(Warp &w, const Inst &i, uint32_t m) {
  uint32_t a = w.pred(i.a) ^ (i.small & 1 ? ~0u : 0),
           b = w.pred(i.b) ^ (i.small & 2 ? ~0u : 0);
  w.setPred(i.d, m, Op::run(a, b));
}
void predicateNot(Warp &w, const Inst &i, uint32_t m) {
  w.setPred(i.d, m, ~w.pred(i.a));
}
} // namespace

void decodeLogic(DecodeContext &c) {
  Type t = c.takeType();
  std::string_view b = c.base();
  if (t == Type::Pred) {
    c.finishModifiers();
    bool na = false, nb = false;
    if (b == "not") {
      c.expectOperands(2, 2);
      c.inst.a = c.predicateSource(c.op(1), na);
      c.inst.run = predicateNot;
    } else {
      c.expectOperands(3, 3);
      c.inst.a = c.predicateSource(c.op(1), na);
      c.inst.b = c.predicateSource(c.op(2), nb);
      c.inst.run = b == "and"  ? predicateBinary<And>
                   : b == "or" ? predicateBinary<Or>
                               : predicateBinary<Xor>;
    }
    c.inst.small = uint8_t(na | nb << 1);
    c.inst.d = c.predicateDestination(c.op(0));
    c.inst.flags |= kSimpleTaint;
    c.inst.opClass = OpClass::Integer;
    return c.emit();
  }
  if (isFloat(t) || isSigned(t) || t == Type::U16 || t == Type::U32 ||
      t == Type::U64)
    c.unknown();
  if (b == "not")
    return emitSimple(
        c, t, {t},
        withInteger(t, [](auto z) { return unaryOf<decltype(z), Not>(); }),
        OpClass::Integer);
  if (b == "cnot")
    return emitSimple(
        c, t, {t},
        withInteger(t, [](auto z) { return unaryOf<decltype(z), Cnot>(); }),
        OpClass::Integer);
  Handler run =
      b == "and"
          ? withInteger(t, [](auto z) { return binaryOf<decltype(z), And>(); })
      : b == "or"
          ? withInteger(t, [](auto z) { return binaryOf<decltype(z), Or>(); })
          : withInteger(t, [](auto z) { return binaryOf<decltype(z), Xor>(); });
  emitSimple(c, t, {t, t}, run, OpClass::Integer);
}

void decodeShift(DecodeContext &c) {
  bool left = c.base() == "shl";
  Type t = c.takeType();
  Handler run =
      left
          ? withInteger(
                t,
                [](auto z) -> Handler {
                  return &binaryExec<decltype(z), decltype(z), uint32_t, ShlOp>;
                })
          : withInteger(t, [](auto z) -> Handler {
              return &binaryExec<decltype(z), decltype(z), uint32_t, ShrOp>;
            });
  emitSimple(c, t, {t, Type::U32}, run, OpClass::Integer);
}

void decodeShf(DecodeContext &c) {
  bool left = c.take("l");
  if (!left && !c.take("r"))
    c.unknown();
  bool wrap = c.take("wrap");
  if (!wrap && !c.take("clamp"))
    c.unknown();
  Type t = c.takeType();
  using U = uint32_t;
  Handler run = left ? (wrap ? ternaryExec<U, U, U, U, Funnel<true, true>>
                             : ternaryExec<U, U, U, U, Funnel<true, false>>)
                     : (wrap ? ternaryExec<U, U, U, U, Funnel<false, true>>
                             : ternaryExec<U, U, U, U, Funnel<false, false>>);
  emitSimple(c, t, {t, t, Type::U32}, t == Type::B32 ? run : nullptr,
             OpClass::Integer);
}

void decodeLop3(DecodeContext &c) {
  if (c.take("or") || c.take("and"))
    c.fail("lop3 with a predicate result is not supported");
  Type t = c.takeType();
  if (t != Type::B32)
    c.unknown();
  c.finishModifiers();
  c.expectOperands(5, 5);
  c.inst.imm = c.immediate(4);
  c.inst.a = c.source(1, t);
  c.inst.b = c.source(2, t);
  c.inst.c = c.source(3, t);
  c.inst.d = c.destination(size_t(0), t);
  c.inst.run = lop3Exec;
  c.inst.flags |= kSimpleTaint;
  c.inst.opClass = OpClass::Integer;
  c.emit();
}

void decodePrmt(DecodeContext &c) {
  Type t = c.takeType();
  using U = uint32_t;
  Handler run = ternaryExec<U, U, U, U, PrmtOp>;
  std::string_view mode =
      c.takeAny({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  if (mode == "f4e")
    run = ternaryExec<U, U, U, U, PrmtMode<0>>;
  else if (mode == "b4e")
    run = ternaryExec<U, U, U, U, PrmtMode<1>>;
  else if (mode == "rc8")
    run = ternaryExec<U, U, U, U, PrmtMode<2>>;
  else if (mode == "ecl")
    run = ternaryExec<U, U, U, U, PrmtMode<3>>;
  else if (mode == "ecr")
    run = ternaryExec<U, U, U, U, PrmtMode<4>>;
  else if (mode == "rc16")
    run = ternaryExec<U, U, U, U, PrmtMode<5>>;
  emitSimple(c, t, {t, t, t}, t == Type::B32 ? run : nullptr, OpClass::Integer);
}

void decodeBitCount(DecodeContext &c) {
  std::string_view b = c.base();
  bool shift = b == "bfind" && c.take("shiftamt");
  Type t = c.takeType();
  Handler run = nullptr;
  if (b == "popc")
    run = t == Type::B32   ? &unaryExec<uint32_t, uint32_t, Popc>
          : t == Type::B64 ? &unaryExec<uint32_t, uint64_t, Popc>
                           : nullptr;
  else if (b == "clz")
    run = t == Type::B32   ? &unaryExec<uint32_t, uint32_t, Clz>
          : t == Type::B64 ? &unaryExec<uint32_t, uint64_t, Clz>
                           : nullptr;
  else if (bitsOf(t) >= 32)
    run = withInteger(t, [&](auto z) -> Handler {
      return shift ? &unaryExec<uint32_t, decltype(z), BfindShift>
                   : &unaryExec<uint32_t, decltype(z), Bfind>;
    });
  emitSimple(c, Type::U32, {t}, run, OpClass::Integer);
}

void decodeBrev(DecodeContext &c) {
  Type t = c.takeType();
  emitSimple(c, t, {t},
             t == Type::B32   ? unaryOf<uint32_t, Brev>()
             : t == Type::B64 ? unaryOf<uint64_t, Brev>()
                              : nullptr,
             OpClass::Integer);
}

void decodeBfe(DecodeContext &c) {
  Type t = c.takeType();
  Handler run = bitsOf(t) < 32
                    ? nullptr
                    : withInteger(
                          t,
                          [](auto z) -> Handler {
                            return &ternaryExec<decltype(z), decltype(z),
                                                uint32_t, uint32_t, Bfe>;
                          });
  emitSimple(c, t, {t, Type::U32, Type::U32}, run, OpClass::Integer);
}

void decodeBfi(DecodeContext &c) {
  Type t = c.takeType();
  if (t != Type::B32 && t != Type::B64)
    c.unknown();
  c.finishModifiers();
  c.expectOperands(5, 5);
  c.inst.a = c.source(1, t);
  c.inst.b = c.source(2, t);
  c.inst.c = c.source(3, Type::U32);
  c.inst.aux = c.source(4, Type::U32);
  c.inst.d = c.destination(size_t(0), t);
  c.inst.run = t == Type::B32 ? bfiExec<uint32_t> : bfiExec<uint64_t>;
  c.inst.opClass = OpClass::Integer;
  c.emit();
}

void decodeBmsk(DecodeContext &c) {
  bool wrap = c.take("wrap");
  if (!wrap && !c.take("clamp"))
    c.unknown();
  Type t = c.takeType();
  Handler run = wrap ? binaryExec<uint32_t, uint32_t, uint32_t, BmskWrap>
                     : binaryExec<uint32_t, uint32_t, uint32_t, BmskClamp>;
  emitSimple(c, t, {Type::U32, Type::U32}, t == Type::B32 ? run : nullptr,
             OpClass::Integer);
}

void decodeSzext(DecodeContext &c) {
  bool wrap = c.take("wrap");
  if (!wrap && !c.take("clamp"))
    c.unknown();
  Type t = c.takeType();
  Handler run = nullptr;
  if (t == Type::U32)
    run =
        wrap ? binaryExec<uint32_t, uint32_t, uint32_t, Szext<uint32_t, true>>
             : binaryExec<uint32_t, uint32_t, uint32_t, Szext<uint32_t, false>>;
  else if (t == Type::S32)
    run = wrap ? binaryExec<int32_t, int32_t, uint32_t, Szext<int32_t, true>>
               : binaryExec<int32_t, int32_t, uint32_t, Szext<int32_t, false>>;
  emitSimple(c, t, {t, Type::U32}, run, OpClass::Integer);
}

void decodeFns(DecodeContext &c) {
  Type t = c.takeType();
  emitSimple(c, Type::B32, {Type::B32, Type::U32, Type::S32},
             t == Type::B32
                 ? &ternaryExec<uint32_t, uint32_t, uint32_t, int32_t, Fns>
                 : nullptr,
             OpClass::Integer);
}

void decodeDotProduct(DecodeContext &c) {
  bool two = c.base() == "dp2a", high = false;
  if (two) {
    high = c.take("hi");
    if (!high && !c.take("lo"))
      c.unknown();
  }
  Type a = c.takeType(), b = c.takeType();
  bool sa = a == Type::S32, sb = b == Type::S32;
  if ((!sa && a != Type::U32) || (!sb && b != Type::U32))
    c.unknown();
  Type acc = sa || sb ? Type::S32 : Type::U32;
  auto pick = [&](auto za, auto zb) -> Handler {
    using A = decltype(za);
    using B = decltype(zb);
    using C = std::conditional_t<std::is_signed_v<A> || std::is_signed_v<B>,
                                 int32_t, uint32_t>;
    if (!two)
      return &ternaryExec<C, uint32_t, uint32_t, C, Dp4a<A, B>>;
    return high ? &ternaryExec<C, uint32_t, uint32_t, C, Dp2a<A, B, true>>
                : &ternaryExec<C, uint32_t, uint32_t, C, Dp2a<A, B, false>>;
  };
  Handler run =
      sa ? (sb ? pick(int8_t(), int8_t()) : pick(int8_t(), uint8_t()))
         : (sb ? pick(uint8_t(), int8_t()) : pick(uint8_t(), uint8_t()));
  emitSimple(c, acc, {Type::B32, Type::B32, acc}, run, OpClass::Integer);
}

} // namespace gemm::emulator
