// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_TOOLS_SUPPORT_SHAREDLIBRARY_H
#define GEMM_TOOLS_SUPPORT_SHAREDLIBRARY_H

#include <string>
#include <vector>

namespace gemm::tools {

// A library opened at run time, kept open until the process ends.
class SharedLibrary {
public:
  // The first of `candidates` (names or paths) that opens. Throws ToolError
  // that lists them and says why the last one failed.
  explicit SharedLibrary(const std::vector<std::string> &candidates);

  // Throws ToolError if the library has no such function.
  template <typename Function> Function *function(const char *name) const {
    return reinterpret_cast<Function *>(symbol(name));
  }
  const std::string &path() const { return opened; }

private:
  void *symbol(const char *name) const;

  void *handle = nullptr;
  std::string opened;
};

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_SHAREDLIBRARY_H
