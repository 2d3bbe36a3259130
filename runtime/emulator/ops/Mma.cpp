// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync and wmma.mma (PTX ISA "Warp Level Matrix Multiply-Accumulate
// Instructions").
#include "Families.h"
#include "MatrixFragments.h"

namespace gemm::emulator {

bool TensorOperations::create(TensorOperationSpec spec, std::string &error) {
  bool any = false;
  for (unsigned f = 0; f < byFamily.size(); ++f) {
    spec.family = TensorCoreFamily(f);
    byFamily[f] = TensorOperation::create(spec, &why[f]);
    any |= byFamily[f].has_value();
    if (!byFamily[f])
      error = why[f];
  }
  return any;
}

const TensorOperation &TensorOperations::pick(Warp &w, const Inst &i) const {
  unsigned f = unsigned(tensorCoreFamily(w.machine->limits.computeCapability));
  if (!byFamily[f])
    w.machine->fault(ReportKind::Unsupported, w, i, -1,
                     "device " + w.machine->target + ": " + why[f]);
  return *byFamily[f];
}

std::optional<ElementType> elementTypeOf(Type t) {
  switch (t) {
  case Type::F16:
    return ElementType::F16;
  case Type::BF16:
    return ElementType::BF16;
  case Type::TF32:
    return ElementType::TF32;
  case Type::E4M3:
    return ElementType::E4M3;
  case Type::E5M2:
    return ElementType::E5M2;
  case Type::F64:
    return ElementType::F64;
  case Type::S8:
    return ElementType::S8;
  case Type::U8:
    return ElementType::U8;
  case Type::S4:
    return ElementType::S4;
  case Type::U4:
    return ElementType::U4;
  case Type::B1:
    return ElementType::B1;
  case Type::F32:
    return ElementType::F32;
  case Type::S32:
    return ElementType::S32;
  default:
    return std::nullopt;
  }
}

Type registerTypeOf(const FragmentMap &map) {
  return map.registerBits == 64 ? Type::B64 : Type::B32;
}

namespace {
struct MmaSpec {
  TensorOperations operations;
  const FragmentMap *a, *b, *c, *d;
  MmaShape shape;
  unsigned products = 1; ///< four independent ones in m8n8k4.f16
};

template <class T>
void runTile(Warp &w, const Inst &i, const MmaSpec &s, const uint32_t *list) {
  alignas(64) T a[64 * 64], b[256 * 32], c[32 * 32 * 2], d[32 * 32 * 2];
  static_assert(sizeof a >= 16 * 256 * sizeof(T), "m16n8k256.b1");
  const uint32_t *du = list, *au = du + s.d->registers,
                 *bu = au + s.a->registers, *cu = bu + s.b->registers;
  gatherTile<T>(w, *s.a, au, a);
  gatherTile<T>(w, *s.b, bu, b);
  gatherTile<T>(w, *s.c, cu, c);
  const TensorOperation &op = s.operations.pick(w, i);
  if (s.products == 1) {
    op.run(a, b, c, d);
  } else {
    // Stacked: rows of A and of the accumulator, columns of B.
    const unsigned m = s.shape.m, n = s.shape.n, k = s.shape.k;
    for (unsigned p = 0; p < s.products; ++p) {
      T bp[64];
      for (unsigned r = 0; r < k; ++r)
        for (unsigned q = 0; q < n; ++q)
          bp[r * n + q] = b[r * (n * s.products) + p * n + q];
      op.run(a + p * m * k, bp, c + p * m * n, d + p * m * n);
    }
  }
  const uint32_t undefinedLanes = anyUndefined(w, au, s.a->registers) |
                                  anyUndefined(w, bu, s.b->registers) |
                                  anyUndefined(w, cu, s.c->registers);
  if (!undefinedLanes) {
    scatterTile<T>(w, *s.d, du, d);
    for (unsigned r = 0; r < s.d->registers; ++r)
      w.undef[du[r]] = 0;
    return;
  }
  // Rows of A, columns of B, elements of C that are undefined.
  uint8_t rows[256] = {}, columns[256] = {}, element[32 * 32 * 2] = {};
  auto mark = [&](const FragmentMap &f, const uint32_t *units, auto &&set) {
    for (unsigned r = 0; r < f.registers; ++r)
      forLanes(w.undef[units[r]], [&](unsigned l) {
        for (unsigned e = 0; e < f.perRegister; ++e)
          set(f.at(r, l, e));
      });
  };
  mark(*s.a, au, [&](MatrixCoordinate x) { rows[x.row] = 1; });
  mark(*s.b, bu, [&](MatrixCoordinate x) { columns[x.column] = 1; });
  mark(*s.c, cu, [&](MatrixCoordinate x) {
    element[x.row * s.c->columns + x.column] = 1;
  });
  scatterTile<T>(w, *s.d, du, d);
  for (unsigned r = 0; r < s.d->registers; ++r) {
    uint32_t u = 0;
    for (unsigned l = 0; l < kLanes; ++l)
      for (unsigned e = 0; e < s.d->perRegister; ++e) {
        MatrixCoordinate x = s.d->at(r, l, e);
        unsigned column = s.products == 1
                              ? x.column
                              : x.row / s.shape.m * s.shape.n + x.column;
        if (rows[x.row] || columns[column] ||
            element[x.row * s.d->columns + x.column])
          u |= 1u << l;
      }
    w.undef[du[r]] = u;
  }
}

void mmaExec(Warp &w, const Inst &i, uint32_t m) {
  if (m != ~0u)
    w.machine->fault(ReportKind::Divergence, w, i, -1,
                     "a matrix instruction needs all 32 lanes of the warp");
  const MmaSpec &s = extraOf<MmaSpec>(w, i);
  const uint32_t *list = &w.frame->function->lists[i.list];
  if (s.a->registerBits == 64)
    runTile<uint64_t>(w, i, s, list);
  else
    runTile<uint32_t>(w, i, s, list);
}

MmaShape takeShape(DecodeContext &c) {
  for (std::string_view v : c.rest()) {
    unsigned m, n, k;
    if (v.size() > 4 && v[0] == 'm' &&
        std::sscanf(std::string(v).c_str(), "m%un%uk%u", &m, &n, &k) == 3) {
      c.take(v);
      return {m, n, k};
    }
  }
  c.fail("the shape is missing");
}
} // namespace

void decodeMma(DecodeContext &c) {
  const bool wmma = c.base() == "wmma";
  if (wmma) {
    if (c.take("load"))
      return decodeWmmaLoad(c);
    if (c.take("store"))
      return decodeWmmaStore(c);
    if (!c.take("mma"))
      c.unknown();
  }
  if (c.has("sp") || c.has("sp::ordered_metadata"))
    c.fail("sparse matrix instructions are not supported");
  BitOperation bit = BitOperation::Xor;
  if (c.take("xor") || (c.take("and") && (bit = BitOperation::And, true)))
    if (!c.take("popc"))
      c.unknown();
  bool sync = c.take("sync"), aligned = c.take("aligned");
  if (!sync || !aligned)
    c.unknown();
  TensorOperationSpec spec;
  spec.instruction = TensorInstruction::MmaSync;
  spec.bitOperation = bit;
  spec.shape = takeShape(c);
  std::vector<std::string_view> layouts;
  for (std::string_view v : c.rest())
    if (v == "row" || v == "col")
      layouts.push_back(v);
  for (std::string_view v : layouts)
    c.take(v);
  if (layouts.size() != 2)
    c.fail("two layouts are needed");
  spec.saturate = c.take("satfinite");
  std::string_view rounding = c.takeAny({"rn", "rz", "rm", "rp"});
  spec.rounding = rounding == "rz"   ? Rounding::TowardZero
                  : rounding == "rm" ? Rounding::Down
                  : rounding == "rp" ? Rounding::Up
                                     : Rounding::NearestEven;
  std::vector<ElementType> types;
  while (auto t = c.tryTakeType()) {
    auto e = elementTypeOf(*t);
    if (!e)
      c.unknown();
    types.push_back(*e);
  }
  if (wmma && types.size() == 2) // f16 multiplicands are not named
    types = {types[0], ElementType::F16, ElementType::F16, types[1]};
  if (types.size() != 4)
    c.fail("four types are needed");
  spec.dType = types[0];
  spec.aType = types[1];
  spec.bType = types[2];
  spec.cType = types[3];
  auto s = std::make_shared<MmaSpec>();
  s->shape = spec.shape;
  std::string error;
  const bool quad = !wmma && spec.shape == MmaShape{8, 8, 4} &&
                    spec.aType == ElementType::F16;
  if (quad) {
    s->products = 4;
    s->a = quadPairFragment(spec.aType, MatrixRole::A, layouts[0] == "col");
    s->b = quadPairFragment(spec.bType, MatrixRole::B, layouts[1] == "col");
    s->c = quadPairFragment(spec.cType, MatrixRole::Accumulator, false);
    s->d = quadPairFragment(spec.dType, MatrixRole::Accumulator, false);
  } else {
    if (!wmma && (layouts[0] != "row" || layouts[1] != "col"))
      c.unknown();
    FragmentFamily family =
        wmma ? FragmentFamily::Wmma : FragmentFamily::MmaSync;
    s->a = fragmentMap(family, spec.shape, spec.aType, MatrixRole::A, &error);
    s->b = fragmentMap(family, spec.shape, spec.bType, MatrixRole::B, &error);
    s->c = fragmentMap(family, spec.shape, spec.cType, MatrixRole::Accumulator,
                       &error);
    s->d = fragmentMap(family, spec.shape, spec.dType, MatrixRole::Accumulator,
                       &error);
  }
  if (!s->a || !s->b || !s->c || !s->d)
    c.fail("unknown instruction: " + error);
  if (spec.aType == ElementType::F64 && spec.shape.m == 16)
    c.needsTarget(90); // PTX ISA "mma", target notes; the others run on sm_80
  if (!s->operations.create(spec, error))
    c.fail("unknown instruction: " + error);
  c.finishModifiers();
  c.expectOperands(4, 4);
  std::vector<uint32_t> units;
  auto add = [&](const Operand &o, const FragmentMap &f, bool destination) {
    size_t n = o.kind == Operand::Vector ? o.elems.size() : 1;
    if (n != f.registers)
      c.fail("a matrix operand needs " + std::to_string(f.registers) +
             " registers, found " + std::to_string(n));
    for (size_t k = 0; k < n; ++k) {
      const Operand &r = o.kind == Operand::Vector ? o.elems[k] : o;
      units.push_back(destination ? c.destination(r, registerTypeOf(f))
                                  : c.source(r, registerTypeOf(f)));
    }
  };
  add(c.op(0), *s->d, true);
  add(c.op(1), *s->a, false);
  add(c.op(2), *s->b, false);
  add(c.op(3), *s->c, false);
  c.inst.list = c.addList(units);
  c.inst.aux = c.addExtra(s);
  c.inst.flags |= kAligned;
  c.inst.run = mmaExec;
  c.inst.imm = int64_t(2) * spec.shape.m * spec.shape.n * spec.shape.k *
               s->products; // operations, for the counters
  c.inst.opClass = OpClass::Matrix;
  c.emit();
}

} // namespace gemm::emulator
