// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mov with its packing forms, cvta, isspacep, mapa, getctarank.
#include "Families.h"
#include "Lanes.h"
#include "PartlyDefined.h"

namespace gemm::emulator {

namespace {
template <class T> void movExec(Warp &w, const Inst &i, uint32_t m) {
  const T *a = w.lanes<T>(i.a);
  T *d = w.lanes<T>(i.d);
  if (m == ~0u) {
    std::memmove(d, a, sizeof(T) * kLanes);
    return;
  }
  for (unsigned l = 0; l < kLanes; ++l)
    d[l] = (m >> l & 1) ? a[l] : d[l];
}
struct Wide128 {
  uint64_t low, high;
};
void movPredicate(Warp &w, const Inst &i, uint32_t m) {
  w.setPred(i.d, m, w.pred(i.a) ^ (i.small ? ~0u : 0));
}

/// list: element units; small: element bytes; aux: element count.
void packExec(Warp &w, const Inst &i, uint32_t m) {
  const unsigned bytes = i.small, n = i.aux, total = bytes * n;
  const uint32_t *units = &w.frame->function->lists[i.list];
  uint8_t t[16 * kLanes];
  uint32_t undefinedLanes = 0;
  for (unsigned e = 0; e < n; ++e) {
    const uint8_t *s = w.lanes<uint8_t>(units[e]);
    const unsigned stride = bytes == 1 ? 2 : bytes;
    for (unsigned l = 0; l < kLanes; ++l)
      std::memcpy(t + l * total + e * bytes, s + l * stride, bytes);
    undefinedLanes |= w.undef[units[e]];
  }
  uint8_t *d = w.lanes<uint8_t>(i.d);
  forLanes(
      m, [&](unsigned l) { std::memcpy(d + l * total, t + l * total, total); });
  if (bytes == 1 || total > 8)
    return w.setUndefined(i.d, m, undefinedLanes);
  w.define(i.d, m & ~undefinedLanes);
  forLanes(m & undefinedLanes, [&](unsigned l) {
    unsigned undefined = 0;
    for (unsigned e = 0; e < n; ++e)
      undefined |= unsigned(undefinedBytes(w, units[e], bytes, l)) << e * bytes;
    setUndefinedBytes(w, i.d, total, l, uint8_t(undefined));
  });
}
void unpackExec(Warp &w, const Inst &i, uint32_t m) {
  const unsigned bytes = i.small, n = i.aux, total = bytes * n;
  const uint32_t *units = &w.frame->function->lists[i.list];
  uint8_t t[16 * kLanes];
  std::memcpy(t, w.lanes<uint8_t>(i.a), size_t(total) * kLanes);
  const uint32_t undefinedLanes = w.undef[i.a] & m;
  uint8_t undefined[kLanes]; // the elements may overwrite the source
  forLanes(undefinedLanes, [&](unsigned l) {
    undefined[l] = total > 8 ? 0xff : undefinedBytes(w, i.a, total, l);
  });
  for (unsigned e = 0; e < n; ++e) {
    if (!units[e])
      continue;
    uint8_t *d = w.lanes<uint8_t>(units[e]);
    const unsigned stride = bytes == 1 ? 2 : bytes;
    forLanes(m, [&](unsigned l) {
      if (bytes == 1)
        d[l * 2 + 1] = 0;
      std::memcpy(d + l * stride, t + l * total + e * bytes, bytes);
    });
    w.define(units[e], m);
    forLanes(undefinedLanes, [&](unsigned l) {
      if (bytes == 1 || total > 8)
        w.undef[units[e]] |= 1u << l;
      else
        setUndefinedBytes(w, units[e], bytes, l,
                          undefined[l] >> e * bytes & allBytes(bytes));
    });
  }
}

enum class Dynamic : int64_t {
  Clock,
  Clock64,
  ClockHi,
  Timer,
  TimerLo,
  TimerHi,
  Zero
};
/// Special registers that change while a warp runs.
void movDynamic(Warp &w, const Inst &i, uint32_t m) {
  uint64_t now = w.machine->executed * 4 + 1;
  uint64_t v = 0;
  switch (Dynamic(i.imm)) {
  case Dynamic::Clock:
  case Dynamic::TimerLo:
    v = uint32_t(now);
    break;
  case Dynamic::Clock64:
  case Dynamic::Timer:
    v = now;
    break;
  case Dynamic::ClockHi:
  case Dynamic::TimerHi:
    v = now >> 32;
    break;
  case Dynamic::Zero:
    break;
  }
  w.machine->executed += 1; // two readings differ
  if (i.small == 8)
    writeLanes<uint64_t>(w, i.d, m, [&](unsigned) { return v; });
  else
    writeLanes<uint32_t>(w, i.d, m, [&](unsigned) { return uint32_t(v); });
  w.define(i.d, m);
}

// cvta: imm is the window; aux 1 = to generic.
void cvtaShared(Warp &w, const Inst &i, uint32_t m) {
  const bool wide = i.small == 8;
  auto value = [&](unsigned l) {
    return wide ? w.lanes<uint64_t>(i.a)[l]
                : uint64_t(w.lanes<uint32_t>(i.a)[l]);
  };
  const uint32_t own = (w.cta->rank + 1) << kRankShift;
  uint64_t t[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) {
    uint64_t v = value(l);
    if (i.aux) {
      if (!(v >> kRankShift))
        v |= own; // so that the address means the same to every CTA of the
                  // cluster
      v |= kSharedWindow;
    } else {
      v &= ~uint64_t(kWindowMask);
      if ((v & ~uint64_t(kSharedOffsetMask)) == own)
        v &= kSharedOffsetMask;
    }
    t[l] = v;
  }
  if (wide)
    writeLanes<uint64_t>(w, i.d, m, [&](unsigned l) { return t[l]; });
  else
    writeLanes<uint32_t>(w, i.d, m, [&](unsigned l) { return uint32_t(t[l]); });
}
void cvtaLocal(Warp &w, const Inst &i, uint32_t m) {
  const uint64_t *a = w.lanes<uint64_t>(i.a);
  writeLanes<uint64_t>(w, i.d, m, [&](unsigned l) {
    return i.aux ? a[l] | kLocalWindow : a[l] & ~uint64_t(kWindowMask);
  });
}

void isspacepExec(Warp &w, const Inst &i, uint32_t m) {
  const uint64_t *a = w.lanes<uint64_t>(i.a);
  uint32_t r = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    uint64_t window = a[l] & kWindowMask;
    bool p = false;
    switch (i.imm) {
    case 0:
      p = window == 0;
      break;
    case 1:
      p = window == kSharedWindow &&
          ((a[l] >> kRankShift & 0xff) == w.cta->rank + 1);
      break;
    case 2:
      p = window == kSharedWindow;
      break;
    case 3:
      p = window == kLocalWindow;
      break;
    case 4:
      p = window == kParamWindow;
      break;
    default:
      break;
    }
    r |= uint32_t(p) << l;
  }
  w.setPred(i.d, m, r);
}

/// mapa: the address of the same offset in another CTA of the cluster. aux 1 =
/// the source is generic.
template <class T> void mapaExec(Warp &w, const Inst &i, uint32_t m) {
  const T *a = w.lanes<T>(i.a);
  const uint32_t *rank = w.lanes<uint32_t>(i.b);
  forLanes(m, [&](unsigned l) {
    if (rank[l] >= w.cta->cluster->ctas.size())
      w.machine->fault(ReportKind::InvalidArgument, w, i, int(l),
                       "CTA rank " + std::to_string(rank[l]) +
                           " is not in the cluster of " +
                           std::to_string(w.cta->cluster->ctas.size()));
  });
  writeLanes<T>(w, i.d, m, [&](unsigned l) {
    uint64_t v = (uint64_t(a[l]) & kSharedOffsetMask) | uint64_t(rank[l] + 1)
                                                            << kRankShift;
    return T(i.aux ? v | kSharedWindow : v);
  });
}
template <class T> void getctarankExec(Warp &w, const Inst &i, uint32_t m) {
  const T *a = w.lanes<T>(i.a);
  writeLanes<uint32_t>(w, i.d, m, [&](unsigned l) {
    uint32_t r = uint32_t(uint64_t(a[l]) >> kRankShift & 0xff);
    return r ? r - 1 : w.cta->rank;
  });
}

unsigned elementBytes(DecodeContext &c, const Operand &v, Type whole) {
  unsigned total = bitsOf(whole) / 8;
  if (v.elems.empty() || total % v.elems.size())
    c.fail("the vector does not divide the type");
  return total / unsigned(v.elems.size());
}
Type bitsType(unsigned bytes) {
  switch (bytes) {
  case 1:
    return Type::B8;
  case 2:
    return Type::B16;
  case 4:
    return Type::B32;
  case 8:
    return Type::B64;
  default:
    return Type::B128;
  }
}
} // namespace

void decodeMov(DecodeContext &c) {
  Type t = c.takeType();
  c.finishModifiers();
  c.expectOperands(2, 2);
  const Operand &d = c.op(0), &s = c.op(1);
  c.inst.opClass = OpClass::Move;
  if (t == Type::Pred) {
    bool negated;
    c.inst.a = c.predicateSource(s, negated);
    c.inst.small = negated;
    c.inst.d = c.predicateDestination(d);
    c.inst.run = movPredicate;
    c.inst.flags |= kSimpleTaint;
    return c.emit();
  }
  if (d.kind == Operand::Vector) {
    unsigned bytes = elementBytes(c, d, t);
    c.inst.a = c.source(s, t);
    std::vector<uint32_t> units;
    for (const Operand &e : d.elems)
      units.push_back(
          e.kind == Operand::Sink ? 0 : c.destination(e, bitsType(bytes)));
    c.inst.list = c.addList(units);
    c.inst.small = uint8_t(bytes);
    c.inst.aux = uint32_t(units.size());
    c.inst.run = unpackExec;
    return c.emit();
  }
  if (s.kind == Operand::Vector) {
    unsigned bytes = elementBytes(c, s, t);
    std::vector<uint32_t> units;
    for (const Operand &e : s.elems)
      units.push_back(c.source(e, bitsType(bytes)));
    c.inst.list = c.addList(units);
    c.inst.small = uint8_t(bytes);
    c.inst.aux = uint32_t(units.size());
    c.inst.d = c.destination(d, t);
    c.inst.run = packExec;
    return c.emit();
  }
  if (s.kind == Operand::Special) {
    static constexpr struct {
      const char *name;
      Dynamic kind;
      unsigned bytes;
    } rows[] = {
        {"%clock", Dynamic::Clock, 4},
        {"%clock64", Dynamic::Clock64, 8},
        {"%clock_hi", Dynamic::ClockHi, 4},
        {"%globaltimer", Dynamic::Timer, 8},
        {"%globaltimer_lo", Dynamic::TimerLo, 4},
        {"%globaltimer_hi", Dynamic::TimerHi, 4},
    };
    for (const auto &r : rows)
      if (s.name == r.name) {
        if (bitsOf(t) != r.bytes * 8)
          c.fail("special register '" + s.name + "' has " +
                 std::to_string(r.bytes * 8) + " bits");
        c.inst.imm = int64_t(r.kind);
        c.inst.small = uint8_t(r.bytes);
        c.inst.d = c.destination(d, t);
        c.inst.run = movDynamic;
        return c.emit();
      }
    if (s.name == "%is_explicit_cluster") {
      c.inst.d = c.predicateDestination(d);
      c.inst.run = movPredicate;
      return c.emit();
    }
  }
  if (s.kind == Operand::Func)
    c.fail("function addresses are not supported");
  unsigned bits = bitsOf(t);
  c.inst.a = c.source(s, t);
  c.inst.d = c.destination(d, t);
  c.inst.run = bits <= 16   ? movExec<uint16_t>
               : bits == 32 ? movExec<uint32_t>
               : bits == 64 ? movExec<uint64_t>
                            : movExec<Wide128>;
  c.inst.flags |= kSimpleTaint | kBitMove;
  c.emit();
}

void decodeCvta(DecodeContext &c) {
  bool to = c.take("to");
  std::string_view space =
      c.takeAny({"global", "const", "shared", "shared::cta", "shared::cluster",
                 "local", "param", "param::entry"});
  Type t = c.takeType();
  c.finishModifiers();
  c.expectOperands(2, 2);
  if (space.empty() || (t != Type::U64 && t != Type::U32))
    c.unknown();
  c.inst.a = c.source(1, t);
  c.inst.d = c.destination(size_t(0), t);
  c.inst.small = uint8_t(bitsOf(t) / 8);
  c.inst.aux = !to;
  c.inst.flags |= kSimpleTaint;
  c.inst.opClass = OpClass::Move;
  if (space.substr(0, 6) == "shared")
    c.inst.run = cvtaShared;
  else if (space == "local")
    c.inst.run = t == Type::U64 ? cvtaLocal : nullptr;
  else // global, const and parameter addresses are generic addresses already
    c.inst.run = t == Type::U64 ? movExec<uint64_t> : movExec<uint32_t>;
  if (!c.inst.run)
    c.unknown();
  c.emit();
}

void decodeIsspacep(DecodeContext &c) {
  std::string_view space =
      c.takeAny({"global", "const", "shared::cluster", "shared::cta", "shared",
                 "local", "param", "param::entry"});
  c.inst.imm = space == "global" || space == "const"         ? 0
               : space == "shared" || space == "shared::cta" ? 1
               : space == "shared::cluster"                  ? 2
               : space == "local"                            ? 3
                                                             : 4;
  if (space.empty())
    c.unknown();
  emitSimple(c, Type::Pred, {Type::U64}, isspacepExec, OpClass::Move);
}

void decodeMapa(DecodeContext &c) {
  bool shared = c.take("shared::cluster");
  Type t = c.takeType();
  c.inst.aux = !shared;
  emitSimple(c, t, {t, Type::U32},
             t == Type::U32   ? mapaExec<uint32_t>
             : t == Type::U64 ? mapaExec<uint64_t>
                              : nullptr,
             OpClass::Move);
}

void decodeGetctarank(DecodeContext &c) {
  c.take("shared::cluster");
  Type t = c.takeType();
  emitSimple(c, Type::U32, {t},
             t == Type::U32   ? getctarankExec<uint32_t>
             : t == Type::U64 ? getctarankExec<uint64_t>
                              : nullptr,
             OpClass::Move);
}

} // namespace gemm::emulator
