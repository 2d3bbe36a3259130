// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One problem: run, check, time, report.
#ifndef GEMM_RUN_RUN_H
#define GEMM_RUN_RUN_H

#include "Findings.h"
#include "Instance.h"
#include "KernelSource.h"
#include "Options.h"

#include "support/Check.h"

#include <string>

namespace gemm::tools {

// How the sums of an entry are to be judged.
AccumulationModel modelFor(const LoadedKernel &kernel, size_t entry,
                           const Device &device, const ProblemOptions &problem);

struct Verdict {
  CheckResult check;
  // Of all bits of the results: two devices that agree have the same.
  uint64_t digest = 0;
  // What is wrong besides the numbers; "" if nothing.
  std::string complaint;
  Findings findings;

  bool passed() const { return check.passed() && complaint.empty(); }
};

// Runs the kernel `repeat` times on poisoned results and checks everything that
// it wrote. `entry` is what the runtime will choose.
Verdict runAndCheck(const Device &device, const LoadedKernel &kernel,
                    size_t entry, Instance &instance,
                    const ProblemOptions &problem, CheckMode mode, int repeat);

// Everything that gemm-run does without --sweep and --emit; prints; returns the
// exit status.
int runProblem(const Options &options);

} // namespace gemm::tools

#endif // GEMM_RUN_RUN_H
