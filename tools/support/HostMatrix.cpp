// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostMatrix.h"

#include "Parallel.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

namespace gemm::tools {
namespace {

// Wide enough that a store to the neighbouring rows of a tile lands in it, a
// multiple of every alignment that a kernel may want.
constexpr size_t guardBytes = 16384;
constexpr int64_t parallelGrain = int64_t{1} << 20;

// Smallest index for which any body returned it; `none` otherwise.
constexpr int64_t none = std::numeric_limits<int64_t>::max();

template <typename Find>
int64_t findFirst(int64_t count, int64_t grain, Find find) {
  std::atomic<int64_t> first = none;
  parallelRanges(count, grain, [&](int64_t begin, int64_t end) {
    if (begin >= first.load(std::memory_order_relaxed))
      return;
    int64_t found = find(begin, end);
    int64_t seen = first.load();
    while (found < seen && !first.compare_exchange_weak(seen, found)) {
    }
  });
  return first;
}

} // namespace

int64_t MatrixLayout::span() const {
  if (batches <= 0 || rows <= 0 || cols <= 0)
    return 0;
  return (batches - 1) * batchStride + (lines() - 1) * leadingDimension +
         lineLength();
}

HostMatrix::HostMatrix(ElementType type, const MatrixLayout &layout,
                       int64_t shift, bool input)
    : elementType(type),
      poisonPattern(input ? inputPoisonBits(type) : poisonBits(type)),
      matrixLayout(layout) {
  size_t size = elementSize(type);
  elementOffset = guardBytes + static_cast<size_t>(shift) * size;
  totalBytes =
      elementOffset + static_cast<size_t>(layout.span()) * size + guardBytes;
  totalBytes = (totalBytes + 7) / 8 * 8;
  bytes.reset(new std::byte[totalBytes]);
  poison();
}

void HostMatrix::poison() {
  size_t size = elementSize(elementType);
  std::byte pattern[64];
  for (size_t i = 0; i < sizeof(pattern); i += size)
    storeBits(elementType, pattern + i, poisonPattern);
  auto total = static_cast<int64_t>(totalBytes);
  parallelRanges(total, parallelGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += sizeof(pattern))
      std::memcpy(bytes.get() + i, pattern,
                  std::min<size_t>(sizeof(pattern), end - i));
  });
}

std::string HostMatrix::findWriteOutside() const {
  auto size = static_cast<int64_t>(elementSize(elementType));
  // Gaps: before the first line, after each line up to the next, after the
  // last.
  const MatrixLayout &shape = matrixLayout;
  int64_t lines = shape.span() ? shape.lines() * shape.batches : 0;
  auto lineBegin = [&](int64_t line) {
    int64_t batch = line / shape.lines(), inBatch = line % shape.lines();
    return static_cast<int64_t>(elementOffset) +
           (batch * shape.batchStride + inBatch * shape.leadingDimension) *
               size;
  };
  std::byte pattern[8];
  for (int64_t i = 0; i < 8; i += size)
    storeBits(elementType, pattern + i, poisonPattern);
  auto checkGap = [&](int64_t begin, int64_t end) -> int64_t {
    // Every gap starts at an element boundary of the pattern.
    for (int64_t i = begin; i < end; ++i)
      if (bytes[i] != pattern[i % 8])
        return i;
    return none;
  };
  int64_t grain =
      std::max<int64_t>(1, parallelGrain / (shape.lineLength() * size + 64));
  int64_t found = findFirst(lines + 1, grain, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      int64_t from =
          line == 0 ? 0 : lineBegin(line - 1) + shape.lineLength() * size;
      int64_t to =
          line == lines ? static_cast<int64_t>(totalBytes) : lineBegin(line);
      int64_t first = checkGap(from, to);
      if (first != none)
        return first;
    }
    return none;
  });
  return found == none ? "" : describe(static_cast<size_t>(found));
}

std::string HostMatrix::findDifference(const HostMatrix &original) const {
  int64_t found = findFirst(
      static_cast<int64_t>(totalBytes), parallelGrain,
      [&](int64_t begin, int64_t end) {
        const std::byte *mine = bytes.get(), *theirs = original.bytes.get();
        if (std::memcmp(mine + begin, theirs + begin, end - begin) == 0)
          return none;
        return static_cast<int64_t>(
            std::mismatch(mine + begin, mine + end, theirs + begin).first -
            mine);
      });
  return found == none ? "" : describe(static_cast<size_t>(found));
}

std::string HostMatrix::findPoison() const {
  const MatrixLayout &shape = matrixLayout;
  if (shape.span() == 0)
    return "";
  auto size = static_cast<int64_t>(elementSize(elementType));
  int64_t grain = std::max<int64_t>(1, parallelGrain / shape.lineLength());
  int64_t found = findFirst(
      shape.lines() * shape.batches, grain, [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; ++line) {
          int64_t at = line / shape.lines() * shape.batchStride +
                       line % shape.lines() * shape.leadingDimension;
          const std::byte *start = elements() + at * size;
          for (int64_t i = 0; i < shape.lineLength(); ++i)
            if (loadBits(elementType, start + i * size) == poisonPattern)
              return static_cast<int64_t>(elementOffset) + (at + i) * size;
        }
        return none;
      });
  return found == none ? "" : describe(static_cast<size_t>(found));
}

std::string HostMatrix::describe(size_t byte) const {
  const MatrixLayout &shape = matrixLayout;
  size_t size = elementSize(elementType);
  if (byte < elementOffset)
    return std::to_string(elementOffset - byte) + " bytes before the matrix";
  size_t end = elementOffset + static_cast<size_t>(shape.span()) * size;
  if (byte >= end)
    return std::to_string(byte - end + 1) + " bytes after the matrix";
  auto element = static_cast<int64_t>((byte - elementOffset) / size);
  int64_t batch = shape.batches > 1 && shape.batchStride > 0
                      ? element / shape.batchStride
                      : 0;
  int64_t inBatch = element - batch * shape.batchStride;
  int64_t line = inBatch, inLine = 0;
  if (shape.lines() == 1) {
    line = 0;
    inLine = inBatch;
  } else {
    line = inBatch / shape.leadingDimension;
    inLine = inBatch % shape.leadingDimension;
  }
  std::string where = "batch " + std::to_string(batch) + ", ";
  if (line >= shape.lines())
    return where + "between the batches, " +
           std::to_string(element -
                          (batch * shape.batchStride +
                           (shape.lines() - 1) * shape.leadingDimension +
                           shape.lineLength()) +
                          1) +
           " elements after the last";
  std::string lineName = shape.columnMajor ? "column " : "row ";
  if (inLine >= shape.lineLength())
    return where + "padding of " + lineName + std::to_string(line) + ", " +
           std::to_string(inLine - shape.lineLength() + 1) +
           " elements after its end";
  int64_t rowIndex = shape.columnMajor ? inLine : line;
  int64_t colIndex = shape.columnMajor ? line : inLine;
  return where + "element (" + std::to_string(rowIndex) + ", " +
         std::to_string(colIndex) + ")";
}

} // namespace gemm::tools
