// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExitStatus.h"

#include "support/Device.h"
#include "support/Output.h"

#include <new>

namespace gemm::tools {

ExitStatus exitStatusOf(const std::exception &error) {
  if (const auto *failure = dynamic_cast<const RuntimeError *>(&error)) {
    switch (failure->status()) {
    case GEMM_ERROR_DEVICE:
      return ExitWrong;
    case GEMM_ERROR_NO_DEVICE:
    case GEMM_ERROR_OUT_OF_MEMORY:
    case GEMM_ERROR_INTERNAL:
      return ExitImpossible;
    default:
      return ExitRefused;
    }
  }
  if (dynamic_cast<const WriteError *>(&error))
    return ExitImpossible;
  if (dynamic_cast<const ToolError *>(&error))
    return ExitRefused;
  return ExitImpossible;
}

} // namespace gemm::tools
