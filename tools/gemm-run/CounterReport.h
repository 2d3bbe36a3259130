// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulator counted, as tables and as JSON.
#ifndef GEMM_RUN_COUNTERREPORT_H
#define GEMM_RUN_COUNTERREPORT_H

#include "support/Device.h"
#include "support/Report.h"

namespace gemm::tools {

// The counters of the device's last launch: instructions by class, traffic
// with global memory and arithmetic intensity, and the PTX lines that cost
// most. The tables are cut; the JSON key "counters" has every line.
void describeCounters(Report &report, const Device &device);

} // namespace gemm::tools

#endif // GEMM_RUN_COUNTERREPORT_H
