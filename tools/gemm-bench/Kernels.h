// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our kernels for a problem: compiled in process, or read from a folder.
#ifndef GEMM_BENCH_KERNELS_H
#define GEMM_BENCH_KERNELS_H

#include "Case.h"

#include "KernelSource.h" // of gemm-run

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gemm::bench {

// One way to compute a problem.
struct Variant {
  // The schedule as asked for, or the artifact's file name.
  std::string label;
  // Null if there is none; then `problem` says why.
  const tools::LoadedKernel *kernel = nullptr;
  std::string problem;
};

class Kernels {
public:
  // `schedules`: for the compiler; an empty name leaves the choice to it.
  // `target`: empty for the device's. `folder`: of artifacts (*.ptx); if it is
  // not empty nothing is compiled. Throws ToolError if it holds none.
  Kernels(const tools::Device &device, std::vector<std::string> schedules,
          std::string target, const std::string &folder);

  // Labels of the variants of a problem, without compiling them.
  std::vector<std::string> labels(const Case &problem) const;
  // Compiles on first use. Artifacts that compute something else are left out.
  std::vector<Variant> variants(const Case &problem);

private:
  struct Loaded {
    std::string label;
    std::unique_ptr<tools::LoadedKernel> kernel;
    std::string problem;
  };
  const Loaded &compiled(const Case &problem, const std::string &schedule);

  const tools::Device &device;
  std::vector<std::string> schedules;
  std::string target;
  bool fromFolder;
  std::vector<Loaded> artifacts;
  std::map<std::string, Loaded> cache;
};

// How a variant is called in tables: "compiler's choice" for no name.
std::string scheduleLabel(const std::string &schedule);

} // namespace gemm::bench

#endif // GEMM_BENCH_KERNELS_H
