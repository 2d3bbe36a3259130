// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Explain.h"

#include "Measure.h"

#include "support/Assembler.h"
#include "support/DeviceLimits.h"

#include <algorithm>
#include <cmath>

namespace gemm::tools {
namespace {

int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct Traffic {
  double memory = 0; // Every operand once.
  double tiles = 0;  // What the CTAs ask the second-level cache for.
};

// Each tile of D reads its rows of A and columns of B; edge tiles read only
// what exists.
Traffic trafficOf(const Signature &signature, const EntrySignature &entry,
                  const ProblemShape &shape) {
  Traffic traffic;
  traffic.memory = compulsoryBytes(signature, shape);
  auto size = [&](int operand) {
    return static_cast<double>(elementSize(signature.operands[operand].type));
  };
  auto batch = static_cast<double>(shape.batch);
  auto depth = static_cast<double>(shape.k);
  int64_t rowTiles = ceilDivide(shape.m, entry.tile(Dim::M));
  int64_t colTiles = ceilDivide(shape.n, entry.tile(Dim::N));
  double a = static_cast<double>(shape.m) * depth * size(signature.operandA());
  traffic.tiles = batch * a * static_cast<double>(colTiles);
  for (int b : signature.operandsB())
    traffic.tiles += batch * static_cast<double>(shape.n) * depth * size(b) *
                     static_cast<double>(rowTiles);
  // The epilogue's operands and results pass once, D's tile by D's tile.
  double once = traffic.memory - batch * a;
  for (int b : signature.operandsB())
    once -= batch * static_cast<double>(shape.n) * depth * size(b);
  traffic.tiles += std::max(0.0, once);
  return traffic;
}

void explainRegisters(Report &report, const RegisterUse &use) {
  report.line(
      "registers",
      format("%lld a thread, %lld bytes spilled to memory and %lld read "
             "back (as assembled)",
             static_cast<long long>(use.registers),
             static_cast<long long>(use.spillStores),
             static_cast<long long>(use.spillLoads)));
  report.json()["explain"]["registers"] = use.registers;
  report.json()["explain"]["spill_store_bytes"] = use.spillStores;
  report.json()["explain"]["spill_load_bytes"] = use.spillLoads;
}

// `registers`: of a thread; 0: unknown.
void explainOccupancy(Report &report, const EntrySignature &entry,
                      const MultiprocessorLimits &limits, int64_t registers,
                      int64_t tiles, const Device *device) {
  int64_t byThreads = limits.threads / std::max<int64_t>(1, entry.threads);
  int64_t byShared =
      limits.sharedBytes /
      std::max<int64_t>(1, entry.sharedBytes + limits.reservedShared);
  int64_t blocks = std::min({byThreads, byShared, limits.blocks});
  std::string limit = blocks == byShared    ? "shared memory"
                      : blocks == byThreads ? "threads"
                                            : "blocks";
  int64_t warpsPerBlock = ceilDivide(entry.threads, 32);
  if (registers > 0) {
    // A warp takes registers in units of 256.
    int64_t perWarp = ceilDivide(registers * 32, 256) * 256;
    int64_t byRegisters =
        MultiprocessorLimits::registers / perWarp / warpsPerBlock;
    if (byRegisters < blocks)
      limit = "registers";
    blocks = std::min(blocks, byRegisters);
  }
  report.line("occupancy",
              format("%s%lld blocks, %lld of %lld warps a multiprocessor, "
                     "limited by %s%s",
                     registers ? "" : "at most ",
                     static_cast<long long>(blocks),
                     static_cast<long long>(blocks * warpsPerBlock),
                     static_cast<long long>(limits.threads / 32), limit.c_str(),
                     registers ? "" : " (no ptxas: registers unknown)"));
  auto &json = report.json()["explain"];
  json["blocks_per_multiprocessor"] = blocks;
  json["occupancy_limit"] = limit;
  if (!device || blocks == 0)
    return;
  int64_t slots = blocks * device->info().multiprocessors;
  int64_t waves = ceilDivide(tiles, slots);
  int64_t tail = tiles - (waves - 1) * slots;
  double filled =
      static_cast<double>(tiles) / static_cast<double>(waves * slots);
  report.line(
      "waves",
      format("%lld tiles on %lld slots: %lld waves, the last one %.0f %% "
             "full; %.1f %% of the slots' time is used",
             static_cast<long long>(tiles), static_cast<long long>(slots),
             static_cast<long long>(waves),
             100.0 * static_cast<double>(tail) / static_cast<double>(slots),
             100.0 * filled));
  json["tiles"] = tiles;
  json["slots"] = slots;
  json["waves"] = waves;
  json["wave_efficiency"] = filled;
}

} // namespace

void explain(Report &report, const LoadedKernel &kernel, size_t entryIndex,
             const ProblemShape &shape, const Device *device) {
  const Signature &signature = kernel.signature;
  const EntrySignature &entry = signature.entries[entryIndex];
  if (shape.m == 0 || shape.n == 0 || shape.batch == 0)
    return report.line("explain", "nothing is launched");
  if (entry.tileRows == 0)
    return report.line("explain", "the grid is of a kind, " + entry.gridKind +
                                      ", that this tool cannot count");
  int64_t tiles = ceilDivide(shape.m, entry.tile(Dim::M)) *
                  ceilDivide(shape.n, entry.tile(Dim::N)) * shape.batch;
  Traffic traffic = trafficOf(signature, entry, shape);
  double operations = 2 * shape.multiplyAdds();
  report.line("traffic",
              format("%s of operands, each once; %s between the second-level "
                     "cache and the multiprocessors in tiles of %lld x %lld",
                     formatBytes(traffic.memory).c_str(),
                     formatBytes(traffic.tiles).c_str(),
                     static_cast<long long>(entry.tile(Dim::M)),
                     static_cast<long long>(entry.tile(Dim::N))));
  std::string intensity =
      format("%.1f operations a byte of memory traffic, %.1f a byte of tile "
             "traffic",
             operations / traffic.memory, operations / traffic.tiles);
  auto &json = report.json()["explain"];
  json["memory_bytes"] = traffic.memory;
  json["tile_bytes"] = traffic.tiles;
  json["operations"] = operations;
  ElementType type = signature.operands[signature.operandA()].type;
  bool tensor = usesTensorCores(entry.schedule);
  if (device) {
    std::optional<Roofline> roofline =
        deviceRoofline(device->info(), type, tensor);
    if (roofline) {
      intensity += format(
          "; the device's ridge is at %.1f: limited by %s", roofline->ridge(),
          operations / traffic.memory >= roofline->ridge() ? "arithmetic"
                                                           : "memory");
      json["ridge"] = roofline->ridge();
    }
  }
  report.line("intensity", intensity);
  std::map<std::string, RegisterUse> uses =
      assemble(kernel.artifact, signature.target);
  int64_t registers = 0;
  if (auto use = uses.find(entry.name); use != uses.end()) {
    explainRegisters(report, use->second);
    registers = use->second.registers;
  }
  int capability = device && !device->info().is_emulator
                       ? device->capability()
                       : targetCapability(signature.target);
  if (std::optional<MultiprocessorLimits> limits =
          multiprocessorLimits(capability))
    explainOccupancy(report, entry, *limits, registers, tiles, device);
}

} // namespace gemm::tools
