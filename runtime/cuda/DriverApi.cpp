// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DriverApi.h"
#include "../lib/Error.h"
#include "DriverVersion.h"

#include <dlfcn.h>

using namespace gemm::runtime;
using namespace gemm::runtime::cuda;

/// cuLaunchKernelEx came with CUDA 11.8.
static constexpr int oldestDriver = 11080;

void DriverApi::check(Result result, const char *what) const {
  if (result == resultSuccess)
    return;
  const char *name = nullptr;
  const char *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  throw Error(result == resultOutOfMemory ? GEMM_ERROR_OUT_OF_MEMORY
                                          : GEMM_ERROR_DEVICE,
              std::string(what) + ": " +
                  (name ? name : "CUDA error " + std::to_string(result)) +
                  (text ? " (" + std::string(text) + ")" : ""));
}

/// Looks a function up; leaves null if this driver does not have it.
template <typename Signature>
static void bind(void *library, Signature *&function, const char *name) {
  function = reinterpret_cast<Signature *>(dlsym(library, name));
}

static void bindAll(void *library, DriverApi &api) {
  bind(library, api.getErrorName, "cuGetErrorName");
  bind(library, api.getErrorString, "cuGetErrorString");
  bind(library, api.init, "cuInit");
  bind(library, api.driverGetVersion, "cuDriverGetVersion");
  bind(library, api.deviceGetCount, "cuDeviceGetCount");
  bind(library, api.deviceGet, "cuDeviceGet");
  bind(library, api.deviceGetName, "cuDeviceGetName");
  bind(library, api.deviceGetAttribute, "cuDeviceGetAttribute");
  bind(library, api.deviceTotalMem, "cuDeviceTotalMem_v2");
  bind(library, api.devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  bind(library, api.devicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  bind(library, api.ctxGetCurrent, "cuCtxGetCurrent");
  bind(library, api.ctxPushCurrent, "cuCtxPushCurrent_v2");
  bind(library, api.ctxPopCurrent, "cuCtxPopCurrent_v2");
  bind(library, api.ctxSynchronize, "cuCtxSynchronize");
  bind(library, api.moduleLoadDataEx, "cuModuleLoadDataEx");
  bind(library, api.moduleUnload, "cuModuleUnload");
  bind(library, api.moduleGetFunction, "cuModuleGetFunction");
  bind(library, api.funcGetAttribute, "cuFuncGetAttribute");
  bind(library, api.funcSetAttribute, "cuFuncSetAttribute");
  bind(library, api.funcGetParamInfo, "cuFuncGetParamInfo");
  bind(library, api.launchKernelEx, "cuLaunchKernelEx");
  bind(library, api.memAlloc, "cuMemAlloc_v2");
  bind(library, api.memFree, "cuMemFree_v2");
  bind(library, api.memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
  bind(library, api.memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
  bind(library, api.memsetD8Async, "cuMemsetD8Async");
  bind(library, api.streamCreate, "cuStreamCreate");
  bind(library, api.streamDestroy, "cuStreamDestroy_v2");
  bind(library, api.streamSynchronize, "cuStreamSynchronize");
  bind(library, api.eventCreate, "cuEventCreate");
  bind(library, api.eventDestroy, "cuEventDestroy_v2");
  bind(library, api.eventRecord, "cuEventRecord");
  bind(library, api.eventSynchronize, "cuEventSynchronize");
  bind(library, api.eventElapsedTime, "cuEventElapsedTime");
  bind(library, api.tensorMapEncodeTiled, "cuTensorMapEncodeTiled");
}

static DriverApi openDriver() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error(GEMM_ERROR_NO_DEVICE,
                std::string("no CUDA driver: ") + dlerror());
  // Never closed: the driver does not support it.
  DriverApi api;
  bindAll(library, api);
  if (!api.init || !api.driverGetVersion || !api.getErrorName ||
      !api.getErrorString)
    throw Error(GEMM_ERROR_NO_DEVICE,
                "libcuda.so.1 is not a CUDA driver: it has no cuInit");
  if (api.driverGetVersion(&api.version) == resultSuccess &&
      api.version < oldestDriver)
    throw Error(GEMM_ERROR_NO_DEVICE,
                "the CUDA driver is too old: it supports CUDA " +
                    cudaVersionText(api.version) +
                    ", gemm-runtime needs one for CUDA " +
                    cudaVersionText(oldestDriver) + " or newer");
  Result result = api.init(0);
  if (result == resultNoDevice)
    throw Error(GEMM_ERROR_NO_DEVICE,
                "no CUDA device: the driver finds no GPU on this machine");
  try {
    api.check(result, "cuInit");
  } catch (const Error &error) {
    throw Error(GEMM_ERROR_NO_DEVICE,
                std::string("the CUDA driver cannot be used: ") + error.what());
  }
  return api;
}

const DriverApi &gemm::runtime::cuda::driver() {
  static const DriverApi api = openDriver();
  return api;
}
