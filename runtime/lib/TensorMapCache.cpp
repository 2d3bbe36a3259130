// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TensorMapCache.h"

using namespace gemm::runtime;

namespace {

struct Slot {
  TensorMap map;
  TensorMapRequest request;
  uint64_t deviceId = 0; ///< 0: empty
};

// Direct-mapped: 64 KiB per thread that launches with tensor maps. A launch has
// three or so, and programs cycle through some tens of matrices.
constexpr size_t slotBits = 8;

struct Cache {
  std::array<Slot, size_t(1) << slotBits> slots;
};

} // namespace

/// Multiplicative hashing; the low bits of addresses and strides are zero.
static size_t slotOf(uint64_t deviceId, const TensorMapRequest &request) {
  uint64_t hash = deviceId;
  auto mix = [&hash](uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  };
  mix(request.address);
  for (uint64_t extent : request.extents)
    mix(extent);
  for (uint64_t stride : request.strides)
    mix(stride);
  mix(uint64_t(request.box[0]) << 32 | request.box[1]);
  mix(uint64_t(request.type) << 32 | request.rank << 16 | request.swizzle);
  return hash >> (64 - slotBits);
}

const TensorMap &
gemm::runtime::cachedTensorMap(Device &device, uint64_t deviceId,
                               const TensorMapRequest &request) {
  static thread_local std::unique_ptr<Cache> cache;
  if (!cache)
    cache = std::make_unique<Cache>();
  Slot &slot = cache->slots[slotOf(deviceId, request)];
  if (slot.deviceId != deviceId || slot.request != request) {
    slot.map = device.encode(request); // may throw: the slot stays as it was
    slot.request = request;
    slot.deviceId = deviceId;
  }
  return slot.map;
}
