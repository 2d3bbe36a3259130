// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine that runs PTX, the same interface for the GPU and the emulator, so
// that a case is written once and its bits are compared.
//
// Thread safety: a Platform and its Programs are shared by all threads; each
// thread opens its own Queue. Errors are std::runtime_error of one line.
#ifndef GEMM_AGREEMENT_PLATFORM_H
#define GEMM_AGREEMENT_PLATFORM_H

#include "Emulator.h"

#include <memory>
#include <stdexcept>
#include <string>

namespace gemm::agreement {

using emulator::Dim3;
using emulator::TiledMapArguments;

/// There is no GPU, or no driver that can be used.
class NoDevice : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The process cannot use the device any more.
class DeviceLost : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// One kernel, ready to launch.
class Program {
public:
  virtual ~Program() = default;
};

struct LaunchShape {
  Dim3 grid, block;
  Dim3 cluster{0, 0, 0};    ///< 0: not given
  size_t dynamicShared = 0; ///< bytes
};

/// Memory and launches of one thread, in order; every call returns when its
/// work is done.
class Queue {
public:
  virtual ~Queue() = default;
  virtual uint64_t allocate(size_t bytes) = 0;
  virtual void release(uint64_t address) = 0;
  virtual void write(uint64_t address, const void *source, size_t bytes) = 0;
  virtual void read(uint64_t address, void *destination, size_t bytes) = 0;
  virtual void fill(uint64_t address, uint8_t value, size_t bytes) = 0;
  /// Writes a 128-byte tensor map; empty, or why it is refused.
  virtual std::string encode(const TiledMapArguments &arguments,
                             void *map128) = 0;
  /// `parameters`: one pointer per kernel parameter.
  virtual void launch(const Program &program, const LaunchShape &shape,
                      void **parameters) = 0;
  /// Whether the emulator checks what it runs, unless the device was opened
  /// with sanitize=off (no effect on a GPU).
  virtual void sanitize(bool on) = 0;
};

class Platform {
public:
  virtual ~Platform() = default;
  virtual std::string name() const = 0;
  virtual std::unique_ptr<Program> load(const std::string &ptx,
                                        const std::string &entry) = 0;
  virtual std::unique_ptr<Queue> queue() = 0;
};

/// "cuda", "cuda:N", "emulator" or "emulator:sm_NN[a]", the latter followed by
/// any of ",seed=N", ",async=late|early|random", ",sms=N", ",sanitize=on|off".
std::unique_ptr<Platform> openPlatform(const std::string &text);

std::unique_ptr<Platform> openCuda(int ordinal);
std::unique_ptr<Platform> openEmulator(const std::string &target,
                                       emulator::LaunchOptions options);

/// Device memory of one queue, released with it.
class Buffer {
public:
  Buffer(Queue &queue, size_t bytes)
      : queue(queue), place(queue.allocate(bytes)) {}
  ~Buffer() {
    try {
      queue.release(place);
    } catch (const std::exception &) {
      // The device is lost, and its memory with it.
    }
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  uint64_t address() const { return place; }

private:
  Queue &queue;
  uint64_t place;
};

} // namespace gemm::agreement

#endif // GEMM_AGREEMENT_PLATFORM_H
