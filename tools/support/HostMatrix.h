// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices on the host as they lie in device memory: order, leading dimension,
// batch stride, and poison in everything that is not an element.
#ifndef GEMM_TOOLS_SUPPORT_HOSTMATRIX_H
#define GEMM_TOOLS_SUPPORT_HOSTMATRIX_H

#include "ElementType.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace gemm::tools {

// Where the elements of a (batched) matrix lie, relative to its first one.
// Extents and strides count elements. A vector is a matrix of one row; a matrix
// that all batches share has batchStride 0.
struct MatrixLayout {
  int64_t rows = 0;
  int64_t cols = 0;
  bool columnMajor = false;
  int64_t leadingDimension = 0;
  int64_t batches = 1;
  int64_t batchStride = 0;

  // Lines are the runs of contiguous elements.
  int64_t lines() const { return columnMajor ? cols : rows; }
  int64_t lineLength() const { return columnMajor ? rows : cols; }
  int64_t offset(int64_t batch, int64_t row, int64_t col) const {
    return batch * batchStride + (columnMajor ? col * leadingDimension + row
                                              : row * leadingDimension + col);
  }
  // Elements from the first to one past the last; 0 for an empty matrix.
  int64_t span() const;
};

// Read-only elements somewhere.
struct MatrixView {
  ElementType type = ElementType::F32;
  const std::byte *data = nullptr;
  MatrixLayout layout;

  uint64_t bits(int64_t batch, int64_t row, int64_t col) const {
    return loadBits(type, data + layout.offset(batch, row, col) *
                                     static_cast<int64_t>(elementSize(type)));
  }
  double at(int64_t batch, int64_t row, int64_t col) const {
    return decodeElement(type, bits(batch, row, col));
  }
};

// Storage of one operand: guard zone, elements with padding, guard zone.
class HostMatrix {
public:
  // `shift` moves the first element by so many elements off the alignment that
  // the storage has (at least 256 bytes on the device). `input` selects the
  // poison: inputPoisonBits or poisonBits.
  HostMatrix(ElementType type, const MatrixLayout &layout, int64_t shift = 0,
             bool input = false);

  ElementType type() const { return elementType; }
  const MatrixLayout &layout() const { return matrixLayout; }
  MatrixView view() const { return {elementType, elements(), matrixLayout}; }

  // The whole storage, guard zones included: what is copied to a device.
  std::byte *storage() { return bytes.get(); }
  const std::byte *storage() const { return bytes.get(); }
  size_t storageBytes() const { return totalBytes; }
  // Distance in bytes of the first element from the start of the storage.
  size_t firstElement() const { return elementOffset; }
  std::byte *elements() { return bytes.get() + elementOffset; }
  const std::byte *elements() const { return bytes.get() + elementOffset; }

  void setBits(int64_t batch, int64_t row, int64_t col, uint64_t bits) {
    storeBits(elementType,
              elements() + matrixLayout.offset(batch, row, col) *
                               static_cast<int64_t>(elementSize(elementType)),
              bits);
  }

  // Fills everything, elements too, with poison.
  void poison();

  // Says where a byte outside the elements is no longer poison; "" if none.
  std::string findWriteOutside() const;
  // Says where the storage differs from `original` (of the same shape).
  std::string findDifference(const HostMatrix &original) const;
  // Says which element still holds poison; "" if none.
  std::string findPoison() const;

private:
  std::string describe(size_t byte) const;

  ElementType elementType;
  uint64_t poisonPattern;
  MatrixLayout matrixLayout;
  size_t elementOffset = 0;
  size_t totalBytes = 0;
  std::unique_ptr<std::byte[]> bytes;
};

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_HOSTMATRIX_H
