// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices that are built in, by name.
#ifndef GEMM_RUNTIME_DEVICES_H
#define GEMM_RUNTIME_DEVICES_H

#include "Device.h"

#include <memory>
#include <string_view>

namespace gemm::runtime {

/// "cuda", "cuda:N", "emulator", "emulator:TARGET". `options` may be null.
std::unique_ptr<Device> openDevice(std::string_view name,
                                   const gemm_device_options *options);

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_DEVICES_H
