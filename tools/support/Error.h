// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_TOOLS_SUPPORT_ERROR_H
#define GEMM_TOOLS_SUPPORT_ERROR_H

#include <stdexcept>
#include <string>

namespace gemm::tools {

// What a tool cannot do, in one sentence for its user. The tools' main
// functions print it and exit with a failure.
class ToolError : public std::runtime_error {
public:
  explicit ToolError(const std::string &message)
      : std::runtime_error(message) {}
};

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_ERROR_H
