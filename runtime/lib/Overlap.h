// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory the operands of a problem share.
#ifndef GEMM_RUNTIME_OVERLAP_H
#define GEMM_RUNTIME_OVERLAP_H

#include "Problem.h"

namespace gemm::runtime {

/// Throws Error(GEMM_ERROR_OVERLAP) unless every D is disjoint from every other
/// operand or exactly an epilogue matrix, and D's batches from each other.
/// Operands that interleave with different pitches are refused although they
/// may be disjoint. Also throws if an operand does not fit the address space.
void checkOverlap(const Problem &problem);

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_OVERLAP_H
