// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one multiprocessor can do and hold, by compute capability, and the
// roofline that follows. Sources: CUDA C++ Programming Guide, "Arithmetic
// Instructions" and "Technical Specifications per Compute Capability"; NVIDIA's
// architecture whitepapers for dense tensor rates.
#ifndef GEMM_TOOLS_SUPPORT_DEVICELIMITS_H
#define GEMM_TOOLS_SUPPORT_DEVICELIMITS_H

#include "Device.h"
#include "Signature.h"

#include <cstdint>
#include <optional>

namespace gemm::tools {

struct MultiprocessorLimits {
  // The same since compute capability 3.5.
  static constexpr int64_t registers = 65536;

  int capability; // major * 10 + minor
  int64_t threads;
  int64_t blocks;
  int64_t sharedBytes;
  // Shared memory that the system takes from every block.
  int64_t reservedShared;
  // Floating-point (or integer) operations per clock, dense, two per
  // multiply-add: tensor cores by bytes per element (tf32 has 4), then the f32
  // and f64 units (f64: tensor cores where they have it).
  int64_t tensor1, tensor2, tensor4, f32, f64;
};

// Nothing if the capability is unknown.
std::optional<MultiprocessorLimits> multiprocessorLimits(int capability);

// Operations per clock and multiprocessor for a type; `tensor`: on the tensor
// cores.
int64_t operationsPerClock(const MultiprocessorLimits &limits, ElementType type,
                           bool tensor);

// Peak rate and bandwidth of a device for a problem's types.
struct Roofline {
  double operationsPerSecond = 0;
  double bytesPerSecond = 0;

  // Operations per byte where both limits meet.
  double ridge() const { return operationsPerSecond / bytesPerSecond; }
  // Shortest time for so much work.
  double seconds(double operations, double bytes) const;
};

// Nothing if the device does not say enough about itself (an emulator).
std::optional<Roofline> deviceRoofline(const gemm_device_info &info,
                                       ElementType type, bool tensor);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_DEVICELIMITS_H
