// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulator returned of a launch, in the C interface's terms.
#ifndef GEMM_RUNTIME_EMULATORDEVICE_LAUNCHREPORT_H
#define GEMM_RUNTIME_EMULATORDEVICE_LAUNCHREPORT_H

#include "../emulator/Emulator.h"
#include "gemm-runtime/runtime.h"

#include <memory>
#include <vector>

namespace gemm::runtime {

class LaunchReport {
public:
  LaunchReport() = default;
  LaunchReport(emulator::LaunchResult result,
               const emulator::LaunchOptions &options);
  // The view points into `result`, whose strings do not move with the vectors
  // that hold them.
  LaunchReport(LaunchReport &&) = default;
  LaunchReport &operator=(LaunchReport &&) = default;

  /// Lives as long as this object.
  gemm_emulator_report view() const;

private:
  emulator::LaunchResult result;
  uint64_t seed = 0;
  std::vector<gemm_emulator_finding> findings;
  std::vector<gemm_emulator_class> classes;
  std::vector<gemm_emulator_site> sites;
  std::unique_ptr<gemm_emulator_counters> counters;
};

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_EMULATORDEVICE_LAUNCHREPORT_H
