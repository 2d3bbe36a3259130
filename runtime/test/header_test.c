/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The public header is C11 on its own, and a C program links the library. */
#include "gemm-runtime/runtime.h"

#include <stdio.h>
#include <string.h>

int main(void) {
  gemm_problem problem = {.m = 1, .n = 1, .k = 1, .batch = 1};
  gemm_kernel *kernel = NULL;
  gemm_status status = gemm_kernel_load(NULL, "", 0, &kernel);
  (void)problem;
  if (status != GEMM_ERROR_INVALID_ARTIFACT || kernel != NULL ||
      strstr(gemm_last_error_message(), "not a kernel artifact") == NULL) {
    printf("unexpected: %s: %s\n", gemm_status_name(status),
           gemm_last_error_message());
    return 1;
  }
  gemm_kernel_unload(NULL);
  gemm_device_close(NULL);
  return 0;
}
