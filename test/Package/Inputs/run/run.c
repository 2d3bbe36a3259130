// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs kernels needs the runtime only: this loads an artifact and asks which
// of its entries would run a problem of 64 by 64 by 64.
#include <gemm-runtime/runtime.h>

#include <stdio.h>

int main(int argc, char **argv) {
  static char text[1 << 22];
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return 2;
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);

  gemm_kernel *kernel = NULL;
  static _Alignas(16) float a[64][64], b[64][64], d[64][64]; // Nothing is launched.
  gemm_operand operands[3] = {{a, 64, 0}, {b, 64, 0}, {d, 64, 0}};
  gemm_problem problem = {64, 64, 64, 1, operands, 3, NULL, 0, NULL, 0};
  size_t entry = 0;
  char reason[256];
  if (gemm_kernel_load(NULL, text, size, &kernel) != GEMM_SUCCESS ||
      gemm_kernel_select(kernel, &problem, &entry, reason, sizeof reason) != GEMM_SUCCESS) {
    fprintf(stderr, "%s\n", gemm_last_error_message());
    return 1;
  }
  printf("%s for %s: %s\n", gemm_kernel_name(kernel), gemm_kernel_target(kernel), reason);
  gemm_kernel_unload(kernel);
  return 0;
}
