// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps are pure data, so each thread keeps the ones it has built lately.
// A cache per thread needs no lock and no atomics, and nothing that another
// thread does can invalidate a map in use.
#ifndef GEMM_RUNTIME_TENSORMAPCACHE_H
#define GEMM_RUNTIME_TENSORMAPCACHE_H

#include "Device.h"

namespace gemm::runtime {

/// The tensor map for the request, from this thread's cache or the device's
/// encoder. `deviceId` tells encoders apart; never reuse one. The reference
/// is valid until the next call of the same thread.
const TensorMap &cachedTensorMap(Device &device, uint64_t deviceId,
                                 const TensorMapRequest &request);

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_TENSORMAPCACHE_H
