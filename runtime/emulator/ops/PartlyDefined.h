// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of which some bytes only are undefined: two halves in a 32-bit
// register, one of them padding. Loads, stores, and mov that packs and unpacks
// tell the bytes apart; any other instruction takes such a register as
// undefined.
#ifndef GEMM_EMULATOR_OPS_PARTLYDEFINED_H
#define GEMM_EMULATOR_OPS_PARTLYDEFINED_H

#include "../Machine.h"

namespace gemm::emulator {

inline uint8_t allBytes(unsigned bytes) {
  return uint8_t((1u << bytes) - 1); // 8 bytes at most
}

inline uint64_t registerValue(Warp &w, uint32_t unit, unsigned bytes,
                              unsigned lane) {
  uint64_t value = 0;
  std::memcpy(&value, w.lanes<uint8_t>(unit) + size_t(lane) * bytes, bytes);
  return value;
}

/// Which bytes of a register of 2, 4 or 8 are undefined in a lane.
inline uint8_t undefinedBytes(Warp &w, uint32_t unit, unsigned bytes,
                              unsigned lane) {
  if (!(w.undef[unit] >> lane & 1))
    return 0;
  const auto &partly = w.frame->partlyDefined;
  auto found = partly.find(unit * kLanes + lane);
  // An entry is of the value that it was made for: who has overwritten the
  // register has not looked for it.
  return found != partly.end() &&
                 found->second.value == registerValue(w, unit, bytes, lane)
             ? found->second.undefined
             : allBytes(bytes);
}

/// After the register was written.
inline void setUndefinedBytes(Warp &w, uint32_t unit, unsigned bytes,
                              unsigned lane, uint8_t undefined) {
  w.undef[unit] = (w.undef[unit] & ~(1u << lane)) | uint32_t(undefined != 0)
                                                        << lane;
  if (undefined == 0)
    return;
  auto &partly = w.frame->partlyDefined;
  if (undefined != allBytes(bytes))
    partly[unit * kLanes + lane] = {registerValue(w, unit, bytes, lane),
                                    undefined};
  else if (!partly.empty())
    partly.erase(unit * kLanes + lane);
}

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_OPS_PARTLYDEFINED_H
