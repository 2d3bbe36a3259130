// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that runs nothing and remembers what it was asked.
#ifndef GEMM_RUNTIME_TEST_FAKEDEVICE_H
#define GEMM_RUNTIME_TEST_FAKEDEVICE_H

#include "../lib/Device.h"
#include "../lib/Kernel.h"

#include <atomic>
#include <cstring>
#include <mutex>

namespace gemm::runtime {

/// What one launch received: the first 8 bytes of every parameter, and the
/// request that its tensor map, if it is one, was encoded from.
struct RecordedLaunch {
  size_t entry = 0;
  uint32_t grid = 0;
  gemm_stream stream = nullptr;
  std::vector<uint64_t> bits;
};

class FakeDevice final : public Device {
public:
  // Tests read these after the calls that fill them.
  std::vector<ModuleRequest> modules;
  std::vector<RecordedLaunch> launches;
  std::vector<TensorMapRequest> encoded;
  std::atomic<int> encodeCount{0};

  gemm_device_info info() const override {
    gemm_device_info info{};
    info.name = "fake";
    info.architecture = "sm_90a";
    return info;
  }

  std::unique_ptr<Module> load(const ModuleRequest &request) override {
    modules.push_back(request);
    return std::make_unique<FakeModule>(*this);
  }

  /// The map's first 8 bytes are its address, so that a launch shows which map
  /// it got.
  TensorMap encode(const TensorMapRequest &request) override {
    std::lock_guard lock(mutex);
    encoded.push_back(request);
    ++encodeCount;
    TensorMap map{};
    std::memcpy(map.bytes, &request.address, sizeof request.address);
    return map;
  }

  void *allocate(size_t bytes) override { return ::operator new(bytes); }
  void free(void *memory) override { ::operator delete(memory); }
  void copyToDevice(void *destination, const void *source, size_t bytes,
                    gemm_stream) override {
    std::memcpy(destination, source, bytes);
  }
  void copyToHost(void *destination, const void *source, size_t bytes,
                  gemm_stream) override {
    std::memcpy(destination, source, bytes);
  }
  void fill(void *memory, uint8_t value, size_t bytes, gemm_stream) override {
    std::memset(memory, value, bytes);
  }
  gemm_stream createStream() override { return this; }
  void destroyStream(gemm_stream) override {}
  void synchronizeStream(gemm_stream) override {}
  void synchronize() override {}
  gemm_event createEvent() override { return this; }
  void destroyEvent(gemm_event) override {}
  void recordEvent(gemm_event, gemm_stream) override {}
  double elapsedSeconds(gemm_event, gemm_event) override { return 0; }

private:
  class FakeModule final : public Module {
  public:
    explicit FakeModule(FakeDevice &device) : device(device) {}
    void launch(const LaunchRequest &request) override {
      RecordedLaunch launch{request.entry, request.grid, request.stream, {}};
      for (void *parameter : request.parameters) {
        uint64_t bits = 0;
        std::memcpy(&bits, parameter, sizeof bits);
        launch.bits.push_back(bits);
      }
      std::lock_guard lock(device.mutex);
      device.launches.push_back(std::move(launch));
    }

  private:
    FakeDevice &device;
  };

  std::mutex mutex;
};

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_TEST_FAKEDEVICE_H
