// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaDevice.h"
#include "../lib/Error.h"
#include "../lib/PtxTarget.h"
#include "CudaContext.h"
#include "CudaModule.h"
#include "CudaTensorMap.h"
#include "DriverApi.h"

using namespace gemm::runtime;
using namespace gemm::runtime::cuda;

namespace {

class CudaDevice final : public Device {
public:
  explicit CudaDevice(DeviceOrdinal ordinal);
  ~CudaDevice() override;

  gemm_device_info info() const override;
  std::unique_ptr<Module> load(const ModuleRequest &request) override {
    return loadModule(context, device, request);
  }
  TensorMap encode(const TensorMapRequest &request) override {
    // The driver checks the address against the current context.
    ContextScope scope(context);
    return encodeTensorMap(request);
  }

  void *allocate(size_t bytes) override;
  void free(void *memory) override;
  void copyToDevice(void *destination, const void *source, size_t bytes,
                    gemm_stream stream) override;
  void copyToHost(void *destination, const void *source, size_t bytes,
                  gemm_stream stream) override;
  void fill(void *memory, uint8_t value, size_t bytes,
            gemm_stream stream) override;

  gemm_stream createStream() override;
  void destroyStream(gemm_stream stream) override;
  void synchronizeStream(gemm_stream stream) override;
  void synchronize() override;

  gemm_event createEvent() override;
  void destroyEvent(gemm_event event) override;
  void recordEvent(gemm_event event, gemm_stream stream) override;
  double elapsedSeconds(gemm_event start, gemm_event stop) override;

private:
  DeviceOrdinal device;
  Context context = nullptr;
  std::string name;
  std::string architecture;
  gemm_device_info facts{};
};

} // namespace

static DevicePointer pointer(const void *memory) {
  return reinterpret_cast<uintptr_t>(memory);
}
static Stream streamOf(gemm_stream stream) {
  return static_cast<Stream>(stream);
}
static Event eventOf(gemm_event event) { return static_cast<Event>(event); }

CudaDevice::CudaDevice(DeviceOrdinal ordinal) : device(ordinal) {
  const DriverApi &api = driver();
  auto attribute = [&](int which) {
    int value = 0;
    api.check(api.deviceGetAttribute(&value, which, device),
              "cuDeviceGetAttribute");
    return value;
  };
  char text[256] = "";
  api.check(api.deviceGetName(text, sizeof text, device), "cuDeviceGetName");
  name = text;
  size_t memoryBytes = 0;
  api.check(api.deviceTotalMem(&memoryBytes, device), "cuDeviceTotalMem");
  facts.capability_major = attribute(deviceComputeCapabilityMajor);
  facts.capability_minor = attribute(deviceComputeCapabilityMinor);
  architecture =
      mostSpecificTarget(facts.capability_major, facts.capability_minor);
  facts.multiprocessors = attribute(deviceMultiprocessorCount);
  facts.max_shared_bytes = attribute(deviceMaxSharedMemoryPerBlockOptin);
  facts.clock_khz = attribute(deviceClockRate);
  // Two transfers per memory clock, as all memories of current GPUs make.
  facts.memory_bandwidth = 2.0 * 1e3 * attribute(deviceMemoryClockRate) *
                           (attribute(deviceGlobalMemoryBusWidth) / 8.0);
  facts.memory_bytes = memoryBytes;
  facts.l2_bytes = static_cast<uint64_t>(attribute(deviceL2CacheSize));
  facts.driver_version = api.version;
  // Last: the destructor releases what a completed constructor has retained.
  api.check(api.devicePrimaryCtxRetain(&context, device),
            "cuDevicePrimaryCtxRetain");
}

CudaDevice::~CudaDevice() { driver().devicePrimaryCtxRelease(device); }

gemm_device_info CudaDevice::info() const {
  gemm_device_info info = facts;
  info.name = name.c_str();
  info.architecture = architecture.c_str();
  return info;
}

void *CudaDevice::allocate(size_t bytes) {
  ContextScope scope(context);
  DevicePointer memory = 0;
  Result result = driver().memAlloc(&memory, bytes);
  if (result != resultSuccess)
    driver().check(
        result, ("cuMemAlloc of " + std::to_string(bytes) + " bytes").c_str());
  return reinterpret_cast<void *>(memory);
}

void CudaDevice::free(void *memory) {
  ContextScope scope(context);
  driver().check(driver().memFree(pointer(memory)), "cuMemFree");
}

void CudaDevice::copyToDevice(void *destination, const void *source,
                              size_t bytes, gemm_stream stream) {
  ContextScope scope(context);
  driver().check(driver().memcpyHtoDAsync(pointer(destination), source, bytes,
                                          streamOf(stream)),
                 "cuMemcpyHtoDAsync");
  synchronizeStream(stream);
}

void CudaDevice::copyToHost(void *destination, const void *source, size_t bytes,
                            gemm_stream stream) {
  ContextScope scope(context);
  driver().check(driver().memcpyDtoHAsync(destination, pointer(source), bytes,
                                          streamOf(stream)),
                 "cuMemcpyDtoHAsync");
  synchronizeStream(stream);
}

void CudaDevice::fill(void *memory, uint8_t value, size_t bytes,
                      gemm_stream stream) {
  ContextScope scope(context);
  driver().check(
      driver().memsetD8Async(pointer(memory), value, bytes, streamOf(stream)),
      "cuMemsetD8Async");
}

gemm_stream CudaDevice::createStream() {
  ContextScope scope(context);
  Stream stream = nullptr;
  driver().check(driver().streamCreate(&stream, 0), "cuStreamCreate");
  return stream;
}

void CudaDevice::destroyStream(gemm_stream stream) {
  ContextScope scope(context);
  driver().check(driver().streamDestroy(streamOf(stream)), "cuStreamDestroy");
}

void CudaDevice::synchronizeStream(gemm_stream stream) {
  ContextScope scope(context);
  driver().check(driver().streamSynchronize(streamOf(stream)),
                 "cuStreamSynchronize");
}

void CudaDevice::synchronize() {
  ContextScope scope(context);
  driver().check(driver().ctxSynchronize(), "cuCtxSynchronize");
}

gemm_event CudaDevice::createEvent() {
  ContextScope scope(context);
  Event event = nullptr;
  driver().check(driver().eventCreate(&event, 0), "cuEventCreate");
  return event;
}

void CudaDevice::destroyEvent(gemm_event event) {
  ContextScope scope(context);
  driver().check(driver().eventDestroy(eventOf(event)), "cuEventDestroy");
}

void CudaDevice::recordEvent(gemm_event event, gemm_stream stream) {
  ContextScope scope(context);
  driver().check(driver().eventRecord(eventOf(event), streamOf(stream)),
                 "cuEventRecord");
}

double CudaDevice::elapsedSeconds(gemm_event start, gemm_event stop) {
  ContextScope scope(context);
  driver().check(driver().eventSynchronize(eventOf(start)),
                 "cuEventSynchronize");
  driver().check(driver().eventSynchronize(eventOf(stop)),
                 "cuEventSynchronize");
  float milliseconds = 0;
  driver().check(
      driver().eventElapsedTime(&milliseconds, eventOf(start), eventOf(stop)),
      "cuEventElapsedTime");
  return milliseconds * 1e-3;
}

std::unique_ptr<Device> gemm::runtime::openCudaDevice(int ordinal) {
  const DriverApi &api = driver();
  int count = 0;
  api.check(api.deviceGetCount(&count), "cuDeviceGetCount");
  if (ordinal >= count)
    throw Error(GEMM_ERROR_NO_DEVICE,
                "no CUDA device " + std::to_string(ordinal) +
                    ": this machine has " + std::to_string(count));
  DeviceOrdinal device = 0;
  api.check(api.deviceGet(&device, ordinal), "cuDeviceGet");
  return std::make_unique<CudaDevice>(device);
}
