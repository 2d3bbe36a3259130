// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atom and red (PTX ISA "Parallel Synchronization and Communication
// Instructions: atom, red").
#include "../FloatFormats.h"
#include "Access.h"
#include "Barriers.h"
#include "Families.h"
#include "FloatLanes.h"
#include "Reduce.h"

namespace gemm::emulator {

bool reducible(ReduceOp op, Type t) {
  switch (op) {
  case ReduceOp::Add:
    return t == Type::U32 || t == Type::S32 || t == Type::U64 ||
           t == Type::S64 || t == Type::F32 || t == Type::F64 ||
           t == Type::F16 || t == Type::F16x2 || t == Type::BF16 ||
           t == Type::BF16x2;
  case ReduceOp::Inc:
  case ReduceOp::Dec:
    return t == Type::U32;
  case ReduceOp::Min:
  case ReduceOp::Max:
    return t == Type::U32 || t == Type::S32 || t == Type::U64 ||
           t == Type::S64 || t == Type::F16 || t == Type::BF16 ||
           t == Type::F16x2 || t == Type::BF16x2;
  case ReduceOp::And:
  case ReduceOp::Or:
  case ReduceOp::Xor:
    return t == Type::B32 || t == Type::B64;
  case ReduceOp::Exch:
    return t == Type::B32 || t == Type::B64 || t == Type::B128;
  case ReduceOp::Cas:
    return t == Type::B16 || t == Type::B32 || t == Type::B64 ||
           t == Type::B128;
  }
  return false;
}

Type tensorReduceType(ReduceOp op, TensorMapType elements) {
  static constexpr Type types[] = {Type::U8,  Type::U16, Type::U32, Type::S32,
                                   Type::U64, Type::S64, Type::F16, Type::F32,
                                   Type::F64, Type::BF16};
  const bool bitwise =
      op == ReduceOp::And || op == ReduceOp::Or || op == ReduceOp::Xor;
  Type type = Type::F32; // Float32Ftz, TFloat32, TFloat32Ftz
  if (size_t(elements) < std::size(types))
    type = types[size_t(elements)];
  const bool integer = elements <= TensorMapType::Int64;
  if (bitwise && integer)
    type = bitsOf(type) == 64   ? Type::B64
           : bitsOf(type) == 32 ? Type::B32
                                : type;
  return reducible(op, type) ? type : Type::None;
}

static uint16_t halfReduce(ReduceOp op, bool bfloat, uint16_t a, uint16_t b) {
  auto up = [&](uint16_t v) {
    return asFloat(bfloat ? bf16ToF32Bits(v) : f16ToF32Bits(v));
  };
  if (op == ReduceOp::Add) {
    float s = up(a) + up(b);
    return bfloat ? f32BitsToBF16(asBits(s)) : f32BitsToF16(asBits(s));
  }
  float x = up(a), y = up(b);
  if (x != x)
    return y != y ? 0x7fff : b;
  if (y != y)
    return a;
  if (x == y) // -0 and +0
    return (op == ReduceOp::Min) == bool(a & 0x8000) ? a : b;
  return (x < y) == (op == ReduceOp::Min) ? a : b;
}

uint64_t reduceValue(ReduceOp op, Type t, uint64_t old, uint64_t b,
                     uint64_t c) {
  switch (op) {
  case ReduceOp::Add:
    switch (t) {
    case Type::F32:
      return canonical32(asFloat(uint32_t(old)) + asFloat(uint32_t(b)));
    case Type::F64:
      return canonical64(asDouble(old) + asDouble(b));
    case Type::F16:
      return halfReduce(op, false, uint16_t(old), uint16_t(b));
    case Type::BF16:
      return halfReduce(op, true, uint16_t(old), uint16_t(b));
    case Type::F16x2:
    case Type::BF16x2: {
      bool bf = t == Type::BF16x2;
      return uint32_t(halfReduce(op, bf, uint16_t(old), uint16_t(b))) |
             uint32_t(
                 halfReduce(op, bf, uint16_t(old >> 16), uint16_t(b >> 16)))
                 << 16;
    }
    default:
      return old + b;
    }
  case ReduceOp::Inc:
    return uint32_t(old) >= uint32_t(b) ? 0 : old + 1;
  case ReduceOp::Dec:
    return uint32_t(old) == 0 || uint32_t(old) > uint32_t(b) ? b : old - 1;
  case ReduceOp::Min:
  case ReduceOp::Max: {
    bool isMin = op == ReduceOp::Min;
    switch (t) {
    case Type::S32:
      return (int32_t(old) < int32_t(b)) == isMin ? old : b;
    case Type::U32:
      return (uint32_t(old) < uint32_t(b)) == isMin ? old : b;
    case Type::S64:
      return (int64_t(old) < int64_t(b)) == isMin ? old : b;
    case Type::F16:
      return halfReduce(op, false, uint16_t(old), uint16_t(b));
    case Type::BF16:
      return halfReduce(op, true, uint16_t(old), uint16_t(b));
    case Type::F16x2:
    case Type::BF16x2: {
      bool bf = t == Type::BF16x2;
      return uint32_t(halfReduce(op, bf, uint16_t(old), uint16_t(b))) |
             uint32_t(
                 halfReduce(op, bf, uint16_t(old >> 16), uint16_t(b >> 16)))
                 << 16;
    }
    default:
      return (old < b) == isMin ? old : b;
    }
  }
  case ReduceOp::And:
    return old & b;
  case ReduceOp::Or:
    return old | b;
  case ReduceOp::Xor:
    return old ^ b;
  case ReduceOp::Exch:
    return b;
  case ReduceOp::Cas:
    return old == b ? c : old;
  }
  return old;
}

namespace {
struct AtomicSpec {
  ReduceOp op;
  Type type;
  Space space;
  unsigned bytes; ///< of one element
  unsigned count; ///< elements (vector red and atom)
  bool returns;
  uint32_t semantics;
};

uint64_t readRegister(Warp &w, uint32_t unit, unsigned bytes, unsigned lane) {
  uint64_t v = 0;
  std::memcpy(&v, w.lanes<uint8_t>(unit) + size_t(lane) * bytes, bytes);
  return v;
}

/// list: d units, b units, c units.
void atomicExec(Warp &w, const Inst &i, uint32_t m) {
  const AtomicSpec &s = extraOf<AtomicSpec>(w, i);
  const uint32_t *list = &w.frame->function->lists[i.list];
  Machine &machine = *w.machine;
  checkAddressDefined(w, i, m, i.a);
  const unsigned total = s.bytes * s.count;
  uint64_t addresses[kLanes];
  forLanes(m, [&](unsigned l) {
    addresses[l] = w.address(i, l);
    Place p = machine.locate(w, i, l, s.space, addresses[l], total, total,
                             Access::Atomic);
    if (machine.races && !p.isPrivate) {
      machine.races->access(w, i, l, p, total,
                            RaceDetector::Kind::StrongUpdate);
      machine.races->synchronize(
          w, p, s.semantics ? s.semantics : uint32_t(kRelaxed), true, true);
    }
    bool memoryDefined = true;
    for (unsigned k = 0; k < total; ++k)
      memoryDefined &= (p.shadow[k] & kDefined) != 0;
    for (unsigned e = 0; e < s.count; ++e) {
      uint32_t bUnit = list[s.count + e], cUnit = list[2 * s.count + e],
               dUnit = list[e];
      uint64_t old = 0;
      std::memcpy(&old, p.data + e * s.bytes, s.bytes);
      uint64_t b = readRegister(w, bUnit, s.bytes, l),
               c = readRegister(w, cUnit, s.bytes, l);
      bool operands = !(((w.undef[bUnit] | w.undef[cUnit]) >> l) & 1);
      bool defined =
          s.op == ReduceOp::Exch ? operands : operands && memoryDefined;
      if (machine.sanitize && !defined && !p.cta && !p.isPrivate)
        machine.report(
            Severity::Error, ReportKind::Undefined, &w, &i, int(l),
            operands
                ? "an atomic operation on undefined global memory"
                : "undefined data enters an atomic operation on global memory");
      uint64_t value = reduceValue(s.op, s.type, old, b, c);
      if (value != old || s.op != ReduceOp::Cas)
        machine.addProgress();
      std::memcpy(p.data + e * s.bytes, &value, s.bytes);
      setDefined(p.shadow + e * s.bytes, s.bytes, defined);
      if (s.returns && dUnit) {
        std::memcpy(w.lanes<uint8_t>(dUnit) + size_t(l) * s.bytes, &old,
                    s.bytes);
        w.setUndefined(dUnit, 1u << l, memoryDefined ? 0 : 1u << l);
      }
    }
  });
  if (machine.options.counters && s.space != Space::Shared)
    countGlobal(w, i, m, addresses, total, true);
}
struct Value128 {
  uint64_t low, high;
};
/// exch and cas of 128 bits.
void atomic128Exec(Warp &w, const Inst &i, uint32_t m) {
  const AtomicSpec &s = extraOf<AtomicSpec>(w, i);
  const uint32_t *list = &w.frame->function->lists[i.list];
  forLanes(m, [&](unsigned l) {
    Place p = w.machine->locate(w, i, l, s.space, w.address(i, l), 16, 16,
                                Access::Atomic);
    Value128 old, b = w.lanes<Value128>(list[1])[l],
                  c = w.lanes<Value128>(list[2])[l];
    std::memcpy(&old, p.data, 16);
    Value128 value = s.op == ReduceOp::Exch                   ? b
                     : old.low == b.low && old.high == b.high ? c
                                                              : old;
    std::memcpy(p.data, &value, 16);
    setDefined(p.shadow, 16, true);
    w.machine->addProgress();
    if (list[0]) {
      w.lanes<Value128>(list[0])[l] = old;
      w.define(list[0], 1u << l);
    }
  });
}
} // namespace

void decodeAtomic(DecodeContext &c) {
  if (c.has("async"))
    return decodeReduceAsync(c);
  AtomicSpec s;
  s.returns = c.base() == "atom";
  s.semantics = takeSemantics(c);
  s.space = takeSpace(c);
  std::string_view op = c.takeAny(
      {"add", "inc", "dec", "min", "max", "and", "or", "xor", "exch", "cas"});
  c.take("noftz");
  takeCacheHints(c);
  s.count = c.take("v2") ? 2 : c.take("v4") ? 4 : c.take("v8") ? 8 : 1;
  s.type = c.takeType();
  c.finishModifiers();
  static constexpr std::pair<std::string_view, ReduceOp> ops[] = {
      {"add", ReduceOp::Add}, {"inc", ReduceOp::Inc}, {"dec", ReduceOp::Dec},
      {"min", ReduceOp::Min}, {"max", ReduceOp::Max}, {"and", ReduceOp::And},
      {"or", ReduceOp::Or},   {"xor", ReduceOp::Xor}, {"exch", ReduceOp::Exch},
      {"cas", ReduceOp::Cas}};
  bool known = false;
  for (auto &[name, value] : ops)
    if (op == name) {
      s.op = value;
      known = true;
    }
  if (!known || !reducible(s.op, s.type) ||
      (!s.returns && (s.op == ReduceOp::Cas || s.op == ReduceOp::Exch)))
    c.unknown();
  s.bytes = bitsOf(s.type) / 8;
  if (s.count * s.bytes > 16)
    c.unknown();
  size_t at = s.returns ? 1 : 0, needed = at + 2 + (s.op == ReduceOp::Cas);
  c.expectOperands(needed, needed + 1);
  std::vector<uint32_t> d(s.count, 0), b(s.count, 0), third(s.count, 0);
  auto fill = [&](std::vector<uint32_t> &units, const Operand &o,
                  bool destination) {
    if (s.count > 1 && (o.kind != Operand::Vector || o.elems.size() != s.count))
      c.fail("the vector needs " + std::to_string(s.count) + " registers");
    for (unsigned e = 0; e < s.count; ++e) {
      const Operand &r = s.count > 1 ? o.elems[e] : o;
      if (destination)
        units[e] = r.kind == Operand::Sink ? 0 : c.destination(r, s.type);
      else
        units[e] = c.source(r, s.type);
    }
  };
  if (s.returns)
    fill(d, c.op(0), true);
  setAddress(c, c.op(at));
  fill(b, c.op(at + 1), false);
  if (s.op == ReduceOp::Cas)
    fill(third, c.op(at + 2), false);
  if (c.count() > needed)
    c.source(needed, Type::B64); // cache policy
  std::vector<uint32_t> all = d;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), third.begin(), third.end());
  c.inst.list = c.addList(all);
  c.inst.aux = c.addExtra(std::make_shared<AtomicSpec>(s));
  c.inst.run = s.bytes == 16 ? atomic128Exec : atomicExec;
  c.inst.opClass = OpClass::Atomic;
  c.emit();
}

/// fence and membar: the memory here is always in order; the clocks learn.
void decodeFence(DecodeContext &c) {
  std::string_view b = c.base();
  uint32_t semantics = 0;
  bool proxy = false, async = false, mbarrierInit = false;
  if (b == "membar") {
    c.takeAny({"gl", "sys", "cta"});
    proxy = c.take("proxy");
    async = c.takeAny({"alias", "async"}) == "async";
    c.takeAny({"global", "shared::cta"});
  } else {
    c.take("sc");
    mbarrierInit = c.take("mbarrier_init");
    proxy = c.take("proxy");
    async = c.takeAny({"alias", "async", "tensormap::generic"}) == "async";
    c.takeAny({"global", "shared::cta", "shared::cluster"});
    c.take("sync_restrict::shared::cta");
    c.take("sync_restrict::shared::cluster");
    semantics = takeSemantics(c);
  }
  c.finishModifiers();
  for (size_t k = 0; k < c.count(); ++k)
    if (c.op(k).kind == Operand::Address)
      c.address(k);
  c.inst.aux = semantics;
  c.inst.small = uint8_t(mbarrierInit ? 3 : !proxy ? 0 : async ? 1 : 2);
  c.inst.run = [](Warp &w, const Inst &i, uint32_t) {
    if (!w.machine->races)
      return;
    if (i.small == 1 || i.small == 3)
      fenceMbarrierInits(w);
    if (i.small == 0 || i.small == 3)
      w.machine->races->fence(w);
    else if (i.small == 1)
      w.machine->races->proxyFence(w);
  };
  c.inst.opClass = OpClass::Barrier;
  c.emit();
}

} // namespace gemm::emulator
