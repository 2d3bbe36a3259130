// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the CUDA driver API that the runtime uses, declared here so that
// building needs no CUDA toolkit, and opened with dlopen so that running
// without a GPU needs no driver. Names, values and layouts are those of cuda.h
// (CUDA driver API reference); test/driver_api_test.cpp compares them where
// cuda.h is present.
#ifndef GEMM_RUNTIME_CUDA_DRIVERAPI_H
#define GEMM_RUNTIME_CUDA_DRIVERAPI_H

#include <cstddef>
#include <cstdint>

namespace gemm::runtime::cuda {

using Result = int;        // CUresult
using DeviceOrdinal = int; // CUdevice
using DevicePointer = unsigned long long;
using Context = struct ContextTag *;
using ModuleHandle = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;

/// CUresult
enum : int {
  resultSuccess = 0,
  resultOutOfMemory = 2,
  resultNoDevice = 100,
  resultNoBinaryForGpu = 209,
  resultInvalidPtx = 218,
  resultUnsupportedPtxVersion = 222
};

/// CUdevice_attribute
enum : int {
  deviceClockRate = 13, // kHz
  deviceMultiprocessorCount = 16,
  deviceMemoryClockRate = 36,      // kHz
  deviceGlobalMemoryBusWidth = 37, // bits
  deviceL2CacheSize = 38,
  deviceComputeCapabilityMajor = 75,
  deviceComputeCapabilityMinor = 76,
  deviceMaxSharedMemoryPerBlockOptin = 97
};

/// CUfunction_attribute
enum : int {
  functionMaxThreadsPerBlock = 0,
  functionSharedSizeBytes = 1, // static
  functionMaxDynamicSharedSizeBytes = 8
};

/// CUjit_option
enum : int { jitErrorLogBuffer = 5, jitErrorLogBufferSizeBytes = 6 };

/// CUlaunchAttributeID
enum : int { launchAttributeClusterDimension = 4 };

/// CUlaunchAttribute; the value is a union of 64 bytes.
struct LaunchAttribute {
  int id;
  int pad;
  union {
    unsigned clusterDim[3];
    unsigned char bytes[64];
  } value;
};

/// CUlaunchConfig
struct LaunchConfig {
  unsigned gridDim[3];
  unsigned blockDim[3];
  unsigned sharedMemBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// CUtensorMapDataType
enum : int {
  tensorMapUint8 = 0,
  tensorMapInt32 = 3,
  tensorMapFloat16 = 6,
  tensorMapFloat32 = 7,
  tensorMapFloat64 = 8,
  tensorMapBfloat16 = 9,
  tensorMapTfloat32 = 11
};

/// CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion and
/// CUtensorMapFloatOOBfill
enum : int {
  interleaveNone = 0,
  swizzleNone = 0,
  swizzle32B = 1,
  swizzle64B = 2,
  swizzle128B = 3,
  l2Promotion256B = 3,
  oobFillNone = 0 // zeros
};

/// The functions, by their names in libcuda without the prefix "cu" and the
/// suffix "_v2".
struct DriverApi {
  Result (*getErrorName)(Result, const char **);
  Result (*getErrorString)(Result, const char **);
  Result (*init)(unsigned flags);
  Result (*driverGetVersion)(int *);
  Result (*deviceGetCount)(int *);
  Result (*deviceGet)(DeviceOrdinal *, int ordinal);
  Result (*deviceGetName)(char *, int length, DeviceOrdinal);
  Result (*deviceGetAttribute)(int *, int attribute, DeviceOrdinal);
  Result (*deviceTotalMem)(size_t *, DeviceOrdinal);
  Result (*devicePrimaryCtxRetain)(Context *, DeviceOrdinal);
  Result (*devicePrimaryCtxRelease)(DeviceOrdinal);
  Result (*ctxGetCurrent)(Context *);
  Result (*ctxPushCurrent)(Context);
  Result (*ctxPopCurrent)(Context *);
  Result (*ctxSynchronize)();
  Result (*moduleLoadDataEx)(ModuleHandle *, const void *image,
                             unsigned numOptions, int *options, void **values);
  Result (*moduleUnload)(ModuleHandle);
  Result (*moduleGetFunction)(Function *, ModuleHandle, const char *name);
  Result (*funcGetAttribute)(int *, int attribute, Function);
  Result (*funcSetAttribute)(Function, int attribute, int value);
  /// Null on drivers before CUDA 12.4. Fails beyond the last parameter.
  Result (*funcGetParamInfo)(Function, size_t index, size_t *offset,
                             size_t *size);
  Result (*launchKernelEx)(const LaunchConfig *, Function, void **parameters,
                           void **extra);
  Result (*memAlloc)(DevicePointer *, size_t);
  Result (*memFree)(DevicePointer);
  Result (*memcpyHtoDAsync)(DevicePointer, const void *, size_t, Stream);
  Result (*memcpyDtoHAsync)(void *, DevicePointer, size_t, Stream);
  Result (*memsetD8Async)(DevicePointer, unsigned char, size_t, Stream);
  Result (*streamCreate)(Stream *, unsigned flags);
  Result (*streamDestroy)(Stream);
  Result (*streamSynchronize)(Stream);
  Result (*eventCreate)(Event *, unsigned flags);
  Result (*eventDestroy)(Event);
  Result (*eventRecord)(Event, Stream);
  Result (*eventSynchronize)(Event);
  Result (*eventElapsedTime)(float *milliseconds, Event, Event);
  /// Null on drivers before CUDA 12.0.
  Result (*tensorMapEncodeTiled)(void *map, int type, uint32_t rank,
                                 void *address, const uint64_t *extents,
                                 const uint64_t *strides, const uint32_t *box,
                                 const uint32_t *elementStrides, int interleave,
                                 int swizzle, int l2Promotion, int oobFill);

  int version = 0; ///< cuDriverGetVersion: 1000 * major + 10 * minor

  /// Throws Error with the CUDA error's name and text unless it is success.
  void check(Result result, const char *what) const;
};

/// The driver, opened and initialised by the first call. Throws
/// Error(GEMM_ERROR_NO_DEVICE) if there is none, or none that is new enough.
const DriverApi &driver();

} // namespace gemm::runtime::cuda

#endif // GEMM_RUNTIME_CUDA_DRIVERAPI_H
