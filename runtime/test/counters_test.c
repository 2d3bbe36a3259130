/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An emulator's counters, from C. The kernel is one warp that computes a row:
 * D[0,n] = A[0,0] * B[n,0] for 32 columns, so all that it does is known. */
#include "gemm-runtime/runtime.h"

#include <stdio.h>
#include <string.h>

static const char artifact[] =
    "// gemm-artifact-begin\n"
    "// {\"format\": 1, \"compiler\": \"by hand\", \"name\": \"row\",\n"
    "//  \"target\": \"sm_70\", \"ptx\": \"6.4\",\n"
    "//  \"problem\": {\"batched\": false, \"accumulator\": \"f32\",\n"
    "//   \"operands\": [\n"
    "//    {\"name\": \"A\", \"role\": \"a\", \"type\": \"f32\",\n"
    "//     \"dims\": [\"m\", \"k\"], \"order\": \"row\", \"batched\": "
    "false},\n"
    "//    {\"name\": \"B\", \"role\": \"b\", \"type\": \"f32\",\n"
    "//     \"dims\": [\"n\", \"k\"], \"order\": \"row\", \"batched\": "
    "false},\n"
    "//    {\"name\": \"D\", \"role\": \"d\", \"type\": \"f32\",\n"
    "//     \"dims\": [\"m\", \"n\"], \"order\": \"row\", \"batched\": "
    "false}],\n"
    "//   \"scalars\": [], \"static\": {},\n"
    "//   \"epilogue\": [{\"op\": \"product\", \"index\": 0, \"type\": "
    "\"f32\"},\n"
    "//    {\"op\": \"yield\", \"args\": [0]}]},\n"
    "//  \"entries\": [{\"name\": \"row_0\", \"guard\": [],\n"
    "//   \"schedule\": \"one warp\", \"block\": 32, \"cluster\": [1, 1, 1],\n"
    "//   \"shared_bytes\": 0,\n"
    "//   \"grid\": {\"kind\": \"tiles\", \"rows\": \"m\", \"cols\": \"n\",\n"
    "//    \"tile\": [1, 32], \"raster\": 1},\n"
    "//   \"workspace\": {\"kind\": \"none\"},\n"
    "//   \"params\": [{\"kind\": \"pointer\", \"operand\": 0},\n"
    "//    {\"kind\": \"pointer\", \"operand\": 1},\n"
    "//    {\"kind\": \"pointer\", \"operand\": 2}]}]}\n"
    "// gemm-artifact-end\n"
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .entry row_0(.param .u64 a, .param .u64 b, .param .u64 d)\n{\n"
    "  .reg .b32 t;\n  .reg .b64 pa, pb, pd, o;\n  .reg .f32 x, y;\n"
    "  .shared .align 4 .b8 tile[4096];\n  .reg .b32 s;\n"
    "  ld.param.u64 pa, [a];\n  ld.param.u64 pb, [b];\n"
    "  ld.param.u64 pd, [d];\n  mov.u32 t, %tid.x;\n"
    "  mul.wide.u32 o, t, 4;\n  add.u64 pb, pb, o;\n  add.u64 pd, pd, o;\n"
    "  ld.global.f32 x, [pa];\n  ld.global.f32 y, [pb];\n"
    "  mul.f32 x, x, y;\n"
    /* Through a column of a 32 x 32 tile: all lanes on one bank. */
    "  mov.u32 s, tile;\n  mad.lo.u32 s, t, 128, s;\n"
    "  st.shared.f32 [s], x;\n  ld.shared.f32 x, [s];\n"
    "  st.global.f32 [pd], x;\n  ret;\n}\n";

static int failures = 0;

static void expect(int holds, const char *what) {
  if (holds)
    return;
  printf("wrong: %s (%s)\n", what, gemm_last_error_message());
  ++failures;
}

static void launch(gemm_device *device) {
  float values[32] = {0};
  void *memory = NULL;
  gemm_kernel *kernel = NULL;
  gemm_operand operands[3];
  gemm_problem problem;
  int i;
  expect(gemm_kernel_load(device, artifact, strlen(artifact), &kernel) ==
             GEMM_SUCCESS,
         "loading");
  expect(gemm_memory_allocate(device, 3 * 256, &memory) == GEMM_SUCCESS,
         "allocating");
  for (i = 0; i < 3; ++i) {
    operands[i].data = (char *)memory + 256 * i;
    operands[i].leading_dimension = i == 2 ? 32 : 1;
    operands[i].batch_stride = 0;
    expect(gemm_memory_copy_to_device(device, operands[i].data, values,
                                      sizeof values, NULL) == GEMM_SUCCESS,
           "copying");
  }
  memset(&problem, 0, sizeof problem);
  problem.m = problem.k = problem.batch = 1;
  problem.n = 32;
  problem.operands = operands;
  problem.num_operands = 3;
  expect(gemm_kernel_launch(kernel, &problem, NULL) == GEMM_SUCCESS,
         "launching");
  gemm_kernel_unload(kernel);
  gemm_memory_free(device, memory);
}

static void check(const gemm_emulator_counters *counters) {
  size_t i;
  int seen = 0;
  expect(counters->warp_instructions == 16, "warp instructions");
  expect(counters->lane_instructions == 16 * 32, "lane instructions");
  expect(counters->global_bytes_read == 2 * 128, "bytes read");
  expect(counters->global_bytes_written == 128, "bytes written");
  /* One sector for A's element, four each for B and D. */
  expect(counters->global_sectors == 9, "sectors");
  expect(counters->tensor_operations == 0, "tensor operations");
  expect(counters->float_operations == 32, "float operations");
  for (i = 0; i < counters->num_sites; ++i) {
    const gemm_emulator_site *site = &counters->sites[i];
    if (strcmp(site->opcode, "st.shared.f32") != 0)
      continue;
    ++seen;
    expect(strcmp(site->class_name, "shared store") == 0, "class");
    expect(site->shared_requests == 1, "requests");
    expect(site->shared_wavefronts == 32, "wavefronts");
    expect(site->shared_ideal_wavefronts == 1, "ideal wavefronts");
    expect(site->line > 25, "line");
  }
  expect(seen == 1, "the store is one line");
  for (i = 0; i < counters->num_classes; ++i) {
    const gemm_emulator_class *cls = &counters->classes[i];
    if (strcmp(cls->name, "global load") == 0)
      expect(cls->warp_instructions == 2, "global loads");
    expect(i == 0 || counters->classes[i - 1].warp_instructions >=
                         cls->warp_instructions,
           "order of classes");
  }
}

int main(void) {
  gemm_device_options options;
  gemm_emulator_report report;
  gemm_device *device = NULL;
  int counting;
  for (counting = 0; counting < 2; ++counting) {
    memset(&options, 0, sizeof options);
    options.emulator_counters = counting;
    if (gemm_device_open("emulator", &options, &device) != GEMM_SUCCESS) {
      printf("%s\n", gemm_last_error_message());
      return 1;
    }
    expect(gemm_device_get_emulator_report(device, &report) == GEMM_SUCCESS &&
               report.counters == NULL,
           "nothing before a launch");
    launch(device);
    expect(gemm_device_get_emulator_report(device, &report) == GEMM_SUCCESS,
           "the report");
    expect((report.counters != NULL) == counting, "counters only if asked for");
    if (report.counters)
      check(report.counters);
    gemm_device_close(device);
  }
  return failures != 0;
}
