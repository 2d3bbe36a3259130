// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt: the modifiers and widths; the arithmetic is FloatFormats'. Registers may
// be wider than the types (PTX ISA "Operand Size Exceeding Instruction-Type
// Size").
#include "../FloatFormats.h"
#include "Families.h"
#include "Lanes.h"

#include <limits>

namespace gemm::emulator {

namespace {
/// Everything a conversion needs beyond its registers.
struct Spec {
  Type from, to;
  unsigned fromWidth, toWidth; ///< register bytes
  bool sat = false, integral = false;
  ConvertOptions options;
};

FloatFormat formatOf(Type t) {
  switch (t) {
  case Type::F16:
  case Type::F16x2:
    return FloatFormat::F16;
  case Type::BF16:
  case Type::BF16x2:
    return FloatFormat::BF16;
  case Type::TF32:
    return FloatFormat::TF32;
  case Type::F64:
    return FloatFormat::F64;
  case Type::E4M3:
  case Type::E4M3x2:
    return FloatFormat::E4M3;
  case Type::E5M2:
  case Type::E5M2x2:
    return FloatFormat::E5M2;
  default:
    return FloatFormat::F32;
  }
}

void readLanes(Warp &w, uint32_t unit, unsigned width, uint64_t *v) {
  switch (width) {
  case 8:
    std::memcpy(v, w.lanes<uint64_t>(unit), 8 * kLanes);
    break;
  case 4:
    for (unsigned l = 0; l < kLanes; ++l)
      v[l] = w.lanes<uint32_t>(unit)[l];
    break;
  default:
    for (unsigned l = 0; l < kLanes; ++l)
      v[l] = w.lanes<uint16_t>(unit)[l];
    break;
  }
}
void storeLanes(Warp &w, uint32_t unit, unsigned width, uint32_t m,
                const uint64_t *v) {
  switch (width) {
  case 8:
    writeLanes<uint64_t>(w, unit, m, [&](unsigned l) { return v[l]; });
    break;
  case 4:
    writeLanes<uint32_t>(w, unit, m,
                         [&](unsigned l) { return uint32_t(v[l]); });
    break;
  default:
    writeLanes<uint16_t>(w, unit, m,
                         [&](unsigned l) { return uint16_t(v[l]); });
    break;
  }
}
uint64_t extend(uint64_t v, unsigned bits, bool isSignedType) {
  if (bits >= 64)
    return v;
  v &= (uint64_t(1) << bits) - 1;
  if (isSignedType && (v >> (bits - 1) & 1))
    v |= ~uint64_t(0) << bits;
  return v;
}

uint64_t saturateInteger(uint64_t v, bool sourceSigned, unsigned bits,
                         bool destinationSigned) {
  if (destinationSigned) {
    int64_t low = bits == 64 ? INT64_MIN : -(int64_t(1) << (bits - 1));
    int64_t high = bits == 64 ? INT64_MAX : (int64_t(1) << (bits - 1)) - 1;
    if (!sourceSigned)
      return v > uint64_t(high) ? uint64_t(high) : v;
    int64_t s = int64_t(v);
    return uint64_t(s < low ? low : s > high ? high : s);
  }
  uint64_t high = bits == 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
  if (sourceSigned && int64_t(v) < 0)
    return 0;
  return v > high ? high : v;
}

void integerExec(Warp &w, const Inst &i, uint32_t m) {
  const Spec &s = extraOf<Spec>(w, i);
  alignas(64) uint64_t v[kLanes];
  readLanes(w, i.a, s.fromWidth, v);
  const unsigned fromBits = bitsOf(s.from), toBits = bitsOf(s.to);
  const bool fromSigned = isSigned(s.from), toSigned = isSigned(s.to);
  for (unsigned l = 0; l < kLanes; ++l) {
    uint64_t x = extend(v[l], fromBits, fromSigned);
    if (s.sat)
      x = saturateInteger(x, fromSigned, toBits, toSigned);
    v[l] = extend(x, toBits, toSigned);
  }
  storeLanes(w, i.d, s.toWidth, m, v);
}
template <class D, class A> void plainExec(Warp &w, const Inst &i, uint32_t m) {
  const A *a = w.lanes<A>(i.a);
  writeLanes<D>(w, i.d, m, [&](unsigned l) { return D(a[l]); });
}

void floatExec(Warp &w, const Inst &i, uint32_t m) {
  const Spec &s = extraOf<Spec>(w, i);
  alignas(64) uint64_t v[kLanes];
  readLanes(w, i.a, s.fromWidth, v);
  const unsigned fromBits = bitsOf(s.from), toBits = bitsOf(s.to);
  const bool ff = isFloat(s.from), tf = isFloat(s.to);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(m >> l & 1))
      continue;
    uint64_t x =
        v[l] & (fromBits == 64 ? ~uint64_t(0) : (uint64_t(1) << fromBits) - 1);
    if (ff && tf)
      x = s.integral
              ? roundToIntegral(x, formatOf(s.from), s.options.rounding,
                                s.options.flushSubnormals)
              : convertFloat(x, formatOf(s.from), formatOf(s.to), s.options);
    else if (ff)
      x = convertFloatToInt(x, formatOf(s.from), toBits, isSigned(s.to),
                            s.options.rounding, s.options.flushSubnormals);
    else
      x = convertIntToFloat(x, fromBits, isSigned(s.from), formatOf(s.to),
                            s.options);
    if (s.integral && ff && tf && s.options.saturateUnit)
      x = convertFloat(x, formatOf(s.to), formatOf(s.to), s.options);
    v[l] = x;
  }
  storeLanes(w, i.d, s.toWidth, m, v);
}
void f16ToF32(Warp &w, const Inst &i, uint32_t m) {
  const uint16_t *a = w.lanes<uint16_t>(i.a);
  writeLanes<uint32_t>(w, i.d, m,
                       [&](unsigned l) { return f16ToF32Bits(a[l]); });
}
void bf16ToF32(Warp &w, const Inst &i, uint32_t m) {
  const uint16_t *a = w.lanes<uint16_t>(i.a);
  // The bits of a NaN too, even a signalling one (H200, measured).
  writeLanes<uint32_t>(w, i.d, m,
                       [&](unsigned l) { return uint32_t(a[l]) << 16; });
}
void f32ToF16(Warp &w, const Inst &i, uint32_t m) {
  const uint32_t *a = w.lanes<uint32_t>(i.a);
  writeLanes<uint16_t>(w, i.d, m,
                       [&](unsigned l) { return f32BitsToF16(a[l]); });
}
void f32ToBF16(Warp &w, const Inst &i, uint32_t m) {
  const uint32_t *a = w.lanes<uint32_t>(i.a);
  writeLanes<uint16_t>(w, i.d, m,
                       [&](unsigned l) { return f32BitsToBF16(a[l]); });
}
/// d = {a (high), b (low)} of two f32.
template <bool BFloat> void packPlain(Warp &w, const Inst &i, uint32_t m) {
  const uint32_t *a = w.lanes<uint32_t>(i.a), *b = w.lanes<uint32_t>(i.b);
  writeLanes<uint32_t>(w, i.d, m, [&](unsigned l) {
    return BFloat ? uint32_t(f32BitsToBF16(a[l])) << 16 | f32BitsToBF16(b[l])
                  : uint32_t(f32BitsToF16(a[l])) << 16 | f32BitsToF16(b[l]);
  });
}
void packFloats(Warp &w, const Inst &i, uint32_t m) {
  const Spec &s = extraOf<Spec>(w, i);
  const uint32_t *a = w.lanes<uint32_t>(i.a), *b = w.lanes<uint32_t>(i.b);
  FloatFormat to = formatOf(s.to);
  unsigned half = formatInfo(to).storageBits;
  alignas(64) uint64_t v[kLanes] = {};
  forLanes(m, [&](unsigned l) {
    v[l] = convertFloat(a[l], FloatFormat::F32, to, s.options) << half |
           convertFloat(b[l], FloatFormat::F32, to, s.options);
  });
  storeLanes(w, i.d, s.toWidth, m, v);
}
/// Packed to packed: halves separately (f16x2 <-> fp8x2).
void packedExec(Warp &w, const Inst &i, uint32_t m) {
  const Spec &s = extraOf<Spec>(w, i);
  FloatFormat from = formatOf(s.from), to = formatOf(s.to);
  unsigned fb = formatInfo(from).storageBits, tb = formatInfo(to).storageBits;
  alignas(64) uint64_t v[kLanes];
  readLanes(w, i.a, s.fromWidth, v);
  const uint64_t mask = (uint64_t(1) << fb) - 1;
  forLanes(m, [&](unsigned l) {
    v[l] = convertFloat(v[l] >> fb & mask, from, to, s.options) << tb |
           convertFloat(v[l] & mask, from, to, s.options);
  });
  storeLanes(w, i.d, s.toWidth, m, v);
}

/// cvt.pack.sat: d = {sat(a), sat(b)} or four bytes with c shifted up.
void packIntegers(Warp &w, const Inst &i, uint32_t m) {
  const int32_t *a = w.lanes<int32_t>(i.a), *b = w.lanes<int32_t>(i.b);
  const uint32_t *c = w.lanes<uint32_t>(i.c);
  const unsigned bits = unsigned(i.imm);
  const bool isSignedType = i.small;
  writeLanes<uint32_t>(w, i.d, m, [&](unsigned l) {
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    uint32_t hi = uint32_t(saturateInteger(uint64_t(int64_t(a[l])), true, bits,
                                           isSignedType)) &
                  mask;
    uint32_t lo = uint32_t(saturateInteger(uint64_t(int64_t(b[l])), true, bits,
                                           isSignedType)) &
                  mask;
    uint32_t pair = hi << bits | lo;
    return bits == 16 ? pair : (c[l] << (2 * bits)) | pair;
  });
}
} // namespace

void decodeCvt(DecodeContext &c) {
  c.inst.opClass = OpClass::Convert;
  if (c.take("pack")) {
    if (!c.take("sat"))
      c.unknown();
    Type to = c.takeType(), from = c.takeType();
    if (from != Type::S32)
      c.unknown();
    c.inst.imm = bitsOf(to);
    c.inst.small = isSigned(to);
    if (bitsOf(to) == 16)
      return emitSimple(c, Type::B32, {from, from}, packIntegers,
                        OpClass::Convert);
    Type third = c.takeType();
    return emitSimple(c, Type::B32, {from, from, third}, packIntegers,
                      OpClass::Convert);
  }
  Spec s;
  std::string_view r =
      c.takeAny({"rni", "rzi", "rmi", "rpi", "rna", "rn", "rz", "rm", "rp"});
  s.options.rounding = r == "rz" || r == "rzi"   ? Rounding::TowardZero
                       : r == "rm" || r == "rmi" ? Rounding::Down
                       : r == "rp" || r == "rpi" ? Rounding::Up
                       : r == "rna"              ? Rounding::NearestAway
                                                 : Rounding::NearestEven;
  s.integral = r.size() == 3 && r[2] == 'i';
  s.options.flushSubnormals = c.take("ftz");
  s.sat = c.take("sat");
  s.options.saturateFinite = c.take("satfinite");
  s.options.relu = c.take("relu");
  s.to = c.takeType();
  s.from = c.takeType();
  c.finishModifiers();
  const bool ff = isFloat(s.from), tf = isFloat(s.to);
  auto simple = [&](Handler run) {
    c.inst.aux = c.addExtra(std::make_shared<Spec>(s));
    c.inst.run = run;
    c.inst.flags |= kSimpleTaint;
    c.emit();
  };
  bool packedTo = s.to == Type::F16x2 || s.to == Type::BF16x2 ||
                  s.to == Type::E4M3x2 || s.to == Type::E5M2x2;
  if (packedTo && s.from == Type::F32) {
    c.expectOperands(3, 3);
    c.inst.a = c.source(1, Type::F32);
    c.inst.b = c.source(2, Type::F32);
    c.inst.d = c.destinationAnyWidth(c.op(0), s.to, s.toWidth);
    bool plain = r == "rn" && !s.options.relu && !s.options.saturateFinite &&
                 !s.options.flushSubnormals && s.toWidth == 4;
    if (plain && s.to == Type::BF16x2)
      return simple(packPlain<true>);
    if (plain && s.to == Type::F16x2)
      return simple(packPlain<false>);
    return simple(packFloats);
  }
  c.expectOperands(2, 2);
  c.inst.a = c.sourceAnyWidth(c.op(1), s.from, s.fromWidth);
  c.inst.d = c.destinationAnyWidth(c.op(0), s.to, s.toWidth);
  if (s.fromWidth < std::max(1u, bitsOf(s.from) / 8) ||
      s.toWidth < std::max(1u, bitsOf(s.to) / 8))
    c.fail("a register is narrower than its type");
  if (packedTo)
    return simple(packedExec);
  if (!ff && !tf) {
    if (!s.sat) {
      if (s.fromWidth == 4 && s.toWidth == 8 && s.from == Type::U32 &&
          bitsOf(s.to) == 64)
        return simple(plainExec<uint64_t, uint32_t>);
      if (s.fromWidth == 4 && s.toWidth == 8 && s.from == Type::S32 &&
          bitsOf(s.to) == 64)
        return simple(plainExec<uint64_t, int32_t>);
      if (s.fromWidth == 8 && s.toWidth == 4 && bitsOf(s.to) == 32)
        return simple(plainExec<uint32_t, uint64_t>);
    }
    return simple(integerExec);
  }
  if (ff && tf) {
    s.options.saturateUnit = s.sat;
    if (s.from == s.to && r.empty() && s.from != Type::F32)
      s.integral = false;
    bool plain = !s.sat && !s.options.relu && !s.options.saturateFinite &&
                 !s.options.flushSubnormals && !s.integral &&
                 s.options.rounding == Rounding::NearestEven;
    if (plain && s.from == Type::F16 && s.to == Type::F32 && s.fromWidth == 2 &&
        s.toWidth == 4)
      return simple(f16ToF32);
    if (plain && s.from == Type::BF16 && s.to == Type::F32 &&
        s.fromWidth == 2 && s.toWidth == 4)
      return simple(bf16ToF32);
    if (plain && s.from == Type::F32 && s.to == Type::F16 && s.fromWidth == 4 &&
        s.toWidth == 2)
      return simple(f32ToF16);
    if (plain && s.from == Type::F32 && s.to == Type::BF16 &&
        s.fromWidth == 4 && s.toWidth == 2)
      return simple(f32ToBF16);
    return simple(floatExec);
  }
  if (tf)
    s.options.saturateUnit = s.sat;
  else if (!s.integral)
    c.fail("a conversion from floating point to integer needs .rni, .rzi, .rmi "
           "or .rpi");
  simple(floatExec);
}

} // namespace gemm::emulator
