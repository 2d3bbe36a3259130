// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmulatorDevice.h"
#include "../emulator/Emulator.h"
#include "../lib/Error.h"
#include "../lib/PtxTarget.h"
#include "../lib/SignatureCheck.h"
#include "LaunchReport.h"

#include <chrono>
#include <mutex>

using namespace gemm::runtime;
namespace emu = gemm::emulator;

/// What "emulator" without a target is: Hopper, which has most of what the
/// emulator knows.
static constexpr const char *defaultTarget = "sm_90a";

/// Throws if the emulator has something to say.
static void check(const std::string &error, gemm_status status) {
  if (!error.empty())
    throw Error(status, "emulator: " + error);
}

static emu::LaunchOptions launchOptions(const gemm_device_options &options) {
  emu::LaunchOptions result;
  if (options.emulator_multiprocessors < 0)
    throw Error(GEMM_ERROR_INVALID_ARGUMENT,
                "emulator_multiprocessors is negative");
  if (options.emulator_multiprocessors > 0)
    result.sms = static_cast<unsigned>(options.emulator_multiprocessors);
  result.seed = options.emulator_seed;
  result.counters = options.emulator_counters != 0;
  switch (options.emulator_async) {
  case GEMM_EMULATOR_ASYNC_RANDOM:
    result.async = emu::AsyncMode::Random;
    break;
  case GEMM_EMULATOR_ASYNC_EARLY:
    result.async = emu::AsyncMode::Early;
    break;
  case GEMM_EMULATOR_ASYNC_LATE:
    result.async = emu::AsyncMode::Late;
    break;
  default:
    throw Error(GEMM_ERROR_INVALID_ARGUMENT, "unknown emulator_async");
  }
  switch (options.emulator_sanitizer) {
  case GEMM_EMULATOR_SANITIZER_ON:
    result.sanitize = emu::SanitizeMode::On;
    break;
  case GEMM_EMULATOR_SANITIZER_OFF:
    result.sanitize = emu::SanitizeMode::Off;
    break;
  case GEMM_EMULATOR_SANITIZER_STRICT:
    result.sanitize = emu::SanitizeMode::Strict;
    break;
  default:
    throw Error(GEMM_ERROR_INVALID_ARGUMENT, "unknown emulator_sanitizer");
  }
  return result;
}

static std::unique_ptr<emu::Device> createEmulator(std::string_view target) {
  auto created = emu::Device::create(target);
  if (!created)
    throw Error(GEMM_ERROR_NO_DEVICE, created.error());
  return std::move(*created);
}

static uint64_t addressOf(const void *memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

namespace {

using Clock = std::chrono::steady_clock;

/// An event of a device that has always finished its work.
struct HostEvent {
  Clock::time_point time{};
};

class EmulatorDevice final : public Device {
public:
  EmulatorDevice(std::string_view target, const gemm_device_options &options)
      : options(launchOptions(options)), chip(createEmulator(target)),
        architecture(chip->target()), name("PTX emulator of " + architecture) {}

  gemm_device_info info() const override;
  gemm_emulator_report emulatorReport() const override;
  std::unique_ptr<Module> load(const ModuleRequest &request) override;
  TensorMap encode(const TensorMapRequest &request) override;

  void *allocate(size_t bytes) override;
  void free(void *memory) override;
  void copyToDevice(void *destination, const void *source, size_t bytes,
                    gemm_stream stream) override;
  void copyToHost(void *destination, const void *source, size_t bytes,
                  gemm_stream stream) override;
  void fill(void *memory, uint8_t value, size_t bytes,
            gemm_stream stream) override;

  // Nothing is ever pending: any token will do for a stream.
  gemm_stream createStream() override { return this; }
  void destroyStream(gemm_stream) override {}
  void synchronizeStream(gemm_stream) override {}
  void synchronize() override {}

  gemm_event createEvent() override { return new HostEvent; }
  void destroyEvent(gemm_event event) override {
    delete static_cast<HostEvent *>(event);
  }
  void recordEvent(gemm_event event, gemm_stream) override {
    static_cast<HostEvent *>(event)->time = Clock::now();
  }
  double elapsedSeconds(gemm_event start, gemm_event stop) override {
    return std::chrono::duration<double>(static_cast<HostEvent *>(stop)->time -
                                         static_cast<HostEvent *>(start)->time)
        .count();
  }

  void launch(const emu::Module &module, const EntryRequest &entry,
              const LaunchRequest &request);

private:
  int major() const { return int(chip->limits().computeCapability / 10); }
  int minor() const { return int(chip->limits().computeCapability % 10); }
  void checkEntry(const EntryRequest &request, const emu::Module &module) const;

  /// The seed is that of the next launch.
  emu::LaunchOptions options;
  std::unique_ptr<emu::Device> chip;
  std::string architecture;
  std::string name;
  LaunchReport lastReport;
  /// An emulator must not be used from two threads at once.
  mutable std::mutex mutex;
};

class EmulatorModule final : public Module {
public:
  EmulatorModule(EmulatorDevice &device,
                 std::shared_ptr<const emu::Module> module,
                 std::vector<EntryRequest> entries)
      : device(device), module(std::move(module)), entries(std::move(entries)) {
  }
  void launch(const LaunchRequest &request) override {
    device.launch(*module, entries[request.entry], request);
  }

private:
  EmulatorDevice &device;
  std::shared_ptr<const emu::Module> module;
  std::vector<EntryRequest> entries;
};

} // namespace

gemm_device_info EmulatorDevice::info() const {
  gemm_device_info info{};
  info.name = name.c_str();
  info.architecture = architecture.c_str();
  info.capability_major = major();
  info.capability_minor = minor();
  info.is_emulator = 1;
  info.multiprocessors = static_cast<int32_t>(options.sms);
  info.max_shared_bytes =
      static_cast<int32_t>(chip->limits().sharedPerBlockOptin);
  return info;
}

gemm_emulator_report EmulatorDevice::emulatorReport() const {
  std::lock_guard lock(mutex);
  return lastReport.view();
}

void EmulatorDevice::checkEntry(const EntryRequest &request,
                                const emu::Module &module) const {
  const emu::EntryInfo *entry = module.entry(request.name);
  if (!entry)
    throw Error(GEMM_ERROR_INVALID_ARTIFACT,
                "the PTX has no entry " + request.name);
  std::vector<size_t> sizes;
  for (const emu::ParamInfo &parameter : entry->params)
    sizes.push_back(parameter.size);
  checkParameters(request, sizes);
  checkSharedMemory(request, int64_t(entry->staticShared),
                    int64_t(chip->limits().sharedPerBlockOptin));
  uint64_t maxThreads = 1024;
  if (entry->maxntid.x)
    maxThreads = entry->maxntid.count();
  if (entry->reqntid.x)
    maxThreads = entry->reqntid.count();
  checkThreads(request, int64_t(maxThreads));
}

std::unique_ptr<Module> EmulatorDevice::load(const ModuleRequest &request) {
  std::string why = whyTargetUnsupported(request.target, major(), minor());
  if (!why.empty())
    throw Error(GEMM_ERROR_UNSUPPORTED, why);
  auto module = emu::Module::parse(request.ptx);
  if (!module)
    throw Error(GEMM_ERROR_COMPILATION,
                "the emulator refuses the PTX: " + module.error());
  for (const EntryRequest &entry : request.entries)
    checkEntry(entry, **module);
  return std::make_unique<EmulatorModule>(*this, *module, request.entries);
}

void EmulatorDevice::launch(const emu::Module &module,
                            const EntryRequest &entry,
                            const LaunchRequest &request) {
  std::lock_guard lock(mutex);
  emu::LaunchResult result =
      chip->launch(module, entry.name, {request.grid, 1, 1},
                   {entry.threads, 1, 1}, {entry.clusterSize, 1, 1},
                   entry.sharedBytes, request.parameters.data(), options);
  check(result.refusal, GEMM_ERROR_UNSUPPORTED);
  std::string failure;
  if (!result.ok)
    failure = "emulator: entry " + entry.name + ", seed " +
              std::to_string(options.seed) + ": " + result.summary();
  while (failure.ends_with('\n'))
    failure.pop_back();
  lastReport = LaunchReport(std::move(result), options);
  ++options.seed;
  if (!failure.empty())
    throw Error(GEMM_ERROR_DEVICE, failure);
}

/// CUtensorMapDataType, of the CUDA driver API.
static unsigned tensorMapType(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return 8;
  case ElementType::F32:
    return 7;
  case ElementType::TF32:
    return 11;
  case ElementType::F16:
    return 6;
  case ElementType::BF16:
    return 9;
  case ElementType::I32:
    return 3;
  default:
    return 0; // UINT8
  }
}

TensorMap EmulatorDevice::encode(const TensorMapRequest &request) {
  emu::TiledMapArguments arguments;
  arguments.dataType = tensorMapType(request.type);
  arguments.rank = request.rank;
  arguments.globalAddress = request.address;
  for (uint32_t i = 0; i < request.rank; ++i) {
    arguments.globalDim.push_back(request.extents[i]);
    arguments.boxDim.push_back(request.box[i]);
    arguments.elementStrides.push_back(1);
    if (i > 0)
      arguments.globalStrides.push_back(request.strides[i - 1]);
  }
  // CU_TENSOR_MAP_SWIZZLE_32B, _64B and _128B are 1, 2 and 3.
  arguments.swizzle = request.swizzle == 128  ? 3
                      : request.swizzle == 64 ? 2
                      : request.swizzle == 32 ? 1
                                              : 0;
  arguments.l2Promotion = 3; // CU_TENSOR_MAP_L2_PROMOTION_L2_256B
  TensorMap map;
  check(emu::encodeTiledMap(arguments, map.bytes), GEMM_ERROR_DEVICE);
  return map;
}

void *EmulatorDevice::allocate(size_t bytes) {
  std::lock_guard lock(mutex);
  auto address = chip->allocate(bytes);
  if (!address)
    throw Error(GEMM_ERROR_OUT_OF_MEMORY, "emulator: " + std::to_string(bytes) +
                                              " bytes: " + address.error());
  return reinterpret_cast<void *>(*address);
}

void EmulatorDevice::free(void *memory) {
  std::lock_guard lock(mutex);
  check(chip->free(addressOf(memory)), GEMM_ERROR_INVALID_ARGUMENT);
}

void EmulatorDevice::copyToDevice(void *destination, const void *source,
                                  size_t bytes, gemm_stream) {
  std::lock_guard lock(mutex);
  check(chip->write(addressOf(destination), source, bytes),
        GEMM_ERROR_INVALID_ARGUMENT);
}

void EmulatorDevice::copyToHost(void *destination, const void *source,
                                size_t bytes, gemm_stream) {
  std::lock_guard lock(mutex);
  check(chip->read(addressOf(source), destination, bytes),
        GEMM_ERROR_INVALID_ARGUMENT);
}

void EmulatorDevice::fill(void *memory, uint8_t value, size_t bytes,
                          gemm_stream) {
  std::lock_guard lock(mutex);
  check(chip->fill(addressOf(memory), value, bytes),
        GEMM_ERROR_INVALID_ARGUMENT);
}

std::unique_ptr<Device>
gemm::runtime::openEmulatorDevice(std::string_view target,
                                  const gemm_device_options &options) {
  return std::make_unique<EmulatorDevice>(
      target.empty() ? defaultTarget : target, options);
}
