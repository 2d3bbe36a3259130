// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SharedLibrary.h"

#include "Error.h"

#include <dlfcn.h>

namespace gemm::tools {

SharedLibrary::SharedLibrary(const std::vector<std::string> &candidates) {
  std::string reason, tried;
  for (const std::string &candidate : candidates) {
    handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle) {
      opened = candidate;
      return;
    }
    reason = dlerror();
    tried += (tried.empty() ? "" : ", ") + candidate;
  }
  throw ToolError("cannot open any of " + tried + ": " + reason);
}

void *SharedLibrary::symbol(const char *name) const {
  void *address = dlsym(handle, name);
  if (!address)
    throw ToolError(opened + " has no function " + name +
                    "; it is too old or not the library it seems to be");
  return address;
}

} // namespace gemm::tools
