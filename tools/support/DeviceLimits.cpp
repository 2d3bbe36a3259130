// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceLimits.h"

#include <algorithm>

namespace gemm::tools {
namespace {

// clang-format off
constexpr MultiprocessorLimits limitsTable[] = {
    // cc  threads blocks shared  reserved    8-bit 16-bit  tf32  f32  f64
    {70,   2048,   32,    98304,  0,          0,    1024,   0,    128, 64},
    {75,   1024,   16,    65536,  0,          2048, 1024,   0,    128, 4},
    {80,   2048,   32,    167936, 1024,       4096, 2048,   1024, 128, 128},
    {86,   1536,   16,    102400, 1024,       2048, 1024,   512,  256, 4},
    {89,   1536,   24,    102400, 1024,       2048, 1024,   512,  256, 4},
    {90,   2048,   32,    233472, 1024,       8192, 4096,   2048, 256, 256},
    {100,  2048,   32,    233472, 1024,       16384, 8192,  4096, 256, 128},
    {120,  1536,   24,    102400, 1024,       2048, 1024,   512,  256, 4},
};
// clang-format on

} // namespace

std::optional<MultiprocessorLimits> multiprocessorLimits(int capability) {
  for (const MultiprocessorLimits &row : limitsTable)
    if (row.capability == capability)
      return row;
  return std::nullopt;
}

int64_t operationsPerClock(const MultiprocessorLimits &limits, ElementType type,
                           bool tensor) {
  if (type == ElementType::F64)
    return limits.f64;
  if (!tensor)
    return limits.f32;
  switch (elementSize(type)) {
  case 1:
    return limits.tensor1;
  case 2:
    return limits.tensor2;
  default:
    return limits.tensor4;
  }
}

double Roofline::seconds(double operations, double bytes) const {
  return std::max(operations / operationsPerSecond, bytes / bytesPerSecond);
}

std::optional<Roofline> deviceRoofline(const gemm_device_info &info,
                                       ElementType type, bool tensor) {
  std::optional<MultiprocessorLimits> limits =
      multiprocessorLimits(info.capability_major * 10 + info.capability_minor);
  if (!limits || info.is_emulator || info.clock_khz == 0 ||
      info.memory_bandwidth == 0)
    return std::nullopt;
  int64_t perClock = operationsPerClock(*limits, type, tensor);
  if (perClock == 0)
    return std::nullopt;
  return Roofline{static_cast<double>(perClock) * info.multiprocessors *
                      info.clock_khz * 1e3,
                  info.memory_bandwidth};
}

} // namespace gemm::tools
