// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of one launch: warps, CTAs, clusters, and the scheduler.
#ifndef GEMM_EMULATOR_MACHINE_H
#define GEMM_EMULATOR_MACHINE_H

#include "Memory.h"
#include "Program.h"
#include "Races.h"

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <unordered_map>

namespace gemm::emulator {

struct Machine;
struct Cta;
struct Warp;
struct AsyncAgent;

/// Stops the launch.
struct Fault {
  Report report;
};

enum class Access : uint8_t { Read, Write, Atomic };

/// One call of a function by some lanes of a warp.
struct Frame {
  const FunctionCode *function = nullptr;
  std::unique_ptr<uint8_t[]> storage;
  uint8_t *regs = nullptr;
  std::unique_ptr<uint32_t[]>
      undefined; ///< per unit: lanes whose value is undefined
  /// Of registers with some undefined bytes, by unit * 32 + lane: the value,
  /// and which bytes (ops/PartlyDefined.h).
  struct PartlyDefined {
    uint64_t value;
    uint8_t undefined;
  };
  std::unordered_map<uint32_t, PartlyDefined> partlyDefined;
  Frame *caller = nullptr;
  uint32_t returnPc = 0;
  const Inst *call = nullptr;
  uint32_t localBase = 0;
  int node = -1; ///< the caller's join node
  // Filled by the first wgmma of the frame, per unit:
  std::vector<uint64_t>
      future; ///< number of the unjoined wgmma that will write it; 0: none
  std::vector<uint32_t> futureIndex; ///< which register of D
  std::vector<uint64_t> readBy; ///< number of the unjoined wgmma that reads it
  std::vector<uint32_t> accessStamp; ///< fenceGeneration + 1 at its last use
};

/// Lanes that parted at a branch and will meet at `pc`.
struct JoinNode {
  uint32_t pc = kNoPc;
  Frame *frame = nullptr;
  uint32_t expected = 0, arrived = 0;
  int parent = -1;
  bool used = false;
};

enum class Wait : uint8_t {
  None,
  Barrier,
  Mbarrier,
  Cluster,
  WarpSync,
  Agents
};

/// Lanes of a warp that run together.
struct Split {
  uint32_t mask = 0, pc = 0;
  int node = -1;
  Frame *frame = nullptr;
  Wait wait = Wait::None;
  uint32_t waitLine = 0;
  uint32_t waitMask = 0;   ///< WarpSync: members
  uint64_t waitObject = 0; ///< barrier number, or mbarrier address
  uint32_t waitPhase = 0;
  bool timedOut =
      false; ///< a wait that ended by chance: the condition is false
  const Inst *waitInst = nullptr;
};

/// A non-bulk cp.async of one warp instruction.
struct CpAsyncOp {
  const Inst *inst;
  uint32_t mask; ///< lanes that still have to land
  uint8_t bytes;
  uint8_t kind; ///< 0 copy, 1 mbarrier arrive, 2 mbarrier arrive.noinc
  uint32_t group[kLanes];
  uint64_t from[kLanes];
  uint32_t to[kLanes];
  uint32_t sourceBytes[kLanes];
  uint64_t order;
  AgentClock clock;
};

/// One warp's quarter of a wgmma.
struct WgmmaOp {
  const Inst *inst = nullptr;
  Frame *frame = nullptr;
  uint64_t descriptorA = 0, descriptorB = 0;
  bool scaleD = true;
  bool done = false; ///< its effect has landed; it may still be unjoined
  uint32_t group = 0;
  uint64_t number = 0;           ///< counts from 1 in the warp
  std::vector<uint32_t> sources; ///< units of A in registers
  /// Registers that a mov has passed a result on to: (unit, register of D).
  std::vector<std::pair<uint32_t, uint32_t>> aliases;
  AgentClock clock;
};

struct Warp {
  // Hot state of the running split.
  uint8_t *regs = nullptr;
  uint32_t *undef = nullptr;
  const Inst *code = nullptr;
  uint32_t pc = 0;
  uint32_t active = 0;
  bool stop = false; ///< leave the instruction loop
  Frame *frame = nullptr;
  int node = -1;

  Machine *machine = nullptr;
  Cta *cta = nullptr;
  uint32_t index = 0; ///< in the CTA
  uint32_t live = 0;  ///< lanes that have not exited
  uint32_t all = 0;   ///< lanes that exist
  int runIndex = -1;  ///< in Machine::runnable
  uint32_t id = 0;    ///< unique in the launch's resident set

  std::vector<Split> splits;
  int current = -1;
  std::vector<JoinNode> nodes;
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<uint8_t> local, localShadow; ///< [lane][localBytes]
  uint32_t localStride = 0;

  // cp.async
  std::vector<CpAsyncOp> copies;
  uint32_t copyGroup[kLanes] = {}; ///< the open group of each lane

  // Committed bulk groups of each lane.
  uint32_t bulkGroup[kLanes] = {};
  /// What a lane's copies out of shared memory have been waited for.
  struct BulkStores {
    uint32_t lastGroup = 0;     ///< of the last such copy; 0: none
    uint32_t readGroup = 0;     ///< up to it a wait has seen the reads complete
    const Inst *inst = nullptr; ///< the last copy
  };
  BulkStores bulkStores[kLanes];

  // wgmma
  std::deque<WgmmaOp> wgmmas;   ///< not joined yet, in order
  uint32_t wgmmaGroup = 0;      ///< committed groups
  uint64_t wgmmaCount = 0;      ///< issued so far
  uint32_t fenceGeneration = 0; ///< wgmma.fence executed so far
  WarpClocks clocks;
  uint64_t bulkLoads = 0; ///< issued so far
  bool tracking = false;  ///< check and record register uses (see checkFutures)

  template <class T> T *lanes(uint32_t unit) {
    return reinterpret_cast<T *>(regs + size_t(unit) * kUnitBytes);
  }
  uint32_t &pred(uint32_t unit) { return *lanes<uint32_t>(unit); }
  void setPred(uint32_t unit, uint32_t mask, uint32_t value) {
    uint32_t &p = pred(unit);
    p = (p & ~mask) | (value & mask);
  }
  /// Marks a destination as defined for `mask`, or not.
  void define(uint32_t unit, uint32_t mask) { undef[unit] &= ~mask; }
  void setUndefined(uint32_t unit, uint32_t mask, uint32_t undefinedLanes) {
    undef[unit] = (undef[unit] & ~mask) | (undefinedLanes & mask);
  }
  uint32_t pcOf(const Inst &i) const { return uint32_t(&i - code); }
  uint64_t uniform64(uint32_t unit, uint32_t mask) {
    return lanes<uint64_t>(unit)[__builtin_ctz(mask)];
  }

  /// Address operand of a lane: unit a (32 bits wide if small bit 7 is set) +
  /// imm.
  uint64_t address(const Inst &i, unsigned lane) {
    return (i.small & 0x80 ? uint64_t(lanes<uint32_t>(i.a)[lane])
                           : lanes<uint64_t>(i.a)[lane]) +
           uint64_t(i.imm);
  }

  void loadSplit(int index);
  void saveSplit();
  /// The running split stops until it is woken; `pc` is where it goes on.
  void block(Wait wait, const Inst &inst, uint32_t resumePc, uint64_t object,
             uint32_t phase);
  /// Takes a runnable split; false if there is none.
  bool chooseSplit();
  bool hasRunnable() const;
  /// For .sync instructions: returns the lanes that execute now (all of
  /// `members` that live), or 0 when this split must wait for others.
  uint32_t gather(const Inst &inst, uint32_t mask, uint32_t members);
  /// After a gathered instruction: lets the other splits go on.
  void exitLanes(uint32_t mask);
  void checkNodes();
  void freeSplit(int index);
};

/// A named barrier (bar, barrier) of a CTA.
struct NamedBarrier {
  uint32_t arrived = 0;  ///< threads, in whole warps where the warp is complete
  uint32_t expected = 0; ///< 0: all threads of the CTA
  bool active = false;
  uint32_t generation = 0;
  std::vector<uint32_t> masks; ///< per warp: lanes that arrived
  uint32_t reduceAnd = ~0u, reducePopc = 0;
  bool reduceOr = false;
  uint32_t lastAnd = 0, lastOr = 0, lastPopc = 0;
  uint32_t line = 0;
  SyncClock accumulated;
};

/// A phase of an mbarrier completes when pending and tx are both zero.
struct Mbarrier {
  uint64_t phase = 0; ///< completed phases
  int64_t pending = 0, expected = 0, tx = 0;
  uint32_t line = 0;                    ///< of its init
  uint32_t initSlot = 0, initClock = 0; ///< epoch of its init
  bool fenced = false; ///< a fence has made the init visible to the async proxy
  SyncClock accumulated,
      completed; ///< of this phase's arrivals, of the last phase
};

struct Cluster {
  uint32_t id = 0, x = 0, y = 0, z = 0;
  std::vector<Cta *> ctas;
  // barrier.cluster
  uint32_t arrived = 0; ///< threads
  uint32_t generation = 0;
  uint32_t liveCtas = 0;
  SyncClock accumulated, completed;
};

struct Cta {
  Machine *machine = nullptr;
  Cluster *cluster = nullptr;
  uint32_t x = 0, y = 0, z = 0, rank = 0, rankX = 0, rankY = 0, rankZ = 0;
  uint32_t sm = 0;
  uint32_t slot = 0; ///< index in Machine::ctas
  uint32_t liveWarps = 0;
  bool exited = false;
  std::vector<uint8_t> shared, sharedShadow; ///< from kSharedStart
  std::vector<RaceCell> cells; ///< per four bytes of shared memory
  std::vector<std::unique_ptr<Warp>> warps;
  NamedBarrier barriers[16];
  std::unordered_map<uint32_t, Mbarrier>
      mbarriers;                            ///< by offset in shared memory
  std::vector<uint32_t> clusterArrivedMask; ///< per warp, this generation
  std::vector<uint32_t>
      clusterGeneration; ///< per warp, next generation to wait for
  uint32_t pendingAgents =
      0; ///< agents that still touch this CTA's shared memory
};

/// Where an access goes.
struct Place {
  uint8_t *data = nullptr;
  uint8_t *shadow = nullptr;
  Cta *cta = nullptr;   ///< shared memory of this CTA; null for global and
                        ///< private memory
  uint64_t address = 0; ///< global address, or offset in shared memory
  bool isPrivate = false;
};

/// A warp's access when all of its lanes go to one memory, in bounds and
/// aligned.
struct WarpPlace {
  enum Shape : uint8_t {
    Scattered,
    Contiguous, ///< all 32 lanes, each beginning where the last one ends
    Uniform     ///< all lanes at one address
  } shape = Scattered;
  bool isPrivate = false;
  uint8_t *data = nullptr,
          *shadow = nullptr; ///< of offset 0; no shadow: all is defined
  Cta *cta = nullptr;        ///< as in Place
  uint64_t origin = 0;       ///< Place::address of offset 0
  /// Bytes; an inactive lane has the first active lane's.
  alignas(64) uint64_t offset[kLanes];
};

/// Operation that was issued and lands later.
struct AsyncAgent {
  virtual ~AsyncAgent() = default;
  /// Performs the next step; true when nothing is left to do.
  virtual bool land(Machine &machine) = 0;
  virtual std::string describe() const = 0;
  Warp *issuer = nullptr;
  unsigned lane = 0;
  uint32_t bulkGroup =
      0; ///< group of the issuer's lane, from 1; 0: completes on an mbarrier
  bool sourceRead = false; ///< bulk stores: the source has been read
  uint32_t line = 0;
  uint64_t order = 0;
  Cta *cta = nullptr;
  AgentClock clock, writeClock; ///< of the operation; of a store's write
};

struct Machine {
  GlobalMemory &global;
  const Module::Impl &module;
  const FunctionCode &entry;
  const LaunchOptions &options;
  LaunchResult &result;
  DeviceLimits limits;
  std::string target;
  bool sanitize = true, strict = false;

  Dim3 grid, block, cluster;
  uint64_t dynamicShared = 0, dynamicOffset = 0, sharedBytes = 0;
  std::vector<uint8_t> params;
  std::vector<uint64_t> moduleAddresses; ///< of .global and .const variables
  bool explicitCluster = false;

  std::mt19937_64 rng;
  std::vector<std::unique_ptr<Cta>> ctas;         ///< resident
  std::vector<std::unique_ptr<Cluster>> clusters; ///< resident
  std::vector<Warp *> runnable;
  std::vector<std::unique_ptr<AsyncAgent>> agents;
  uint64_t nextCluster = 0, totalClusters = 0;
  unsigned ctasPerSm = 1;
  std::vector<unsigned> smLoad;
  uint64_t executed = 0; ///< warp instructions
  uint64_t progress = 0; ///< events that can end somebody's wait
  uint64_t retired = 0;  ///< CTAs that have exited
  uint64_t orderCounter = 0;
  uint64_t idleStart = 0; ///< `executed` when `progress` last changed
  uint32_t nextWarpId = 0;
  std::vector<std::vector<uint64_t>> siteWarp,
      siteLane; ///< per function, per pc
  std::map<std::pair<int, std::string>, size_t> reportIndex;
  std::unique_ptr<RaceDetector> races; ///< null when not sanitizing
  struct SiteMemory {
    uint64_t sharedRequests = 0, wavefronts = 0, ideal = 0, globalRequests = 0,
             sectors = 0;
  };
  std::unordered_map<const Inst *, SiteMemory> siteMemory;

  Machine(GlobalMemory &global, const Module::Impl &module,
          const FunctionCode &entry, const LaunchOptions &options,
          LaunchResult &result);
  ~Machine();

  void run();
  bool startClusters();
  void makeCta(Cluster &cluster, uint32_t rank, unsigned sm);
  void fillFrame(Warp &warp, Frame &frame);
  Frame *makeFrame(Warp &warp, const FunctionCode &function);
  void wake(Warp &warp);
  void removeRunnable(Warp &warp);
  void ctaExited(Cta &cta);
  void runWarp(Warp &warp, unsigned quantum);
  template <bool Sanitize, bool Count>
  void execute(Warp &warp, unsigned quantum);
  void finishCounters();
  [[noreturn]] void deadlock();
  void livelock();

  // Reports.
  std::string where(const Warp &warp, int lane) const;
  [[noreturn]] void fault(ReportKind kind, const Warp &warp, const Inst &inst,
                          int lane, const std::string &cause);
  void report(Severity severity, ReportKind kind, const Warp *warp,
              const Inst *inst, int lane, const std::string &cause);
  std::string location(const Warp *warp, const Inst *inst) const;

  // Memory.
  /// Bounds and alignment; faults when wrong.
  Place locate(Warp &warp, const Inst &inst, unsigned lane, Space space,
               uint64_t address, unsigned bytes, unsigned align, Access access);
  /// As locate for every lane of the mask at once; false when that is not
  /// possible, be it an error or not: locate() lane by lane then tells.
  bool locateLanes(Warp &warp, const Inst &inst, uint32_t mask, Space space,
                   unsigned bytes, Access access, WarpPlace &place);
  /// As locate, for agents: `who` names the operation.
  Place locateShared(Warp &warp, const Inst &inst, unsigned lane,
                     uint32_t clusterAddress, uint64_t bytes);
  void checkGlobalRange(Warp &warp, const Inst &inst, unsigned lane,
                        uint64_t address, uint64_t bytes, Access access);

  // Agents.
  void addAgent(std::unique_ptr<AsyncAgent> agent);
  void landAgent(size_t index);
  bool landSomething(); ///< lands one agent or cp.async; false if there is none
  bool chance(unsigned oneIn) { return rng() % oneIn == 0; }

  void addProgress() { ++progress; }
};

// The running split's control flow, used by ops/Control.cpp.
void executeJoin(Warp &warp, const Inst &inst, uint32_t mask);
/// The running lanes will meet at `meet`: makes a join node unless they have
/// it.
void ensureJoin(Warp &warp, uint32_t meet);
void branchTo(Warp &warp, const Inst &inst, uint32_t mask, uint32_t target);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_MACHINE_H
