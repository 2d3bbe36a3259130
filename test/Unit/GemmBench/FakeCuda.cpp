// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA driver whose device is the host, with a clock that only moves when
// something runs: a launch takes as long as the fake that does it says. Graphs
// run their work when it is recorded; launching one takes the same time again.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

double clockSeconds = 0;
bool capturing = false;
double captured = 0;

struct Module {
  std::string text;
};
struct Function {
  std::string name;
  size_t elementBytes;
};
struct Graph {
  double seconds;
};

// A standard normal number is anything that is small and varies.
float someNumber(uint64_t key, uint64_t index) {
  uint64_t z = (key + index) * 0x9e3779b97f4a7c15;
  z ^= z >> 29;
  return static_cast<float>(static_cast<int64_t>(z % 2001) - 1000) / 500;
}

uint64_t argument(void **arguments, int index) {
  uint64_t value;
  std::memcpy(&value, arguments[index], sizeof(value));
  return value;
}

std::byte *pointer(void **arguments, int index) {
  return reinterpret_cast<std::byte *>(argument(arguments, index));
}

void run(const Function &function, void **arguments) {
  size_t size = function.elementBytes;
  if (function.name == "fill") {
    auto *out = reinterpret_cast<float *>(pointer(arguments, 0));
    for (uint64_t i = 0; i < argument(arguments, 1); ++i)
      out[i] = someNumber(argument(arguments, 2), i);
  } else if (function.name == "set_bits") {
    uint64_t bits = argument(arguments, 2);
    for (uint64_t i = 0; i < argument(arguments, 1); ++i)
      std::memcpy(pointer(arguments, 0) + i * size, &bits, size);
  } else if (function.name == "gather") {
    auto *rows = reinterpret_cast<int64_t *>(pointer(arguments, 2)),
         *cols = reinterpret_cast<int64_t *>(pointer(arguments, 3));
    uint64_t count = argument(arguments, 5);
    for (uint64_t i = 0; i < argument(arguments, 4); ++i)
      for (uint64_t j = 0; j < count; ++j)
        std::memcpy(pointer(arguments, 0) + (i * count + j) * size,
                    pointer(arguments, 1) +
                        (rows[i] + cols[j]) * static_cast<int64_t>(size),
                    size);
  } else if (function.name == "count_equal") {
    auto *out = reinterpret_cast<uint64_t *>(pointer(arguments, 7));
    uint64_t lines = argument(arguments, 1), length = argument(arguments, 2);
    uint64_t pitch = argument(arguments, 3), stride = argument(arguments, 5);
    uint64_t bits = argument(arguments, 6);
    for (uint64_t b = 0; b < argument(arguments, 4); ++b)
      for (uint64_t l = 0; l < lines; ++l)
        for (uint64_t p = 0; p < length; ++p) {
          const std::byte *at =
              pointer(arguments, 0) + (b * stride + l * pitch + p) * size;
          if (std::memcmp(at, &bits, size) != 0)
            continue;
          ++out[0];
          out[1] = std::min(out[1], (b * lines + l) * length + p);
        }
  } else if (function.name == "multiply") {
    // 1500 cycles in 1000 ns.
    auto *out = reinterpret_cast<uint64_t *>(pointer(arguments, 2));
    out[0] = 1500;
    out[1] = 1000;
  }
}

} // namespace

// What the other fakes call.
EXPORT void fakeWork(double seconds) {
  (capturing ? captured : clockSeconds) += seconds;
}
EXPORT double fakeClock() { return clockSeconds; }

EXPORT int cuStreamGetCtx(void *, void **context) {
  *context = nullptr;
  return 0;
}
EXPORT int cuCtxSetCurrent(void *) { return 0; }
EXPORT int cuCtxGetDevice(int *device) {
  *device = 0;
  return 0;
}
EXPORT int cuDeviceGetPCIBusId(char *text, int length, int) {
  std::strncpy(text, "0000:07:00.0", static_cast<size_t>(length));
  return 0;
}
EXPORT int cuStreamBeginCapture_v2(void *, int) {
  capturing = true;
  captured = 0;
  return 0;
}
EXPORT int cuStreamEndCapture(void *, void **graph) {
  capturing = false;
  *graph = new Graph{captured};
  return 0;
}
EXPORT int cuGraphInstantiateWithFlags(void **executable, void *graph,
                                       unsigned long long) {
  *executable = new Graph(*static_cast<Graph *>(graph));
  return 0;
}
EXPORT int cuGraphLaunch(void *executable, void *) {
  fakeWork(static_cast<Graph *>(executable)->seconds);
  return 0;
}
EXPORT int cuGraphExecDestroy(void *executable) {
  delete static_cast<Graph *>(executable);
  return 0;
}
EXPORT int cuGraphDestroy(void *graph) {
  delete static_cast<Graph *>(graph);
  return 0;
}
EXPORT int cuMemcpyDtoDAsync_v2(uint64_t, uint64_t, size_t, void *) {
  fakeWork(1e-3);
  return 0;
}
EXPORT int cuModuleLoadDataEx(void **module, const void *text, unsigned,
                              const int *, void **) {
  *module = new Module{static_cast<const char *>(text)};
  return 0;
}
EXPORT int cuModuleUnload(void *module) {
  delete static_cast<Module *>(module);
  return 0;
}
EXPORT int cuModuleGetFunction(void **function, void *module,
                               const char *name) {
  // The size of elements is in how they are stored.
  const std::string &text = static_cast<Module *>(module)->text;
  size_t size = 4;
  for (size_t bytes : {1, 2, 4, 8})
    if (text.find("st.global.b" + std::to_string(8 * bytes) + " [%t], %bits") !=
        std::string::npos)
      size = bytes;
  static std::vector<Function *> all;
  all.push_back(new Function{name, size});
  *function = all.back();
  return 0;
}
EXPORT int cuFuncSetAttribute(void *, int, int) { return 0; }
EXPORT int cuLaunchKernel(void *function, unsigned, unsigned, unsigned,
                          unsigned, unsigned, unsigned, unsigned, void *,
                          void **arguments, void **) {
  run(*static_cast<Function *>(function), arguments);
  fakeWork(1e-3);
  return 0;
}
EXPORT int cuGetErrorString(int, const char **text) {
  *text = "an error";
  return 0;
}
