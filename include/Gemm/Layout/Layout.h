//===- Layout.h - Where the elements of a tile live -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One small algebra answers every "where is element (row, col)?" question.
//
// Atoms (an mma fragment, a 16-byte copy, the 8-row x 128-byte swizzle atom)
// are powers of two, so inside an atom a layout is a linear map over the bits
// of an index (F2-linear). A tile is a grid of such atoms: integer counts,
// integer strides. Two forms cover what a GEMM needs:
//
//  * Distribution: hardware index (register, lane, warp) -> (row, col), for
//  tiles
//    held in registers and for the work of a cooperative copy;
//  * SharedLayout: (row, col) -> byte offset, for tiles held in shared memory,
//    with padding, panels and an XOR swizzle.
//
// The idea of linear layouts follows "Linear Layouts: Robust Code Generation of
// Efficient Tensor Computation Using F2" (arXiv 2505.23819).
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LAYOUT_LAYOUT_H
#define GEMM_LAYOUT_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gemm::layout {

/// A position in a tile, in elements.
struct Coord {
  int64_t row = 0;
  int64_t col = 0;

  friend Coord operator+(Coord a, Coord b) {
    return {a.row + b.row, a.col + b.col};
  }
  friend Coord operator*(int64_t n, Coord c) { return {n * c.row, n * c.col}; }
  friend bool operator==(Coord a, Coord b) = default;
  /// The same position in the transposed tile.
  Coord transposed() const { return {col, row}; }
};

/// One digit of a mixed-radix hardware index: `extent` values, each of which
/// moves the position by `stride`.
struct Digit {
  int64_t extent = 1;
  Coord stride;

  friend bool operator==(const Digit &, const Digit &) = default;
};

/// The hardware coordinates of a value that is distributed over a CTA.
enum class Level { Register, Lane, Warp };

/// Lanes of a warp.
inline constexpr int64_t warpSize = 32;

/// (register, lane, warp) -> (row, col). Each hardware index is a mixed-radix
/// number, least significant digit first; the position is the sum over all
/// digits. A digit of stride (0, 0) broadcasts.
class Distribution {
public:
  Distribution() = default;
  Distribution(llvm::ArrayRef<Digit> registers, llvm::ArrayRef<Digit> lanes,
               llvm::ArrayRef<Digit> warps)
      : digits{llvm::SmallVector<Digit, 4>(registers),
               llvm::SmallVector<Digit, 4>(lanes),
               llvm::SmallVector<Digit, 4>(warps)} {}

  llvm::ArrayRef<Digit> get(Level level) const {
    return digits[static_cast<int>(level)];
  }

  /// Number of values of one hardware index (product of its extents).
  int64_t size(Level level) const;
  /// Threads that take part: lanes x warps.
  int64_t numThreads() const { return size(Level::Lane) * size(Level::Warp); }

  /// What one hardware index contributes to the position.
  Coord part(Level level, int64_t index) const;
  /// The position of one register of one lane of one warp.
  Coord at(int64_t reg, int64_t lane, int64_t warp) const;
  /// The position of register 0 of thread `thread` (lane + 32 * warp).
  Coord base(int64_t thread) const;

  /// Rows and columns spanned: one more than the largest position.
  Coord shape() const;

  /// This layout repeated `count` times along `level`, `stride` apart, as the
  /// most significant digit: how an instruction's fragment tiles a warp tile
  /// (registers) and a warp tile tiles a CTA tile (warps).
  Distribution repeated(Level level, int64_t count, Coord stride) const;

  /// Rows and columns exchanged.
  Distribution transposed() const;

  /// The registers of one thread are grouped in aligned runs that advance along
  /// the columns by one element; this is the length of such a run (a power of
  /// two, at most `limit`): how many elements one access can move.
  int64_t columnRun(int64_t limit) const;

  /// Whether each position of shape() is held exactly once, not counting
  /// digits that broadcast.
  bool isPartition() const;

  friend bool operator==(const Distribution &a, const Distribution &b) {
    return a.digits[0] == b.digits[0] && a.digits[1] == b.digits[1] &&
           a.digits[2] == b.digits[2];
  }

private:
  llvm::SmallVector<Digit, 4> digits[3];
};

/// The work of copying a rows x cols tile in runs of `run` columns with all
/// `threads`: consecutive threads take consecutive runs of a row, so that a
/// warp reads whole lines. Fails (with a reason) when the tile is not a whole
/// number of such rounds; the caller then splits the tile or picks a shorter
/// run.
llvm::Expected<Distribution> coalesced(int64_t rows, int64_t cols, int64_t run,
                                       int64_t threads);

/// XOR swizzle on byte offsets, a linear map over their bits: the `bits` bits
/// from `source` up are added (XOR) to the `bits` bits from `target` up. Tensor
/// maps and wgmma call {3, 4, 7} SWIZZLE_128B, {2, 4, 7} SWIZZLE_64B, {1, 4, 7}
/// SWIZZLE_32B (PTX ISA, "Swizzling modes").
struct Swizzle {
  int64_t bits = 0;
  int64_t target = 4;
  int64_t source = 7;

  int64_t apply(int64_t offset) const {
    return offset ^
           (((offset >> source) & ((int64_t(1) << bits) - 1)) << target);
  }
  friend bool operator==(const Swizzle &, const Swizzle &) = default;
};

/// (row, col) -> byte offset of a tile in shared memory. The tile is cut along
/// its contiguous dimension into panels `panel` elements wide; inside a panel,
/// lines are `pitch` bytes apart; the XOR swizzle acts on the offset inside a
/// panel.
struct SharedLayout {
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t elementBytes = 0;
  /// Columns are contiguous; otherwise rows are.
  bool rowMajor = true;
  /// Elements of the contiguous dimension in a panel.
  int64_t panel = 0;
  /// Bytes from one line to the next inside a panel.
  int64_t pitch = 0;
  Swizzle swizzle;

  /// Lines of a panel: the extent of the dimension that is not contiguous.
  int64_t lines() const { return rowMajor ? rows : cols; }
  /// Extent of the contiguous dimension.
  int64_t lineLength() const { return rowMajor ? cols : rows; }
  int64_t panels() const { return (lineLength() + panel - 1) / panel; }
  int64_t panelBytes() const { return lines() * pitch; }
  /// Bytes of the tile.
  int64_t bytes() const { return panels() * panelBytes(); }
  /// Byte offset of an element.
  int64_t offset(Coord c) const;

  friend bool operator==(const SharedLayout &, const SharedLayout &) = default;
};

/// Lines packed one after the other, no swizzle.
SharedLayout plainLayout(int64_t rows, int64_t cols, int64_t elementBytes,
                         bool rowMajor);
/// Lines `padBytes` longer than their elements.
SharedLayout paddedLayout(int64_t rows, int64_t cols, int64_t elementBytes,
                          bool rowMajor, int64_t padBytes);
/// Whole lines, 16-byte chunks exchanged by the line number so that eight lines
/// of one chunk column fall in different banks. Lines must be a power of two of
/// at least 32 bytes; fails with a reason otherwise.
llvm::Expected<SharedLayout> xorLayout(int64_t rows, int64_t cols,
                                       int64_t elementBytes, bool rowMajor);
/// The layout that TMA writes and wgmma reads under SWIZZLE_128B / 64B / 32B:
/// panels of `swizzleBytes`, lines of `swizzleBytes`. A line shorter than
/// `swizzleBytes`, or not a whole number of panels, fails with a reason.
llvm::Expected<SharedLayout> panelLayout(int64_t rows, int64_t cols,
                                         int64_t elementBytes, bool rowMajor,
                                         int64_t swizzleBytes);

/// How the address of a position that is a sum, base(thread) + constant,
/// follows from the address of base(thread): (address ^ xorBits) + addBytes,
/// for every thread. Where the constant touches no swizzled bit, xorBits is 0
/// and the constant folds into the instruction's immediate.
struct AddressSplit {
  int64_t xorBits = 0;
  int64_t addBytes = 0;
};

/// Splits `constant` against all of `bases`; std::nullopt when no one split
/// serves every thread (the caller then computes the full address). The answer
/// is checked by evaluation for each base.
std::optional<AddressSplit> splitAddress(const SharedLayout &layout,
                                         llvm::ArrayRef<Coord> bases,
                                         Coord constant);

/// Shared-memory wavefronts of one warp-wide access of `bytes` per lane at the
/// given byte offsets: 32 banks of 4 bytes; 8- and 16-byte accesses are served
/// a half and a quarter warp at a time. The least possible is max(1, bytes /
/// 4).
int64_t sharedWavefronts(llvm::ArrayRef<int64_t> offsets, int64_t bytes);

} // namespace gemm::layout

#endif // GEMM_LAYOUT_LAYOUT_H
