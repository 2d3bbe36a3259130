// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_RUNTIME_CUDA_CUDATENSORMAP_H
#define GEMM_RUNTIME_CUDA_CUDATENSORMAP_H

#include "../lib/Device.h"

namespace gemm::runtime::cuda {

/// Encodes with cuTensorMapEncodeTiled; 256-byte L2 promotion, zero fill.
TensorMap encodeTensorMap(const TensorMapRequest &request);

} // namespace gemm::runtime::cuda

#endif // GEMM_RUNTIME_CUDA_CUDATENSORMAP_H
