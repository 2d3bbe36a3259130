// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares what a kernel wrote with a float64 reference and the error bound of
// the kernel's own arithmetic.
#ifndef GEMM_TOOLS_SUPPORT_CHECK_H
#define GEMM_TOOLS_SUPPORT_CHECK_H

#include "Accumulation.h"
#include "HostMatrix.h"
#include "Signature.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemm::tools {

enum class CheckMode : uint8_t {
  Auto,    // Full up to fullCheckLimit multiply-adds, otherwise sampled.
  Full,    // Every element.
  Sampled, // Random whole rows and columns, the first and last ones among them.
  Off
};

std::optional<CheckMode> parseCheckMode(std::string_view name);

constexpr double fullCheckLimit = 2e9;
// Multiply-adds that a sampled check spends.
constexpr double sampledCheckBudget = 1e9;

struct CheckRequest {
  const Signature *signature = nullptr;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  // By operand index. Inputs: what the kernel was given (C as it was before the
  // run); results: what it wrote.
  std::vector<MatrixView> operands;
  // By scalar index, as given to the runtime.
  std::vector<double> scalars;
  AccumulationModel model;
  CheckMode mode = CheckMode::Auto;
  uint64_t seed = 0;
};

struct Element {
  int64_t batch = 0, row = 0, col = 0;
};

struct CheckResult {
  bool ran = false;
  bool sampled = false;
  int64_t checked = 0;
  int64_t wrong = 0;
  // Elements whose bound is zero, where the bits had to agree.
  int64_t exact = 0;
  // Elements where an intermediate sum may have overflowed: anything goes.
  int64_t unbounded = 0;
  // The element with the largest error / bound; the first wrong one if any is.
  Element worst;
  std::string worstOperand;
  double value = 0, reference = 0, bound = 0;
  double worstRatio = 0; // Infinite if the bound is zero.
  bool worstUnwritten = false;

  bool passed() const { return wrong == 0; }
  // One sentence about `worst`.
  std::string describeWorst() const;
};

CheckResult checkResult(const CheckRequest &request);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_CHECK_H
