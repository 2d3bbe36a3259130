// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One problem with its data, on the host and on a device.
#ifndef GEMM_RUN_INSTANCE_H
#define GEMM_RUN_INSTANCE_H

#include "Options.h"

#include "support/Device.h"
#include "support/Signature.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gemm::tools {

// Extents, strides and scalars of a problem that has a given signature.
struct ProblemShape {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  // By operand index.
  std::vector<MatrixLayout> layouts;
  std::vector<int64_t> offsets;
  std::vector<double> scalars;
  // Index of C, if D is to be C.
  int inPlaceOperand = -1;

  int64_t extent(Dim dim) const;
  double multiplyAdds() const;
};

// Resolves flags against a signature. Throws ToolError that names the flag.
ProblemShape resolveShape(const Signature &signature,
                          const ProblemOptions &options);

// Whether the operand is not to be read, because its scalar is zero.
bool isUnused(const Signature &signature, const ProblemShape &shape,
              size_t operand);

// What a kernel may be asked about without data: pointers that respect the
// offsets and do not overlap, but must not be used.
class PretendedProblem {
public:
  PretendedProblem(const Signature &signature, const ProblemShape &shape);
  const gemm_problem &problem() const { return description; }

private:
  std::vector<gemm_operand> operands;
  std::vector<double> scalars;
  gemm_problem description = {};
};

// Device memory by operand, kept from one instance to the next.
class DeviceArena {
public:
  explicit DeviceArena(const Device &device) : device(device) {}
  DeviceMemory &operand(size_t index);
  DeviceMemory &workspace() { return operand(workspaceIndex); }

private:
  static constexpr size_t workspaceIndex = 0;
  const Device &device;
  std::vector<DeviceMemory> memory;
};

// Data of a problem, generated on the host and copied to the device.
class Instance {
public:
  Instance(DeviceArena &arena, const Signature &signature,
           const ProblemShape &shape, const ProblemOptions &options);

  // Poisons D (or gives it C's values) on the device.
  void resetResults();
  const gemm_problem &problem() const { return description; }
  // Reserves what the kernel wants.
  void provideWorkspace(size_t bytes);
  // Copies D from the device.
  void fetchResults();
  // The results as last fetched, by operand index; null for inputs.
  const HostMatrix *result(size_t operand) const {
    return operand < results.size() ? results[operand].get() : nullptr;
  }
  // What the checker needs; points into this object.
  CheckRequest checkRequest(const AccumulationModel &model,
                            CheckMode mode) const;
  // Copies the results of another run and compares all bits with those of the
  // first; a sentence about the first difference, or "".
  std::string fetchAndCompare(int run);
  // A number that stands for all bits of the results, to compare devices by.
  uint64_t digestResults() const;
  // A sentence about an element of D that no run wrote, or "".
  std::string findUnwritten() const;
  // Operands as they are on the host before a run, by operand index.
  const std::vector<HostMatrix> &hostOperands() const { return initial; }
  // A sentence about a byte that the kernel wrote outside of D, or an input
  // that it changed; "" if there is none. Copies the inputs back.
  std::string findStrayWrite();

private:
  // Where result `operand` is written.
  DeviceMemory &resultMemory(size_t operand);

  DeviceArena &arena;
  const Signature &signature;
  const ProblemShape &shape;
  const ProblemOptions &options;
  // By operand index: inputs as generated, D as it is before a run.
  std::vector<HostMatrix> initial;
  std::vector<std::unique_ptr<HostMatrix>> results;
  std::vector<gemm_operand> operands;
  gemm_problem description = {};
};

} // namespace gemm::tools

#endif // GEMM_RUN_INSTANCE_H
