// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaGraph.h"

namespace gemm::tools {
namespace {

using Handle = void *;

// The CUDA driver API functions used here.
struct Driver {
  const SharedLibrary &library = cudaDriver();
  int (*beginCapture)(Handle stream, int mode) =
      library.function<int(Handle, int)>("cuStreamBeginCapture_v2");
  int (*endCapture)(Handle stream, Handle *graph) =
      library.function<int(Handle, Handle *)>("cuStreamEndCapture");
  int (*instantiate)(Handle *executable, Handle graph, unsigned long long) =
      library.function<int(Handle *, Handle, unsigned long long)>(
          "cuGraphInstantiateWithFlags");
  int (*launch)(Handle executable, Handle stream) =
      library.function<int(Handle, Handle)>("cuGraphLaunch");
  int (*destroyExecutable)(Handle executable) =
      library.function<int(Handle)>("cuGraphExecDestroy");
  int (*destroyGraph)(Handle graph) =
      library.function<int(Handle)>("cuGraphDestroy");
};

const Driver &driver() {
  static const Driver instance;
  return instance;
}

// CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
constexpr int threadLocalCapture = 1;

} // namespace

CudaGraph::CudaGraph(const Device &device, const std::function<void()> &record)
    : device(device) {
  const Driver &api = driver();
  makeContextCurrent(device);
  checkCuda(api.beginCapture(device.stream(), threadLocalCapture),
            "cuStreamBeginCapture");
  Handle graph = nullptr;
  try {
    record();
  } catch (...) {
    if (api.endCapture(device.stream(), &graph) == 0 && graph)
      api.destroyGraph(graph);
    throw;
  }
  checkCuda(api.endCapture(device.stream(), &graph), "cuStreamEndCapture");
  int result = api.instantiate(&executable, graph, 0);
  api.destroyGraph(graph);
  checkCuda(result, "cuGraphInstantiate");
}

CudaGraph::~CudaGraph() {
  if (executable)
    driver().destroyExecutable(executable);
}

void CudaGraph::launch() const {
  checkCuda(driver().launch(executable, device.stream()), "cuGraphLaunch");
}

} // namespace gemm::tools
