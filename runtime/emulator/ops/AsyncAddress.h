// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Address operands of asynchronous operations.
#ifndef GEMM_EMULATOR_OPS_ASYNCADDRESS_H
#define GEMM_EMULATOR_OPS_ASYNCADDRESS_H

#include "Lanes.h"

namespace gemm::emulator {

/// A register, an offset, and whether the register has 32 bits.
struct AsyncAddress {
  uint32_t unit = 0;
  int64_t offset = 0;
  bool base32 = false;
};

inline uint64_t value(Warp &w, const AsyncAddress &a, unsigned l) {
  return (a.base32 ? uint64_t(w.lanes<uint32_t>(a.unit)[l])
                   : w.lanes<uint64_t>(a.unit)[l]) +
         uint64_t(a.offset);
}
/// A shared::cluster address from a shared or generic one.
inline uint32_t sharedAddress(Warp &w, const Inst &i, unsigned l, uint64_t a) {
  if ((a & kWindowMask) == kSharedWindow)
    a &= ~uint64_t(kWindowMask);
  if (a >> 32)
    w.machine->fault(ReportKind::OutOfBounds, w, i, int(l),
                     "not a shared-memory address");
  return uint32_t(a);
}

inline AsyncAddress addressOf(DecodeContext &c, const Operand &o) {
  auto a = c.address(o);
  return {a.unit, a.offset, a.base32};
}

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_OPS_ASYNCADDRESS_H
