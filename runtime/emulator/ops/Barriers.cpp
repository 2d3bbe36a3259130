// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bar, barrier and barrier.cluster (PTX ISA "Parallel Synchronization and
// Communication Instructions").
#include "Barriers.h"
#include "Access.h"
#include "Families.h"

namespace gemm::emulator {

namespace {

/// `last`: the warp whose arrival completes it, if it waits too.
void wakeBarrier(Cta &cta, unsigned id, NamedBarrier &b, Warp *last) {
  b.lastAnd = b.reduceAnd;
  b.lastOr = b.reduceOr;
  b.lastPopc = b.reducePopc;
  const uint32_t generation = b.generation++;
  b.arrived = 0;
  b.active = false;
  b.reduceAnd = ~0u;
  b.reduceOr = false;
  b.reducePopc = 0;
  std::fill(b.masks.begin(), b.masks.end(), 0);
  const SyncClock handed = std::move(b.accumulated);
  b.accumulated.clear();
  RaceDetector *races = cta.machine->races.get();
  if (races && last)
    races->acquire(*last, handed);
  cta.machine->addProgress();
  for (auto &w : cta.warps)
    for (Split &s : w->splits)
      if (s.wait == Wait::Barrier && s.waitObject == id &&
          s.waitPhase == generation) {
        s.wait = Wait::None;
        if (races)
          races->acquire(*w, handed);
        cta.machine->wake(*w);
      }
}

uint32_t expectedThreads(const Cta &cta, const NamedBarrier &b) {
  return b.expected ? b.expected : cta.liveWarps * kLanes;
}

enum class Kind : uint8_t { Sync, Arrive, And, Or, Popc };

void writeReduction(Warp &w, Frame &frame, const Inst &i, uint32_t mask,
                    const NamedBarrier &b) {
  uint8_t *at = frame.regs + size_t(i.d) * kUnitBytes;
  switch (Kind(i.imm)) {
  case Kind::Popc:
    forLanes(mask, [&](unsigned l) {
      reinterpret_cast<uint32_t *>(at)[l] = b.lastPopc;
    });
    break;
  case Kind::And:
  case Kind::Or: {
    uint32_t &p = *reinterpret_cast<uint32_t *>(at);
    bool r = Kind(i.imm) == Kind::And ? b.lastAnd != 0 : b.lastOr != 0;
    p = r ? p | mask : p & ~mask;
    break;
  }
  default:
    return;
  }
  frame.undefined[i.d] &= ~mask;
  (void)w;
}

/// a: barrier; b: thread count or unit 0; c: predicate of a reduction; small: 1
/// negated predicate, 2 has a count; imm: kind; flags tell alignment.
void barExec(Warp &w, const Inst &i, uint32_t m) {
  Cta &cta = *w.cta;
  Machine &machine = *w.machine;
  const unsigned first = unsigned(__builtin_ctz(m));
  const uint32_t id = w.lanes<uint32_t>(i.a)[first],
                 count = i.small & 2 ? w.lanes<uint32_t>(i.b)[first] : 0;
  if (machine.sanitize && ((w.undef[i.a] | w.undef[i.b]) & m))
    machine.report(Severity::Error, ReportKind::Undefined, &w, &i, int(first),
                   "the barrier's number or count is undefined");
  if (id > 15)
    machine.fault(ReportKind::Barrier, w, i, int(first),
                  "barrier " + std::to_string(id) +
                      " does not exist (0 to 15)");
  forLanes(m, [&](unsigned l) {
    if (w.lanes<uint32_t>(i.a)[l] != id ||
        (i.small & 2 && w.lanes<uint32_t>(i.b)[l] != count))
      machine.fault(ReportKind::Barrier, w, i, int(l),
                    "lanes of a warp name different barriers or counts");
  });
  if ((i.small & 2) && (count % kLanes || count == 0))
    machine.fault(ReportKind::Barrier, w, i, int(first),
                  "thread count " + std::to_string(count) +
                      " is not a positive multiple of 32");
  NamedBarrier &b = cta.barriers[id];
  if (b.active && b.expected != count)
    machine.fault(ReportKind::Barrier, w, i, int(first),
                  "barrier " + std::to_string(id) + " is in use with " +
                      (b.expected ? std::to_string(b.expected) : "all") +
                      " threads (line " + std::to_string(b.line) + "), not " +
                      (count ? std::to_string(count) : "all"));
  if (count > (machine.block.count() + 31) / 32 * 32)
    machine.fault(ReportKind::Barrier, w, i, int(first),
                  "barrier " + std::to_string(id) + " expects " +
                      std::to_string(count) + " threads; the CTA has " +
                      std::to_string(machine.block.count()));
  b.active = true;
  b.expected = count;
  b.line = i.line;
  const Kind kind = Kind(i.imm);
  if (kind >= Kind::And) {
    uint32_t p = w.pred(i.c) ^ (i.small & 1 ? ~0u : 0);
    if ((p & m) != m)
      b.reduceAnd = 0;
    if (p & m)
      b.reduceOr = true;
    b.reducePopc += unsigned(__builtin_popcount(p & m));
  }
  // A complete warp counts 32 threads, also when some of its lanes have exited
  // or never existed.
  uint32_t &mask = b.masks[w.index];
  if (m == w.live && mask == 0) {
    b.arrived += kLanes;
  } else {
    b.arrived -= unsigned(__builtin_popcount(mask));
    mask |= m;
    if (mask == w.live) {
      b.arrived += kLanes;
      mask = 0;
    } else {
      b.arrived += unsigned(__builtin_popcount(mask));
    }
  }
  if (machine.races)
    machine.races->release(w, b.accumulated);
  const uint32_t expected = expectedThreads(cta, b);
  if (b.arrived > expected)
    machine.fault(ReportKind::Barrier, w, i, int(first),
                  "more threads arrive at barrier " + std::to_string(id) +
                      " than the " + std::to_string(expected) + " it expects");
  const uint32_t generation = b.generation;
  if (kind != Kind::Arrive && b.arrived < expected) {
    w.block(Wait::Barrier, i, w.pc, id, generation);
    w.splits[size_t(w.current)].waitMask = m;
    return;
  }
  if (b.arrived < expected)
    return;
  // Results for those who waited, then for this split.
  NamedBarrier done = b;
  done.lastAnd = b.reduceAnd;
  done.lastOr = b.reduceOr;
  done.lastPopc = b.reducePopc;
  for (auto &other : cta.warps)
    for (Split &s : other->splits)
      if (s.wait == Wait::Barrier && s.waitObject == id &&
          s.waitPhase == generation && s.waitInst)
        writeReduction(*other, *s.frame, *s.waitInst, s.waitMask, done);
  if (kind >= Kind::And)
    writeReduction(w, *w.frame, i, m, done);
  wakeBarrier(cta, id, b, kind == Kind::Arrive ? nullptr : &w);
}

// barrier.cluster
void clusterComplete(Machine &machine, Cluster &cl) {
  ++cl.generation;
  cl.completed = std::move(cl.accumulated);
  cl.accumulated.clear();
  cl.arrived = 0;
  machine.addProgress();
  for (Cta *c : cl.ctas) {
    std::fill(c->clusterArrivedMask.begin(), c->clusterArrivedMask.end(), 0);
    for (auto &w : c->warps)
      for (Split &s : w->splits)
        if (s.wait == Wait::Cluster) {
          s.wait = Wait::None;
          machine.wake(*w);
        }
  }
}
bool clusterDue(const Cluster &cl) {
  // All threads that have not exited must have arrived.
  for (const Cta *c : cl.ctas)
    for (const auto &w : c->warps)
      if (w->live & ~c->clusterArrivedMask[w->index])
        return false;
  return true;
}
void clusterArriveExec(Warp &w, const Inst &i, uint32_t m) {
  Cta &cta = *w.cta;
  uint32_t &mask = cta.clusterArrivedMask[w.index];
  if (mask & m)
    w.machine->fault(ReportKind::Barrier, w, i, __builtin_ctz(mask & m),
                     "barrier.cluster.arrive twice without a wait");
  mask |= m;
  cta.clusterGeneration[w.index] = cta.cluster->generation + 1;
  if (RaceDetector *races = w.machine->races.get())
    (i.aux & kSemanticsMask) == kRelaxed
        ? races->releaseFenced(w, cta.cluster->accumulated)
        : races->release(w, cta.cluster->accumulated);
  if (clusterDue(*cta.cluster))
    clusterComplete(*w.machine, *cta.cluster);
}
void clusterWaitExec(Warp &w, const Inst &i, uint32_t m) {
  Cta &cta = *w.cta;
  const uint32_t target = cta.clusterGeneration[w.index];
  if (target == 0)
    w.machine->fault(ReportKind::Barrier, w, i, __builtin_ctz(m),
                     "barrier.cluster.wait without an arrive");
  if (cta.cluster->generation >= target) {
    if (w.machine->races)
      w.machine->races->acquire(w, cta.cluster->completed);
    return;
  }
  if ((cta.clusterArrivedMask[w.index] & m) != m)
    w.machine->fault(ReportKind::Barrier, w, i, __builtin_ctz(m),
                     "barrier.cluster.wait without an arrive");
  w.block(Wait::Cluster, i, w.pcOf(i), 0, target);
}

} // namespace

void warpExited(Warp &w) {
  Cta &cta = *w.cta;
  Machine &machine = *w.machine;
  machine.addProgress();
  --cta.liveWarps;
  for (unsigned id = 0; id < 16; ++id) {
    NamedBarrier &b = cta.barriers[id];
    if (b.active && !b.expected && b.arrived &&
        b.arrived >= expectedThreads(cta, b))
      wakeBarrier(cta, id, b, nullptr);
  }
  Cluster &cl = *cta.cluster;
  bool anyArrived = false;
  for (const Cta *c : cl.ctas)
    for (uint32_t mask : c->clusterArrivedMask)
      anyArrived |= mask != 0;
  if (anyArrived && clusterDue(cl))
    clusterComplete(machine, cl);
  if (cta.liveWarps == 0) {
    machine.ctaExited(cta);
    machine.startClusters();
  }
}

std::string describeWait(const Warp &w, const Split &s) {
  switch (s.wait) {
  case Wait::Barrier: {
    const NamedBarrier &b = w.cta->barriers[s.waitObject];
    return "for barrier " + std::to_string(s.waitObject) + " (" +
           std::to_string(b.arrived) + " of " +
           std::to_string(expectedThreads(*w.cta, b)) + " threads arrived)";
  }
  case Wait::Mbarrier: {
    auto it = w.cta->mbarriers.find(uint32_t(s.waitObject));
    if (it == w.cta->mbarriers.end())
      return "for an mbarrier that is gone";
    const Mbarrier &b = it->second;
    return "for the mbarrier at shared address " +
           std::to_string(s.waitObject + kSharedStart) + " (phase " +
           std::to_string(b.phase) + ", " + std::to_string(b.pending) + " of " +
           std::to_string(b.expected) + " arrivals and " +
           std::to_string(b.tx) + " bytes missing)";
  }
  case Wait::Cluster:
    return "for the cluster barrier";
  case Wait::WarpSync:
    return "for other lanes of its warp (member mask " +
           std::to_string(s.waitObject) + ")";
  case Wait::Agents:
    return "for the other warps of its warpgroup to issue the wgmma";
  default:
    return "";
  }
}

bool wakeTimedWaits(Machine &machine) {
  bool any = false;
  for (auto &cta : machine.ctas)
    for (auto &w : cta->warps)
      for (Split &s : w->splits)
        if (s.wait == Wait::Mbarrier) {
          s.wait = Wait::None;
          s.timedOut = true;
          machine.wake(*w);
          any = true;
        }
  return any;
}

void decodeBar(DecodeContext &c) {
  if (c.has("warp"))
    return decodeBarWarp(c);
  c.inst.opClass = OpClass::Barrier;
  if (c.take("cluster")) {
    bool arrive = c.take("arrive");
    if (!arrive && !c.take("wait"))
      c.unknown();
    uint32_t semantics = takeSemantics(c);
    if (c.take("aligned"))
      c.inst.flags |= kAligned;
    c.finishModifiers();
    c.expectOperands(0, 0);
    c.inst.aux = semantics;
    c.inst.run = arrive ? clusterArriveExec : clusterWaitExec;
    return c.emit();
  }
  bool isBar = c.base() == "bar";
  c.take("cta");
  Kind kind;
  std::string_view k = c.takeAny({"sync", "arrive", "red"});
  bool aligned = c.take("aligned") || isBar;
  std::string_view op = c.takeAny({"popc", "and", "or"});
  if (k == "red") {
    Type t = c.takeType();
    kind = op == "popc" ? Kind::Popc : op == "and" ? Kind::And : Kind::Or;
    if (op.empty() || t != (op == "popc" ? Type::U32 : Type::Pred))
      c.unknown();
  } else if (k == "sync" || k == "arrive") {
    kind = k == "sync" ? Kind::Sync : Kind::Arrive;
  } else {
    c.unknown();
  }
  c.finishModifiers();
  size_t at = 0;
  if (kind == Kind::Popc)
    c.inst.d = c.destination(at++, Type::U32);
  else if (kind >= Kind::And)
    c.inst.d = c.predicateDestination(c.op(at++));
  c.inst.a = c.source(at++, Type::U32);
  size_t predicates = kind >= Kind::And ? 1 : 0;
  if (c.count() > at + predicates) {
    c.inst.b = c.source(at++, Type::U32);
    c.inst.small |= 2;
  } else if (kind == Kind::Arrive) {
    c.fail("an arrive needs a thread count");
  }
  if (predicates) {
    bool negated;
    c.inst.c = c.predicateSource(c.op(at++), negated);
    c.inst.small |= negated;
  }
  if (at != c.count())
    c.fail("too many operands");
  if (aligned)
    c.inst.flags |= kAligned;
  c.inst.imm = int64_t(kind);
  c.inst.run = barExec;
  c.emit();
}

} // namespace gemm::emulator
