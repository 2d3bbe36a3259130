// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver says about clocks, power and temperature while something is
// timed. Uses NVML (NVIDIA Management Library API reference), opened at run
// time.
#ifndef GEMM_BENCH_CLOCKS_H
#define GEMM_BENCH_CLOCKS_H

#include "support/Device.h"
#include "support/Timing.h"

#include <memory>
#include <string>
#include <vector>

namespace gemm::bench {

// Readings over some time, summed up.
struct ClockSummary {
  int64_t readings = 0;
  tools::Spread smMegahertz;
  tools::Spread watts;
  double celsius = 0; // The highest.
  // Names of everything that held the clock down, e.g. "sw power cap".
  std::vector<std::string> reasons;
};

struct ClockReading {
  double smMegahertz = 0;
  double watts = 0;
  double celsius = 0;
  unsigned long long reasons = 0;
};

ClockSummary summarize(const std::vector<ClockReading> &readings);
// Names of the bits of nvmlClocksEventReasons.
std::vector<std::string> clockReasons(unsigned long long bits);

// Reads the clocks from a thread of its own, but only while told that
// something runs.
class ClockMonitor {
public:
  explicit ClockMonitor(const tools::Device &device);
  ~ClockMonitor();
  ClockMonitor(const ClockMonitor &) = delete;
  ClockMonitor &operator=(const ClockMonitor &) = delete;

  // Why there are no readings; "" if there are.
  const std::string &problem() const { return reason; }
  // E.g. "580.159.04"; "" if unknown.
  std::string driverVersion() const;
  // Watts; 0 if unknown.
  double powerLimit() const;
  // Megahertz; 0 if unknown.
  double highestSmClock() const;

  // Readings count from now on, until stop(). With `running`(false) in between
  // they pause.
  void start();
  void running(bool is);
  ClockSummary stop();

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation;
  std::string reason;
};

} // namespace gemm::bench

#endif // GEMM_BENCH_CLOCKS_H
