// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text level of an artifact: where the description stands in the comments
// and what the PTX says about itself. Knows nothing of the description's
// fields.
#ifndef GEMM_RUNTIME_ARTIFACTTEXT_H
#define GEMM_RUNTIME_ARTIFACTTEXT_H

#include <string>
#include <string_view>

namespace gemm::runtime {

struct Description {
  std::string json;
  int firstLine = 0; ///< of the JSON in the file, counted from 1
};

/// The JSON between the begin and end lines. Throws Error if there is none.
Description extractDescription(std::string_view text);

/// The first operand of the first `.version` or `.target` directive; empty if
/// there is none.
std::string_view findDirective(std::string_view ptx, std::string_view name);

/// Whether the PTX defines `.entry name`.
bool hasEntry(std::string_view ptx, std::string_view name);

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_ARTIFACTTEXT_H
