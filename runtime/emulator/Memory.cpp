// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Memory.h"

#include <cstdio>
#include <cstring>
#include <sys/mman.h>

namespace gemm::emulator {

namespace {
constexpr uint64_t kReserve = uint64_t(64) << 30;
constexpr uint64_t kGuard = 4096; ///< unmapped bytes around every allocation
constexpr uint64_t kStep = uint64_t(1) << 20;
uint64_t alignUp(uint64_t v, uint64_t a) { return (v + a - 1) / a * a; }
} // namespace

GlobalMemory::GlobalMemory() {
  for (uint64_t size = kReserve; size >= (uint64_t(1) << 30); size /= 2) {
    void *a = mmap(nullptr, size, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (a == MAP_FAILED)
      continue;
    void *b = mmap(nullptr, size, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b == MAP_FAILED) {
      munmap(a, size);
      continue;
    }
    bytes = static_cast<uint8_t *>(a);
    shadows = static_cast<uint8_t *>(b);
    reserved = size;
    break;
  }
  end = 0;
}

GlobalMemory::~GlobalMemory() {
  if (reserved) {
    munmap(bytes, reserved);
    munmap(shadows, reserved);
  }
}

void GlobalMemory::commit(uint64_t upTo) {
  if (upTo <= committed)
    return;
  uint64_t target = std::min(reserved, alignUp(upTo, kStep));
  mprotect(bytes + committed, target - committed, PROT_READ | PROT_WRITE);
  mprotect(shadows + committed, target - committed, PROT_READ | PROT_WRITE);
  committed = target;
}

uint64_t GlobalMemory::allocate(uint64_t size, uint64_t align,
                                std::string &error) {
  if (align == 0 || (align & (align - 1)) || align > (uint64_t(1) << 30)) {
    error = "alignment " + std::to_string(align) + " is not a power of two";
    return 0;
  }
  align = std::max<uint64_t>(align, 16);
  uint64_t span = size + 2 * kGuard + align;
  if (size > reserved || span > reserved) {
    error =
        "out of device memory: " + std::to_string(size) + " bytes asked for";
    return 0;
  }
  uint64_t at;
  auto hole = holes.lower_bound(span);
  if (hole != holes.end() && hole->first <= 2 * span) {
    at = hole->second;
    uint64_t rest = hole->first;
    holes.erase(hole);
    if (rest > span)
      holes.emplace(rest - span, at + span);
  } else {
    if (end + span > reserved) {
      error =
          "out of device memory: " + std::to_string(size) + " bytes asked for";
      return 0;
    }
    at = end;
    commit(end + span);
    end += span;
  }
  uint64_t offset = alignUp(at + kGuard, align);
  std::memset(shadows + at, 0, span);
  std::memset(shadows + offset, kAddressable, size);
  uint64_t address = kGlobalBase + offset;
  allocations[address] = size;
  forgetRecent();
  return address;
}

bool GlobalMemory::release(uint64_t address) {
  auto it = allocations.find(address);
  if (it == allocations.end())
    return false;
  uint64_t offset = address - kGlobalBase;
  std::memset(shadows + offset, 0, it->second);
  // The guards stay with the hole; alignment slack is not given back.
  holes.emplace(it->second + kGuard, offset - kGuard);
  allocations.erase(it);
  forgetRecent();
  return true;
}

bool GlobalMemory::contains(uint64_t address, uint64_t size) const {
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return false;
  --it;
  return address - it->first <= it->second &&
         size <= it->second - (address - it->first);
}

GlobalMemory::Range GlobalMemory::findAllocation(uint64_t address) const {
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return {};
  --it;
  if (address - it->first >= it->second)
    return {};
  return recent[nextRecent++ % 4] = {it->first, it->second};
}

std::string GlobalMemory::describe(uint64_t address) const {
  char text[160];
  auto after = allocations.upper_bound(address);
  if (after != allocations.begin()) {
    auto before = std::prev(after);
    uint64_t distance = address - before->first;
    if (distance < before->second) {
      std::snprintf(text, sizeof text,
                    "%llu bytes into the %llu-byte allocation at 0x%llx",
                    (unsigned long long)distance,
                    (unsigned long long)before->second,
                    (unsigned long long)before->first);
      return text;
    }
    uint64_t past = distance - before->second;
    if (after == allocations.end() || past <= after->first - address) {
      std::snprintf(
          text, sizeof text,
          "%llu bytes past the end of the %llu-byte allocation at 0x%llx",
          (unsigned long long)past, (unsigned long long)before->second,
          (unsigned long long)before->first);
      return text;
    }
  }
  if (after != allocations.end()) {
    std::snprintf(text, sizeof text,
                  "%llu bytes before the %llu-byte allocation at 0x%llx",
                  (unsigned long long)(after->first - address),
                  (unsigned long long)after->second,
                  (unsigned long long)after->first);
    return text;
  }
  return "there is no allocation";
}

} // namespace gemm::emulator
