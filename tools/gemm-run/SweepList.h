// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problems of a sweep: read from a file, or drawn around a tile.
#ifndef GEMM_RUN_SWEEPLIST_H
#define GEMM_RUN_SWEEPLIST_H

#include "Options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gemm::tools {

// One problem a line, as flags; empty lines and lines that start with # are
// skipped. Throws ToolError with the line's number.
std::vector<ProblemOptions> readSweep(const std::string &file);

// drawn:SEED or drawn:SEED:LIMIT (no dimension above LIMIT).
struct DrawnSweep {
  uint64_t seed = 0;
  int64_t limit = INT64_MAX;
};
std::optional<DrawnSweep> parseDrawnSweep(const std::string &text);

struct Tile {
  int64_t m = 1, n = 1, k = 1;
};

// Twelve named sizes and thirty drawn ones, each dimension from {1, t - 1, t,
// t + 1, 2t + 3, a prime below 700} where t is the tile's; each size in all
// four layouts, as one product and as a batch of three, on random and on
// integer data, with leading dimensions 0, 1, 7 or 8 longer than a line,
// pointers that are sometimes misaligned, and one of four epilogues. Types and
// schedule are those of `base`.
std::vector<ProblemOptions> drawSweep(const DrawnSweep &sweep, const Tile &tile,
                                      const ProblemOptions &base);

} // namespace gemm::tools

#endif // GEMM_RUN_SWEEPLIST_H
