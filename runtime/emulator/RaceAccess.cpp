// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to memory in the race detector: whether one races with what its
// cells remember, and what they remember afterwards.
#include "Machine.h"
#include "Races.h"
#include "ops/Access.h"

#include <algorithm>

namespace gemm::emulator {

namespace {
constexpr unsigned kGlobalReaders =
    4; ///< reads kept per four bytes of global memory
/// Length from which on a list of reads is looked through for entries that need
/// not be kept.
constexpr unsigned kLongList = 64;
constexpr uint64_t kBlock = 8; ///< cells that are compared at once
/// Bytes of a cell from `first` on, before `end`.
constexpr uint8_t bytesMask(uint64_t first, uint64_t end) {
  return uint8_t((15u << first) & (15u >> (4 - end)));
}
} // namespace

RaceCell *RaceDetector::sharedCells(Cta &cta, uint64_t granule,
                                    uint64_t &left) {
  left = cta.cells.size() - granule;
  return &cta.cells[granule];
}

bool RaceDetector::races(const Accessor &a, const RaceHistory::Write &x,
                         uint8_t mask) {
  return (x.mask & mask) && x.slot != a.slot &&
         x.clock > a.visible.get(x.slot) && !(a.strong && x.strong);
}

bool RaceDetector::races(const Accessor &a, const RaceHistory::Read &x,
                         uint8_t mask) {
  return (x.mask & mask) && x.slot != a.slot && x.clock > a.visible.get(x.slot);
}

bool RaceDetector::writeRaces(const Accessor &a, uint32_t number,
                              uint8_t mask) const {
  for (; number; number = history.write(number).next)
    if (races(a, history.write(number), mask))
      return true;
  return false;
}

bool RaceDetector::readsRace(const Accessor &a, uint32_t number,
                             uint8_t mask) const {
  for (; number; number = history.read(number).next)
    if (races(a, history.read(number), mask))
      return true;
  return false;
}

/// The list of reads after one more. A read that is ordered before the new one
/// and covered by it need not be kept: what races with it races with the new
/// one too, or is ordered after both.
uint32_t RaceDetector::afterRead(const Accessor &a, uint32_t old,
                                 uint8_t mask) {
  using Read = RaceHistory::Read;
  Read own;
  own.clock = a.clock;
  own.line = a.inst.line;
  own.slot = a.slot;
  own.mask = mask;
  const Read head = history.read(old);
  const unsigned most = a.capped ? kGlobalReaders : kLongList;
  if (!(head.slots >> (a.slot % 32) & 1) && head.count < most)
    return history.add(own, old);
  // Looking through a full list every time would cost more than it finds.
  if (a.capped && head.count >= kGlobalReaders && a.slot % kGlobalReaders &&
      !(head.slots >> (a.slot % 32) & 1))
    return history.add(own, head.next);
  auto superseded = [&](const Read &x) {
    if (x.slot == a.slot && x.clock == a.clock)
      return true; // one entry for all bytes
    return !(x.mask & ~mask) &&
           (x.slot == a.slot || x.clock <= a.visible.get(x.slot));
  };
  kept.clear();
  bool rebuild = false;
  for (uint32_t r = old; r; r = history.read(r).next) {
    const Read &x = history.read(r);
    if (x.slot == a.slot && x.clock == a.clock) {
      if (!(mask & ~x.mask))
        return old;
      own.mask |= x.mask;
    }
    if (superseded(x))
      rebuild = true;
    else
      kept.push_back(x);
  }
  if (rebuild)
    return history.add(own, addReads(0));
  const bool full = a.capped && kept.size() >= kGlobalReaders;
  return history.add(own, full ? head.next : old);
}

/// A list of what is in `kept`, before `list`.
uint32_t RaceDetector::addReads(uint32_t list) {
  for (size_t k = kept.size(); k-- > 0;)
    list = history.add(kept[k], list);
  return list;
}

/// The reads that remain when the bytes `mask` are written.
uint32_t RaceDetector::readsAfterWrite(uint32_t old, uint8_t mask) {
  if (!old || mask == 15)
    return 0;
  kept.clear();
  for (uint32_t r = old; r; r = history.read(r).next) {
    RaceHistory::Read x = history.read(r);
    x.mask = uint8_t(x.mask & ~mask);
    if (x.mask)
      kept.push_back(x);
  }
  return addReads(0);
}

/// The last write of every byte when the bytes `mask` are written.
uint32_t RaceDetector::writesAfterWrite(const Accessor &a, uint32_t old,
                                        uint8_t mask) {
  RaceHistory::Write own{a.clock, a.inst.line, 0,      a.slot,
                         mask,    a.strong,    a.async};
  RaceHistory::Write others[4];
  unsigned n = 0;
  for (uint32_t k = mask == 15 ? 0 : old; k; k = history.write(k).next) {
    RaceHistory::Write x = history.write(k);
    x.mask = uint8_t(x.mask & ~mask);
    if (!x.mask)
      continue;
    if (x.slot == own.slot && x.clock == own.clock && x.line == own.line)
      own.mask |= x.mask;
    else
      others[n++] = x;
  }
  while (n) {
    others[--n].next = own.next;
    own.next = history.add(others[n]);
  }
  return history.add(own);
}

template <bool Write>
uint64_t RaceDetector::mark(Accessor &a, RaceCell *c, uint64_t n,
                            uint8_t mask) {
  Accessor::Known &k = a.known[mask];
  if (!(a.isKnown >> mask & 1)) {
    a.isKnown = uint16_t(a.isKnown | 1u << mask);
    k.fineWrites[0] = k.fineWrites[1] = k.fineWrites[2] = k.fineWrites[3] = ~0u;
    k.oldRead = ~0u;
    k.newRead = 0;
    k.oldWrite = ~0u;
    k.newWrite = Write && mask == 15 ? writesAfterWrite(a, 0, 15) : 0;
  }
  // Whether the access to a cell is no race, and the cell after it.
  auto step = [&](RaceCell &cell) {
    uint32_t &fine = k.fineWrites[cell.write % 4];
    if (cell.write != fine) {
      if (writeRaces(a, cell.write, mask))
        return false;
      fine = cell.write;
    }
    if constexpr (Write) {
      if (cell.read != k.oldRead) {
        if (readsRace(a, cell.read, mask))
          return false;
        k.oldRead = cell.read;
        k.newRead = readsAfterWrite(cell.read, mask);
      }
      if (mask != 15 && cell.write != k.oldWrite) {
        k.oldWrite = cell.write;
        k.newWrite = writesAfterWrite(a, cell.write, mask);
      }
      cell = {k.newWrite, k.newRead};
    } else {
      if (cell.read != k.oldRead) {
        k.oldRead = cell.read;
        k.newRead = afterRead(a, cell.read, mask);
      }
      cell.read = k.newRead;
    }
    return true;
  };
  uint64_t done = 0;
  while (done < n) {
    if (n - done >= kBlock) {
      RaceCell *block = c + done;
      const RaceCell first = block[0];
      uint32_t different = 0;
      for (uint64_t q = 0; q < kBlock; ++q)
        different |=
            (block[q].write ^ first.write) | (block[q].read ^ first.read);
      if (!different) {
        if (!step(block[0]))
          return done;
        const RaceCell after = block[0];
        for (uint64_t q = 1; q < kBlock; ++q)
          block[q] = after;
        done += kBlock;
        continue;
      }
    }
    for (uint64_t end = std::min(n, done + kBlock); done < end; ++done)
      if (!step(c[done]))
        return done;
  }
  return done;
}

void RaceDetector::collectHistory() {
  std::vector<std::vector<RaceCell> *> shared;
  for (auto &cta : machine.ctas)
    shared.push_back(&cta->cells);
  history.collect(shared);
}

void RaceDetector::reportWrites(const Accessor &a, Cta *cta, uint64_t address,
                                const RaceCell &cell, uint8_t mask, bool write,
                                bool same) {
  for (uint32_t k = cell.write; k; k = history.write(k).next) {
    const RaceHistory::Write &x = history.write(k);
    if (races(a, x, mask))
      conflict(a, cta, address, write, true, x.slot, x.clock, x.line, x.async,
               same);
  }
}

void RaceDetector::touch(Accessor &a, Cta *cta, uint64_t address,
                         uint64_t bytes, bool write, const uint8_t *newBytes) {
  if (history.full())
    collectHistory();
  const uint64_t start = address, end = address + bytes;
  while (address < end) {
    uint64_t left;
    RaceCell *c = cells(cta, address, left);
    const uint64_t whole = (end - address) / 4;
    uint64_t n = 1;
    uint8_t mask = 15;
    if (!(address & 3) && whole)
      n = std::min(left, whole);
    else
      mask = bytesMask(address & 3,
                       std::min<uint64_t>(4, (address & 3) + end - address));
    const uint64_t done =
        write ? mark<true>(a, c, n, mask) : mark<false>(a, c, n, mask);
    if (done) {
      address += done * 4;
      address &= ~uint64_t(3);
    }
    if (done == n)
      continue;
    // The cell at `address` is a race: say so, and remember the access.
    c += done;
    const uint64_t next = std::min(end, (address & ~uint64_t(3)) + 4);
    bool same = false;
    if (write && newBytes) {
      const uint8_t *old =
          cta ? cta->shared.data() + address : machine.global.data(address);
      same =
          std::memcmp(old, newBytes + (address - start), next - address) == 0;
    }
    reportWrites(a, cta, address, *c, mask, write, same);
    for (uint32_t r = write ? c->read : 0; r; r = history.read(r).next) {
      const RaceHistory::Read &x = history.read(r);
      if (races(a, x, mask))
        conflict(a, cta, address, true, false, x.slot, x.clock, x.line,
                 slots[x.slot].agent, false);
    }
    const uint32_t lastWrite = c->write;
    *c = {0, write ? 0 : c->read};
    write ? mark<true>(a, c, 1, mask) : mark<false>(a, c, 1, mask);
    if (!write)
      c->write = lastWrite;
    address = next;
  }
}

void RaceDetector::access(Warp &w, const Inst &i, unsigned lane, const Place &p,
                          unsigned bytes, Kind kind, const uint8_t *newBytes) {
  if (p.isPrivate)
    return;
  const WarpClocks &c = w.clocks;
  Accessor a(w, i, lane, c.slot, c.generic.get(c.slot), c.generic, nullptr,
             false, kind >= Kind::StrongRead, !p.cta);
  // Strong reads leave no trace: a strong write after them does not race.
  if (kind == Kind::StrongRead) {
    uint64_t left;
    for (uint64_t at = p.address & ~uint64_t(3); at < p.address + bytes;
         at += 4) {
      const RaceCell *cell = cells(p.cta, at, left);
      reportWrites(a, p.cta, at, *cell, 15, false, false);
    }
    return;
  }
  // Atomic operations do not conflict with each other; their read part is
  // covered by the write part.
  touch(a, p.cta, p.address, bytes, kind != Kind::Read, newBytes);
}

void RaceDetector::agentAccess(const AgentClock &agent, Warp &issuer,
                               const Inst &inst, unsigned lane, Cta *cta,
                               uint64_t address, uint64_t bytes, bool write,
                               const uint8_t *newBytes) {
  if (!bytes)
    return;
  Accessor a(issuer, inst, lane, agent.slot, agent.clock, agent.visible,
             agent.asyncProxy ? &agent.ordered : nullptr, true, false, !cta);
  touch(a, cta, address, bytes, write, newBytes);
}

bool RaceDetector::accessLanes(Warp &w, const Inst &i, uint32_t mask,
                               const WarpPlace &p, unsigned bytes, bool write) {
  if (p.isPrivate)
    return true;
  if (history.full())
    collectHistory();
  const WarpClocks &c = w.clocks;
  Accessor a(w, i, 0, c.slot, c.generic.get(c.slot), c.generic, nullptr, false,
             false, !p.cta);
  auto range = [&](uint64_t address, uint64_t length) {
    const uint64_t end = address + length;
    while (address < end) {
      uint64_t left, n = 1;
      RaceCell *cell = cells(p.cta, address, left);
      uint8_t bytesOfCell = 15;
      if (!(address & 3) && end - address >= 4)
        n = std::min(left, (end - address) / 4);
      else
        bytesOfCell = bytesMask(
            address & 3, std::min<uint64_t>(4, (address & 3) + end - address));
      if ((write ? mark<true>(a, cell, n, bytesOfCell)
                 : mark<false>(a, cell, n, bytesOfCell)) != n)
        return false;
      address = (address & ~uint64_t(3)) + n * 4;
    }
    return true;
  };
  if (p.shape == WarpPlace::Contiguous)
    return range(p.origin + p.offset[0], uint64_t(bytes) * kLanes);
  if (p.shape == WarpPlace::Uniform)
    return range(p.origin + p.offset[0], bytes);
  // Lanes side by side are one range; a range that the last lanes had too was
  // seen.
  uint64_t start = 0, length = 0, lastStart = 0, lastLength = 0;
  auto finish = [&] {
    if (!length || (start == lastStart && length == lastLength))
      return true;
    lastStart = start;
    lastLength = length;
    return range(p.origin + start, length);
  };
  while (mask) {
    const uint64_t o = p.offset[__builtin_ctz(mask)];
    mask &= mask - 1;
    if (o == start + length) {
      length += bytes;
      continue;
    }
    if (length && o + bytes == start + length)
      continue;
    if (!finish())
      return false;
    start = o;
    length = bytes;
  }
  return finish();
}

} // namespace gemm::emulator
