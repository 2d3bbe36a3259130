// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole module: shared-memory and parameter layout, every function's code.
#include "Cfg.h"
#include "Decoder.h"
#include "Machine.h"

#include <algorithm>
#include <atomic>
#include <set>

namespace gemm::emulator {

static uint64_t alignUp(uint64_t v, uint64_t a) { return (v + a - 1) / a * a; }

static void layOutEntry(Module::Impl &module, const FunctionSyntax &f) {
  EntryInfo e;
  e.name = f.name;
  e.line = f.line;
  e.reqntid = {f.reqntid[0], f.reqntid[1], f.reqntid[2]};
  e.maxntid = {f.maxntid[0], f.maxntid[1], f.maxntid[2]};
  e.reqCluster = {f.cluster[0], f.cluster[1], f.cluster[2]};
  e.explicitCluster = f.explicitCluster;
  uint64_t offset = 0;
  for (unsigned id : f.formals) {
    const VarDecl &v = f.vars[id];
    offset = alignUp(offset, v.align);
    e.params.push_back(
        {v.name, size_t(v.size), v.align, size_t(offset), v.isArray});
    offset += v.size;
  }
  if (offset > 32764)
    throw PtxError(f.line, "parameters of '" + f.name + "' take " +
                               std::to_string(offset) +
                               " bytes; at most 32764 are allowed");
  e.paramBytes = size_t(offset);
  e.staticShared = module.staticShared;
  module.entries.push_back(std::move(e));
}

static void decodeFunction(Module::Impl &module, const FunctionSyntax &f,
                           FunctionCode &code,
                           std::vector<uint64_t> &sharedOffsets) {
  code.name = f.name;
  code.syntax = &f;
  code.isEntry = f.isEntry;
  FunctionBuilder fb{module, f, code, {}, {}, {}, {}, {}};
  for (const RegDecl &r : f.regs)
    fb.regUnit.push_back(fb.allocate(std::max(1u, bitsOf(r.type) / 8)));
  uint64_t paramOffset = 0;
  std::set<unsigned> formalVars;
  if (f.isEntry)
    formalVars.insert(f.formals.begin(), f.formals.end());
  for (unsigned i = 0; i < f.vars.size(); ++i) {
    const VarDecl &v = f.vars[i];
    if (formalVars.count(i)) {
      paramOffset = alignUp(paramOffset, v.align);
      fb.vars.push_back({Space::Param, paramOffset});
      paramOffset += v.size;
    } else if (v.space == Space::Shared) {
      fb.vars.push_back({Space::Shared, sharedOffsets[i]});
    } else {
      code.localBytes = alignUp(code.localBytes, std::max(v.align, 4u));
      fb.vars.push_back({v.space, code.localBytes});
      code.localBytes += v.size;
      if (code.localBytes > (512u << 10))
        throw PtxError(v.line, "local memory of '" + f.name +
                                   "' exceeds 512 KiB a thread");
    }
  }
  auto describe = [&](const std::vector<unsigned> &ids,
                      const std::vector<bool> &isReg,
                      std::vector<FunctionCode::Formal> &out) {
    for (size_t i = 0; i < ids.size(); ++i) {
      if (isReg[i])
        out.push_back({0, std::max(1u, bitsOf(f.regs[ids[i]].type) / 8),
                       fb.regUnit[ids[i]], true});
      else
        out.push_back({fb.vars[ids[i]].offset, f.vars[ids[i]].size, 0, false});
    }
  };
  if (!f.isEntry) {
    describe(f.formals, f.formalIsReg, code.formals);
    describe(f.returns, f.returnIsReg, code.returns);
  }
  if (!f.hasBody)
    return;

  std::vector<int> reconverge = reconvergencePoints(f);
  std::set<int> joins;
  for (int r : reconverge)
    if (r >= 0)
      joins.insert(r);
  std::vector<uint32_t> pcOf(f.insts.size() + 1);
  std::vector<std::pair<uint32_t, int>>
      branchJoins; // pc -> raw index of its join
  for (size_t i = 0; i < f.insts.size(); ++i) {
    const RawInst &raw = f.insts[i];
    pcOf[i] = uint32_t(code.code.size());
    if (joins.count(int(i))) {
      RawInst join;
      join.opcode = "(reconverge)";
      join.line = raw.line;
      DecodeContext ctx(fb, join);
      ctx.inst.run = executeJoin;
      ctx.inst.opClass = OpClass::Control;
      ctx.emit();
    }
    uint32_t first = uint32_t(code.code.size());
    DecodeContext ctx(fb, raw);
    DecodeFunction decode = findDecoder(ctx.base());
    if (!decode)
      ctx.unknown();
    decode(ctx);
    if (reconverge[i] >= 0)
      for (uint32_t pc = first; pc < code.code.size(); ++pc)
        branchJoins.push_back({pc, reconverge[i]});
  }
  pcOf[f.insts.size()] = uint32_t(code.code.size());
  {
    // Falling off the end is `ret`.
    RawInst end;
    end.opcode = "ret";
    end.line = f.insts.empty() ? f.line : f.insts.back().line;
    DecodeContext ctx(fb, end);
    findDecoder("ret")(ctx);
  }
  for (auto &[pc, raw] : branchJoins)
    if (code.code[pc].flags & kAlways ||
        code.code[pc].opClass == OpClass::Control)
      code.code[pc].aux = pcOf[size_t(raw)];
  for (const auto &fix : fb.fixups) {
    uint32_t target = pcOf[size_t(f.labels[fix.label])];
    if (fix.kind == FunctionBuilder::Fixup::Target)
      code.code[fix.pc].imm = target;
    else
      code.lists[fix.listIndex] = target;
  }
}

void decodeModule(Module::Impl &module) {
  static std::atomic<uint64_t> nextId{1};
  module.uniqueId = nextId++;
  // Static shared variables of the whole module are laid out once: functions
  // may use those of the module scope, and LLVM demotes others into bodies.
  module.moduleSharedOffset.assign(module.syntax.vars.size(), 0);
  uint64_t offset = 0;
  auto place = [&](const VarDecl &v) -> uint64_t {
    if (v.space != Space::Shared)
      return 0;
    if (v.isExtern) {
      module.dynamicAlign = std::max(module.dynamicAlign, v.align);
      return 0;
    }
    offset = alignUp(offset, v.align);
    uint64_t at = offset;
    offset += v.size;
    if (offset > (1u << 20))
      throw PtxError(v.line, "static shared memory exceeds 1 MiB");
    return at;
  };
  for (size_t i = 0; i < module.syntax.vars.size(); ++i)
    module.moduleSharedOffset[i] = place(module.syntax.vars[i]);
  uint64_t moduleShared = offset;
  std::vector<std::vector<uint64_t>> functionShared(
      module.syntax.functions.size());
  uint64_t largest = moduleShared;
  // Entries do not run together, so their own statics overlay; device
  // functions' statics must not.
  for (size_t pass = 0; pass < 2; ++pass)
    for (size_t fi = 0; fi < module.syntax.functions.size(); ++fi) {
      const FunctionSyntax &f = module.syntax.functions[fi];
      if (f.isEntry != (pass == 1))
        continue;
      offset = moduleShared;
      for (const VarDecl &v : f.vars)
        functionShared[fi].push_back(place(v));
      if (!f.isEntry)
        moduleShared = offset;
      largest = std::max(largest, offset);
    }
  module.functions.resize(module.syntax.functions.size());
  for (size_t fi = 0; fi < module.syntax.functions.size(); ++fi) {
    const FunctionSyntax &f = module.syntax.functions[fi];
    uint64_t own = moduleShared;
    for (size_t i = 0; i < f.vars.size(); ++i)
      if (f.vars[i].space == Space::Shared && !f.vars[i].isExtern)
        own = std::max(own, functionShared[fi][i] + f.vars[i].size);
    module.staticShared = own;
    decodeFunction(module, f, module.functions[fi], functionShared[fi]);
    if (f.isEntry) {
      if (!f.hasBody)
        throw PtxError(f.line, "entry '" + f.name + "' has no body");
      layOutEntry(module, f);
    }
  }
}

} // namespace gemm::emulator
