// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which driver runs which PTX, and which GPU runs which target.
#ifndef GEMM_RUNTIME_CUDA_DRIVERVERSION_H
#define GEMM_RUNTIME_CUDA_DRIVERVERSION_H

#include <string>
#include <string_view>

namespace gemm::runtime::cuda {

/// "12.4" for 12040.
std::string cudaVersionText(int version);

/// The first CUDA version (1000 * major + 10 * minor) whose driver accepts PTX
/// of this version (PTX ISA, "Release Notes"); 0 for versions newer than that
/// table, which only the driver can judge.
int cudaVersionForPtx(int major, int minor);

/// Why a GPU of this compute capability cannot run the `.target`; "" if it can.
/// A plain target runs on its own and every later capability, an "a" target on
/// its own only, an "f" target on later ones of the same major version (PTX
/// ISA, ".target").
std::string whyTargetUnsupported(std::string_view target, int major, int minor);

/// The most specific `.target` of a compute capability: "a" targets exist since
/// capability 9.0.
std::string mostSpecificTarget(int major, int minor);

} // namespace gemm::runtime::cuda

#endif // GEMM_RUNTIME_CUDA_DRIVERVERSION_H
