// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the race detector remembers of memory. A cell (four bytes) holds two
// numbers: of its last write and of the newest of the reads since. The records
// behind the numbers never change and are shared by all cells that a warp
// touches alike, so a warp's access to many cells in one state is checked once.
#ifndef GEMM_EMULATOR_RACEHISTORY_H
#define GEMM_EMULATOR_RACEHISTORY_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gemm::emulator {

/// Memory of the accesses to four bytes; 0: none.
struct RaceCell {
  uint32_t write = 0, read = 0;
  bool operator==(const RaceCell &) const = default;
};

class RaceHistory {
public:
  struct Write {
    uint32_t clock = 0, line = 0;
    uint32_t next = 0; ///< the last write of other bytes, or 0
    uint16_t slot = 0;
    uint8_t mask = 0; ///< which of the four bytes
    bool strong = false, async = false;
    bool operator==(const Write &) const = default;
  };
  struct Read {
    uint32_t clock = 0, line = 0;
    uint32_t next = 0;  ///< an older read, or 0
    uint32_t slots = 0; ///< a bit for every slot of the list, by slot % 32
    uint16_t slot = 0;
    uint8_t mask = 0;
    uint8_t count = 0; ///< length of the list
  };

  const Write &write(uint32_t number) const { return writes[number]; }
  const Read &read(uint32_t number) const { return reads[number]; }
  uint32_t add(const Write &w) {
    if (writes.back() == w)
      return uint32_t(writes.size() - 1);
    writes.push_back(w);
    return uint32_t(writes.size() - 1);
  }
  /// A list of reads: `r` before the list `next`.
  uint32_t add(Read r, uint32_t next) {
    r.next = next;
    r.slots = reads[next].slots | 1u << (r.slot % 32);
    r.count = uint8_t(std::min(reads[next].count + 1, 255));
    reads.push_back(r);
    return uint32_t(reads.size() - 1);
  }

  /// Cells of global memory, in pages made when first asked for. `granule`
  /// counts four bytes from the start of the address range; `left` returns how
  /// many cells follow in the page, this one included.
  RaceCell *globalCells(uint64_t granule, uint64_t &left) {
    const uint64_t page = granule / kPageCells, at = granule % kPageCells;
    left = kPageCells - at;
    if (page >= pages.size() || !pages[page])
      makePage(page);
    return &pages[page][at];
  }

  /// Whether it is time to collect().
  bool full() const { return writes.size() + reads.size() > limit; }
  /// Forgets the records that no cell names. `shared` are the cells of shared
  /// memory.
  void collect(const std::vector<std::vector<RaceCell> *> &shared);

private:
  static constexpr uint64_t kPageCells = 4096;
  void makePage(uint64_t page);

  std::vector<Write> writes{1};
  std::vector<Read> reads{1};
  std::vector<std::unique_ptr<RaceCell[]>> pages;
  size_t pageCount = 0;
  size_t limit = kLeast;
  static constexpr size_t kLeast = 1 << 18;
};

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_RACEHISTORY_H
