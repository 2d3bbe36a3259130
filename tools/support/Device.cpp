// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device.h"

namespace gemm::tools {

void checkStatus(gemm_status status) {
  if (status != GEMM_SUCCESS)
    throw RuntimeError(status, gemm_last_error_message());
}

Device::Device(const std::string &name, const gemm_device_options *options) {
  checkStatus(gemm_device_open(name.c_str(), options, &device));
  try {
    checkStatus(gemm_device_get_info(device, &deviceInfo));
    checkStatus(gemm_stream_create(device, &queue));
  } catch (...) {
    gemm_device_close(device);
    throw;
  }
}

Device::~Device() {
  gemm_stream_destroy(device, queue);
  gemm_device_close(device);
}

void Device::synchronize() const {
  checkStatus(gemm_stream_synchronize(device, queue));
}

DeviceMemory::~DeviceMemory() { gemm_memory_free(device->handle(), address); }

std::byte *DeviceMemory::require(size_t bytes) {
  if (bytes <= capacity)
    return address;
  checkStatus(gemm_memory_free(device->handle(), address));
  address = nullptr;
  capacity = 0;
  void *memory = nullptr;
  checkStatus(gemm_memory_allocate(device->handle(), bytes, &memory));
  address = static_cast<std::byte *>(memory);
  capacity = bytes;
  return address;
}

void DeviceMemory::upload(const HostMatrix &matrix) {
  require(matrix.storageBytes());
  checkStatus(
      gemm_memory_copy_to_device(device->handle(), address, matrix.storage(),
                                 matrix.storageBytes(), device->stream()));
}

void DeviceMemory::download(HostMatrix &matrix) const {
  checkStatus(gemm_memory_copy_to_host(device->handle(), matrix.storage(),
                                       address, matrix.storageBytes(),
                                       device->stream()));
}

Kernel::Kernel(const Device *device, std::string_view artifact) {
  checkStatus(gemm_kernel_load(device ? device->handle() : nullptr,
                               artifact.data(), artifact.size(), &kernel));
}

Kernel::~Kernel() { gemm_kernel_unload(kernel); }

std::pair<size_t, std::string>
Kernel::select(const gemm_problem &problem) const {
  size_t entry = 0;
  char reason[1024] = "";
  checkStatus(
      gemm_kernel_select(kernel, &problem, &entry, reason, sizeof(reason)));
  return {entry, reason};
}

size_t Kernel::workspaceBytes(const gemm_problem &problem) const {
  size_t bytes = 0;
  checkStatus(gemm_kernel_workspace_bytes(kernel, &problem, &bytes));
  return bytes;
}

void Kernel::launch(const gemm_problem &problem, gemm_stream stream) const {
  checkStatus(gemm_kernel_launch(kernel, &problem, stream));
}

StreamTimer::StreamTimer(const Device &device) : device(device) {
  checkStatus(gemm_event_create(device.handle(), &begin));
  checkStatus(gemm_event_create(device.handle(), &end));
}

StreamTimer::~StreamTimer() {
  gemm_event_destroy(device.handle(), begin);
  gemm_event_destroy(device.handle(), end);
}

void StreamTimer::start() {
  checkStatus(gemm_event_record(device.handle(), begin, device.stream()));
}

double StreamTimer::stop() {
  checkStatus(gemm_event_record(device.handle(), end, device.stream()));
  double seconds = 0;
  checkStatus(gemm_event_elapsed(device.handle(), begin, end, &seconds));
  return seconds;
}

} // namespace gemm::tools
