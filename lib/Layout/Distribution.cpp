//===- Distribution.cpp - Tiles held in registers -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Layout/Layout.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace gemm::layout {

int64_t Distribution::size(Level level) const {
  int64_t n = 1;
  for (const Digit &d : get(level))
    n *= d.extent;
  return n;
}

Coord Distribution::part(Level level, int64_t index) const {
  Coord c;
  for (const Digit &d : get(level)) {
    c = c + (index % d.extent) * d.stride;
    index /= d.extent;
  }
  return c;
}

Coord Distribution::at(int64_t reg, int64_t lane, int64_t warp) const {
  return part(Level::Register, reg) + part(Level::Lane, lane) +
         part(Level::Warp, warp);
}

Coord Distribution::base(int64_t thread) const {
  return part(Level::Lane, thread % warpSize) +
         part(Level::Warp, thread / warpSize);
}

Coord Distribution::shape() const {
  Coord s{1, 1};
  for (const auto &level : digits)
    for (const Digit &d : level)
      s = s + (d.extent - 1) * d.stride;
  return s;
}

Distribution Distribution::repeated(Level level, int64_t count,
                                    Coord stride) const {
  Distribution r = *this;
  if (count > 1)
    r.digits[static_cast<int>(level)].push_back({count, stride});
  return r;
}

Distribution Distribution::transposed() const {
  Distribution r = *this;
  for (auto &level : r.digits)
    for (Digit &d : level)
      d.stride = d.stride.transposed();
  return r;
}

int64_t Distribution::columnRun(int64_t limit) const {
  int64_t run = 1;
  for (const Digit &d : get(Level::Register)) {
    if (d.stride != Coord{0, run})
      break;
    run *= d.extent;
  }
  // The largest power of two that divides the run and stays within the limit.
  int64_t v = 1;
  while (v * 2 <= limit && run % (v * 2) == 0)
    v *= 2;
  return v;
}

bool Distribution::isPartition() const {
  llvm::DenseSet<std::pair<int64_t, int64_t>> seen;
  // A broadcasting digit names the same position again: count it once.
  Distribution once;
  for (int l = 0; l < 3; ++l)
    for (const Digit &d : digits[l])
      if (d.stride != Coord{0, 0})
        once.digits[l].push_back(d);
  Coord s = shape();
  if (once.size(Level::Register) * once.numThreads() != s.row * s.col)
    return false;
  for (int64_t w = 0; w < once.size(Level::Warp); ++w)
    for (int64_t l = 0; l < once.size(Level::Lane); ++l)
      for (int64_t r = 0; r < once.size(Level::Register); ++r) {
        Coord c = once.at(r, l, w);
        if (!seen.insert({c.row, c.col}).second)
          return false;
      }
  return true;
}

llvm::Expected<Distribution> coalesced(int64_t rows, int64_t cols, int64_t run,
                                       int64_t threads) {
  auto fail = [&](const char *why) {
    return llvm::createStringError(
        llvm::formatv("a {0}x{1} tile cannot be copied in runs of {2} by {3} "
                      "threads: {4}",
                      rows, cols, run, threads, why)
            .str());
  };
  if (rows < 1 || cols < 1 || run < 1 || threads < 1)
    return fail("each number must be at least 1");
  if (threads % warpSize)
    return fail("the number of threads is not a multiple of 32");
  if (cols % run)
    return fail("a row is not a whole number of runs");
  int64_t runs = cols / run, warps = threads / warpSize;
  // Digits of the thread index: along the row first, then down the rows.
  // Thread digits split at the warp boundary, so each factor must divide.
  llvm::SmallVector<Digit, 4> lane, warp, reg;
  if (run > 1)
    reg.push_back({run, {0, 1}});
  int64_t laneRuns = std::min<int64_t>(runs, warpSize);
  if (warpSize % laneRuns)
    return fail("the runs of a row do not divide a warp");
  if (laneRuns > 1)
    lane.push_back({laneRuns, {0, run}});
  int64_t laneRows = warpSize / laneRuns;
  if (laneRows > 1)
    lane.push_back({laneRows, {1, 0}});
  // Warps: first the rest of the row, then more rows.
  if (runs % laneRuns)
    return fail("a row is not a whole number of warps");
  int64_t restRuns = runs / laneRuns;
  int64_t warpRuns = std::min(restRuns, warps);
  if (restRuns % warpRuns || warps % warpRuns)
    return fail("the warps do not divide a row");
  if (warpRuns > 1)
    warp.push_back({warpRuns, {0, run * laneRuns}});
  int64_t warpRows = warps / warpRuns;
  if (warpRows > 1)
    warp.push_back({warpRows, {laneRows, 0}});
  // Registers: the rest of the row, then the rest of the rows.
  int64_t regRuns = restRuns / warpRuns;
  if (regRuns > 1)
    reg.push_back({regRuns, {0, run * laneRuns * warpRuns}});
  int64_t roundRows = laneRows * warpRows;
  if (rows % roundRows)
    return fail("the rows are not a whole number of rounds");
  if (rows / roundRows > 1)
    reg.push_back({rows / roundRows, {roundRows, 0}});
  return Distribution(reg, lane, warp);
}

} // namespace gemm::layout
