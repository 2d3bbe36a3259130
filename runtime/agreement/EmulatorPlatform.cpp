// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Platform.h"

#include <atomic>

namespace gemm::agreement {

namespace {

using namespace emulator;

template <class T> T take(Expected<T> value) {
  if (!value)
    throw std::runtime_error(value.error());
  return std::move(*value);
}

void check(const std::string &error) {
  if (!error.empty())
    throw std::runtime_error(error);
}

class EmulatorProgram final : public Program {
public:
  std::shared_ptr<const Module> module;
  std::string entry;
};

class EmulatorQueue final : public Queue {
public:
  EmulatorQueue(const std::string &target, LaunchOptions options)
      : device(take(Device::create(target))), options(options),
        most(options.sanitize) {}

  uint64_t allocate(size_t bytes) override {
    return take(device->allocate(bytes));
  }
  void release(uint64_t address) override { check(device->free(address)); }
  void write(uint64_t address, const void *source, size_t bytes) override {
    check(device->write(address, source, bytes));
  }
  void read(uint64_t address, void *destination, size_t bytes) override {
    check(device->read(address, destination, bytes));
  }
  void fill(uint64_t address, uint8_t value, size_t bytes) override {
    check(device->fill(address, value, bytes));
  }
  std::string encode(const TiledMapArguments &arguments,
                     void *map128) override {
    return encodeTiledMap(arguments, map128);
  }
  void sanitize(bool on) override {
    options.sanitize = on ? most : SanitizeMode::Off;
  }
  void launch(const Program &program, const LaunchShape &shape,
              void **parameters) override {
    const auto &p = static_cast<const EmulatorProgram &>(program);
    // Every launch has a schedule of its own, reproducible from the seed.
    ++options.seed;
    LaunchResult result =
        device->launch(*p.module, p.entry, shape.grid, shape.block,
                       shape.cluster, shape.dynamicShared, parameters, options);
    if (!result.refusal.empty())
      throw std::runtime_error(result.refusal);
    if (!result.ok)
      throw std::runtime_error(result.reports.empty()
                                   ? result.summary()
                                   : result.reports.front().message);
  }

private:
  std::unique_ptr<Device> device;
  LaunchOptions options;
  const SanitizeMode most; ///< what sanitize(true) sets
};

class EmulatorPlatform final : public Platform {
public:
  EmulatorPlatform(std::string target, LaunchOptions options)
      : target(std::move(target)), options(options) {
    take(Device::create(this->target)); // an unknown name fails here
  }
  std::string name() const override { return "emulator:" + target; }
  std::unique_ptr<Program> load(const std::string &ptx,
                                const std::string &entry) override {
    auto program = std::make_unique<EmulatorProgram>();
    program->module = take(Module::parse(ptx));
    program->entry = entry;
    return program;
  }
  std::unique_ptr<Queue> queue() override {
    LaunchOptions own = options;
    own.seed += 1000000007ull * queues++;
    return std::make_unique<EmulatorQueue>(target, own);
  }

private:
  std::string target;
  LaunchOptions options;
  std::atomic<uint64_t> queues = 0;
};

} // namespace

std::unique_ptr<Platform> openEmulator(const std::string &target,
                                       LaunchOptions options) {
  return std::make_unique<EmulatorPlatform>(target, options);
}

} // namespace gemm::agreement
