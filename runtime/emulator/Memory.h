// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory: one reserved address range with a shadow byte per byte.
#ifndef GEMM_EMULATOR_MEMORY_H
#define GEMM_EMULATOR_MEMORY_H

#include <cstdint>
#include <map>
#include <string>

namespace gemm::emulator {

/// Windows of the emulator's 64-bit generic address space.
constexpr uint64_t kGlobalBase = 0x0000700000000000,
                   kSharedWindow = 0x0100000000000000,
                   kLocalWindow = 0x0200000000000000,
                   kParamWindow = 0x0300000000000000,
                   kWindowMask = 0xff00000000000000;

/// Shared addresses: bits 31..24 are CTA rank + 1 in the cluster, or 0 for the
/// executing CTA itself; the rest is the offset. The first kilobyte belongs to
/// the system, as on sm_90, so that a zero pointer is caught.
constexpr uint32_t kSharedStart = 1024, kRankShift = 24,
                   kSharedOffsetMask = 0xffffff;

/// Bits of a shadow byte.
enum : uint8_t {
  kAddressable = 1,
  kDefined = 2,
  kBarrierObject = 4, ///< part of an initialised mbarrier
};
constexpr uint64_t kAllAddressable = 0x0101010101010101u * kAddressable;
constexpr uint64_t kAllBarrier = 0x0101010101010101u * kBarrierObject;
constexpr uint64_t kAllDefined = 0x0101010101010101u * kDefined;

class GlobalMemory {
public:
  GlobalMemory();
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory &) = delete;
  GlobalMemory &operator=(const GlobalMemory &) = delete;

  /// 0 and `error` set when there is no room.
  uint64_t allocate(uint64_t bytes, uint64_t align, std::string &error);
  /// False when `address` is not the start of an allocation.
  bool release(uint64_t address);
  /// True if [address, address + bytes) lies in one allocation.
  bool contains(uint64_t address, uint64_t bytes) const;
  struct Range {
    uint64_t start = 0, size = 0;
  };
  /// The allocation that `address` is in; size 0 if there is none.
  Range allocationOf(uint64_t address) const {
    for (const Range &r : recent)
      if (address - r.start < r.size)
        return r;
    return findAllocation(address);
  }
  /// "12 bytes past the end of the 4096-byte allocation at 0x..."
  std::string describe(uint64_t address) const;

  uint64_t used() const { return end; }
  uint8_t *data(uint64_t address) const {
    return bytes + (address - kGlobalBase);
  }
  uint8_t *shadow(uint64_t address) const {
    return shadows + (address - kGlobalBase);
  }
  bool inRange(uint64_t address, uint64_t size) const {
    uint64_t offset = address - kGlobalBase;
    return offset < end && size <= end - offset;
  }

private:
  void commit(uint64_t upTo);
  Range findAllocation(uint64_t address) const;
  void forgetRecent() { recent[0] = recent[1] = recent[2] = recent[3] = {}; }
  uint8_t *bytes = nullptr, *shadows = nullptr;
  uint64_t reserved = 0, committed = 0;
  uint64_t end = 0;                         ///< offsets below are mapped
  std::map<uint64_t, uint64_t> allocations; ///< address -> size
  std::multimap<uint64_t, uint64_t> holes;  ///< size -> offset, for reuse
  mutable Range recent[4];                  ///< answers of findAllocation
  mutable unsigned nextRecent = 0;
};

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_MEMORY_H
