// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaModule.h"

namespace gemm::tools {
namespace {

using Handle = void *;

// The CUDA driver API functions and constants used here.
struct Driver {
  const SharedLibrary &library = cudaDriver();
  int (*load)(Handle *module, const void *image, unsigned count,
              const int *options, void **values) =
      library.function<int(Handle *, const void *, unsigned, const int *,
                           void **)>("cuModuleLoadDataEx");
  int (*unload)(Handle module) =
      library.function<int(Handle)>("cuModuleUnload");
  int (*find)(Handle *function, Handle module, const char *name) =
      library.function<int(Handle *, Handle, const char *)>(
          "cuModuleGetFunction");
  int (*set)(Handle function, int attribute, int value) =
      library.function<int(Handle, int, int)>("cuFuncSetAttribute");
  int (*launch)(Handle function, unsigned gridX, unsigned gridY, unsigned gridZ,
                unsigned blockX, unsigned blockY, unsigned blockZ,
                unsigned sharedBytes, Handle stream, void **arguments,
                void **extra) =
      library.function<int(Handle, unsigned, unsigned, unsigned, unsigned,
                           unsigned, unsigned, unsigned, Handle, void **,
                           void **)>("cuLaunchKernel");
};

const Driver &driver() {
  static const Driver instance;
  return instance;
}

// CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
constexpr int errorLog = 5, errorLogSize = 6;
// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
constexpr int mostDynamicShared = 8;
// What a kernel may use without asking.
constexpr unsigned freeShared = 48 << 10;

} // namespace

CudaModule::CudaModule(const Device &device, const std::string &ptx)
    : device(device) {
  makeContextCurrent(device);
  char log[2048] = "";
  int options[] = {errorLog, errorLogSize};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  int result = driver().load(&module, ptx.c_str(), 2, options, values);
  if (result != 0 && log[0])
    throw ToolError(std::string("the driver refuses PTX of this tool: ") + log);
  checkCuda(result, "cuModuleLoadDataEx");
}

CudaModule::~CudaModule() {
  if (module)
    driver().unload(module);
}

CudaKernel CudaModule::kernel(const char *name, unsigned sharedBytes) const {
  Handle function = nullptr;
  checkCuda(driver().find(&function, module, name), "cuModuleGetFunction");
  if (sharedBytes > freeShared)
    checkCuda(driver().set(function, mostDynamicShared,
                           static_cast<int>(sharedBytes)),
              "cuFuncSetAttribute");
  return {device, function, sharedBytes};
}

void CudaKernel::launchWith(unsigned blocks, unsigned threads,
                            void **arguments) const {
  checkCuda(driver().launch(function, blocks, 1, 1, threads, 1, 1, sharedBytes,
                            device->stream(), arguments, nullptr),
            "cuLaunchKernel");
}

} // namespace gemm::tools
