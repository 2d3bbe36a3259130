// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ld, st and their vectors, prefetch and cache hints.
#include "Access.h"
#include "Families.h"
#include "PartlyDefined.h"

namespace gemm::emulator {

namespace {
struct Bits128 {
  uint64_t low, high;
};

/// True if the bytes that `lane` accesses are defined, for every lane of the
/// mask.
template <unsigned N> bool allDefined(const WarpPlace &p, uint32_t m) {
  constexpr uint64_t pattern =
      N < 8 ? kAllDefined & ((uint64_t(1) << (8 * N % 64)) - 1) : kAllDefined;
  uint64_t all = ~uint64_t(0);
  auto look = [&](uint64_t offset, unsigned bytes) {
    for (unsigned k = 0; k < bytes; k += 8) {
      uint64_t v = ~uint64_t(0);
      std::memcpy(&v, p.shadow + offset + k, bytes < 8 ? bytes : 8);
      all &= v;
    }
  };
  if (p.shape == WarpPlace::Contiguous) {
    look(p.offset[0], N * kLanes);
    return (all & kAllDefined) == kAllDefined;
  }
  if (p.shape == WarpPlace::Uniform)
    look(p.offset[0], N);
  else if (m == ~0u)
    for (unsigned l = 0; l < kLanes; ++l)
      look(p.offset[l], N);
  else
    forLanes(m, [&](unsigned l) { look(p.offset[l], N); });
  return (all & pattern) == pattern;
}

/// True if a lane's bytes are part of an mbarrier.
template <unsigned N> bool hitsBarrier(const WarpPlace &p, uint32_t m) {
  bool hit = false;
  forLanes(m, [&](unsigned l) {
    hit |= anyBits<N>(p.shadow + p.offset[l], kAllBarrier);
  });
  return hit;
}

/// The lanes' data, to C registers each; `regs` are the registers' rows.
template <class T, class R, unsigned C>
void loadLanes(const WarpPlace &p, uint32_t m, R *const *regs) {
  auto one = [&](unsigned l) {
    T t[C];
    std::memcpy(t, p.data + p.offset[l], sizeof t);
    for (unsigned e = 0; e < C; ++e)
      regs[e][l] = R(t[e]);
  };
  if (p.shape == WarpPlace::Uniform) {
    T t[C];
    std::memcpy(t, p.data + p.offset[0], sizeof t);
    for (unsigned e = 0; e < C; ++e) {
      R *row = regs[e];
      const R v = R(t[e]);
      if (m == ~0u)
        std::fill(row, row + kLanes, v);
      else
        forLanes(m, [&](unsigned l) { row[l] = v; });
    }
  } else if (m != ~0u) {
    forLanes(m, one);
  } else if (C == 1 && p.shape == WarpPlace::Contiguous) {
    alignas(64) T t[kLanes];
    std::memcpy(t, p.data + p.offset[0], sizeof t);
    R *row = regs[0];
    for (unsigned l = 0; l < kLanes; ++l)
      row[l] = R(t[l]);
  } else {
    for (unsigned l = 0; l < kLanes; ++l)
      one(l);
  }
}

/// The converse; marks the bytes as defined.
template <class T, class R, unsigned C>
void storeLanes(const WarpPlace &p, uint32_t m, const R *const *regs) {
  constexpr unsigned N = unsigned(sizeof(T)) * C;
  if (C == 1 && p.shape == WarpPlace::Contiguous) {
    alignas(64) T t[kLanes];
    const R *row = regs[0];
    for (unsigned l = 0; l < kLanes; ++l)
      t[l] = T(row[l]);
    std::memcpy(p.data + p.offset[0], t, sizeof t);
    std::memset(p.shadow + p.offset[0], kAddressable | kDefined, sizeof t);
    return;
  }
  auto one = [&](unsigned l) {
    T t[C];
    for (unsigned e = 0; e < C; ++e)
      t[e] = T(regs[e][l]);
    std::memcpy(p.data + p.offset[l], t, N);
    std::memset(p.shadow + p.offset[l], kAddressable | kDefined, N);
  };
  if (m == ~0u)
    for (unsigned l = 0; l < kLanes; ++l)
      one(l);
  else
    forLanes(m, one);
}

/// Calls body with the number of elements as a type.
template <class T, class F> void withCount(unsigned n, F &&body) {
  switch (n) {
  case 1:
    return body(std::integral_constant<unsigned, 1>());
  case 2:
    return body(std::integral_constant<unsigned, 2>());
  case 4:
    if constexpr (sizeof(T) <= 8)
      body(std::integral_constant<unsigned, 4>());
    return;
  default:
    if constexpr (sizeof(T) <= 4)
      body(std::integral_constant<unsigned, 8>());
  }
}

template <Space S>
void countLanes(Warp &w, const Inst &i, uint32_t m, unsigned bytes,
                bool write) {
  if (!w.machine->options.counters || S == Space::Local)
    return;
  uint64_t addresses[kLanes];
  forLanes(m, [&](unsigned l) { addresses[l] = w.address(i, l); });
  if (S == Space::Shared)
    countShared(w, i, m, addresses, bytes);
  else if (S == Space::Global)
    countGlobal(w, i, m, addresses, bytes, write);
  else
    countGeneric(w, i, m, addresses, bytes, write);
}

/// small: bit 7 base is 32 bits, bits 0-3 elements; list: registers.
/// Marks the bytes of a loaded element that are undefined in memory.
template <class T, class R>
void loadUndefined(Warp &w, uint32_t unit, unsigned lane,
                   const uint8_t *shadow) {
  uint32_t undefined = 0;
  for (unsigned k = 0; k < sizeof(T); ++k)
    undefined |= uint32_t(!(shadow[k] & kDefined)) << k;
  if (sizeof(T) == sizeof(R) && sizeof(T) <= 8)
    return setUndefinedBytes(w, unit, sizeof(T), lane, uint8_t(undefined));
  w.undef[unit] |= uint32_t(undefined != 0) << lane;
}

template <Space S, class T, class R>
void loadExec(Warp &w, const Inst &i, uint32_t m) {
  const unsigned n = i.small & 15;
  const uint32_t *units = &w.frame->function->lists[i.list];
  Machine &machine = *w.machine;
  checkAddressDefined(w, i, m, i.a);
  uint32_t undefinedLanes = 0;
  uint8_t *shadows[kLanes]; // of those lanes
  R *regs[8];
  for (unsigned e = 0; e < n; ++e)
    regs[e] = w.lanes<R>(units[e]);
  const bool strong = i.aux & kSemanticsMask;
  withCount<T>(n, [&](auto count) {
    constexpr unsigned C = count.value, N = unsigned(sizeof(T)) * C;
    // Before the load: its result may replace the address.
    countLanes<S>(w, i, m, N, false);
    WarpPlace all;
    if (!strong && machine.locateLanes(w, i, m, S, N, Access::Read, all) &&
        (!machine.races ||
         machine.races->accessLanes(w, i, m, all, N, false))) {
      loadLanes<T, R, C>(all, m, regs);
      if (machine.sanitize && all.shadow && !allDefined<N>(all, m))
        forLanes(m, [&](unsigned l) {
          shadows[l] = all.shadow + all.offset[l];
          if (!allBits<N>(shadows[l], kAllDefined))
            undefinedLanes |= 1u << l;
        });
    } else {
      forLanes(m, [&](unsigned l) {
        Place p = checked<S, N>(w, i, l, w.address(i, l), Access::Read);
        T t[C];
        std::memcpy(t, p.data, N);
        shadows[l] = p.shadow;
        if (!allBits<N>(p.shadow, kAllDefined))
          undefinedLanes |= 1u << l;
        if (machine.races && S != Space::Local) {
          machine.races->access(w, i, l, p, N,
                                strong ? RaceDetector::Kind::StrongRead
                                       : RaceDetector::Kind::Read);
          if (strong && !p.isPrivate)
            machine.races->synchronize(w, p, i.aux, true, false);
        }
        for (unsigned e = 0; e < C; ++e)
          regs[e][l] = R(t[e]);
      });
    }
  });
  for (unsigned e = 0; e < n; ++e) {
    w.define(units[e], m);
    forLanes(undefinedLanes, [&](unsigned l) {
      loadUndefined<T, R>(w, units[e], l, shadows[l] + e * sizeof(T));
    });
  }
}

/// Which bytes of an element to store are undefined.
template <class T, class R>
uint32_t storeUndefined(Warp &w, uint32_t unit, unsigned lane) {
  if (sizeof(T) == sizeof(R) && sizeof(T) <= 8)
    return undefinedBytes(w, unit, sizeof(T), lane);
  return w.undef[unit] >> lane & 1 ? (1u << sizeof(T)) - 1 : 0;
}

template <Space S, class T, class R>
void storeExec(Warp &w, const Inst &i, uint32_t m) {
  const unsigned n = i.small & 15;
  const uint32_t *units = &w.frame->function->lists[i.list];
  Machine &machine = *w.machine;
  checkAddressDefined(w, i, m, i.a);
  uint32_t undefinedLanes = 0;
  const R *regs[8];
  for (unsigned e = 0; e < n; ++e) {
    regs[e] = w.lanes<R>(units[e]);
    undefinedLanes |= w.undef[units[e]];
  }
  undefinedLanes &= m;
  const bool strong = i.aux & kSemanticsMask;
  withCount<T>(n, [&](auto count) {
    constexpr unsigned C = count.value, N = unsigned(sizeof(T)) * C;
    countLanes<S>(w, i, m, N, true);
    WarpPlace all;
    if (!strong && !undefinedLanes &&
        machine.locateLanes(w, i, m, S, N, Access::Write, all) &&
        !(machine.sanitize && all.cta && hitsBarrier<N>(all, m)) &&
        (!machine.races || machine.races->accessLanes(w, i, m, all, N, true))) {
      storeLanes<T, R, C>(all, m, regs);
    } else {
      forLanes(m, [&](unsigned l) {
        Place p = checked<S, N>(w, i, l, w.address(i, l), Access::Write);
        T t[C];
        for (unsigned e = 0; e < C; ++e)
          t[e] = T(regs[e][l]);
        if (machine.races && S != Space::Local) {
          machine.races->access(w, i, l, p, N,
                                strong ? RaceDetector::Kind::StrongWrite
                                       : RaceDetector::Kind::Write,
                                reinterpret_cast<const uint8_t *>(t));
          if (strong && !p.isPrivate)
            machine.races->synchronize(w, p, i.aux, false, true);
        }
        if (machine.sanitize && p.cta && anyBits<N>(p.shadow, kAllBarrier))
          machine.report(Severity::Error, ReportKind::AsyncMisuse, &w, &i,
                         int(l), "the write hits an mbarrier object");
        std::memcpy(p.data, t, N);
        setDefinedN<N>(p.shadow, true);
        uint32_t undefined = 0;
        if (undefinedLanes >> l & 1)
          for (unsigned e = 0; e < C; ++e) {
            const uint32_t bytes = storeUndefined<T, R>(w, units[e], l);
            undefined |= bytes;
            for (unsigned k = 0; k < sizeof(T); ++k)
              if (bytes >> k & 1)
                setDefined(p.shadow + e * sizeof(T) + k, 1, false);
          }
        if (S != Space::Shared && !p.cta && !p.isPrivate && undefined &&
            machine.sanitize)
          machine.report(Severity::Error, ReportKind::Undefined, &w, &i, int(l),
                         "undefined data is written to global memory");
      });
    }
  });
  machine.addProgress();
}

template <bool Store, Space S, class T, class R> constexpr Handler handlerOf() {
  if constexpr (Store)
    return &storeExec<S, T, R>;
  else
    return &loadExec<S, T, R>;
}
template <bool Store, Space S, class T> Handler byRegister(unsigned width) {
  if constexpr (sizeof(T) == 16) {
    return width == 16 ? handlerOf<Store, S, T, Bits128>() : nullptr;
  } else {
    if (width < sizeof(T))
      return nullptr;
    using S16 = std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>;
    using S32 = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;
    using S64 = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    return width <= 2   ? handlerOf<Store, S, T, S16>()
           : width == 4 ? handlerOf<Store, S, T, S32>()
                        : handlerOf<Store, S, T, S64>();
  }
}
template <bool Store, Space S> Handler byType(Type t, unsigned width) {
  switch (bitsOf(t)) {
  case 8:
    return !Store && isSigned(t) ? byRegister<Store, S, int8_t>(width)
                                 : byRegister<Store, S, uint8_t>(width);
  case 16:
    return !Store && isSigned(t) ? byRegister<Store, S, int16_t>(width)
                                 : byRegister<Store, S, uint16_t>(width);
  case 32:
    return !Store && isSigned(t) ? byRegister<Store, S, int32_t>(width)
                                 : byRegister<Store, S, uint32_t>(width);
  case 64:
    return byRegister<Store, S, uint64_t>(width);
  case 128:
    return byRegister<Store, S, Bits128>(width);
  default:
    return nullptr;
  }
}
template <bool Store> Handler bySpace(Space s, Type t, unsigned width) {
  switch (s) {
  case Space::Global:
    return byType<Store, Space::Global>(t, width);
  case Space::Shared:
    return byType<Store, Space::Shared>(t, width);
  case Space::SharedCluster:
    return byType<Store, Space::SharedCluster>(t, width);
  case Space::Local:
    return byType<Store, Space::Local>(t, width);
  default:
    return byType<Store, Space::Generic>(t, width);
  }
}

void nothing(Warp &, const Inst &, uint32_t) {}
} // namespace

uint32_t takeSemantics(DecodeContext &c) {
  std::string_view s = c.takeAny(
      {"weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "mmio"});
  std::string_view scope = c.takeAny({"cta", "cluster", "gpu", "sys"});
  uint32_t r = s == "relaxed"                   ? kRelaxed
               : s == "acquire"                 ? kAcquire
               : s == "release"                 ? kRelease
               : s == "acq_rel"                 ? kAcqRel
               : s == "volatile" || s == "mmio" ? kVolatile
                                                : kWeak;
  if (s == "mmio" && c.take("relaxed"))
    r = kRelaxed;
  r |= scope == "cta"       ? kScopeCta
       : scope == "cluster" ? kScopeCluster
       : scope == "gpu"     ? kScopeGpu
       : scope == "sys"     ? kScopeSys
                            : uint32_t(0);
  if (s == "volatile")
    r |= kScopeSys;
  return r;
}

void takeCacheHints(DecodeContext &c) {
  c.takeAny({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  while (!c.takeAny({"L1::evict_normal", "L1::evict_unchanged",
                     "L1::evict_first", "L1::evict_last", "L1::no_allocate",
                     "L2::evict_normal", "L2::evict_first", "L2::evict_last",
                     "L2::cache_hint", "L2::64B", "L2::128B", "L2::256B", "nc"})
              .empty())
    ;
}

Space takeSpace(DecodeContext &c) {
  std::string_view s =
      c.takeAny({"global", "shared::cta", "shared::cluster", "shared", "local",
                 "param::entry", "param::func", "param", "const"});
  if (s == "global" || s == "const")
    return Space::Global;
  if (s == "shared" || s == "shared::cta")
    return Space::Shared;
  if (s == "shared::cluster")
    return Space::SharedCluster;
  if (s == "local")
    return Space::Local;
  if (s.substr(0, 5) == "param")
    return Space::Param;
  return Space::Generic;
}

void setAddress(DecodeContext &c, const Operand &o) {
  auto parts = c.address(o);
  c.inst.a = parts.unit;
  c.inst.imm = parts.offset;
  if (parts.base32)
    c.inst.small |= 0x80;
}

/// ld.param and st.param: kernel parameters are in their own window, call
/// parameters in the frame's local memory.
static Space resolveParam(DecodeContext &c, const Operand &address) {
  if (address.kind == Operand::Address &&
      address.elems[0].kind == Operand::Var) {
    const Operand &v = address.elems[0];
    bool formal =
        c.fb.code.isEntry && !v.moduleVar && v.index < c.fb.vars.size() &&
        c.fb.vars[v.index].space == Space::Param &&
        std::find(c.fb.syntax.formals.begin(), c.fb.syntax.formals.end(),
                  v.index) != c.fb.syntax.formals.end();
    return formal ? Space::Generic : Space::Local;
  }
  return Space::Generic;
}

static void decodeAccess(DecodeContext &c, bool store) {
  c.take("async"); // handled elsewhere; left over words are errors
  uint32_t semantics = takeSemantics(c);
  Space s = takeSpace(c);
  takeCacheHints(c);
  c.take("unified");
  unsigned n = c.take("v2") ? 2 : c.take("v4") ? 4 : c.take("v8") ? 8 : 1;
  Type t = c.takeType();
  c.finishModifiers();
  c.expectOperands(2, 3);
  const Operand &address = c.op(store ? 0 : 1), &value = c.op(store ? 1 : 0);
  if (s == Space::Param)
    s = resolveParam(c, address);
  c.inst.small = uint8_t(n);
  setAddress(c, address);
  if (c.count() == 3)
    c.source(2, Type::B64); // cache policy
  std::vector<uint32_t> units;
  unsigned width = 0;
  auto one = [&](const Operand &o) {
    unsigned bytes;
    units.push_back(store ? c.sourceAnyWidth(o, t, bytes)
                          : c.destinationAnyWidth(o, t, bytes));
    if (o.kind == Operand::Sink)
      bytes = std::max(bitsOf(t) / 8, width);
    if (width && bytes != width && o.kind != Operand::Sink &&
        o.kind == Operand::Reg)
      c.fail("registers of a vector must have one width");
    if (o.kind == Operand::Reg || !width)
      width = std::max(width, bytes);
  };
  if (value.kind == Operand::Vector) {
    if (value.elems.size() != n)
      c.fail("the vector needs " + std::to_string(n) + " registers");
    for (const Operand &e : value.elems)
      one(e);
  } else {
    if (n != 1)
      c.fail("a vector access needs a vector of registers");
    one(value);
  }
  if (n * bitsOf(t) > 256)
    c.fail("a vector access is at most 32 bytes wide");
  c.inst.list = c.addList(units);
  c.inst.aux = semantics;
  c.inst.run = store ? bySpace<true>(s, t, width) : bySpace<false>(s, t, width);
  if (!c.inst.run)
    c.fail("the register does not fit the type");
  c.inst.opClass = OpClass::Memory;
  c.emit();
}

void decodeLoad(DecodeContext &c) { decodeAccess(c, false); }
void decodeStore(DecodeContext &c) {
  if (c.has("async"))
    return decodeStoreAsync(c);
  if (c.has("bulk"))
    c.unknown();
  decodeAccess(c, true);
}

/// Hints: prefetch, applypriority, discard (whose data becomes undefined only
/// if the kernel reads it again), createpolicy's value is never looked at.
void decodeHint(DecodeContext &c) {
  c.consumeAll();
  for (size_t i = 0; i < c.count(); ++i)
    if (c.op(i).kind == Operand::Address && c.op(i).elems.size() == 1)
      c.address(i);
  c.inst.run = nothing;
  c.inst.opClass = OpClass::Other;
  c.emit();
}

void decodeCreatePolicy(DecodeContext &c) {
  c.consumeAll();
  c.inst.d = c.destination(size_t(0), Type::B64);
  for (size_t i = 1; i < c.count(); ++i)
    if (c.op(i).kind == Operand::Address)
      c.address(i);
  c.inst.run = [](Warp &w, const Inst &i, uint32_t m) {
    writeLanes<uint64_t>(w, i.d, m, [](unsigned) { return uint64_t(0); });
    w.define(i.d, m);
  };
  c.emit();
}

} // namespace gemm::emulator
