// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an instruction adds up products, as far as an error bound needs it.
// Sources for tensor cores: "MMA-Sim: Bit-Accurate Reference Model of Tensor
// Cores and Matrix Cores" (arXiv 2511.10909), "Accurate Models of NVIDIA Tensor
// Cores" (arXiv 2512.07004).
#ifndef GEMM_TOOLS_SUPPORT_ACCUMULATION_H
#define GEMM_TOOLS_SUPPORT_ACCUMULATION_H

#include "ElementType.h"

#include <string>
#include <string_view>

namespace gemm::tools {

// D = C + sum of `termsPerStep` products, in increasing k. Every term is cut to
// a multiple of alignmentUnit * (the largest term), then the sum is rounded:
//   error per step <= (terms + 1) * alignmentUnit * max|term|
//                     + outputUnit * |result| + smallest.
// A chain of fused multiply-adds is termsPerStep = 1, alignmentUnit = 0.
struct AccumulationModel {
  int termsPerStep = 1;
  double alignmentUnit = 0;
  double outputUnit = 0;
  // Largest error of a subnormal result.
  double smallest = 0;
  // Partial sums from here on may have become infinite.
  double overflow = 0;
  // No rounding at all; s32 wraps around.
  bool exact = false;
  bool wraps32 = false;
  // For people: "wgmma: 16 terms a step, 25 fraction bits".
  std::string description;
};

// Whether the schedule uses tensor cores, by the instruction that it names.
bool usesTensorCores(std::string_view schedule);

// The model of the instruction that `schedule` names, on a device or target of
// the given compute capability (major * 10 + minor), for operands of `type`
// (the wider of A's and B's) summed in `accumulator`.
AccumulationModel chooseAccumulation(std::string_view schedule, int capability,
                                     ElementType type, ElementType accumulator);

// The same arithmetic on data whose every partial sum is exact.
AccumulationModel exactAccumulation(const AccumulationModel &model);

// The number in a PTX target name: major * 10 + minor; 0 if it is no such name.
int targetCapability(std::string_view target);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_ACCUMULATION_H
