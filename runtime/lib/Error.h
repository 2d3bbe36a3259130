// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exception that every failure of the runtime travels in, up to the C ABI,
// which turns it into a status and the thread's last error message.
#ifndef GEMM_RUNTIME_ERROR_H
#define GEMM_RUNTIME_ERROR_H

#include "gemm-runtime/runtime.h"

#include <exception>
#include <string>
#include <utility>

namespace gemm::runtime {

class Error : public std::exception {
public:
  Error(gemm_status status, std::string message)
      : errorStatus(status), message(std::move(message)) {}

  gemm_status status() const { return errorStatus; }
  const char *what() const noexcept override { return message.c_str(); }

private:
  gemm_status errorStatus;
  std::string message;
};

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_ERROR_H
