// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BufferSets.h"

#include <algorithm>

namespace gemm::tools {

BufferSets::BufferSets(const Device &device,
                       const std::vector<const HostMatrix *> &matrices,
                       const std::vector<int> &alias, size_t footprint,
                       int64_t atLeast, int64_t atMost)
    : memory(device) {
  // Same alignment as the single matrices have; no two sets share a line.
  constexpr size_t alignment = 1024;
  std::vector<size_t> starts;
  for (size_t i = 0; i < matrices.size(); ++i) {
    starts.push_back(setBytes);
    if (alias[i] >= 0)
      continue;
    const HostMatrix &matrix = *matrices[i];
    size_t size = elementSize(matrix.type());
    size_t bytes = matrix.firstElement() % alignment +
                   static_cast<size_t>(matrix.layout().span()) * size;
    setBytes += (bytes + alignment - 1) / alignment * alignment;
  }
  auto wanted = static_cast<int64_t>((footprint + setBytes - 1) /
                                     std::max<size_t>(1, setBytes));
  int64_t count = std::clamp(wanted, atLeast, atMost);
  std::byte *base = memory.require(setBytes * static_cast<size_t>(count));
  for (int64_t set = 0; set < count; ++set) {
    std::vector<gemm_operand> &operands = sets.emplace_back();
    for (size_t i = 0; i < matrices.size(); ++i) {
      const HostMatrix &matrix = *matrices[i];
      std::byte *data = base + setBytes * static_cast<size_t>(set) +
                        starts[alias[i] >= 0 ? alias[i] : i] +
                        matrix.firstElement() % alignment;
      operands.push_back({data, matrix.layout().leadingDimension,
                          matrix.layout().batchStride});
      size_t bytes = static_cast<size_t>(matrix.layout().span()) *
                     elementSize(matrix.type());
      if (alias[i] < 0 && bytes > 0)
        checkStatus(gemm_memory_copy_to_device(
            device.handle(), data, matrix.elements(), bytes, device.stream()));
    }
  }
}

} // namespace gemm::tools
