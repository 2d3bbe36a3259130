// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLASLt, opened at run time, as the yardstick for one problem. Needs no CUDA
// headers; the declarations follow the public cuBLAS documentation, "Using the
// cuBLASLt API".
#ifndef GEMM_TOOLS_SUPPORT_CUBLASLT_H
#define GEMM_TOOLS_SUPPORT_CUBLASLT_H

#include "Device.h"
#include "Signature.h"

#include <gemm-runtime/runtime.h>

#include <memory>
#include <string>
#include <vector>

namespace gemm::tools {

// Where libcublasLt may be: `path` alone if it is not empty, otherwise the
// loader's path, CUDA_HOME, /usr/local/cuda and NVIDIA's Python wheels.
std::vector<std::string> cublasLtCandidates(const std::string &path);

// The problem of a kernel's signature, given to cuBLASLt with the same buffers.
class CublasLtMatmul {
public:
  // `problem` gives extents, strides, scalars and the alignment of the
  // pointers. Throws ToolError if the library is missing or has nothing for
  // this problem, and says which.
  CublasLtMatmul(const Device &device, const std::string &path,
                 const Signature &signature, const gemm_problem &problem);
  ~CublasLtMatmul();
  CublasLtMatmul(const CublasLtMatmul &) = delete;
  CublasLtMatmul &operator=(const CublasLtMatmul &) = delete;

  // Algorithms that the library's heuristic offers, best guess first.
  size_t candidates() const;
  // E.g. "cuBLASLt 13.1.0".
  std::string version() const;
  // Enqueues on the device's stream with the pointers of `problem`; extents and
  // strides must be those of the constructor. False if the library refuses.
  bool run(size_t candidate, const gemm_problem &problem) const;

  static constexpr size_t workspaceBytes = size_t{64} << 20;

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_CUBLASLT_H
