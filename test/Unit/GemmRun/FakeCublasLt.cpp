// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library with cuBLASLt's interface and meaning (cuBLAS documentation, "Using
// the cuBLASLt API") that computes on the host, in f32, column-major as the
// real one. It offers three algorithms and refuses to run the second.
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

constexpr int success = 0, invalidValue = 7, notSupported = 15;

struct Description {
  int transposeA = 0, transposeB = 0, epilogue = 1;
  const float *bias = nullptr;
};
struct Layout {
  int type;
  uint64_t rows, cols;
  int64_t pitch;
  int batches = 1;
  int64_t batchStride = 0;
};
struct Algorithm {
  uint64_t data[8];
};
struct Result {
  Algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

// Element (row, col) of op(matrix).
float element(const float *data, const Layout &layout, int transposed,
              uint64_t row, uint64_t col) {
  return transposed ? data[row * layout.pitch + col]
                    : data[col * layout.pitch + row];
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT size_t cublasLtGetVersion() { return 130100; }
EXPORT int cublasLtCreate(void **handle) {
  *handle = new int;
  return success;
}
EXPORT int cublasLtDestroy(void *handle) {
  delete static_cast<int *>(handle);
  return success;
}
EXPORT const char *cublasLtGetStatusName(int status) {
  return status == success ? "CUBLAS_STATUS_SUCCESS"
                           : "CUBLAS_STATUS_NOT_SUPPORTED";
}
EXPORT int cublasLtMatmulDescCreate(void **description, int compute,
                                    int scale) {
  if (compute != 68 || scale != 0)
    return notSupported;
  *description = new Description;
  return success;
}
EXPORT int cublasLtMatmulDescDestroy(void *description) {
  delete static_cast<Description *>(description);
  return success;
}
EXPORT int cublasLtMatmulDescSetAttribute(void *description, int attribute,
                                          const void *value, size_t size) {
  auto &desc = *static_cast<Description *>(description);
  switch (attribute) {
  case 3:
    std::memcpy(&desc.transposeA, value, size);
    return size == 4 ? success : invalidValue;
  case 4:
    std::memcpy(&desc.transposeB, value, size);
    return size == 4 ? success : invalidValue;
  case 7:
    std::memcpy(&desc.epilogue, value, size);
    return size == 4 ? success : invalidValue;
  case 8:
    std::memcpy(&desc.bias, value, size);
    return size == 8 ? success : invalidValue;
  case 26:
    return size == 4 ? success : invalidValue;
  default:
    return invalidValue;
  }
}
EXPORT int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows,
                                      uint64_t cols, int64_t pitch) {
  if (pitch < static_cast<int64_t>(rows))
    return invalidValue;
  *layout = new Layout{type, rows, cols, pitch};
  return success;
}
EXPORT int cublasLtMatrixLayoutDestroy(void *layout) {
  delete static_cast<Layout *>(layout);
  return success;
}
EXPORT int cublasLtMatrixLayoutSetAttribute(void *layout, int attribute,
                                            const void *value, size_t size) {
  auto &target = *static_cast<Layout *>(layout);
  if (attribute == 5 && size == 4)
    std::memcpy(&target.batches, value, size);
  else if (attribute == 6 && size == 8)
    std::memcpy(&target.batchStride, value, size);
  else
    return invalidValue;
  return success;
}
EXPORT int cublasLtMatmulPreferenceCreate(void **preference) {
  *preference = new int;
  return success;
}
EXPORT int cublasLtMatmulPreferenceDestroy(void *preference) {
  delete static_cast<int *>(preference);
  return success;
}
EXPORT int cublasLtMatmulPreferenceSetAttribute(void *, int attribute,
                                                const void *, size_t size) {
  bool right = attribute == 1 ? size == 8
                              : attribute >= 5 && attribute <= 8 && size == 4;
  return right ? success : invalidValue;
}
EXPORT int cublasLtMatmulAlgoGetHeuristic(void *, void *, void *, void *,
                                          void *, void *, void *, int wanted,
                                          Result *results, int *found) {
  *found = wanted < 3 ? wanted : 3;
  for (int i = 0; i < *found; ++i)
    results[i] = {{{static_cast<uint64_t>(i)}}, 0, success, 1, {}};
  return success;
}
EXPORT int cublasLtMatmul(void *, void *description, const void *alpha,
                          const void *a, void *layoutA, const void *b,
                          void *layoutB, const void *beta, const void *c,
                          void *layoutC, void *d, void *layoutD,
                          const Algorithm *algorithm, void *workspace,
                          size_t workspaceBytes, void *) {
  const auto &desc = *static_cast<Description *>(description);
  const auto &la = *static_cast<Layout *>(layoutA),
             &lb = *static_cast<Layout *>(layoutB),
             &lc = *static_cast<Layout *>(layoutC),
             &ld = *static_cast<Layout *>(layoutD);
  if (algorithm->data[0] == 1 || !workspace || workspaceBytes == 0)
    return notSupported;
  uint64_t depth = desc.transposeA ? la.rows : la.cols;
  if ((desc.transposeA ? la.cols : la.rows) != ld.rows ||
      (desc.transposeB ? lb.rows : lb.cols) != ld.cols ||
      (desc.transposeB ? lb.cols : lb.rows) != depth || lc.rows != ld.rows ||
      lc.cols != ld.cols || la.batches != ld.batches ||
      lb.batches != ld.batches)
    return invalidValue;
  float scale = *static_cast<const float *>(alpha),
        factor = *static_cast<const float *>(beta);
  for (int batch = 0; batch < ld.batches; ++batch) {
    auto *aData = static_cast<const float *>(a) + batch * la.batchStride;
    auto *bData = static_cast<const float *>(b) + batch * lb.batchStride;
    auto *cData = static_cast<const float *>(c) + batch * lc.batchStride;
    auto *dData = static_cast<float *>(d) + batch * ld.batchStride;
    for (uint64_t col = 0; col < ld.cols; ++col)
      for (uint64_t row = 0; row < ld.rows; ++row) {
        float sum = 0;
        for (uint64_t k = 0; k < depth; ++k)
          sum += element(aData, la, desc.transposeA, row, k) *
                 element(bData, lb, desc.transposeB, k, col);
        sum *= scale;
        if (factor != 0)
          sum += factor * cData[col * lc.pitch + row];
        if (desc.epilogue & 4)
          sum += desc.bias[row];
        if ((desc.epilogue & 2) && sum < 0)
          sum = 0;
        dData[col * ld.pitch + row] = sum;
      }
  }
  return success;
}
