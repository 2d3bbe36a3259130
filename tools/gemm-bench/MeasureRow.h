// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures one problem: data, checks, times.
#ifndef GEMM_BENCH_MEASUREROW_H
#define GEMM_BENCH_MEASUREROW_H

#include "Ceilings.h"
#include "Clocks.h"
#include "DeviceTools.h"
#include "Kernels.h"
#include "Record.h"

#include <string>

namespace gemm::bench {

struct Protocol {
  bool hot = false;
  bool sustained = true, rested = true;
  int rounds = 7;
  uint64_t seed = 1;
  std::string cublasLtPath;

  double warmUpSeconds = 0.4;
  // Of a contender, untimed before its sample.
  double settleSeconds = 0.03;
  // Of a pause before a rested sample.
  double idleSeconds = 0.2;
  // Buffers that the runs rotate through, in bytes.
  static constexpr size_t footprint = size_t{512} << 20;
};

// What all rows of a run share.
struct Bench {
  const tools::Device &device;
  DeviceTools &tools;
  ClockMonitor &clocks;
  Kernels &kernels;
  const Protocol &protocol;
  const Ceilings &ceilings;
};

// Never throws for what is wrong with a row: the row says it.
Row measureRow(const Bench &bench, const Case &problem);

// Whether nothing works on the device any more, after a kernel that went wrong.
bool deviceIsLost(const tools::Device &device);

// On a product of 64 x 64 x 64 like `like`.
HostCost measureHostCost(const Bench &bench, const Case &like);

} // namespace gemm::bench

#endif // GEMM_BENCH_MEASUREROW_H
