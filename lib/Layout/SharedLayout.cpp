//===- SharedLayout.cpp - Tiles held in shared memory ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Layout/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace gemm::layout {

int64_t SharedLayout::offset(Coord c) const {
  int64_t line = rowMajor ? c.row : c.col;
  int64_t pos = rowMajor ? c.col : c.row;
  int64_t inner = line * pitch + (pos % panel) * elementBytes;
  return (pos / panel) * panelBytes() + swizzle.apply(inner);
}

SharedLayout plainLayout(int64_t rows, int64_t cols, int64_t elementBytes,
                         bool rowMajor) {
  return paddedLayout(rows, cols, elementBytes, rowMajor, 0);
}

SharedLayout paddedLayout(int64_t rows, int64_t cols, int64_t elementBytes,
                          bool rowMajor, int64_t padBytes) {
  SharedLayout l;
  l.rows = rows;
  l.cols = cols;
  l.elementBytes = elementBytes;
  l.rowMajor = rowMajor;
  l.panel = l.lineLength();
  l.pitch = l.lineLength() * elementBytes + padBytes;
  return l;
}

llvm::Expected<SharedLayout> xorLayout(int64_t rows, int64_t cols,
                                       int64_t elementBytes, bool rowMajor) {
  SharedLayout l = plainLayout(rows, cols, elementBytes, rowMajor);
  if (!llvm::isPowerOf2_64(l.pitch) || l.pitch < 32)
    return llvm::createStringError(
        llvm::formatv(
            "an XOR swizzle needs lines of a power of two of at least "
            "32 bytes, and these are {0} bytes",
            l.pitch)
            .str());
  // Lines of 128 bytes and more exchange 8 chunks by the line number; shorter
  // lines share a 128-byte bank row, so 128 bytes' worth of them use one
  // exchange.
  l.swizzle.bits = std::min<int64_t>(llvm::Log2_64(l.pitch) - 4, 3);
  l.swizzle.source = std::max<int64_t>(llvm::Log2_64(l.pitch), 7);
  return l;
}

llvm::Expected<SharedLayout> panelLayout(int64_t rows, int64_t cols,
                                         int64_t elementBytes, bool rowMajor,
                                         int64_t swizzleBytes) {
  if (swizzleBytes != 32 && swizzleBytes != 64 && swizzleBytes != 128)
    return llvm::createStringError(
        llvm::formatv("hardware swizzles span 32, 64 or 128 bytes, not {0}",
                      swizzleBytes)
            .str());
  SharedLayout l = plainLayout(rows, cols, elementBytes, rowMajor);
  if ((l.lineLength() * elementBytes) % swizzleBytes)
    return llvm::createStringError(
        llvm::formatv("lines of {0} bytes are not a whole number of {1}-byte "
                      "panels",
                      l.lineLength() * elementBytes, swizzleBytes)
            .str());
  l.panel = swizzleBytes / elementBytes;
  l.pitch = swizzleBytes;
  l.swizzle = {static_cast<int64_t>(llvm::Log2_64(swizzleBytes)) - 4, 4, 7};
  return l;
}

std::optional<AddressSplit> splitAddress(const SharedLayout &layout,
                                         llvm::ArrayRef<Coord> bases,
                                         Coord constant) {
  if (bases.empty())
    return AddressSplit{};
  // Only the swizzle's target bits can need an XOR. For each choice of them the
  // sum follows from the first base; a split without XOR comes first.
  int64_t first = layout.offset(bases[0]);
  int64_t moved = layout.offset(bases[0] + constant);
  for (int64_t chunk = 0; chunk < int64_t(1) << layout.swizzle.bits; ++chunk) {
    int64_t xorBits = chunk << layout.swizzle.target;
    AddressSplit split{xorBits, moved - (first ^ xorBits)};
    if (llvm::all_of(bases, [&](Coord base) {
          return layout.offset(base + constant) ==
                 (layout.offset(base) ^ split.xorBits) + split.addBytes;
        }))
      return split;
  }
  return std::nullopt;
}

int64_t sharedWavefronts(llvm::ArrayRef<int64_t> offsets, int64_t bytes) {
  int64_t lanesPerPass = bytes >= 16 ? 8 : bytes >= 8 ? 16 : 32;
  int64_t total = 0;
  for (size_t first = 0; first < offsets.size(); first += lanesPerPass) {
    // Distinct 4-byte words per bank; lanes that read one word share it.
    llvm::SmallSet<int64_t, 32> words[32];
    auto pass = offsets.slice(
        first, std::min<size_t>(lanesPerPass, offsets.size() - first));
    int64_t worst = 1;
    for (int64_t offset : pass)
      for (int64_t b = offset & ~int64_t(3); b < offset + bytes; b += 4) {
        auto &bank = words[(b / 4) % 32];
        bank.insert(b / 4);
        worst = std::max<int64_t>(worst, bank.size());
      }
    total += worst;
  }
  return total;
}

} // namespace gemm::layout
