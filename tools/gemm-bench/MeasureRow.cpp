// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeasureRow.h"

#include "SampleCheck.h"

#include "Measure.h" // of gemm-run
#include "support/BufferSets.h"
#include "support/CublasLt.h"
#include "support/Report.h"

#include <algorithm>
#include <chrono>

namespace gemm::bench {

using namespace tools;

namespace {

// Of theirs, those that are timed together with ours, besides their first
// guess.
constexpr size_t finalists = 3;
// Buffer sets of a tiny problem; a graph has one launch for each.
constexpr int64_t mostSets = 8192;

std::vector<OperandStorage> storageOf(const Signature &signature,
                                      const ProblemShape &shape) {
  std::vector<OperandStorage> result;
  for (size_t i = 0; i < signature.operands.size(); ++i)
    result.push_back({signature.operands[i].type, shape.layouts[i], 0});
  return result;
}

// The operands of a problem, in many sets, with random contents.
class Operands {
public:
  Operands(DeviceTools &tools, const Signature &signature,
           const ProblemShape &shape, size_t footprint, int64_t least,
           int64_t most, uint64_t seed)
      : shape(shape), sets(tools.device(), storageOf(signature, shape),
                           std::vector<int>(signature.operands.size(), -1),
                           footprint, least, most),
        workspace(tools.device()) {
    for (int64_t set = 0; set < sets.count(); ++set)
      for (size_t i = 0; i < signature.operands.size(); ++i) {
        const OperandSignature &operand = signature.operands[i];
        if (operand.role != Role::D)
          tools.fillNormal(operand.type, sets.operands(set)[i].data,
                           shape.layouts[i].span(),
                           seed + static_cast<uint64_t>(set) * 16 + i);
      }
  }

  gemm_problem at(int64_t set) const {
    const std::vector<gemm_operand> &operands = sets.operands(set);
    return {shape.m,          shape.n,         shape.k, shape.batch,
            operands.data(),  operands.size(), nullptr, 0,
            workspace.data(), workspace.size()};
  }
  void provideWorkspace(size_t bytes) { workspace.require(bytes); }
  const BufferSets &buffers() const { return sets; }

private:
  const ProblemShape &shape;
  BufferSets sets;
  DeviceMemory workspace;
};

class RowMeasurement {
public:
  RowMeasurement(const Bench &bench, Row &row)
      : bench(bench), row(row), signature(row.problem.signature()),
        shape(resolveShape(signature, row.problem.problem())),
        operands(bench.tools, signature, shape,
                 bench.protocol.hot ? 0 : Protocol::footprint,
                 bench.protocol.hot ? 1 : 2, bench.protocol.hot ? 1 : mostSets,
                 bench.protocol.seed) {
    row.operations = 2 * shape.multiplyAdds();
    row.bytes = compulsoryBytes(signature, shape);
    row.sets = operands.buffers().count();
    row.footprint = static_cast<double>(operands.buffers().bytesPerSet()) *
                    static_cast<double>(row.sets);
  }

  void run() {
    gemm_problem first = operands.at(0);
    SampleCheck check(bench.tools, signature, shape, first,
                      bench.protocol.seed);
    addOurs(check);
    addTheirs(check);
    if (!contenders.empty())
      time();
  }

private:
  // Runs a contender on poisoned results and keeps it if it is right.
  void admit(Contender contender, SampleCheck &check,
             const std::optional<AccumulationModel> &model, bool ours,
             size_t index) {
    Timed &timed = (ours ? row.ours : row.theirs)[index];
    try {
      check.poison();
      contender.enqueue(0);
      bench.device.synchronize();
      SampleVerdict verdict = check.judge(model);
      timed.relativeError = verdict.relativeError;
      timed.errorOverBound = verdict.errorOverBound;
      if (!verdict.complaint.empty()) {
        timed.wrong = true;
        timed.problem = "wrong result: " + verdict.complaint;
        return;
      }
    } catch (const ToolError &error) {
      timed.problem = error.what();
      // Whatever comes next would fail too, and not by its own fault.
      if (deviceIsLost(bench.device))
        throw ToolError("the device is lost after " + contender.name + ": " +
                        error.what());
      return;
    }
    contenders.push_back(std::move(contender));
    origins.push_back({ours, index});
  }

  void addOurs(SampleCheck &check) {
    std::vector<Variant> variants = bench.kernels.variants(row.problem);
    for (size_t index = 0; index < variants.size(); ++index) {
      const Variant &variant = variants[index];
      Timed &timed = row.ours[index];
      timed.problem = variant.problem;
      if (!variant.kernel)
        continue;
      const LoadedKernel &kernel = *variant.kernel;
      size_t entry = 0;
      try {
        gemm_problem first = operands.at(0);
        operands.provideWorkspace(kernel.kernel.workspaceBytes(first));
        first = operands.at(0);
        entry = kernel.kernel.select(first).first;
      } catch (const ToolError &error) {
        timed.problem = error.what();
        continue;
      }
      const EntrySignature &chosen = kernel.signature.entries[entry];
      timed.entry = chosen.name;
      timed.schedule = chosen.schedule;
      const Case &problem = row.problem;
      ElementType wider =
          elementSize(problem.types[0]) >= elementSize(problem.types[1])
              ? problem.types[0]
              : problem.types[1];
      AccumulationModel model = chooseAccumulation(
          chosen.schedule, bench.device.capability(), wider, problem.types[2]);
      admit({variant.label,
             [this, &kernel](int64_t set) {
               kernel.kernel.launch(operands.at(set), bench.device.stream());
             }},
            check, model, true, index);
    }
  }

  void addTheirs(SampleCheck &check) {
    try {
      library = std::make_unique<CublasLtMatmul>(
          bench.device, bench.protocol.cublasLtPath, signature, operands.at(0));
    } catch (const ToolError &error) {
      row.libraryProblem = error.what();
      return;
    }
    row.library = library->version();
    row.theirs.resize(library->candidates());
    for (size_t i = 0; i < library->candidates(); ++i) {
      row.theirs[i].label = std::to_string(i);
      admit({"candidate " + std::to_string(i),
             [this, i](int64_t set) {
               if (!library->run(i, operands.at(set)))
                 throw ToolError("cuBLASLt refused to run its candidate");
             }},
            check, std::nullopt, false, i);
    }
  }

  Timed &timedOf(size_t contender) {
    auto [ours, index] = origins[contender];
    return (ours ? row.ours : row.theirs)[index];
  }

  void time() {
    TimingOptions timing;
    timing.sets = row.sets;
    timing.rounds = bench.protocol.rounds;
    timing.warmUpSeconds = bench.protocol.warmUpSeconds;
    timing.idleSeconds = bench.protocol.idleSeconds;
    timing.observe = [this](bool running) { bench.clocks.running(running); };
    InterleavedTimer timer(bench.device, contenders, timing);
    std::vector<size_t> chosen = choose(timer);
    auto measure = [&](PowerState state) {
      bench.clocks.start();
      TimingResult result =
          state == PowerState::Sustained
              ? timer.sustained(chosen, bench.protocol.settleSeconds)
              : timer.rested(chosen);
      row.clocks[static_cast<size_t>(state)] = bench.clocks.stop();
      for (size_t i : chosen)
        timedOf(i).times(state) = result.seconds[i];
    };
    if (bench.protocol.sustained)
      measure(PowerState::Sustained);
    if (bench.protocol.rested)
      measure(PowerState::Rested);
  }

  // Times all of theirs; ours, and the fastest of theirs.
  std::vector<size_t> choose(InterleavedTimer &timer) {
    std::vector<size_t> theirs, chosen;
    for (size_t i = 0; i < contenders.size(); ++i)
      (origins[i].first ? chosen : theirs).push_back(i);
    TimingResult result = timer.sustained(theirs, 0);
    for (size_t i : theirs)
      timedOf(i).screening = result.seconds[i];
    std::sort(theirs.begin(), theirs.end(), [&](size_t a, size_t b) {
      return result.time(a).median < result.time(b).median;
    });
    for (size_t rank = 0; rank < theirs.size(); ++rank)
      if (rank < finalists || origins[theirs[rank]].second == 0)
        chosen.push_back(theirs[rank]);
    return chosen;
  }

  const Bench &bench;
  Row &row;
  Signature signature;
  ProblemShape shape;
  Operands operands;
  std::unique_ptr<CublasLtMatmul> library;
  std::vector<Contender> contenders;
  // (ours, index in row.ours or row.theirs) of each contender.
  std::vector<std::pair<bool, size_t>> origins;
};

} // namespace

bool deviceIsLost(const Device &device) {
  try {
    device.synchronize();
    DeviceMemory memory(device);
    memory.require(1);
    return false;
  } catch (const RuntimeError &error) {
    return error.status() != GEMM_ERROR_OUT_OF_MEMORY;
  }
}

Row measureRow(const Bench &bench, const Case &problem) {
  auto start = std::chrono::steady_clock::now();
  Row row;
  row.problem = problem;
  row.hot = bench.protocol.hot;
  row.limits = bench.ceilings.limits(problem.types[0]);
  // However the row ends, it is known again by its variants.
  for (const std::string &label : bench.kernels.labels(problem))
    row.ours.emplace_back().label = label;
  try {
    RowMeasurement(bench, row).run();
  } catch (const RuntimeError &error) {
    row.failure = error.status() == GEMM_ERROR_OUT_OF_MEMORY
                      ? std::string("out of memory: ") + error.what()
                      : error.what();
  } catch (const std::bad_alloc &) {
    row.failure = "not enough memory on the host";
  } catch (const ToolError &error) {
    row.failure = error.what();
  }
  row.wallSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return row;
}

HostCost measureHostCost(const Bench &bench, const Case &like) {
  HostCost cost;
  Case small = like;
  small.m = small.n = small.k = 64;
  small.batch = 1;
  small.pitch = 1;
  Signature signature = small.signature();
  ProblemShape shape = resolveShape(signature, small.problem());
  Operands operands(bench.tools, signature, shape, 0, 1, 1, 1);
  gemm_problem problem = operands.at(0);
  cost.empty = hostCostOf(bench.device,
                          [nothing = bench.tools.memory().kernel("nothing")] {
                            nothing.launch(1, 32);
                          });
  for (const Variant &variant : bench.kernels.variants(small)) {
    if (!variant.kernel)
      continue;
    try {
      const Kernel &kernel = variant.kernel->kernel;
      operands.provideWorkspace(kernel.workspaceBytes(problem));
      problem = operands.at(0);
      cost.ours = hostCostOf(
          bench.device, [&] { kernel.launch(problem, bench.device.stream()); });
      break;
    } catch (const ToolError &error) {
      if (deviceIsLost(bench.device))
        throw ToolError("the device is lost after " + variant.label +
                        " on 64 x 64 x 64: " + error.what());
      cost.problems.push_back(variant.label + ": " + error.what());
    }
  }
  try {
    CublasLtMatmul library(bench.device, bench.protocol.cublasLtPath, signature,
                           problem);
    cost.library = library.version();
    cost.theirs = hostCostOf(bench.device, [&] {
      if (!library.run(0, problem))
        throw ToolError("cuBLASLt refused to run its candidate");
    });
  } catch (const ToolError &error) {
    cost.problems.push_back(error.what());
  }
  return cost;
}

} // namespace gemm::bench
