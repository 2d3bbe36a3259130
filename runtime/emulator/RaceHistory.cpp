// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RaceHistory.h"

namespace gemm::emulator {

void RaceHistory::makePage(uint64_t page) {
  if (page >= pages.size())
    pages.resize(page + 1);
  pages[page] = std::make_unique<RaceCell[]>(kPageCells);
  ++pageCount;
}

void RaceHistory::collect(const std::vector<std::vector<RaceCell> *> &shared) {
  size_t cells = pageCount * kPageCells;
  auto forEach = [&](auto &&f) {
    for (auto &page : pages)
      if (page)
        for (uint64_t k = 0; k < kPageCells; ++k)
          f(page[k]);
    for (std::vector<RaceCell> *v : shared)
      for (RaceCell &c : *v)
        f(c);
  };
  std::vector<uint32_t> newWrite(writes.size(), 0), newRead(reads.size(), 0);
  forEach([&](RaceCell &c) { newWrite[c.write] = newRead[c.read] = 1; });
  newWrite[0] = newRead[0] = 1;
  // A record names older ones only, which have smaller numbers.
  for (size_t w = writes.size(); w-- > 1;)
    if (newWrite[w])
      newWrite[writes[w].next] = 1;
  for (size_t r = reads.size(); r-- > 1;)
    if (newRead[r])
      newRead[reads[r].next] = 1;
  uint32_t kept = 0;
  for (size_t k = 0; k < writes.size(); ++k)
    if (newWrite[k]) {
      Write w = writes[k];
      w.next = newWrite[w.next];
      writes[kept] = w;
      newWrite[k] = kept++;
    }
  writes.resize(kept);
  kept = 0;
  for (size_t k = 0; k < reads.size(); ++k)
    if (newRead[k]) {
      Read r = reads[k];
      r.next = newRead[r.next];
      reads[kept] = r;
      newRead[k] = kept++;
    }
  reads.resize(kept);
  forEach([&](RaceCell &c) {
    c.write = newWrite[c.write];
    c.read = newRead[c.read];
  });
  // Looking at all cells again must be rare beside making the records.
  limit = std::max({kLeast, 2 * (writes.size() + reads.size()), cells / 4});
}

} // namespace gemm::emulator
