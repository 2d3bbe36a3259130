// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several copies of a problem's operands on the device, so that timed runs can
// rotate through them and find the caches cold.
#ifndef GEMM_TOOLS_SUPPORT_BUFFERSETS_H
#define GEMM_TOOLS_SUPPORT_BUFFERSETS_H

#include "Device.h"
#include "HostMatrix.h"

#include <cstdint>
#include <vector>

namespace gemm::tools {

// Where one operand lies: enough to reserve it.
struct OperandStorage {
  ElementType type = ElementType::F32;
  MatrixLayout layout;
  // Bytes of its first element beyond an aligned address.
  size_t shift = 0;
};

class BufferSets {
public:
  // Reserves `operands` (in gemm_problem's order), without contents.
  BufferSets(const Device &device, const std::vector<OperandStorage> &operands,
             const std::vector<int> &alias, size_t footprint, int64_t atLeast,
             int64_t atMost);
  // Copies `matrices` (by operand index) as often as it takes to fill
  // `footprint` bytes, at least `atLeast` and at most `atMost` times. The
  // matrix `alias[i]`, if not -1, is operand i as well.
  BufferSets(const Device &device,
             const std::vector<const HostMatrix *> &matrices,
             const std::vector<int> &alias, size_t footprint, int64_t atLeast,
             int64_t atMost);

  int64_t count() const { return static_cast<int64_t>(sets.size()); }
  const std::vector<gemm_operand> &operands(int64_t set) const {
    return sets[set];
  }
  // Of one set.
  size_t bytesPerSet() const { return setBytes; }

private:
  DeviceMemory memory;
  size_t setBytes = 0;
  std::vector<std::vector<gemm_operand>> sets;
};

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_BUFFERSETS_H
