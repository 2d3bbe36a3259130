// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One problem to be measured.
#ifndef GEMM_BENCH_CASE_H
#define GEMM_BENCH_CASE_H

#include "Options.h" // of gemm-run
#include "support/ElementType.h"
#include "support/Signature.h"

#include <cstdint>
#include <string>

namespace gemm::bench {

using tools::ElementType;

struct Case {
  // Suite, for summaries.
  std::string group;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  // As gemm-run's --layout.
  std::string layout = "tn";
  // Of A, B, the accumulator and D.
  ElementType types[4] = {ElementType::BF16, ElementType::BF16,
                          ElementType::F32, ElementType::BF16};
  // Leading dimensions are rounded up to a multiple of so many elements.
  int64_t pitch = 1;

  // "128 x 8192 x 4096", "64 x (512 x 512 x 64)", with what is unusual.
  std::string shape() const;
  // "bf16 tn", "bf16 x bf16 -> f32 -> f32 nn".
  std::string kind() const;
  // "bf16,bf16,f32,bf16"
  std::string typeList() const;
  // Everything but the group; equal for equal problems only.
  std::string key() const;

  // The flags of gemm-run that describe it.
  tools::ProblemOptions problem() const;
  // What a kernel without an epilogue has.
  tools::Signature signature() const;
};

// Reads typeList(). Throws ToolError.
void parseTypes(const std::string &text, ElementType (&types)[4]);

// Whether a kernel computes exactly what `signature` (of a Case) says.
bool computes(const tools::Signature &kernel, const tools::Signature &wanted,
              const Case &problem);

} // namespace gemm::bench

#endif // GEMM_BENCH_CASE_H
