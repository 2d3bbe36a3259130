// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loaded artifact and how a problem becomes a launch of one of its entries.
#ifndef GEMM_RUNTIME_KERNEL_H
#define GEMM_RUNTIME_KERNEL_H

#include "Artifact.h"
#include "Device.h"
#include "Problem.h"

#include <memory>
#include <string>
#include <vector>

/// What the C interface calls a device.
struct gemm_device {
  std::unique_ptr<gemm::runtime::Device> device;
  uint64_t id = 0; ///< unique in the process, from 1
};

/// What the C interface calls a kernel. Immutable once loaded.
struct gemm_kernel {
  gemm::runtime::Artifact artifact;
  std::vector<std::string> guardTexts; ///< one per entry
  gemm_device *owner = nullptr;        ///< null: parsed only
  std::unique_ptr<gemm::runtime::Module> module;
};

namespace gemm::runtime {

/// A device for the C interface.
std::unique_ptr<gemm_device> wrapDevice(std::unique_ptr<Device> device);

std::unique_ptr<gemm_kernel> loadKernel(gemm_device *device,
                                        std::string_view text);

/// CTAs along x by the entry's grid rule. Throws Error if they are too many.
uint32_t gridSize(const Entry &entry, const Problem &problem);

/// The tensor map that the parameter asks for. Throws Error if the operand
/// cannot be addressed by one.
TensorMapRequest tensorMapRequest(const Entry &entry,
                                  const Parameter &parameter,
                                  const Problem &problem);

/// Launches the entry, whose guard must hold.
void launchEntry(const gemm_kernel &kernel, size_t entry,
                 const Problem &problem, gemm_stream stream);

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_KERNEL_H
