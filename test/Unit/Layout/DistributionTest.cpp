//===- DistributionTest.cpp - Tiles held in registers ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Layout/Layout.h"

#include <gtest/gtest.h>

using namespace gemm::layout;

namespace {

/// Accumulator of mma.m16n8k16 on 2 x 4 warps.
Distribution accumulator() {
  return Distribution({{2, {0, 1}}, {2, {8, 0}}}, {{4, {0, 2}}, {8, {1, 0}}},
                      {{2, {16, 0}}, {4, {0, 8}}});
}

TEST(Distribution, SizesAreProductsOfExtents) {
  Distribution d = accumulator();
  EXPECT_EQ(d.size(Level::Register), 4);
  EXPECT_EQ(d.size(Level::Lane), 32);
  EXPECT_EQ(d.size(Level::Warp), 8);
  EXPECT_EQ(d.numThreads(), 256);
  EXPECT_EQ(Distribution().size(Level::Lane), 1);
  EXPECT_EQ(d.get(Level::Warp).size(), 2u);
  EXPECT_EQ(d.get(Level::Warp)[1], (Digit{4, {0, 8}}));
}

TEST(Distribution, DigitsCountLeastSignificantFirst) {
  Distribution d = accumulator();
  EXPECT_EQ(d.part(Level::Register, 1), (Coord{0, 1}));
  EXPECT_EQ(d.part(Level::Register, 2), (Coord{8, 0}));
  EXPECT_EQ(d.part(Level::Register, 3), (Coord{8, 1}));
  EXPECT_EQ(d.part(Level::Lane, 5), (Coord{1, 2}));
  EXPECT_EQ(d.part(Level::Lane, 31), (Coord{7, 6}));
  EXPECT_EQ(d.part(Level::Warp, 3), (Coord{16, 8}));
  EXPECT_EQ(d.at(3, 31, 7), (Coord{31, 31}));
}

TEST(Distribution, MixedRadixNeedsNoPowersOfTwo) {
  Distribution d({{3, {0, 1}}, {5, {1, 0}}}, {}, {});
  EXPECT_EQ(d.part(Level::Register, 7), (Coord{2, 1}));
  EXPECT_EQ(d.shape(), (Coord{5, 3}));
  EXPECT_TRUE(d.isPartition());
}

TEST(Distribution, BaseSplitsTheThreadIntoLaneAndWarp) {
  Distribution d = accumulator();
  for (int64_t thread = 0; thread < 256; ++thread)
    EXPECT_EQ(d.base(thread), d.at(0, thread % 32, thread / 32));
  EXPECT_EQ(d.base(32 + 4), (Coord{17, 0}));
}

TEST(Distribution, ShapeIsOneMoreThanTheLargestPosition) {
  Distribution d = accumulator();
  EXPECT_EQ(d.shape(), (Coord{32, 32}));
  Coord largest;
  for (int64_t w = 0; w < 8; ++w)
    for (int64_t l = 0; l < 32; ++l)
      for (int64_t r = 0; r < 4; ++r) {
        largest.row = std::max(largest.row, d.at(r, l, w).row);
        largest.col = std::max(largest.col, d.at(r, l, w).col);
      }
  EXPECT_EQ(largest, (Coord{31, 31}));
  EXPECT_EQ(Distribution().shape(), (Coord{1, 1}));
}

TEST(Distribution, RepeatedAddsTheMostSignificantDigit) {
  Distribution once({{2, {0, 1}}}, {{32, {1, 0}}}, {});
  Distribution twice = once.repeated(Level::Register, 3, {0, 2});
  EXPECT_EQ(twice.size(Level::Register), 6);
  EXPECT_EQ(twice.at(5, 0, 0), (Coord{0, 5}));
  EXPECT_EQ(twice.shape(), (Coord{32, 6}));
  // Once is not a repetition: no digit of extent one appears.
  EXPECT_EQ(once.repeated(Level::Warp, 1, {32, 0}), once);
  EXPECT_FALSE(once.repeated(Level::Warp, 2, {32, 0}) == once);
}

TEST(Distribution, TransposedExchangesRowsAndColumns) {
  Distribution d = accumulator(), t = d.transposed();
  for (int64_t w = 0; w < 8; ++w)
    for (int64_t l = 0; l < 32; ++l)
      for (int64_t r = 0; r < 4; ++r)
        EXPECT_EQ(t.at(r, l, w), d.at(r, l, w).transposed());
  EXPECT_EQ(t.transposed(), d);
}

TEST(Distribution, ColumnRunIsWhatOneAccessCanMove) {
  EXPECT_EQ(accumulator().columnRun(8), 2);
  EXPECT_EQ(accumulator().columnRun(1), 1);
  // 2 x 4 columns in a row are a run of eight.
  Distribution eight({{2, {0, 1}}, {4, {0, 2}}}, {{32, {1, 0}}}, {});
  EXPECT_EQ(eight.columnRun(16), 8);
  EXPECT_EQ(eight.columnRun(4), 4);
  // Six columns hold three aligned pairs, not a run of four.
  Distribution six({{6, {0, 1}}}, {{32, {1, 0}}}, {});
  EXPECT_EQ(six.columnRun(8), 2);
  // Down the rows there is no run.
  EXPECT_EQ(Distribution({{4, {1, 0}}}, {{32, {0, 1}}}, {}).columnRun(8), 1);
}

TEST(Distribution, APartitionHoldsEveryPositionOnce) {
  EXPECT_TRUE(accumulator().isPartition());
  // A broadcast digit repeats, and does not count.
  EXPECT_TRUE(Distribution({{2, {0, 1}}}, {{16, {1, 0}}, {2, {0, 0}}}, {})
                  .isPartition());
  // Two lanes on one element.
  EXPECT_FALSE(Distribution({{2, {0, 1}}}, {{32, {0, 1}}}, {}).isPartition());
  // As many values as positions, and still some positions twice and some never.
  Distribution collides({{2, {1, 0}}, {2, {1, 0}}, {2, {0, 1}}, {3, {0, 3}}},
                        {{32, {0, 0}}}, {});
  EXPECT_EQ(collides.shape(), (Coord{3, 8}));
  EXPECT_EQ(collides.size(Level::Register), 3 * 8);
  EXPECT_FALSE(collides.isPartition());
  // A hole.
  EXPECT_FALSE(Distribution({{2, {0, 2}}}, {{32, {1, 0}}}, {}).isPartition());
}

//===----------------------------------------------------------------------===//
// coalesced
//===----------------------------------------------------------------------===//

std::string reason(llvm::Expected<Distribution> result) {
  if (result)
    return "no error";
  return llvm::toString(result.takeError());
}

TEST(Coalesced, AWarpReadsWholeLines) {
  // 64 f16 are a 128-byte line: eight lanes read it in 16-byte runs.
  auto d = coalesced(128, 64, 8, 256);
  ASSERT_TRUE(bool(d));
  EXPECT_EQ(d->numThreads(), 256);
  EXPECT_EQ(d->shape(), (Coord{128, 64}));
  EXPECT_TRUE(d->isPartition());
  EXPECT_EQ(d->columnRun(8), 8);
  for (int64_t thread = 0; thread < 256; ++thread)
    EXPECT_EQ(d->base(thread), (Coord{thread / 8, 8 * (thread % 8)}));
  EXPECT_EQ(d->at(8, 0, 0), (Coord{32, 0}));
}

TEST(Coalesced, EveryTileItAcceptsIsAPartition) {
  int accepted = 0;
  for (int64_t rows : {1, 8, 32, 64, 128, 168, 256})
    for (int64_t cols : {8, 16, 32, 40, 64, 128, 256, 512})
      for (int64_t run : {1, 2, 4, 8})
        for (int64_t threads : {32, 128, 256, 512, 1024}) {
          auto d = coalesced(rows, cols, run, threads);
          if (!d) {
            llvm::consumeError(d.takeError());
            continue;
          }
          ++accepted;
          EXPECT_EQ(d->shape(), (Coord{rows, cols}));
          EXPECT_TRUE(d->isPartition());
          EXPECT_EQ(d->numThreads(), threads);
          // Neighbouring lanes read neighbouring runs, as far as the row goes.
          for (int64_t lane = 0; lane + 1 < std::min<int64_t>(32, cols / run);
               ++lane)
            EXPECT_EQ(d->at(0, lane + 1, 0),
                      (d->at(0, lane, 0) + Coord{0, run}));
        }
  EXPECT_GT(accepted, 200);
}

TEST(Coalesced, SaysWhyItCannot) {
  EXPECT_EQ(reason(coalesced(32, 32, 0, 64)),
            "a 32x32 tile cannot be copied in runs of 0 by 64 threads: each "
            "number must be at least 1");
  EXPECT_EQ(reason(coalesced(32, 32, 8, 48)),
            "a 32x32 tile cannot be copied in runs of 8 by 48 threads: the "
            "number of threads is not a multiple of 32");
  EXPECT_EQ(reason(coalesced(32, 36, 8, 64)),
            "a 32x36 tile cannot be copied in runs of 8 by 64 threads: a row "
            "is not a whole number of runs");
  EXPECT_EQ(reason(coalesced(32, 24, 8, 64)),
            "a 32x24 tile cannot be copied in runs of 8 by 64 threads: the "
            "runs of a row do not divide a warp");
  EXPECT_EQ(reason(coalesced(32, 320, 8, 64)),
            "a 32x320 tile cannot be copied in runs of 8 by 64 threads: a row "
            "is not a whole number of warps");
  EXPECT_EQ(reason(coalesced(32, 768, 8, 64)),
            "a 32x768 tile cannot be copied in runs of 8 by 64 threads: the "
            "warps do not divide a row");
  EXPECT_EQ(reason(coalesced(12, 64, 8, 64)),
            "a 12x64 tile cannot be copied in runs of 8 by 64 threads: the "
            "rows are not a whole number of rounds");
}

} // namespace
