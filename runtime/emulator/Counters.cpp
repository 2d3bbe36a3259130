// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counting shared-memory wavefronts and global sectors, access by access.
#include "ops/Access.h"

#include <algorithm>

namespace gemm::emulator {

/// Shared memory: 32 banks of 4 bytes. Lanes are served in groups that together
/// read at most 128 bytes (a whole warp up to 4 bytes a lane, half for 8, a
/// quarter for 16); in a group, every distinct 4-byte word of a bank beyond the
/// first costs one more wavefront.
void countShared(Warp &w, const Inst &i, uint32_t mask, const uint64_t *offsets,
                 unsigned bytes) {
  auto &site = w.machine->siteMemory[&i];
  const unsigned group = bytes <= 4    ? 32
                         : bytes == 8  ? 16
                         : bytes == 16 ? 8
                                       : 4;
  ++site.sharedRequests;
  for (unsigned first = 0; first < kLanes; first += group) {
    uint64_t words[kLanes * 8];
    unsigned n = 0;
    for (unsigned l = first; l < first + group; ++l)
      if (mask >> l & 1)
        for (unsigned b = 0; b < bytes; b += 4)
          words[n++] = (offsets[l] + b) / 4;
    if (!n)
      continue;
    std::sort(words, words + n);
    n = unsigned(std::unique(words, words + n) - words);
    unsigned perBank[32] = {}, most = 0;
    for (unsigned k = 0; k < n; ++k)
      most = std::max(most, ++perBank[words[k] % 32]);
    site.wavefronts += most;
    site.ideal += (n + 31) / 32;
  }
}

static void addGlobal(Machine &m, const Inst &i, uint64_t requests,
                      uint64_t sectors, uint64_t bytes, bool write) {
  auto &site = m.siteMemory[&i];
  site.globalRequests += requests;
  site.sectors += sectors;
  Counters &c = m.result.counters;
  c.globalSectors += sectors;
  (write ? c.globalBytesWritten : c.globalBytesRead) += bytes;
}

void countGlobal(Warp &w, const Inst &i, uint32_t mask,
                 const uint64_t *addresses, unsigned bytes, bool write) {
  if (!mask)
    return;
  uint64_t sectors[kLanes * 2];
  unsigned n = 0;
  forLanes(mask, [&](unsigned l) {
    for (uint64_t s = addresses[l] / 32; s <= (addresses[l] + bytes - 1) / 32;
         ++s)
      sectors[n++] = s;
  });
  std::sort(sectors, sectors + n);
  n = unsigned(std::unique(sectors, sectors + n) - sectors);
  addGlobal(*w.machine, i, 1, n,
            uint64_t(bytes) * unsigned(__builtin_popcount(mask)), write);
}

void countGeneric(Warp &w, const Inst &i, uint32_t mask,
                  const uint64_t *addresses, unsigned bytes, bool write) {
  uint32_t shared = 0, global = 0;
  forLanes(mask, [&](unsigned l) {
    const uint64_t window = addresses[l] & kWindowMask;
    shared |= uint32_t(window == kSharedWindow) << l;
    global |= uint32_t(window == (kGlobalBase & kWindowMask)) << l;
  });
  if (shared)
    countShared(w, i, shared, addresses, bytes);
  countGlobal(w, i, global, addresses, bytes, write);
}

void countBulkRequest(Machine &m, const Inst &i) {
  addGlobal(m, i, 1, 0, 0, false);
}

void countBulk(Machine &m, const Inst &i, uint64_t address, uint64_t bytes,
               bool write, uint64_t &lastSector) {
  if (!bytes)
    return;
  const uint64_t first = address / 32, last = (address + bytes - 1) / 32;
  addGlobal(m, i, 0, last - first + (first != lastSector), bytes, write);
  lastSector = last;
}

} // namespace gemm::emulator
