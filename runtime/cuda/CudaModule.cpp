// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaModule.h"
#include "../lib/Error.h"
#include "../lib/PtxTarget.h"
#include "../lib/SignatureCheck.h"
#include "CudaContext.h"
#include "DriverVersion.h"

using namespace gemm::runtime;
using namespace gemm::runtime::cuda;

namespace {

struct LoadedEntry {
  Function function = nullptr;
  uint32_t threads = 1;
  uint32_t clusterSize = 1;
  uint32_t sharedBytes = 0;
};

class CudaModule final : public Module {
public:
  CudaModule(Context context, DeviceOrdinal device)
      : context(context), device(device) {}
  ~CudaModule() override;

  void compile(const ModuleRequest &request);
  void launch(const LaunchRequest &request) override;

private:
  LoadedEntry prepare(const EntryRequest &entry) const;

  Context context;
  DeviceOrdinal device;
  ModuleHandle handle = nullptr;
  std::vector<LoadedEntry> entries;
};

} // namespace

static int deviceAttribute(DeviceOrdinal device, int attribute) {
  int value = 0;
  driver().check(driver().deviceGetAttribute(&value, attribute, device),
                 "cuDeviceGetAttribute");
  return value;
}

static std::string ptxVersionText(const ModuleRequest &request) {
  return "PTX " + std::to_string(request.ptxMajor) + "." +
         std::to_string(request.ptxMinor);
}

/// What the driver would refuse with less to say.
static void checkTarget(DeviceOrdinal device, const ModuleRequest &request) {
  int needed = cudaVersionForPtx(request.ptxMajor, request.ptxMinor);
  if (needed > driver().version)
    throw Error(
        GEMM_ERROR_UNSUPPORTED,
        "the driver is too old for the artifact: " + ptxVersionText(request) +
            " needs a driver for CUDA " + cudaVersionText(needed) +
            " or newer, the installed one supports CUDA " +
            cudaVersionText(driver().version));
  std::string why = whyTargetUnsupported(
      request.target, deviceAttribute(device, deviceComputeCapabilityMajor),
      deviceAttribute(device, deviceComputeCapabilityMinor));
  if (!why.empty())
    throw Error(GEMM_ERROR_UNSUPPORTED, why);
}

CudaModule::~CudaModule() {
  if (!handle)
    return;
  try {
    ContextScope scope(context);
    driver().moduleUnload(handle);
  } catch (const Error &) {
    // The context is gone, and the module with it.
  }
}

void CudaModule::compile(const ModuleRequest &request) {
  checkTarget(device, request);
  ContextScope scope(context);
  char log[8192] = "";
  int options[] = {jitErrorLogBuffer, jitErrorLogBufferSizeBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  Result result = driver().moduleLoadDataEx(&handle, request.ptx.c_str(), 2,
                                            options, values);
  if (result == resultUnsupportedPtxVersion)
    throw Error(GEMM_ERROR_UNSUPPORTED,
                "the driver is too old for the artifact: it supports CUDA " +
                    cudaVersionText(driver().version) +
                    ", which does not know " + ptxVersionText(request));
  if (result == resultInvalidPtx || result == resultNoBinaryForGpu)
    throw Error(GEMM_ERROR_COMPILATION,
                "the driver refuses the PTX" +
                    (log[0] ? ": " + std::string(log)
                            : std::string(" and does not say why")));
  driver().check(result, "cuModuleLoadDataEx");
  for (const EntryRequest &entry : request.entries)
    entries.push_back(prepare(entry));
}

LoadedEntry CudaModule::prepare(const EntryRequest &entry) const {
  LoadedEntry loaded{nullptr, entry.threads, entry.clusterSize,
                     entry.sharedBytes};
  driver().check(
      driver().moduleGetFunction(&loaded.function, handle, entry.name.c_str()),
      ("entry " + entry.name + ": cuModuleGetFunction").c_str());
  auto attribute = [&](int name) {
    int value = 0;
    driver().check(driver().funcGetAttribute(&value, name, loaded.function),
                   "cuFuncGetAttribute");
    return value;
  };

  // Drivers before CUDA 12.4 do not tell the parameters.
  if (driver().funcGetParamInfo) {
    std::vector<size_t> sizes;
    size_t offset = 0;
    size_t size = 0;
    while (driver().funcGetParamInfo(loaded.function, sizes.size(), &offset,
                                     &size) == resultSuccess)
      sizes.push_back(size);
    checkParameters(entry, sizes);
  }
  checkSharedMemory(
      entry, attribute(functionSharedSizeBytes),
      deviceAttribute(device, deviceMaxSharedMemoryPerBlockOptin));
  checkThreads(entry, attribute(functionMaxThreadsPerBlock));
  driver().check(driver().funcSetAttribute(loaded.function,
                                           functionMaxDynamicSharedSizeBytes,
                                           int(entry.sharedBytes)),
                 "cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES)");
  return loaded;
}

void CudaModule::launch(const LaunchRequest &request) {
  const LoadedEntry &entry = entries[request.entry];
  ContextScope scope(context);
  LaunchAttribute cluster{};
  cluster.id = launchAttributeClusterDimension;
  cluster.value.clusterDim[0] = entry.clusterSize;
  cluster.value.clusterDim[1] = cluster.value.clusterDim[2] = 1;
  LaunchConfig config{};
  config.gridDim[0] = request.grid;
  config.gridDim[1] = config.gridDim[2] = 1;
  config.blockDim[0] = entry.threads;
  config.blockDim[1] = config.blockDim[2] = 1;
  config.sharedMemBytes = entry.sharedBytes;
  config.stream = static_cast<Stream>(request.stream);
  config.attributes = &cluster;
  config.numAttributes = entry.clusterSize != 1;
  driver().check(driver().launchKernelEx(&config, entry.function,
                                         request.parameters.data(), nullptr),
                 "cuLaunchKernelEx");
}

std::unique_ptr<Module>
gemm::runtime::cuda::loadModule(Context context, DeviceOrdinal device,
                                const ModuleRequest &request) {
  auto module = std::make_unique<CudaModule>(context, device);
  module->compile(request);
  return module;
}
