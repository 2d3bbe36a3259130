// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's tensor map (the 128-byte CUtensorMap of the tensor memory
// accelerator) and the plan of a box copy between global and shared memory.
//
// The driver's 128 bytes are opaque; ours carry a magic number and the fields
// in the clear, so a map made by another encoder is refused by name. Sources:
// CUDA driver API, cuTensorMapEncodeTiled; PTX ISA 8.8, 5.5 "Tensors" (5.5.7
// swizzling modes), 9.7.9.27 cp.async.bulk.tensor.

#ifndef GEMM_EMULATOR_TENSOR_MAP_H
#define GEMM_EMULATOR_TENSOR_MAP_H

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace gemm::emulator {

/// CUtensorMapDataType, same values.
enum class TensorMapType : uint8_t {
  UInt8 = 0,
  UInt16,
  UInt32,
  Int32,
  UInt64,
  Int64,
  Float16,
  Float32,
  Float64,
  BFloat16,
  Float32Ftz,
  TFloat32,
  TFloat32Ftz
};

/// CUtensorMapInterleave, same values.
enum class TensorMapInterleave : uint8_t { None = 0, B16, B32 };

/// CUtensorMapSwizzle, same values.
enum class TensorMapSwizzle : uint8_t {
  None = 0,
  B32,
  B64,
  B128,
  B128Atom32,
  B128Atom32Flip8,
  B128Atom64
};

/// CUtensorMapL2promotion, same values. A hint: no effect here.
enum class TensorMapL2Promotion : uint8_t {
  None = 0,
  L2_64B,
  L2_128B,
  L2_256B
};

/// CUtensorMapFloatOOBfill, same values.
enum class TensorMapFill : uint8_t { Zero = 0, NaN = 1 };

/// The arguments of cuTensorMapEncodeTiled. Dimension 0 varies fastest.
struct TensorMapFields {
  TensorMapType type = TensorMapType::UInt8;
  uint32_t rank = 0;               ///< 1 .. 5
  uint64_t globalAddress = 0;      ///< bytes
  uint64_t globalDim[5] = {};      ///< elements
  uint64_t globalStrides[4] = {};  ///< bytes, of dimensions 1 .. rank-1
  uint32_t boxDim[5] = {};         ///< elements
  uint32_t elementStrides[5] = {}; ///< elements; entry 0 has no effect
  TensorMapInterleave interleave = TensorMapInterleave::None;
  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  TensorMapL2Promotion l2Promotion = TensorMapL2Promotion::None;
  TensorMapFill fill = TensorMapFill::Zero;

  /// Bytes of one element.
  unsigned elementBytes() const;
  /// Elements copied along dimension `dim`: ceil(box / element stride).
  uint32_t boxCount(unsigned dim) const;
  /// Bytes that one box copy moves (and adds to an mbarrier's transaction
  /// count), out-of-bounds elements included.
  uint32_t boxBytes() const;
  /// Bytes from one row of dimension 0 to the next in shared memory: the
  /// inner extent, or the span of the swizzle where that is larger.
  uint32_t rowPitch() const;
  /// Bytes of shared memory that a box occupies.
  uint32_t sharedBytes() const;
  /// Required alignment of the shared address: 128 bytes (PTX ISA 5.5.8).
  static constexpr uint32_t sharedAlignment = 128;
};

/// 128 bytes, as a kernel parameter carries them.
struct alignas(64) TensorMap {
  uint64_t words[16] = {};
};

/// Encodes `fields` if they satisfy every rule of cuTensorMapEncodeTiled.
/// Returns false and one message naming the violated rule and the offending
/// value otherwise. Interleaved layouts, the sub-byte types and the 32- and
/// 64-byte swizzle atoms (Blackwell) are refused by name.
bool encodeTensorMap(const TensorMapFields &fields, TensorMap &map,
                     std::string &error);

/// Reads the 128 bytes at `bytes` back. Empty, with `error` set, if they were
/// not made by encodeTensorMap or were changed since.
std::optional<TensorMapFields> decodeTensorMap(const void *bytes,
                                               std::string &error);

/// Where a swizzle mode places the byte with linear shared address `address`:
/// the 16-byte chunk index is XORed with the index of the 128-byte row, both
/// taken from the address bits (so the pattern starts at a 256-, 512- or
/// 1024-byte boundary).
constexpr uint32_t swizzleAddress(TensorMapSwizzle swizzle, uint32_t address) {
  switch (swizzle) {
  case TensorMapSwizzle::B32:
    return address ^ ((address >> 3) & 0x10u);
  case TensorMapSwizzle::B64:
    return address ^ ((address >> 3) & 0x30u);
  case TensorMapSwizzle::B128:
    return address ^ ((address >> 3) & 0x70u);
  default:
    return address;
  }
}

/// A piece of a box copy: at most 16 bytes, contiguous in both memories and
/// inside one 16-byte chunk of shared memory.
struct BoxPiece {
  uint64_t globalAddress; ///< of the first byte; meaningless if !inBounds
  uint32_t sharedAddress; ///< of the first byte, swizzled
  uint32_t bytes;         ///< a multiple of the element size
  bool inBounds;          ///< false: a load fills it, a store skips it
};

/// Visits a box at element coordinates `coordinates` (rank entries, may be
/// negative or past the end) in order of shared memory rows, calling
/// `visit(const BoxPiece &)` for every piece. `sharedAddress` is the address of
/// the box in shared memory, a multiple of sharedAlignment.
template <typename Visit>
void forEachBoxPiece(const TensorMapFields &fields, const int32_t *coordinates,
                     uint32_t sharedAddress, Visit &&visit) {
  const uint32_t elementSize = fields.elementBytes();
  const uint32_t innerBytes = fields.boxDim[0] * elementSize;
  const uint32_t pitch = fields.rowPitch();
  // In-bounds byte range [first, last) of every row along dimension 0.
  const int64_t start = coordinates[0];
  const int64_t extent = int64_t(fields.globalDim[0]);
  const int64_t box = fields.boxDim[0];
  const int64_t first =
      std::clamp<int64_t>(-start, 0, box) * int64_t(elementSize);
  const int64_t last =
      std::clamp<int64_t>(extent - start, 0, box) * int64_t(elementSize);

  uint32_t index[5] = {};
  uint32_t row = sharedAddress;
  while (true) {
    bool rowInBounds = true;
    int64_t offset = start * int64_t(elementSize);
    for (unsigned dim = 1; dim < fields.rank; ++dim) {
      int64_t position = int64_t(coordinates[dim]) +
                         int64_t(index[dim]) * fields.elementStrides[dim];
      rowInBounds &= position >= 0 && position < int64_t(fields.globalDim[dim]);
      // Unsigned: an out-of-bounds product may wrap, and is then not used.
      offset = int64_t(uint64_t(offset) +
                       uint64_t(position) * fields.globalStrides[dim - 1]);
    }
    for (uint32_t chunk = 0; chunk < innerBytes; chunk += 16) {
      const int64_t chunkEnd = std::min<int64_t>(chunk + 16, innerBytes);
      const uint32_t placed = swizzleAddress(fields.swizzle, row + chunk);
      for (int64_t at = chunk; at < chunkEnd;) {
        bool inside = rowInBounds && at >= first && at < last;
        int64_t end = chunkEnd;
        if (rowInBounds && at < first)
          end = std::min(end, first);
        else if (inside)
          end = std::min(end, last);
        visit(BoxPiece{fields.globalAddress + uint64_t(offset + at),
                       placed + uint32_t(at - chunk), uint32_t(end - at),
                       inside});
        at = end;
      }
    }
    row += pitch;
    unsigned dim = 1;
    for (; dim < fields.rank; ++dim) {
      if (++index[dim] < fields.boxCount(dim))
        break;
      index[dim] = 0;
    }
    if (dim >= fields.rank)
      return;
  }
}

/// Writes what a load puts into out-of-bounds elements: zeros, or NaNs.
/// `bytes` is a multiple of the element size.
void fillOutOfBounds(const TensorMapFields &fields, uint8_t *destination,
                     uint32_t bytes);

/// Applies what a load does to in-bounds data on its way: nothing for most
/// types; TFloat32 types round f32 to tf32. The *Ftz types do not flush
/// subnormals (H200, measured).
void transformLoaded(const TensorMapFields &fields, uint8_t *data,
                     uint32_t bytes);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_TENSOR_MAP_H
