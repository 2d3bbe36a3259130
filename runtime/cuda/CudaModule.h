// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_RUNTIME_CUDA_CUDAMODULE_H
#define GEMM_RUNTIME_CUDA_CUDAMODULE_H

#include "../lib/Device.h"
#include "DriverApi.h"

#include <memory>

namespace gemm::runtime::cuda {

/// Compiles the PTX with the driver and prepares every entry for launches.
/// Throws Error if the driver or the device cannot run it, saying why.
std::unique_ptr<Module> loadModule(Context context, DeviceOrdinal device,
                                   const ModuleRequest &request);

} // namespace gemm::runtime::cuda

#endif // GEMM_RUNTIME_CUDA_CUDAMODULE_H
