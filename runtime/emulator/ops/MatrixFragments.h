// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between a warp's registers and the tiles that TensorOperation computes on,
// with definedness kept per row of A, per column of B, per element of C.
#ifndef GEMM_EMULATOR_OPS_MATRIXFRAGMENTS_H
#define GEMM_EMULATOR_OPS_MATRIXFRAGMENTS_H

#include "../TensorCore.h"
#include "Lanes.h"

#include <array>
#include <optional>

namespace gemm::emulator {

/// One tensor instruction for every tensor-core family; the device picks.
struct TensorOperations {
  std::array<std::optional<TensorOperation>, 6> byFamily;
  std::array<std::string, 6> why;
  /// At least one family must have it, or `error` says why none does.
  bool create(TensorOperationSpec spec, std::string &error);
  const TensorOperation &pick(Warp &w, const Inst &i) const;
};

std::optional<ElementType> elementTypeOf(Type t);
Type registerTypeOf(const FragmentMap &map);

/// Registers of a 32-lane fragment into a row-major tile. `lane0` is the first
/// lane's number in the map (wgmma: 32 times the warp's rank).
template <class T>
void gatherTile(Warp &w, const FragmentMap &f, const uint32_t *units, T *tile) {
  if (f.registerBits == 64)
    f.gather<T>(
        [&](unsigned r, unsigned l) { return w.lanes<uint64_t>(units[r])[l]; },
        tile);
  else
    f.gather<T>(
        [&](unsigned r, unsigned l) { return w.lanes<uint32_t>(units[r])[l]; },
        tile);
}
template <class T>
void scatterTile(Warp &w, const FragmentMap &f, const uint32_t *units,
                 const T *tile) {
  if (f.registerBits == 64)
    f.scatter<T>(tile, [&](unsigned r, unsigned l, uint64_t v) {
      w.lanes<uint64_t>(units[r])[l] = v;
    });
  else
    f.scatter<T>(tile, [&](unsigned r, unsigned l, uint32_t v) {
      w.lanes<uint32_t>(units[r])[l] = v;
    });
}

inline uint32_t anyUndefined(const Warp &w, const uint32_t *units, unsigned n) {
  uint32_t u = 0;
  for (unsigned k = 0; k < n; ++k)
    u |= w.undef[units[k]];
  return u;
}

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_OPS_MATRIXFRAGMENTS_H
