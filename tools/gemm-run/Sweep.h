// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_RUN_SWEEP_H
#define GEMM_RUN_SWEEP_H

#include "Options.h"

namespace gemm::tools {

// Checks every problem of --sweep in this process, compiling once per distinct
// signature. Prints the failures, each with the flags that repeat it alone, and
// a summary. Returns the exit status.
int runSweep(const Options &options);

} // namespace gemm::tools

#endif // GEMM_RUN_SWEEP_H
