// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaTensorMap.h"
#include "../lib/Error.h"
#include "DriverApi.h"
#include "DriverVersion.h"

using namespace gemm::runtime;
using namespace gemm::runtime::cuda;

/// The element type of the copy. It matters beyond its size only for copies
/// that reduce; 8-bit types have but one.
static int dataType(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return tensorMapFloat64;
  case ElementType::F32:
    return tensorMapFloat32;
  case ElementType::TF32:
    return tensorMapTfloat32;
  case ElementType::F16:
    return tensorMapFloat16;
  case ElementType::BF16:
    return tensorMapBfloat16;
  case ElementType::I32:
    return tensorMapInt32;
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
  case ElementType::I8:
  case ElementType::SI8:
  case ElementType::UI8:
    return tensorMapUint8;
  }
  throw Error(GEMM_ERROR_INTERNAL, "unknown element type");
}

static int swizzleMode(uint32_t bytes) {
  switch (bytes) {
  case 32:
    return swizzle32B;
  case 64:
    return swizzle64B;
  case 128:
    return swizzle128B;
  default:
    return swizzleNone;
  }
}

/// The request in words, for the driver does not say what it dislikes.
static std::string describe(const TensorMapRequest &request) {
  std::string extents;
  std::string strides;
  std::string box;
  for (uint32_t i = 0; i < request.rank; ++i) {
    const char *separator = i == 0 ? "" : ", ";
    extents += separator + std::to_string(request.extents[i]);
    box += separator + std::to_string(request.box[i]);
    if (i > 0)
      strides += (i == 1 ? "" : ", ") + std::to_string(request.strides[i - 1]);
  }
  return std::string(elementTypeName(request.type)) + ", extents [" + extents +
         "], strides [" + strides + "] bytes, box [" + box + "], swizzle " +
         std::to_string(request.swizzle);
}

TensorMap
gemm::runtime::cuda::encodeTensorMap(const TensorMapRequest &request) {
  if (!driver().tensorMapEncodeTiled)
    throw Error(GEMM_ERROR_UNSUPPORTED,
                "tensor maps need a driver for CUDA 12.0 or newer, the "
                "installed one supports CUDA " +
                    cudaVersionText(driver().version));
  constexpr uint32_t elementStrides[] = {1, 1, 1};
  TensorMap map;
  Result result = driver().tensorMapEncodeTiled(
      &map, dataType(request.type), request.rank,
      reinterpret_cast<void *>(request.address), request.extents.data(),
      request.strides.data(), request.box.data(), elementStrides,
      interleaveNone, swizzleMode(request.swizzle), l2Promotion256B,
      oobFillNone);
  if (result != resultSuccess)
    driver().check(
        result, ("cuTensorMapEncodeTiled(" + describe(request) + ")").c_str());
  return map;
}
