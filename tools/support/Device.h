// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's C interface with destructors; failures become ToolErrors.
#ifndef GEMM_TOOLS_SUPPORT_DEVICE_H
#define GEMM_TOOLS_SUPPORT_DEVICE_H

#include "Error.h"
#include "HostMatrix.h"

#include <gemm-runtime/runtime.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace gemm::tools {

// A failed call of the runtime.
class RuntimeError : public ToolError {
public:
  RuntimeError(gemm_status status, const std::string &message)
      : ToolError(message), failure(status) {}
  gemm_status status() const { return failure; }

private:
  gemm_status failure;
};

// Throws RuntimeError with the runtime's message unless `status` is success.
void checkStatus(gemm_status status);

// An open device and one stream of it, on which everything here happens.
class Device {
public:
  explicit Device(const std::string &name,
                  const gemm_device_options *options = nullptr);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  gemm_device *handle() const { return device; }
  gemm_stream stream() const { return queue; }
  const gemm_device_info &info() const { return deviceInfo; }
  // major * 10 + minor.
  int capability() const {
    return deviceInfo.capability_major * 10 + deviceInfo.capability_minor;
  }
  void synchronize() const;

private:
  gemm_device *device = nullptr;
  gemm_stream queue = nullptr;
  gemm_device_info deviceInfo = {};
};

// Device memory that grows when asked for more and keeps what it has.
class DeviceMemory {
public:
  explicit DeviceMemory(const Device &device) : device(&device) {}
  DeviceMemory(DeviceMemory &&other) noexcept
      : device(other.device), address(std::exchange(other.address, nullptr)),
        capacity(std::exchange(other.capacity, 0)) {}
  ~DeviceMemory();

  // At least so many bytes; the contents are lost if it has to grow.
  std::byte *require(size_t bytes);
  std::byte *data() const { return address; }
  size_t size() const { return capacity; }

  // Copies a matrix's whole storage, from the start of this memory.
  void upload(const HostMatrix &matrix);
  void download(HostMatrix &matrix) const;

private:
  const Device *device;
  std::byte *address = nullptr;
  size_t capacity = 0;
};

// A loaded artifact.
class Kernel {
public:
  // `device` may be null: then it can be asked but not launched.
  Kernel(const Device *device, std::string_view artifact);
  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  gemm_kernel *handle() const { return kernel; }
  std::string_view json() const { return gemm_kernel_json(kernel); }
  // Index of the entry that would run, and why.
  std::pair<size_t, std::string> select(const gemm_problem &problem) const;
  size_t workspaceBytes(const gemm_problem &problem) const;
  void launch(const gemm_problem &problem, gemm_stream stream) const;

private:
  gemm_kernel *kernel = nullptr;
};

// Time between two points of a stream.
class StreamTimer {
public:
  explicit StreamTimer(const Device &device);
  ~StreamTimer();
  StreamTimer(const StreamTimer &) = delete;
  StreamTimer &operator=(const StreamTimer &) = delete;

  void start();
  // Waits; seconds since start().
  double stop();

private:
  const Device &device;
  gemm_event begin = nullptr;
  gemm_event end = nullptr;
};

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_DEVICE_H
