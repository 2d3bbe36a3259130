// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gemm::tools {

void writeOutput(const std::string &text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0)
    throw WriteError(std::string("cannot write to the standard output: ") +
                     std::strerror(errno));
}

} // namespace gemm::tools
