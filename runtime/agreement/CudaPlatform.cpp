// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../cuda/CudaContext.h"
#include "../lib/Error.h"
#include "Platform.h"

namespace gemm::agreement {

namespace {

using namespace runtime::cuda;

/// cuda.h: from CUDA_ERROR_ILLEGAL_ADDRESS to CUDA_ERROR_LAUNCH_FAILED, "the
/// process must be terminated and relaunched" to use CUDA again.
bool losesDevice(Result result) {
  return result == 700 || result == 702 || (result >= 714 && result <= 719);
}

void checkDevice(Result result, const char *what) {
  try {
    driver().check(result, what);
  } catch (const runtime::Error &error) {
    if (losesDevice(result))
      throw DeviceLost(error.what());
    throw;
  }
}

class CudaProgram final : public Program {
public:
  ~CudaProgram() override {
    try {
      ContextScope scope(context);
      if (module)
        driver().moduleUnload(module);
    } catch (const std::exception &) {
      // The context is gone, and the module with it.
    }
  }
  Context context = nullptr;
  ModuleHandle module = nullptr;
  Function function = nullptr;
};

class CudaQueue final : public Queue {
public:
  explicit CudaQueue(Context context) : context(context) {
    ContextScope scope(context);
    const unsigned nonBlocking = 1; // CU_STREAM_NON_BLOCKING
    check(driver().streamCreate(&stream, nonBlocking), "cuStreamCreate");
  }
  ~CudaQueue() override {
    try {
      ContextScope scope(context);
      driver().streamDestroy(stream);
    } catch (const std::exception &) {
      // As above.
    }
  }

  uint64_t allocate(size_t bytes) override {
    ContextScope scope(context);
    DevicePointer pointer = 0;
    check(driver().memAlloc(&pointer, bytes), "cuMemAlloc");
    return pointer;
  }
  void release(uint64_t address) override {
    ContextScope scope(context);
    check(driver().memFree(address), "cuMemFree");
  }
  void write(uint64_t address, const void *source, size_t bytes) override {
    ContextScope scope(context);
    check(driver().memcpyHtoDAsync(address, source, bytes, stream),
          "cuMemcpyHtoDAsync");
    wait("cuMemcpyHtoDAsync");
  }
  void read(uint64_t address, void *destination, size_t bytes) override {
    ContextScope scope(context);
    check(driver().memcpyDtoHAsync(destination, address, bytes, stream),
          "cuMemcpyDtoHAsync");
    wait("cuMemcpyDtoHAsync");
  }
  void fill(uint64_t address, uint8_t value, size_t bytes) override {
    ContextScope scope(context);
    check(driver().memsetD8Async(address, value, bytes, stream),
          "cuMemsetD8Async");
    wait("cuMemsetD8Async");
  }
  std::string encode(const TiledMapArguments &t, void *map128) override {
    ContextScope scope(context);
    if (!driver().tensorMapEncodeTiled)
      throw std::runtime_error("the driver has no cuTensorMapEncodeTiled");
    // A map of one dimension has no strides, but the driver refuses a null
    // pointer to them.
    const uint64_t none = 0;
    const Result result = driver().tensorMapEncodeTiled(
        map128, int(t.dataType), t.rank,
        reinterpret_cast<void *>(uintptr_t(t.globalAddress)),
        t.globalDim.data(),
        t.globalStrides.empty() ? &none : t.globalStrides.data(),
        t.boxDim.data(), t.elementStrides.data(), int(t.interleave),
        int(t.swizzle), int(t.l2Promotion), int(t.oobFill));
    return result == resultSuccess ? std::string()
                                   : "CUDA error " + std::to_string(result);
  }
  void sanitize(bool) override {}
  void launch(const Program &program, const LaunchShape &shape,
              void **parameters) override {
    const auto &p = static_cast<const CudaProgram &>(program);
    ContextScope scope(context);
    // Above 48 KiB with the static shared memory, which is not known here.
    if (shape.dynamicShared)
      check(driver().funcSetAttribute(p.function,
                                      functionMaxDynamicSharedSizeBytes,
                                      int(shape.dynamicShared)),
            "cuFuncSetAttribute");
    LaunchConfig config{};
    const Dim3 grid = shape.grid, block = shape.block, cluster = shape.cluster;
    config.gridDim[0] = grid.x, config.gridDim[1] = grid.y;
    config.gridDim[2] = grid.z;
    config.blockDim[0] = block.x, config.blockDim[1] = block.y;
    config.blockDim[2] = block.z;
    config.sharedMemBytes = unsigned(shape.dynamicShared);
    config.stream = stream;
    LaunchAttribute attribute{};
    if (cluster.x) {
      attribute.id = launchAttributeClusterDimension;
      attribute.value.clusterDim[0] = cluster.x;
      attribute.value.clusterDim[1] = cluster.y;
      attribute.value.clusterDim[2] = cluster.z;
      config.attributes = &attribute;
      config.numAttributes = 1;
    }
    check(driver().launchKernelEx(&config, p.function, parameters, nullptr),
          "cuLaunchKernelEx");
    wait("the kernel");
  }

private:
  static void check(Result result, const char *what) {
    checkDevice(result, what);
  }
  void wait(const char *what) {
    check(driver().streamSynchronize(stream), what);
  }

  Context context;
  Stream stream = nullptr;
};

class CudaPlatform final : public Platform {
public:
  explicit CudaPlatform(int ordinal) : ordinal(ordinal) {
    const DriverApi &api = driver();
    api.check(api.deviceGet(&device, ordinal), "cuDeviceGet");
    api.check(api.devicePrimaryCtxRetain(&context, device),
              "cuDevicePrimaryCtxRetain");
  }
  ~CudaPlatform() override { driver().devicePrimaryCtxRelease(device); }

  std::string name() const override {
    char text[256] = "";
    driver().deviceGetName(text, sizeof text, device);
    return "cuda:" + std::to_string(ordinal) + " (" + text + ", driver API " +
           std::to_string(driver().version) + ")";
  }
  std::unique_ptr<Program> load(const std::string &ptx,
                                const std::string &entry) override {
    ContextScope scope(context);
    auto program = std::make_unique<CudaProgram>();
    program->context = context;
    char log[4096] = "";
    int options[] = {jitErrorLogBuffer, jitErrorLogBufferSizeBytes};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    const Result result = driver().moduleLoadDataEx(
        &program->module, ptx.c_str(), 2, options, values);
    if (result != resultSuccess)
      checkDevice(result,
                  (std::string("the driver's assembler: ") + log).c_str());
    checkDevice(driver().moduleGetFunction(&program->function, program->module,
                                           entry.c_str()),
                "cuModuleGetFunction");
    return program;
  }
  std::unique_ptr<Queue> queue() override {
    return std::make_unique<CudaQueue>(context);
  }

private:
  int ordinal;
  DeviceOrdinal device = 0;
  Context context = nullptr;
};

} // namespace

std::unique_ptr<Platform> openCuda(int ordinal) {
  try {
    return std::make_unique<CudaPlatform>(ordinal);
  } catch (const runtime::Error &error) {
    throw NoDevice(error.what());
  }
}

} // namespace gemm::agreement
