// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Measure.h"

#include "support/BufferSets.h"
#include "support/CublasLt.h"
#include "support/DeviceLimits.h"
#include "support/Timing.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace gemm::tools {
namespace {

constexpr size_t coldFootprint = size_t{512} << 20;
constexpr int64_t mostSets = 512;
// Candidates of cuBLASLt that survive the screening.
constexpr size_t finalists = 3;

// The operands of a problem, in many sets of buffers.
class Rotation {
public:
  Rotation(const Device &device, const Instance &instance,
           const ProblemShape &shape, const Signature &signature, bool hot)
      : problem(instance.problem()),
        sets(device, pointers(instance), aliases(signature, shape),
             hot ? 0 : coldFootprint, hot ? 1 : 2, hot ? 1 : mostSets) {}

  gemm_problem at(int64_t set) const {
    gemm_problem result = problem;
    result.operands = sets.operands(set).data();
    return result;
  }
  const BufferSets &buffers() const { return sets; }

private:
  static std::vector<const HostMatrix *> pointers(const Instance &instance) {
    std::vector<const HostMatrix *> result;
    for (const HostMatrix &matrix : instance.hostOperands())
      result.push_back(&matrix);
    return result;
  }
  static std::vector<int> aliases(const Signature &signature,
                                  const ProblemShape &shape) {
    std::vector<int> result(signature.operands.size(), -1);
    if (shape.inPlaceOperand >= 0)
      result[signature.operandsD()[0]] = shape.inPlaceOperand;
    return result;
  }

  gemm_problem problem;
  BufferSets sets;
};

std::string formatSpread(const Spread &spread) {
  return format("%s [%s .. %s]", formatSeconds(spread.median).c_str(),
                formatSeconds(spread.lowest).c_str(),
                formatSeconds(spread.highest).c_str());
}

nlohmann::ordered_json spreadJson(const Spread &spread) {
  return {{"median", spread.median},
          {"lowest", spread.lowest},
          {"highest", spread.highest}};
}

// How far two results are apart, ||a - b|| / ||b||, over all elements.
double relativeDifference(const HostMatrix &a, const HostMatrix &b) {
  const MatrixLayout &shape = a.layout();
  MatrixView x = a.view(), y = b.view();
  double difference = 0, norm = 0;
  // A few hundred thousand elements say enough.
  int64_t step = 1 + shape.rows * shape.cols / 300000;
  for (int64_t batch = 0; batch < shape.batches; ++batch)
    for (int64_t i = batch % step; i < shape.rows * shape.cols; i += step) {
      double left = x.at(batch, i / shape.cols, i % shape.cols);
      double right = y.at(batch, i / shape.cols, i % shape.cols);
      difference += (left - right) * (left - right);
      norm += right * right;
    }
  return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

// D after one run of a contender on the first set of buffers.
std::unique_ptr<HostMatrix> resultOf(const Device &device,
                                     const Instance &instance,
                                     const Rotation &rotation,
                                     const Contender &contender) {
  gemm_problem problem = rotation.at(0);
  auto reset = [&](size_t operand) {
    const HostMatrix &matrix = instance.hostOperands()[operand];
    checkStatus(gemm_memory_copy_to_device(
        device.handle(), problem.operands[operand].data, matrix.elements(),
        static_cast<size_t>(matrix.layout().span()) *
            elementSize(matrix.type()),
        device.stream()));
  };
  size_t d = problem.num_operands - 1;
  for (size_t i = 0; i < problem.num_operands; ++i)
    if (instance.result(i))
      d = i;
  // In place, the runs before have changed C.
  size_t start = d;
  for (size_t i = 0; i < problem.num_operands; ++i)
    if (i != d && problem.operands[i].data == problem.operands[d].data)
      start = i;
  reset(start);
  contender.enqueue(0);
  device.synchronize();
  const HostMatrix &shape = instance.hostOperands()[d];
  auto result = std::make_unique<HostMatrix>(shape.type(), shape.layout());
  checkStatus(gemm_memory_copy_to_host(
      device.handle(), result->elements(), problem.operands[d].data,
      static_cast<size_t>(shape.layout().span()) * elementSize(shape.type()),
      device.stream()));
  return result;
}

// cuBLASLt prepared for a rotation, its algorithms screened down to the best.
class Rival {
public:
  Rival(const Device &device, const Rotation &rotation,
        const Signature &signature, const std::string &path)
      : device(device), rotation(rotation),
        matmul(device, path, signature, rotation.at(0)) {}

  Contender contender(size_t candidate) const {
    return {"candidate " + std::to_string(candidate),
            [this, candidate](int64_t set) {
              if (!matmul.run(candidate, rotation.at(set)))
                throw ToolError("cuBLASLt refused to run its candidate " +
                                std::to_string(candidate));
            }};
  }

  // Candidates that run, the fastest first.
  std::vector<size_t> screen(const TimingOptions &timing) const {
    std::vector<size_t> usable;
    std::vector<Contender> contenders;
    for (size_t i = 0; i < matmul.candidates(); ++i) {
      if (!matmul.run(i, rotation.at(0)))
        continue;
      usable.push_back(i);
      contenders.push_back(contender(i));
    }
    device.synchronize();
    if (usable.empty())
      throw ToolError("cuBLASLt refused to run all of its " +
                      std::to_string(matmul.candidates()) + " candidates");
    TimingOptions quick = timing;
    quick.rounds = 3;
    TimingResult result = timeInterleaved(device, contenders, quick);
    std::vector<size_t> order(usable.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return result.time(a).median < result.time(b).median;
    });
    std::vector<size_t> fastest;
    for (size_t i : order)
      fastest.push_back(usable[i]);
    return fastest;
  }

  const CublasLtMatmul &library() const { return matmul; }

private:
  const Device &device;
  const Rotation &rotation;
  CublasLtMatmul matmul;
};

void reportRate(Report &report, const Device &device,
                const Signature &signature, const EntrySignature &entry,
                const ProblemShape &shape, double seconds) {
  double operations = 2 * shape.multiplyAdds();
  double bytes = compulsoryBytes(signature, shape);
  std::string unit = isFloat(signature.accumulator) ? "FLOP" : "OP";
  std::string text = formatRate(operations / seconds, unit) + ", " +
                     formatRate(bytes / seconds, "B") + " of operands";
  auto &json = report.json()["rate"];
  json["operations_per_second"] = operations / seconds;
  json["operand_bytes_per_second"] = bytes / seconds;
  ElementType type = signature.operands[signature.operandA()].type;
  std::optional<Roofline> roofline =
      deviceRoofline(device.info(), type, usesTensorCores(entry.schedule));
  if (roofline) {
    double best = roofline->seconds(operations, bytes);
    bool compute = operations / roofline->operationsPerSecond >=
                   bytes / roofline->bytesPerSecond;
    text +=
        format("; %.3f of the roofline (%s: %s at the highest clock)",
               best / seconds, compute ? "arithmetic" : "memory",
               compute ? formatRate(roofline->operationsPerSecond, unit).c_str()
                       : formatRate(roofline->bytesPerSecond, "B").c_str());
    json["roofline_fraction"] = best / seconds;
    json["roofline_limit"] = compute ? "arithmetic" : "memory";
  }
  report.line("rate", text);
}

} // namespace

double compulsoryBytes(const Signature &signature, const ProblemShape &shape) {
  double bytes = 0;
  for (size_t i = 0; i < signature.operands.size(); ++i) {
    if (isUnused(signature, shape, i))
      continue;
    const MatrixLayout &layout = shape.layouts[i];
    bytes += static_cast<double>(layout.rows) *
             static_cast<double>(layout.cols) *
             static_cast<double>(layout.batches) *
             static_cast<double>(elementSize(signature.operands[i].type));
  }
  return bytes;
}

void measure(Report &report, const Device &device, const LoadedKernel &kernel,
             size_t entry, const Instance &instance, const ProblemShape &shape,
             const Options &options) {
  if (shape.m == 0 || shape.n == 0 || shape.batch == 0) {
    report.line("time", "nothing to run");
    return;
  }
  const Signature &signature = kernel.signature;
  Rotation rotation(device, instance, shape, signature, options.hot);
  TimingOptions timing;
  timing.sets = rotation.buffers().count();
  std::vector<Contender> contenders = {{"gemm", [&](int64_t set) {
                                          kernel.kernel.launch(rotation.at(set),
                                                               device.stream());
                                        }}};

  std::unique_ptr<Rival> rival;
  std::vector<size_t> order;
  if (options.versusCublasLt) {
    try {
      rival = std::make_unique<Rival>(device, rotation, signature,
                                      options.cublasLtPath);
      order = rival->screen(timing);
      for (size_t i = 0; i < std::min(finalists, order.size()); ++i)
        contenders.push_back(rival->contender(order[i]));
    } catch (const ToolError &error) {
      report.line("cublaslt", std::string("not compared: ") + error.what());
      report.json()["cublaslt"] = {{"error", error.what()}};
      rival.reset();
    }
  }

  TimingResult result = timeInterleaved(device, contenders, timing);
  Spread ours = result.time(0);
  double footprint = static_cast<double>(rotation.buffers().bytesPerSet()) *
                     static_cast<double>(timing.sets);
  report.line(
      "time",
      formatSpread(ours) +
          format(", median of %d rounds of %lld runs, %s", timing.rounds,
                 static_cast<long long>(result.runsPerSample[0]),
                 options.hot ? "one set of buffers"
                             : format("%lld sets of buffers (%s)",
                                      static_cast<long long>(timing.sets),
                                      formatBytes(footprint).c_str())
                                   .c_str()));
  auto &json = report.json()["time"];
  json = spreadJson(ours);
  json["rounds"] = timing.rounds;
  json["runs_per_round"] = result.runsPerSample[0];
  json["buffer_sets"] = timing.sets;
  json["footprint_bytes"] = footprint;
  reportRate(report, device, signature, signature.entries[entry], shape,
             ours.median);
  if (!rival)
    return;

  size_t best = 1;
  for (size_t i = 2; i < contenders.size(); ++i)
    if (result.time(i).median < result.time(best).median)
      best = i;
  Spread ratio = result.ratio(0, best);
  // The same numbers, or the comparison is worth nothing.
  std::unique_ptr<HostMatrix> mine =
      resultOf(device, instance, rotation, contenders[0]);
  std::unique_ptr<HostMatrix> theirs =
      resultOf(device, instance, rotation, contenders[best]);
  double difference = relativeDifference(*mine, *theirs);

  report.line("cublaslt", formatSpread(result.time(best)) +
                              format(", best of %zu candidates (no. %zu), %s",
                                     order.size(), order[best - 1] + 1,
                                     rival->library().version().c_str()));
  report.line(
      "ratio",
      format("%.4f [%.4f .. %.4f] cuBLASLt's time / ours; above 1 we are "
             "faster",
             ratio.median, ratio.lowest, ratio.highest));
  report.line("agreement",
              format("||ours - theirs|| / ||theirs|| = %.2e", difference));
  report.json()["cublaslt"] = {{"version", rival->library().version()},
                               {"candidates", order.size()},
                               {"candidate", order[best - 1]},
                               {"time", spreadJson(result.time(best))},
                               {"ratio", spreadJson(ratio)},
                               {"relative_difference", difference}};
}

} // namespace gemm::tools
