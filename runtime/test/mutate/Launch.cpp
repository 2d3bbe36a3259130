// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.h"

using namespace gemm;
using namespace gemm::mutate;
using emulator::AsyncMode;

std::string Timing::text() const {
  const char *mode = async == AsyncMode::Late    ? "late"
                     : async == AsyncMode::Early ? "early"
                                                 : "random";
  return std::string(mode) + " sms " + std::to_string(sms) + " seed " +
         std::to_string(seed);
}

static Outcome refused(const std::string &why) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::Refused;
  outcome.category = "refused";
  outcome.message = why;
  return outcome;
}

/// FNV-1a.
static uint64_t hash(uint64_t digest, const std::vector<uint8_t> &bytes) {
  for (uint8_t byte : bytes)
    digest = (digest ^ byte) * 0x100000001b3u;
  return digest;
}

Outcome mutate::run(const Launch &launch, const std::string &ptx,
                    const Timing &timing, uint64_t limit, bool count) {
  auto module = emulator::Module::parse(ptx);
  if (!module)
    return refused(module.error());
  auto device = emulator::Device::create(launch.device);
  if (!device)
    return refused(device.error());
  for (const Allocation &memory : launch.memory) {
    auto address = (*device)->allocate(memory.content.size());
    if (!address || *address != memory.address)
      return refused("memory cannot be laid out as it was");
    (*device)->write(*address, memory.content.data(), memory.content.size());
    if (memory.undefined)
      (*device)->undefine(*address, memory.content.size());
  }
  emulator::LaunchOptions options;
  options.async = timing.async;
  options.sms = timing.sms;
  options.seed = timing.seed;
  options.maxWarpInstructions = limit;
  options.counters = count;
  options.maxReports = 1;
  emulator::LaunchResult result = (*device)->launch(
      **module, launch.entry, launch.grid, launch.block, launch.cluster,
      launch.sharedBytes, launch.parameters.data(), launch.parameters.size(),
      options);
  if (!result.refusal.empty())
    return refused(result.refusal);
  Outcome outcome;
  outcome.instructions = result.counters.warpInstructions;
  for (const emulator::Report &report : result.reports) {
    const bool error = report.severity == emulator::Severity::Error;
    // An error says more than the notes before it.
    if (outcome.kind != Outcome::Kind::Clean &&
        (outcome.kind != Outcome::Kind::Noted || !error))
      continue;
    outcome.kind = !error ? Outcome::Kind::Noted
                   : report.kind == emulator::ReportKind::Deadlock ||
                           report.kind == emulator::ReportKind::Limit
                       ? Outcome::Kind::Hang
                       : Outcome::Kind::Reported;
    outcome.category = toString(report.kind);
    outcome.message = report.message;
  }
  outcome.digest = 0xcbf29ce484222325u;
  for (const Allocation &memory : launch.memory) {
    std::vector<uint8_t> after(memory.content.size());
    (*device)->read(memory.address, after.data(), after.size());
    outcome.digest = hash(outcome.digest, after);
  }
  return outcome;
}
