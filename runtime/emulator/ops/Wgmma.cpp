// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma (PTX ISA "Asynchronous Warpgroup Level Matrix Multiply-Accumulate
// Instructions"). Each warp computes its own 16 rows of the 64. The result
// registers are futures from issue to the wait_group that joins them: a mov
// passes a future on, the next wgmma of the same shape may accumulate on it,
// anything else is an error, whenever the result happens to land.
#include "Wgmma.h"
#include "../MatrixDescriptor.h"
#include "Access.h"
#include "CpAsync.h"
#include "Families.h"
#include "MatrixFragments.h"

namespace gemm::emulator {

namespace {
struct WgmmaSpec {
  TensorOperations operations;
  const FragmentMap *a = nullptr, *d = nullptr; ///< a: only for A in registers
  MmaShape shape;
  unsigned bits = 16; ///< of one element of A and B
  MajorMode majorA = MajorMode::K, majorB = MajorMode::K;
  std::vector<uint32_t> dUnits, aUnits;
  uint32_t descriptorA = 0, descriptorB = 0, scaleD = 0;
  bool scaleNegated = false;
};

const WgmmaSpec &specOf(const WgmmaOp &op) {
  return *static_cast<const WgmmaSpec *>(
      op.frame->function->extras[op.inst->aux].get());
}

uint32_t element(const uint8_t *data, unsigned bytes) {
  uint32_t v = 0;
  if (bytes == 2)
    std::memcpy(&v, data, 2);
  else if (bytes == 4)
    std::memcpy(&v, data, 4);
  else
    v = *data;
  return v;
}

/// Elements [mn0, mn0 + mnCount) x [0, K) of a shared operand: calls
/// put(mn - mn0, k, bits). Returns false where bytes were undefined, per mn.
template <class Put>
void readOperand(Warp &w, const WgmmaOp &op, uint64_t bits, MajorMode major,
                 unsigned elementBits, unsigned mn0, unsigned mnCount,
                 unsigned kCount, uint8_t *undefinedRows, Put &&put) {
  const Inst &i = *op.inst;
  const MatrixDescriptor d = MatrixDescriptor::decode(bits);
  const unsigned elementBytes = elementBits < 8 ? 1 : elementBits / 8;
  const unsigned perByte = elementBits < 8 ? 8 / elementBits : 1;
  const unsigned kUnits = kCount / perByte;
  const unsigned perChunk = 16 / elementBytes;
  const unsigned mnStep = major == MajorMode::MN ? perChunk : 1,
                 kStep = major == MajorMode::K ? perChunk : 1;
  for (unsigned mn = mn0; mn < mn0 + mnCount; mn += mnStep)
    for (unsigned k = 0; k < kUnits; k += kStep) {
      const uint32_t address = d.chunkAddress(major, elementBytes, mn, k);
      const uint64_t offset = uint64_t(address) - kSharedStart;
      if (address < kSharedStart || offset + 16 > w.machine->sharedBytes)
        w.machine->fault(
            ReportKind::OutOfBounds, w, i, -1,
            "the matrix descriptor reaches shared address " +
                std::to_string(address) + "; shared memory ends at " +
                std::to_string(kSharedStart + w.machine->sharedBytes));
      const uint8_t *data = w.cta->shared.data() + offset,
                    *shadow = w.cta->sharedShadow.data() + offset;
      if (w.machine->races)
        w.machine->races->agentAccess(op.clock, w, i, 0, w.cta, offset, 16,
                                      false);
      if (!allBits<16>(shadow, kAllDefined))
        for (unsigned e = 0; e < perChunk; ++e)
          for (unsigned b = 0; b < elementBytes; ++b)
            if (!(shadow[e * elementBytes + b] & kDefined))
              undefinedRows[major == MajorMode::MN ? mn + e - mn0 : mn - mn0] =
                  1;
      for (unsigned e = 0; e < perChunk; ++e) {
        const uint32_t v = element(data + e * elementBytes, elementBytes);
        const unsigned row = major == MajorMode::MN ? mn + e - mn0 : mn - mn0;
        const unsigned column = major == MajorMode::MN ? k : k + e;
        if (perByte == 1)
          put(row, column, v);
        else
          for (unsigned b = 0; b < perByte; ++b)
            put(row, column * perByte + b,
                v >> (b * elementBits) & ((1u << elementBits) - 1));
      }
    }
}

void landOp(Warp &w, WgmmaOp &op) {
  const WgmmaSpec &s = specOf(op);
  const Inst &i = *op.inst;
  const unsigned n = s.shape.n, k = s.shape.k, quarter = w.index & 3;
  op.done = true;
  w.machine->addProgress();
  // The op's registers are those of its own frame.
  uint8_t *savedRegs = w.regs;
  uint32_t *savedUndef = w.undef;
  w.regs = op.frame->regs;
  w.undef = op.frame->undefined.get();
  static thread_local std::vector<uint32_t> a, b, c;
  a.resize(16 * size_t(k));
  b.resize(size_t(k) * n);
  c.resize(16 * size_t(n));
  uint8_t rows[16] = {}, columns[256] = {};
  if (s.a) {
    for (unsigned r = 0; r < s.a->registers; ++r) {
      const uint32_t *v = w.lanes<uint32_t>(op.sources[r]);
      for (unsigned l = 0; l < kLanes; ++l)
        for (unsigned e = 0; e < s.a->perRegister; ++e) {
          MatrixCoordinate x = s.a->at(r, quarter * 32 + l, e);
          uint32_t bits =
              s.bits == 32 ? v[l] : v[l] >> (e * s.bits) & ((1u << s.bits) - 1);
          a[(x.row - quarter * 16) * k + x.column] = bits;
          if (w.undef[op.sources[r]] >> l & 1)
            rows[x.row - quarter * 16] = 1;
        }
    }
  } else {
    readOperand(w, op, op.descriptorA, s.majorA, s.bits, quarter * 16, 16, k,
                rows,
                [&](unsigned r, unsigned q, uint32_t v) { a[r * k + q] = v; });
  }
  readOperand(w, op, op.descriptorB, s.majorB, s.bits, 0, n, k, columns,
              [&](unsigned r, unsigned q, uint32_t v) { b[q * n + r] = v; });
  const FragmentMap &f = *s.d;
  const unsigned base = quarter * 16 * n;
  const uint32_t elementMask = f.bits == 32 ? ~0u : (1u << f.bits) - 1;
  uint32_t undefinedAny = 0;
  for (unsigned r = 0; r < f.registers; ++r) {
    const uint32_t *v = w.lanes<uint32_t>(s.dUnits[r]);
    const uint16_t *index = &f.linear[(r * 128 + quarter * 32) * f.perRegister];
    for (unsigned l = 0; l < kLanes; ++l)
      for (unsigned e = 0; e < f.perRegister; ++e)
        c[*index++ - base] = v[l] >> (e * f.bits) & elementMask;
    undefinedAny |= op.scaleD ? w.undef[s.dUnits[r]] : 0;
  }
  s.operations.pick(w, i).run(a.data(), b.data(),
                              op.scaleD ? c.data() : nullptr, c.data());
  for (uint8_t u : rows)
    undefinedAny |= u;
  for (unsigned q = 0; q < n; ++q)
    undefinedAny |= columns[q];
  for (unsigned r = 0; r < f.registers; ++r) {
    uint32_t *v = w.lanes<uint32_t>(s.dUnits[r]);
    const uint16_t *index = &f.linear[(r * 128 + quarter * 32) * f.perRegister];
    uint32_t undefinedLanes = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
      uint32_t bits = 0;
      for (unsigned e = 0; e < f.perRegister; ++e) {
        bits |= (c[*index++ - base] & elementMask) << (e * f.bits);
        if (undefinedAny) {
          MatrixCoordinate x = f.at(r, quarter * 32 + l, e);
          if (rows[x.row - quarter * 16] || columns[x.column])
            undefinedLanes |= 1u << l;
        }
      }
      v[l] = bits;
    }
    if (op.scaleD)
      undefinedLanes |= w.undef[s.dUnits[r]];
    w.undef[s.dUnits[r]] = undefinedLanes;
  }
  for (auto [unit, r] : op.aliases) {
    std::memcpy(w.lanes<uint32_t>(unit), w.lanes<uint32_t>(s.dUnits[r]),
                4 * kLanes);
    w.undef[unit] = w.undef[s.dUnits[r]];
  }
  w.regs = savedRegs;
  w.undef = savedUndef;
}

WgmmaOp *findOp(Warp &w, uint64_t number) {
  for (WgmmaOp &op : w.wgmmas)
    if (op.number == number)
      return &op;
  return nullptr;
}

/// Ends the futures of the first `count` ops, landing them if need be.
void join(Warp &w, size_t count) {
  for (size_t k = 0; k < count; ++k)
    if (!w.wgmmas[k].done)
      landOp(w, w.wgmmas[k]);
  for (size_t k = 0; k < count; ++k) {
    WgmmaOp &op = w.wgmmas[k];
    Frame &f = *op.frame;
    auto clear = [&](uint32_t unit) {
      if (f.future[unit] == op.number)
        f.future[unit] = 0;
      if (f.readBy[unit] == op.number)
        f.readBy[unit] = 0;
    };
    for (uint32_t u : specOf(op).dUnits)
      clear(u);
    for (uint32_t u : op.sources)
      clear(u);
    for (auto &alias : op.aliases)
      clear(alias.first);
  }
  w.wgmmas.erase(w.wgmmas.begin(), w.wgmmas.begin() + long(count));
}

template <class F> void forSiblings(Warp &w, F &&f) {
  const auto &warps = w.cta->warps;
  // A CTA may end in the middle of a warpgroup.
  for (size_t k = w.index & ~3u; k < (w.index & ~3u) + 4 && k < warps.size();
       ++k)
    if (k != w.index)
      f(*warps[k]);
}

void prepareFrame(Warp &w) {
  Frame &f = *w.frame;
  if (!f.future.empty())
    return;
  const size_t n = f.function->units;
  f.future.assign(n, 0);
  f.futureIndex.assign(n, 0);
  f.readBy.assign(n, 0);
  f.accessStamp.assign(n, 0);
}

void fenceExec(Warp &w, const Inst &, uint32_t) {
  prepareFrame(w);
  ++w.fenceGeneration;
  w.tracking = true;
}
void commitExec(Warp &w, const Inst &, uint32_t) { ++w.wgmmaGroup; }
/// A wgmma is one operation of the whole warpgroup: it cannot complete before
/// all four warps have issued it, and once a wait has returned in one warp the
/// reads of all four are over. (PTX ISA "wgmma.wait_group"; it is what lets one
/// thread of a warpgroup release a shared-memory slot.)
void waitExec(Warp &w, const Inst &i, uint32_t) {
  size_t count = 0;
  while (count < w.wgmmas.size() &&
         int64_t(w.wgmmas[count].group) < int64_t(w.wgmmaGroup) - i.imm)
    ++count;
  Machine &machine = *w.machine;
  if (count) {
    const WgmmaOp &last = w.wgmmas[count - 1];
    const uint64_t number = last.number;
    forSiblings(w, [&](Warp &sibling) {
      if (sibling.wgmmaCount < number && !w.stop)
        w.block(Wait::Agents, i, w.pcOf(i), number, 0);
    });
    if (w.stop)
      return;
    forSiblings(w, [&](Warp &sibling) {
      for (WgmmaOp &op : sibling.wgmmas) {
        if (op.number == number && op.inst != last.inst)
          machine.fault(
              ReportKind::Divergence, w, *last.inst, -1,
              "the warps of a warpgroup execute different wgmmas (line " +
                  std::to_string(op.inst->line) + " in warp " +
                  std::to_string(sibling.index) + ")");
        if (op.number <= number && !op.done)
          landOp(sibling, op);
      }
    });
  }
  join(w, count);
  if (machine.races) {
    const int64_t lastGroup = int64_t(w.wgmmaGroup) - i.imm - 1;
    machine.races->joinAgents(w, w, AgentFamily::Wgmma, 0, lastGroup);
    forSiblings(w, [&](Warp &sibling) {
      machine.races->joinAgents(w, sibling, AgentFamily::Wgmma, 0, lastGroup);
    });
  }
}

void wgmmaExec(Warp &w, const Inst &i, uint32_t m) {
  Machine &machine = *w.machine;
  if (m != ~0u || w.live != ~0u)
    machine.fault(ReportKind::Divergence, w, i, -1,
                  "wgmma needs all 32 lanes of the warp");
  if ((w.index & ~3u) + 4 > w.cta->warps.size())
    machine.fault(ReportKind::Divergence, w, i, -1,
                  "wgmma needs a warpgroup of four warps; the CTA ends in the "
                  "middle of one");
  const WgmmaSpec &s = extraOf<WgmmaSpec>(w, i);
  prepareFrame(w);
  w.tracking = true;
  Frame &f = *w.frame;
  auto uniform = [&](uint32_t unit, const char *what) {
    const uint64_t *v = w.lanes<uint64_t>(unit);
    if (machine.sanitize && w.undef[unit])
      machine.report(Severity::Error, ReportKind::Undefined, &w, &i,
                     __builtin_ctz(w.undef[unit]),
                     std::string(what) + " is undefined");
    for (unsigned l = 1; l < kLanes; ++l)
      if (v[l] != v[0])
        machine.fault(ReportKind::Divergence, w, i, int(l),
                      std::string("the lanes give different values of ") +
                          what);
    return v[0];
  };
  WgmmaOp op;
  op.inst = &i;
  op.frame = w.frame;
  op.group = w.wgmmaGroup;
  op.number = ++w.wgmmaCount;
  auto descriptor = [&](uint32_t unit, MajorMode major, const char *what) {
    uint64_t d = uniform(unit, what);
    std::string wrong = checkMatrixDescriptor(d, major, s.bits);
    if (!wrong.empty())
      machine.fault(ReportKind::InvalidArgument, w, i, -1,
                    std::string(what) + ": " + wrong);
    return d;
  };
  if (!s.a)
    op.descriptorA = descriptor(s.descriptorA, s.majorA, "the descriptor of A");
  op.descriptorB = descriptor(s.descriptorB, s.majorB, "the descriptor of B");
  uint32_t p = w.pred(s.scaleD) ^ (s.scaleNegated ? ~0u : 0);
  if (machine.sanitize && w.undef[s.scaleD])
    machine.report(Severity::Error, ReportKind::Undefined, &w, &i,
                   __builtin_ctz(w.undef[s.scaleD]), "scale-d is undefined");
  if (p != 0 && p != ~0u)
    machine.fault(ReportKind::Divergence, w, i, -1,
                  "the lanes give different values of scale-d");
  op.scaleD = p != 0;
  const uint32_t stamp = w.fenceGeneration + 1;
  auto unfenced = [&](uint32_t unit) {
    return w.fenceGeneration == 0 || f.accessStamp[unit] == stamp;
  };
  const char *fenceCause =
      w.fenceGeneration == 0
          ? "the first wgmma of the warp has no wgmma.fence before it"
          : "a register of this wgmma was used after the last wgmma.fence";
  for (unsigned r = 0; r < s.dUnits.size(); ++r) {
    const uint32_t unit = s.dUnits[r];
    if (f.future[unit]) {
      // Accumulating on an unfinished result is allowed for the same shape
      // only.
      WgmmaOp *before = findOp(w, f.future[unit]);
      if (before &&
          (!(specOf(*before).shape == s.shape) || f.futureIndex[unit] != r))
        machine.report(Severity::Error, ReportKind::AsyncMisuse, &w, &i, -1,
                       "an accumulator register is still in flight from a "
                       "wgmma of another shape (line " +
                           std::to_string(before->inst->line) + ")");
    } else if (unfenced(unit)) {
      machine.report(Severity::Error, ReportKind::AsyncMisuse, &w, &i, -1,
                     fenceCause);
    }
    if (f.readBy[unit])
      machine.report(
          Severity::Error, ReportKind::AsyncMisuse, &w, &i, -1,
          "an accumulator register is still read as A by an unfinished wgmma");
    f.future[unit] = op.number;
    f.futureIndex[unit] = r;
  }
  for (uint32_t unit : s.aUnits) {
    if (f.future[unit])
      machine.report(Severity::Error, ReportKind::AsyncMisuse, &w, &i, -1,
                     "a register of A is the result of an unfinished wgmma");
    else if (unfenced(unit))
      machine.report(Severity::Error, ReportKind::AsyncMisuse, &w, &i, -1,
                     fenceCause);
    f.readBy[unit] = op.number;
    op.sources.push_back(unit);
  }
  if (machine.races)
    op.clock = machine.races->fork(w, AgentFamily::Wgmma, op.group, true);
  w.wgmmas.push_back(std::move(op));
  forSiblings(w, [&](Warp &sibling) {
    for (Split &split : sibling.splits)
      if (split.wait == Wait::Agents && split.waitObject <= w.wgmmaCount) {
        split.wait = Wait::None;
        machine.wake(sibling);
      }
  });
  if (machine.options.async == AsyncMode::Early)
    while (landOneWgmma(w))
      ;
}
} // namespace

bool landOneWgmma(Warp &w) {
  for (WgmmaOp &op : w.wgmmas)
    if (!op.done) {
      landOp(w, op);
      return true;
    }
  return false;
}

void checkFutures(Warp &w, const Inst &i, uint32_t mask) {
  Frame &f = *w.frame;
  if (f.future.empty() || !mask || i.run == wgmmaExec)
    return;
  const FunctionCode &code = *f.function;
  const InstRegisters &r = code.registers[w.pcOf(i)];
  const uint32_t *units = code.registerLists.data() + r.first;
  const uint32_t stamp = w.fenceGeneration + 1;
  if (w.wgmmas.empty()) {
    // Reads too: "wgmma.fence" orders every access.
    for (unsigned k = 0; k < unsigned(r.writes) + r.reads; ++k)
      f.accessStamp[units[k]] = stamp;
    return;
  }
  auto misuse = [&](uint64_t number, const char *what) {
    const WgmmaOp *op = findOp(w, number);
    w.machine->report(
        Severity::Error, ReportKind::AsyncMisuse, &w, &i, __builtin_ctz(mask),
        std::string("a register that an unfinished wgmma ") + what + " (line " +
            std::to_string(op ? op->inst->line : 0) +
            "); wgmma.wait_group must come first");
    // Go on with the values it will have.
    join(w, w.wgmmas.size());
  };
  if ((i.flags & kBitMove) && r.writes == 1 && f.future[i.a]) {
    WgmmaOp *op = findOp(w, f.future[i.a]);
    f.future[i.d] = f.future[i.a];
    f.futureIndex[i.d] = f.futureIndex[i.a];
    if (op)
      op->aliases.push_back({i.d, f.futureIndex[i.a]});
    return;
  }
  for (unsigned k = 0; k < unsigned(r.writes) + r.reads; ++k) {
    const uint32_t unit = units[k];
    if (f.future[unit])
      return misuse(f.future[unit],
                    k < r.writes ? "writes is overwritten" : "writes is read");
    if (k < r.writes && f.readBy[unit])
      return misuse(f.readBy[unit], "reads as A is overwritten");
    f.accessStamp[unit] = stamp;
  }
}

void decodeWgmma(DecodeContext &c) {
  c.inst.opClass = OpClass::Matrix;
  std::string_view k =
      c.takeAny({"mma_async", "fence", "commit_group", "wait_group"});
  if (c.has("sp"))
    c.fail("sparse matrix instructions are not supported");
  if (!c.take("sync") || !c.take("aligned"))
    c.unknown();
  c.inst.flags |= kAligned;
  if (k != "mma_async") {
    c.finishModifiers();
    c.expectOperands(k == "wait_group", k == "wait_group");
    if (k == "wait_group")
      c.inst.imm = groupCount(c);
    c.inst.run = k == "fence"          ? fenceExec
                 : k == "commit_group" ? commitExec
                 : k == "wait_group"   ? waitExec
                                       : nullptr;
    if (!c.inst.run)
      c.unknown();
    return c.emit();
  }
  auto s = std::make_shared<WgmmaSpec>();
  TensorOperationSpec spec;
  spec.instruction = TensorInstruction::Wgmma;
  for (std::string_view v : c.rest())
    if (std::sscanf(std::string(v).c_str(), "m%un%uk%u", &s->shape.m,
                    &s->shape.n, &s->shape.k) == 3) {
      c.take(v);
      break;
    }
  spec.saturate = c.take("satfinite");
  if (c.take("and")) {
    if (!c.take("popc"))
      c.unknown();
    spec.bitOperation = BitOperation::And;
  }
  auto d = elementTypeOf(c.takeType()), a = elementTypeOf(c.takeType()),
       b = elementTypeOf(c.takeType());
  if (!d || !a || !b)
    c.unknown();
  c.finishModifiers();
  spec.dType = spec.cType = *d;
  spec.aType = *a;
  spec.bType = *b;
  spec.shape = {16, s->shape.n, s->shape.k}; // a warp's part
  s->bits = elementBits(*a);
  std::string error;
  s->d = fragmentMap(FragmentFamily::Wgmma, s->shape, *d,
                     MatrixRole::Accumulator, &error);
  const FragmentMap *aMap =
      fragmentMap(FragmentFamily::Wgmma, s->shape, *a, MatrixRole::A, &error);
  if (!s->d || !aMap)
    c.fail("unknown instruction: " + error);
  const bool floating = *a == ElementType::F16 || *a == ElementType::BF16 ||
                        *a == ElementType::TF32 || *a == ElementType::E4M3 ||
                        *a == ElementType::E5M2;
  const bool transposes = *a == ElementType::F16 || *a == ElementType::BF16;
  const bool inRegisters = c.op(1).kind == Operand::Vector;
  if (c.op(0).kind != Operand::Vector ||
      c.op(0).elems.size() != s->d->registers)
    c.fail("the accumulator needs " + std::to_string(s->d->registers) +
           " registers");
  for (const Operand &o : c.op(0).elems) {
    s->dUnits.push_back(c.destination(o, Type::B32));
    c.noteRead(s->dUnits.back());
  }
  if (inRegisters) {
    s->a = aMap;
    if (c.op(1).elems.size() != aMap->registers)
      c.fail("A needs " + std::to_string(aMap->registers) + " registers");
    for (const Operand &o : c.op(1).elems)
      s->aUnits.push_back(c.source(o, Type::B32));
  } else {
    s->descriptorA = c.source(1, Type::B64);
  }
  s->descriptorB = c.source(2, Type::B64);
  size_t at = 3;
  if (at < c.count()) {
    bool negated;
    s->scaleD = c.predicateSource(c.op(at++), negated);
    s->scaleNegated = negated;
  } else {
    s->scaleD = kTrueUnit;
  }
  if (floating && at < c.count()) {
    int64_t sa = c.immediate(at), sb = c.immediate(at + 1);
    if ((sa != 1 && sa != -1) || (sb != 1 && sb != -1))
      c.fail("imm-scale-a and imm-scale-b must be 1 or -1");
    spec.negateA = sa < 0;
    spec.negateB = sb < 0;
    at += 2;
    if (transposes && at < c.count()) {
      if (!inRegisters)
        s->majorA = c.immediate(at++) ? MajorMode::MN : MajorMode::K;
      s->majorB = c.immediate(at++) ? MajorMode::MN : MajorMode::K;
    }
  }
  if (at != c.count())
    c.fail("the operands do not match the types");
  if (!s->operations.create(spec, error))
    c.fail("unknown instruction: " + error);
  c.inst.aux = c.addExtra(s);
  c.inst.run = wgmmaExec;
  c.inst.imm = int64_t(2) * 16 * s->shape.n * s->shape.k;
  c.emit();
}

} // namespace gemm::emulator
