// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Races.h"
#include "Machine.h"
#include "ops/Access.h"

#include <algorithm>

namespace gemm::emulator {

namespace {
constexpr unsigned kAgentSlots =
    16; ///< numbers of a family that are told apart at a time
constexpr uint64_t kPageGranules = 1024;
constexpr size_t kGlobalReaders =
    4; ///< reads kept per four bytes of global memory
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

RaceCell *RaceDetector::cells(Cta *cta, uint64_t granule, uint64_t &left) {
  if (cta) {
    left = cta->cells.size() - granule;
    return &cta->cells[granule];
  }
  const uint64_t page = granule / kPageGranules, at = granule % kPageGranules;
  left = kPageGranules - at;
  if (page != lastPage) {
    auto &p = pages[page];
    if (!p)
      p.reset(new RaceCell[kPageGranules]);
    lastPage = page;
    lastCells = p.get();
  }
  return lastCells + at;
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

void RaceDetector::touch(const Accessor &a, Cta *cta, uint64_t address,
                         uint64_t bytes, bool write, bool strong,
                         const uint8_t *newBytes) {
  const uint64_t end = address + bytes;
  uint64_t granule = address / 4;
  const uint64_t last = (end - 1) / 4;
  while (granule <= last) {
    uint64_t left;
    RaceCell *c = cells(cta, granule, left);
    for (; left && granule <= last; --left, ++granule, ++c) {
      uint8_t mask = 15;
      if (granule * 4 < address)
        mask = uint8_t(mask & (15u << (address & 3)));
      if (granule * 4 + 4 > end)
        mask = uint8_t(mask & (15u >> (granule * 4 + 4 - end)));
      const uint64_t first = std::max(granule * 4, address);
      // The last write.
      if ((c->writeMask & mask) && c->writeSlot != a.slot &&
          c->writeClock > a.visible.get(c->writeSlot) &&
          !(strong && c->writeStrong)) {
        bool same = false;
        if (write && newBytes) {
          const uint8_t *old =
              cta ? cta->shared.data() + first : machine.global.data(first);
          same = std::memcmp(old, newBytes + (first - address),
                             std::min(end, granule * 4 + 4) - first) == 0;
        }
        conflict(a, cta, first, write, true, c->writeSlot, c->writeClock,
                 c->writeLine, c->writeAsync, same);
      }
      if (!write) {
        if (c->readSlot == a.slot && !c->readers) {
          c->readMask = uint8_t(c->readClock == a.clock ? c->readMask | mask
                                                        : mask | c->readMask);
          c->readClock = a.clock;
          c->readLine = a.line;
        } else if (!c->readSlot ||
                   (!c->readers &&
                    c->readClock <= a.visible.get(c->readSlot))) {
          c->readMask = uint8_t(c->readSlot ? c->readMask | mask : mask);
          c->readSlot = a.slot;
          c->readClock = a.clock;
          c->readLine = a.line;
        } else {
          if (!c->readers) {
            if (freeLists.empty()) {
              readerLists.emplace_back();
              freeLists.push_back(uint32_t(readerLists.size()));
            }
            c->readers = freeLists.back();
            freeLists.pop_back();
            readerLists[c->readers - 1].push_back(
                {c->readSlot, c->readMask, c->readClock, c->readLine});
          }
          auto &list = readerLists[c->readers - 1];
          bool found = false;
          for (Reader &r : list)
            if (r.slot == a.slot) {
              r.mask |= mask;
              r.clock = a.clock;
              r.line = a.line;
              found = true;
              break;
            }
          if (!found) {
            if (!cta && list.size() >= kGlobalReaders)
              list[a.slot % kGlobalReaders] = {a.slot, mask, a.clock, a.line};
            else
              list.push_back({a.slot, mask, a.clock, a.line});
          }
        }
        continue;
      }
      // The reads since.
      if (c->readers) {
        auto &list = readerLists[c->readers - 1];
        for (const Reader &r : list)
          if ((r.mask & mask) && r.slot != a.slot &&
              r.clock > a.visible.get(r.slot))
            conflict(a, cta, first, true, false, r.slot, r.clock, r.line,
                     slots[r.slot].agent, false);
        list.clear();
        freeLists.push_back(c->readers);
        c->readers = 0;
        c->readSlot = 0;
      } else if (c->readSlot) {
        if ((c->readMask & mask) && c->readSlot != a.slot &&
            c->readClock > a.visible.get(c->readSlot))
          conflict(a, cta, first, true, false, c->readSlot, c->readClock,
                   c->readLine, slots[c->readSlot].agent, false);
        c->readSlot = 0;
      }
      c->writeSlot = a.slot;
      c->writeClock = a.clock;
      c->writeLine = a.line;
      c->writeMask = mask;
      c->writeStrong = strong;
      c->writeAsync = a.async;
    }
  }
}

void RaceDetector::access(Warp &w, const Inst &i, unsigned lane, const Place &p,
                          unsigned bytes, Kind kind, const uint8_t *newBytes) {
  if (p.isPrivate)
    return;
  WarpClocks &c = w.clocks;
  const bool strong = kind >= Kind::StrongRead;
  Accessor a{
      w,         i,       lane, uint16_t(c.slot), c.generic.get(c.slot), i.line,
      c.generic, nullptr, false};
  if (kind == Kind::StrongUpdate) {
    // Atomic operations do not conflict with each other; their read part is
    // covered by the write part.
    touch(a, p.cta, p.address, bytes, true, true, nullptr);
    return;
  }
  const bool write = kind == Kind::Write || kind == Kind::StrongWrite;
  // Strong reads leave no trace: a strong write after them does not race.
  if (kind == Kind::StrongRead) {
    uint64_t left;
    for (uint64_t g = p.address / 4; g <= (p.address + bytes - 1) / 4; ++g) {
      RaceCell *cell = cells(p.cta, g, left);
      if (cell->writeMask && cell->writeSlot != a.slot && !cell->writeStrong &&
          cell->writeClock > a.visible.get(cell->writeSlot))
        conflict(a, p.cta, g * 4, false, true, cell->writeSlot,
                 cell->writeClock, cell->writeLine, cell->writeAsync, false);
    }
    return;
  }
  touch(a, p.cta, p.address, bytes, write, strong, newBytes);
}

void RaceDetector::agentAccess(const AgentClock &agent, Warp &issuer,
                               const Inst &inst, unsigned lane, Cta *cta,
                               uint64_t address, uint64_t bytes, bool write,
                               const uint8_t *newBytes) {
  if (!bytes)
    return;
  Accessor a{issuer,        inst,
             lane,          agent.slot,
             agent.clock,   inst.line,
             agent.visible, agent.asyncProxy ? &agent.ordered : nullptr,
             true};
  touch(a, cta, address, bytes, write, false, newBytes);
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
      object.async.raise(s, slots[s].last);
    }
}

} // namespace gemm::emulator
