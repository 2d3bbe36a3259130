// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives gemm-run's fake of cuBLASLt a duration: candidate c takes 3 + c / 2 ms.
// It computes only where the result is missing, so that timing it is quick.
#include <cmath>
#include <cstddef>
#include <cstdint>

extern "C" void fakeWork(double seconds);
extern "C" int untimedMatmul(void *, void *, const void *, const void *, void *,
                             const void *, void *, const void *, const void *,
                             void *, void *, void *, const void *, void *,
                             size_t, void *);

extern "C" __attribute__((visibility("default"))) int
cublasLtMatmul(void *handle, void *description, const void *alpha,
               const void *a, void *layoutA, const void *b, void *layoutB,
               const void *beta, const void *c, void *layoutC, void *d,
               void *layoutD, const void *algorithm, void *workspace,
               size_t workspaceBytes, void *stream) {
  uint64_t candidate = *static_cast<const uint64_t *>(algorithm);
  fakeWork(3e-3 + 0.5e-3 * static_cast<double>(candidate));
  if (candidate != 1 && !std::isnan(*static_cast<const float *>(d)))
    return 0;
  return untimedMatmul(handle, description, alpha, a, layoutA, b, layoutB, beta,
                       c, layoutC, d, layoutD, algorithm, workspace,
                       workspaceBytes, stream);
}
