// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timing of one problem on a GPU, alone or against cuBLASLt.
#ifndef GEMM_RUN_MEASURE_H
#define GEMM_RUN_MEASURE_H

#include "Instance.h"
#include "KernelSource.h"
#include "Options.h"

#include "support/Report.h"

namespace gemm::tools {

// Bytes of operands that a problem reads and writes at least once.
double compulsoryBytes(const Signature &signature, const ProblemShape &shape);

// Times the kernel on rotating copies of the instance's operands, and
// cuBLASLt's best algorithm in the same rounds if asked for; adds lines.
void measure(Report &report, const Device &device, const LoadedKernel &kernel,
             size_t entry, const Instance &instance, const ProblemShape &shape,
             const Options &options);

} // namespace gemm::tools

#endif // GEMM_RUN_MEASURE_H
