// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// st.async and red.async: values of single lanes to another CTA's shared
// memory.
#include "Access.h"
#include "AsyncAddress.h"
#include "Barriers.h"
#include "Families.h"
#include "Reduce.h"

namespace gemm::emulator {

namespace {
/// One value of each lane to another CTA's shared
/// memory, completing its bytes on an mbarrier there.
struct RemoteSpec {
  bool reduce;
  ReduceOp op = ReduceOp::Add;
  Type type;
  unsigned count = 1;
  AsyncAddress destination, barrier;
  std::vector<uint32_t> values;
};
struct RemoteAgent : AsyncAgent {
  const Inst *inst = nullptr;
  const RemoteSpec *spec = nullptr;
  Place to;
  Cta *barrierCta = nullptr;
  uint32_t barrierOffset = 0, undefinedElements = 0;
  uint64_t data[4] = {};
  std::string describe() const override {
    return "the asynchronous store issued at line " + std::to_string(line);
  }
  bool land(Machine &machine) override {
    auto b = barrierCta->mbarriers.find(barrierOffset);
    if (machine.races && b != barrierCta->mbarriers.end()) {
      if (!spec->reduce)
        machine.races->agentAccess(clock, *issuer, *inst, lane, to.cta,
                                   to.address,
                                   bitsOf(spec->type) / 8 * spec->count, true);
      machine.races->complete(clock, b->second.accumulated);
    }
    const unsigned e = bitsOf(spec->type) / 8;
    for (unsigned k = 0; k < spec->count; ++k) {
      uint64_t v = data[k];
      if (spec->reduce) {
        uint64_t old = 0;
        std::memcpy(&old, to.data + k * e, e);
        v = reduceValue(spec->op, spec->type, old, v);
      }
      std::memcpy(to.data + k * e, &v, e);
      setDefined(to.shadow + k * e, e, !(undefinedElements >> k & 1));
    }
    mbarrierTransaction(*issuer, inst, int(lane), *barrierCta, barrierOffset,
                        -int64_t(e * spec->count));
    return true;
  }
};
void remoteExec(Warp &w, const Inst &i, uint32_t m) {
  const RemoteSpec &s = extraOf<RemoteSpec>(w, i);
  Machine &machine = *w.machine;
  checkAddressDefined(w, i, m, s.destination.unit);
  const unsigned e = bitsOf(s.type) / 8;
  forLanes(m, [&](unsigned l) {
    auto a = std::make_unique<RemoteAgent>();
    a->issuer = &w;
    a->lane = l;
    a->line = i.line;
    a->inst = &i;
    a->spec = &s;
    a->cta = w.cta;
    uint32_t address = sharedAddress(w, i, l, value(w, s.destination, l));
    if (address % (e * s.count))
      machine.fault(ReportKind::Misaligned, w, i, int(l),
                    "the destination is not aligned to " +
                        std::to_string(e * s.count));
    a->to = machine.locateShared(w, i, l, address, e * s.count);
    Place b = machine.locateShared(
        w, i, l, sharedAddress(w, i, l, value(w, s.barrier, l)), 8);
    mbarrierAt(w, i, l, b);
    if (b.cta != a->to.cta)
      machine.fault(ReportKind::InvalidArgument, w, i, int(l),
                    "the mbarrier is not in the CTA of the destination");
    a->barrierCta = b.cta;
    a->barrierOffset = uint32_t(b.address);
    for (unsigned k = 0; k < s.count; ++k) {
      std::memcpy(&a->data[k], w.lanes<uint8_t>(s.values[k]) + size_t(l) * e,
                  e);
      a->undefinedElements |= (w.undef[s.values[k]] >> l & 1) << k;
    }
    if (machine.races)
      a->clock =
          machine.races->fork(w, AgentFamily::BulkLoad, ++w.bulkLoads, false);
    machine.addAgent(std::move(a));
  });
}

void decodeRemote(DecodeContext &c, bool reduce) {
  auto s = std::make_shared<RemoteSpec>();
  s->reduce = reduce;
  c.take("async");
  takeSemantics(c);
  c.take("shared::cluster");
  if (!c.take("mbarrier::complete_tx::bytes"))
    c.unknown();
  if (reduce) {
    std::string_view op =
        c.takeAny({"add", "inc", "dec", "min", "max", "and", "or", "xor"});
    s->op = op == "add"   ? ReduceOp::Add
            : op == "inc" ? ReduceOp::Inc
            : op == "dec" ? ReduceOp::Dec
            : op == "min" ? ReduceOp::Min
            : op == "max" ? ReduceOp::Max
            : op == "and" ? ReduceOp::And
            : op == "or"  ? ReduceOp::Or
                          : ReduceOp::Xor;
    if (op.empty())
      c.unknown();
  }
  s->count = c.take("v2") ? 2 : c.take("v4") ? 4 : 1;
  s->type = c.takeType();
  if (bitsOf(s->type) < 32 || (reduce && !reducible(s->op, s->type)) ||
      bitsOf(s->type) * s->count > 128)
    c.unknown();
  c.finishModifiers();
  c.expectOperands(3, 3);
  auto a = c.address(c.op(0)), b = c.address(c.op(2));
  s->destination = {a.unit, a.offset, a.base32};
  s->barrier = {b.unit, b.offset, b.base32};
  const Operand &v = c.op(1);
  if (s->count > 1) {
    if (v.kind != Operand::Vector || v.elems.size() != s->count)
      c.fail("the vector needs " + std::to_string(s->count) + " registers");
    for (const Operand &o : v.elems)
      s->values.push_back(c.source(o, s->type));
  } else {
    s->values.push_back(c.source(v, s->type));
  }
  c.inst.aux = c.addExtra(s);
  c.inst.run = remoteExec;
  c.inst.opClass = OpClass::Async;
  c.emit();
}
} // namespace

void decodeStoreAsync(DecodeContext &c) { decodeRemote(c, false); }
void decodeReduceAsync(DecodeContext &c) { decodeRemote(c, true); }

} // namespace gemm::emulator
