// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captured CUDA graphs: many launches that start without the host, so that a
// timing is the GPU's and not the launching code's. Uses the CUDA driver API
// (section "Graph Management"), opened at run time.
#ifndef GEMM_TOOLS_SUPPORT_CUDAGRAPH_H
#define GEMM_TOOLS_SUPPORT_CUDAGRAPH_H

#include "CudaDriver.h"

#include <functional>

namespace gemm::tools {

class CudaGraph {
public:
  // Captures the work that `record` enqueues on the device's stream. Throws
  // ToolError if the driver refuses; what `record` throws passes through.
  CudaGraph(const Device &device, const std::function<void()> &record);
  ~CudaGraph();
  CudaGraph(const CudaGraph &) = delete;
  CudaGraph &operator=(const CudaGraph &) = delete;

  void launch() const;

private:
  const Device &device;
  void *executable = nullptr;
};

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_CUDAGRAPH_H
