// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm-run: compiles a matrix multiplication, runs it, checks every number and
// times it. ExitStatus.h says what it exits with.
#include "ExitStatus.h"
#include "KernelSource.h"
#include "Options.h"
#include "Run.h"
#include "Sweep.h"

#include "support/Output.h"

#include <cstdio>
#include <exception>

using namespace gemm::tools;

static int runTool(const Options &options) {
  if (!options.emit.empty()) {
    writeOutput(emitPhase(options));
    return ExitRight;
  }
  if (!options.sweep.empty())
    return runSweep(options);
  return runProblem(options);
}

int main(int argc, char **argv) {
  Options options;
  int status = ExitRight;
  if (!parseOptions(argc, argv, options, status))
    return status;
  try {
    return runTool(options);
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "gemm-run: not enough memory on the host\n");
    return ExitImpossible;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gemm-run: %s\n", error.what());
    return exitStatusOf(error);
  }
}
