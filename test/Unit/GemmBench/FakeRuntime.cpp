// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeRuntime.h"

#include "Compile.h" // of gemm-run

#include <gemm-runtime/runtime.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" void fakeWork(double seconds);
extern "C" double fakeClock();

size_t fakeMemory = size_t{1} << 30;
bool deviceBroken = false;
int kernelLaunches = 0;
int compilations = 0;

struct gemm_device {};
struct gemm_kernel {
  std::string json;
  std::string schedule;
};

static std::string lastError;

static gemm_status fail(gemm_status status, const std::string &message) {
  lastError = message;
  return status;
}
static gemm_status answer() {
  return deviceBroken ? fail(GEMM_ERROR_DEVICE, "an illegal address")
                      : GEMM_SUCCESS;
}

std::string fakeArtifact(const std::string &schedule) {
  return R"({"format": 1, "compiler": "fake", "name": "matmul",
 "target": "sm_70", "ptx": "6.4",
 "problem": {"batched": false, "accumulator": "f32",
  "operands": [
   {"name": "A", "role": "a", "type": "f32", "dims": ["m","k"], "order": "row", "batched": false},
   {"name": "B", "role": "b", "type": "f32", "dims": ["n","k"], "order": "row", "batched": false},
   {"name": "D", "role": "d", "type": "f32", "dims": ["m","n"], "order": "row", "batched": false}],
  "scalars": [], "static": {},
  "epilogue": [{"op": "product", "index": 0, "type": "f32"},
               {"op": "yield", "args": [0]}]},
 "entries": [
  {"name": "matmul_0", "guard": [], "schedule": ")" +
         schedule + R"(",
   "block": 256, "cluster": [1, 1, 1], "shared_bytes": 0,
   "grid": {"kind": "tiles", "rows": "m", "cols": "n", "tile": [16, 16], "raster": 1},
   "workspace": {"kind": "none"},
   "params": [{"kind": "pointer", "operand": 0}]}]})";
}

gemm::tools::Compilation gemm::tools::compile(const CompileRequest &request,
                                              const std::string &) {
  ++compilations;
  if (request.schedule == "bad")
    return {"", "\nno such schedule\nsecond line", {}};
  return {fakeArtifact(request.schedule), "", {}};
}

const char *gemm_last_error_message(void) { return lastError.c_str(); }

gemm_status gemm_device_open(const char *name, const gemm_device_options *,
                             gemm_device **device) {
  if (std::string(name) != "fake-gpu")
    return fail(GEMM_ERROR_NO_DEVICE, std::string("no device ") + name);
  *device = new gemm_device;
  return GEMM_SUCCESS;
}
void gemm_device_close(gemm_device *device) { delete device; }
gemm_status gemm_device_get_info(const gemm_device *, gemm_device_info *info) {
  *info = {};
  info->name = "Fake GPU";
  info->architecture = "sm_70";
  info->capability_major = 7;
  info->multiprocessors = 4;
  info->driver_version = 13000;
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
  return answer();
}
gemm_status gemm_event_create(gemm_device *, gemm_event *event) {
  *event = new double(0);
  return answer();
}
gemm_status gemm_event_destroy(gemm_device *, gemm_event event) {
  delete static_cast<double *>(event);
  return GEMM_SUCCESS;
}
gemm_status gemm_event_record(gemm_device *, gemm_event event, gemm_stream) {
  *static_cast<double *>(event) = fakeClock();
  return answer();
}
gemm_status gemm_event_elapsed(gemm_device *, gemm_event start, gemm_event stop,
                               double *seconds) {
  *seconds = *static_cast<double *>(stop) - *static_cast<double *>(start);
  return answer();
}

gemm_status gemm_memory_allocate(gemm_device *, size_t bytes, void **memory) {
  if (deviceBroken)
    return answer();
  if (bytes > fakeMemory)
    return fail(GEMM_ERROR_OUT_OF_MEMORY, "so much memory is not free");
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
  return answer();
}
gemm_status gemm_memory_copy_to_host(gemm_device *, void *destination,
                                     const void *source, size_t bytes,
                                     gemm_stream) {
  std::memcpy(destination, source, bytes);
  return answer();
}

gemm_status gemm_kernel_load(gemm_device *, const char *text, size_t size,
                             gemm_kernel **kernel) {
  std::string json(text, size);
  const std::string key = "\"schedule\": \"";
  size_t at = json.find(key);
  if (at == std::string::npos)
    return fail(GEMM_ERROR_INVALID_ARTIFACT, "no description");
  at += key.size();
  *kernel = new gemm_kernel{json, json.substr(at, json.find('"', at) - at)};
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
gemm_status gemm_kernel_select(const gemm_kernel *kernel, const gemm_problem *,
                               size_t *entry, char *reason, size_t bytes) {
  if (kernel->schedule == "guarded")
    return fail(GEMM_ERROR_NO_ENTRY, "A's pitch is no multiple of 8");
  *entry = 0;
  std::snprintf(reason, bytes, "the only one");
  return GEMM_SUCCESS;
}

gemm_status gemm_kernel_launch(gemm_kernel *kernel, const gemm_problem *problem,
                               gemm_stream) {
  ++kernelLaunches;
  deviceBroken |= kernel->schedule == "fault";
  if (deviceBroken)
    return answer();
  if (kernel->schedule == "signal" && kernelLaunches > 0)
    std::raise(SIGINT);
  fakeWork(kernel->schedule == "slow" ? 6e-3 : 2e-3);
  const gemm_operand &a = problem->operands[0], &b = problem->operands[1],
                     &d = problem->operands[2];
  auto *aData = static_cast<float *>(a.data),
       *bData = static_cast<float *>(b.data),
       *dData = static_cast<float *>(d.data);
  // Once is enough: what is timed need not be computed again.
  if (!std::isnan(dData[0]))
    return GEMM_SUCCESS;
  for (int64_t i = 0; i < problem->m; ++i)
    for (int64_t j = 0; j < problem->n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < problem->k; ++k)
        sum = std::fma(aData[i * a.leading_dimension + k],
                       bData[j * b.leading_dimension + k], sum);
      bool last = i == problem->m - 1 && j == problem->n - 1;
      if (last && kernel->schedule == "wrong")
        sum *= 1.01f;
      if (!last || kernel->schedule != "missing")
        dData[i * d.leading_dimension + j] = sum;
    }
  return GEMM_SUCCESS;
}
