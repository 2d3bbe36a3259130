// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// setp, set, selp, slct (PTX ISA "Comparison and Selection Instructions").
#include "../FloatFormats.h"
#include "Families.h"
#include "FloatLanes.h"

namespace gemm::emulator {

namespace {
enum class Cmp : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};
enum BoolOp : uint8_t { kNone, kAnd, kOr, kXor };

template <Cmp K, class T> bool compare(T a, T b) {
  if constexpr (K == Cmp::Eq)
    return a == b;
  if constexpr (K == Cmp::Ne)
    return a < b || a > b; // false for NaN, unlike C's !=
  if constexpr (K == Cmp::Lt)
    return a < b;
  if constexpr (K == Cmp::Le)
    return a <= b;
  if constexpr (K == Cmp::Gt)
    return a > b;
  if constexpr (K == Cmp::Ge)
    return a >= b;
  bool unordered = a != a || b != b;
  if constexpr (K == Cmp::Equ)
    return unordered || a == b;
  if constexpr (K == Cmp::Neu)
    return !(a == b);
  if constexpr (K == Cmp::Ltu)
    return !(a >= b);
  if constexpr (K == Cmp::Leu)
    return !(a > b);
  if constexpr (K == Cmp::Gtu)
    return !(a <= b);
  if constexpr (K == Cmp::Geu)
    return !(a < b);
  if constexpr (K == Cmp::Num)
    return !unordered;
  return unordered;
}

/// How a type's lanes become comparable values.
template <class T> struct Plain {
  using Register = T;
  static T value(T v, bool) { return v; }
};
struct AsF32 {
  using Register = uint32_t;
  static float value(uint32_t v, bool ftz) {
    return asFloat(ftz ? flush32(v) : v);
  }
};
struct AsF64 {
  using Register = uint64_t;
  static double value(uint64_t v, bool) { return asDouble(v); }
};
template <int Shift, bool BFloat> struct AsHalf {
  using Register = std::conditional_t < Shift<0, uint16_t, uint32_t>;
  static float value(Register v, bool ftz) {
    uint16_t h = uint16_t(v >> (Shift < 0 ? 0 : Shift));
    if (ftz && !BFloat && !(h & 0x7c00))
      h &= 0x8000;
    return asFloat(BFloat ? bf16ToF32Bits(h) : f16ToF32Bits(h));
  }
};

template <class Reader, Cmp K>
uint32_t compareLanes(Warp &w, const Inst &i, bool ftz) {
  using R = typename Reader::Register;
  const R *a = w.lanes<R>(i.a), *b = w.lanes<R>(i.b);
  uint8_t t[kLanes];
  for (unsigned l = 0; l < kLanes; ++l)
    t[l] = compare<K>(Reader::value(a[l], ftz), Reader::value(b[l], ftz));
  uint32_t r = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    r |= uint32_t(t[l]) << l;
  return r;
}

uint32_t combine(uint32_t v, uint32_t c, unsigned op) {
  return op == kAnd ? v & c : op == kOr ? v | c : op == kXor ? v ^ c : v;
}

/// small: bits 0-1 bool op, 2 negate c, 3 ftz; aux: unit of q; list: lists
/// entry of 1 if q is the second half's result (f16x2).
template <class Reader, Cmp K>
void setpExec(Warp &w, const Inst &i, uint32_t m) {
  uint32_t r = compareLanes<Reader, K>(w, i, i.small & 8);
  uint32_t c = w.pred(i.c) ^ (i.small & 4 ? ~0u : 0);
  uint32_t undefinedLanes =
      w.undef[i.a] | w.undef[i.b] | ((i.small & 3) ? w.undef[i.c] : 0);
  uint32_t p = combine(r, c, i.small & 3), q = combine(~r, c, i.small & 3);
  w.setPred(i.d, m, p);
  w.setUndefined(i.d, m, undefinedLanes);
  if (i.aux) {
    w.setPred(i.aux, m, q);
    w.setUndefined(i.aux, m, undefinedLanes);
  }
}
template <bool BFloat, Cmp K>
void setpPacked(Warp &w, const Inst &i, uint32_t m) {
  uint32_t lo = compareLanes<AsHalf<0, BFloat>, K>(w, i, i.small & 8);
  uint32_t hi = compareLanes<AsHalf<16, BFloat>, K>(w, i, i.small & 8);
  uint32_t c = w.pred(i.c) ^ (i.small & 4 ? ~0u : 0);
  uint32_t undefinedLanes =
      w.undef[i.a] | w.undef[i.b] | ((i.small & 3) ? w.undef[i.c] : 0);
  w.setPred(i.d, m, combine(lo, c, i.small & 3));
  w.setUndefined(i.d, m, undefinedLanes);
  if (i.aux) {
    w.setPred(i.aux, m, combine(hi, c, i.small & 3));
    w.setUndefined(i.aux, m, undefinedLanes);
  }
}
/// set: all ones or zero (integer), 1.0 or 0.0 (float). imm: the true pattern.
template <class Reader, Cmp K>
void setExec(Warp &w, const Inst &i, uint32_t m) {
  uint32_t r = compareLanes<Reader, K>(w, i, i.small & 8);
  uint32_t c = w.pred(i.c) ^ (i.small & 4 ? ~0u : 0);
  uint32_t p = combine(r, c, i.small & 3);
  uint32_t undefinedLanes =
      w.undef[i.a] | w.undef[i.b] | ((i.small & 3) ? w.undef[i.c] : 0);
  if (i.small & 16)
    writeLanes<uint16_t>(w, i.d, m, [&](unsigned l) {
      return p >> l & 1 ? uint16_t(i.imm) : uint16_t(0);
    });
  else
    writeLanes<uint32_t>(w, i.d, m, [&](unsigned l) {
      return p >> l & 1 ? uint32_t(i.imm) : 0u;
    });
  w.setUndefined(i.d, m, undefinedLanes);
}
template <bool BFloat, Cmp K>
void setPacked(Warp &w, const Inst &i, uint32_t m) {
  uint32_t lo = compareLanes<AsHalf<0, BFloat>, K>(w, i, i.small & 8);
  uint32_t hi = compareLanes<AsHalf<16, BFloat>, K>(w, i, i.small & 8);
  uint32_t c = w.pred(i.c) ^ (i.small & 4 ? ~0u : 0);
  lo = combine(lo, c, i.small & 3);
  hi = combine(hi, c, i.small & 3);
  writeLanes<uint32_t>(w, i.d, m, [&](unsigned l) {
    return (lo >> l & 1 ? uint32_t(i.imm) : 0u) |
           (hi >> l & 1 ? uint32_t(i.imm) << 16 : 0u);
  });
  w.setUndefined(
      i.d, m, w.undef[i.a] | w.undef[i.b] | ((i.small & 3) ? w.undef[i.c] : 0));
}

struct Pair {
  Handler setp, set;
};
template <class Reader, Cmp K> Pair pairOf() {
  return {setpExec<Reader, K>, setExec<Reader, K>};
}

template <class Reader, bool Float> Pair byOperator(std::string_view op) {
  if (op == "eq")
    return pairOf<Reader, Cmp::Eq>();
  if (op == "ne")
    return pairOf<Reader, Cmp::Ne>();
  if (op == "lt" || (!Float && op == "lo"))
    return pairOf<Reader, Cmp::Lt>();
  if (op == "le" || (!Float && op == "ls"))
    return pairOf<Reader, Cmp::Le>();
  if (op == "gt" || (!Float && op == "hi"))
    return pairOf<Reader, Cmp::Gt>();
  if (op == "ge" || (!Float && op == "hs"))
    return pairOf<Reader, Cmp::Ge>();
  if constexpr (Float) {
    if (op == "equ")
      return pairOf<Reader, Cmp::Equ>();
    if (op == "neu")
      return pairOf<Reader, Cmp::Neu>();
    if (op == "ltu")
      return pairOf<Reader, Cmp::Ltu>();
    if (op == "leu")
      return pairOf<Reader, Cmp::Leu>();
    if (op == "gtu")
      return pairOf<Reader, Cmp::Gtu>();
    if (op == "geu")
      return pairOf<Reader, Cmp::Geu>();
    if (op == "num")
      return pairOf<Reader, Cmp::Num>();
    if (op == "nan")
      return pairOf<Reader, Cmp::Nan>();
  }
  return {nullptr, nullptr};
}
template <bool BFloat> Pair packedByOperator(std::string_view op) {
#define GEMM_ROW(name, K)                                                      \
  if (op == name)                                                              \
  return {setpPacked<BFloat, Cmp::K>, setPacked<BFloat, Cmp::K>}
  GEMM_ROW("eq", Eq);
  GEMM_ROW("ne", Ne);
  GEMM_ROW("lt", Lt);
  GEMM_ROW("le", Le);
  GEMM_ROW("gt", Gt);
  GEMM_ROW("ge", Ge);
  GEMM_ROW("equ", Equ);
  GEMM_ROW("neu", Neu);
  GEMM_ROW("ltu", Ltu);
  GEMM_ROW("leu", Leu);
  GEMM_ROW("gtu", Gtu);
  GEMM_ROW("geu", Geu);
  GEMM_ROW("num", Num);
  GEMM_ROW("nan", Nan);
#undef GEMM_ROW
  return {nullptr, nullptr};
}

Pair pick(Type t, std::string_view op) {
  switch (t) {
  case Type::B16:
  case Type::U16:
    return byOperator<Plain<uint16_t>, false>(op);
  case Type::S16:
    return byOperator<Plain<int16_t>, false>(op);
  case Type::B32:
  case Type::U32:
    return byOperator<Plain<uint32_t>, false>(op);
  case Type::S32:
    return byOperator<Plain<int32_t>, false>(op);
  case Type::B64:
  case Type::U64:
    return byOperator<Plain<uint64_t>, false>(op);
  case Type::S64:
    return byOperator<Plain<int64_t>, false>(op);
  case Type::F32:
    return byOperator<AsF32, true>(op);
  case Type::F64:
    return byOperator<AsF64, true>(op);
  case Type::F16:
    return byOperator<AsHalf<-1, false>, true>(op);
  case Type::BF16:
    return byOperator<AsHalf<-1, true>, true>(op);
  case Type::F16x2:
    return packedByOperator<false>(op);
  case Type::BF16x2:
    return packedByOperator<true>(op);
  default:
    return {nullptr, nullptr};
  }
}

template <class T> void selpExec(Warp &w, const Inst &i, uint32_t m) {
  const T *a = w.lanes<T>(i.a), *b = w.lanes<T>(i.b);
  const uint32_t p = w.pred(i.c) ^ (i.small & 1 ? ~0u : 0);
  writeLanes<T>(w, i.d, m,
                [&](unsigned l) { return p >> l & 1 ? a[l] : b[l]; });
  w.setUndefined(i.d, m,
                 w.undef[i.c] | (p & w.undef[i.a]) | (~p & w.undef[i.b]));
}
template <class T, bool Float>
void slctExec(Warp &w, const Inst &i, uint32_t m) {
  const T *a = w.lanes<T>(i.a), *b = w.lanes<T>(i.b);
  const uint32_t *c = w.lanes<uint32_t>(i.c);
  uint32_t p = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    p |= uint32_t(Float ? asFloat(i.small & 1 ? flush32(c[l]) : c[l]) >= 0.0f
                        : int32_t(c[l]) >= 0)
         << l;
  writeLanes<T>(w, i.d, m,
                [&](unsigned l) { return p >> l & 1 ? a[l] : b[l]; });
  w.setUndefined(i.d, m,
                 w.undef[i.c] | (p & w.undef[i.a]) | (~p & w.undef[i.b]));
}
} // namespace

void decodeSetp(DecodeContext &c) {
  bool isSet = c.base() == "set";
  std::string_view op =
      c.takeAny({"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan", "eq",
                 "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"});
  std::string_view boolean = c.takeAny({"and", "or", "xor"});
  bool ftz = c.take("ftz");
  Type dType = Type::Pred;
  if (isSet)
    dType = c.takeType();
  Type t = c.takeType();
  Pair p = pick(t, op);
  c.inst.run = isSet ? p.set : p.setp;
  if (!c.inst.run)
    c.unknown();
  c.finishModifiers();
  c.expectOperands(boolean.empty() ? 3 : 4, boolean.empty() ? 3 : 4);
  unsigned b = boolean == "and"   ? kAnd
               : boolean == "or"  ? kOr
               : boolean == "xor" ? kXor
                                  : kNone;
  bool negated = false;
  c.inst.a = c.source(1, t);
  c.inst.b = c.source(2, t);
  c.inst.c = boolean.empty() ? uint32_t(kTrueUnit)
                             : c.predicateSource(c.op(3), negated);
  c.inst.small = uint8_t(b | negated << 2 | ftz << 3);
  c.inst.opClass = OpClass::Compare;
  if (isSet) {
    switch (dType) {
    case Type::U32:
    case Type::S32:
    case Type::B32:
      c.inst.imm = 0xffffffff;
      break;
    case Type::F32:
      c.inst.imm = 0x3f800000;
      break;
    case Type::U16:
    case Type::S16:
    case Type::B16:
      c.inst.imm = 0xffff;
      c.inst.small |= 16;
      break;
    case Type::F16:
      c.inst.imm = 0x3c00;
      c.inst.small |= 16;
      break;
    case Type::BF16:
      c.inst.imm = 0x3f80;
      c.inst.small |= 16;
      break;
    case Type::F16x2:
      c.inst.imm = 0x3c00;
      break;
    case Type::BF16x2:
      c.inst.imm = 0x3f80;
      break;
    default:
      c.unknown();
    }
    if (t == Type::F16x2 || t == Type::BF16x2) {
      if (c.inst.imm == 0xffffffff)
        c.inst.imm = 0xffff;
      c.inst.small = uint8_t(c.inst.small & ~16);
    }
    c.inst.d = c.destination(size_t(0), dType);
  } else if (c.op(0).kind == Operand::Pair) {
    c.inst.d = c.predicateDestination(c.op(0).elems[0]);
    c.inst.aux = c.predicateDestination(c.op(0).elems[1]);
  } else {
    c.inst.d = c.predicateDestination(c.op(0));
  }
  c.emit();
}

void decodeSelp(DecodeContext &c) {
  Type t = c.takeType();
  c.finishModifiers();
  c.expectOperands(4, 4);
  unsigned bits = bitsOf(t);
  c.inst.run = bits == 16   ? selpExec<uint16_t>
               : bits == 32 ? selpExec<uint32_t>
               : bits == 64 ? selpExec<uint64_t>
                            : nullptr;
  if (!c.inst.run)
    c.unknown();
  bool negated;
  c.inst.a = c.source(1, t);
  c.inst.b = c.source(2, t);
  c.inst.c = c.predicateSource(c.op(3), negated);
  c.inst.small = negated;
  c.inst.d = c.destination(size_t(0), t);
  c.inst.opClass = OpClass::Compare;
  c.emit();
}

void decodeSlct(DecodeContext &c) {
  bool ftz = c.take("ftz");
  Type t = c.takeType(), k = c.takeType();
  c.finishModifiers();
  c.expectOperands(4, 4);
  unsigned bits = bitsOf(t);
  bool f = k == Type::F32;
  if (!f && k != Type::S32)
    c.unknown();
  c.inst.run =
      bits == 16   ? (f ? slctExec<uint16_t, true> : slctExec<uint16_t, false>)
      : bits == 32 ? (f ? slctExec<uint32_t, true> : slctExec<uint32_t, false>)
      : bits == 64 ? (f ? slctExec<uint64_t, true> : slctExec<uint64_t, false>)
                   : nullptr;
  if (!c.inst.run)
    c.unknown();
  c.inst.a = c.source(1, t);
  c.inst.b = c.source(2, t);
  c.inst.c = c.source(3, k);
  c.inst.small = ftz;
  c.inst.d = c.destination(size_t(0), t);
  c.inst.opClass = OpClass::Compare;
  c.emit();
}

} // namespace gemm::emulator
