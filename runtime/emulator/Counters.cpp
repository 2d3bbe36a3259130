// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counting shared-memory wavefronts, global sectors, and what was executed.
#include "ops/Access.h"

#include <algorithm>

namespace gemm::emulator {

/// Shared memory: 32 banks of 4 bytes. Lanes are served in groups that together
/// read at most 128 bytes (a whole warp up to 4 bytes a lane, half for 8, a
/// quarter for 16); in a group, every distinct 4-byte word of a bank beyond the
/// first costs one more wavefront.
void countShared(Warp &w, const Inst &i, uint32_t mask, const uint64_t *offsets,
                 unsigned bytes) {
  auto &site = w.machine->siteMemory[{w.frame->function, w.pcOf(i)}];
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

void countGlobal(Warp &w, const Inst &i, uint32_t mask,
                 const uint64_t *addresses, unsigned bytes, bool write) {
  if (!mask)
    return;
  auto &site = w.machine->siteMemory[{w.frame->function, w.pcOf(i)}];
  ++site.globalRequests;
  uint64_t sectors[kLanes * 2];
  unsigned n = 0;
  forLanes(mask, [&](unsigned l) {
    for (uint64_t s = addresses[l] / 32; s <= (addresses[l] + bytes - 1) / 32;
         ++s)
      sectors[n++] = s;
  });
  std::sort(sectors, sectors + n);
  site.sectors += uint64_t(std::unique(sectors, sectors + n) - sectors);
  Counters &c = w.machine->result.counters;
  (write ? c.globalBytesWritten : c.globalBytesRead) +=
      uint64_t(bytes) * unsigned(__builtin_popcount(mask));
}

void Machine::finishCounters() {
  Counters &c = result.counters;
  std::map<unsigned, SiteCounters> byLine;
  for (size_t f = 0; f < module.functions.size(); ++f) {
    const FunctionCode &fn = module.functions[f];
    for (size_t pc = 0; pc < fn.code.size(); ++pc) {
      const uint64_t warps = siteWarp[f][pc], lanes = siteLane[f][pc];
      if (!warps || fn.code[pc].run == executeJoin)
        continue;
      const Inst &i = fn.code[pc];
      c.warpInstructions += warps;
      c.laneInstructions += lanes;
      if (i.opClass == OpClass::Matrix)
        c.tensorOps += uint64_t(i.imm) * (lanes / kLanes) * (i.imm > 32);
      if (i.opClass == OpClass::Float) {
        const std::string &o = fn.opcodes[pc];
        unsigned packed = o.find("x2") != std::string::npos ? 2 : 1;
        c.floatOps +=
            lanes * packed *
            (o.rfind("fma", 0) == 0 || o.rfind("mad", 0) == 0 ? 2 : 1);
      }
      SiteCounters &s = byLine[i.line];
      s.line = i.line;
      if (s.opcode.empty())
        s.opcode = fn.opcodes[pc];
      s.warpInstructions += warps;
      s.laneInstructions += lanes;
      auto memory = siteMemory.find({&fn, uint32_t(pc)});
      if (memory != siteMemory.end()) {
        s.sharedRequests += memory->second.sharedRequests;
        s.sharedWavefronts += memory->second.wavefronts;
        s.sharedIdealWavefronts += memory->second.ideal;
        s.globalRequests += memory->second.globalRequests;
        s.globalSectors += memory->second.sectors;
      }
    }
  }
  for (auto &[line, s] : byLine)
    c.sites.push_back(s);
}

} // namespace gemm::emulator
