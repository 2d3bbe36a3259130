// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A caller's problem, checked against the signature of an artifact.
#ifndef GEMM_RUNTIME_PROBLEM_H
#define GEMM_RUNTIME_PROBLEM_H

#include "Artifact.h"

#include <array>
#include <cstdint>

namespace gemm::runtime {

class Problem {
public:
  /// Checks everything that no entry's guard is asked about: counts, extents,
  /// leading dimensions, pointers, overlap. Throws Error. Both arguments must
  /// outlive the object.
  Problem(const Artifact &artifact, const gemm_problem &problem);

  const Artifact &artifact() const { return *signature; }
  int64_t extent(gemm_dim dim) const { return extents[dim]; }
  const gemm_operand &operand(size_t index) const {
    return arguments->operands[index];
  }
  double scalar(size_t index) const { return arguments->scalars[index]; }

  /// No element of D exists.
  bool isEmpty() const;
  /// Whether the kernel touches this operand's memory.
  bool isAccessed(size_t index) const;
  /// How many matrices lie behind the operand.
  int64_t batches(size_t index) const;

private:
  void checkExtents() const;
  void checkOperand(size_t index) const;

  const Artifact *signature;
  const gemm_problem *arguments;
  std::array<int64_t, 4> extents;
};

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_PROBLEM_H
