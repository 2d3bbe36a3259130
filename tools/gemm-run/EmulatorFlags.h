// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags that only an emulator understands.
#ifndef GEMM_RUN_EMULATORFLAGS_H
#define GEMM_RUN_EMULATORFLAGS_H

#include <gemm-runtime/runtime.h>

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace gemm::tools {

struct EmulatorOptions {
  gemm_device_options device = {};
  // The first of these flags that was given, for messages; empty: none.
  std::string given;
};

void addEmulatorFlags(CLI::App &app, EmulatorOptions &options);

} // namespace gemm::tools

#endif // GEMM_RUN_EMULATORFLAGS_H
