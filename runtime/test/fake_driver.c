/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * See fake_driver.h. Signatures are those of the CUDA driver API reference,
 * written down apart from runtime/cuda/DriverApi.h. */
#include "fake_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_driver_state fake_driver = {.version = 12040,
                                        .capability_major = 9};

static __thread void *current_context;
static char a_context, a_module, a_function, a_stream, an_event;

int cuGetErrorName(int result, const char **name) {
  *name = result == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 1   ? "CUDA_ERROR_INVALID_VALUE"
          : result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                          : NULL;
  return *name ? 0 : 1;
}
int cuGetErrorString(int result, const char **text) {
  *text = result == 700 ? "an illegal memory access was encountered" : NULL;
  return *text ? 0 : 1;
}
int cuInit(unsigned flags) { return flags ? 1 : fake_driver.init_result; }
int cuDriverGetVersion(int *version) {
  *version = fake_driver.version;
  return 0;
}
int cuDeviceGetCount(int *count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? 0 : 101;
}
int cuDeviceGetName(char *name, int length, int device) {
  (void)device;
  snprintf(name, (size_t)length, "Fake GPU");
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  switch (attribute) {
  case 13:
    *value = 1980000;
    return 0;
  case 16:
    *value = 132;
    return 0;
  case 36:
    *value = 3201000;
    return 0;
  case 37:
    *value = 6016;
    return 0;
  case 38:
    *value = 62914560;
    return 0;
  case 75:
    *value = fake_driver.capability_major;
    return 0;
  case 76:
    *value = fake_driver.capability_minor;
    return 0;
  case 97:
    *value = 232448;
    return 0;
  }
  return 1;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)1 << 37;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  (void)device;
  *context = &a_context;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) { return device; }
int cuCtxGetCurrent(void **context) {
  *context = current_context;
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  current_context = context;
  ++fake_driver.context_depth;
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  *context = current_context;
  current_context = NULL;
  --fake_driver.context_depth;
  return 0;
}
/* CUDA_ERROR_INVALID_CONTEXT for calls that need a current context. */
#define NEED_CONTEXT                                                           \
  if (current_context != &a_context)                                           \
  return 201
int cuCtxSynchronize(void) {
  NEED_CONTEXT;
  return 0;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  NEED_CONTEXT;
  if (strncmp(image, "// ", 3) != 0 || count != 2 || options[0] != 5 ||
      options[1] != 6)
    return 1;
  if (fake_driver.load_log)
    snprintf(values[0], (size_t)values[1], "%s", fake_driver.load_log);
  if (fake_driver.load_result)
    return fake_driver.load_result;
  ++fake_driver.loaded_modules;
  *module = &a_module;
  return 0;
}
int cuModuleUnload(void *module) {
  NEED_CONTEXT;
  --fake_driver.loaded_modules;
  return module == &a_module ? 0 : 1;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  NEED_CONTEXT;
  *function = &a_function;
  return module == &a_module && strcmp(name, "smoke") == 0 ? 0 : 500;
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  if (function != &a_function)
    return 1;
  *value = attribute == 0   ? 256
           : attribute == 1 ? fake_driver.static_shared
                            : 0;
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  if (function != &a_function || attribute != 8)
    return 1;
  fake_driver.dynamic_shared = value;
  return 0;
}

int cuFuncGetParamInfo(void *function, size_t index, size_t *offset,
                       size_t *size) {
  if (function != &a_function || index >= fake_driver.parameters)
    return 1;
  *offset = 0;
  *size = fake_driver.parameter_bytes[index];
  return 0;
}

struct launch_attribute {
  unsigned id;
  char pad[4];
  union {
    char pad[64];
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};
struct launch_config {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
  void *stream;
  struct launch_attribute *attributes;
  unsigned count;
};
int cuLaunchKernelEx(const struct launch_config *config, void *function,
                     void **parameters, void **extra) {
  NEED_CONTEXT;
  if (function != &a_function || extra || config->count > 1)
    return 1;
  fake_driver.grid[0] = config->grid_x;
  fake_driver.grid[1] = config->grid_y;
  fake_driver.grid[2] = config->grid_z;
  fake_driver.block[0] = config->block_x;
  fake_driver.block[1] = config->block_y;
  fake_driver.block[2] = config->block_z;
  fake_driver.shared_bytes = config->shared;
  fake_driver.stream = config->stream;
  memset(fake_driver.cluster, 0, sizeof fake_driver.cluster);
  if (config->count == 1 && config->attributes[0].id == 4) {
    fake_driver.cluster[0] = config->attributes[0].value.cluster.x;
    fake_driver.cluster[1] = config->attributes[0].value.cluster.y;
    fake_driver.cluster[2] = config->attributes[0].value.cluster.z;
  }
  memcpy(&fake_driver.first_parameter, parameters[0], 8);
  return fake_driver.launch_result;
}
int cuMemAlloc_v2(unsigned long long *memory, size_t bytes) {
  NEED_CONTEXT;
  if (fake_driver.missing_memory)
    return 2;
  *memory = (uintptr_t)malloc(bytes);
  return 0;
}
int cuMemFree_v2(unsigned long long memory) {
  NEED_CONTEXT;
  free((void *)(uintptr_t)memory);
  return 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes,
                         void *stream) {
  NEED_CONTEXT;
  (void)stream;
  memcpy((void *)(uintptr_t)to, from, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes,
                         void *stream) {
  NEED_CONTEXT;
  (void)stream;
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return 0;
}
int cuMemsetD8Async(unsigned long long memory, unsigned char value,
                    size_t bytes, void *stream) {
  NEED_CONTEXT;
  (void)stream;
  memset((void *)(uintptr_t)memory, value, bytes);
  return 0;
}
int cuStreamCreate(void **stream, unsigned flags) {
  NEED_CONTEXT;
  *stream = &a_stream;
  return flags ? 1 : 0;
}
int cuStreamDestroy_v2(void *stream) { return stream == &a_stream ? 0 : 1; }
int cuStreamSynchronize(void *stream) {
  NEED_CONTEXT;
  (void)stream;
  return 0;
}
int cuEventCreate(void **event, unsigned flags) {
  NEED_CONTEXT;
  *event = &an_event;
  return flags ? 1 : 0;
}
int cuEventDestroy_v2(void *event) { return event == &an_event ? 0 : 1; }
int cuEventRecord(void *event, void *stream) {
  NEED_CONTEXT;
  (void)stream;
  return event == &an_event ? 0 : 1;
}
int cuEventSynchronize(void *event) { return event == &an_event ? 0 : 1; }
int cuEventElapsedTime(float *milliseconds, void *start, void *stop) {
  *milliseconds = 2.5f;
  return start == &an_event && stop == &an_event ? 0 : 1;
}
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address,
                           const uint64_t *extents, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *element_strides,
                           int interleave, int swizzle, int l2, int fill) {
  if (fake_driver.encode_result)
    return fake_driver.encode_result;
  fake_driver.encode_type = type;
  fake_driver.encode_rank = rank;
  fake_driver.encode_address = (uintptr_t)address;
  for (uint32_t i = 0; i < rank; ++i) {
    fake_driver.encode_extents[i] = extents[i];
    fake_driver.encode_box[i] = box[i];
    if (element_strides[i] != 1)
      return 1;
    if (i + 1 < rank)
      fake_driver.encode_strides[i] = strides[i];
  }
  fake_driver.encode_interleave = interleave;
  fake_driver.encode_swizzle = swizzle;
  fake_driver.encode_l2 = l2;
  fake_driver.encode_fill = fill;
  memset(map, 0xab, 128);
  return 0;
}
