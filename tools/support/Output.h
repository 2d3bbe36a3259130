// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_TOOLS_SUPPORT_OUTPUT_H
#define GEMM_TOOLS_SUPPORT_OUTPUT_H

#include "Error.h"

#include <string>

namespace gemm::tools {

class WriteError : public ToolError {
public:
  using ToolError::ToolError;
};

// Writes all of `text` to the standard output and flushes it. Throws WriteError
// if that fails, as on a full disk.
void writeOutput(const std::string &text);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_OUTPUT_H
