// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler: starts clusters as slots free, runs warps in seeded random
// order, lands asynchronous operations, finds deadlocks.
#include "Machine.h"
#include "ops/Barriers.h"
#include "ops/CpAsync.h"
#include "ops/Wgmma.h"

#include <algorithm>

namespace gemm::emulator {

Machine::Machine(GlobalMemory &global, const Module::Impl &module,
                 const FunctionCode &entry, const LaunchOptions &options,
                 LaunchResult &result)
    : global(global), module(module), entry(entry), options(options),
      result(result), rng(options.seed * 0x9E3779B97F4A7C15u + 1) {
  sanitize = options.sanitize != SanitizeMode::Off;
  strict = options.sanitize == SanitizeMode::Strict;
  if (sanitize)
    races = std::make_unique<RaceDetector>(*this);
}
Machine::~Machine() = default;

static uint64_t specialValue(const Machine &m, const Warp &w, unsigned lane,
                             FunctionCode::SpecialKind kind) {
  using K = FunctionCode::SpecialKind;
  const Cta &c = *w.cta;
  const Cluster &cl = *c.cluster;
  const uint32_t t = w.index * kLanes + lane;
  switch (kind) {
  case K::TidX:
    return t % m.block.x;
  case K::TidY:
    return t / m.block.x % m.block.y;
  case K::TidZ:
    return t / m.block.x / m.block.y;
  case K::NtidX:
    return m.block.x;
  case K::NtidY:
    return m.block.y;
  case K::NtidZ:
    return m.block.z;
  case K::CtaidX:
    return c.x;
  case K::CtaidY:
    return c.y;
  case K::CtaidZ:
    return c.z;
  case K::NctaidX:
    return m.grid.x;
  case K::NctaidY:
    return m.grid.y;
  case K::NctaidZ:
    return m.grid.z;
  case K::LaneId:
    return lane;
  case K::WarpId:
    return w.index;
  case K::NWarpId:
    return 64;
  case K::SmId:
    return c.sm;
  case K::NSmId:
    return m.smLoad.size();
  case K::GridId:
    return 1;
  case K::LanemaskEq:
    return 1u << lane;
  case K::LanemaskLt:
    return (1u << lane) - 1;
  case K::LanemaskLe:
    return (2u << lane) - 1;
  case K::LanemaskGe:
    return ~((1u << lane) - 1);
  case K::LanemaskGt:
    return uint32_t(~((uint64_t(2) << lane) - 1));
  case K::ClusterIdX:
    return cl.x;
  case K::ClusterIdY:
    return cl.y;
  case K::ClusterIdZ:
    return cl.z;
  case K::NClusterIdX:
    return m.grid.x / m.cluster.x;
  case K::NClusterIdY:
    return m.grid.y / m.cluster.y;
  case K::NClusterIdZ:
    return m.grid.z / m.cluster.z;
  case K::ClusterCtaidX:
    return c.rankX;
  case K::ClusterCtaidY:
    return c.rankY;
  case K::ClusterCtaidZ:
    return c.rankZ;
  case K::ClusterNctaidX:
    return m.cluster.x;
  case K::ClusterNctaidY:
    return m.cluster.y;
  case K::ClusterNctaidZ:
    return m.cluster.z;
  case K::ClusterCtarank:
    return c.rank;
  case K::ClusterNctarank:
    return m.cluster.count();
  case K::IsExplicitCluster:
    return m.explicitCluster;
  case K::DynamicSmem:
    return m.dynamicShared;
  case K::TotalSmem:
    return m.sharedBytes;
  case K::AggrSmem:
    return m.sharedBytes + kSharedStart;
  }
  return 0;
}

static bool differsByLane(FunctionCode::SpecialKind kind) {
  using K = FunctionCode::SpecialKind;
  switch (kind) {
  case K::TidX:
  case K::TidY:
  case K::TidZ:
  case K::LaneId:
  case K::LanemaskEq:
  case K::LanemaskLe:
  case K::LanemaskLt:
  case K::LanemaskGe:
  case K::LanemaskGt:
    return true;
  default:
    return false;
  }
}

void Machine::fillFrame(Warp &w, Frame &frame) {
  const FunctionCode &f = *frame.function;
  auto put = [&](uint32_t unit, unsigned bytes, auto &&value) {
    uint8_t *at = frame.regs + size_t(unit) * kUnitBytes;
    auto fill = [&](auto *lanes) {
      for (unsigned l = 0; l < kLanes; ++l)
        lanes[l] = std::remove_reference_t<decltype(*lanes)>(value(l));
    };
    if (bytes == 8)
      fill(reinterpret_cast<uint64_t *>(at));
    else if (bytes == 4)
      fill(reinterpret_cast<uint32_t *>(at));
    else
      fill(reinterpret_cast<uint16_t *>(at));
    frame.undefined[unit] = 0;
  };
  std::memset(frame.regs, 0, kFirstUnit * kUnitBytes);
  *reinterpret_cast<uint32_t *>(frame.regs + kTrueUnit * kUnitBytes) = ~0u;
  for (uint32_t u = 0; u < kFirstUnit; ++u)
    frame.undefined[u] = 0;
  for (const auto &c : f.constants) {
    if (c.bytes == 16) {
      uint64_t *p = reinterpret_cast<uint64_t *>(frame.regs +
                                                 size_t(c.unit) * kUnitBytes);
      for (unsigned l = 0; l < kLanes; ++l)
        p[2 * l] = c.low, p[2 * l + 1] = c.high;
      frame.undefined[c.unit] = 0;
    } else {
      put(c.unit, c.bytes < 2 ? 2 : c.bytes, [&](unsigned) { return c.low; });
    }
  }
  for (const auto &s : f.specials) {
    if (differsByLane(s.kind)) {
      put(s.unit, s.bytes,
          [&](unsigned l) { return specialValue(*this, w, l, s.kind); });
      continue;
    }
    const uint64_t v = specialValue(*this, w, 0, s.kind);
    put(s.unit, s.bytes, [&](unsigned) { return v; });
  }
  for (const auto &s : f.symbols) {
    uint64_t v = 0;
    switch (s.kind) {
    case FunctionCode::SymbolUnit::SharedStatic:
      v = kSharedStart + s.value;
      break;
    case FunctionCode::SymbolUnit::SharedDynamic:
      v = kSharedStart + dynamicOffset;
      break;
    case FunctionCode::SymbolUnit::Global:
      v = moduleAddresses[s.value];
      break;
    case FunctionCode::SymbolUnit::Local:
      v = frame.localBase + s.value;
      break;
    }
    v += uint64_t(s.addend);
    put(s.unit, s.bytes, [&](unsigned) { return v; });
  }
}

Frame *Machine::makeFrame(Warp &w, const FunctionCode &function) {
  auto frame = std::make_unique<Frame>();
  frame->function = &function;
  size_t bytes = size_t(function.units) * kUnitBytes;
  frame->storage.reset(new uint8_t[bytes + kUnitBytes]);
  uintptr_t p = reinterpret_cast<uintptr_t>(frame->storage.get());
  frame->regs = reinterpret_cast<uint8_t *>((p + kUnitBytes - 1) &
                                            ~uintptr_t(kUnitBytes - 1));
  std::memset(frame->regs, 0xff,
              bytes); // undefined registers read as NaN, wild as addresses
  frame->undefined.reset(new uint32_t[function.units]);
  // Without the sanitizer nobody asks, and all counts as defined.
  std::memset(frame->undefined.get(), sanitize ? 0xff : 0,
              function.units * sizeof(uint32_t));
  Frame *result = frame.get();
  w.frames.push_back(std::move(frame));
  return result;
}

void Machine::makeCta(Cluster &cl, uint32_t rank, unsigned sm) {
  auto cta = std::make_unique<Cta>();
  cta->machine = this;
  cta->cluster = &cl;
  cta->rank = rank;
  cta->rankX = rank % cluster.x;
  cta->rankY = rank / cluster.x % cluster.y;
  cta->rankZ = rank / cluster.x / cluster.y;
  cta->x = cl.x * cluster.x + cta->rankX;
  cta->y = cl.y * cluster.y + cta->rankY;
  cta->z = cl.z * cluster.z + cta->rankZ;
  cta->sm = sm;
  cta->shared.assign(sharedBytes + 16, 0xff);
  cta->sharedShadow.assign(sharedBytes + 16, 0);
  const uint8_t fresh = sanitize ? kAddressable : kAddressable | kDefined;
  std::memset(cta->sharedShadow.data(), fresh, sharedBytes);
  if (races)
    cta->cells.assign(sharedBytes / 4 + 4, RaceCell());
  const uint32_t threads = uint32_t(block.count()), warps = (threads + 31) / 32;
  cta->liveWarps = warps;
  for (NamedBarrier &b : cta->barriers)
    b.masks.assign(warps, 0);
  cta->clusterArrivedMask.assign(warps, 0);
  cta->clusterGeneration.assign(warps, 0);
  for (uint32_t i = 0; i < warps; ++i) {
    auto w = std::make_unique<Warp>();
    w->machine = this;
    w->cta = cta.get();
    w->index = i;
    w->id = nextWarpId++;
    uint32_t n = std::min(32u, threads - i * 32);
    w->live = w->all = n == 32 ? ~0u : (1u << n) - 1;
    uint64_t localBytes = entry.localBytes;
    for (const FunctionCode &f : module.functions)
      if (!f.isEntry && f.syntax->hasBody)
        localBytes =
            entry.localBytes + (uint64_t(64) << 10); // room for call frames
    w->localStride = uint32_t((localBytes + 15) & ~uint64_t(15));
    w->local.assign(size_t(w->localStride) * kLanes, 0xff);
    w->localShadow.assign(size_t(w->localStride) * kLanes, fresh);
    Frame *frame = makeFrame(*w, entry);
    fillFrame(*w, *frame);
    Split s;
    s.mask = w->live;
    s.frame = frame;
    w->splits.push_back(s);
    if (races)
      races->startWarp(*w);
    wake(*w);
    cta->warps.push_back(std::move(w));
  }
  cl.ctas.push_back(cta.get());
  ctas.push_back(std::move(cta));
}

bool Machine::startClusters() {
  bool any = false;
  const uint32_t size = uint32_t(cluster.count());
  while (nextCluster < totalClusters) {
    std::vector<unsigned> slots;
    std::vector<unsigned> load = smLoad;
    for (uint32_t r = 0; r < size; ++r) {
      // The emptiest multiprocessor first, ties by number.
      unsigned best = 0;
      for (unsigned s = 1; s < load.size(); ++s)
        if (load[s] < load[best])
          best = s;
      if (load[best] >= ctasPerSm)
        break;
      ++load[best];
      slots.push_back(best);
    }
    if (slots.size() < size)
      break;
    smLoad = load;
    auto cl = std::make_unique<Cluster>();
    uint64_t id = nextCluster++;
    uint64_t nx = grid.x / cluster.x, ny = grid.y / cluster.y;
    cl->id = uint32_t(id);
    cl->x = uint32_t(id % nx);
    cl->y = uint32_t(id / nx % ny);
    cl->z = uint32_t(id / nx / ny);
    cl->liveCtas = size;
    for (uint32_t r = 0; r < size; ++r)
      makeCta(*cl, r, slots[r]);
    clusters.push_back(std::move(cl));
    any = true;
  }
  return any;
}

void Machine::wake(Warp &w) {
  if (w.runIndex >= 0)
    return;
  w.runIndex = int(runnable.size());
  runnable.push_back(&w);
}

void Machine::removeRunnable(Warp &w) {
  if (w.runIndex < 0)
    return;
  Warp *last = runnable.back();
  runnable[size_t(w.runIndex)] = last;
  last->runIndex = w.runIndex;
  runnable.pop_back();
  w.runIndex = -1;
}

void Machine::ctaExited(Cta &cta) {
  cta.exited = true;
  ++retired;
  checkAgentsAtExit(*this, cta);
  Cluster &cl = *cta.cluster;
  addProgress();
  if (--cl.liveCtas)
    return;
  // The whole cluster leaves at once: peers may still be read until then.
  for (;;) {
    size_t i = 0;
    while (i < agents.size() && agents[i]->issuer->cta->cluster != &cl)
      ++i;
    if (i == agents.size())
      break;
    landAgent(i);
  }
  for (Cta *c : cl.ctas) {
    --smLoad[c->sm];
    if (races)
      for (auto &w : c->warps)
        races->endWarp(*w);
    for (size_t i = 0; i < ctas.size(); ++i)
      if (ctas[i].get() == c) {
        ctas[i] = std::move(ctas.back());
        ctas.pop_back();
        break;
      }
  }
  for (size_t i = 0; i < clusters.size(); ++i)
    if (clusters[i].get() == &cl) {
      clusters[i] = std::move(clusters.back());
      clusters.pop_back();
      break;
    }
}

template <bool Sanitize, bool Count>
void Machine::execute(Warp &w, unsigned quantum) {
  const FunctionCode *function = w.frame->function;
  const unsigned budget = quantum;
  for (; quantum; --quantum) {
    const Inst &i = w.code[w.pc];
    uint32_t mask = w.active & (w.pred(i.guard) ^ i.guardXor);
    ++w.pc;
    if (Sanitize && (w.undef[i.guard] & w.active))
      report(Severity::Error, ReportKind::Undefined, &w, &i,
             __builtin_ctz(w.undef[i.guard] & w.active),
             "the predicate of this instruction is undefined");
    if (w.tracking)
      checkFutures(w, i, mask);
    if (Count) {
      if (w.frame->function != function)
        function = w.frame->function;
      size_t f = size_t(function - module.functions.data());
      siteWarp[f][w.pcOf(i)] += 1;
      siteLane[f][w.pcOf(i)] += unsigned(__builtin_popcount(mask));
    }
    if (mask == 0 && !(i.flags & kAlways))
      continue;
    if (Sanitize && (i.flags & kSimpleTaint)) {
      uint32_t u = w.undef[i.a] | w.undef[i.b] | w.undef[i.c];
      if (u | w.undef[i.d])
        w.undef[i.d] = (w.undef[i.d] & ~mask) | (u & mask);
    }
    if ((i.flags & kAligned) && mask != w.live)
      fault(ReportKind::Divergence, w, i, __builtin_ctz(mask),
            ".aligned instruction executed by a part of the warp's lanes only");
    i.run(w, i, mask);
    if (w.stop)
      break;
  }
  executed += budget - quantum + (quantum ? 1 : 0);
}

void Machine::runWarp(Warp &w, unsigned quantum) {
  if (w.current < 0 && !w.chooseSplit()) {
    removeRunnable(w);
    return;
  }
  w.stop = false;
  if (options.counters)
    sanitize ? execute<true, true>(w, quantum)
             : execute<false, true>(w, quantum);
  else
    sanitize ? execute<true, false>(w, quantum)
             : execute<false, false>(w, quantum);
  if (w.current >= 0 && (w.stop || w.splits.size() > 1))
    w.saveSplit();
  if (w.live == 0) {
    removeRunnable(w);
    while (landOneWgmma(w))
      ;
    landAllCopies(w);
    warpExited(w);
    return;
  }
  if (!w.hasRunnable())
    removeRunnable(w);
}

bool Machine::landSomething() {
  if (!agents.empty()) {
    size_t i =
        options.async == AsyncMode::Random ? size_t(rng() % agents.size()) : 0;
    landAgent(i);
    return true;
  }
  for (auto &cta : ctas)
    for (auto &w : cta->warps)
      if (landOneCopy(*w))
        return true;
  return false;
}

void Machine::addAgent(std::unique_ptr<AsyncAgent> agent) {
  agent->order = ++orderCounter;
  agents.push_back(std::move(agent));
  if (options.async == AsyncMode::Early)
    while (!agents.empty())
      landAgent(agents.size() - 1);
}

void Machine::landAgent(size_t index) {
  addProgress();
  AsyncAgent *a = agents[index].get();
  if (!a->land(*this))
    return;
  // land() may have added nothing, but find it again to be safe.
  for (size_t i = 0; i < agents.size(); ++i)
    if (agents[i].get() == a) {
      std::unique_ptr<AsyncAgent> done = std::move(agents[i]);
      agents.erase(agents.begin() + long(i));
      agentFinished(*this, *done);
      return;
    }
}

void Machine::deadlock() {
  std::string who;
  unsigned shown = 0, total = 0;
  const Warp *first = nullptr;
  for (auto &cta : ctas)
    for (auto &w : cta->warps)
      for (const Split &s : w->splits) {
        ++total;
        if (!first)
          first = w.get();
        if (shown >= 4)
          continue;
        ++shown;
        who += (shown > 1 ? "; " : "") + where(*w, -1) + " lanes 0x" +
               [&] {
                 char t[16];
                 std::snprintf(t, sizeof t, "%x", s.mask);
                 return std::string(t);
               }() +
               " waits at line " + std::to_string(s.waitLine) + " " +
               describeWait(*w, s);
      }
  Report r;
  r.kind = ReportKind::Deadlock;
  r.message = "deadlock: no warp can go on: " + who;
  if (total > shown)
    r.message += "; and " + std::to_string(total - shown) + " more";
  if (first && !first->splits.empty())
    r.line = first->splits[0].waitLine;
  throw Fault{r};
}

void Machine::run() {
  siteWarp.resize(module.functions.size());
  siteLane.resize(module.functions.size());
  if (options.counters)
    for (size_t f = 0; f < module.functions.size(); ++f) {
      siteWarp[f].assign(module.functions[f].code.size(), 0);
      siteLane[f].assign(module.functions[f].code.size(), 0);
    }
  totalClusters = grid.count() / cluster.count();
  uint64_t lastProgress = 0, idleSince = 0, spurious = 0;
  try {
    startClusters();
    while (!ctas.empty()) {
      if (runnable.empty()) {
        if (landSomething())
          continue;
        // Everybody waits. try_wait may fail at any time: let those go round
        // once; if nothing comes of it, this is a deadlock.
        if (progress != lastProgress)
          spurious = 0;
        lastProgress = progress;
        if (++spurious > 3 || !wakeTimedWaits(*this))
          deadlock();
        continue;
      }
      size_t pick = runnable.size() == 1 ? 0 : size_t(rng() % runnable.size());
      Warp &w = *runnable[pick];
      const uint64_t residents = retired;
      runWarp(w, 16 + unsigned(rng() % 96));
      const bool alive = retired == residents; // else w may be gone
      if (options.async == AsyncMode::Random && !agents.empty() && chance(16))
        landSomething();
      if (options.async == AsyncMode::Random && alive && chance(8) &&
          !w.copies.empty())
        landOneCopy(w);
      if (options.async == AsyncMode::Random && alive && chance(8))
        landOneWgmma(w);
      if (options.maxWarpInstructions &&
          executed > options.maxWarpInstructions) {
        Report r;
        r.kind = ReportKind::Limit;
        r.message = "limit: stopped after " + std::to_string(executed) +
                    " warp instructions";
        throw Fault{r};
      }
      if (progress != idleSince) {
        idleSince = progress;
        idleStart = executed;
      } else if (executed - idleStart > (uint64_t(1) << 24)) {
        // Nothing has happened for long. Asynchronous operations that are held
        // back get their turn first.
        idleStart = executed;
        if (!landSomething())
          livelock();
      }
    }
  } catch (const Fault &f) {
    result.reports.push_back(f.report);
  }
  if (options.counters)
    finishCounters();
}

} // namespace gemm::emulator
