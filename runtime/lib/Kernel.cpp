// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernel.h"
#include "Error.h"
#include "Guard.h"
#include "TensorMapCache.h"

#include <atomic>
#include <cstring>

using namespace gemm::runtime;

std::unique_ptr<gemm_device>
gemm::runtime::wrapDevice(std::unique_ptr<Device> device) {
  static std::atomic<uint64_t> lastId{0};
  auto wrapped = std::make_unique<gemm_device>();
  wrapped->device = std::move(device);
  wrapped->id = ++lastId;
  return wrapped;
}

static uint32_t parameterBytes(const Parameter &parameter,
                               const Artifact &artifact) {
  switch (parameter.kind) {
  case Parameter::Kind::TensorMap:
    return sizeof(TensorMap);
  case Parameter::Kind::Extent:
    return 4;
  case Parameter::Kind::Scalar:
    return elementBytes(artifact.scalars[parameter.index].type);
  case Parameter::Kind::Pointer:
  case Parameter::Kind::Stride:
  case Parameter::Kind::BatchStride:
    return 8;
  }
  return 0;
}

std::unique_ptr<gemm_kernel> gemm::runtime::loadKernel(gemm_device *device,
                                                       std::string_view text) {
  auto kernel = std::make_unique<gemm_kernel>();
  kernel->artifact = parseArtifact(text);
  const Artifact &artifact = kernel->artifact;
  for (const Entry &entry : artifact.entries)
    kernel->guardTexts.push_back(describeGuard(entry, artifact));
  if (!device)
    return kernel;
  ModuleRequest request;
  request.ptx = artifact.ptx;
  request.target = artifact.target;
  request.ptxMajor = artifact.ptxMajor;
  request.ptxMinor = artifact.ptxMinor;
  for (const Entry &entry : artifact.entries) {
    EntryRequest &described = request.entries.emplace_back();
    described.name = entry.name;
    described.threads = entry.threads;
    described.clusterSize = entry.clusterSize;
    described.sharedBytes = entry.sharedBytes;
    for (const Parameter &parameter : entry.parameters)
      described.parameterBytes.push_back(parameterBytes(parameter, artifact));
  }
  kernel->module = device->device->load(request);
  kernel->owner = device;
  return kernel;
}

//===----------------------------------------------------------------------===//
// Grid and parameters
//===----------------------------------------------------------------------===//

uint32_t gemm::runtime::gridSize(const Entry &entry, const Problem &problem) {
  auto tiles = [](int64_t extent, uint32_t tile) {
    return (uint64_t(extent) + tile - 1) / tile;
  };
  // Extents have 31 bits: two factors fit 64 bits, the third may not.
  uint64_t ctas = tiles(problem.extent(entry.grid.rows), entry.grid.tileRows) *
                  tiles(problem.extent(entry.grid.cols), entry.grid.tileCols);
  bool overflow = __builtin_mul_overflow(
      ctas, uint64_t(problem.extent(GEMM_DIM_BATCH)), &ctas);
  // Whole clusters; CTAs beyond the last tile find no work.
  uint64_t clusters =
      ctas / entry.clusterSize + (ctas % entry.clusterSize != 0);
  if (overflow || clusters > uint64_t(INT32_MAX) / entry.clusterSize)
    throw Error(
        GEMM_ERROR_INVALID_ARGUMENT,
        "entry " + entry.name + " would need " +
            (overflow ? std::string("more than 2^64") : std::to_string(ctas)) +
            " CTAs of " + std::to_string(entry.grid.tileRows) + "x" +
            std::to_string(entry.grid.tileCols) +
            " elements, a grid has at most 2147483647: split the "
            "problem along the batch or the larger extent");
  return static_cast<uint32_t>(clusters * entry.clusterSize);
}

[[noreturn]] static void failTensorMap(const Entry &entry, const Operand &shape,
                                       const std::string &what) {
  throw Error(GEMM_ERROR_NO_ENTRY,
              "entry " + entry.name + " reads or writes " + shape.name +
                  " by tensor map, which needs its " + what);
}

/// A stride in bytes, within the limits of cuTensorMapEncodeTiled.
static uint64_t tensorMapStride(const Entry &entry, const Operand &shape,
                                const char *name, int64_t elements) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(uint64_t(elements),
                             uint64_t(elementBytes(shape.type)), &bytes) ||
      bytes >= uint64_t(1) << 40)
    failTensorMap(entry, shape,
                  std::string(name) + " below 2^40 bytes, got " +
                      std::to_string(elements) + " elements");
  if (bytes % 16 != 0)
    failTensorMap(entry, shape,
                  std::string(name) + " divisible by 16 bytes, got " +
                      std::to_string(bytes));
  return bytes;
}

TensorMapRequest gemm::runtime::tensorMapRequest(const Entry &entry,
                                                 const Parameter &parameter,
                                                 const Problem &problem) {
  const Operand &shape = problem.artifact().operands[parameter.index];
  const gemm_operand &value = problem.operand(parameter.index);
  TensorMapRequest request;
  request.type = shape.type;
  request.rank = shape.batched ? 3 : 2;
  request.swizzle = parameter.swizzle;
  request.box = {parameter.box[0], parameter.box[1], 1};
  if (!problem.isAccessed(parameter.index)) {
    // The kernel never uses this map, but it must be encodable: extents and
    // addresses of zero are not. D is there whenever something is launched.
    const Artifact &artifact = problem.artifact();
    for (size_t i = 0; i < artifact.operands.size(); ++i)
      if (artifact.operands[i].role == GEMM_ROLE_D)
        request.address = reinterpret_cast<uintptr_t>(problem.operand(i).data) &
                          ~uint64_t(15);
    request.strides = {16, 16};
    return request;
  }
  request.address = reinterpret_cast<uintptr_t>(value.data);
  if (request.address % 16 != 0)
    failTensorMap(entry, shape, "address divisible by 16 bytes");
  request.extents = {uint64_t(problem.extent(shape.contiguousDim())),
                     uint64_t(problem.extent(shape.stridedDim())),
                     uint64_t(problem.batches(parameter.index))};
  request.strides[0] = tensorMapStride(entry, shape, "leading dimension",
                                       value.leading_dimension);
  // A single batch has no stride of its own; one value keeps the cache small.
  request.strides[1] =
      !shape.batched ? 0
      : request.extents[2] == 1
          ? request.strides[0]
          : tensorMapStride(entry, shape, "batch stride", value.batch_stride);
  return request;
}

namespace {

/// Room for one parameter's value.
union Value {
  TensorMap map;
  uint64_t bits;
};

} // namespace

static void pack(const gemm_kernel &kernel, const Entry &entry,
                 const Parameter &parameter, const Problem &problem,
                 Value &value) {
  switch (parameter.kind) {
  case Parameter::Kind::TensorMap:
    value.map = cachedTensorMap(*kernel.owner->device, kernel.owner->id,
                                tensorMapRequest(entry, parameter, problem));
    break;
  case Parameter::Kind::Pointer:
    value.bits =
        reinterpret_cast<uintptr_t>(problem.operand(parameter.index).data);
    break;
  case Parameter::Kind::Stride:
    value.bits = problem.operand(parameter.index).leading_dimension;
    break;
  case Parameter::Kind::BatchStride:
    value.bits = problem.operand(parameter.index).batch_stride;
    break;
  case Parameter::Kind::Extent:
    // The first four bytes are the i32: all hosts of CUDA are little-endian.
    value.bits = static_cast<uint32_t>(problem.extent(parameter.dim));
    break;
  case Parameter::Kind::Scalar:
    value.bits = convertScalar(problem.scalar(parameter.index),
                               kernel.artifact.scalars[parameter.index].type);
    break;
  }
}

void gemm::runtime::launchEntry(const gemm_kernel &kernel, size_t index,
                                const Problem &problem, gemm_stream stream) {
  const Entry &entry = kernel.artifact.entries[index];
  // Left uninitialised: 8 KiB, of which few bytes are used.
  Value values[maxParameters];
  std::array<void *, maxParameters> addresses;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    pack(kernel, entry, entry.parameters[i], problem, values[i]);
    addresses[i] = &values[i];
  }
  LaunchRequest request;
  request.entry = index;
  request.grid = gridSize(entry, problem);
  request.parameters = {addresses.data(), entry.parameters.size()};
  request.stream = stream;
  kernel.module->launch(request);
}
