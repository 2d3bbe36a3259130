// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PTX emulator as a device of the runtime.
#ifndef GEMM_RUNTIME_EMULATORDEVICE_EMULATORDEVICE_H
#define GEMM_RUNTIME_EMULATORDEVICE_EMULATORDEVICE_H

#include "../lib/Device.h"

#include <memory>
#include <string_view>

namespace gemm::runtime {

/// An emulator of the target's architecture; of the default one if `target` is
/// empty. Launches run to their end before they return, on every stream. Throws
/// Error(GEMM_ERROR_NO_DEVICE) for an architecture that it does not have.
std::unique_ptr<Device> openEmulatorDevice(std::string_view target,
                                           const gemm_device_options &options);

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_EMULATORDEVICE_EMULATORDEVICE_H
