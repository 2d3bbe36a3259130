// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LaunchReport.h"

using namespace gemm::runtime;
namespace emu = gemm::emulator;

LaunchReport::LaunchReport(emu::LaunchResult launch,
                           const emu::LaunchOptions &options)
    : result(std::move(launch)), seed(options.seed) {
  for (const emu::Report &report : result.reports)
    findings.push_back({report.message.c_str(), emu::toString(report.kind),
                        static_cast<int32_t>(report.line),
                        report.severity == emu::Severity::Error, report.count});
  if (!options.counters)
    return;
  const emu::Counters &counted = result.counters;
  for (const emu::ClassCounters &c : counted.classes)
    classes.push_back({c.name, c.warpInstructions, c.laneInstructions});
  for (const emu::SiteCounters &s : counted.sites)
    sites.push_back({static_cast<int32_t>(s.line), s.opcode.c_str(),
                     s.className, s.warpInstructions, s.laneInstructions,
                     s.sharedRequests, s.sharedWavefronts,
                     s.sharedIdealWavefronts, s.globalRequests,
                     s.globalSectors});
  counters = std::make_unique<gemm_emulator_counters>(gemm_emulator_counters{
      counted.warpInstructions, counted.laneInstructions,
      counted.globalBytesRead, counted.globalBytesWritten,
      counted.globalSectors, counted.tensorOps, counted.floatOps,
      classes.data(), classes.size(), sites.data(), sites.size()});
}

gemm_emulator_report LaunchReport::view() const {
  gemm_emulator_report report{};
  report.seed = seed;
  report.findings = findings.data();
  report.num_findings = findings.size();
  report.counters = counters.get();
  return report;
}
