// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm-run: compiles a matrix multiplication, runs it, checks every number and
// times it. Exit status: 0 right, 1 wrong or impossible, 2 bad command line.
#include "KernelSource.h"
#include "Options.h"
#include "Run.h"
#include "Sweep.h"

#include <cstdio>
#include <exception>

using namespace gemm::tools;

static int runTool(const Options &options) {
  if (!options.emit.empty()) {
    std::string text = emitPhase(options);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0)
      throw ToolError("cannot write to the standard output");
    return 0;
  }
  if (!options.sweep.empty())
    return runSweep(options);
  return runProblem(options);
}

int main(int argc, char **argv) {
  Options options;
  int status = 0;
  if (!parseOptions(argc, argv, options, status))
    return status;
  try {
    return runTool(options);
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "gemm-run: not enough memory on the host\n");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gemm-run: %s\n", error.what());
  }
  return 1;
}
