// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before races. Every warp has a vector clock for what is ordered
// before its generic accesses and one for what is ordered before accesses
// through the async proxy; a proxy fence joins the first into the second (PTX
// ISA "Memory Consistency Model", "Proxies"). Every asynchronous operation is
// an agent with an epoch of its own, forked from its issuer and joined by its
// own completion mechanism. Memory keeps, per four bytes, the last write and
// the reads since (after Flanagan and Freund, "FastTrack"); see RaceHistory.h.
#ifndef GEMM_EMULATOR_RACES_H
#define GEMM_EMULATOR_RACES_H

#include "Memory.h"
#include "RaceHistory.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gemm::emulator {

struct Machine;
struct Warp;
struct Cta;
struct Inst;
struct Place;
struct WarpPlace;

class VectorClock {
public:
  uint32_t get(uint32_t slot) const { return slot < v.size() ? v[slot] : 0; }
  void set(uint32_t slot, uint32_t clock) {
    if (slot >= v.size())
      v.resize(slot + 1, 0);
    v[slot] = clock;
  }
  void raise(uint32_t slot, uint32_t clock) {
    if (get(slot) < clock)
      set(slot, clock);
  }
  void join(const VectorClock &o) {
    if (o.v.size() > v.size())
      v.resize(o.v.size(), 0);
    for (size_t i = 0; i < o.v.size(); ++i)
      v[i] = v[i] < o.v[i] ? o.v[i] : v[i];
  }
  void clear() { v.clear(); }
  bool empty() const { return v.empty(); }

private:
  std::vector<uint32_t> v;
};

/// What a synchronisation object hands on.
struct SyncClock {
  VectorClock generic, async;
  void join(const SyncClock &o) {
    generic.join(o.generic);
    async.join(o.async);
  }
  void clear() {
    generic.clear();
    async.clear();
  }
};

/// Clocks of one warp.
struct WarpClocks {
  VectorClock generic, async;
  VectorClock fenceRelease; ///< generic clock at the last fence
  SyncClock pendingAcquire; ///< read by strong loads since the last fence
  uint32_t slot = 0;
  std::vector<uint32_t>
      agentSlots; ///< by family * kAgentSlots + number % kAgentSlots
};

/// One asynchronous operation, or a group of them that completes together.
struct AgentClock {
  uint16_t slot = 0;
  uint32_t clock = 0;
  VectorClock visible; ///< ordered before it, in its proxy
  VectorClock ordered; ///< ordered before its issue in the generic proxy
  bool asyncProxy = false;
};

enum class AgentFamily : uint8_t {
  CpAsync,
  BulkLoad,
  BulkRead,
  BulkWrite,
  Wgmma,
  Count
};

class RaceDetector {
public:
  explicit RaceDetector(Machine &machine) : machine(machine) {}

  void startWarp(Warp &warp);
  void endWarp(Warp &warp);

  enum class Kind : uint8_t {
    Read,
    Write,
    StrongRead,
    StrongWrite,
    StrongUpdate
  };
  /// A generic-proxy access of a lane. `newBytes`: what a write stores.
  void access(Warp &warp, const Inst &inst, unsigned lane, const Place &place,
              unsigned bytes, Kind kind, const uint8_t *newBytes = nullptr);
  /// Weak accesses of `bytes` by each lane of the mask. False, and nothing
  /// reported, when one of them is a race: the caller then goes through
  /// access() lane by lane.
  bool accessLanes(Warp &warp, const Inst &inst, uint32_t mask,
                   const WarpPlace &place, unsigned bytes, bool write);
  /// An access of an agent; `line` is that of its issue.
  void agentAccess(const AgentClock &agent, Warp &issuer, const Inst &inst,
                   unsigned lane, Cta *cta, uint64_t address, uint64_t bytes,
                   bool write, const uint8_t *newBytes = nullptr);

  /// Strong accesses also synchronise (release patterns on a location).
  void synchronize(Warp &warp, const Place &place, uint32_t semantics,
                   bool reads, bool writes);

  void release(Warp &warp, SyncClock &object);
  /// Hands on what a fence released before (a relaxed arrive).
  void releaseFenced(Warp &warp, SyncClock &object);
  void acquire(Warp &warp, const SyncClock &object);
  void fence(Warp &warp);
  void proxyFence(Warp &warp);

  AgentClock fork(Warp &warp, AgentFamily family, uint64_t number,
                  bool asyncProxy);
  /// The warp has waited for the agents of these numbers (at most the latest
  /// few are told apart).
  void joinAgents(Warp &warp, Warp &issuer, AgentFamily family,
                  int64_t firstNumber, int64_t lastNumber);
  /// The same agents complete on an object.
  void completeAgents(Warp &warp, AgentFamily family, int64_t lastNumber,
                      SyncClock &object);
  void complete(const AgentClock &agent, SyncClock &object) {
    object.generic.raise(agent.slot, agent.clock);
    object.async.raise(agent.slot, agent.clock);
  }

private:
  struct SlotInfo {
    uint32_t last = 0; ///< highest clock ever given
    std::string owner; ///< for messages
    bool agent = false;
  };
  struct Accessor {
    Warp &warp;
    const Inst &inst;
    unsigned lane;
    uint16_t slot;
    uint32_t clock;
    const VectorClock &visible;
    const VectorClock *ordered; ///< generic order, for a missing proxy fence
    bool async, strong, capped;
    /// What is known already, by mask of bytes: accesses to equal cells end
    /// alike.
    struct Known {
      uint32_t fineWrites[4]; ///< do not race with it, by number % 4
      uint32_t oldRead,
          newRead; ///< reads that do not, and what becomes of them
      uint32_t oldWrite, newWrite; ///< the same of writes
    };
    Known known[16];
    uint16_t isKnown = 0;
    Accessor(Warp &warp, const Inst &inst, unsigned lane, uint32_t slot,
             uint32_t clock, const VectorClock &visible,
             const VectorClock *ordered, bool async, bool strong, bool capped)
        : warp(warp), inst(inst), lane(lane), slot(uint16_t(slot)),
          clock(clock), visible(visible), ordered(ordered), async(async),
          strong(strong), capped(capped) {}
  };

  uint32_t takeSlot(const std::string &owner, bool agent);
  uint32_t agentSlot(Warp &warp, AgentFamily family, uint64_t number);
  void bump(WarpClocks &c);
  RaceCell *cells(Cta *cta, uint64_t address, uint64_t &left) {
    if (!cta)
      return history.globalCells((address - kGlobalBase) / 4, left);
    return sharedCells(*cta, address / 4, left);
  }
  static RaceCell *sharedCells(Cta &cta, uint64_t granule, uint64_t &left);
  void touch(Accessor &a, Cta *cta, uint64_t address, uint64_t bytes,
             bool write, const uint8_t *newBytes);
  /// Marks up to `n` cells of which the bytes `mask` are accessed; returns how
  /// many it marked before one that is a race.
  template <bool Write>
  uint64_t mark(Accessor &a, RaceCell *cells, uint64_t n, uint8_t mask);
  static bool races(const Accessor &a, const RaceHistory::Write &x,
                    uint8_t mask);
  static bool races(const Accessor &a, const RaceHistory::Read &x,
                    uint8_t mask);
  bool writeRaces(const Accessor &a, uint32_t write, uint8_t mask) const;
  bool readsRace(const Accessor &a, uint32_t read, uint8_t mask) const;
  uint32_t afterRead(const Accessor &a, uint32_t old, uint8_t mask);
  uint32_t writesAfterWrite(const Accessor &a, uint32_t old, uint8_t mask);
  uint32_t readsAfterWrite(uint32_t old, uint8_t mask);
  uint32_t addReads(uint32_t list);
  void reportWrites(const Accessor &a, Cta *cta, uint64_t address,
                    const RaceCell &cell, uint8_t mask, bool write, bool same);
  void collectHistory();
  void conflict(const Accessor &a, Cta *cta, uint64_t address, bool write,
                bool otherWrite, uint16_t slot, uint32_t clock, uint32_t line,
                bool otherAsync, bool sameValue);

  Machine &machine;
  std::vector<SlotInfo> slots{1}; ///< slot 0 is nobody
  std::vector<uint32_t> freeSlots;
  RaceHistory history;
  std::vector<RaceHistory::Read> kept; ///< used by afterRead
  std::map<std::pair<const Cta *, uint64_t>, SyncClock> locations;
};

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_RACES_H
