// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The 64-bit shared-memory matrix descriptor of wgmma and the address of each
// element of the operand it describes. Source: PTX ISA 8.8, 9.7.15.5.1.2
// "Shared Memory Matrix Layout": strides (.2.1), canonical layouts (.2.1.3),
// descriptor format (.2.2).

#ifndef GEMM_EMULATOR_MATRIX_DESCRIPTOR_H
#define GEMM_EMULATOR_MATRIX_DESCRIPTOR_H

#include <cstdint>
#include <string>

namespace gemm::emulator {

/// Swizzling mode, bits 63-62 of the descriptor.
enum class DescriptorSwizzle : uint8_t { None = 0, B128 = 1, B64 = 2, B32 = 3 };

/// Which dimension of the operand is contiguous in shared memory.
enum class MajorMode : uint8_t {
  K, ///< imm-trans = 0
  MN ///< imm-trans = 1
};

/// A decoded descriptor; addresses and offsets in bytes.
struct MatrixDescriptor {
  uint32_t startAddress = 0;      ///< bits 13-0, times 16
  uint32_t leadingByteOffset = 0; ///< bits 29-16, times 16
  uint32_t strideByteOffset = 0;  ///< bits 45-32, times 16
  uint8_t baseOffset = 0;         ///< bits 51-49, in 128-byte rows
  DescriptorSwizzle swizzle = DescriptorSwizzle::None;

  static MatrixDescriptor decode(uint64_t bits);

  /// Span of one row of the swizzle atom: 16 (no swizzle), 32, 64 or 128.
  unsigned span() const {
    switch (swizzle) {
    case DescriptorSwizzle::B128:
      return 128;
    case DescriptorSwizzle::B64:
      return 64;
    case DescriptorSwizzle::B32:
      return 32;
    default:
      return 16;
    }
  }

  /// Shared address of byte 0 of the 16-byte chunk that holds element
  /// (mn, k); elementBytes is 1, 2 or 4 and the chunk's elements are
  /// consecutive along the major dimension. Addresses wrap at 2^18.
  uint32_t chunkAddress(MajorMode major, unsigned elementBytes, unsigned mn,
                        unsigned k) const {
    const unsigned width = span();
    uint32_t offset;
    if (major == MajorMode::K) {
      const unsigned kBytes = k * elementBytes;
      offset =
          swizzle == DescriptorSwizzle::None
              ? mn % 8 * 16 + mn / 8 * strideByteOffset +
                    kBytes / 16 * leadingByteOffset
              : mn % 8 * width + mn / 8 * strideByteOffset + kBytes / 16 * 16;
    } else {
      const unsigned mnBytes = mn * elementBytes;
      offset = swizzle == DescriptorSwizzle::None
                   ? mnBytes / 16 * strideByteOffset + k % 8 * 16 +
                         k / 8 * leadingByteOffset
                   : mnBytes % width / 16 * 16 +
                         mnBytes / width * leadingByteOffset + k % 8 * width +
                         k / 8 * strideByteOffset;
    }
    const uint32_t linear = startAddress + offset;
    // The 128-byte row inside the pattern; a base offset moves its origin.
    const uint32_t row = (linear >> 7) - baseOffset;
    uint32_t flip = 0;
    switch (swizzle) {
    case DescriptorSwizzle::B128:
      flip = row & 7;
      break;
    case DescriptorSwizzle::B64:
      flip = row & 3;
      break;
    case DescriptorSwizzle::B32:
      flip = row & 1;
      break;
    case DescriptorSwizzle::None:
      break;
    }
    return (linear ^ (flip << 4)) & 0x3FFFFu;
  }

  /// Shared address of the first byte of element (mn, k).
  uint32_t elementAddress(MajorMode major, unsigned elementBytes, unsigned mn,
                          unsigned k) const {
    const unsigned along = (major == MajorMode::K ? k : mn) * elementBytes;
    return chunkAddress(major, elementBytes, mn, k) + along % 16;
  }

  /// Visits the 16-byte chunks of an operand of `mnExtent` by `kExtent`
  /// elements: `visit(address, mn, k)` with the chunk's first element. Each
  /// chunk holds 16 / elementBytes elements along the major dimension.
  template <typename Visit>
  void forEachChunk(MajorMode major, unsigned elementBytes, unsigned mnExtent,
                    unsigned kExtent, Visit &&visit) const {
    const unsigned perChunk = 16 / elementBytes;
    const unsigned mnStep = major == MajorMode::MN ? perChunk : 1;
    const unsigned kStep = major == MajorMode::K ? perChunk : 1;
    for (unsigned mn = 0; mn < mnExtent; mn += mnStep)
      for (unsigned k = 0; k < kExtent; k += kStep)
        visit(chunkAddress(major, elementBytes, mn, k), mn, k);
  }
};

/// What is wrong with `bits` as a descriptor of an operand of `elementBits`
/// per element in `major` mode; empty if nothing. Checks the reserved bits,
/// the base offset (no-swizzle mode has none), and that only 16-bit elements
/// are MN-major (9.7.15.5.2, imm-trans).
std::string checkMatrixDescriptor(uint64_t bits, MajorMode major,
                                  unsigned elementBits);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_MATRIX_DESCRIPTOR_H
