// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk and tensor copies as asynchronous agents (PTX ISA "Bulk copy" and
// "Tensor copy"). A load's agent writes shared memory and completes bytes on an
// mbarrier in one step; a store's agent first reads its source, then writes.
#include "../TensorMap.h"
#include "Access.h"
#include "AsyncAddress.h"
#include "Barriers.h"
#include "CpAsync.h"
#include "Families.h"
#include "Reduce.h"

namespace gemm::emulator {

namespace {

enum class BulkKind : uint8_t {
  GlobalToShared,
  SharedToCluster,
  SharedToGlobal,
  TensorLoad,
  TensorStore
};

struct BulkSpec {
  BulkKind kind;
  bool reduce = false, multicast = false, byteMask = false;
  ReduceOp op = ReduceOp::Add;
  Type type = Type::B8;
  unsigned rank = 0;
  // Units.
  AsyncAddress destination, source, barrier, map;
  uint32_t size = 0, mask = 0, bytesMask = 0;
  uint32_t coordinates[5] = {};
};

void copyDefined(uint8_t *to, const uint8_t *from, uint64_t n) {
  for (uint64_t k = 0; k < n; ++k)
    to[k] = uint8_t((to[k] & ~kDefined) | (from[k] & kDefined));
}

void reduceBytes(ReduceOp op, Type type, uint8_t *to, uint8_t *toShadow,
                 const uint8_t *from, const uint8_t *fromShadow, uint64_t n) {
  const unsigned e = bitsOf(type) / 8;
  for (uint64_t k = 0; k + e <= n; k += e) {
    uint64_t a = 0, b = 0;
    std::memcpy(&a, to + k, e);
    std::memcpy(&b, from + k, e);
    a = reduceValue(op, type, a, b);
    std::memcpy(to + k, &a, e);
    for (unsigned j = 0; j < e; ++j)
      if (!(fromShadow[k + j] & kDefined))
        toShadow[k + j] = uint8_t(toShadow[k + j] & ~kDefined);
  }
}

struct BulkAgent : AsyncAgent {
  const Inst *inst = nullptr;
  const BulkSpec *spec = nullptr;
  Cta *target = nullptr, *sourceCta = nullptr, *barrierCta = nullptr;
  uint32_t targetOffset = 0, sourceOffset = 0, barrierOffset = 0;
  uint64_t global = 0, bytes = 0;
  uint16_t byteMask = 0xffff;
  /// Further destinations of a multicast: the first one has read global memory.
  bool repeated = false;
  uint64_t lastSector = ~uint64_t(0); ///< that was counted
  TensorMapFields map;
  int32_t coordinates[5] = {};
  Type type = Type::None; ///< of a reduction
  std::vector<uint8_t> buffer, bufferShadow;

  std::string describe() const override {
    return "the copy issued at line " + std::to_string(line);
  }

  void complete() {
    auto b = barrierCta->mbarriers.find(barrierOffset);
    if (issuer->machine->races && b != barrierCta->mbarriers.end())
      issuer->machine->races->complete(clock, b->second.accumulated);
    mbarrierTransaction(*issuer, inst, int(lane), *barrierCta, barrierOffset,
                        -int64_t(bytes));
  }
  void note(const AgentClock &c, Cta *cta, uint64_t address, uint64_t n,
            bool write, const uint8_t *newBytes = nullptr) {
    if (issuer->machine->races)
      issuer->machine->races->agentAccess(c, *issuer, *inst, lane, cta, address,
                                          n, write, newBytes);
  }

  void count(Machine &m, uint64_t address, uint64_t n, bool write) {
    if (m.options.counters && !repeated)
      countBulk(m, *inst, address, n, write, lastSector);
  }

  void undefinedStore(Machine &m) {
    m.report(Severity::Error, ReportKind::Undefined, issuer, inst, int(lane),
             "undefined data is written to global memory by a bulk store");
  }

  bool land(Machine &m) override {
    switch (spec->kind) {
    case BulkKind::GlobalToShared:
      count(m, global, bytes, false);
      note(clock, nullptr, global, bytes, false);
      note(clock, target, targetOffset, bytes, true);
      std::memcpy(target->shared.data() + targetOffset, m.global.data(global),
                  bytes);
      copyDefined(target->sharedShadow.data() + targetOffset,
                  m.global.shadow(global), bytes);
      complete();
      return true;
    case BulkKind::SharedToCluster: {
      uint8_t *to = target->shared.data() + targetOffset,
              *from = sourceCta->shared.data() + sourceOffset;
      uint8_t *toShadow = target->sharedShadow.data() + targetOffset,
              *fromShadow = sourceCta->sharedShadow.data() + sourceOffset;
      note(clock, sourceCta, sourceOffset, bytes, false);
      note(clock, target, targetOffset, bytes, true);
      if (spec->reduce) {
        reduceBytes(spec->op, type, to, toShadow, from, fromShadow, bytes);
      } else {
        std::memmove(to, from, bytes);
        copyDefined(toShadow, fromShadow, bytes);
      }
      sourceRead = true;
      complete();
      return true;
    }
    case BulkKind::TensorLoad:
      loadBox(m);
      complete();
      return true;
    case BulkKind::SharedToGlobal:
    case BulkKind::TensorStore:
      if (!sourceRead) {
        readSource();
        return false;
      }
      spec->kind == BulkKind::TensorStore ? storeBox(m) : storeLinear(m);
      return true;
    }
    return true;
  }

  void loadBox(Machine &m) {
    uint8_t *shared = target->shared.data(),
            *shadow = target->sharedShadow.data();
    forEachBoxPiece(
        map, coordinates, targetOffset + kSharedStart, [&](const BoxPiece &p) {
          uint32_t at = p.sharedAddress - kSharedStart;
          note(clock, target, at, p.bytes, true);
          if (p.inBounds) {
            count(m, p.globalAddress, p.bytes, false);
            note(clock, nullptr, p.globalAddress, p.bytes, false);
            m.checkGlobalRange(*issuer, *inst, lane, p.globalAddress, p.bytes,
                               Access::Read);
            std::memcpy(shared + at, m.global.data(p.globalAddress), p.bytes);
            copyDefined(shadow + at, m.global.shadow(p.globalAddress), p.bytes);
            transformLoaded(map, shared + at, p.bytes);
          } else {
            fillOutOfBounds(map, shared + at, p.bytes);
            setDefined(shadow + at, p.bytes, true);
          }
        });
  }

  void readSource() {
    buffer.assign(sourceCta->shared.data() + sourceOffset,
                  sourceCta->shared.data() + sourceOffset + bytes);
    bufferShadow.assign(sourceCta->sharedShadow.data() + sourceOffset,
                        sourceCta->sharedShadow.data() + sourceOffset + bytes);
    note(clock, sourceCta, sourceOffset, bytes, false);
    sourceRead = true;
  }

  void writeGlobal(Machine &m, uint64_t address, const uint8_t *data,
                   const uint8_t *shadow, uint64_t n) {
    m.checkGlobalRange(*issuer, *inst, lane, address, n, Access::Write);
    count(m, address, n, true);
    if (!spec->reduce)
      note(writeClock, nullptr, address, n, true, data);
    uint8_t *to = m.global.data(address), *toShadow = m.global.shadow(address);
    bool defined = true;
    for (uint64_t k = 0; k < n; ++k)
      defined &= (shadow[k] & kDefined) != 0;
    if (!defined && m.sanitize)
      undefinedStore(m);
    if (spec->reduce) {
      reduceBytes(spec->op, type, to, toShadow, data, shadow, n);
      return;
    }
    std::memcpy(to, data, n);
    copyDefined(toShadow, shadow, n);
  }

  void storeLinear(Machine &m) {
    if (!spec->byteMask)
      return writeGlobal(m, global, buffer.data(), bufferShadow.data(), bytes);
    for (uint64_t k = 0; k < bytes; ++k)
      if (byteMask >> (k & 15) & 1)
        writeGlobal(m, global + k, buffer.data() + k, bufferShadow.data() + k,
                    1);
  }

  void storeBox(Machine &m) {
    forEachBoxPiece(
        map, coordinates, sourceOffset + kSharedStart, [&](const BoxPiece &p) {
          if (!p.inBounds)
            return;
          uint32_t at = p.sharedAddress - kSharedStart - sourceOffset;
          writeGlobal(m, p.globalAddress, buffer.data() + at,
                      bufferShadow.data() + at, p.bytes);
        });
  }
};

TensorMapFields readMap(Warp &w, const Inst &i, unsigned l, uint64_t address) {
  Machine &m = *w.machine;
  if (address & 63)
    m.fault(ReportKind::Misaligned, w, i, int(l),
            "a tensor map must be aligned to 64 bytes");
  uint8_t bytes[128];
  for (unsigned k = 0; k < 128; k += 16) {
    Place p =
        m.locate(w, i, l, Space::Generic, address + k, 16, 16, Access::Read);
    if (p.cta || (p.isPrivate && (address & kWindowMask) != kParamWindow))
      m.fault(ReportKind::InvalidArgument, w, i, int(l),
              "a tensor map must be a kernel parameter, or in constant or "
              "global memory");
    std::memcpy(bytes + k, p.data, 16);
  }
  std::string error;
  auto fields = decodeTensorMap(bytes, error);
  if (!fields)
    m.fault(ReportKind::InvalidArgument, w, i, int(l),
            "not a tensor map of this device: " + error);
  return *fields;
}

void issueLane(Warp &w, const Inst &i, const BulkSpec &s, unsigned l) {
  Machine &m = *w.machine;
  auto make = [&] {
    auto a = std::make_unique<BulkAgent>();
    a->issuer = &w;
    a->lane = l;
    a->line = i.line;
    a->inst = &i;
    a->spec = &s;
    a->type = s.type;
    a->cta = w.cta;
    return a;
  };
  auto agent = make();
  if (m.options.counters && s.kind != BulkKind::SharedToCluster)
    countBulkRequest(m, i);
  const bool tensor =
      s.kind == BulkKind::TensorLoad || s.kind == BulkKind::TensorStore;
  uint64_t footprint = 0;
  if (tensor) {
    agent->map = readMap(w, i, l, value(w, s.map, l));
    if (agent->map.rank != s.rank)
      m.fault(ReportKind::InvalidArgument, w, i, int(l),
              "the tensor map has " + std::to_string(agent->map.rank) +
                  " dimensions, the instruction " + std::to_string(s.rank));
    for (unsigned d = 0; d < s.rank; ++d) {
      agent->coordinates[d] = w.lanes<int32_t>(s.coordinates[d])[l];
      if (m.sanitize && (w.undef[s.coordinates[d]] >> l & 1))
        m.report(Severity::Error, ReportKind::Undefined, &w, &i, int(l),
                 "a tensor coordinate is undefined");
    }
    // Not in the ISA: any other start ends an H200's launch with an illegal
    // instruction, in loads and stores, whatever the swizzle (measured).
    const int64_t start =
        int64_t(agent->coordinates[0]) * agent->map.elementBytes();
    if (start % 16 != 0)
      m.fault(ReportKind::Misaligned, w, i, int(l),
              "the first coordinate is " +
                  std::to_string(agent->coordinates[0]) + ", " +
                  std::to_string(start) +
                  " bytes; the copy must start at a multiple of 16 bytes");
    if (s.reduce) {
      agent->type = tensorReduceType(s.op, agent->map.type);
      if (agent->type == Type::None)
        m.fault(ReportKind::InvalidArgument, w, i, int(l),
                "this reduction does not exist for the tensor map's type");
    }
    agent->bytes = agent->map.boxBytes();
    footprint = agent->map.sharedBytes();
  } else {
    agent->bytes = footprint = w.lanes<uint32_t>(s.size)[l];
    if (m.sanitize && (w.undef[s.size] >> l & 1))
      m.report(Severity::Error, ReportKind::Undefined, &w, &i, int(l),
               "the size is undefined");
    if (agent->bytes % 16)
      m.fault(ReportKind::Misaligned, w, i, int(l),
              "the size " + std::to_string(agent->bytes) +
                  " is not a multiple of 16");
  }
  auto place = [&](const AsyncAddress &a, uint64_t bytes, unsigned align,
                   const char *what) {
    uint32_t address = sharedAddress(w, i, l, value(w, a, l));
    if (address & (align - 1))
      m.fault(ReportKind::Misaligned, w, i, int(l),
              std::string(what) + " is not aligned to " +
                  std::to_string(align) + " bytes");
    return m.locateShared(w, i, l, address, bytes);
  };
  const unsigned align = tensor ? TensorMapFields::sharedAlignment : 16;
  if (s.kind == BulkKind::SharedToGlobal || s.kind == BulkKind::TensorStore) {
    Place p = place(s.source, footprint, align, "the shared-memory source");
    agent->sourceCta = p.cta;
    agent->sourceOffset = uint32_t(p.address);
    if (tensor) {
      agent->bytes = footprint; // what is read
    } else {
      agent->global = value(w, s.destination, l);
      if (agent->global & 15)
        m.fault(ReportKind::Misaligned, w, i, int(l),
                "the global destination is not aligned to 16 bytes");
      m.checkGlobalRange(w, i, l, agent->global, agent->bytes, Access::Write);
      if (s.byteMask)
        agent->byteMask = w.lanes<uint16_t>(s.bytesMask)[l];
    }
    agent->bulkGroup = w.bulkGroup[l] + 1;
    w.bulkStores[l].lastGroup = agent->bulkGroup;
    w.bulkStores[l].inst = &i;
    if (m.races) {
      agent->clock =
          m.races->fork(w, AgentFamily::BulkRead, agent->bulkGroup, true);
      agent->writeClock =
          m.races->fork(w, AgentFamily::BulkWrite, agent->bulkGroup, true);
    }
    m.addAgent(std::move(agent));
    return;
  }
  Place to =
      place(s.destination, footprint, align, "the shared-memory destination");
  Place barrier = place(s.barrier, 8, 8, "the mbarrier");
  if (!mbarrierAt(w, i, l, barrier).fenced && m.races)
    m.report(Severity::Error, ReportKind::ProxyRace, &w, &i, int(l),
             "the mbarrier's initialisation is not fenced for the async proxy "
             "(fence.mbarrier_init or fence.proxy.async)");
  agent->target = to.cta;
  agent->targetOffset = uint32_t(to.address);
  agent->barrierCta = barrier.cta;
  agent->barrierOffset = uint32_t(barrier.address);
  if (s.kind == BulkKind::GlobalToShared) {
    agent->global = value(w, s.source, l);
    if (agent->global & 15)
      m.fault(ReportKind::Misaligned, w, i, int(l),
              "the global source is not aligned to 16 bytes");
    m.checkGlobalRange(w, i, l, agent->global, agent->bytes, Access::Read);
  } else if (s.kind == BulkKind::SharedToCluster) {
    Place from = place(s.source, agent->bytes, 16, "the shared-memory source");
    agent->sourceCta = from.cta;
    agent->sourceOffset = uint32_t(from.address);
  }
  if (!s.multicast) {
    if (m.races)
      agent->clock =
          m.races->fork(w, AgentFamily::BulkLoad, ++w.bulkLoads, true);
    m.addAgent(std::move(agent));
    return;
  }
  // The same offsets in every CTA of the mask; each destination is a copy of
  // its own, and signals its own mbarrier.
  const uint16_t mask = w.lanes<uint16_t>(s.mask)[l];
  const auto &ctas = w.cta->cluster->ctas;
  if (mask >> ctas.size() && ctas.size() < 16)
    m.fault(ReportKind::InvalidArgument, w, i, int(l),
            "the multicast mask names a CTA that is not in the cluster");
  for (unsigned r = 0; r < ctas.size(); ++r)
    if (mask >> r & 1) {
      auto copy = std::make_unique<BulkAgent>(*agent);
      copy->target = copy->barrierCta = ctas[r];
      copy->repeated = mask & ((1u << r) - 1);
      if (m.races)
        copy->clock =
            m.races->fork(w, AgentFamily::BulkLoad, ++w.bulkLoads, true);
      if (ctas[r]->exited)
        m.fault(ReportKind::AsyncMisuse, w, i, int(l),
                "a multicast to a CTA that has exited");
      m.addAgent(std::move(copy));
    }
}

void bulkExec(Warp &w, const Inst &i, uint32_t m) {
  const BulkSpec &s = extraOf<BulkSpec>(w, i);
  for (uint32_t unit :
       {s.destination.unit, s.source.unit, s.barrier.unit, s.map.unit})
    checkAddressDefined(w, i, m, unit);
  forLanes(m, [&](unsigned l) { issueLane(w, i, s, l); });
}

void commitExec(Warp &w, const Inst &, uint32_t m) {
  forLanes(m, [&](unsigned l) { ++w.bulkGroup[l]; });
}

/// imm: groups that may stay; aux: 1 = only the reads.
void waitExec(Warp &w, const Inst &i, uint32_t m) {
  Machine &machine = *w.machine;
  forLanes(m, [&](unsigned l) {
    for (size_t k = 0; k < machine.agents.size();) {
      AsyncAgent &a = *machine.agents[k];
      bool due = a.issuer == &w && a.lane == l && a.bulkGroup &&
                 int64_t(a.bulkGroup) <= int64_t(w.bulkGroup[l]) - i.imm;
      if (!due || (i.aux && a.sourceRead)) {
        ++k;
        continue;
      }
      machine.landAgent(k);
      k = 0;
    }
    const int64_t waited = int64_t(w.bulkGroup[l]) - i.imm;
    if (waited > int64_t(w.bulkStores[l].readGroup))
      w.bulkStores[l].readGroup = uint32_t(waited);
    if (machine.races) {
      const int64_t last = waited;
      machine.races->joinAgents(w, w, AgentFamily::BulkRead, 0, last);
      if (!i.aux)
        machine.races->joinAgents(w, w, AgentFamily::BulkWrite, 0, last);
    }
  });
}

void nothing(Warp &, const Inst &, uint32_t) {}

} // namespace

void agentFinished(Machine &machine, AsyncAgent &) { machine.addProgress(); }

void checkAgentsAtExit(Machine &machine, Cta &cta) {
  // Only its issuer can wait for a store ("cp.async.bulk.wait_group"): without
  // that it may still read, whether it has landed here or not.
  for (auto &w : cta.warps)
    for (unsigned l = 0; l < kLanes; ++l) {
      const Warp::BulkStores &stores = w->bulkStores[l];
      if (stores.lastGroup > stores.readGroup)
        machine.report(
            Severity::Error, ReportKind::AsyncMisuse, w.get(), stores.inst,
            int(l),
            "the CTA exits while this copy may still read its shared memory");
    }
  for (auto &agent : machine.agents) {
    auto *a = dynamic_cast<BulkAgent *>(agent.get());
    if (!a)
      continue;
    if (a->target == &cta)
      machine.report(Severity::Error, ReportKind::AsyncMisuse, a->issuer,
                     a->inst, int(a->lane),
                     "the CTA exits before this copy into its shared memory "
                     "has completed");
  }
}

void decodeBulk(DecodeContext &c, bool reduce) {
  c.take("bulk");
  c.inst.opClass = OpClass::Async;
  if (!reduce && c.take("commit_group")) {
    c.finishModifiers();
    c.inst.run = commitExec;
    return c.emit();
  }
  if (!reduce && c.take("wait_group")) {
    c.inst.aux = c.take("read");
    c.finishModifiers();
    c.inst.imm = groupCount(c);
    c.inst.run = waitExec;
    return c.emit();
  }
  auto s = std::make_shared<BulkSpec>();
  s->reduce = reduce;
  const bool tensor = c.take("tensor");
  if (c.take("prefetch")) { // of L2 only
    c.consumeAll();
    for (size_t k = 0; k < c.count(); ++k)
      if (c.op(k).kind == Operand::Address)
        c.address(k);
    c.inst.run = nothing;
    return c.emit();
  }
  if (tensor) {
    std::string_view d = c.takeAny({"1d", "2d", "3d", "4d", "5d"});
    if (d.empty())
      c.unknown();
    s->rank = unsigned(d[0] - '0');
    if (c.has("im2col") || c.has("im2col_no_offs") || c.has("tile::gather4"))
      c.fail("only tiled tensor copies are supported");
    c.take("tile");
  }
  // Destination first, then source.
  auto rest = c.rest();
  auto isSpace = [](std::string_view v) {
    return v == "global" || v == "shared::cta" || v == "shared::cluster";
  };
  std::vector<std::string_view> spaces;
  for (auto v : rest)
    if (isSpace(v))
      spaces.push_back(v);
  if (spaces.size() != 2)
    c.unknown();
  for (auto v : spaces)
    c.take(v);
  const bool toShared = spaces[0] != "global";
  if (toShared)
    s->kind = spaces[1] == "global"
                  ? (tensor ? BulkKind::TensorLoad : BulkKind::GlobalToShared)
                  : BulkKind::SharedToCluster;
  else
    s->kind = tensor ? BulkKind::TensorStore : BulkKind::SharedToGlobal;
  if ((!toShared && spaces[1] != "shared::cta") ||
      (tensor && s->kind == BulkKind::SharedToCluster) ||
      (reduce && toShared && s->kind != BulkKind::SharedToCluster))
    c.unknown();
  if (toShared ? !c.take("mbarrier::complete_tx::bytes")
               : !c.take("bulk_group"))
    c.unknown();
  s->multicast = c.take("multicast::cluster");
  if (c.take("cta_group::1") || c.take("cta_group::2"))
    c.fail("cta_group is not supported for this target");
  bool hint = c.take("L2::cache_hint");
  s->byteMask = c.take("cp_mask");
  if (reduce) {
    static constexpr std::pair<std::string_view, ReduceOp> ops[] = {
        {"add", ReduceOp::Add}, {"inc", ReduceOp::Inc}, {"dec", ReduceOp::Dec},
        {"min", ReduceOp::Min}, {"max", ReduceOp::Max}, {"and", ReduceOp::And},
        {"or", ReduceOp::Or},   {"xor", ReduceOp::Xor}};
    bool known = false;
    for (auto &[name, op] : ops)
      if (c.take(name)) {
        s->op = op;
        known = true;
      }
    if (!known)
      c.unknown();
    c.take("noftz");
    if (!tensor) {
      s->type = c.takeType();
      if (!reducible(s->op, s->type))
        c.unknown();
    }
  }
  c.finishModifiers();
  size_t at = 0;
  auto mapOperand = [&](const Operand &o) {
    if (o.kind != Operand::Address || o.elems.size() != 2 ||
        o.elems[1].kind != Operand::Vector)
      c.fail("expected [tensorMap, {coordinates}]");
    Operand base = o;
    base.elems.resize(1);
    s->map = addressOf(c, base);
    if (o.elems[1].elems.size() != s->rank)
      c.fail("expected " + std::to_string(s->rank) + " coordinates");
    for (unsigned d = 0; d < s->rank; ++d)
      s->coordinates[d] = c.source(o.elems[1].elems[d], Type::S32);
  };
  if (s->kind == BulkKind::TensorStore) {
    mapOperand(c.op(at++));
    s->source = addressOf(c, c.op(at++));
  } else {
    s->destination = addressOf(c, c.op(at++));
    if (s->kind == BulkKind::TensorLoad) {
      mapOperand(c.op(at++));
    } else {
      s->source = addressOf(c, c.op(at++));
      s->size = c.source(at++, Type::U32);
    }
    if (toShared)
      s->barrier = addressOf(c, c.op(at++));
  }
  if (s->multicast)
    s->mask = c.source(at++, Type::B16);
  if (hint)
    c.source(at++, Type::B64);
  if (s->byteMask)
    s->bytesMask = c.source(at++, Type::B16);
  if (at != c.count())
    c.fail("the operands do not match the modifiers");
  c.inst.aux = c.addExtra(s);
  c.inst.run = bulkExec;
  c.emit();
}

} // namespace gemm::emulator
