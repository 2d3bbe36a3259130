// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX of a tool's own, compiled by the driver: kernels that prepare, check or
// calibrate a measurement and are no artifacts. Uses the CUDA driver API
// (sections "Module Management" and "Execution Control").
#ifndef GEMM_TOOLS_SUPPORT_CUDAMODULE_H
#define GEMM_TOOLS_SUPPORT_CUDAMODULE_H

#include "CudaDriver.h"

#include <string>

namespace gemm::tools {

// An entry of a module, ready to be launched.
class CudaKernel {
public:
  // Enqueues on the device's stream; the arguments must have exactly the types
  // of the entry's parameters.
  template <typename... Arguments>
  void launch(unsigned blocks, unsigned threads, Arguments... arguments) const {
    void *pointers[] = {&arguments..., nullptr};
    launchWith(blocks, threads, pointers);
  }

private:
  friend class CudaModule;
  CudaKernel(const Device &device, void *function, unsigned sharedBytes)
      : device(&device), function(function), sharedBytes(sharedBytes) {}
  void launchWith(unsigned blocks, unsigned threads, void **arguments) const;

  const Device *device;
  void *function;
  unsigned sharedBytes;
};

class CudaModule {
public:
  // Throws ToolError with the driver's log if it refuses the text.
  CudaModule(const Device &device, const std::string &ptx);
  ~CudaModule();
  CudaModule(const CudaModule &) = delete;
  CudaModule &operator=(const CudaModule &) = delete;

  // The entry `name`, to be given so much dynamic shared memory.
  CudaKernel kernel(const char *name, unsigned sharedBytes = 0) const;

private:
  const Device &device;
  void *module = nullptr;
};

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_CUDAMODULE_H
