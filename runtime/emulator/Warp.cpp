// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divergence: lanes part at branches and meet at immediate post-dominators.
// Parted lanes ("splits") are scheduled independently, so a split that waits
// for another one of its own warp does not hang (PTX ISA, "Independent Thread
// Scheduling"); what the ISA calls .sync gathers them where they meet.
#include "Machine.h"

namespace gemm::emulator {

void Warp::loadSplit(int i) {
  Split &s = splits[size_t(i)];
  current = i;
  active = s.mask;
  pc = s.pc;
  node = s.node;
  frame = s.frame;
  regs = frame->regs;
  undef = frame->undefined.get();
  code = frame->function->code.data();
  stop = false;
}

void Warp::saveSplit() {
  if (current < 0)
    return;
  Split &s = splits[size_t(current)];
  s.mask = active;
  s.pc = pc;
  s.node = node;
  s.frame = frame;
  current = -1;
}

void Warp::block(Wait wait, const Inst &inst, uint32_t resumePc,
                 uint64_t object, uint32_t phase) {
  Split &s = splits[size_t(current)];
  s.wait = wait;
  s.waitLine = inst.line;
  s.waitObject = object;
  s.waitPhase = phase;
  s.timedOut = false;
  s.waitInst = &inst;
  pc = resumePc;
  stop = true;
}

void Warp::freeSplit(int i) {
  splits.erase(splits.begin() + i);
  if (current == i)
    current = -1;
  else if (current > i)
    --current;
}

bool Warp::hasRunnable() const {
  if (current >= 0)
    return true;
  for (const Split &s : splits)
    if (s.wait == Wait::None)
      return true;
  return false;
}

bool Warp::chooseSplit() {
  unsigned n = 0;
  for (const Split &s : splits)
    n += s.wait == Wait::None;
  if (n == 0)
    return false;
  unsigned pick = n == 1 ? 0 : unsigned(machine->rng() % n);
  for (size_t i = 0; i < splits.size(); ++i)
    if (splits[i].wait == Wait::None && pick-- == 0) {
      loadSplit(int(i));
      return true;
    }
  return false;
}

void executeJoin(Warp &w, const Inst &inst, uint32_t) {
  const uint32_t here = w.pcOf(inst);
  while (w.node >= 0) {
    JoinNode &n = w.nodes[size_t(w.node)];
    if (n.pc != here || n.frame != w.frame)
      return;
    n.arrived |= w.active;
    if (n.arrived != n.expected) {
      w.freeSplit(w.current);
      w.stop = true;
      return;
    }
    w.active = n.expected;
    n.used = false;
    w.node = n.parent;
  }
}

void ensureJoin(Warp &w, uint32_t meet) {
  if (w.node >= 0 && w.nodes[size_t(w.node)].pc == meet &&
      w.nodes[size_t(w.node)].frame == w.frame)
    return;
  int slot = -1;
  for (size_t i = 0; i < w.nodes.size() && slot < 0; ++i)
    if (!w.nodes[i].used)
      slot = int(i);
  if (slot < 0) {
    slot = int(w.nodes.size());
    w.nodes.emplace_back();
  }
  w.nodes[size_t(slot)] = {meet, w.frame, w.active, 0, w.node, true};
  w.node = slot;
}

void branchTo(Warp &w, const Inst &inst, uint32_t taken, uint32_t target) {
  if (taken == w.active) {
    w.pc = target;
    return;
  }
  if (taken == 0)
    return;
  const uint32_t meet = inst.aux;
  if (meet != kNoPc) {
    ensureJoin(w, meet);
    // One side is there already.
    if (target == meet) {
      w.nodes[size_t(w.node)].arrived |= taken;
      w.active &= ~taken;
      return;
    }
    if (w.pc == meet) {
      w.nodes[size_t(w.node)].arrived |= w.active & ~taken;
      w.active = taken;
      w.pc = target;
      return;
    }
  }
  Split other;
  other.mask = taken;
  other.pc = target;
  other.node = w.node;
  other.frame = w.frame;
  w.active &= ~taken;
  w.splits.push_back(other);
}

uint32_t Warp::gather(const Inst &inst, uint32_t mask, uint32_t members) {
  if (mask & ~members)
    machine->fault(
        ReportKind::Divergence, *this, inst, __builtin_ctz(mask & ~members),
        "the lane executes this instruction but is not in its member mask");
  const uint32_t need = members & live;
  if ((mask & need) == need)
    return mask;
  const uint32_t here = pcOf(inst);
  uint32_t have = mask;
  for (const Split &s : splits)
    if (&s != &splits[size_t(current)] && s.wait == Wait::WarpSync &&
        s.pc == here && s.frame == frame)
      have |= s.waitMask;
  if ((have & need) != need) {
    block(Wait::WarpSync, inst, here, members, 0);
    splits[size_t(current)].waitMask = mask;
    return 0;
  }
  for (Split &s : splits)
    if (&s != &splits[size_t(current)] && s.wait == Wait::WarpSync &&
        s.pc == here && s.frame == frame) {
      s.wait = Wait::None;
      s.pc = here + 1;
    }
  return have;
}

void Warp::checkNodes() {
  for (size_t i = 0; i < nodes.size(); ++i) {
    JoinNode &n = nodes[i];
    if (!n.used || n.arrived != n.expected)
      continue;
    n.used = false;
    if (n.expected == 0)
      continue;
    Split s;
    s.mask = n.expected;
    s.pc = n.pc;
    s.node = n.parent;
    s.frame = n.frame;
    splits.push_back(s);
  }
}

void Warp::exitLanes(uint32_t mask) {
  live &= ~mask;
  active &= ~mask;
  for (JoinNode &n : nodes) {
    n.expected &= ~mask;
    n.arrived &= ~mask;
  }
  if (active == 0) {
    freeSplit(current);
    stop = true;
  }
  checkNodes();
  for (Split &s : splits)
    if (s.wait == Wait::WarpSync)
      s.wait = Wait::None; // the lanes waited for may be the ones that left
}

} // namespace gemm::emulator
