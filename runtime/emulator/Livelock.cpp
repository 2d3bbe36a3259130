// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Livelock: nothing has changed for long, and every warp that can run comes
// back to a state it was in.
#include "Machine.h"
#include "ops/Barriers.h"

namespace gemm::emulator {

static uint64_t hashState(const Warp &w) {
  uint64_t h = w.pc * 0x9E3779B97F4A7C15u ^ w.active;
  const uint64_t *p = reinterpret_cast<const uint64_t *>(w.regs);
  const size_t n = size_t(w.frame->function->units) * kUnitBytes / 8;
  for (size_t i = 0; i < n; ++i)
    h = (h ^ p[i]) * 0x100000001b3u + (h >> 29);
  return h;
}

void Machine::livelock() {
  const uint64_t before = progress;
  // A split that spins would starve its siblings here; leave those to the
  // instruction limit.
  std::vector<Warp *> warps = runnable;
  for (Warp *w : warps) {
    if (w->splits.size() > 1)
      return;
    if (w->current < 0 && !w->chooseSplit())
      continue;
    uint64_t first = hashState(*w);
    const uint32_t pc = w->pc;
    bool periodic = false;
    for (unsigned step = 0; step < 20000 && !periodic; ++step) {
      runWarp(*w, 1);
      if (progress != before)
        return;
      if (w->runIndex < 0) { // it waits now
        periodic = true;
        break;
      }
      if (w->current < 0)
        w->chooseSplit();
      periodic = w->pc == pc && hashState(*w) == first;
    }
    if (!periodic)
      return;
  }
  std::string who;
  unsigned shown = 0;
  for (Warp *w : runnable) {
    if (w->splits.empty() || shown++ >= 4)
      continue;
    const uint32_t pc = w->current >= 0 ? w->pc : w->splits[0].pc;
    who += (shown > 1 ? "; " : "") + where(*w, -1) + " spins at line " +
           std::to_string(w->splits[0].frame->function->code[pc].line);
  }
  Report r;
  r.kind = ReportKind::Deadlock;
  r.message = "livelock: nothing changes any more: " + who;
  throw Fault{r};
}

} // namespace gemm::emulator
