// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeRuntime.h"

#include <gemm-runtime/runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

Defect defect = Defect::None;
int launches = 0;

struct gemm_device {
  bool gpu;
};
struct gemm_kernel {
  std::string json;
};

static std::string lastError;

static gemm_status fail(gemm_status status, const std::string &message) {
  lastError = message;
  return status;
}

const char *gemm_last_error_message(void) { return lastError.c_str(); }

gemm_status gemm_device_open(const char *name, const gemm_device_options *,
                             gemm_device **device) {
  bool gpu = std::string(name) == "fake-gpu";
  if (!gpu && std::string(name) != "fake")
    return fail(GEMM_ERROR_NO_DEVICE, std::string("no device ") + name);
  *device = new gemm_device{gpu};
  return GEMM_SUCCESS;
}
void gemm_device_close(gemm_device *device) { delete device; }
gemm_status gemm_device_get_info(const gemm_device *device,
                                 gemm_device_info *info) {
  *info = {};
  info->name = "fake";
  info->architecture = "sm_70";
  info->capability_major = 7;
  info->is_emulator = !device->gpu;
  info->multiprocessors = 4;
  // Its f32 units do 4 * 128 * 10^9 operations a second.
  info->clock_khz = 1000000;
  info->memory_bandwidth = 1e9;
  return GEMM_SUCCESS;
}
gemm_status gemm_device_get_emulator_report(const gemm_device *,
                                            gemm_emulator_report *report) {
  static const gemm_emulator_finding note = {
      "race: two writes of the same value; line 7", "race", 7, 0, 2};
  static const gemm_emulator_finding error = {
      "race: a write after a read; line 9", "race", 9, 1, 1};
  *report = {};
  report->seed = 5;
  if (defect == Defect::Note || defect == Defect::Race) {
    report->findings = defect == Defect::Note ? &note : &error;
    report->num_findings = 1;
  }
  return GEMM_SUCCESS;
}

gemm_status gemm_stream_create(gemm_device *, gemm_stream *stream) {
  *stream = nullptr;
  return GEMM_SUCCESS;
}
gemm_status gemm_stream_destroy(gemm_device *, gemm_stream) {
  return GEMM_SUCCESS;
}
gemm_status gemm_stream_synchronize(gemm_device *, gemm_stream) {
  return GEMM_SUCCESS;
}
gemm_status gemm_event_create(gemm_device *, gemm_event *) {
  return GEMM_SUCCESS;
}
gemm_status gemm_event_destroy(gemm_device *, gemm_event) {
  return GEMM_SUCCESS;
}
gemm_status gemm_event_record(gemm_device *, gemm_event, gemm_stream) {
  return GEMM_SUCCESS;
}
gemm_status gemm_event_elapsed(gemm_device *, gemm_event, gemm_event,
                               double *seconds) {
  *seconds = 1e-3;
  return GEMM_SUCCESS;
}

gemm_status gemm_memory_allocate(gemm_device *, size_t bytes, void **memory) {
  *memory = std::aligned_alloc(1024, (bytes + 1023) / 1024 * 1024);
  return GEMM_SUCCESS;
}
gemm_status gemm_memory_free(gemm_device *, void *memory) {
  std::free(memory);
  return GEMM_SUCCESS;
}
gemm_status gemm_memory_copy_to_device(gemm_device *, void *destination,
                                       const void *source, size_t bytes,
                                       gemm_stream) {
  std::memcpy(destination, source, bytes);
  return GEMM_SUCCESS;
}
gemm_status gemm_memory_copy_to_host(gemm_device *, void *destination,
                                     const void *source, size_t bytes,
                                     gemm_stream) {
  std::memcpy(destination, source, bytes);
  return GEMM_SUCCESS;
}

gemm_status gemm_kernel_load(gemm_device *, const char *text, size_t size,
                             gemm_kernel **kernel) {
  std::string all(text, size);
  size_t begin = all.find("{\"format\""),
         end = all.find("// gemm-artifact-end");
  if (begin == std::string::npos || end == std::string::npos)
    return fail(GEMM_ERROR_INVALID_ARTIFACT, "no description");
  std::string json = all.substr(begin, end - begin);
  for (size_t at; (at = json.find("\n//")) != std::string::npos;)
    json.replace(at, 3, "\n");
  *kernel = new gemm_kernel{json};
  return GEMM_SUCCESS;
}
void gemm_kernel_unload(gemm_kernel *kernel) { delete kernel; }
const char *gemm_kernel_json(const gemm_kernel *kernel) {
  return kernel->json.c_str();
}
gemm_status gemm_kernel_workspace_bytes(const gemm_kernel *,
                                        const gemm_problem *, size_t *bytes) {
  *bytes = 0;
  return GEMM_SUCCESS;
}
gemm_status gemm_kernel_select(const gemm_kernel *, const gemm_problem *,
                               size_t *entry, char *reason, size_t bytes) {
  *entry = 0;
  std::snprintf(reason, bytes, "naive_0, the only one");
  return GEMM_SUCCESS;
}

gemm_status gemm_kernel_launch(gemm_kernel *, const gemm_problem *problem,
                               gemm_stream) {
  ++launches;
  if (defect == Defect::DeviceFault || defect == Defect::Race)
    return fail(GEMM_ERROR_DEVICE, "an illegal address");
  const gemm_operand &a = problem->operands[0], &b = problem->operands[1],
                     &d = problem->operands[2];
  auto *aData = static_cast<float *>(a.data),
       *bData = static_cast<float *>(b.data),
       *dData = static_cast<float *>(d.data);
  int64_t depth = problem->k + (defect == Defect::ReadsBeyondK);
  for (int64_t z = 0; z < problem->batch; ++z)
    for (int64_t i = 0; i < problem->m; ++i)
      for (int64_t j = 0; j < problem->n; ++j) {
        const float *row = aData + z * a.batch_stride + i * a.leading_dimension;
        const float *col = bData + z * b.batch_stride + j * b.leading_dimension;
        float sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum = std::fma(row[k], k < problem->k ? col[k] : 0.0f, sum);
        sum *= static_cast<float>(problem->scalars[0]);
        bool last = z == problem->batch - 1 && i == problem->m - 1 &&
                    j == problem->n - 1;
        if (last && defect == Defect::WrongElement)
          sum *= 1.001f;
        if (!last || defect != Defect::MissingElement)
          dData[z * d.batch_stride + i * d.leading_dimension + j] = sum;
      }
  switch (defect) {
  case Defect::WritesPadding:
    dData[problem->n] = 0;
    break;
  case Defect::WritesBefore:
    dData[-1] = 0;
    break;
  case Defect::WritesInput:
    aData[0] += 1;
    break;
  case Defect::Irreproducible:
    if (launches % 2)
      dData[0] = std::nextafter(dData[0], 1e30f);
    break;
  default:
    break;
  }
  return GEMM_SUCCESS;
}
