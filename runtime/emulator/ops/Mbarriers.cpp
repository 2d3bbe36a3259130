// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier objects (PTX ISA "Parallel Synchronization and Communication
// Instructions: mbarrier"). The object's eight bytes are opaque; its state is
// kept beside the CTA and the shadow marks the bytes.
#include "Access.h"
#include "Barriers.h"
#include "Families.h"

namespace gemm::emulator {

namespace {
constexpr int64_t kMaxCount = (1 << 20) - 1;

Place objectPlace(Warp &w, const Inst &i, unsigned l) {
  Space s = Space(i.small & 0x7f);
  return w.machine->locate(w, i, l, s, w.address(i, l), 8, 8, Access::Atomic);
}

void initExec(Warp &w, const Inst &i, uint32_t m) {
  const uint32_t *count = w.lanes<uint32_t>(i.b);
  forLanes(m, [&](unsigned l) {
    Place p = objectPlace(w, i, l);
    if (count[l] == 0 || count[l] > kMaxCount)
      w.machine->fault(ReportKind::InvalidArgument, w, i, int(l),
                       "an mbarrier's count must be 1 to 1048575, not " +
                           std::to_string(count[l]));
    if (!p.cta)
      w.machine->fault(ReportKind::InvalidArgument, w, i, int(l),
                       "an mbarrier must be in shared memory");
    if (p.shadow[0] & kBarrierObject)
      w.machine->report(Severity::Error, ReportKind::AsyncMisuse, &w, &i,
                        int(l), "the mbarrier is initialised already");
    Mbarrier b;
    b.pending = b.expected = count[l];
    b.line = i.line;
    if (w.machine->races) {
      b.initSlot = w.clocks.slot;
      b.initClock = w.clocks.generic.get(w.clocks.slot);
    }
    p.cta->mbarriers[uint32_t(p.address)] = b;
    for (unsigned k = 0; k < 8; ++k)
      p.shadow[k] |= kBarrierObject | kDefined;
    uint64_t image = uint64_t(count[l]) << 32 | 0xb0a0;
    std::memcpy(p.data, &image, 8);
  });
  w.machine->addProgress();
}

void invalExec(Warp &w, const Inst &i, uint32_t m) {
  forLanes(m, [&](unsigned l) {
    Place p = objectPlace(w, i, l);
    mbarrierAt(w, i, l, p);
    p.cta->mbarriers.erase(uint32_t(p.address));
    for (unsigned k = 0; k < 8; ++k)
      p.shadow[k] = uint8_t(p.shadow[k] & ~(kBarrierObject | kDefined));
  });
}

enum : uint32_t {
  kExpect = 1 << 8,
  kDrop = 1 << 9,
  kHasCount = 1 << 11,
  kToken = 1 << 12
};

/// b: count or transaction bytes; aux: semantics and the flags above.
void arriveExec(Warp &w, const Inst &i, uint32_t m) {
  const uint32_t *b = w.lanes<uint32_t>(i.b);
  uint64_t token[kLanes] = {};
  forLanes(m, [&](unsigned l) {
    Place p = objectPlace(w, i, l);
    Mbarrier &o = mbarrierAt(w, i, l, p);
    token[l] = o.phase << 20 | (uint64_t(o.pending) & 0xfffff);
    int64_t count = i.aux & kHasCount ? int64_t(b[l]) : 1;
    if (i.aux & kExpect)
      mbarrierTransaction(w, &i, int(l), *p.cta, uint32_t(p.address),
                          int64_t(b[l]));
    if (RaceDetector *races = w.machine->races.get()) {
      (i.aux & kSemanticsMask) == kRelaxed
          ? races->releaseFenced(w, o.accumulated)
          : races->release(w, o.accumulated);
      if (p.cta != w.cta && (i.aux & kScopeMask) < kScopeCluster)
        w.machine->report(Severity::Note, ReportKind::Barrier, &w, &i, int(l),
                          "the arrive reaches another CTA's mbarrier at CTA "
                          "scope; .release.cluster is what the ISA asks for");
    }
    if (i.aux & kDrop)
      o.expected -= count;
    mbarrierArrive(w, &i, int(l), *p.cta, uint32_t(p.address), count);
  });
  if (i.aux & kToken) {
    writeLanes<uint64_t>(w, i.d, m, [&](unsigned l) { return token[l]; });
    w.define(i.d, m);
  }
}

/// expect_tx and complete_tx on their own; imm2 in aux: 1 = complete.
void txExec(Warp &w, const Inst &i, uint32_t m) {
  const uint32_t *b = w.lanes<uint32_t>(i.b);
  forLanes(m, [&](unsigned l) {
    Place p = objectPlace(w, i, l);
    mbarrierAt(w, i, l, p);
    mbarrierTransaction(w, &i, int(l), *p.cta, uint32_t(p.address),
                        i.aux & 1 ? -int64_t(b[l]) : int64_t(b[l]));
  });
}

enum : uint32_t { kParity = 1 << 8, kTry = 1 << 9 };
/// b: state (64 bits) or parity (32 bits); d: predicate.
void waitExec(Warp &w, const Inst &i, uint32_t m) {
  Split &split = w.splits[size_t(w.current)];
  const bool timedOut = split.timedOut;
  split.timedOut = false;
  uint32_t done = 0;
  uint64_t object = ~uint64_t(0), phase = 0;
  bool oneObject = true;
  forLanes(m, [&](unsigned l) {
    Place p = objectPlace(w, i, l);
    if (p.cta != w.cta)
      w.machine->fault(ReportKind::InvalidArgument, w, i, int(l),
                       "a wait on an mbarrier of another CTA");
    Mbarrier &o = mbarrierAt(w, i, l, p);
    bool complete;
    if (i.aux & kParity) {
      uint32_t parity = w.lanes<uint32_t>(i.b)[l];
      if (parity > 1)
        w.machine->fault(ReportKind::InvalidArgument, w, i, int(l),
                         "phase parity " + std::to_string(parity) +
                             " is neither 0 nor 1");
      complete = (o.phase & 1) != parity;
    } else {
      uint64_t state = w.lanes<uint64_t>(i.b)[l] >> 20;
      complete = o.phase != state;
      if (o.phase > state + 1 || o.phase < state)
        w.machine->report(Severity::Error, ReportKind::Barrier, &w, &i, int(l),
                          "the wait is more than one phase behind");
    }
    done |= uint32_t(complete) << l;
    if (object == ~uint64_t(0)) {
      object = p.address;
      phase = o.phase;
    } else if (object != p.address) {
      oneObject = false;
    }
  });
  if (!done && (i.aux & kTry) && oneObject && !timedOut &&
      !(w.machine->options.async == AsyncMode::Random &&
        w.machine->chance(2))) {
    w.block(Wait::Mbarrier, i, w.pcOf(i), object, uint32_t(phase));
    return;
  }
  if (w.machine->races && done && (i.aux & kSemanticsMask) != kRelaxed)
    forLanes(done, [&](unsigned l) {
      Place p = objectPlace(w, i, l);
      w.machine->races->acquire(w, mbarrierAt(w, i, l, p).completed);
    });
  w.setPred(i.d, m, done);
  w.setUndefined(i.d, m, w.undef[i.b]);
}

void pendingCountExec(Warp &w, const Inst &i, uint32_t m) {
  const uint64_t *a = w.lanes<uint64_t>(i.a);
  writeLanes<uint32_t>(w, i.d, m,
                       [&](unsigned l) { return uint32_t(a[l] & 0xfffff); });
  w.setUndefined(i.d, m, w.undef[i.a]);
}
} // namespace

Mbarrier &mbarrierAt(Warp &w, const Inst &i, unsigned lane, const Place &p) {
  if (!p.cta)
    w.machine->fault(ReportKind::InvalidArgument, w, i, int(lane),
                     "an mbarrier must be in shared memory");
  auto it = p.cta->mbarriers.find(uint32_t(p.address));
  if (it == p.cta->mbarriers.end())
    w.machine->fault(ReportKind::AsyncMisuse, w, i, int(lane),
                     "there is no initialised mbarrier at shared address " +
                         std::to_string(p.address + kSharedStart));
  const Mbarrier &o = it->second;
  if (w.machine->races && w.clocks.generic.get(o.initSlot) < o.initClock)
    w.machine->report(Severity::Error, ReportKind::Race, &w, &i, int(lane),
                      "the use of the mbarrier at shared address " +
                          std::to_string(p.address + kSharedStart) +
                          " races with its initialisation at line " +
                          std::to_string(o.line));
  return it->second;
}

void fenceMbarrierInits(Warp &w) {
  for (auto &[offset, b] : w.cta->mbarriers)
    if (w.clocks.generic.get(b.initSlot) >= b.initClock)
      b.fenced = true;
}

static void completeIfDue(Machine &machine, Cta &cta, uint32_t offset,
                          Mbarrier &b) {
  if (b.pending != 0 || b.tx != 0)
    return;
  ++b.phase;
  b.completed.join(b.accumulated);
  b.pending = b.expected;
  machine.addProgress();
  for (auto &w : cta.warps)
    for (Split &s : w->splits)
      if (s.wait == Wait::Mbarrier && s.waitObject == offset) {
        s.wait = Wait::None;
        machine.wake(*w);
      }
}

static std::string objectName(uint32_t offset) {
  return "the mbarrier at shared address " +
         std::to_string(offset + kSharedStart);
}

void mbarrierArrive(Warp &who, const Inst *inst, int lane, Cta &cta,
                    uint32_t offset, int64_t count) {
  Machine &machine = *who.machine;
  auto it = cta.mbarriers.find(offset);
  if (it == cta.mbarriers.end()) {
    machine.report(Severity::Error, ReportKind::AsyncMisuse, &who, inst, lane,
                   objectName(offset) + " is gone when an arrival reaches it");
    return;
  }
  Mbarrier &b = it->second;
  if (count > b.pending) {
    machine.report(Severity::Error, ReportKind::Barrier, &who, inst, lane,
                   "more arrivals at " + objectName(offset) + " than the " +
                       std::to_string(b.expected) + " of its phase");
    return;
  }
  b.pending -= count;
  machine.addProgress();
  completeIfDue(machine, cta, offset, b);
}

void mbarrierTransaction(Warp &who, const Inst *inst, int lane, Cta &cta,
                         uint32_t offset, int64_t bytes) {
  Machine &machine = *who.machine;
  auto it = cta.mbarriers.find(offset);
  if (it == cta.mbarriers.end()) {
    machine.report(Severity::Error, ReportKind::AsyncMisuse, &who, inst, lane,
                   objectName(offset) + " is gone when a copy completes on it");
    return;
  }
  Mbarrier &b = it->second;
  b.tx += bytes;
  machine.addProgress();
  if (b.tx > kMaxCount || b.tx < -kMaxCount)
    machine.report(Severity::Error, ReportKind::Barrier, &who, inst, lane,
                   "the transaction count of " + objectName(offset) +
                       " leaves the range of 20 bits");
  if (bytes < 0)
    completeIfDue(machine, cta, offset, b);
}

void decodeMbarrier(DecodeContext &c) {
  c.inst.opClass = OpClass::Barrier;
  std::string_view k =
      c.takeAny({"init", "inval", "arrive", "arrive_drop", "test_wait",
                 "try_wait", "pending_count", "expect_tx", "complete_tx"});
  uint32_t flags = takeSemantics(c);
  if (k == "pending_count") {
    if (c.takeType() != Type::B64)
      c.unknown();
    c.finishModifiers();
    c.expectOperands(2, 2);
    c.inst.a = c.source(1, Type::B64);
    c.inst.d = c.destination(size_t(0), Type::U32);
    c.inst.run = pendingCountExec;
    return c.emit();
  }
  bool expect = k != "expect_tx" && c.take("expect_tx");
  bool noComplete = c.take("noComplete"), parity = c.take("parity");
  Space s = takeSpace(c);
  if (c.takeType() != Type::B64)
    c.unknown();
  c.finishModifiers();
  c.inst.small = uint8_t(s);
  if (k == "init" || k == "expect_tx" || k == "complete_tx") {
    c.expectOperands(2, 2);
    setAddress(c, c.op(0));
    c.inst.b = c.source(1, Type::U32);
    c.inst.aux = k == "complete_tx";
    c.inst.run = k == "init" ? initExec : txExec;
    return c.emit();
  }
  if (k == "inval") {
    c.expectOperands(1, 1);
    setAddress(c, c.op(0));
    c.inst.run = invalExec;
    return c.emit();
  }
  if (k == "arrive" || k == "arrive_drop") {
    c.expectOperands(1, 3);
    size_t at = 0;
    // The state is left out for remote objects in some producers' text.
    if (c.op(0).kind != Operand::Address) {
      if (c.op(0).kind != Operand::Sink) {
        c.inst.d = c.destination(size_t(0), Type::B64);
        flags |= kToken;
      }
      at = 1;
    }
    setAddress(c, c.op(at++));
    if (at < c.count()) {
      c.inst.b = c.source(at++, Type::U32);
      flags |= expect ? kExpect : kHasCount;
    } else if (expect || noComplete) {
      c.fail("a count is missing");
    }
    if (k == "arrive_drop")
      flags |= kDrop;
    c.inst.aux = flags;
    c.inst.run = arriveExec;
    return c.emit();
  }
  if (k == "test_wait" || k == "try_wait") {
    c.expectOperands(3, 4);
    c.inst.d = c.predicateDestination(c.op(0));
    setAddress(c, c.op(1));
    c.inst.b = parity ? c.source(2, Type::U32) : c.source(2, Type::B64);
    if (c.count() == 4)
      c.source(3, Type::U32); // suspend time hint
    c.inst.aux = flags | (parity ? uint32_t(kParity) : 0u) |
                 (k == "try_wait" ? uint32_t(kTry) : 0u);
    c.inst.run = waitExec;
    return c.emit();
  }
  c.unknown();
}

} // namespace gemm::emulator
