// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every device checks of a loaded entry: whether the PTX agrees with the
// artifact's description, and whether the device has what the entry needs.
#ifndef GEMM_RUNTIME_SIGNATURECHECK_H
#define GEMM_RUNTIME_SIGNATURECHECK_H

#include "Device.h"

#include <span>

namespace gemm::runtime {

/// Compares the parameters with the sizes in bytes that the PTX declares.
/// Throws Error(GEMM_ERROR_INVALID_ARTIFACT): a launch would read past them.
void checkParameters(const EntryRequest &entry,
                     std::span<const size_t> ptxBytes);

/// Static and dynamic shared memory against the device's limit per CTA. Throws
/// Error(GEMM_ERROR_UNSUPPORTED).
void checkSharedMemory(const EntryRequest &entry, int64_t staticBytes,
                       int64_t limit);

/// Threads per CTA against what the compiled entry allows. Throws
/// Error(GEMM_ERROR_UNSUPPORTED).
void checkThreads(const EntryRequest &entry, int64_t limit);

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_SIGNATURECHECK_H
