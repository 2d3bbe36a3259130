/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A libcuda.so.1 for machines without a GPU: has one device, runs nothing, and
 * shares this state with the test that loads it. */
#ifndef GEMM_RUNTIME_TEST_FAKE_DRIVER_H
#define GEMM_RUNTIME_TEST_FAKE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

struct fake_driver_state {
  /* What the driver answers. */
  int version;     /* as cuDriverGetVersion */
  int init_result; /* CUresult of cuInit */
  int capability_major, capability_minor;
  int static_shared;   /* of every function */
  unsigned parameters; /* of every function */
  unsigned parameter_bytes[32];
  int load_result; /* CUresult of cuModuleLoadDataEx */
  const char *load_log;
  int encode_result;
  int launch_result;
  int missing_memory; /* allocations fail */
  /* What it was told. */
  int context_depth; /* pushed and not popped */
  int loaded_modules;
  int dynamic_shared; /* set on the last function */
  unsigned grid[3], block[3], cluster[3];
  unsigned shared_bytes;
  void *stream;
  uint64_t first_parameter; /* first 8 bytes of it */
  int encode_type, encode_swizzle, encode_l2, encode_fill, encode_interleave;
  uint32_t encode_rank;
  uint64_t encode_address, encode_extents[3], encode_strides[2];
  uint32_t encode_box[3];
};

#endif
