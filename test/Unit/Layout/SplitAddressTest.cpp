//===- SplitAddressTest.cpp - Base and constant of a shared address -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Layout/Layout.h"

#include <gtest/gtest.h>

using namespace gemm::layout;

namespace {

bool holds(const SharedLayout &layout, llvm::ArrayRef<Coord> bases,
           Coord constant, AddressSplit split) {
  return llvm::all_of(bases, [&](Coord base) {
    return layout.offset(base + constant) ==
           (layout.offset(base) ^ split.xorBits) + split.addBytes;
  });
}

/// Tries every exchange of 16-byte chunks; the sum then follows from the first
/// base.
bool exists(const SharedLayout &layout, llvm::ArrayRef<Coord> bases,
            Coord constant) {
  for (int64_t xorBits = 0; xorBits < 128; xorBits += 16) {
    int64_t add = layout.offset(bases[0] + constant) -
                  (layout.offset(bases[0]) ^ xorBits);
    if (holds(layout, bases, constant, {xorBits, add}))
      return true;
  }
  return false;
}

/// Lanes of an ldmatrix.x4: row = lane & 15, 16-byte chunk = lane >> 4.
llvm::SmallVector<Coord> ldmatrixLanes() {
  llvm::SmallVector<Coord> bases;
  for (int64_t lane = 0; lane < 32; ++lane)
    bases.push_back({lane & 15, 8 * (lane >> 4)});
  return bases;
}

// A tile of 64 f16: k-steps of 16 enter by XOR, rows of 16 by an immediate.
TEST(SplitAddress, KStepsAreXoredAndRowsAreAdded) {
  SharedLayout layout = llvm::cantFail(xorLayout(128, 64, 2, true));
  auto bases = ldmatrixLanes();
  for (int64_t step = 0; step < 4; ++step) {
    auto split = splitAddress(layout, bases, {0, 16 * step});
    ASSERT_TRUE(split);
    EXPECT_EQ(split->xorBits, 32 * step);
    EXPECT_EQ(split->addBytes, 0);
  }
  for (int64_t row = 16; row < 128; row += 16) {
    auto split = splitAddress(layout, bases, {row, 0});
    ASSERT_TRUE(split);
    EXPECT_EQ(split->xorBits, 0);
    EXPECT_EQ(split->addBytes, row * 128);
  }
  auto both = splitAddress(layout, bases, {48, 32});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->xorBits, 64);
  EXPECT_EQ(both->addBytes, 48 * 128);
}

TEST(SplitAddress, PlainAndPaddedLayoutsOnlyAdd) {
  auto bases = ldmatrixLanes();
  for (int64_t pad : {0, 16}) {
    SharedLayout layout = paddedLayout(128, 64, 2, true, pad);
    for (int64_t row : {0, 1, 16, 100})
      for (int64_t col : {0, 1, 8, 40}) {
        auto split = splitAddress(layout, bases, {row, col});
        ASSERT_TRUE(split);
        EXPECT_TRUE(holds(layout, bases, {row, col}, *split));
      }
  }
}

// One chunk on: lanes of chunk 0 go to chunk 1, lanes of chunk 1 to chunk 2. No
// exchange does both.
TEST(SplitAddress, RefusesWhatCarriesIntoASwizzledBit) {
  SharedLayout layout = llvm::cantFail(xorLayout(128, 64, 2, true));
  auto bases = ldmatrixLanes();
  EXPECT_FALSE(exists(layout, bases, {0, 8}));
  EXPECT_FALSE(splitAddress(layout, bases, {0, 8}));
  // One row on: every lane has another line number.
  EXPECT_FALSE(exists(layout, bases, {1, 0}));
  EXPECT_FALSE(splitAddress(layout, bases, {1, 0}));
}

// Across panels the step is a sum again.
TEST(SplitAddress, PanelsAreAdded) {
  SharedLayout layout = llvm::cantFail(panelLayout(128, 128, 2, true, 128));
  auto bases = ldmatrixLanes();
  auto split = splitAddress(layout, bases, {0, 64});
  ASSERT_TRUE(split);
  EXPECT_EQ(split->xorBits, 0);
  EXPECT_EQ(split->addBytes, layout.panelBytes());
}

// Against brute force, over layouts, lanes and constants: what it returns
// holds, and it refuses only what has no split.
TEST(SplitAddress, AgreesWithBruteForce) {
  llvm::SmallVector<SharedLayout> layouts{plainLayout(64, 64, 2, true),
                                          paddedLayout(64, 64, 2, true, 16)};
  for (int64_t swizzle : {32, 64, 128})
    for (bool rowMajor : {true, false})
      layouts.push_back(
          llvm::cantFail(panelLayout(64, 64, 2, rowMajor, swizzle)));
  layouts.push_back(llvm::cantFail(xorLayout(64, 64, 4, true)));
  layouts.push_back(llvm::cantFail(xorLayout(64, 64, 2, false)));

  llvm::SmallVector<llvm::SmallVector<Coord>> groups{ldmatrixLanes()};
  groups.emplace_back(); // the same, transposed
  for (Coord c : ldmatrixLanes())
    groups.back().push_back(c.transposed());
  groups.emplace_back(); // pairs of an accumulator
  for (int64_t lane = 0; lane < 32; ++lane)
    groups.back().push_back({lane / 4, 2 * (lane % 4)});
  groups.push_back({{0, 0}});

  int found = 0, refused = 0;
  for (const SharedLayout &layout : layouts)
    for (llvm::ArrayRef<Coord> bases : groups)
      for (int64_t row = 0; row < 32; row += 1)
        for (int64_t col = 0; col < 32; col += 1) {
          Coord constant{row, col};
          auto split = splitAddress(layout, bases, constant);
          if (!split) {
            ++refused;
            EXPECT_FALSE(exists(layout, bases, constant))
                << "refused (" << row << ", " << col << ")";
            continue;
          }
          ++found;
          EXPECT_TRUE(holds(layout, bases, constant, *split));
        }
  EXPECT_GT(found, 1000);
  EXPECT_GT(refused, 1000);
}

} // namespace
