// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a measurement needs done on the device besides GEMMs: data, poison,
// samples of matrices. Modules are loaded when first needed and kept.
#ifndef GEMM_BENCH_DEVICETOOLS_H
#define GEMM_BENCH_DEVICETOOLS_H

#include "DevicePtx.h"

#include "support/CudaModule.h"
#include "support/HostMatrix.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gemm::bench {

class DeviceTools {
public:
  explicit DeviceTools(const tools::Device &device);

  const tools::Device &device() const { return target; }
  // Blocks for a loop over data: enough to fill the device.
  unsigned blocks() const;
  static constexpr unsigned threads = 256;

  // Compiles text without a header. Throws ToolError if the driver accepts it
  // in no version of PTX.
  std::unique_ptr<tools::CudaModule> load(const std::string &text) const;

  // Standard normal elements (8-bit integers: 32 times that), a function of
  // `seed` and their number.
  void fillNormal(ElementType type, void *data, int64_t count, uint64_t seed);
  void setBits(size_t elementBytes, void *data, int64_t count, uint64_t bits);

  // Elements rows[i] + cols[j] of `from`, on the host.
  std::vector<std::byte> gather(size_t elementBytes, const void *from,
                                const std::vector<int64_t> &rows,
                                const std::vector<int64_t> &cols);

  struct Found {
    uint64_t count = 0;
    // Of the first such element, in the order (batch, line, position).
    int64_t batch = 0, line = 0, position = 0;
  };
  // Elements of a matrix that have exactly these bits.
  Found findEqual(ElementType type, const void *data,
                  const tools::MatrixLayout &layout, uint64_t bits);

  const tools::CudaModule &memory();

private:
  const tools::CudaModule &elements(size_t bytes);

  const tools::Device &target;
  std::map<ElementType, std::unique_ptr<tools::CudaModule>> fills;
  std::map<size_t, std::unique_ptr<tools::CudaModule>> elementModules;
  std::unique_ptr<tools::CudaModule> memoryModule;
  tools::DeviceMemory rowOffsets, colOffsets, gathered, counters;
};

} // namespace gemm::bench

#endif // GEMM_BENCH_DEVICETOOLS_H
