// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the device itself can do, measured: memory traffic, and multiply-adds
// that do nothing else. The roofline of every row stands on these.
#ifndef GEMM_BENCH_CEILINGS_H
#define GEMM_BENCH_CEILINGS_H

#include "Clocks.h"
#include "DeviceTools.h"
#include "Record.h"

#include <string>
#include <vector>

namespace gemm::bench {

struct TypeRate {
  ElementType type = ElementType::F32;
  std::string instruction;
  double operationsPerSecond[2] = {0, 0}; // By power state.
  // SM clock inside the kernel (cycle counter against global timer), MHz.
  double kernelMegahertz[2] = {0, 0};
  ClockSummary clocks;
  // Why there is none; "" if there is.
  std::string problem;
};

struct Ceilings {
  // Bytes per second; copies count what they read and what they write.
  double driverCopy = 0, kernelCopy = 0, read = 0;
  std::vector<TypeRate> rates;

  const TypeRate *rate(ElementType type) const;
  Limits limits(ElementType type) const;
  // Lines for people.
  std::vector<std::string> describe() const;
};

// For each of `types`. Parts that fail (too little memory, an instruction that
// the driver does not know) are left at 0 and said in describe().
Ceilings measureCeilings(DeviceTools &tools, ClockMonitor &clocks,
                         const std::vector<ElementType> &types, bool rested);

// Microseconds of the host for each launch, in bursts without waiting.
struct HostCost {
  double empty = 0, ours = 0, theirs = 0; // 0: not measured.
  std::string library;                    // "cuBLASLt 13.1.0"; "": none.
  std::vector<std::string> problems;
  std::string describe() const;
};

// The median over bursts of `enqueue`, in microseconds.
double hostCostOf(const tools::Device &device,
                  const std::function<void()> &enqueue);

} // namespace gemm::bench

#endif // GEMM_BENCH_CEILINGS_H
