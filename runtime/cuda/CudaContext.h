// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device's primary context, and making it current for the length of a call.
#ifndef GEMM_RUNTIME_CUDA_CUDACONTEXT_H
#define GEMM_RUNTIME_CUDA_CUDACONTEXT_H

#include "DriverApi.h"

namespace gemm::runtime::cuda {

/// Makes a context current in this thread and puts the caller's back at the
/// end. Does nothing if it is current already, as in most programs.
class ContextScope {
public:
  explicit ContextScope(Context context) {
    Context current = nullptr;
    driver().check(driver().ctxGetCurrent(&current), "cuCtxGetCurrent");
    if (current == context)
      return;
    driver().check(driver().ctxPushCurrent(context), "cuCtxPushCurrent");
    pushed = true;
  }
  ~ContextScope() {
    Context popped = nullptr;
    if (pushed)
      driver().ctxPopCurrent(&popped);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

private:
  bool pushed = false;
};

} // namespace gemm::runtime::cuda

#endif // GEMM_RUNTIME_CUDA_CUDACONTEXT_H
