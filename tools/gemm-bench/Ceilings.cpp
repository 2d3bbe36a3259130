// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Ceilings.h"

#include "support/CudaDriver.h"
#include "support/Report.h"

#include <algorithm>
#include <chrono>

namespace gemm::bench {

using namespace tools;

namespace {

uint64_t address(const DeviceMemory &memory) {
  return reinterpret_cast<uintptr_t>(memory.data());
}

// Copies and reads of so much: far beyond every cache.
constexpr size_t trafficBytes = size_t{2} << 30;

void measureMemory(DeviceTools &tools, Ceilings &ceilings) {
  const Device &device = tools.device();
  DeviceMemory from(device), to(device);
  from.require(trafficBytes);
  to.require(trafficBytes);
  tools.fillNormal(ElementType::F32, from.data(), trafficBytes / 4, 1);
  uint64_t perRound = static_cast<uint64_t>(tools.blocks()) *
                      DeviceTools::threads * memoryChunk;
  uint64_t chunks = trafficBytes / perRound;
  auto bytes = static_cast<double>(chunks * perRound);
  CudaKernel read = tools.memory().kernel("read");
  CudaKernel copy = tools.memory().kernel("copy");
  auto *copyAsync =
      cudaDriver().function<int(uint64_t, uint64_t, size_t, void *)>(
          "cuMemcpyDtoDAsync_v2");
  std::vector<Contender> contenders = {
      {"copy",
       [&](int64_t) {
         copy.launch(tools.blocks(), DeviceTools::threads, address(to),
                     address(from), chunks);
       }},
      {"read", [&](int64_t) {
         read.launch(tools.blocks(), DeviceTools::threads, address(from),
                     chunks, address(to));
       }}};
  TimingOptions timing;
  timing.rounds = 7;
  TimingResult result = timeInterleaved(device, contenders, timing);
  ceilings.kernelCopy = 2 * bytes / result.time(0).median;
  ceilings.read = bytes / result.time(1).median;
  // Not from a graph, where the driver copies by other means and slower.
  StreamTimer timer(device);
  std::vector<double> seconds;
  for (int sample = 0; sample < timing.rounds; ++sample) {
    constexpr int copies = 8;
    timer.start();
    for (int i = 0; i < copies; ++i)
      checkCuda(
          copyAsync(address(to), address(from), trafficBytes, device.stream()),
          "cuMemcpyDtoDAsync");
    seconds.push_back(timer.stop() / copies);
  }
  ceilings.driverCopy =
      2 * static_cast<double>(trafficBytes) / spreadOf(seconds).median;
}

TypeRate measureRate(DeviceTools &tools, ClockMonitor &clocks, ElementType type,
                     bool rested) {
  TypeRate rate;
  rate.type = type;
  const Device &device = tools.device();
  std::unique_ptr<CudaModule> module;
  RatePtx chosen;
  for (const RatePtx &candidate : ratePtx(type)) {
    try {
      module = tools.load(candidate.text);
      chosen = candidate;
      break;
    } catch (const ToolError &error) {
      rate.problem = error.what();
    }
  }
  if (!module) {
    if (rate.problem.empty())
      rate.problem = "no instruction multiplies it";
    return rate;
  }
  rate.problem.clear();
  rate.instruction = chosen.instruction;
  unsigned blocks =
      static_cast<unsigned>(std::max(1, device.info().multiprocessors)) *
      chosen.blocksPerMultiprocessor;
  DeviceMemory data(device), out(device);
  data.require(rateOperandBytes);
  out.require(rateHeaderBytes + rateResultBytes * blocks * chosen.threads);
  tools.fillNormal(type, data.data(),
                   static_cast<int64_t>(rateOperandBytes / elementSize(type)),
                   2);
  CudaKernel multiply = module->kernel("multiply", chosen.sharedBytes);
  auto launch = [&](uint32_t iterations) {
    multiply.launch(blocks, chosen.threads, address(data), iterations,
                    address(out));
  };
  uint64_t took[2] = {0, 0};
  auto fetch = [&] {
    checkStatus(gemm_memory_copy_to_host(device.handle(), took, out.data(),
                                         sizeof(took), device.stream()));
  };
  // As many iterations as take about two milliseconds.
  uint32_t iterations = 64;
  launch(iterations);
  launch(iterations);
  fetch();
  double each =
      static_cast<double>(std::max<uint64_t>(1, took[1])) * 1e-9 / iterations;
  iterations = static_cast<uint32_t>(std::clamp(2e-3 / each, 64.0, 1e8));
  std::vector<Contender> contenders = {
      {chosen.instruction, [&](int64_t) { launch(iterations); }}};
  TimingOptions timing;
  timing.rounds = 9;
  timing.observe = [&](bool running) { clocks.running(running); };
  InterleavedTimer timer(device, contenders, timing);
  for (PowerState state : powerStates) {
    if (state == PowerState::Rested && !rested)
      continue;
    clocks.start();
    TimingResult result = state == PowerState::Sustained
                              ? timer.sustained({0}, 0)
                              : timer.rested({0});
    ClockSummary summary = clocks.stop();
    if (state == PowerState::Sustained)
      rate.clocks = summary;
    fetch();
    auto index = static_cast<size_t>(state);
    rate.operationsPerSecond[index] = chosen.operationsPerIteration * blocks *
                                      iterations / result.time(0).median;
    rate.kernelMegahertz[index] =
        took[1]
            ? static_cast<double>(took[0]) / static_cast<double>(took[1]) * 1e3
            : 0;
  }
  return rate;
}

} // namespace

const TypeRate *Ceilings::rate(ElementType type) const {
  for (const TypeRate &rate : rates)
    if (rate.type == type)
      return &rate;
  return nullptr;
}

Limits Ceilings::limits(ElementType type) const {
  Limits limits;
  limits.bytesPerSecond = read;
  if (const TypeRate *found = rate(type)) {
    limits.instruction = found->instruction;
    std::copy(std::begin(found->operationsPerSecond),
              std::end(found->operationsPerSecond), limits.operationsPerSecond);
  }
  return limits;
}

std::vector<std::string> Ceilings::describe() const {
  std::vector<std::string> lines;
  if (read > 0)
    lines.push_back(format(
        "memory: read %s, copy %s (driver), %s (kernel), both directions "
        "counted",
        formatRate(read, "B").c_str(), formatRate(driverCopy, "B").c_str(),
        formatRate(kernelCopy, "B").c_str()));
  else
    lines.push_back("memory: not measured, too little of it is free");
  for (const TypeRate &rate : rates) {
    std::string name(elementTypeName(rate.type));
    if (!rate.problem.empty()) {
      lines.push_back(name + ": not measured: " + rate.problem);
      continue;
    }
    std::string unit = isFloat(rate.type) ? "FLOP" : "OP";
    std::string line = name + ": " + rate.instruction + " and nothing else:";
    for (PowerState state : powerStates) {
      auto index = static_cast<size_t>(state);
      if (rate.operationsPerSecond[index] > 0)
        line += format(
            "%s %s %s at %.0f MHz", state == PowerState::Rested ? "," : "",
            powerStateName(state),
            formatRate(rate.operationsPerSecond[index], unit).c_str(),
            rate.kernelMegahertz[index]);
    }
    if (rate.clocks.readings > 0)
      line += format(" (driver, sustained: %.0f MHz, %.0f W, %.0f C)",
                     rate.clocks.smMegahertz.median, rate.clocks.watts.median,
                     rate.clocks.celsius);
    lines.push_back(line);
  }
  return lines;
}

Ceilings measureCeilings(DeviceTools &tools, ClockMonitor &clocks,
                         const std::vector<ElementType> &types, bool rested) {
  Ceilings ceilings;
  try {
    measureMemory(tools, ceilings);
  } catch (const RuntimeError &error) {
    if (error.status() != GEMM_ERROR_OUT_OF_MEMORY)
      throw;
  }
  for (ElementType type : types)
    ceilings.rates.push_back(measureRate(tools, clocks, type, rested));
  return ceilings;
}

double hostCostOf(const Device &device, const std::function<void()> &enqueue) {
  constexpr int bursts = 15, launches = 400;
  std::vector<double> microseconds;
  for (int burst = 0; burst < bursts; ++burst) {
    device.synchronize();
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i)
      enqueue();
    std::chrono::duration<double, std::micro> took =
        std::chrono::steady_clock::now() - start;
    microseconds.push_back(took.count() / launches);
  }
  device.synchronize();
  return spreadOf(microseconds).median;
}

std::string HostCost::describe() const {
  auto cost = [](double value) {
    return value > 0 ? format("%.2f us", value) : std::string("not measured");
  };
  std::string text = "host cost of a launch (64 x 64 x 64, bursts of 400): "
                     "ours " +
                     cost(ours) + ", " +
                     (library.empty() ? "cuBLASLt" : library) + " " +
                     cost(theirs) + ", an empty kernel " + cost(empty);
  for (const std::string &problem : problems)
    text += "; " + problem;
  return text;
}

} // namespace gemm::bench
