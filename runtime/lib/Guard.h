// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: which entry of a family may run a problem, and why another may not.
#ifndef GEMM_RUNTIME_GUARD_H
#define GEMM_RUNTIME_GUARD_H

#include "Artifact.h"
#include "Problem.h"

#include <string>

namespace gemm::runtime {

/// The first condition that does not hold; null if the guard holds.
const Condition *firstFailing(const Entry &entry, const Problem &problem);

/// What the condition requires: "A's leading dimension divisible by 8".
std::string describe(const Condition &condition, const Artifact &artifact);

/// All conditions of an entry, separated by commas; "" for an empty guard.
std::string describeGuard(const Entry &entry, const Artifact &artifact);

/// "entry matmul_0 needs A's leading dimension divisible by 8, got 65".
std::string describeFailure(const Entry &entry, const Condition &condition,
                            const Problem &problem);

/// The index of the first entry whose guard holds. Throws
/// Error(GEMM_ERROR_NO_ENTRY) with the reasons of all entries.
size_t selectEntry(const Problem &problem);

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_GUARD_H
