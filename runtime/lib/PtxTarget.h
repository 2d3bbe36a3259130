// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device runs which `.target` (PTX ISA, ".target").
#ifndef GEMM_RUNTIME_PTXTARGET_H
#define GEMM_RUNTIME_PTXTARGET_H

#include <string>
#include <string_view>

namespace gemm::runtime {

/// Why a device of this compute capability cannot run the `.target`; "" if it
/// can. A plain target runs on its own and every later capability, an "a"
/// target on its own only, an "f" target on later ones of the same major
/// version.
std::string whyTargetUnsupported(std::string_view target, int major, int minor);

/// The most specific `.target` of a compute capability: "a" targets exist since
/// capability 9.0.
std::string mostSpecificTarget(int major, int minor);

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_PTXTARGET_H
