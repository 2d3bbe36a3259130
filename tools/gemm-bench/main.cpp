// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm-bench: measures our kernels against cuBLASLt.
#include "Session.h"

#include "support/Error.h"

#include <cstdio>
#include <exception>

using namespace gemm::bench;

int main(int argc, char **argv) {
  BenchOptions options;
  int status = 0;
  if (!parseBenchOptions(argc, argv, options, status))
    return status;
  try {
    if (!options.read.empty() || !options.compare.empty())
      return printRecorded(options);
    return runSession(options, std::vector<std::string>(argv, argv + argc));
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "gemm-bench: not enough memory on the host\n");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gemm-bench: %s\n", error.what());
  }
  return someFailed;
}
