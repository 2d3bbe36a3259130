// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Devices.h"
#include "../cuda/CudaDevice.h"
#include "Error.h"
#ifdef GEMM_RUNTIME_EMULATOR
#include "../emulator-device/EmulatorDevice.h"
#endif

#include <charconv>

using namespace gemm::runtime;

[[noreturn]] static void failName(std::string_view name) {
  throw Error(GEMM_ERROR_INVALID_ARGUMENT,
              "unknown device '" + std::string(name) +
                  "': devices are cuda, cuda:N, emulator and emulator:TARGET");
}

std::unique_ptr<Device>
gemm::runtime::openDevice(std::string_view name,
                          const gemm_device_options *options) {
  size_t colon = name.find(':');
  std::string_view kind = name.substr(0, colon);
  std::string_view rest;
  if (colon != std::string_view::npos) {
    rest = name.substr(colon + 1);
    if (rest.empty())
      failName(name);
  }
  if (kind == "cuda") {
    int ordinal = 0;
    if (!rest.empty()) {
      auto [end, error] =
          std::from_chars(rest.data(), rest.data() + rest.size(), ordinal);
      if (error != std::errc() || end != rest.data() + rest.size() ||
          ordinal < 0)
        failName(name);
    }
    if (options)
      throw Error(GEMM_ERROR_INVALID_ARGUMENT, "a CUDA device has no options");
    return openCudaDevice(ordinal);
  }
  if (kind == "emulator") {
#ifdef GEMM_RUNTIME_EMULATOR
    return openEmulatorDevice(rest, options ? *options : gemm_device_options());
#else
    throw Error(GEMM_ERROR_NO_DEVICE,
                "this gemm-runtime is built without the emulator");
#endif
  }
  failName(name);
}
