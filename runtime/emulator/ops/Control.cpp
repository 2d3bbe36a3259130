// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, calls, exits.
#include "Access.h"
#include "Families.h"

namespace gemm::emulator {

namespace {
void braExec(Warp &w, const Inst &i, uint32_t m) {
  branchTo(w, i, m, uint32_t(i.imm));
}

/// aux: the join; list: targets; small is unused; imm: number of targets.
void brxExec(Warp &w, const Inst &i, uint32_t m) {
  const uint32_t *index = w.lanes<uint32_t>(i.a),
                 *targets = &w.frame->function->lists[i.list];
  checkAddressDefined(w, i, m, i.a);
  forLanes(m, [&](unsigned l) {
    if (index[l] >= uint64_t(i.imm))
      w.machine->fault(ReportKind::OutOfBounds, w, i, int(l),
                       "branch index " + std::to_string(index[l]) + " of " +
                           std::to_string(i.imm) + " targets");
  });
  const uint32_t first = targets[index[__builtin_ctz(m)]];
  uint32_t same = 0;
  forLanes(
      m, [&](unsigned l) { same |= targets[index[l]] == first ? 1u << l : 0; });
  if (same == w.active) {
    w.pc = first;
    return;
  }
  if (i.aux != kNoPc)
    ensureJoin(w, i.aux);
  uint32_t left = m;
  while (left) {
    const uint32_t target = targets[index[__builtin_ctz(left)]];
    Split s;
    forLanes(left, [&](unsigned l) {
      s.mask |= targets[index[l]] == target ? 1u << l : 0;
    });
    left &= ~s.mask;
    s.pc = target;
    s.node = w.node;
    s.frame = w.frame;
    w.splits.push_back(s);
  }
  w.active &= ~m;
  if (!w.active) {
    w.freeSplit(w.current);
    w.stop = true;
  }
}

void exitExec(Warp &w, const Inst &, uint32_t m) { w.exitLanes(m); }

void retExec(Warp &w, const Inst &i, uint32_t m) {
  Frame *frame = w.frame;
  if (!frame->caller)
    return w.exitLanes(m);
  if (m != w.active) { // predicated ret: the others go on in the function
    Split rest;
    rest.mask = w.active & ~m;
    rest.pc = w.pc;
    rest.node = w.node;
    rest.frame = frame;
    w.active = m;
    w.splits.push_back(rest);
  }
  const FunctionCode &callee = *frame->function;
  Frame *caller = frame->caller;
  const Inst &call = *frame->call;
  const uint32_t *slots = &caller->function->lists[call.list];
  for (size_t r = 0; r < callee.returns.size(); ++r) {
    const auto &formal = callee.returns[r];
    uint32_t slot = slots[r];
    forLanes(m, [&](unsigned l) {
      uint8_t *local = w.local.data() + size_t(l) * w.localStride;
      uint8_t *shadow = w.localShadow.data() + size_t(l) * w.localStride;
      if (formal.isRegister)
        std::memcpy(caller->regs + size_t(slot) * kUnitBytes + l * formal.size,
                    frame->regs + size_t(formal.registerUnit) * kUnitBytes +
                        l * formal.size,
                    formal.size);
      else {
        std::memcpy(local + caller->localBase + slot,
                    local + frame->localBase + formal.localOffset, formal.size);
        std::memcpy(shadow + caller->localBase + slot,
                    shadow + frame->localBase + formal.localOffset,
                    formal.size);
      }
    });
    if (formal.isRegister)
      caller->undefined[slot] = (caller->undefined[slot] & ~m) |
                                (frame->undefined[formal.registerUnit] & m);
  }
  (void)i;
  w.frame = caller;
  w.regs = caller->regs;
  w.undef = caller->undefined.get();
  w.code = caller->function->code.data();
  w.pc = frame->returnPc;
  w.node = frame->node;
}

/// aux: function index; list: slots of the returns, then of the parameters.
void callExec(Warp &w, const Inst &i, uint32_t m) {
  Machine &machine = *w.machine;
  const FunctionCode &callee = machine.module.functions[size_t(i.imm)];
  const uint32_t returnPc = w.pc;
  if (m != w.active) {
    Split rest;
    rest.mask = w.active & ~m;
    rest.pc = w.pc;
    rest.node = w.node;
    rest.frame = w.frame;
    w.active = m;
    w.splits.push_back(rest);
  }
  Frame *caller = w.frame;
  uint64_t base =
      caller->localBase + ((caller->function->localBytes + 15) & ~uint64_t(15));
  if (base + callee.localBytes > w.localStride || w.frames.size() > 4000)
    machine.fault(ReportKind::Limit, w, i, -1, "the call stack is exhausted");
  Frame *frame = machine.makeFrame(w, callee);
  frame->caller = caller;
  frame->returnPc = returnPc;
  frame->call = &i;
  frame->localBase = uint32_t(base);
  machine.fillFrame(w, *frame);
  const uint32_t *slots =
      &caller->function->lists[i.list] + callee.returns.size();
  for (size_t p = 0; p < callee.formals.size(); ++p) {
    const auto &formal = callee.formals[p];
    uint32_t slot = slots[p];
    forLanes(m, [&](unsigned l) {
      uint8_t *local = w.local.data() + size_t(l) * w.localStride;
      uint8_t *shadow = w.localShadow.data() + size_t(l) * w.localStride;
      if (formal.isRegister)
        std::memcpy(frame->regs + size_t(formal.registerUnit) * kUnitBytes +
                        l * formal.size,
                    caller->regs + size_t(slot) * kUnitBytes + l * formal.size,
                    formal.size);
      else {
        std::memcpy(local + base + formal.localOffset,
                    local + caller->localBase + slot, formal.size);
        std::memcpy(shadow + base + formal.localOffset,
                    shadow + caller->localBase + slot, formal.size);
      }
    });
    if (formal.isRegister)
      frame->undefined[formal.registerUnit] = caller->undefined[slot];
  }
  int slot = -1;
  for (size_t n = 0; n < w.nodes.size() && slot < 0; ++n)
    if (!w.nodes[n].used)
      slot = int(n);
  if (slot < 0) {
    slot = int(w.nodes.size());
    w.nodes.emplace_back();
  }
  w.nodes[size_t(slot)] = {returnPc, caller, m, 0, w.node, true};
  frame->node = slot;
  w.node = slot;
  w.frame = frame;
  w.regs = frame->regs;
  w.undef = frame->undefined.get();
  w.code = callee.code.data();
  w.pc = 0;
}

void assertExec(Warp &w, const Inst &i, uint32_t m) {
  w.machine->fault(ReportKind::Trap, w, i, __builtin_ctz(m),
                   "assertion failed in the kernel");
}
void trapExec(Warp &w, const Inst &i, uint32_t m) {
  w.machine->fault(ReportKind::Trap, w, i, __builtin_ctz(m), "trap executed");
}
void nothing(Warp &, const Inst &, uint32_t) {}
} // namespace

void decodeBra(DecodeContext &c) {
  c.take("uni");
  c.finishModifiers();
  c.expectOperands(1, 1);
  c.labelReference(c.op(0));
  c.inst.run = braExec;
  c.inst.aux = kNoPc;
  c.inst.opClass = OpClass::Control;
  c.emit();
}

void decodeBrx(DecodeContext &c) {
  if (!c.take("idx"))
    c.unknown();
  c.take("uni");
  c.finishModifiers();
  c.expectOperands(2, 2);
  c.inst.a = c.source(size_t(0), Type::U32);
  const Operand &list = c.op(1);
  if (list.elems.empty())
    c.fail("expected the name of a .branchtargets list");
  std::vector<uint32_t> zeros(list.elems.size(), 0);
  c.inst.list = c.addList(zeros);
  for (size_t k = 0; k < list.elems.size(); ++k)
    c.fb.fixups.push_back({uint32_t(c.fb.code.code.size()), list.elems[k].index,
                           FunctionBuilder::Fixup::ListEntry,
                           c.inst.list + uint32_t(k)});
  c.inst.imm = int64_t(list.elems.size());
  c.inst.run = brxExec;
  c.inst.aux = kNoPc;
  c.inst.opClass = OpClass::Control;
  c.emit();
}

void decodeCall(DecodeContext &c) {
  c.take("uni");
  c.finishModifiers();
  size_t at = 0;
  const Operand none = [] {
    Operand o;
    o.kind = Operand::Group;
    return o;
  }();
  const Operand *returns = &none, *params = &none;
  if (c.count() > at && c.op(at).kind == Operand::Group)
    returns = &c.op(at++);
  if (at >= c.count() || c.op(at).kind != Operand::Func)
    c.fail("only direct calls are supported");
  const std::string &name = c.op(at++).name;
  if (at < c.count())
    params = &c.op(at++);
  auto found = c.fb.module.syntax.functionIndex.find(name);
  if (found == c.fb.module.syntax.functionIndex.end())
    c.fail("function '" + name + "' is not declared");
  const FunctionSyntax &f = c.fb.module.syntax.functions[found->second];
  if (!f.hasBody) {
    if (name != "__assertfail")
      c.fail("call of the external function '" + name +
             "', which has no body here");
    c.inst.run = assertExec;
    return c.emit();
  }
  if (f.isEntry)
    c.fail("'" + name + "' is a kernel");
  if (f.formals.size() != params->elems.size() ||
      f.returns.size() != returns->elems.size())
    c.fail("the call of '" + name + "' has the wrong number of arguments");
  std::vector<uint32_t> slots;
  auto add = [&](const Operand &o, bool isRegister, unsigned id) {
    if (isRegister) {
      slots.push_back(c.source(o, f.regs[id].type));
      return;
    }
    if (o.kind == Operand::Var && !o.moduleVar &&
        c.fb.vars[o.index].space == Space::Param) {
      if (c.fb.syntax.vars[o.index].size != f.vars[id].size)
        c.fail("an argument of '" + name + "' has the wrong size");
      slots.push_back(uint32_t(c.fb.vars[o.index].offset));
      return;
    }
    c.fail("an argument of '" + name + "' is not a .param variable");
  };
  for (size_t k = 0; k < f.returns.size(); ++k)
    add(returns->elems[k], f.returnIsReg[k], f.returns[k]);
  for (size_t k = 0; k < f.formals.size(); ++k)
    add(params->elems[k], f.formalIsReg[k], f.formals[k]);
  c.inst.list = c.addList(slots);
  c.inst.imm = found->second;
  c.inst.run = callExec;
  c.inst.opClass = OpClass::Other;
  c.emit();
  // Where the lanes that return at different times meet.
  Inst join;
  join.run = executeJoin;
  c.emit(join);
}

void decodeRet(DecodeContext &c) {
  bool isExit = c.base() == "exit";
  c.take("uni");
  c.finishModifiers();
  c.expectOperands(0, 0);
  c.inst.run = isExit ? exitExec : retExec;
  c.inst.opClass = OpClass::Other;
  c.emit();
}

void decodeTrap(DecodeContext &c) {
  c.finishModifiers();
  c.inst.run = c.base() == "trap" ? trapExec : nothing;
  c.emit();
}

/// nanosleep, pmevent, setmaxnreg, griddepcontrol: nothing to see in a model
/// without time, registers or overlapping kernels.
void decodeNoEffect(DecodeContext &c) {
  if (c.base() == "setmaxnreg") {
    if (!c.take("inc") && !c.take("dec"))
      c.unknown();
    c.take("sync");
    c.take("aligned");
    c.takeType();
    int64_t n = c.immediate(0);
    if (n < 24 || n > 256 || n % 8)
      c.fail("the register count must be a multiple of 8 from 24 to 256");
    c.inst.flags |= kAligned;
  } else if (c.base() == "griddepcontrol") {
    if (!c.take("launch_dependents") && !c.take("wait"))
      c.unknown();
  } else if (c.base() == "nanosleep") {
    c.source(size_t(0), c.takeType());
  } else if (c.base() == "pmevent") {
    c.take("mask");
  }
  c.finishModifiers();
  c.inst.run = nothing;
  c.inst.opClass = OpClass::Other;
  c.emit();
}

} // namespace gemm::emulator
