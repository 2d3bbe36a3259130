// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked addresses: the fast paths in line, everything else in
// Machine::locate.
#ifndef GEMM_EMULATOR_OPS_ACCESS_H
#define GEMM_EMULATOR_OPS_ACCESS_H

#include "Lanes.h"

namespace gemm::emulator {

template <unsigned N>
inline bool allBits(const uint8_t *shadow, uint64_t pattern) {
  if constexpr (N < 8) {
    uint64_t v = 0;
    std::memcpy(&v, shadow, N);
    return (v & pattern & ((uint64_t(1) << (8 * N)) - 1)) ==
           (pattern & ((uint64_t(1) << (8 * N)) - 1));
  } else {
    bool ok = true;
    for (unsigned i = 0; i < N; i += 8) {
      uint64_t v;
      std::memcpy(&v, shadow + i, 8);
      ok &= (v & pattern) == pattern;
    }
    return ok;
  }
}

template <unsigned N>
inline bool anyBits(const uint8_t *shadow, uint64_t pattern) {
  uint64_t any = 0;
  for (unsigned i = 0; i < N; i += 8) {
    uint64_t v = 0;
    std::memcpy(&v, shadow + i, N < 8 ? N : 8);
    any |= v;
  }
  return (any & pattern) != 0;
}

/// Address of `N` bytes, checked for bounds and alignment (to N).
template <Space S, unsigned N>
inline Place checked(Warp &w, const Inst &i, unsigned lane, uint64_t address,
                     Access access) {
  Machine &m = *w.machine;
  if constexpr (S == Space::Global) {
    if (__builtin_expect(m.global.inRange(address, N) && !(address & (N - 1)),
                         1)) {
      uint8_t *shadow = m.global.shadow(address);
      if (__builtin_expect(allBits<N>(shadow, kAllAddressable), 1))
        return {m.global.data(address), shadow, nullptr, address, false};
    }
  } else if constexpr (S == Space::Shared) {
    uint64_t offset = address - kSharedStart;
    if (__builtin_expect(offset < m.sharedBytes &&
                             N <= m.sharedBytes - offset &&
                             !(address & (N - 1)),
                         1))
      return {w.cta->shared.data() + offset,
              w.cta->sharedShadow.data() + offset, w.cta, offset, false};
  }
  return m.locate(w, i, lane, S, address, N, N, access);
}

inline void setDefined(uint8_t *shadow, unsigned n, bool defined) {
  for (unsigned k = 0; k < n; ++k)
    shadow[k] = uint8_t(defined ? shadow[k] | kDefined : shadow[k] & ~kDefined);
}
template <unsigned N> inline void setDefinedN(uint8_t *shadow, bool defined) {
  if constexpr (N < 8) {
    uint64_t v = 0;
    std::memcpy(&v, shadow, N);
    v = defined ? v | kAllDefined : v & ~kAllDefined;
    std::memcpy(shadow, &v, N);
  } else {
    for (unsigned k = 0; k < N; k += 8) {
      uint64_t v;
      std::memcpy(&v, shadow + k, 8);
      v = defined ? v | kAllDefined : v & ~kAllDefined;
      std::memcpy(shadow + k, &v, 8);
    }
  }
}

/// Memory semantics of an access, in Inst::aux.
enum : uint32_t {
  kWeak = 0,
  kRelaxed = 1,
  kAcquire = 2,
  kRelease = 3,
  kAcqRel = 4,
  kVolatile = 5,
  kSemanticsMask = 7,
  kScopeCta = 1 << 3,
  kScopeCluster = 2 << 3,
  kScopeGpu = 3 << 3,
  kScopeSys = 4 << 3,
  kScopeMask = 7 << 3,
};
/// Consumes .weak/.relaxed/... and the scope.
uint32_t takeSemantics(DecodeContext &c);
/// Consumes cache operators, eviction priorities, cache hints and prefetch
/// sizes.
void takeCacheHints(DecodeContext &c);
/// Consumes a state space word; Generic when there is none.
Space takeSpace(DecodeContext &c);
/// Sets a, imm and the 32-bit flag from an address operand.
void setAddress(DecodeContext &c, const Operand &o);

/// Counts bank conflicts and sectors of one warp access (counters only).
void countShared(Warp &w, const Inst &i, uint32_t mask, const uint64_t *offsets,
                 unsigned bytes);
void countGlobal(Warp &w, const Inst &i, uint32_t mask,
                 const uint64_t *addresses, unsigned bytes, bool write);
/// Generic addresses: each lane by the window that it hits.
void countGeneric(Warp &w, const Inst &i, uint32_t mask,
                  const uint64_t *addresses, unsigned bytes, bool write);
/// A bulk or tensor copy is one request, and touches global memory piece by
/// piece; pieces that follow each other may share a sector.
void countBulkRequest(Machine &m, const Inst &i);
void countBulk(Machine &m, const Inst &i, uint64_t address, uint64_t bytes,
               bool write, uint64_t &lastSector);

/// Reports if an address register is undefined.
inline void checkAddressDefined(Warp &w, const Inst &i, uint32_t mask,
                                uint32_t unit) {
  if (w.machine->sanitize && (w.undef[unit] & mask))
    w.machine->report(Severity::Error, ReportKind::Undefined, &w, &i,
                      __builtin_ctz(w.undef[unit] & mask),
                      "the address is undefined");
}

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_OPS_ACCESS_H
