// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communication inside a warp: shfl, vote, match, redux, elect, activemask,
// bar.warp.sync. The .sync forms gather their member mask first.
#include "Families.h"
#include "Lanes.h"

namespace gemm::emulator {

namespace {
uint32_t members(Warp &w, const Inst &i, uint32_t m, uint32_t unit) {
  const uint32_t *mask = w.lanes<uint32_t>(unit);
  uint32_t v = mask[__builtin_ctz(m)];
  if (w.machine->sanitize && (w.undef[unit] & m))
    w.machine->report(Severity::Error, ReportKind::Undefined, &w, &i,
                      __builtin_ctz(m), "the member mask is undefined");
  forLanes(m, [&](unsigned l) {
    if (mask[l] != v)
      w.machine->fault(ReportKind::Divergence, w, i, int(l),
                       "lanes give different member masks");
  });
  return v;
}

enum class Shuffle : uint8_t { Up, Down, Bfly, Idx };
/// aux: unit of the predicate or 0; list: [member mask unit, has mask].
template <Shuffle K> void shflExec(Warp &w, const Inst &i, uint32_t m) {
  const uint32_t *list = &w.frame->function->lists[i.list];
  if (list[1]) {
    m = w.gather(i, m, members(w, i, m, list[0]));
    if (!m)
      return;
  }
  const uint32_t *a = w.lanes<uint32_t>(i.a), *b = w.lanes<uint32_t>(i.b),
                 *c = w.lanes<uint32_t>(i.c);
  uint32_t pred = 0, undefinedLanes = 0;
  const uint32_t source = w.undef[i.a], control = w.undef[i.b] | w.undef[i.c];
  uint32_t t[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(m >> l & 1))
      continue;
    const int bval = int(b[l] & 31), cval = int(c[l] & 31),
              seg = int(c[l] >> 8 & 31);
    const int lane = int(l), maxLane = (lane & seg) | (cval & ~seg),
              minLane = lane & seg;
    int j = lane;
    bool p = false;
    switch (K) {
    case Shuffle::Up:
      j = lane - bval;
      p = j >= maxLane;
      break;
    case Shuffle::Down:
      j = lane + bval;
      p = j <= maxLane;
      break;
    case Shuffle::Bfly:
      j = lane ^ bval;
      p = j <= maxLane;
      break;
    case Shuffle::Idx:
      j = minLane | (bval & ~seg);
      p = j <= maxLane;
      break;
    }
    if (!p)
      j = lane;
    pred |= uint32_t(p) << l;
    t[l] = a[j];
    // The value of a lane that does not take part is unpredictable.
    if (!(m >> j & 1) || (source >> j & 1) || (control >> l & 1)) {
      undefinedLanes |= 1u << l;
      if (!(m >> j & 1))
        t[l] = 0xffffffff;
    }
  }
  uint32_t *d = w.lanes<uint32_t>(i.d);
  forLanes(m, [&](unsigned l) { d[l] = t[l]; });
  w.setUndefined(i.d, m, undefinedLanes);
  if (i.aux) {
    w.setPred(i.aux, m, pred);
    w.setUndefined(i.aux, m, control);
  }
}

enum class Vote : uint8_t { All, Any, Uni, Ballot };
/// c: mask unit; aux: has a mask; small: negated source.
template <Vote K> void voteExec(Warp &w, const Inst &i, uint32_t m) {
  if (i.aux) {
    m = w.gather(i, m, members(w, i, m, i.c));
    if (!m)
      return;
  }
  uint32_t p = (w.pred(i.a) ^ (i.small ? ~0u : 0)) & m;
  uint32_t undefinedLanes = w.undef[i.a] & m ? m : 0;
  if (K == Vote::Ballot) {
    writeLanes<uint32_t>(w, i.d, m, [&](unsigned) { return p; });
  } else {
    bool r = K == Vote::All   ? p == m
             : K == Vote::Any ? p != 0
                              : p == 0 || p == m;
    w.setPred(i.d, m, r ? ~0u : 0);
  }
  w.setUndefined(i.d, m, undefinedLanes);
}

/// c: mask; aux: predicate unit of match.all.
template <class T, bool All>
void matchExec(Warp &w, const Inst &i, uint32_t m) {
  m = w.gather(i, m, members(w, i, m, i.c));
  if (!m)
    return;
  const T *a = w.lanes<T>(i.a);
  uint32_t r[kLanes] = {};
  bool same = true;
  T first = a[__builtin_ctz(m)];
  forLanes(m, [&](unsigned l) {
    same &= a[l] == first;
    forLanes(m, [&](unsigned k) { r[l] |= a[k] == a[l] ? 1u << k : 0; });
  });
  writeLanes<uint32_t>(w, i.d, m,
                       [&](unsigned l) { return All ? (same ? m : 0) : r[l]; });
  uint32_t undefinedLanes = w.undef[i.a] & m ? m : 0;
  w.setUndefined(i.d, m, undefinedLanes);
  if (All && i.aux) {
    w.setPred(i.aux, m, same ? ~0u : 0);
    w.setUndefined(i.aux, m, undefinedLanes);
  }
}

void activemaskExec(Warp &w, const Inst &i, uint32_t m) {
  uint32_t v = w.active;
  writeLanes<uint32_t>(w, i.d, m, [&](unsigned) { return v; });
  w.define(i.d, m);
}

/// a: mask; d: leader; aux: predicate.
void electExec(Warp &w, const Inst &i, uint32_t m) {
  m = w.gather(i, m, members(w, i, m, i.a));
  if (!m)
    return;
  unsigned leader = unsigned(__builtin_ctz(m));
  if (w.machine->options.async == AsyncMode::Random) {
    // Any member may be elected.
    unsigned skip =
        unsigned(w.machine->rng() % unsigned(__builtin_popcount(m)));
    uint32_t left = m;
    while (skip--)
      left &= left - 1;
    leader = unsigned(__builtin_ctz(left));
  }
  writeLanes<uint32_t>(w, i.d, m, [&](unsigned) { return leader; });
  w.define(i.d, m);
  w.setPred(i.aux, m, 1u << leader);
  w.define(i.aux, m);
}

enum class Redux : uint8_t { Add, MinU, MaxU, MinS, MaxS, And, Or, Xor };
template <Redux K> void reduxExec(Warp &w, const Inst &i, uint32_t m) {
  m = w.gather(i, m, members(w, i, m, i.b));
  if (!m)
    return;
  const uint32_t *a = w.lanes<uint32_t>(i.a);
  bool first = true;
  uint32_t r = 0;
  forLanes(m, [&](unsigned l) {
    uint32_t v = a[l];
    if (first) {
      r = v;
      first = false;
      return;
    }
    switch (K) {
    case Redux::Add:
      r += v;
      break;
    case Redux::MinU:
      r = std::min(r, v);
      break;
    case Redux::MaxU:
      r = std::max(r, v);
      break;
    case Redux::MinS:
      r = uint32_t(std::min(int32_t(r), int32_t(v)));
      break;
    case Redux::MaxS:
      r = uint32_t(std::max(int32_t(r), int32_t(v)));
      break;
    case Redux::And:
      r &= v;
      break;
    case Redux::Or:
      r |= v;
      break;
    case Redux::Xor:
      r ^= v;
      break;
    }
  });
  writeLanes<uint32_t>(w, i.d, m, [&](unsigned) { return r; });
  w.setUndefined(i.d, m, w.undef[i.a] & m ? m : 0);
}

void barWarpExec(Warp &w, const Inst &i, uint32_t m) {
  w.gather(i, m, members(w, i, m, i.a));
}

Operand allLanes() {
  Operand o;
  o.kind = Operand::Int;
  o.value = -1;
  return o;
}
} // namespace

void decodeShfl(DecodeContext &c) {
  bool sync = c.take("sync");
  std::string_view k = c.takeAny({"up", "down", "bfly", "idx"});
  Type t = c.takeType();
  c.finishModifiers();
  c.expectOperands(sync ? 5 : 4, sync ? 5 : 4);
  if (t != Type::B32 && t != Type::U32 && t != Type::S32 && t != Type::F32)
    c.unknown();
  c.inst.run = k == "up"     ? shflExec<Shuffle::Up>
               : k == "down" ? shflExec<Shuffle::Down>
               : k == "bfly" ? shflExec<Shuffle::Bfly>
               : k == "idx"  ? shflExec<Shuffle::Idx>
                             : nullptr;
  if (!c.inst.run)
    c.unknown();
  c.inst.a = c.source(1, t);
  c.inst.b = c.source(2, Type::B32);
  c.inst.c = c.source(3, Type::B32);
  uint32_t mask =
      sync ? c.source(4, Type::B32) : c.source(allLanes(), Type::B32);
  c.inst.list = c.addList({mask, sync});
  const Operand &d = c.op(0);
  if (d.kind == Operand::Pair) {
    c.inst.d = c.destination(d.elems[0], t);
    c.inst.aux = c.predicateDestination(d.elems[1]);
  } else {
    c.inst.d = c.destination(d, t);
  }
  c.inst.opClass = OpClass::Warp;
  c.emit();
}

void decodeVote(DecodeContext &c) {
  bool sync = c.take("sync");
  std::string_view k = c.takeAny({"all", "any", "uni", "ballot"});
  Type t = c.takeType();
  c.finishModifiers();
  c.expectOperands(sync ? 3 : 2, sync ? 3 : 2);
  c.inst.run = k == "all"      ? voteExec<Vote::All>
               : k == "any"    ? voteExec<Vote::Any>
               : k == "uni"    ? voteExec<Vote::Uni>
               : k == "ballot" ? voteExec<Vote::Ballot>
                               : nullptr;
  if (!c.inst.run || t != (k == "ballot" ? Type::B32 : Type::Pred))
    c.unknown();
  bool negated;
  c.inst.a = c.predicateSource(c.op(1), negated);
  c.inst.small = negated;
  c.inst.c = sync ? c.source(2, Type::B32) : uint32_t(kZeroUnit);
  c.inst.aux = sync;
  c.inst.d = c.destination(size_t(0), t);
  c.inst.opClass = OpClass::Warp;
  c.emit();
}

void decodeMatch(DecodeContext &c) {
  bool all = c.take("all");
  if (!all && !c.take("any"))
    c.unknown();
  if (!c.take("sync"))
    c.unknown();
  Type t = c.takeType();
  c.finishModifiers();
  c.expectOperands(3, 3);
  bool wide = t == Type::B64;
  if (!wide && t != Type::B32)
    c.unknown();
  c.inst.a = c.source(1, t);
  c.inst.c = c.source(2, Type::B32);
  const Operand &d = c.op(0);
  if (d.kind == Operand::Pair) {
    c.inst.d = c.destination(d.elems[0], Type::B32);
    c.inst.aux = c.predicateDestination(d.elems[1]);
  } else {
    c.inst.d = c.destination(d, Type::B32);
  }
  c.inst.run =
      wide ? (all ? matchExec<uint64_t, true> : matchExec<uint64_t, false>)
           : (all ? matchExec<uint32_t, true> : matchExec<uint32_t, false>);
  c.inst.opClass = OpClass::Warp;
  c.emit();
}

void decodeActivemask(DecodeContext &c) {
  Type t = c.takeType();
  c.finishModifiers();
  c.expectOperands(1, 1);
  c.inst.d = c.destination(size_t(0), t);
  c.inst.run = activemaskExec;
  c.inst.opClass = OpClass::Warp;
  c.emit();
}

void decodeElect(DecodeContext &c) {
  if (!c.take("sync"))
    c.unknown();
  c.finishModifiers();
  c.expectOperands(2, 2);
  const Operand &d = c.op(0);
  if (d.kind != Operand::Pair)
    c.fail("expected d|p");
  c.inst.a = c.source(1, Type::B32);
  c.inst.d = c.destination(d.elems[0], Type::B32);
  c.inst.aux = c.predicateDestination(d.elems[1]);
  c.inst.run = electExec;
  c.inst.opClass = OpClass::Warp;
  c.emit();
}

void decodeRedux(DecodeContext &c) {
  if (!c.take("sync"))
    c.unknown();
  std::string_view k = c.takeAny({"add", "min", "max", "and", "or", "xor"});
  Type t = c.takeType();
  bool s = t == Type::S32;
  Handler run = nullptr;
  if (t == Type::U32 || s)
    run = k == "add"   ? reduxExec<Redux::Add>
          : k == "min" ? (s ? reduxExec<Redux::MinS> : reduxExec<Redux::MinU>)
          : k == "max" ? (s ? reduxExec<Redux::MaxS> : reduxExec<Redux::MaxU>)
                       : nullptr;
  else if (t == Type::B32)
    run = k == "and"   ? reduxExec<Redux::And>
          : k == "or"  ? reduxExec<Redux::Or>
          : k == "xor" ? reduxExec<Redux::Xor>
                       : nullptr;
  if (!run)
    c.unknown();
  c.finishModifiers();
  c.expectOperands(3, 3);
  c.inst.a = c.source(1, t);
  c.inst.b = c.source(2, Type::B32);
  c.inst.d = c.destination(size_t(0), t);
  c.inst.run = run;
  c.inst.opClass = OpClass::Warp;
  c.emit();
}

void decodeBarWarp(DecodeContext &c) {
  c.take("warp");
  c.take("sync");
  c.finishModifiers();
  c.expectOperands(1, 1);
  c.inst.a = c.source(size_t(0), Type::B32);
  c.inst.run = barWarpExec;
  c.inst.opClass = OpClass::Barrier;
  c.emit();
}

} // namespace gemm::emulator
