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

namespace {
/// Memory in which a warp's first address lies: where it begins, in the
/// addresses that the lanes give.
struct Region {
  uint64_t start = 0, size = 0;
};
} // namespace

bool Machine::locateLanes(Warp &w, const Inst &inst, uint32_t mask, Space space,
                          unsigned bytes, Access access, WarpPlace &p) {
  const bool narrow = inst.small & 0x80;
  const uint32_t *base32 = w.lanes<uint32_t>(inst.a);
  const uint64_t *base64 = w.lanes<uint64_t>(inst.a);
  const unsigned lane = unsigned(__builtin_ctz(mask));
  const uint64_t first =
      (narrow ? base32[lane] : base64[lane]) + uint64_t(inst.imm);
  const uint64_t window = first & kWindowMask;
  if (space == Space::Generic)
    space = window == kSharedWindow  ? Space::SharedCluster
            : window == kLocalWindow ? Space::Local
            : window == kParamWindow ? Space::Param
                                     : Space::Global;
  Region region;
  p.cta = nullptr;
  p.isPrivate = false;
  p.origin = 0;
  switch (space) {
  case Space::Shared:
  case Space::SharedCluster: {
    const uint32_t rank = uint32_t(first) >> kRankShift;
    if (rank && rank != w.cta->rank + 1)
      return false;
    region = {(first & ~uint64_t(kSharedOffsetMask)) + kSharedStart,
              sharedBytes};
    p.cta = w.cta;
    p.data = w.cta->shared.data();
    p.shadow = w.cta->sharedShadow.data();
    break;
  }
  case Space::Local:
    region = {window == kLocalWindow ? kLocalWindow : 0, w.localStride};
    p.isPrivate = true;
    p.data = w.local.data();
    p.shadow = w.localShadow.data();
    break;
  case Space::Param:
    if (access != Access::Read)
      return false;
    region = {kParamWindow, params.size()};
    p.isPrivate = true;
    p.data = params.data();
    p.shadow = nullptr;
    break;
  default: {
    const GlobalMemory::Range range = global.allocationOf(first);
    region = {range.start, range.size};
    if (!range.size)
      return false;
    p.origin = range.start;
    p.data = global.data(range.start);
    p.shadow = global.shadow(range.start);
    break;
  }
  }
  if (region.size < bytes)
    return false;
  // Differences that are negative somewhere have their top bit set.
  const uint64_t shift = uint64_t(inst.imm) - region.start,
                 firstOffset = first - region.start, last = region.size - bytes;
  uint64_t outside = 0, low = region.start, apart = 0, gaps = 0;
  auto look = [&](auto *base, bool whole) {
    for (unsigned l = 0; l < kLanes; ++l) {
      uint64_t o = uint64_t(base[l]) + shift;
      if (!whole)
        o = mask >> l & 1 ? o : firstOffset;
      p.offset[l] = o;
      outside |= o | (last - o);
      low |= o;
      apart |= o ^ firstOffset;
      gaps |= o ^ (firstOffset + uint64_t(l) * bytes);
    }
  };
  if (narrow)
    mask == ~0u ? look(base32, true) : look(base32, false);
  else
    mask == ~0u ? look(base64, true) : look(base64, false);
  if (outside >> 63 || (low & (bytes - 1)))
    return false;
  p.shape = !apart                 ? WarpPlace::Uniform
            : !gaps && mask == ~0u ? WarpPlace::Contiguous
                                   : WarpPlace::Scattered;
  if (space == Space::Local) { // a row of its own for every lane
    p.shape = WarpPlace::Scattered;
    for (unsigned l = 0; l < kLanes; ++l)
      p.offset[l] += uint64_t(l) * w.localStride;
  }
  return true;
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
  const GlobalMemory::Range range = global.allocationOf(address);
  if (range.size && bytes <= range.size - (address - range.start))
    return;
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
