// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schedule means for a problem, computed from the artifact's
// description.
#ifndef GEMM_RUN_EXPLAIN_H
#define GEMM_RUN_EXPLAIN_H

#include "Instance.h"
#include "KernelSource.h"

#include "support/Report.h"

namespace gemm::tools {

// Adds lines on traffic, arithmetic intensity, occupancy, waves and tail.
// Without a device those that need its size are left out.
void explain(Report &report, const LoadedKernel &kernel, size_t entry,
             const ProblemShape &shape, const Device *device);

} // namespace gemm::tools

#endif // GEMM_RUN_EXPLAIN_H
