// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Non-bulk asynchronous copies: cp.async, its groups, and its arrival on an
// mbarrier (PTX ISA "Data Movement and Conversion Instructions: Non-bulk
// copy").
#include "CpAsync.h"
#include "Access.h"
#include "Barriers.h"
#include "Families.h"

namespace gemm::emulator {

namespace {

void landLanes(Warp &w, CpAsyncOp &op, uint32_t lanes) {
  lanes &= op.mask;
  op.mask &= ~lanes;
  Machine &machine = *w.machine;
  machine.addProgress();
  if (op.kind) {
    forLanes(lanes, [&](unsigned l) {
      auto b = w.cta->mbarriers.find(op.to[l]);
      if (machine.races && b != w.cta->mbarriers.end())
        machine.races->completeAgents(w, AgentFamily::CpAsync, op.group[l],
                                      b->second.accumulated);
      mbarrierArrive(w, op.inst, int(l), *w.cta, op.to[l], 1);
    });
    return;
  }
  forLanes(lanes, [&](unsigned l) {
    uint8_t *data = w.cta->shared.data() + op.to[l],
            *shadow = w.cta->sharedShadow.data() + op.to[l];
    const unsigned n = op.sourceBytes[l];
    if (machine.races) {
      machine.races->agentAccess(op.clock, w, *op.inst, l, nullptr, op.from[l],
                                 n, false);
      machine.races->agentAccess(op.clock, w, *op.inst, l, w.cta, op.to[l],
                                 op.bytes, true);
    }
    if (n) {
      std::memcpy(data, machine.global.data(op.from[l]), n);
      const uint8_t *source = machine.global.shadow(op.from[l]);
      for (unsigned k = 0; k < n; ++k)
        shadow[k] = uint8_t((shadow[k] & ~kDefined) | (source[k] & kDefined));
    }
    std::memset(data + n, 0, op.bytes - n);
    setDefined(shadow + n, op.bytes - n, true);
  });
}

void dropDone(Warp &w) {
  std::erase_if(w.copies, [](const CpAsyncOp &op) { return op.mask == 0; });
}

/// Arrivals wait for the earlier copies of their lanes.
void landArrivals(Warp &w) {
  uint32_t busy = 0;
  for (CpAsyncOp &op : w.copies) {
    if (op.kind)
      landLanes(w, op, ~busy);
    busy |= op.mask;
  }
}

/// small: copy size in the low bits; aux: address of the source in list.
void copyExec(Warp &w, const Inst &i, uint32_t m) {
  const uint32_t *list =
      &w.frame->function->lists[i.list]; // source unit, flags, offset low,
                                         // offset high, size unit, ignore unit
  Machine &machine = *w.machine;
  checkAddressDefined(w, i, m, i.a);
  checkAddressDefined(w, i, m, list[0]);
  checkAddressDefined(w, i, m, list[4]);
  CpAsyncOp op;
  op.inst = &i;
  op.mask = m;
  op.bytes = uint8_t(i.small & 0x1f);
  op.kind = 0;
  op.order = ++machine.orderCounter;
  const int64_t offset = int64_t(uint64_t(list[3]) << 32 | list[2]);
  const bool hasSize = list[1] & 2, hasIgnore = list[1] & 4;
  const uint32_t ignore =
      hasIgnore ? w.pred(list[5]) ^ (list[1] & 8 ? ~0u : 0) : 0;
  uint64_t addresses[kLanes];
  forLanes(m, [&](unsigned l) {
    uint64_t to = w.address(i, l);
    if ((to & kWindowMask) == kSharedWindow) // generic form of the own CTA
      to &= ~uint64_t(kWindowMask);
    if (to >> kRankShift == uint64_t(w.cta->rank) + 1)
      to &= kSharedOffsetMask;
    Place p = machine.locate(w, i, l, Space::Shared, to, op.bytes, op.bytes,
                             Access::Write);
    op.to[l] = uint32_t(p.address);
    uint64_t from = (list[1] & 1 ? uint64_t(w.lanes<uint32_t>(list[0])[l])
                                 : w.lanes<uint64_t>(list[0])[l]) +
                    uint64_t(offset);
    uint32_t n = op.bytes;
    if (hasSize) {
      n = w.lanes<uint32_t>(list[4])[l];
      if (n > op.bytes)
        machine.fault(ReportKind::InvalidArgument, w, i, int(l),
                      "source size " + std::to_string(n) +
                          " exceeds the copy size " + std::to_string(op.bytes));
    }
    if (ignore >> l & 1)
      n = 0;
    if (n) {
      if (from & (op.bytes - 1))
        machine.fault(ReportKind::Misaligned, w, i, int(l),
                      "the source of a copy of " + std::to_string(op.bytes) +
                          " bytes is not aligned to its size");
      machine.checkGlobalRange(w, i, l, from, n, Access::Read);
    }
    op.from[l] = from;
    addresses[l] = from;
    op.sourceBytes[l] = n;
    op.group[l] = w.copyGroup[l];
  });
  if (machine.options.counters) {
    uint32_t reading = 0;
    forLanes(m,
             [&](unsigned l) { reading |= op.sourceBytes[l] ? 1u << l : 0; });
    countGlobal(w, i, reading, addresses, op.bytes, false);
    uint64_t offsets[kLanes] = {};
    forLanes(m, [&](unsigned l) { offsets[l] = op.to[l]; });
    countShared(w, i, m, offsets, op.bytes);
  }
  if (machine.races)
    op.clock = machine.races->fork(w, AgentFamily::CpAsync,
                                   op.group[__builtin_ctz(m)], false);
  w.copies.push_back(op);
  if (machine.options.async == AsyncMode::Early) {
    landLanes(w, w.copies.back(), m);
    dropDone(w);
  }
}

void commitExec(Warp &w, const Inst &, uint32_t m) {
  forLanes(m, [&](unsigned l) { ++w.copyGroup[l]; });
}

/// imm: groups that may stay; -1: wait_all.
void waitExec(Warp &w, const Inst &i, uint32_t m) {
  for (CpAsyncOp &op : w.copies) {
    if (op.kind)
      continue;
    uint32_t lanes = 0;
    forLanes(op.mask & m, [&](unsigned l) {
      if (i.imm < 0 || int64_t(op.group[l]) < int64_t(w.copyGroup[l]) - i.imm)
        lanes |= 1u << l;
    });
    if (lanes)
      landLanes(w, op, lanes);
  }
  landArrivals(w);
  dropDone(w);
  if (w.machine->races) {
    const int64_t open = w.copyGroup[__builtin_ctz(m)];
    w.machine->races->joinAgents(w, w, AgentFamily::CpAsync, 0,
                                 i.imm < 0 ? open : open - i.imm - 1);
  }
}

void arriveExec(Warp &w, const Inst &i, uint32_t m) {
  CpAsyncOp op;
  op.inst = &i;
  op.mask = m;
  op.bytes = 0;
  op.kind = uint8_t(1 + i.aux);
  op.order = ++w.machine->orderCounter;
  forLanes(m, [&](unsigned l) {
    Place p = w.machine->locate(w, i, l, Space(i.small & 0x7f), w.address(i, l),
                                8, 8, Access::Atomic);
    if (p.cta != w.cta)
      w.machine->fault(ReportKind::InvalidArgument, w, i, int(l),
                       "the mbarrier must be in the CTA's own shared memory");
    Mbarrier &b = mbarrierAt(w, i, l, p);
    if (!i.aux)
      ++b.pending;
    op.to[l] = uint32_t(p.address);
    op.group[l] = w.copyGroup[l];
  });
  w.copies.push_back(op);
  if (w.machine->options.async != AsyncMode::Late)
    landArrivals(w);
  dropDone(w);
}

} // namespace

bool landOneCopy(Warp &w) {
  if (w.copies.empty())
    return false;
  size_t pick = w.machine->options.async == AsyncMode::Random
                    ? size_t(w.machine->rng() % w.copies.size())
                    : 0;
  for (size_t k = 0; k < w.copies.size(); ++k) {
    CpAsyncOp &op = w.copies[(pick + k) % w.copies.size()];
    if (op.kind)
      continue;
    landLanes(w, op, op.mask);
    break;
  }
  landArrivals(w);
  dropDone(w);
  return true;
}

void landAllCopies(Warp &w) {
  while (landOneCopy(w))
    ;
}

int64_t groupCount(DecodeContext &c) {
  const int64_t groups = c.immediate(0);
  if (groups < 0 || groups > INT32_MAX)
    c.fail("the number of groups that may be pending must be 0 to 2147483647");
  return groups;
}

void decodeCpAsync(DecodeContext &c) {
  bool reduce = c.take("reduce");
  if (!c.take("async"))
    c.unknown();
  if (c.has("bulk"))
    return decodeBulk(c, reduce);
  if (reduce)
    c.unknown();
  c.inst.opClass = OpClass::Async;
  if (c.take("commit_group")) {
    c.finishModifiers();
    c.inst.run = commitExec;
    return c.emit();
  }
  if (c.take("wait_group") || c.take("wait_all")) {
    bool all = c.has("wait_all");
    c.finishModifiers();
    c.inst.imm = all ? -1 : groupCount(c);
    c.inst.run = waitExec;
    return c.emit();
  }
  if (c.take("mbarrier")) {
    if (!c.take("arrive"))
      c.unknown();
    c.inst.aux = c.take("noinc");
    c.inst.small = uint8_t(takeSpace(c));
    if (c.takeType() != Type::B64)
      c.unknown();
    c.finishModifiers();
    c.expectOperands(1, 1);
    setAddress(c, c.op(0));
    c.inst.run = arriveExec;
    return c.emit();
  }
  bool cg = c.take("cg");
  if (!cg && !c.take("ca"))
    c.unknown();
  if (takeSpace(c) != Space::Global ||
      takeSpace(c) !=
          Space::Shared) // the order of the words does not matter here
    c.unknown();
  takeCacheHints(c);
  c.finishModifiers();
  c.expectOperands(3, 5);
  int64_t bytes = c.immediate(2);
  if (!(bytes == 16 || (!cg && (bytes == 4 || bytes == 8))))
    c.fail("the copy size must be " + std::string(cg ? "16" : "4, 8 or 16"));
  c.inst.small = uint8_t(bytes);
  setAddress(c, c.op(0));
  auto from = c.address(1);
  uint32_t flags = from.base32, size = kZeroUnit, ignore = kZeroUnit;
  for (size_t k = 3; k < c.count(); ++k) {
    const Operand &o = c.op(k);
    if (o.kind == Operand::Reg && c.registerType(o) == Type::Pred) {
      bool negated;
      ignore = c.predicateSource(o, negated);
      flags |= 4u | (negated ? 8u : 0u);
    } else if (o.kind == Operand::Reg && bitsOf(c.registerType(o)) == 64) {
      c.source(o, Type::B64); // cache policy
    } else {
      size = c.source(o, Type::U32);
      flags |= 2;
    }
  }
  c.inst.list =
      c.addList({from.unit, flags, uint32_t(from.offset),
                 uint32_t(uint64_t(from.offset) >> 32), size, ignore});
  c.inst.run = copyExec;
  c.emit();
}

} // namespace gemm::emulator
