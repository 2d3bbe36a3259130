// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver functions that captured graphs need. Work runs when it is
// recorded; launching a graph does nothing.
#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int cuStreamGetCtx(void *, void **context) {
  *context = nullptr;
  return 0;
}
EXPORT int cuCtxSetCurrent(void *) { return 0; }
EXPORT int cuStreamBeginCapture_v2(void *, int) { return 0; }
EXPORT int cuStreamEndCapture(void *, void **graph) {
  static int token;
  *graph = &token;
  return 0;
}
EXPORT int cuGraphInstantiateWithFlags(void **executable, void *graph,
                                       unsigned long long) {
  *executable = graph;
  return 0;
}
EXPORT int cuGraphLaunch(void *, void *) { return 0; }
EXPORT int cuGraphExecDestroy(void *) { return 0; }
EXPORT int cuGraphDestroy(void *) { return 0; }
EXPORT int cuGetErrorString(int, const char **text) {
  *text = "an error";
  return 0;
}
