// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device must do for the runtime. Implemented by the CUDA driver
// (runtime/cuda) and by the PTX emulator. Implementations know nothing of
// artifacts, guards or problems; they throw gemm::runtime::Error and may be
// called from any thread.
#ifndef GEMM_RUNTIME_DEVICE_H
#define GEMM_RUNTIME_DEVICE_H

#include "ElementType.h"
#include "Error.h"
#include "gemm-runtime/runtime.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gemm::runtime {

/// A tensor map as a kernel parameter (PTX ISA, "Tensor-map").
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

/// Everything that determines a tiled tensor map: zeros outside of the extents,
/// element strides 1, no interleave.
struct TensorMapRequest {
  ElementType type = ElementType::F32;
  uint32_t rank = 2; ///< 2 or 3
  /// Swizzle span in bytes: 0, 32, 64 or 128.
  uint32_t swizzle = 0;
  uint64_t address = 0;                     ///< multiple of 16
  std::array<uint64_t, 3> extents{1, 1, 1}; ///< elements, innermost first
  std::array<uint64_t, 2> strides{};        ///< bytes, of dimensions 1 and 2
  std::array<uint32_t, 3> box{1, 1, 1};     ///< elements, innermost first

  bool operator==(const TensorMapRequest &) const = default;
};

/// What is known of an entry before it is launched.
struct EntryRequest {
  std::string name;
  uint32_t threads = 1;                 ///< per CTA
  uint32_t clusterSize = 1;             ///< CTAs along x
  uint32_t sharedBytes = 0;             ///< dynamic, per CTA
  std::vector<uint32_t> parameterBytes; ///< size of each, in PTX order
};

struct ModuleRequest {
  std::string ptx;
  std::string target; ///< of the `.target` directive
  int ptxMajor = 0;   ///< of the `.version` directive
  int ptxMinor = 0;
  std::vector<EntryRequest> entries;
};

struct LaunchRequest {
  size_t entry = 0;  ///< index into ModuleRequest::entries
  uint32_t grid = 1; ///< CTAs along x; y and z are 1
  /// The address of each parameter's value, in PTX order. The values need not
  /// outlive the call.
  std::span<void *> parameters;
  gemm_stream stream = nullptr;
};

/// PTX that a device has accepted.
class Module {
public:
  virtual ~Module() = default;
  virtual void launch(const LaunchRequest &request) = 0;
};

class Device {
public:
  virtual ~Device() = default;

  virtual gemm_device_info info() const = 0;
  /// What is known of the last launch; only emulators know anything.
  virtual gemm_emulator_report emulatorReport() const {
    throw Error(GEMM_ERROR_UNSUPPORTED,
                "only an emulator reports on its launches");
  }

  /// Compiles the PTX and checks every entry against the device's limits.
  virtual std::unique_ptr<Module> load(const ModuleRequest &request) = 0;
  virtual TensorMap encode(const TensorMapRequest &request) = 0;

  virtual void *allocate(size_t bytes) = 0;
  virtual void free(void *memory) = 0;
  virtual void copyToDevice(void *destination, const void *source, size_t bytes,
                            gemm_stream stream) = 0;
  virtual void copyToHost(void *destination, const void *source, size_t bytes,
                          gemm_stream stream) = 0;
  virtual void fill(void *memory, uint8_t value, size_t bytes,
                    gemm_stream stream) = 0;

  virtual gemm_stream createStream() = 0;
  virtual void destroyStream(gemm_stream stream) = 0;
  virtual void synchronizeStream(gemm_stream stream) = 0;
  virtual void synchronize() = 0;

  virtual gemm_event createEvent() = 0;
  virtual void destroyEvent(gemm_event event) = 0;
  virtual void recordEvent(gemm_event event, gemm_stream stream) = 0;
  virtual double elapsedSeconds(gemm_event start, gemm_event stop) = 0;
};

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_DEVICE_H
