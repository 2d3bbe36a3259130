// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU, through the CUDA driver API.
#ifndef GEMM_RUNTIME_CUDA_CUDADEVICE_H
#define GEMM_RUNTIME_CUDA_CUDADEVICE_H

#include "../lib/Device.h"

#include <memory>

namespace gemm::runtime {

/// Opens the GPU with the driver's ordinal. Throws Error(GEMM_ERROR_NO_DEVICE)
/// if there is no driver or no such GPU.
std::unique_ptr<Device> openCudaDevice(int ordinal);

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_CUDA_CUDADEVICE_H
