// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix, movmatrix, wmma.load, wmma.store: matrices between
// memory and a warp's registers.
#include "../Fragments.h"
#include "Access.h"
#include "Families.h"
#include "MatrixFragments.h"

namespace gemm::emulator {

namespace {

/// small bits 0-6: state space; aux: number of matrices; imm2 in list: the
/// units, then 1 for .trans. The address offset is imm.
template <bool Store> void matrixExec(Warp &w, const Inst &i, uint32_t m) {
  if (m != ~0u)
    w.machine->fault(ReportKind::Divergence, w, i, -1,
                     "a matrix instruction needs all 32 lanes of the warp");
  const unsigned n = i.aux;
  const uint32_t *units = &w.frame->function->lists[i.list];
  const bool trans = units[n];
  const uint32_t addressLanes = n == 4 ? ~0u : (1u << (8 * n)) - 1;
  checkAddressDefined(w, i, addressLanes, i.a);
  if (w.machine->options.counters) {
    uint64_t addresses[kLanes];
    for (unsigned r = 0; r < 8 * n; ++r)
      addresses[r] = w.address(i, r);
    countShared(w, i, addressLanes, addresses, 16);
  }
  const Space space = Space(i.small & 0x7f);
  Place rows[32];
  WarpPlace all;
  const bool together =
      w.machine->locateLanes(w, i, addressLanes, space, 16,
                             Store ? Access::Write : Access::Read, all) &&
      all.cta;
  for (unsigned r = 0; r < 8 * n; ++r) {
    if (together) {
      rows[r] = {all.data + all.offset[r], all.shadow + all.offset[r], all.cta,
                 all.offset[r], false};
      continue;
    }
    rows[r] = w.machine->locate(w, i, r, space, w.address(i, r), 16, 16,
                                Store ? Access::Write : Access::Read);
    if (!rows[r].cta)
      w.machine->fault(ReportKind::InvalidArgument, w, i, int(r),
                       "the row is not in shared memory");
  }
  auto checkRaces = [&](RaceDetector::Kind kind) {
    if (w.machine->races &&
        !(together &&
          w.machine->races->accessLanes(w, i, addressLanes, all, 16, Store)))
      for (unsigned r = 0; r < 8 * n; ++r)
        w.machine->races->access(w, i, r, rows[r], 16, kind);
  };
  if (!Store)
    checkRaces(RaceDetector::Kind::Read);
  uint32_t t[4][kLanes];
  if (!Store) {
    for (unsigned k = 0; k < n; ++k) {
      uint32_t undefinedLanes = 0;
      bool defined = true;
      for (unsigned r = 0; r < 8; ++r)
        defined &= allBits<16>(rows[k * 8 + r].shadow, kAllDefined);
      if (defined && !trans) { // four lanes a row, four bytes each
        for (unsigned r = 0; r < 8; ++r)
          std::memcpy(&t[k][4 * r], rows[k * 8 + r].data, 16);
        w.undef[units[k]] = 0;
        continue;
      }
      for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t v = 0;
        for (unsigned e = 0; e < 2; ++e) {
          MatrixCoordinate x = matrix8x8Element(l, e, trans);
          const Place &p = rows[k * 8 + x.row];
          uint16_t h;
          std::memcpy(&h, p.data + 2 * x.column, 2);
          v |= uint32_t(h) << (16 * e);
          if (!allBits<2>(p.shadow + 2 * x.column, kAllDefined))
            undefinedLanes |= 1u << l;
        }
        t[k][l] = v;
      }
      w.undef[units[k]] = undefinedLanes;
    }
    for (unsigned k = 0; k < n; ++k)
      std::memcpy(w.lanes<uint32_t>(units[k]), t[k], sizeof t[k]);
  } else {
    for (unsigned k = 0; k < n; ++k) {
      const uint32_t *v = w.lanes<uint32_t>(units[k]);
      for (unsigned l = 0; l < kLanes; ++l)
        for (unsigned e = 0; e < 2; ++e) {
          MatrixCoordinate x = matrix8x8Element(l, e, trans);
          const Place &p = rows[k * 8 + x.row];
          uint16_t h = uint16_t(v[l] >> (16 * e));
          std::memcpy(p.data + 2 * x.column, &h, 2);
          setDefinedN<2>(p.shadow + 2 * x.column,
                         !(w.undef[units[k]] >> l & 1));
        }
    }
    checkRaces(RaceDetector::Kind::Write);
    w.machine->addProgress();
  }
}

void movmatrixExec(Warp &w, const Inst &i, uint32_t m) {
  if (m != ~0u)
    w.machine->fault(ReportKind::Divergence, w, i, -1,
                     "a matrix instruction needs all 32 lanes of the warp");
  const uint32_t *a = w.lanes<uint32_t>(i.a);
  uint16_t tile[8][8];
  uint32_t r[kLanes];
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned e = 0; e < 2; ++e) {
      MatrixCoordinate x = matrix8x8Element(l, e, false);
      tile[x.row][x.column] = uint16_t(a[l] >> (16 * e));
    }
  for (unsigned l = 0; l < kLanes; ++l) {
    r[l] = 0;
    for (unsigned e = 0; e < 2; ++e) {
      MatrixCoordinate x = matrix8x8Element(l, e, true);
      r[l] |= uint32_t(tile[x.row][x.column]) << (16 * e);
    }
  }
  std::memcpy(w.lanes<uint32_t>(i.d), r, sizeof r);
  w.undef[i.d] = w.undef[i.a] ? ~0u : 0;
}

struct WmmaSpec {
  const FragmentMap *map;
  Space space;
  bool columnMajor;
  bool store;
  uint32_t stride; ///< unit, or 0: the matrix's own leading dimension
};

void wmmaExec(Warp &w, const Inst &i, uint32_t m) {
  if (m != ~0u)
    w.machine->fault(ReportKind::Divergence, w, i, -1,
                     "a matrix instruction needs all 32 lanes of the warp");
  const WmmaSpec &s = extraOf<WmmaSpec>(w, i);
  const uint32_t *units = &w.frame->function->lists[i.list];
  const FragmentMap &f = *s.map;
  checkAddressDefined(w, i, m, i.a);
  const uint64_t base = w.address(i, 0);
  const uint64_t stride = s.stride        ? w.lanes<uint32_t>(s.stride)[0]
                          : s.columnMajor ? f.rows
                                          : f.columns;
  for (unsigned l = 1; l < kLanes; ++l)
    if (w.address(i, l) != base ||
        (s.stride && w.lanes<uint32_t>(s.stride)[l] != stride))
      w.machine->fault(
          ReportKind::Divergence, w, i, int(l),
          "the lanes of the warp give different addresses or strides");
  const unsigned elementBits = f.bits;
  if ((stride * elementBits) % 128 && elementBits < 64)
    w.machine->fault(ReportKind::Misaligned, w, i, 0,
                     "the stride of " + std::to_string(stride) +
                         " elements is not a multiple of 16 bytes");
  // The ISA asks for natural alignment of the fragment; 32 bytes are what the
  // CUDA API requires, and what every shape satisfies.
  if (base & 15)
    w.machine->fault(ReportKind::Misaligned, w, i, 0,
                     "the matrix is not aligned to 16 bytes");
  const unsigned unitBits =
      elementBits < 8
          ? 32
          : elementBits; // sub-byte elements move a register at a time
  const unsigned steps = elementBits < 8 ? 1 : f.perRegister,
                 bytes = unitBits / 8;
  const Access access = s.store ? Access::Write : Access::Read;
  for (unsigned r = 0; r < f.registers; ++r) {
    uint32_t undefinedLanes = 0;
    for (unsigned l = 0; l < kLanes; ++l)
      for (unsigned e = 0; e < steps; ++e) {
        MatrixCoordinate x = f.at(r, l, e);
        uint64_t index = s.columnMajor ? x.column * stride + x.row
                                       : x.row * stride + x.column;
        Place p =
            w.machine->locate(w, i, l, s.space, base + index * elementBits / 8,
                              bytes, bytes, access);
        uint8_t *at =
            w.lanes<uint8_t>(units[r]) + l * (f.registerBits / 8) + e * bytes;
        if (w.machine->races)
          w.machine->races->access(w, i, l, p, bytes,
                                   s.store ? RaceDetector::Kind::Write
                                           : RaceDetector::Kind::Read,
                                   at);
        if (s.store) {
          std::memcpy(p.data, at, bytes);
          bool defined = !(w.undef[units[r]] >> l & 1);
          setDefined(p.shadow, bytes, defined);
          if (!defined && !p.cta && !p.isPrivate && w.machine->sanitize)
            w.machine->report(Severity::Error, ReportKind::Undefined, &w, &i,
                              int(l),
                              "undefined data is written to global memory");
        } else {
          std::memcpy(at, p.data, bytes);
          for (unsigned k = 0; k < bytes; ++k)
            if (!(p.shadow[k] & kDefined))
              undefinedLanes |= 1u << l;
        }
      }
    if (!s.store)
      w.undef[units[r]] = undefinedLanes;
  }
  w.machine->addProgress();
}

void decodeWmmaAccess(DecodeContext &c, bool store) {
  std::string_view role = c.takeAny({"a", "b", "c", "d"});
  if (!c.take("sync") || !c.take("aligned"))
    c.unknown();
  auto s = std::make_shared<WmmaSpec>();
  s->store = store;
  s->columnMajor = c.take("col");
  if (!s->columnMajor && !c.take("row"))
    c.unknown();
  MmaShape shape;
  for (std::string_view v : c.rest())
    if (std::sscanf(std::string(v).c_str(), "m%un%uk%u", &shape.m, &shape.n,
                    &shape.k) == 3) {
      c.take(v);
      break;
    }
  s->space = takeSpace(c);
  auto type = elementTypeOf(c.takeType());
  if (!type || role.empty() || (role == "d") != store)
    c.unknown();
  std::string error;
  s->map = fragmentMap(FragmentFamily::Wmma, shape, *type,
                       role == "a"   ? MatrixRole::A
                       : role == "b" ? MatrixRole::B
                                     : MatrixRole::Accumulator,
                       &error);
  if (!s->map)
    c.fail("unknown instruction: " + error);
  c.finishModifiers();
  c.expectOperands(2, 3);
  const Operand &fragment = c.op(store ? 1 : 0);
  size_t n = fragment.kind == Operand::Vector ? fragment.elems.size() : 1;
  if (n != s->map->registers)
    c.fail("the fragment needs " + std::to_string(s->map->registers) +
           " registers, found " + std::to_string(n));
  std::vector<uint32_t> units;
  for (size_t k = 0; k < n; ++k) {
    const Operand &o =
        fragment.kind == Operand::Vector ? fragment.elems[k] : fragment;
    units.push_back(store ? c.source(o, registerTypeOf(*s->map))
                          : c.destination(o, registerTypeOf(*s->map)));
  }
  setAddress(c, c.op(store ? 0 : 1));
  s->stride = c.count() == 3 ? c.source(2, Type::U32) : 0;
  c.inst.list = c.addList(units);
  c.inst.aux = c.addExtra(s);
  c.inst.flags |= kAligned;
  c.inst.run = wmmaExec;
  c.inst.opClass = OpClass::Memory;
  c.emit();
}

} // namespace

void decodeWmmaLoad(DecodeContext &c) { decodeWmmaAccess(c, false); }
void decodeWmmaStore(DecodeContext &c) { decodeWmmaAccess(c, true); }

void decodeLdmatrix(DecodeContext &c) {
  const bool store = c.base() == "stmatrix";
  if (!c.take("sync") || !c.take("aligned") || !c.take("m8n8"))
    c.unknown();
  std::string_view x = c.takeAny({"x1", "x2", "x4"});
  if (x.empty())
    c.unknown();
  const unsigned n = unsigned(x[1] - '0');
  const bool trans = c.take("trans");
  Space space = takeSpace(c);
  if (c.takeType() != Type::B16)
    c.unknown();
  c.finishModifiers();
  c.expectOperands(2, 2);
  const Operand &v = c.op(store ? 1 : 0);
  size_t found = v.kind == Operand::Vector ? v.elems.size() : 1;
  if (found != n)
    c.fail("the vector needs " + std::to_string(n) + " registers");
  std::vector<uint32_t> units;
  for (size_t k = 0; k < n; ++k) {
    const Operand &o = v.kind == Operand::Vector ? v.elems[k] : v;
    units.push_back(store ? c.source(o, Type::B32)
                          : c.destination(o, Type::B32));
  }
  units.push_back(trans);
  c.inst.small = uint8_t(space);
  setAddress(c, c.op(store ? 0 : 1));
  c.inst.list = c.addList(units);
  c.inst.aux = n;
  c.inst.flags |= kAligned;
  c.inst.run = store ? matrixExec<true> : matrixExec<false>;
  c.inst.opClass = OpClass::Memory;
  c.emit();
}

void decodeMovmatrix(DecodeContext &c) {
  if (!c.take("sync") || !c.take("aligned") || !c.take("m8n8") ||
      !c.take("trans"))
    c.unknown();
  if (c.takeType() != Type::B16)
    c.unknown();
  c.finishModifiers();
  c.expectOperands(2, 2);
  c.inst.a = c.source(1, Type::B32);
  c.inst.d = c.destination(size_t(0), Type::B32);
  c.inst.flags |= kAligned;
  c.inst.run = movmatrixExec;
  c.inst.opClass = OpClass::Warp;
  c.emit();
}

} // namespace gemm::emulator
