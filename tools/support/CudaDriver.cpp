// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaDriver.h"

#include <string>

namespace gemm::tools {

const SharedLibrary &cudaDriver() {
  static const SharedLibrary library({"libcuda.so.1", "libcuda.so"});
  return library;
}

void checkCuda(int result, const char *what) {
  if (result == 0)
    return;
  static auto *const errorString =
      cudaDriver().function<int(int, const char **)>("cuGetErrorString");
  const char *text = nullptr;
  errorString(result, &text);
  throw ToolError(std::string(what) + " failed: " +
                  (text ? text : "error " + std::to_string(result)));
}

void makeContextCurrent(const Device &device) {
  if (device.info().is_emulator)
    return;
  static auto *const streamGetContext =
      cudaDriver().function<int(void *, void **)>("cuStreamGetCtx");
  static auto *const setCurrent =
      cudaDriver().function<int(void *)>("cuCtxSetCurrent");
  void *context = nullptr;
  checkCuda(streamGetContext(device.stream(), &context), "cuStreamGetCtx");
  checkCuda(setCurrent(context), "cuCtxSetCurrent");
}

} // namespace gemm::tools
