// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Judges what a kernel wrote by a sample of rows and columns, whatever the size
// of the matrices, which stay on the device.
#ifndef GEMM_BENCH_SAMPLECHECK_H
#define GEMM_BENCH_SAMPLECHECK_H

#include "Case.h"
#include "DeviceTools.h"

#include "Instance.h" // of gemm-run
#include "support/Accumulation.h"

#include <optional>
#include <string>
#include <vector>

namespace gemm::bench {

// One index of each of `wanted` equal parts of [0, count), the first and the
// last index among them; increasing, without repetitions.
std::vector<int64_t> stratifiedSample(int64_t count, int64_t wanted,
                                      uint64_t seed);

struct SampleVerdict {
  // What is wrong; "" if nothing.
  std::string complaint;
  // ||D - reference|| / ||reference|| over the sample.
  double relativeError = 0;
  // Largest error / bound, where a bound is known.
  double errorOverBound = 0;
  int64_t elements = 0;
};

class SampleCheck {
public:
  // `problem` holds the operands on the device. Takes the sample and computes
  // its products in float64.
  SampleCheck(DeviceTools &tools, const tools::Signature &signature,
              const tools::ProblemShape &shape, const gemm_problem &problem,
              uint64_t seed);

  // Fills D with poison.
  void poison();
  // Judges D: every element must be written, the sampled ones must lie within
  // the bound that `model` allows or, without one, within looseLimit().
  SampleVerdict judge(const std::optional<tools::AccumulationModel> &model);

  // Largest relative error of a kernel of unknown arithmetic: four roundings to
  // D's type, and what short accumulators of 8-bit operands cost.
  double looseLimit() const;

private:
  // Copies the elements (line, position) of an operand into its sample.
  void gather(size_t index, const std::vector<int64_t> &lines,
              const std::vector<int64_t> &positions);

  DeviceTools &tools;
  const tools::Signature &signature;
  const tools::ProblemShape &shape;
  const gemm_problem &problem;
  std::vector<int64_t> batches, rows, cols;
  // The sampled part of the operands, packed.
  std::vector<tools::HostMatrix> sample;
  // Values of D in float64, before they are rounded to its type.
  std::vector<double> reference;
};

} // namespace gemm::bench

#endif // GEMM_BENCH_SAMPLECHECK_H
