// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Races.h"
#include "Machine.h"
#include "ops/Access.h"

#include <algorithm>

namespace gemm::emulator {

namespace {
constexpr unsigned kAgentSlots =
    16; ///< numbers of a family that are told apart at a time
} // namespace

uint32_t RaceDetector::takeSlot(const std::string &owner, bool agent) {
  uint32_t s;
  if (!freeSlots.empty()) {
    s = freeSlots.back();
    freeSlots.pop_back();
  } else {
    s = uint32_t(slots.size());
    slots.emplace_back();
  }
  slots[s].owner = owner;
  slots[s].agent = agent;
  return s;
}

void RaceDetector::startWarp(Warp &w) {
  WarpClocks &c = w.clocks;
  c.slot = takeSlot(machine.where(w, -1), false);
  c.generic.set(c.slot, ++slots[c.slot].last);
}

void RaceDetector::endWarp(Warp &w) {
  freeSlots.push_back(w.clocks.slot);
  for (uint32_t s : w.clocks.agentSlots)
    if (s)
      freeSlots.push_back(s);
}

void RaceDetector::bump(WarpClocks &c) {
  c.generic.set(c.slot, ++slots[c.slot].last);
}

void RaceDetector::conflict(const Accessor &a, Cta *cta, uint64_t address,
                            bool write, bool otherWrite, uint16_t slot,
                            uint32_t clock, uint32_t line, bool otherAsync,
                            bool sameValue) {
  char at[48];
  std::snprintf(at, sizeof at, cta ? "shared address %llu" : "0x%llx",
                (unsigned long long)(cta ? address + kSharedStart : address));
  const std::string other = std::string("the ") +
                            (otherAsync ? "asynchronous " : "") +
                            (otherWrite ? "write" : "read") + " at line " +
                            std::to_string(line) + " by " + slots[slot].owner;
  const std::string own =
      std::string(a.async ? "asynchronous " : "") + (write ? "write" : "read");
  const bool ordered = a.ordered && clock <= a.ordered->get(slot);
  if (ordered) {
    // Only the proxy fence is missing. A generic read before an asynchronous
    // overwrite is what the field's fast kernels rely on.
    machine.report(write && !otherWrite ? Severity::Note : Severity::Error,
                   ReportKind::ProxyRace, &a.warp, &a.inst, int(a.lane),
                   own + " at " + at + " is ordered after " + other +
                       " but no fence.proxy.async is between them");
    return;
  }
  machine.report(sameValue ? Severity::Note : Severity::Error, ReportKind::Race,
                 &a.warp, &a.inst, int(a.lane),
                 own + " at " + at + " races with " + other +
                     (sameValue ? " (the same value)" : ""));
}

void RaceDetector::synchronize(Warp &w, const Place &p, uint32_t semantics,
                               bool reads, bool writes) {
  WarpClocks &c = w.clocks;
  const uint32_t s = semantics & kSemanticsMask;
  auto key = std::make_pair(static_cast<const Cta *>(p.cta), p.address);
  auto found = locations.find(key);
  if (reads && found != locations.end()) {
    if (s == kAcquire || s == kAcqRel)
      acquire(w, found->second);
    else
      c.pendingAcquire.join(found->second);
  }
  if (!writes)
    return;
  const bool releases = s == kRelease || s == kAcqRel;
  if (!releases && c.fenceRelease.empty()) {
    if (!reads && found != locations.end())
      found->second.clear(); // a store ends the release sequence
    return;
  }
  SyncClock &object = locations[key];
  if (!reads)
    object.clear();
  releases ? release(w, object) : releaseFenced(w, object);
}

void RaceDetector::release(Warp &w, SyncClock &object) {
  WarpClocks &c = w.clocks;
  object.generic.join(c.generic);
  object.async.join(c.async);
  bump(c);
}

void RaceDetector::releaseFenced(Warp &w, SyncClock &object) {
  object.generic.join(w.clocks.fenceRelease);
  object.async.join(w.clocks.async);
}

void RaceDetector::acquire(Warp &w, const SyncClock &object) {
  w.clocks.generic.join(object.generic);
  w.clocks.async.join(object.async);
}

void RaceDetector::fence(Warp &w) {
  WarpClocks &c = w.clocks;
  acquire(w, c.pendingAcquire);
  c.pendingAcquire.clear();
  c.fenceRelease = c.generic;
  bump(c);
}

void RaceDetector::proxyFence(Warp &w) {
  WarpClocks &c = w.clocks;
  c.async.join(c.generic);
  bump(c);
}

uint32_t RaceDetector::agentSlot(Warp &w, AgentFamily family, uint64_t number) {
  auto &list = w.clocks.agentSlots;
  if (list.empty())
    list.assign(size_t(AgentFamily::Count) * kAgentSlots, 0);
  uint32_t &s = list[size_t(family) * kAgentSlots + number % kAgentSlots];
  if (!s)
    s = takeSlot(machine.where(w, -1), true);
  return s;
}

AgentClock RaceDetector::fork(Warp &w, AgentFamily family, uint64_t number,
                              bool asyncProxy) {
  WarpClocks &c = w.clocks;
  AgentClock a;
  a.slot = uint16_t(agentSlot(w, family, number));
  a.clock = ++slots[a.slot].last;
  a.asyncProxy = asyncProxy;
  a.visible = asyncProxy ? c.async : c.generic;
  if (asyncProxy)
    a.ordered = c.generic;
  bump(c);
  return a;
}

void RaceDetector::joinAgents(Warp &w, Warp &issuer, AgentFamily family,
                              int64_t first, int64_t last) {
  auto &list = issuer.clocks.agentSlots;
  if (list.empty())
    return;
  for (int64_t n = std::max(first, last - int64_t(kAgentSlots) + 1); n <= last;
       ++n) {
    if (n < 0)
      continue;
    uint32_t s = list[size_t(family) * kAgentSlots + size_t(n) % kAgentSlots];
    if (!s)
      continue;
    w.clocks.generic.raise(s, slots[s].last);
    // Of the asynchronous copies only cp.async is of the generic proxy: its
    // completion is no proxy fence (PTX ISA "Async proxy" names the bulk
    // copies, "wgmma: Async Proxy" the wgmma).
    if (family != AgentFamily::CpAsync)
      w.clocks.async.raise(s, slots[s].last);
  }
}

void RaceDetector::completeAgents(Warp &w, AgentFamily family, int64_t last,
                                  SyncClock &object) {
  auto &list = w.clocks.agentSlots;
  if (list.empty())
    return;
  for (int64_t n = std::max<int64_t>(0, last - int64_t(kAgentSlots) + 1);
       n <= last; ++n)
    if (uint32_t s =
            list[size_t(family) * kAgentSlots + size_t(n) % kAgentSlots]) {
      object.generic.raise(s, slots[s].last);
      if (family != AgentFamily::CpAsync)
        object.async.raise(s, slots[s].last);
    }
}

} // namespace gemm::emulator
