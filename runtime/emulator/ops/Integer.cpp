// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic (PTX ISA "Integer Arithmetic Instructions" and
// "Extended-Precision Integer Arithmetic Instructions").
#include "Families.h"
#include "Lanes.h"

namespace gemm::emulator {

namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T> struct Twice;
template <> struct Twice<uint16_t> {
  using type = uint32_t;
};
template <> struct Twice<int16_t> {
  using type = int32_t;
};
template <> struct Twice<uint32_t> {
  using type = uint64_t;
};
template <> struct Twice<int32_t> {
  using type = int64_t;
};
__extension__ typedef unsigned __int128 U128;
__extension__ typedef __int128 S128;
template <> struct Twice<uint64_t> {
  using type = U128;
};
template <> struct Twice<int64_t> {
  using type = S128;
};
template <class T> using Wide = typename Twice<T>::type;

// All arithmetic is done on 64-bit unsigned values, where wrapping is defined.
struct Add {
  template <class T> static T run(T a, T b) {
    return T(uint64_t(a) + uint64_t(b));
  }
};
struct Sub {
  template <class T> static T run(T a, T b) {
    return T(uint64_t(a) - uint64_t(b));
  }
};
template <class T> T wrapMul(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
struct MulLo {
  template <class T> static T run(T a, T b) { return wrapMul(a, b); }
};
struct MulHi {
  template <class T> static T run(T a, T b) {
    if constexpr (sizeof(T) == 2)
      return T((int64_t(a) * int64_t(b)) >> 16);
    else
      return T((Wide<T>(a) * Wide<T>(b)) >> (sizeof(T) * 8));
  }
};
struct MadLo {
  template <class T> static T run(T a, T b, T c) {
    return T(uint64_t(wrapMul(a, b)) + uint64_t(c));
  }
};
struct MadHi {
  template <class T> static T run(T a, T b, T c) {
    return T(uint64_t(MulHi::run(a, b)) + uint64_t(c));
  }
};
int32_t clampS32(int64_t v) {
  return int32_t(v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v);
}
struct AddSat {
  static int32_t run(int32_t a, int32_t b) { return clampS32(int64_t(a) + b); }
};
struct SubSat {
  static int32_t run(int32_t a, int32_t b) { return clampS32(int64_t(a) - b); }
};
struct MadHiSat {
  static int32_t run(int32_t a, int32_t b, int32_t c) {
    return clampS32(((int64_t(a) * b) >> 32) + c);
  }
};

template <class T> struct MulWide {
  static Wide<T> run(T a, T b) { return Wide<T>(Wide<T>(a) * Wide<T>(b)); }
};
template <> struct MulWide<uint16_t> {
  static uint32_t run(uint16_t a, uint16_t b) {
    return uint32_t(a) * uint32_t(b);
  }
};
template <class T> void mulWide(Warp &w, const Inst &i, uint32_t m) {
  const T *a = w.lanes<T>(i.a), *b = w.lanes<T>(i.b);
  writeLanes<Wide<T>>(w, i.d, m,
                      [&](unsigned l) { return MulWide<T>::run(a[l], b[l]); });
}
template <class T> void madWide(Warp &w, const Inst &i, uint32_t m) {
  const T *a = w.lanes<T>(i.a), *b = w.lanes<T>(i.b);
  const Wide<T> *c = w.lanes<Wide<T>>(i.c);
  writeLanes<Wide<T>>(w, i.d, m, [&](unsigned l) {
    return Wide<T>(uint64_t(MulWide<T>::run(a[l], b[l])) + uint64_t(c[l]));
  });
}

// Division by zero: unspecified machine value; all ones, as the hardware's
// software sequence gives.
struct Div {
  template <class T> static T run(T a, T b) {
    if (b == 0)
      return T(~T(0));
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1))
        return T(uint64_t(0) - uint64_t(a));
    return T(a / b);
  }
};
struct Rem {
  template <class T> static T run(T a, T b) {
    if (b == 0)
      return a;
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1))
        return 0;
    return T(a % b);
  }
};
struct Abs {
  template <class T> static T run(T a) {
    return a < 0 ? T(uint64_t(0) - uint64_t(a)) : a;
  }
};
struct Neg {
  template <class T> static T run(T a) { return T(uint64_t(0) - uint64_t(a)); }
};
struct Min {
  template <class T> static T run(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T run(T a, T b) { return a > b ? a : b; }
};
struct MinRelu {
  template <class T> static T run(T a, T b) {
    return std::max<T>(a < b ? a : b, 0);
  }
};
struct MaxRelu {
  template <class T> static T run(T a, T b) {
    return std::max<T>(a > b ? a : b, 0);
  }
};
struct Sad {
  template <class T> static T run(T a, T b, T c) {
    return T(uint64_t(c) +
             (a < b ? uint64_t(b) - uint64_t(a) : uint64_t(a) - uint64_t(b)));
  }
};
template <class T> int64_t low24(T a) {
  if constexpr (std::is_signed_v<T>)
    return int32_t(uint32_t(a) << 8) >> 8;
  else
    return int64_t(uint32_t(a) & 0xffffff);
}
struct Mul24Lo {
  template <class T> static T run(T a, T b) { return T(low24(a) * low24(b)); }
};
struct Mul24Hi {
  template <class T> static T run(T a, T b) {
    return T((low24(a) * low24(b)) >> 16);
  }
};
struct Mad24Lo {
  template <class T> static T run(T a, T b, T c) {
    return T(uint64_t(Mul24Lo::run(a, b)) + uint64_t(c));
  }
};
struct Mad24Hi {
  template <class T> static T run(T a, T b, T c) {
    return T(uint64_t(Mul24Hi::run(a, b)) + uint64_t(c));
  }
};

/// Two 16-bit halves of a 32-bit register.
template <class T, class Op> struct Halves {
  static uint32_t run(uint32_t a, uint32_t b) {
    return uint32_t(uint16_t(Op::run(T(a), T(b)))) |
           uint32_t(uint16_t(Op::run(T(a >> 16), T(b >> 16)))) << 16;
  }
};
template <class T, class Op> struct HalvesUnary {
  static uint32_t run(uint32_t a) {
    return uint32_t(uint16_t(Op::run(T(a)))) |
           uint32_t(uint16_t(Op::run(T(a >> 16)))) << 16;
  }
};

template <class Op> Handler integerBinary(Type t) {
  if (t == Type::U16x2)
    return &binaryExec<uint32_t, uint32_t, uint32_t, Halves<uint16_t, Op>>;
  if (t == Type::S16x2)
    return &binaryExec<uint32_t, uint32_t, uint32_t, Halves<int16_t, Op>>;
  return withInteger(t, [](auto z) { return binaryOf<decltype(z), Op>(); });
}

// Carry chains: the carry flag is a predicate per function.
enum class Carry { Add, Sub, MadLo, MadHi };
template <class T, Carry K> void carryExec(Warp &w, const Inst &i, uint32_t m) {
  using U = Unsigned<T>;
  const U *a = w.lanes<U>(i.a), *b = w.lanes<U>(i.b), *c = w.lanes<U>(i.c);
  const bool useIn = i.small & 1, setOut = i.small & 2;
  const uint32_t in = useIn ? w.pred(i.aux) : 0;
  uint32_t out = 0, undefinedLanes = w.undef[i.a] | w.undef[i.b] |
                                     w.undef[i.c] |
                                     (useIn ? w.undef[i.aux] : 0);
  writeLanes<U>(w, i.d, m, [&](unsigned l) {
    U x = a[l], y = b[l];
    if constexpr (K == Carry::MadLo) {
      x = U(wrapMul(T(x), T(y)));
      y = c[l];
    } else if constexpr (K == Carry::MadHi) {
      x = U(MulHi::run(T(x), T(y)));
      y = c[l];
    }
    const U cin = in >> l & 1;
    U128 wide;
    if constexpr (K == Carry::Sub)
      wide = U128(x) - U128(y) - cin; // the flag is a borrow
    else
      wide = U128(x) + U128(y) + cin;
    if (U128(U(wide)) != wide)
      out |= 1u << l;
    return U(wide);
  });
  w.setUndefined(i.d, m, undefinedLanes);
  if (setOut) {
    w.setPred(i.aux, m, out);
    w.setUndefined(i.aux, m, undefinedLanes);
  }
}

uint32_t carryUnit(DecodeContext &c) {
  auto [it, isNew] = c.fb.specials.emplace("%(carry)", 0);
  if (isNew)
    it->second = c.fb.allocate(4);
  return it->second;
}

template <Carry K>
bool decodeCarry(DecodeContext &c, bool useIn, size_t sources) {
  bool setOut = c.take("cc");
  if (!useIn && !setOut)
    return false;
  Type t = c.takeType();
  Handler run = withInteger(t, [](auto z) -> Handler {
    if constexpr (sizeof(z) < 4)
      return nullptr;
    else
      return &carryExec<decltype(z), K>;
  });
  if (!run)
    c.unknown();
  c.finishModifiers();
  c.expectOperands(sources + 1, sources + 1);
  c.inst.a = c.source(1, t);
  c.inst.b = c.source(2, t);
  if (sources == 3)
    c.inst.c = c.source(3, t);
  c.inst.d = c.destination(size_t(0), t);
  c.inst.aux = carryUnit(c);
  c.inst.small = uint8_t((useIn ? 1 : 0) | (setOut ? 2 : 0));
  c.inst.run = run;
  c.inst.opClass = OpClass::Integer;
  c.emit();
  return true;
}

} // namespace

void decodeAddInteger(DecodeContext &c) {
  bool subtract = c.base() == "sub" || c.base() == "subc";
  bool withCarry = c.base() == "addc" || c.base() == "subc";
  if (subtract ? decodeCarry<Carry::Sub>(c, withCarry, 2)
               : decodeCarry<Carry::Add>(c, withCarry, 2))
    return;
  bool sat = c.take("sat");
  Type t = c.takeType();
  Handler run = subtract ? integerBinary<Sub>(t) : integerBinary<Add>(t);
  if (sat)
    run = t != Type::S32 ? nullptr
          : subtract     ? binaryOf<int32_t, SubSat>()
                         : binaryOf<int32_t, AddSat>();
  emitSimple(c, t, {t, t}, run, OpClass::Integer);
}

static Type wider(Type t) {
  switch (t) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  case Type::S32:
    return Type::S64;
  default:
    return Type::None;
  }
}

void decodeMulInteger(DecodeContext &c) {
  std::string_view part = c.takeAny({"hi", "lo", "wide"});
  Type t = c.takeType();
  Handler run = nullptr;
  if (part == "wide") {
    if (wider(t) == Type::None)
      c.unknown();
    run = withInteger(t, [](auto z) -> Handler {
      if constexpr (sizeof(z) == 8)
        return nullptr;
      else
        return &mulWide<decltype(z)>;
    });
    return emitSimple(c, wider(t), {t, t}, run, OpClass::Integer);
  }
  if (part == "hi")
    run = withInteger(t, [](auto z) { return binaryOf<decltype(z), MulHi>(); });
  else if (part == "lo")
    run = withInteger(t, [](auto z) { return binaryOf<decltype(z), MulLo>(); });
  emitSimple(c, t, {t, t}, run, OpClass::Integer);
}

void decodeMadInteger(DecodeContext &c) {
  std::string_view part = c.takeAny({"hi", "lo", "wide"});
  bool withCarry = c.base() == "madc";
  if (part == "lo" ? decodeCarry<Carry::MadLo>(c, withCarry, 3)
                   : part == "hi" && decodeCarry<Carry::MadHi>(c, withCarry, 3))
    return;
  bool sat = c.take("sat");
  Type t = c.takeType();
  Handler run = nullptr;
  if (part == "wide") {
    if (wider(t) == Type::None || sat)
      c.unknown();
    run = withInteger(t, [](auto z) -> Handler {
      if constexpr (sizeof(z) == 8)
        return nullptr;
      else
        return &madWide<decltype(z)>;
    });
    return emitSimple(c, wider(t), {t, t, wider(t)}, run, OpClass::Integer);
  }
  if (part == "hi")
    run = sat ? (t == Type::S32 ? ternaryOf<int32_t, MadHiSat>() : nullptr)
              : withInteger(
                    t, [](auto z) { return ternaryOf<decltype(z), MadHi>(); });
  else if (part == "lo" && !sat)
    run =
        withInteger(t, [](auto z) { return ternaryOf<decltype(z), MadLo>(); });
  emitSimple(c, t, {t, t, t}, run, OpClass::Integer);
}

void decodeMul24(DecodeContext &c) {
  bool hi = c.take("hi");
  if (!hi && !c.take("lo"))
    c.unknown();
  Type t = c.takeType();
  if (c.base() == "mad24") {
    Handler run = t == Type::U32   ? (hi ? ternaryOf<uint32_t, Mad24Hi>()
                                         : ternaryOf<uint32_t, Mad24Lo>())
                  : t == Type::S32 ? (hi ? ternaryOf<int32_t, Mad24Hi>()
                                         : ternaryOf<int32_t, Mad24Lo>())
                                   : nullptr;
    return emitSimple(c, t, {t, t, t}, run, OpClass::Integer);
  }
  Handler run =
      t == Type::U32
          ? (hi ? binaryOf<uint32_t, Mul24Hi>() : binaryOf<uint32_t, Mul24Lo>())
      : t == Type::S32
          ? (hi ? binaryOf<int32_t, Mul24Hi>() : binaryOf<int32_t, Mul24Lo>())
          : nullptr;
  emitSimple(c, t, {t, t}, run, OpClass::Integer);
}

void decodeDivInteger(DecodeContext &c) {
  bool rem = c.base() == "rem";
  Type t = c.takeType();
  Handler run =
      rem ? withInteger(t, [](auto z) { return binaryOf<decltype(z), Rem>(); })
          : withInteger(t, [](auto z) { return binaryOf<decltype(z), Div>(); });
  emitSimple(c, t, {t, t}, run, OpClass::Integer);
}

void decodeSad(DecodeContext &c) {
  Type t = c.takeType();
  emitSimple(
      c, t, {t, t, t},
      withInteger(t, [](auto z) { return ternaryOf<decltype(z), Sad>(); }),
      OpClass::Integer);
}

void decodeAbsNegInteger(DecodeContext &c) {
  bool neg = c.base() == "neg";
  Type t = c.takeType();
  Handler run = nullptr;
  if (t == Type::S16 || t == Type::S32 || t == Type::S64)
    run =
        neg ? withInteger(t, [](auto z) { return unaryOf<decltype(z), Neg>(); })
            : withInteger(t,
                          [](auto z) { return unaryOf<decltype(z), Abs>(); });
  emitSimple(c, t, {t}, run, OpClass::Integer);
}

void decodeMinMaxInteger(DecodeContext &c) {
  bool isMax = c.base() == "max", relu = c.take("relu");
  Type t = c.takeType();
  Handler run;
  if (relu) {
    if (t == Type::S32)
      run = isMax ? binaryOf<int32_t, MaxRelu>() : binaryOf<int32_t, MinRelu>();
    else if (t == Type::S16x2)
      run = isMax ? &binaryExec<uint32_t, uint32_t, uint32_t,
                                Halves<int16_t, MaxRelu>>
                  : &binaryExec<uint32_t, uint32_t, uint32_t,
                                Halves<int16_t, MinRelu>>;
    else
      run = nullptr;
  } else {
    run = isMax ? integerBinary<Max>(t) : integerBinary<Min>(t);
  }
  emitSimple(c, t, {t, t}, run, OpClass::Integer);
}

} // namespace gemm::emulator
