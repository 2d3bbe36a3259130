// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulator's sanitizer says of a kernel.
#ifndef GEMM_RUN_FINDINGS_H
#define GEMM_RUN_FINDINGS_H

#include "support/Device.h"
#include "support/Report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gemm::tools {

struct Finding {
  std::string text, kind;
  int line = 0;
  bool isError = false;
  uint64_t count = 1;
};

class Findings {
public:
  // Adds those of the device's last launch; repeated ones are counted. Nothing
  // for a device that is no emulator.
  void collect(const Device &device);

  const std::vector<Finding> &all() const { return list; }
  size_t errors() const;
  size_t notes() const { return list.size() - errors(); }
  // "2 errors, 1 note"; "" if there are none.
  std::string summary() const;
  // The seed that repeats the launch last collected.
  uint64_t seed() const { return lastSeed; }

private:
  std::vector<Finding> list;
  uint64_t lastSeed = 0;
};

// One line a finding, errors first, and the JSON key "sanitizer".
void describeFindings(Report &report, const Findings &findings);

} // namespace gemm::tools

#endif // GEMM_RUN_FINDINGS_H
