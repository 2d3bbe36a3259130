// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceTools.h"

namespace gemm::bench {

using namespace tools;

namespace {

uint64_t address(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

void upload(const Device &device, DeviceMemory &memory, const void *data,
            size_t bytes) {
  memory.require(bytes);
  checkStatus(gemm_memory_copy_to_device(device.handle(), memory.data(), data,
                                         bytes, device.stream()));
}

} // namespace

DeviceTools::DeviceTools(const Device &device)
    : target(device), rowOffsets(device), colOffsets(device), gathered(device),
      counters(device) {}

unsigned DeviceTools::blocks() const {
  return static_cast<unsigned>(std::max(1, target.info().multiprocessors)) * 8;
}

std::unique_ptr<CudaModule> DeviceTools::load(const std::string &text) const {
  // A device wants a version that knows it, an instruction one that has it, and
  // the driver none that is newer than itself.
  std::string reason;
  for (const char *version : {"8.0", "8.4", "8.7", "9.0", "7.8", "7.1"}) {
    try {
      return std::make_unique<CudaModule>(
          target, ptxHeader(version, target.info().architecture) + text);
    } catch (const ToolError &error) {
      if (reason.empty())
        reason = error.what();
    }
  }
  throw ToolError(reason);
}

void DeviceTools::fillNormal(ElementType type, void *data, int64_t count,
                             uint64_t seed) {
  std::unique_ptr<CudaModule> &module = fills[type];
  if (!module)
    module = load(fillPtx(type));
  if (count > 0)
    module->kernel("fill").launch(blocks(), threads, address(data),
                                  static_cast<uint64_t>(count), seed);
}

const CudaModule &DeviceTools::elements(size_t bytes) {
  std::unique_ptr<CudaModule> &module = elementModules[bytes];
  if (!module)
    module = load(elementPtx(bytes));
  return *module;
}

const CudaModule &DeviceTools::memory() {
  if (!memoryModule)
    memoryModule = load(memoryPtx());
  return *memoryModule;
}

void DeviceTools::setBits(size_t elementBytes, void *data, int64_t count,
                          uint64_t bits) {
  if (count > 0)
    elements(elementBytes)
        .kernel("set_bits")
        .launch(blocks(), threads, address(data), static_cast<uint64_t>(count),
                bits);
}

std::vector<std::byte> DeviceTools::gather(size_t elementBytes,
                                           const void *from,
                                           const std::vector<int64_t> &rows,
                                           const std::vector<int64_t> &cols) {
  std::vector<std::byte> result(rows.size() * cols.size() * elementBytes);
  if (result.empty())
    return result;
  upload(target, rowOffsets, rows.data(), rows.size() * sizeof(int64_t));
  upload(target, colOffsets, cols.data(), cols.size() * sizeof(int64_t));
  gathered.require(result.size());
  elements(elementBytes)
      .kernel("gather")
      .launch(blocks(), threads, address(gathered.data()), address(from),
              address(rowOffsets.data()), address(colOffsets.data()),
              static_cast<uint64_t>(rows.size()),
              static_cast<uint64_t>(cols.size()));
  checkStatus(gemm_memory_copy_to_host(target.handle(), result.data(),
                                       gathered.data(), result.size(),
                                       target.stream()));
  return result;
}

DeviceTools::Found DeviceTools::findEqual(ElementType type, const void *data,
                                          const MatrixLayout &layout,
                                          uint64_t bits) {
  uint64_t counts[2] = {0, ~uint64_t{0}};
  upload(target, counters, counts, sizeof(counts));
  auto unsignedOf = [](int64_t value) { return static_cast<uint64_t>(value); };
  elements(elementSize(type))
      .kernel("count_equal")
      .launch(blocks(), threads, address(data), unsignedOf(layout.lines()),
              unsignedOf(layout.lineLength()),
              unsignedOf(layout.leadingDimension), unsignedOf(layout.batches),
              unsignedOf(layout.batchStride), bits, address(counters.data()));
  checkStatus(gemm_memory_copy_to_host(target.handle(), counts, counters.data(),
                                       sizeof(counts), target.stream()));
  Found found;
  found.count = counts[0];
  if (found.count > 0) {
    auto first = static_cast<int64_t>(counts[1]);
    found.position = first % layout.lineLength();
    found.line = first / layout.lineLength() % layout.lines();
    found.batch = first / layout.lineLength() / layout.lines();
  }
  return found;
}

} // namespace gemm::bench
