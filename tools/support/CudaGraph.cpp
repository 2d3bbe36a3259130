// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaGraph.h"

#include "SharedLibrary.h"

#include <string>

namespace gemm::tools {
namespace {

using Handle = void *;

// The CUDA driver API functions used here; CUresult 0 is success.
struct Driver {
  SharedLibrary library{{"libcuda.so.1", "libcuda.so"}};
  int (*streamGetContext)(Handle stream, Handle *context) =
      library.function<int(Handle, Handle *)>("cuStreamGetCtx");
  int (*setCurrent)(Handle context) =
      library.function<int(Handle)>("cuCtxSetCurrent");
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
  int (*errorString)(int, const char **) =
      library.function<int(int, const char **)>("cuGetErrorString");

  void check(int result, const char *what) const {
    if (result == 0)
      return;
    const char *text = nullptr;
    errorString(result, &text);
    throw ToolError(std::string(what) + " failed: " +
                    (text ? text : "error " + std::to_string(result)));
  }
};

const Driver &driver() {
  static const Driver instance;
  return instance;
}

// CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
constexpr int threadLocalCapture = 1;

} // namespace

void makeContextCurrent(const Device &device) {
  if (device.info().is_emulator)
    return;
  Handle context = nullptr;
  driver().check(driver().streamGetContext(device.stream(), &context),
                 "cuStreamGetCtx");
  driver().check(driver().setCurrent(context), "cuCtxSetCurrent");
}

CudaGraph::CudaGraph(const Device &device, const std::function<void()> &record)
    : device(device) {
  const Driver &api = driver();
  makeContextCurrent(device);
  api.check(api.beginCapture(device.stream(), threadLocalCapture),
            "cuStreamBeginCapture");
  Handle graph = nullptr;
  try {
    record();
  } catch (...) {
    if (api.endCapture(device.stream(), &graph) == 0 && graph)
      api.destroyGraph(graph);
    throw;
  }
  api.check(api.endCapture(device.stream(), &graph), "cuStreamEndCapture");
  int result = api.instantiate(&executable, graph, 0);
  api.destroyGraph(graph);
  api.check(result, "cuGraphInstantiate");
}

CudaGraph::~CudaGraph() {
  if (executable)
    driver().destroyExecutable(executable);
}

void CudaGraph::launch() const {
  driver().check(driver().launch(executable, device.stream()), "cuGraphLaunch");
}

} // namespace gemm::tools
