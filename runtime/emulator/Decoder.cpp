// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One instruction: modifiers, operands, registers.
#include "Decoder.h"
#include "Memory.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace gemm::emulator {

unsigned unitsOf(unsigned bytes) { return bytes <= 2 ? 1 : bytes / 2; }

uint32_t FunctionBuilder::allocate(unsigned bytes) {
  uint32_t unit = code.units;
  code.units += unitsOf(bytes);
  return unit;
}

uint32_t FunctionBuilder::constant(unsigned bytes, uint64_t low,
                                   uint64_t high) {
  if (bytes < 8)
    low &= (uint64_t(1) << (bytes * 8)) - 1;
  if (low == 0 && high == 0 && bytes <= 16)
    return kZeroUnit;
  auto [it, isNew] =
      constants.emplace(std::make_pair(bytes, std::make_pair(low, high)), 0);
  if (isNew) {
    it->second = allocate(bytes);
    code.constants.push_back({it->second, uint8_t(bytes), low, high});
  }
  return it->second;
}

std::optional<uint64_t> immediateBits(const Operand &o, Type type) {
  unsigned bits = bitsOf(type);
  switch (o.kind) {
  case Operand::Int: {
    if (type == Type::F32) {
      // ptxas reads an integer where a float stands as its value.
      float f = float(o.value);
      uint32_t b;
      std::memcpy(&b, &f, 4);
      return b;
    }
    if (type == Type::F64) {
      double d = double(o.value);
      uint64_t b;
      std::memcpy(&b, &d, 8);
      return b;
    }
    uint64_t v = uint64_t(o.value);
    return bits < 64 ? v & ((uint64_t(1) << bits) - 1) : v;
  }
  case Operand::F32Bits:
    if (bits == 64 && type == Type::F64) {
      uint32_t b = uint32_t(o.value);
      float f;
      std::memcpy(&f, &b, 4);
      double d = f;
      uint64_t r;
      std::memcpy(&r, &d, 8);
      return r;
    }
    return uint32_t(o.value);
  case Operand::F64Bits: {
    if (bits == 64)
      return uint64_t(o.value);
    double d;
    uint64_t b = uint64_t(o.value);
    std::memcpy(&d, &b, 8);
    float f = float(d);
    uint32_t r;
    std::memcpy(&r, &f, 4);
    return r;
  }
  default:
    return std::nullopt;
  }
}

DecodeContext::DecodeContext(FunctionBuilder &fb, const RawInst &raw)
    : fb(fb), raw(raw) {
  std::string_view s = raw.opcode;
  for (size_t begin = 0; begin <= s.size();) {
    size_t dot = s.find('.', begin);
    if (dot == std::string_view::npos)
      dot = s.size();
    words.push_back(s.substr(begin, dot - begin));
    begin = dot + 1;
  }
  used.assign(words.size(), false);
  used[0] = true;
  inst.line = raw.line;
  if (raw.guard >= 0) {
    inst.guard = fb.regUnit[unsigned(raw.guard)];
    inst.guardXor = raw.guardNegated ? ~0u : 0;
    reads.push_back(inst.guard);
  }
}

void DecodeContext::needsTarget(unsigned least) const {
  const std::string &target = fb.module.syntax.target;
  if (target.compare(0, 3, "sm_") == 0 &&
      std::strtoul(target.c_str() + 3, nullptr, 10) < least)
    fail("needs .target sm_" + std::to_string(least) + " or newer, found " +
         target);
}

void DecodeContext::fail(const std::string &what) const {
  throw PtxError(raw.line, what + " in '" + raw.opcode.substr(0, 120) + "'");
}

void DecodeContext::unknown() const {
  throw PtxError(raw.line,
                 "unknown instruction '" + raw.opcode.substr(0, 120) + "'");
}

bool DecodeContext::take(std::string_view word) {
  for (size_t i = 1; i < words.size(); ++i)
    if (!used[i] && words[i] == word) {
      used[i] = true;
      return true;
    }
  return false;
}

bool DecodeContext::has(std::string_view word) const {
  for (size_t i = 1; i < words.size(); ++i)
    if (words[i] == word)
      return true;
  return false;
}

std::string_view
DecodeContext::takeAny(std::initializer_list<std::string_view> set) {
  for (std::string_view w : set)
    if (take(w))
      return w;
  return {};
}

std::optional<Type> DecodeContext::tryTakeType() {
  for (size_t i = 1; i < words.size(); ++i) {
    if (used[i])
      continue;
    Type t = typeFromName(words[i]);
    if (t == Type::None)
      continue;
    used[i] = true;
    return t;
  }
  return std::nullopt;
}

Type DecodeContext::takeType() {
  if (auto t = tryTakeType())
    return *t;
  fail("a type is missing");
}

std::vector<std::string_view> DecodeContext::rest() const {
  std::vector<std::string_view> r;
  for (size_t i = 1; i < words.size(); ++i)
    if (!used[i])
      r.push_back(words[i]);
  return r;
}

void DecodeContext::consumeAll() { used.assign(words.size(), true); }

void DecodeContext::finishModifiers() {
  for (size_t i = 0; i < words.size(); ++i)
    if (!used[i])
      throw PtxError(raw.line, "unknown instruction '" +
                                   raw.opcode.substr(0, 120) +
                                   "': modifier '." + std::string(words[i]) +
                                   "' is not known here");
}

void DecodeContext::expectOperands(size_t low, size_t high) {
  if (count() < low || count() > high)
    fail("expected " + std::to_string(low) +
         (high > low ? " to " + std::to_string(high) : "") +
         " operands, found " + std::to_string(count()));
}

const Operand &DecodeContext::op(size_t i) const {
  if (i >= raw.operands.size())
    fail("operand " + std::to_string(i + 1) + " is missing");
  return raw.operands[i];
}

Type DecodeContext::registerType(const Operand &o) const {
  return o.kind == Operand::Reg ? fb.syntax.regs[o.index].type : Type::None;
}

static unsigned storageBytes(Type t) { return std::max(1u, bitsOf(t) / 8); }

namespace {
using SK = FunctionCode::SpecialKind;
struct SpecialRow {
  const char *name;
  SK kind;
  uint8_t bytes;
};
constexpr SpecialRow kSpecials[] = {
    {"%tid.x", SK::TidX, 4},
    {"%tid.y", SK::TidY, 4},
    {"%tid.z", SK::TidZ, 4},
    {"%ntid.x", SK::NtidX, 4},
    {"%ntid.y", SK::NtidY, 4},
    {"%ntid.z", SK::NtidZ, 4},
    {"%ctaid.x", SK::CtaidX, 4},
    {"%ctaid.y", SK::CtaidY, 4},
    {"%ctaid.z", SK::CtaidZ, 4},
    {"%nctaid.x", SK::NctaidX, 4},
    {"%nctaid.y", SK::NctaidY, 4},
    {"%nctaid.z", SK::NctaidZ, 4},
    {"%laneid", SK::LaneId, 4},
    {"%warpid", SK::WarpId, 4},
    {"%nwarpid", SK::NWarpId, 4},
    {"%smid", SK::SmId, 4},
    {"%nsmid", SK::NSmId, 4},
    {"%gridid", SK::GridId, 8},
    {"%lanemask_eq", SK::LanemaskEq, 4},
    {"%lanemask_le", SK::LanemaskLe, 4},
    {"%lanemask_lt", SK::LanemaskLt, 4},
    {"%lanemask_ge", SK::LanemaskGe, 4},
    {"%lanemask_gt", SK::LanemaskGt, 4},
    {"%clusterid.x", SK::ClusterIdX, 4},
    {"%clusterid.y", SK::ClusterIdY, 4},
    {"%clusterid.z", SK::ClusterIdZ, 4},
    {"%nclusterid.x", SK::NClusterIdX, 4},
    {"%nclusterid.y", SK::NClusterIdY, 4},
    {"%nclusterid.z", SK::NClusterIdZ, 4},
    {"%cluster_ctaid.x", SK::ClusterCtaidX, 4},
    {"%cluster_ctaid.y", SK::ClusterCtaidY, 4},
    {"%cluster_ctaid.z", SK::ClusterCtaidZ, 4},
    {"%cluster_nctaid.x", SK::ClusterNctaidX, 4},
    {"%cluster_nctaid.y", SK::ClusterNctaidY, 4},
    {"%cluster_nctaid.z", SK::ClusterNctaidZ, 4},
    {"%cluster_ctarank", SK::ClusterCtarank, 4},
    {"%cluster_nctarank", SK::ClusterNctarank, 4},
    {"%dynamic_smem_size", SK::DynamicSmem, 4},
    {"%total_smem_size", SK::TotalSmem, 4},
    {"%aggr_smem_size", SK::AggrSmem, 4},
};
} // namespace

uint32_t DecodeContext::source(const Operand &o, Type type) {
  unsigned bytes = storageBytes(type);
  if (type == Type::Pred) {
    bool negated;
    uint32_t u = predicateSource(o, negated);
    if (negated)
      fail("a negated predicate is not allowed here");
    return u;
  }
  unsigned width;
  uint32_t unit = sourceAnyWidth(o, type, width);
  if (o.kind == Operand::Reg && unitsOf(width) != unitsOf(bytes))
    fail("register '" + fb.syntax.regs[o.index].name + "' of " +
         std::to_string(width * 8) + " bits does not fit a ." + nameOf(type) +
         " operand");
  if (width != bytes && o.kind != Operand::Reg)
    fail("operand does not fit a ." + std::string(nameOf(type)));
  return unit;
}

uint32_t DecodeContext::sourceAnyWidth(const Operand &o, Type type,
                                       unsigned &bytes) {
  bytes = storageBytes(type);
  switch (o.kind) {
  case Operand::Reg: {
    Type rt = fb.syntax.regs[o.index].type;
    if (rt == Type::Pred)
      fail("predicate '" + fb.syntax.regs[o.index].name + "' is not a ." +
           nameOf(type) + " operand");
    bytes = storageBytes(rt);
    uint32_t unit = fb.regUnit[o.index];
    reads.push_back(unit);
    return unit;
  }
  case Operand::Int:
  case Operand::F32Bits:
  case Operand::F64Bits: {
    if (o.kind != Operand::Int && bytes < 4)
      fail("a floating-point literal cannot be a ." +
           std::string(nameOf(type)) + " operand");
    return fb.constant(bytes, *immediateBits(o, type));
  }
  case Operand::Special: {
    auto it = fb.specials.find(o.name + (bytes == 8 ? "/8" : ""));
    for (const SpecialRow &r : kSpecials) {
      if (o.name != r.name)
        continue;
      if (bytes < r.bytes && bytes < 4 && bytes != 2)
        fail("special register '" + o.name + "' is wider than the operand");
      if (it == fb.specials.end()) {
        unsigned width = bytes == 8 ? 8 : bytes == 2 ? 2 : 4;
        uint32_t unit = fb.allocate(width);
        fb.code.specials.push_back({unit, r.kind, uint8_t(width)});
        it = fb.specials.emplace(o.name + (bytes == 8 ? "/8" : ""), unit).first;
      }
      return it->second;
    }
    fail("special register '" + o.name +
         "' is unknown or may only be read by mov");
  }
  case Operand::Var: {
    if (bytes < 4)
      fail("an address does not fit a ." + std::string(nameOf(type)) +
           " operand");
    FunctionCode::SymbolUnit s{fb.allocate(bytes), uint8_t(bytes),
                               FunctionCode::SymbolUnit::Global, 0, o.value};
    const VarDecl &v =
        o.moduleVar ? fb.module.syntax.vars[o.index] : fb.syntax.vars[o.index];
    switch (v.space) {
    case Space::Shared:
      s.kind = v.isExtern ? FunctionCode::SymbolUnit::SharedDynamic
                          : FunctionCode::SymbolUnit::SharedStatic;
      if (!v.isExtern)
        s.value = o.moduleVar ? fb.module.moduleSharedOffset[o.index]
                              : fb.vars[o.index].offset;
      break;
    case Space::Global:
    case Space::Const:
      if (!o.moduleVar)
        fail("variable '" + v.name +
             "' in a function's scope is not supported in this state space");
      s.value = o.index;
      break;
    case Space::Local:
    case Space::Param:
      if (o.moduleVar)
        fail("module-scope .local variable '" + v.name + "' is not supported");
      if (v.space == Space::Param && fb.code.isEntry &&
          o.index < fb.syntax.formals.size()) {
        // Kernel parameters: a constant bank in the generic window.
        return fb.constant(8, kParamWindow + fb.vars[o.index].offset +
                                  uint64_t(o.value));
      }
      s.kind = FunctionCode::SymbolUnit::Local;
      s.value = fb.vars[o.index].offset;
      break;
    default:
      fail("'" + v.name + "' has no address");
    }
    fb.code.symbols.push_back(s);
    return s.unit;
  }
  case Operand::Sink:
    fail("'_' is not a source");
  default:
    fail("an operand has the wrong form");
  }
}

uint32_t DecodeContext::predicateSource(const Operand &o, bool &negated) {
  negated = o.negated;
  if (o.kind == Operand::Int)
    return o.value ? uint32_t(kTrueUnit) : uint32_t(kZeroUnit);
  if (o.kind != Operand::Reg || fb.syntax.regs[o.index].type != Type::Pred)
    fail("expected a predicate");
  reads.push_back(fb.regUnit[o.index]);
  return fb.regUnit[o.index];
}

uint32_t DecodeContext::destinationAnyWidth(const Operand &o, Type type,
                                            unsigned &bytes) {
  bytes = storageBytes(type);
  if (o.kind == Operand::Sink)
    return fb.allocate(bytes);
  if (o.kind != Operand::Reg)
    fail("the destination is not a register");
  Type rt = fb.syntax.regs[o.index].type;
  if (rt == Type::Pred)
    fail("predicate '" + fb.syntax.regs[o.index].name + "' cannot hold a ." +
         nameOf(type));
  bytes = storageBytes(rt);
  writes.push_back(fb.regUnit[o.index]);
  return fb.regUnit[o.index];
}

uint32_t DecodeContext::destination(const Operand &o, Type type) {
  if (type == Type::Pred)
    return predicateDestination(o);
  unsigned width;
  uint32_t unit = destinationAnyWidth(o, type, width);
  if (unitsOf(width) != unitsOf(storageBytes(type)))
    fail("destination register of " + std::to_string(width * 8) +
         " bits does not fit a ." + std::string(nameOf(type)) + " result");
  return unit;
}

uint32_t DecodeContext::predicateDestination(const Operand &o) {
  if (o.kind == Operand::Sink)
    return fb.allocate(1);
  if (o.kind != Operand::Reg || fb.syntax.regs[o.index].type != Type::Pred)
    fail("the destination is not a predicate");
  writes.push_back(fb.regUnit[o.index]);
  return fb.regUnit[o.index];
}

DecodeContext::AddressParts DecodeContext::address(const Operand &o) {
  if (o.kind != Operand::Address || o.elems.empty())
    fail("expected an address in brackets");
  const Operand &base = o.elems[0];
  if (base.kind == Operand::Reg) {
    unsigned bytes;
    uint32_t unit = sourceAnyWidth(base, Type::B64, bytes);
    if (bytes < 4)
      fail("an address register must have 32 or 64 bits");
    return {unit, bytes == 4, o.value};
  }
  if (base.kind == Operand::Int)
    return {fb.constant(8, uint64_t(o.value)), false, 0};
  if (base.kind == Operand::Var) {
    Operand sum = base;
    sum.value += o.value;
    unsigned bytes;
    return {sourceAnyWidth(sum, Type::B64, bytes), false, 0};
  }
  fail("an address has the wrong form");
}

int64_t DecodeContext::immediate(size_t i) {
  if (op(i).kind != Operand::Int)
    fail("operand " + std::to_string(i + 1) + " must be an integer constant");
  return op(i).value;
}

uint32_t DecodeContext::addList(const std::vector<uint32_t> &units) {
  uint32_t first = uint32_t(fb.code.lists.size());
  fb.code.lists.insert(fb.code.lists.end(), units.begin(), units.end());
  return first;
}

uint32_t DecodeContext::labelReference(const Operand &o) {
  if (o.kind != Operand::Label)
    fail("expected a label");
  fb.fixups.push_back({uint32_t(fb.code.code.size()), o.index,
                       FunctionBuilder::Fixup::Target, 0});
  return 0;
}

void DecodeContext::emit() {
  InstRegisters r;
  r.first = uint32_t(fb.code.registerLists.size());
  r.writes = uint16_t(writes.size());
  r.reads = uint16_t(reads.size());
  fb.code.registerLists.insert(fb.code.registerLists.end(), writes.begin(),
                               writes.end());
  fb.code.registerLists.insert(fb.code.registerLists.end(), reads.begin(),
                               reads.end());
  fb.code.code.push_back(inst);
  fb.code.registers.push_back(r);
  fb.code.opcodes.push_back(raw.opcode);
}

void DecodeContext::emit(const Inst &extra) {
  Inst saved = inst;
  inst = extra;
  inst.line = raw.line;
  emit();
  inst = saved;
}

} // namespace gemm::emulator
