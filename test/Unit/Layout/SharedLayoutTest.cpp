//===- SharedLayoutTest.cpp - Tiles held in shared memory -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Layout/Layout.h"

#include "llvm/ADT/DenseSet.h"

#include <gtest/gtest.h>

using namespace gemm::layout;

namespace {

std::string reason(llvm::Expected<SharedLayout> result) {
  if (result)
    return "no error";
  return llvm::toString(result.takeError());
}

SharedLayout xored(int64_t rows, int64_t cols, int64_t bytes,
                   bool rowMajor = true) {
  return llvm::cantFail(xorLayout(rows, cols, bytes, rowMajor));
}

SharedLayout panels(int64_t rows, int64_t cols, int64_t bytes, bool rowMajor,
                    int64_t swizzle) {
  return llvm::cantFail(panelLayout(rows, cols, bytes, rowMajor, swizzle));
}

/// Every element has bytes of its own, inside the tile.
void expectInjective(const SharedLayout &layout) {
  llvm::DenseSet<int64_t> seen;
  for (int64_t r = 0; r < layout.rows; ++r)
    for (int64_t c = 0; c < layout.cols; ++c) {
      int64_t offset = layout.offset({r, c});
      EXPECT_EQ(offset % layout.elementBytes, 0);
      EXPECT_GE(offset, 0);
      EXPECT_LE(offset + layout.elementBytes, layout.bytes());
      EXPECT_TRUE(seen.insert(offset).second);
    }
}

TEST(SharedLayout, PlainPacksLines) {
  SharedLayout row = plainLayout(32, 48, 4, true);
  EXPECT_EQ(row.lines(), 32);
  EXPECT_EQ(row.lineLength(), 48);
  EXPECT_EQ(row.panels(), 1);
  EXPECT_EQ(row.panelBytes(), 32 * 48 * 4);
  EXPECT_EQ(row.bytes(), 32 * 48 * 4);
  EXPECT_EQ(row.offset({3, 5}), (3 * 48 + 5) * 4);
  SharedLayout col = plainLayout(32, 48, 4, false);
  EXPECT_EQ(col.lines(), 48);
  EXPECT_EQ(col.lineLength(), 32);
  EXPECT_EQ(col.offset({3, 5}), (5 * 32 + 3) * 4);
  expectInjective(row);
  expectInjective(col);
}

TEST(SharedLayout, PaddedLinesAreLonger) {
  SharedLayout layout = paddedLayout(64, 64, 2, true, 16);
  EXPECT_EQ(layout.pitch, 144);
  EXPECT_EQ(layout.bytes(), 64 * 144);
  EXPECT_EQ(layout.offset({2, 3}), 2 * 144 + 6);
  expectInjective(layout);
}

TEST(SharedLayout, EveryFormIsInjective) {
  for (bool rowMajor : {true, false}) {
    for (int64_t length : {16, 32, 64, 128, 256})
      expectInjective(rowMajor ? xored(64, length, 2)
                               : xored(length, 64, 2, false));
    for (int64_t swizzle : {32, 64, 128})
      for (int64_t bytes : {1, 2, 4})
        expectInjective(panels(128, 128, bytes, rowMajor, swizzle));
  }
}

//===----------------------------------------------------------------------===//
// Hardware swizzles
//===----------------------------------------------------------------------===//

// PTX ISA, "Swizzling modes" of cp.async.bulk.tensor: 16-byte chunks of a 128-,
// 64- or 32-byte line are exchanged by the line's number within a 1024-, 512-
// or 256-byte atom.
TEST(SharedLayout, PanelsAreTheHardwareSwizzles) {
  struct {
    int64_t swizzle;
    int64_t (*chunk)(int64_t chunk, int64_t row);
  } modes[] = {
      {128, [](int64_t c, int64_t r) { return c ^ (r & 7); }},
      {64, [](int64_t c, int64_t r) { return c ^ ((r >> 1) & 3); }},
      {32, [](int64_t c, int64_t r) { return c ^ ((r >> 2) & 1); }},
  };
  for (auto mode : modes)
    for (int64_t bytes : {1, 2, 4}) {
      int64_t perLine = mode.swizzle / bytes;
      SharedLayout layout = panels(64, perLine, bytes, true, mode.swizzle);
      for (int64_t r = 0; r < 64; ++r)
        for (int64_t c = 0; c < perLine; ++c) {
          int64_t byte = c * bytes;
          EXPECT_EQ(layout.offset({r, c}), r * mode.swizzle +
                                               16 * mode.chunk(byte / 16, r) +
                                               byte % 16)
              << mode.swizzle << "-byte panel, row " << r << ", column " << c;
        }
    }
}

// A K-major 128x64 bf16 operand of wgmma under the 128-byte swizzle: groups of
// eight rows 1024 bytes apart (the descriptor's stride offset), k advances by
// 16 elements = 32 bytes inside the atom, m by 64 rows = 8192 bytes.
TEST(SharedLayout, KMajorPanelsMatchTheDescriptor) {
  SharedLayout a = panels(128, 64, 2, /*rowMajor=*/true, 128);
  EXPECT_EQ(a.panels(), 1);
  EXPECT_EQ(a.bytes(), 128 * 64 * 2);
  for (int64_t r = 0; r < 128; ++r)
    EXPECT_EQ(a.offset({r, 0}) & ~int64_t(127), (r / 8) * 1024 + (r % 8) * 128);
  for (int64_t k = 0; k < 64; k += 16)
    EXPECT_EQ(a.offset({0, k}), k / 16 * 32);
  EXPECT_EQ(a.offset({64, 0}), 8192);
  EXPECT_EQ(a.swizzle, (Swizzle{3, 4, 7}));
}

// An MN-major 128 (m) x 64 (k) operand: panels of 64 m x 64 k, lines along m of
// 128 bytes. The leading offset is one panel (8192 bytes), the stride offset
// eight lines (1024 bytes), 16 elements of k are 16 lines = 2048 bytes, 64 of m
// the next panel.
TEST(SharedLayout, MnMajorPanelsMatchTheDescriptor) {
  SharedLayout a = panels(128, 64, 2, /*rowMajor=*/false, 128);
  EXPECT_EQ(a.panels(), 2);
  EXPECT_EQ(a.panelBytes(), 8192);
  EXPECT_EQ(a.offset({64, 0}), 8192);
  EXPECT_EQ(a.offset({0, 8}), 1024);
  for (int64_t k = 0; k < 64; k += 16)
    EXPECT_EQ(a.offset({0, k}), k / 16 * 2048);
  // The line is k, and exchanges chunks of eight elements of m.
  EXPECT_EQ(a.offset({8, 3}), 3 * 128 + ((1 ^ 3) * 16));
}

TEST(SharedLayout, WideTilesAreSeveralPanels) {
  SharedLayout b = panels(32, 128, 2, true, 64);
  EXPECT_EQ(b.panels(), 4);
  EXPECT_EQ(b.panelBytes(), 32 * 64);
  EXPECT_EQ(b.offset({0, 33}), 32 * 64 + 2);
  EXPECT_EQ(b.offset({2, 96}), 3 * 32 * 64 + 2 * 64 + 16);
}

TEST(SharedLayout, PanelsSayWhyTheyCannot) {
  EXPECT_EQ(reason(panelLayout(64, 64, 2, true, 256)),
            "hardware swizzles span 32, 64 or 128 bytes, not 256");
  EXPECT_EQ(reason(panelLayout(64, 48, 2, true, 128)),
            "lines of 96 bytes are not a whole number of 128-byte panels");
}

//===----------------------------------------------------------------------===//
// XOR
//===----------------------------------------------------------------------===//

// ldmatrix: eight lanes each read 16 bytes of one chunk column of eight lines.
TEST(SharedLayout, XorReadsColumnsOfChunksWithoutConflicts) {
  for (int64_t cols : {16, 32, 64, 128, 256}) {
    SharedLayout layout = xored(64, cols, 2);
    for (int64_t first = 0; first < 64; first += 8)
      for (int64_t chunk = 0; chunk < cols / 8; ++chunk) {
        llvm::SmallVector<int64_t> offsets;
        for (int64_t r = 0; r < 8; ++r)
          offsets.push_back(layout.offset({first + r, 8 * chunk}));
        EXPECT_EQ(sharedWavefronts(offsets, 16), 1)
            << cols << " columns, rows from " << first << ", chunk " << chunk;
      }
  }
}

// The same reads of a plain tile of 128-byte lines collide eight ways.
TEST(SharedLayout, PlainReadsColumnsOfChunksWithConflicts) {
  SharedLayout layout = plainLayout(64, 64, 2, true);
  llvm::SmallVector<int64_t> offsets;
  for (int64_t r = 0; r < 8; ++r)
    offsets.push_back(layout.offset({r, 0}));
  EXPECT_EQ(sharedWavefronts(offsets, 16), 8);
}

// 16-byte copies into whole lines stay free of conflicts too.
TEST(SharedLayout, XorWritesLinesWithoutConflicts) {
  for (int64_t cols : {16, 32, 64, 128, 256}) {
    SharedLayout layout = xored(64, cols, 2);
    llvm::SmallVector<int64_t> offsets;
    for (int64_t lane = 0; lane < 32; ++lane)
      offsets.push_back(layout.offset({lane * 8 / cols, lane * 8 % cols}));
    EXPECT_EQ(sharedWavefronts(offsets, 16), 4) << cols << " columns";
  }
}

// 64-element f16 lines are the 128-byte hardware swizzle.
TEST(SharedLayout, XorOfOneLinePerBankRowIsThePanelSwizzle) {
  EXPECT_EQ(xored(128, 64, 2), panels(128, 64, 2, true, 128));
  EXPECT_EQ(xored(128, 32, 2), panels(128, 32, 2, true, 64));
  EXPECT_EQ(xored(128, 16, 2), panels(128, 16, 2, true, 32));
  EXPECT_EQ(xored(64, 128, 2, false), panels(64, 128, 2, false, 128));
}

TEST(SharedLayout, XorSaysWhyItCannot) {
  EXPECT_EQ(reason(xorLayout(64, 48, 2, true)),
            "an XOR swizzle needs lines of a power of two of at least 32 "
            "bytes, and these are 96 bytes");
  EXPECT_EQ(reason(xorLayout(64, 8, 2, true)),
            "an XOR swizzle needs lines of a power of two of at least 32 "
            "bytes, and these are 16 bytes");
}

TEST(Swizzle, AddsTheSourceBitsToTheTargetBits) {
  Swizzle s{3, 4, 7};
  EXPECT_EQ(s.apply(0), 0);
  EXPECT_EQ(s.apply(0b101'000'0000), 0b101'101'0000);
  EXPECT_EQ(s.apply(0b011'010'1100), 0b011'001'1100);
  EXPECT_EQ((Swizzle{0, 4, 7}.apply(12345)), 12345);
  for (int64_t offset = 0; offset < 4096; ++offset)
    EXPECT_EQ(s.apply(s.apply(offset)), offset);
}

//===----------------------------------------------------------------------===//
// Wavefronts
//===----------------------------------------------------------------------===//

llvm::SmallVector<int64_t> strided(int64_t stride) {
  llvm::SmallVector<int64_t> offsets;
  for (int64_t lane = 0; lane < 32; ++lane)
    offsets.push_back(lane * stride);
  return offsets;
}

TEST(SharedWavefronts, CountsDistinctWordsOfTheWorstBank) {
  EXPECT_EQ(sharedWavefronts(strided(4), 4), 1);
  EXPECT_EQ(sharedWavefronts(strided(0), 4), 1); // one word for all
  EXPECT_EQ(sharedWavefronts(strided(2), 2), 1); // two lanes a word
  EXPECT_EQ(sharedWavefronts(strided(8), 4), 2);
  EXPECT_EQ(sharedWavefronts(strided(128), 4), 32);
  EXPECT_EQ(sharedWavefronts(strided(132), 4), 1); // padded by a word
}

TEST(SharedWavefronts, WideAccessesGoAPartOfAWarpAtATime) {
  EXPECT_EQ(sharedWavefronts(strided(8), 8), 2);
  EXPECT_EQ(sharedWavefronts(strided(16), 16), 4);
  EXPECT_EQ(sharedWavefronts(strided(128), 16), 32);
  EXPECT_EQ(sharedWavefronts(strided(144), 16), 4); // padded by a chunk
}

} // namespace
