// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm-runtime-smoke [DEVICE]: loads and runs the kernels of SmokeKernels.h
// through the C interface on a real device (default cuda:0) and provokes its
// errors. Exit status 0: all checks hold, 1: some do not, 77: no such device.
#include "SmokeKernels.h"
#include "gemm-runtime/runtime.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace gemm::runtime;

static int failures = 0;

static void check(bool holds, const std::string &what) {
  if (!holds) {
    std::printf("FAILED: %s\n", what.c_str());
    ++failures;
  }
}

/// The call must succeed.
static bool succeeds(gemm_status status, const std::string &what) {
  check(status == GEMM_SUCCESS, what + ": " + gemm_status_name(status) + ": " +
                                    gemm_last_error_message());
  return status == GEMM_SUCCESS;
}

/// The call must end in this status, with a message that has this text.
static void fails(gemm_status status, gemm_status expected,
                  std::string_view text, const std::string &what) {
  std::string message = gemm_last_error_message();
  if (status == expected)
    std::printf("%s: %s\n", what.c_str(), message.c_str());
  check(status == expected && message.find(text) != std::string::npos,
        what + ": got " + gemm_status_name(status) + ": " + message);
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

namespace {

struct Extents {
  int64_t m, n, k, batch;
};

/// A host matrix and its device copy: `batches` of lines x line elements, with
/// `pad` elements behind each line and an odd gap behind each batch.
struct Matrix {
  gemm_device *device;
  int64_t lines, line, pitch, batchStride;
  std::vector<float> host;
  void *memory = nullptr;

  Matrix(gemm_device *device, int64_t lines, int64_t line, int64_t pad,
         int64_t batches, float fill)
      : device(device), lines(lines), line(line), pitch(line + pad),
        batchStride(pitch * lines + 4 * pad),
        host(size_t(batchStride * batches + 1), fill) {
    succeeds(gemm_memory_allocate(device, bytes(), &memory), "allocate");
  }
  ~Matrix() { succeeds(gemm_memory_free(device, memory), "free"); }
  Matrix(const Matrix &) = delete;

  size_t bytes() const { return host.size() * sizeof(float); }
  float &at(int64_t batch, int64_t i, int64_t j) {
    return host[size_t(batch * batchStride + i * pitch + j)];
  }
  /// Small integers: sums and products stay exact.
  void randomise(std::mt19937 &generator, int64_t batches) {
    std::uniform_int_distribution<int> values(-8, 8);
    for (int64_t b = 0; b < batches; ++b)
      for (int64_t i = 0; i < lines; ++i)
        for (int64_t j = 0; j < line; ++j)
          at(b, i, j) = static_cast<float>(values(generator));
  }
  void upload() {
    succeeds(gemm_memory_copy_to_device(device, memory, host.data(), bytes(),
                                        nullptr),
             "copy to device");
  }
  gemm_operand operand() const { return {memory, pitch, batchStride}; }
};

class Kernel {
public:
  Kernel(gemm_device *device, const std::string &text) {
    succeeds(gemm_kernel_load(device, text.data(), text.size(), &kernel),
             "load");
  }
  ~Kernel() { gemm_kernel_unload(kernel); }
  Kernel(const Kernel &) = delete;
  operator gemm_kernel *() const { return kernel; }

private:
  gemm_kernel *kernel = nullptr;
};

} // namespace

/// Runs one problem and compares every element of D's allocation.
static void runProblem(gemm_device *device, gemm_kernel *kernel,
                       const SmokeLayout &layout, const Extents &e, int64_t pad,
                       float beta, gemm_stream stream,
                       const std::string &what) {
  std::mt19937 generator(17);
  auto matrix = [&](int64_t rows, int64_t cols, bool columnMajor, float fill) {
    return columnMajor ? Matrix(device, cols, rows, pad, e.batch, fill)
                       : Matrix(device, rows, cols, pad, e.batch, fill);
  };
  const float poison = std::nanf("");
  Matrix a = matrix(e.m, e.k, layout.columnMajorA, poison);
  Matrix b = matrix(e.n, e.k, layout.columnMajorB, poison);
  Matrix c = matrix(e.m, e.n, layout.columnMajorD, poison);
  Matrix d = matrix(e.m, e.n, layout.columnMajorD, -77.0f);
  a.randomise(generator, e.batch);
  b.randomise(generator, e.batch);
  c.randomise(generator, e.batch);
  for (Matrix *each : {&a, &b, &c, &d})
    each->upload();

  gemm_operand operands[] = {a.operand(), b.operand(), c.operand(),
                             d.operand()};
  if (beta == 0)
    operands[2] = {nullptr, 0, 0};
  if (e.k == 0)
    operands[0].data = operands[1].data = nullptr;
  const float alpha = 0.5f;
  const double scalars[] = {alpha, beta};
  gemm_problem problem{e.m, e.n,     e.k, e.batch, operands,
                       4,   scalars, 2,   nullptr, 0};
  if (!succeeds(gemm_kernel_launch(kernel, &problem, stream), what) ||
      !succeeds(gemm_stream_synchronize(device, stream), what))
    return;

  std::vector<float> result(d.host.size());
  succeeds(gemm_memory_copy_to_host(device, result.data(), d.memory, d.bytes(),
                                    stream),
           "copy to host");
  auto element = [](Matrix &matrix, bool columnMajor, int64_t batch, int64_t i,
                    int64_t j) -> float & {
    return columnMajor ? matrix.at(batch, j, i) : matrix.at(batch, i, j);
  };
  for (int64_t batch = 0; batch < e.batch; ++batch)
    for (int64_t i = 0; i < e.m; ++i)
      for (int64_t j = 0; j < e.n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < e.k; ++k)
          sum += double(element(a, layout.columnMajorA, batch, i, k)) *
                 element(b, layout.columnMajorB, batch, j, k);
        sum *= alpha;
        if (beta != 0)
          sum += beta * element(c, layout.columnMajorD, batch, i, j);
        element(d, layout.columnMajorD, batch, i, j) = float(sum);
      }
  size_t wrong = 0;
  for (size_t i = 0; i < result.size(); ++i)
    wrong += !(result[i] == d.host[i]); // what is not D keeps its fill
  check(wrong == 0, what + ": " + std::to_string(wrong) + " of " +
                        std::to_string(result.size()) + " elements differ");
}

static void runAll(gemm_device *device, bool tma) {
  const Extents sizes[] = {{1, 1, 1, 1},    {7, 13, 5, 1},   {16, 16, 16, 1},
                           {17, 33, 65, 3}, {64, 48, 32, 2}, {33, 65, 0, 2},
                           {0, 5, 5, 1},    {5, 0, 5, 1},    {129, 31, 100, 1}};
  gemm_stream stream = nullptr;
  succeeds(gemm_stream_create(device, &stream), "create a stream");
  int count = 0;
  for (int bits = 0; bits < 8; ++bits) {
    SmokeLayout layout{bool(bits & 1), bool(bits & 2), bool(bits & 4)};
    Kernel kernel(device, tma ? tmaArtifact(layout) : naiveArtifact(layout));
    if (!kernel)
      continue;
    for (const Extents &size : sizes)
      for (int64_t pad : {0, 1, 4})
        for (float beta : {0.0f, 2.0f}) {
          Extents e = size;
          std::string what =
              std::string(tma ? "tma" : "naive") + " layout " +
              std::to_string(bits) + " " + std::to_string(e.m) + "x" +
              std::to_string(e.n) + "x" + std::to_string(e.k) + " batch " +
              std::to_string(e.batch) + " pad " + std::to_string(pad);
          // Tensor maps need lines of whole 16 bytes.
          int64_t lineA = layout.columnMajorA ? e.m : e.k;
          int64_t lineB = layout.columnMajorB ? e.n : e.k;
          if (tma && ((lineA + pad) % 4 || (lineB + pad) % 4))
            continue;
          runProblem(device, kernel, layout, e, pad, beta,
                     count++ % 2 ? stream : nullptr, what);
        }
  }
  succeeds(gemm_stream_destroy(device, stream), "destroy the stream");
  std::printf("%s: %d problems\n", tma ? "tma" : "naive", count);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static gemm_status tryLoad(gemm_device *device, const std::string &text) {
  gemm_kernel *kernel = nullptr;
  gemm_status status =
      gemm_kernel_load(device, text.data(), text.size(), &kernel);
  gemm_kernel_unload(kernel);
  return status;
}

static void provokeErrors(gemm_device *device, const gemm_device_info &info) {
  fails(tryLoad(device, naiveArtifact({}, "sm_999", "7.0")),
        GEMM_ERROR_UNSUPPORTED, "sm_999", "other architecture");
  if (!info.is_emulator)
    fails(tryLoad(device, naiveArtifact({}, "sm_70", "99.0")),
          GEMM_ERROR_UNSUPPORTED, "PTX 99.0", "PTX newer than the driver");
  fails(tryLoad(device, replaced(naiveArtifact({}), "fma.rn", "fmx.rn")),
        GEMM_ERROR_COMPILATION, "line", "unknown instruction");
  fails(
      tryLoad(device, naiveArtifact({}, "sm_70", "7.0",
                                    std::to_string(info.max_shared_bytes + 1))),
      GEMM_ERROR_UNSUPPORTED, "1 more than", "too much shared memory");
  // A driver reports what registers allow, not .reqntid, and refuses at the
  // launch.
  if (info.is_emulator)
    fails(tryLoad(device, replaced(naiveArtifact({}), "\"block\": 256",
                                   "\"block\": 512")),
          GEMM_ERROR_UNSUPPORTED, "512 threads", "too many threads");
  void *memory = nullptr;
  fails(gemm_memory_allocate(device, size_t(1) << 60, &memory),
        GEMM_ERROR_OUT_OF_MEMORY, "1152921504606846976", "too much memory");
  check(tryLoad(device, naiveArtifact({}, "sm_70", "7.0",
                                      std::to_string(info.max_shared_bytes))) ==
            GEMM_SUCCESS,
        "all of the shared memory");
}

/// A read-only operand may have batch stride 0, and a launch returns before its
/// work is done: events tell its time.
static void runTimed(gemm_device *device, bool tma) {
  Kernel kernel(device, tma ? tmaArtifact({}) : naiveArtifact({}));
  if (!kernel)
    return;
  constexpr int64_t size = 64;
  constexpr int64_t batches = 3;
  Matrix a(device, size, size, 0, 1, 1.0f);
  Matrix b(device, size, size, 0, batches, 2.0f);
  Matrix d(device, size, size, 0, batches, 0.0f);
  for (Matrix *each : {&a, &b, &d})
    each->upload();
  gemm_operand operands[] = {a.operand(), b.operand(), {}, d.operand()};
  operands[0].batch_stride = 0;
  const double scalars[] = {1.0, 0.0};
  gemm_problem problem{size, size,    size, batches, operands,
                       4,    scalars, 2,    nullptr, 0};
  gemm_event start = nullptr;
  gemm_event stop = nullptr;
  succeeds(gemm_event_create(device, &start), "create an event");
  succeeds(gemm_event_create(device, &stop), "create an event");
  succeeds(gemm_event_record(device, start, nullptr), "record an event");
  for (int i = 0; i < 10; ++i)
    succeeds(gemm_kernel_launch(kernel, &problem, nullptr), "launch");
  succeeds(gemm_event_record(device, stop, nullptr), "record an event");
  double seconds = -1;
  succeeds(gemm_event_elapsed(device, start, stop, &seconds), "elapsed time");
  check(seconds > 0 && seconds < 600, "elapsed time is plausible");
  std::printf("%s: %.1f us per launch\n", tma ? "tma" : "naive", seconds * 1e5);
  succeeds(gemm_event_destroy(device, start), "destroy an event");
  succeeds(gemm_event_destroy(device, stop), "destroy an event");

  std::vector<float> result(size_t(batches * size * size));
  succeeds(gemm_memory_copy_to_host(device, result.data(), d.memory,
                                    result.size() * sizeof(float), nullptr),
           "copy to host");
  size_t wrong = 0;
  for (float value : result)
    wrong += value != 2.0f * size;
  check(wrong == 0, "a batch stride of 0 repeats the matrix (" +
                        std::to_string(wrong) + " elements differ)");
}

/// Threads that have no context of their own use the device together.
static void runThreads(gemm_device *device) {
  Kernel kernel(device, naiveArtifact({}));
  if (!kernel)
    return;
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (size_t t = 0; t < good.size(); ++t)
    threads.emplace_back([&, t] {
      constexpr int64_t size = 32;
      std::vector<float> ones(size * size, float(t + 1));
      std::vector<float> result(size * size);
      void *memory[3] = {};
      bool ok = true;
      for (void *&each : memory)
        ok &= !gemm_memory_allocate(device, size * size * 4, &each);
      for (int i = 0; i < 2; ++i)
        ok &= !gemm_memory_copy_to_device(device, memory[i], ones.data(),
                                          size * size * 4, nullptr);
      ok &=
          !gemm_memory_fill(device, memory[2], 0xff, size * size * 4, nullptr);
      gemm_operand operands[] = {{memory[0], size, 0},
                                 {memory[1], size, 0},
                                 {nullptr, 0, 0},
                                 {memory[2], size, 0}};
      const double scalars[] = {1.0, 0.0};
      gemm_problem problem{size, size,    size, 1,       operands,
                           4,    scalars, 2,    nullptr, 0};
      for (int i = 0; i < 20; ++i)
        ok &= !gemm_kernel_launch(kernel, &problem, nullptr);
      ok &= !gemm_memory_copy_to_host(device, result.data(), memory[2],
                                      size * size * 4, nullptr);
      for (float value : result)
        ok &= value == float((t + 1) * (t + 1) * size);
      for (void *each : memory)
        ok &= !gemm_memory_free(device, each);
      good[t] = ok;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int ok : good)
    check(ok, "four threads use one kernel");
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "cuda:0";
  gemm_device *device = nullptr;
  gemm_status status = gemm_device_open(name, nullptr, &device);
  if (status == GEMM_ERROR_NO_DEVICE) {
    std::printf("skipped: %s\n", gemm_last_error_message());
    return 77;
  }
  if (!succeeds(status, name))
    return 1;
  gemm_device_info info{};
  succeeds(gemm_device_get_info(device, &info), "device information");
  std::printf("%s: %s, %s, %d multiprocessors, %.2f GHz, %.0f GB/s, %d bytes "
              "of shared memory, driver for CUDA %d.%d\n",
              name, info.name, info.architecture, info.multiprocessors,
              info.clock_khz * 1e-6, info.memory_bandwidth * 1e-9,
              info.max_shared_bytes, info.driver_version / 1000,
              info.driver_version % 1000 / 10);
  const bool hasTensorMaps = info.capability_major >= 9;
  for (bool tma : {false, true}) {
    if (tma && !hasTensorMaps)
      continue;
    runAll(device, tma);
    runTimed(device, tma);
  }
  runThreads(device);
  provokeErrors(device, info);
  gemm_device_close(device);
  std::printf(failures ? "%d checks failed\n" : "all checks hold\n", failures);
  return failures != 0;
}
