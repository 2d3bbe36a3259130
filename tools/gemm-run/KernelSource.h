// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the kernel comes from: a file or the compiler.
#ifndef GEMM_RUN_KERNELSOURCE_H
#define GEMM_RUN_KERNELSOURCE_H

#include "Compile.h"
#include "Options.h"

#include "support/Device.h"
#include "support/Signature.h"

#include <memory>
#include <string>

namespace gemm::tools {

// A kernel that can be asked about, and launched if it has a device.
struct LoadedKernel {
  LoadedKernel(const Device *device, std::string artifact);

  std::string artifact;
  Kernel kernel;
  Signature signature;
  // What compilation took, by part; empty: it was read, not compiled.
  std::vector<std::pair<std::string, double>> compileSeconds;
  double loadSeconds = 0;
};

// Opens what --device names; by default a GPU, or else the emulator. Null if
// there is neither, with the reason in `reason`. Throws ToolError if flags of
// the emulator were given and the device is none.
std::unique_ptr<Device> openDevice(const Options &options, std::string &reason);

// Reads FILE.ptx, or compiles FILE.mlir or the problem of the flags.
std::unique_ptr<LoadedKernel> obtainKernel(const Options &options,
                                           const ProblemOptions &problem,
                                           const Device *device);

// What --emit asks for.
std::string emitPhase(const Options &options);

} // namespace gemm::tools

#endif // GEMM_RUN_KERNELSOURCE_H
