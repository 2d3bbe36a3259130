// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of one CTA that copy one box between a tensor and shared memory.
#ifndef GEMM_AGREEMENT_COPYPTX_H
#define GEMM_AGREEMENT_COPYPTX_H

#include <string>

namespace gemm::agreement {

/// Shared memory that a copy kernel looks at, bytes. A load kernel fills it
/// with copyBackground first and writes all of it out; a store kernel reads it
/// from memory.
constexpr unsigned copySharedBytes = 32768;
constexpr unsigned copyBackground = 0xA5;
constexpr unsigned copyThreads = 128;

/// PTX with the entry "copy"(tensor map by value, u64 data, u32 bytes of the
/// box, five u32 coordinates), for tensors of `rank` dimensions. `data` has
/// copySharedBytes and a u32 behind them, which a load sets to 1 when the
/// mbarrier completed.
std::string copyPtx(unsigned rank, bool load);

} // namespace gemm::agreement

#endif // GEMM_AGREEMENT_COPYPTX_H
