// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_RUN_EXITSTATUS_H
#define GEMM_RUN_EXITSTATUS_H

#include <exception>

namespace gemm::tools {

// What gemm-run exits with; its --help says the same.
enum ExitStatus {
  // Ran, and everything that was asked for holds.
  ExitRight = 0,
  // A wrong number, a stray write, runs that differ, a finding of the
  // sanitizer,
  // a fault of the device.
  ExitWrong = 1,
  // The command line, a file, or a problem that the kernel or target refuses.
  ExitRefused = 2,
  // No such device, no memory, no library, or an output that cannot be written.
  ExitImpossible = 3
};

// Of an error that ended the tool.
ExitStatus exitStatusOf(const std::exception &error);

} // namespace gemm::tools

#endif // GEMM_RUN_EXITSTATUS_H
