// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which driver accepts which PTX.
#ifndef GEMM_RUNTIME_CUDA_DRIVERVERSION_H
#define GEMM_RUNTIME_CUDA_DRIVERVERSION_H

#include <string>

namespace gemm::runtime::cuda {

/// "12.4" for 12040.
std::string cudaVersionText(int version);

/// The first CUDA version (1000 * major + 10 * minor) whose driver accepts PTX
/// of this version (PTX ISA, "Release Notes"); 0 for versions newer than that
/// table, which only the driver can judge.
int cudaVersionForPtx(int major, int minor);

} // namespace gemm::runtime::cuda

#endif // GEMM_RUNTIME_CUDA_DRIVERVERSION_H
