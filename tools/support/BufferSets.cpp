// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BufferSets.h"

#include <algorithm>

namespace gemm::tools {

namespace {

// Same alignment as the single matrices have; no two sets share a line.
constexpr size_t alignment = 1024;

std::vector<OperandStorage>
storageOf(const std::vector<const HostMatrix *> &matrices) {
  std::vector<OperandStorage> result;
  for (const HostMatrix *matrix : matrices)
    result.push_back(
        {matrix->type(), matrix->layout(), matrix->firstElement() % alignment});
  return result;
}

} // namespace

BufferSets::BufferSets(const Device &device,
                       const std::vector<OperandStorage> &storage,
                       const std::vector<int> &alias, size_t footprint,
                       int64_t atLeast, int64_t atMost)
    : memory(device) {
  std::vector<size_t> starts;
  for (size_t i = 0; i < storage.size(); ++i) {
    starts.push_back(setBytes);
    if (alias[i] >= 0)
      continue;
    size_t bytes =
        storage[i].shift + static_cast<size_t>(storage[i].layout.span()) *
                               elementSize(storage[i].type);
    setBytes += (bytes + alignment - 1) / alignment * alignment;
  }
  auto wanted = static_cast<int64_t>((footprint + setBytes - 1) /
                                     std::max<size_t>(1, setBytes));
  int64_t count = std::clamp(wanted, atLeast, atMost);
  std::byte *base = memory.require(setBytes * static_cast<size_t>(count));
  for (int64_t set = 0; set < count; ++set) {
    std::vector<gemm_operand> &operands = sets.emplace_back();
    for (size_t i = 0; i < storage.size(); ++i)
      operands.push_back(
          {base + setBytes * static_cast<size_t>(set) +
               starts[alias[i] >= 0 ? alias[i] : i] + storage[i].shift,
           storage[i].layout.leadingDimension, storage[i].layout.batchStride});
  }
}

BufferSets::BufferSets(const Device &device,
                       const std::vector<const HostMatrix *> &matrices,
                       const std::vector<int> &alias, size_t footprint,
                       int64_t atLeast, int64_t atMost)
    : BufferSets(device, storageOf(matrices), alias, footprint, atLeast,
                 atMost) {
  for (const std::vector<gemm_operand> &operands : sets) {
    for (size_t i = 0; i < matrices.size(); ++i) {
      const HostMatrix &matrix = *matrices[i];
      size_t bytes = static_cast<size_t>(matrix.layout().span()) *
                     elementSize(matrix.type());
      if (alias[i] < 0 && bytes > 0)
        checkStatus(gemm_memory_copy_to_device(
            device.handle(), operands[i].data, matrix.elements(), bytes,
            device.stream()));
    }
  }
}

} // namespace gemm::tools
