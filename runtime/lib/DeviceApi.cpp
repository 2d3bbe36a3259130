// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface's errors, devices, streams, events and memory.
#include "CApi.h"
#include "Devices.h"
#include "Kernel.h"

#include <string>

using namespace gemm::runtime;

static thread_local std::string lastMessage;

gemm_status gemm::runtime::recordError(gemm_status status,
                                       const char *message) noexcept {
  try {
    lastMessage = message;
  } catch (const std::bad_alloc &) {
    lastMessage.clear();
  }
  return status;
}

/// The implementation behind a handle.
static Device &deviceOf(const gemm_device *device) {
  requireArgument(device, "device");
  return *device->device;
}

const char *gemm_status_name(gemm_status status) {
  switch (status) {
  case GEMM_SUCCESS:
    return "SUCCESS";
  case GEMM_ERROR_INVALID_ARGUMENT:
    return "INVALID_ARGUMENT";
  case GEMM_ERROR_INVALID_ARTIFACT:
    return "INVALID_ARTIFACT";
  case GEMM_ERROR_NO_DEVICE:
    return "NO_DEVICE";
  case GEMM_ERROR_UNSUPPORTED:
    return "UNSUPPORTED";
  case GEMM_ERROR_NO_ENTRY:
    return "NO_ENTRY";
  case GEMM_ERROR_OVERLAP:
    return "OVERLAP";
  case GEMM_ERROR_OUT_OF_MEMORY:
    return "OUT_OF_MEMORY";
  case GEMM_ERROR_COMPILATION:
    return "COMPILATION";
  case GEMM_ERROR_DEVICE:
    return "DEVICE";
  case GEMM_ERROR_INTERNAL:
    return "INTERNAL";
  }
  return "UNKNOWN";
}

const char *gemm_last_error_message(void) { return lastMessage.c_str(); }

gemm_status gemm_device_open(const char *name,
                             const gemm_device_options *options,
                             gemm_device **device) {
  return guarded([&] {
    requireArgument(name, "name");
    requireArgument(device, "device");
    *device = wrapDevice(openDevice(name, options)).release();
  });
}

void gemm_device_close(gemm_device *device) { delete device; }

gemm_status gemm_device_get_info(const gemm_device *device,
                                 gemm_device_info *info) {
  return guarded([&] {
    requireArgument(info, "info");
    *info = deviceOf(device).info();
  });
}

gemm_status gemm_device_get_emulator_report(const gemm_device *device,
                                            gemm_emulator_report *report) {
  return guarded([&] {
    requireArgument(report, "report");
    *report = deviceOf(device).emulatorReport();
  });
}

gemm_status gemm_device_synchronize(gemm_device *device) {
  return guarded([&] { deviceOf(device).synchronize(); });
}

gemm_status gemm_stream_create(gemm_device *device, gemm_stream *stream) {
  return guarded([&] {
    requireArgument(stream, "stream");
    *stream = deviceOf(device).createStream();
  });
}

gemm_status gemm_stream_destroy(gemm_device *device, gemm_stream stream) {
  return guarded([&] { deviceOf(device).destroyStream(stream); });
}

gemm_status gemm_stream_synchronize(gemm_device *device, gemm_stream stream) {
  return guarded([&] { deviceOf(device).synchronizeStream(stream); });
}

gemm_status gemm_event_create(gemm_device *device, gemm_event *event) {
  return guarded([&] {
    requireArgument(event, "event");
    *event = deviceOf(device).createEvent();
  });
}

gemm_status gemm_event_destroy(gemm_device *device, gemm_event event) {
  return guarded([&] { deviceOf(device).destroyEvent(event); });
}

gemm_status gemm_event_record(gemm_device *device, gemm_event event,
                              gemm_stream stream) {
  return guarded([&] { deviceOf(device).recordEvent(event, stream); });
}

gemm_status gemm_event_elapsed(gemm_device *device, gemm_event start,
                               gemm_event stop, double *seconds) {
  return guarded([&] {
    requireArgument(seconds, "seconds");
    *seconds = deviceOf(device).elapsedSeconds(start, stop);
  });
}

gemm_status gemm_memory_allocate(gemm_device *device, size_t bytes,
                                 void **memory) {
  return guarded([&] {
    requireArgument(memory, "memory");
    Device &implementation = deviceOf(device);
    *memory = bytes ? implementation.allocate(bytes) : nullptr;
  });
}

gemm_status gemm_memory_free(gemm_device *device, void *memory) {
  return guarded([&] {
    Device &implementation = deviceOf(device);
    if (memory)
      implementation.free(memory);
  });
}

gemm_status gemm_memory_copy_to_device(gemm_device *device, void *destination,
                                       const void *source, size_t bytes,
                                       gemm_stream stream) {
  return guarded([&] {
    Device &implementation = deviceOf(device);
    if (!bytes)
      return;
    requireArgument(destination, "destination");
    requireArgument(source, "source");
    implementation.copyToDevice(destination, source, bytes, stream);
  });
}

gemm_status gemm_memory_copy_to_host(gemm_device *device, void *destination,
                                     const void *source, size_t bytes,
                                     gemm_stream stream) {
  return guarded([&] {
    Device &implementation = deviceOf(device);
    if (!bytes)
      return;
    requireArgument(destination, "destination");
    requireArgument(source, "source");
    implementation.copyToHost(destination, source, bytes, stream);
  });
}

gemm_status gemm_memory_fill(gemm_device *device, void *memory, uint8_t value,
                             size_t bytes, gemm_stream stream) {
  return guarded([&] {
    Device &implementation = deviceOf(device);
    if (!bytes)
      return;
    requireArgument(memory, "memory");
    implementation.fill(memory, value, bytes, stream);
  });
}
