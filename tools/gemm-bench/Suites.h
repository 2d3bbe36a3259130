// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of problems, as text:
//   # comment
//   M N K [batch=LIST] [layout=LIST] [types=A,B,ACC,D] [pitch=LIST]
//   group NAME
// M, N and K are numbers or comma-separated lists, of which every combination
// is meant. `group` names what the following lines are summed up under.
#ifndef GEMM_BENCH_SUITES_H
#define GEMM_BENCH_SUITES_H

#include "Case.h"

#include <optional>
#include <string>
#include <vector>

namespace gemm::bench {

// What a list leaves open.
struct CaseDefaults {
  std::optional<std::string> layout;
  std::optional<std::string> types;
};

// Lines that state a layout or types other than those in `defaults` are left
// out. Throws ToolError that names `source` and the line.
std::vector<Case> parseCases(const std::string &text, const std::string &source,
                             const std::string &group,
                             const CaseDefaults &defaults);

// squares, llm, ... in the order in which `all` runs them.
std::vector<std::string> suiteNames();

struct SuiteText {
  std::string text;
  // A path, or "built in".
  std::string source;
};

// The suite's file: in `suites` beside the program `executable`, in
// share/gemm-bench/suites of its prefix, or the copy inside the program.
SuiteText findSuite(const std::string &name, const std::string &executable);

} // namespace gemm::bench

#endif // GEMM_BENCH_SUITES_H
