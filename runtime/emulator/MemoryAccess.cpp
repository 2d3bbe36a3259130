// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an address in a state space to bytes, with the errors of a wrong one.
#include "Machine.h"

#include <cstdio>

namespace gemm::emulator {

static std::string hex(uint64_t v) {
  char t[24];
  std::snprintf(t, sizeof t, "0x%llx", (unsigned long long)v);
  return t;
}

Place Machine::locate(Warp &w, const Inst &inst, unsigned lane, Space space,
                      uint64_t address, unsigned bytes, unsigned align,
                      Access access) {
  const char *verb = access == Access::Read    ? "read"
                     : access == Access::Write ? "write"
                                               : "atomic access";
  auto bad = [&](const std::string &why) {
    fault(ReportKind::OutOfBounds, w, inst, int(lane),
          std::string(verb) + " of " + std::to_string(bytes) + " bytes at " +
              hex(address) + ": " + why);
  };
  if (address & (align - 1))
    fault(ReportKind::Misaligned, w, inst, int(lane),
          std::string(verb) + " of " + std::to_string(bytes) + " bytes at " +
              hex(address) + " is not aligned to " + std::to_string(align));
  uint64_t window = address & kWindowMask;
  if (space == Space::Generic) {
    space = window == kSharedWindow  ? Space::SharedCluster
            : window == kLocalWindow ? Space::Local
            : window == kParamWindow ? Space::Param
                                     : Space::Global;
    if (space != Space::Global)
      address &= ~uint64_t(kWindowMask);
  }
  switch (space) {
  case Space::Shared:
  case Space::SharedCluster: {
    if (address >> 32)
      bad("not a shared-memory address");
    uint32_t rank = uint32_t(address >> kRankShift);
    Cta *cta = w.cta;
    if (rank) {
      if (rank > w.cta->cluster->ctas.size())
        bad("no such CTA in the cluster");
      cta = w.cta->cluster->ctas[rank - 1];
      if (space == Space::Shared && cta != w.cta)
        bad("this is the shared memory of another CTA; .shared::cluster "
            "reaches it");
      if (cta->exited)
        bad("CTA rank " + std::to_string(rank - 1) + " has exited");
    }
    uint64_t offset = (address & kSharedOffsetMask) - kSharedStart;
    if ((address & kSharedOffsetMask) < kSharedStart || offset >= sharedBytes ||
        bytes > sharedBytes - offset)
      bad("shared memory of the CTA is [" + hex(kSharedStart) + ", " +
          hex(kSharedStart + sharedBytes) + ")");
    return {cta->shared.data() + offset, cta->sharedShadow.data() + offset, cta,
            offset, false};
  }
  case Space::Local: {
    if (address >= w.localStride || bytes > w.localStride - address)
      bad("local memory has " + std::to_string(w.localStride) +
          " bytes a thread");
    uint64_t at = uint64_t(lane) * w.localStride + address;
    return {w.local.data() + at, w.localShadow.data() + at, nullptr, address,
            true};
  }
  case Space::Param: {
    static thread_local uint8_t defined[32];
    std::memset(defined, kAddressable | kDefined, sizeof defined);
    if (access != Access::Read)
      bad("kernel parameters are read-only");
    if (address >= params.size() || bytes > params.size() - address)
      bad("the kernel has " + std::to_string(params.size()) +
          " bytes of parameters");
    return {params.data() + address, defined, nullptr, address, true};
  }
  default: {
    if (!global.inRange(address, bytes))
      bad(global.describe(address));
    const uint8_t *shadow = global.shadow(address);
    for (unsigned k = 0; k < bytes; ++k)
      if (!(shadow[k] & kAddressable))
        bad(global.describe(address + k));
    return {global.data(address), global.shadow(address), nullptr, address,
            false};
  }
  }
}

Place Machine::locateShared(Warp &w, const Inst &inst, unsigned lane,
                            uint32_t address, uint64_t bytes) {
  uint32_t rank = address >> kRankShift;
  Cta *cta = w.cta;
  auto bad = [&](const std::string &why) {
    fault(ReportKind::OutOfBounds, w, inst, int(lane),
          std::to_string(bytes) + " bytes of shared memory at " + hex(address) +
              ": " + why);
  };
  if (rank) {
    if (rank > w.cta->cluster->ctas.size())
      bad("no such CTA in the cluster");
    cta = w.cta->cluster->ctas[rank - 1];
    if (cta->exited)
      bad("CTA rank " + std::to_string(rank - 1) + " has exited");
  }
  uint64_t offset = uint64_t(address & kSharedOffsetMask) - kSharedStart;
  if ((address & kSharedOffsetMask) < kSharedStart || offset > sharedBytes ||
      bytes > sharedBytes - offset)
    bad("shared memory of the CTA is [" + hex(kSharedStart) + ", " +
        hex(kSharedStart + sharedBytes) + ")");
  return {cta->shared.data() + offset, cta->sharedShadow.data() + offset, cta,
          offset, false};
}

void Machine::checkGlobalRange(Warp &w, const Inst &inst, unsigned lane,
                               uint64_t address, uint64_t bytes,
                               Access access) {
  const char *verb = access == Access::Read ? "read" : "write";
  auto bad = [&](uint64_t at) {
    fault(ReportKind::OutOfBounds, w, inst, int(lane),
          std::string(verb) + " of " + std::to_string(bytes) +
              " bytes of global memory at " + hex(address) + ": " +
              global.describe(at));
  };
  if (!global.inRange(address, bytes))
    bad(address);
  const uint8_t *shadow = global.shadow(address);
  for (uint64_t k = 0; k < bytes; ++k)
    if (!(shadow[k] & kAddressable))
      bad(address + k);
}

} // namespace gemm::emulator
