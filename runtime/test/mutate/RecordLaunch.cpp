// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecordLaunch.h"
#include "../../emulator-device/EmulatorDevice.h"
#include "../../lib/Kernel.h"
#include "DrawValue.h"
#include "gemm-runtime/runtime.h"

#include <cstring>
#include <stdexcept>

using namespace gemm;
using namespace gemm::mutate;

namespace {

/// An emulator device that notes a launch in place of running it.
class Recorder final : public runtime::Device {
public:
  Recorder(std::string_view target, Launch &launch)
      : device(runtime::openEmulatorDevice(target, {})), launch(launch) {}

  struct RecordedModule final : runtime::Module {
    RecordedModule(Recorder &owner, runtime::ModuleRequest request)
        : owner(owner), request(std::move(request)) {}
    void launch(const runtime::LaunchRequest &r) override {
      const runtime::EntryRequest &entry = request.entries[r.entry];
      Launch &out = owner.launch;
      out.ptx = request.ptx;
      out.entry = entry.name;
      out.grid = {r.grid, 1, 1};
      out.block = {entry.threads, 1, 1};
      out.cluster = {entry.clusterSize, 1, 1};
      out.sharedBytes = entry.sharedBytes;
      auto parsed = emulator::Module::parse(request.ptx);
      if (!parsed)
        throw std::runtime_error(parsed.error());
      const emulator::EntryInfo *info = (*parsed)->entry(entry.name);
      out.parameters.assign(info->paramBytes, 0);
      for (size_t i = 0; i < info->params.size(); ++i)
        std::memcpy(out.parameters.data() + info->params[i].offset,
                    r.parameters[i], info->params[i].size);
    }
    Recorder &owner;
    runtime::ModuleRequest request;
  };

  gemm_device_info info() const override { return device->info(); }
  std::unique_ptr<runtime::Module>
  load(const runtime::ModuleRequest &request) override {
    device->load(request); // for its checks
    return std::make_unique<RecordedModule>(*this, request);
  }
  runtime::TensorMap encode(const runtime::TensorMapRequest &request) override {
    return device->encode(request);
  }
  void *allocate(size_t bytes) override { return device->allocate(bytes); }
  void free(void *memory) override { device->free(memory); }
  void copyToDevice(void *to, const void *from, size_t bytes,
                    gemm_stream stream) override {
    device->copyToDevice(to, from, bytes, stream);
  }
  void copyToHost(void *to, const void *from, size_t bytes,
                  gemm_stream stream) override {
    device->copyToHost(to, from, bytes, stream);
  }
  void fill(void *memory, uint8_t value, size_t bytes,
            gemm_stream stream) override {
    device->fill(memory, value, bytes, stream);
  }
  gemm_stream createStream() override { return device->createStream(); }
  void destroyStream(gemm_stream s) override { device->destroyStream(s); }
  void synchronizeStream(gemm_stream s) override {
    device->synchronizeStream(s);
  }
  void synchronize() override { device->synchronize(); }
  gemm_event createEvent() override { return device->createEvent(); }
  void destroyEvent(gemm_event e) override { device->destroyEvent(e); }
  void recordEvent(gemm_event e, gemm_stream s) override {
    device->recordEvent(e, s);
  }
  double elapsedSeconds(gemm_event a, gemm_event b) override {
    return device->elapsedSeconds(a, b);
  }

private:
  std::unique_ptr<runtime::Device> device;
  Launch &launch;
};

void check(gemm_status status) {
  if (status != GEMM_SUCCESS)
    throw std::runtime_error(gemm_last_error_message());
}

int64_t extent(const ProblemSize &size, gemm_dim dim) {
  return dim == GEMM_DIM_M   ? size.m
         : dim == GEMM_DIM_N ? size.n
         : dim == GEMM_DIM_K ? size.k
                             : size.batch;
}

} // namespace

Launch mutate::recordLaunch(const std::string &artifact,
                            const ProblemSize &size, uint64_t seed) {
  Launch launch;
  gemm_kernel *parsed = nullptr;
  check(gemm_kernel_load(nullptr, artifact.data(), artifact.size(), &parsed));
  launch.device = gemm_kernel_target(parsed);
  gemm_kernel_unload(parsed);
  std::unique_ptr<gemm_device> device =
      runtime::wrapDevice(std::make_unique<Recorder>(launch.device, launch));
  gemm_kernel *kernel = nullptr;
  check(gemm_kernel_load(device.get(), artifact.data(), artifact.size(),
                         &kernel));
  std::mt19937_64 rng(seed);
  std::vector<gemm_operand> operands;
  void *epilogue = nullptr;
  for (size_t i = 0; i < gemm_kernel_operand_count(kernel); ++i) {
    gemm_operand_info info;
    check(gemm_kernel_get_operand(kernel, i, &info));
    int64_t lines = 1, length = 1;
    if (info.rank >= 1)
      length = extent(size, info.dims[info.rank - 1]);
    if (info.rank == 2) {
      lines = extent(size, info.dims[0]);
      if (info.column_major)
        std::swap(lines, length);
    }
    gemm_operand operand{};
    operand.leading_dimension =
        (length + size.multiple - 1) / size.multiple * size.multiple;
    // The last line ends with the allocation: what is behind is out of bounds.
    const int64_t one =
        lines > 0 ? (lines - 1) * operand.leading_dimension + length : 0;
    operand.batch_stride = info.batched ? lines * operand.leading_dimension : 0;
    const int64_t elements =
        one + (info.batched ? (size.batch - 1) * operand.batch_stride : 0);
    const bool isD = info.role == GEMM_ROLE_D;
    if (isD && size.inPlace && epilogue) {
      operand.data = epilogue;
    } else {
      Allocation memory;
      memory.content.assign(size_t(elements * info.element_bytes), 0xa5);
      if (!isD)
        for (size_t at = 0; at < memory.content.size();
             at += size_t(info.element_bytes))
          drawValue(rng, info.type, memory.content.data() + at,
                    size_t(info.element_bytes));
      memory.undefined = isD;
      check(gemm_memory_allocate(device.get(), memory.content.size(),
                                 &operand.data));
      memory.address = reinterpret_cast<uintptr_t>(operand.data);
      if (!memory.content.empty())
        launch.memory.push_back(std::move(memory));
      if (info.role == GEMM_ROLE_EPILOGUE && info.rank == 2 && !epilogue)
        epilogue = operand.data;
    }
    operands.push_back(operand);
  }
  std::vector<double> scalars;
  for (size_t i = 0; i < gemm_kernel_scalar_count(kernel); ++i)
    scalars.push_back(0.75 - 0.25 * double(i));
  gemm_problem problem{};
  problem.m = size.m;
  problem.n = size.n;
  problem.k = size.k;
  problem.batch = size.batch;
  problem.operands = operands.data();
  problem.num_operands = operands.size();
  problem.scalars = scalars.data();
  problem.num_scalars = scalars.size();
  size_t workspace = 0;
  check(gemm_kernel_workspace_bytes(kernel, &problem, &workspace));
  if (workspace) {
    Allocation memory;
    memory.content.assign(workspace, 0xa5);
    memory.undefined = true;
    check(gemm_memory_allocate(device.get(), workspace, &problem.workspace));
    problem.workspace_bytes = workspace;
    memory.address = reinterpret_cast<uintptr_t>(problem.workspace);
    launch.memory.push_back(std::move(memory));
  }
  check(gemm_kernel_launch(kernel, &problem, nullptr));
  gemm_kernel_unload(kernel);
  if (launch.entry.empty())
    throw std::runtime_error("nothing runs for this problem");
  return launch;
}
