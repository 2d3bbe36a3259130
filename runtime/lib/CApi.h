// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The border to C: exceptions become a status and the thread's last message.
#ifndef GEMM_RUNTIME_CAPI_H
#define GEMM_RUNTIME_CAPI_H

#include "Error.h"

#include <new>

namespace gemm::runtime {

/// Keeps the message for gemm_last_error_message and returns the status.
gemm_status recordError(gemm_status status, const char *message) noexcept;

/// Throws unless the argument is given.
inline void requireArgument(const void *argument, const char *name) {
  if (!argument)
    throw Error(GEMM_ERROR_INVALID_ARGUMENT,
                std::string("argument '") + name + "' is NULL");
}

/// Runs `body` and reports how it ended.
template <typename Body> gemm_status guarded(Body &&body) noexcept {
  try {
    body();
    return GEMM_SUCCESS;
  } catch (const Error &error) {
    return recordError(error.status(), error.what());
  } catch (const std::bad_alloc &) {
    return recordError(GEMM_ERROR_OUT_OF_MEMORY, "out of host memory");
  } catch (const std::exception &error) {
    return recordError(GEMM_ERROR_INTERNAL, error.what());
  }
}

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_CAPI_H
