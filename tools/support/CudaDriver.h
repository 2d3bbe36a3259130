// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA driver, opened at run time, for what the runtime's C interface does
// not offer: graphs, and kernels that are no artifacts.
#ifndef GEMM_TOOLS_SUPPORT_CUDADRIVER_H
#define GEMM_TOOLS_SUPPORT_CUDADRIVER_H

#include "Device.h"
#include "SharedLibrary.h"

namespace gemm::tools {

// libcuda; throws ToolError where there is none.
const SharedLibrary &cudaDriver();

// Throws ToolError "`what` failed: ..." unless `result` (a CUresult) is 0.
void checkCuda(int result, const char *what);

// Makes the device's context current on the calling thread, for libraries that
// expect it there. Nothing on an emulator.
void makeContextCurrent(const Device &device);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_CUDADRIVER_H
