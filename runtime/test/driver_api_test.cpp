// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our declarations of the driver API against cuda.h, where there is one.
#include "../cuda/DriverApi.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <type_traits>

namespace cuda = gemm::runtime::cuda;

#define SAME_OFFSET(ours, theirs)                                              \
  EXPECT_EQ(offsetof(cuda::LaunchConfig, ours),                                \
            offsetof(CUlaunchConfig, theirs))

TEST(DriverApi, StructsHaveTheSameLayout) {
  EXPECT_EQ(sizeof(cuda::LaunchConfig), sizeof(CUlaunchConfig));
  SAME_OFFSET(gridDim, gridDimX);
  SAME_OFFSET(blockDim, blockDimX);
  SAME_OFFSET(sharedMemBytes, sharedMemBytes);
  SAME_OFFSET(stream, hStream);
  SAME_OFFSET(attributes, attrs);
  SAME_OFFSET(numAttributes, numAttrs);
  EXPECT_EQ(sizeof(cuda::LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(cuda::LaunchAttribute, value),
            offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(CUtensorMap), 128u);
  EXPECT_EQ(sizeof(cuda::DevicePointer), sizeof(CUdeviceptr));
}

TEST(DriverApi, EnumeratorsHaveTheSameValues) {
  EXPECT_EQ(int(cuda::resultOutOfMemory), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(int(cuda::resultNoDevice), CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(int(cuda::resultNoBinaryForGpu), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(int(cuda::resultInvalidPtx), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(int(cuda::resultUnsupportedPtxVersion),
            CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(int(cuda::deviceClockRate), CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  EXPECT_EQ(int(cuda::deviceMultiprocessorCount),
            CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(int(cuda::deviceMemoryClockRate),
            CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  EXPECT_EQ(int(cuda::deviceGlobalMemoryBusWidth),
            CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  EXPECT_EQ(int(cuda::deviceL2CacheSize), CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  EXPECT_EQ(int(cuda::deviceComputeCapabilityMajor),
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(int(cuda::deviceComputeCapabilityMinor),
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(int(cuda::deviceMaxSharedMemoryPerBlockOptin),
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_EQ(int(cuda::functionMaxThreadsPerBlock),
            CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_EQ(int(cuda::functionSharedSizeBytes),
            CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  EXPECT_EQ(int(cuda::functionMaxDynamicSharedSizeBytes),
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EXPECT_EQ(int(cuda::jitErrorLogBuffer), CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(int(cuda::jitErrorLogBufferSizeBytes),
            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  EXPECT_EQ(int(cuda::launchAttributeClusterDimension),
            CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  EXPECT_EQ(int(cuda::tensorMapUint8), CU_TENSOR_MAP_DATA_TYPE_UINT8);
  EXPECT_EQ(int(cuda::tensorMapInt32), CU_TENSOR_MAP_DATA_TYPE_INT32);
  EXPECT_EQ(int(cuda::tensorMapFloat16), CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  EXPECT_EQ(int(cuda::tensorMapFloat32), CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  EXPECT_EQ(int(cuda::tensorMapFloat64), CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
  EXPECT_EQ(int(cuda::tensorMapBfloat16), CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  EXPECT_EQ(int(cuda::tensorMapTfloat32), CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);
  EXPECT_EQ(int(cuda::swizzle128B), CU_TENSOR_MAP_SWIZZLE_128B);
  EXPECT_EQ(int(cuda::swizzle64B), CU_TENSOR_MAP_SWIZZLE_64B);
  EXPECT_EQ(int(cuda::swizzle32B), CU_TENSOR_MAP_SWIZZLE_32B);
  EXPECT_EQ(int(cuda::l2Promotion256B), CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  EXPECT_EQ(int(cuda::oobFillNone), CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
