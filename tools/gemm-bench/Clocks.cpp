// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Clocks.h"

#include "support/CudaDriver.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace gemm::bench {

using namespace tools;

namespace {

using Handle = void *;

// NVML's functions and values used here; nvmlReturn_t 0 is success.
struct Nvml {
  SharedLibrary library{{"libnvidia-ml.so.1", "libnvidia-ml.so"}};
  int (*init)() = library.function<int()>("nvmlInit_v2");
  int (*byPciBusId)(const char *, Handle *) =
      library.function<int(const char *, Handle *)>(
          "nvmlDeviceGetHandleByPciBusId_v2");
  int (*clock)(Handle, int, unsigned *) =
      library.function<int(Handle, int, unsigned *)>("nvmlDeviceGetClockInfo");
  int (*maxClock)(Handle, int, unsigned *) =
      library.function<int(Handle, int, unsigned *)>(
          "nvmlDeviceGetMaxClockInfo");
  int (*power)(Handle, unsigned *) =
      library.function<int(Handle, unsigned *)>("nvmlDeviceGetPowerUsage");
  int (*powerLimit)(Handle, unsigned *) =
      library.function<int(Handle, unsigned *)>(
          "nvmlDeviceGetEnforcedPowerLimit");
  int (*temperature)(Handle, int, unsigned *) =
      library.function<int(Handle, int, unsigned *)>(
          "nvmlDeviceGetTemperature");
  int (*reasons)(Handle, unsigned long long *) =
      library.function<int(Handle, unsigned long long *)>(
          "nvmlDeviceGetCurrentClocksThrottleReasons");
  int (*driverVersion)(char *, unsigned) =
      library.function<int(char *, unsigned)>("nvmlSystemGetDriverVersion");
};

constexpr int clockSm = 1;        // NVML_CLOCK_SM
constexpr int temperatureGpu = 0; // NVML_TEMPERATURE_GPU

// "00000000:01:00.0" of the device's context.
std::string pciBusId(const Device &device) {
  makeContextCurrent(device);
  const SharedLibrary &driver = cudaDriver();
  int ordinal = 0;
  checkCuda(driver.function<int(int *)>("cuCtxGetDevice")(&ordinal),
            "cuCtxGetDevice");
  char text[32] = "";
  checkCuda(driver.function<int(char *, int, int)>("cuDeviceGetPCIBusId")(
                text, sizeof(text), ordinal),
            "cuDeviceGetPCIBusId");
  return text;
}

} // namespace

std::vector<std::string> clockReasons(unsigned long long bits) {
  struct Reason {
    unsigned long long bit;
    const char *name;
  };
  constexpr Reason known[] = {{0x1, "idle"},
                              {0x2, "application clocks"},
                              {0x4, "sw power cap"},
                              {0x8, "hw slowdown"},
                              {0x10, "sync boost"},
                              {0x20, "sw thermal slowdown"},
                              {0x40, "hw thermal slowdown"},
                              {0x80, "hw power brake"},
                              {0x100, "display clocks"}};
  std::vector<std::string> names;
  for (const Reason &reason : known)
    if (bits & reason.bit)
      names.emplace_back(reason.name);
  return names;
}

ClockSummary summarize(const std::vector<ClockReading> &readings) {
  ClockSummary summary;
  summary.readings = static_cast<int64_t>(readings.size());
  std::vector<double> clocks, watts;
  unsigned long long bits = 0;
  for (const ClockReading &reading : readings) {
    clocks.push_back(reading.smMegahertz);
    watts.push_back(reading.watts);
    summary.celsius = std::max(summary.celsius, reading.celsius);
    bits |= reading.reasons;
  }
  summary.smMegahertz = spreadOf(clocks);
  summary.watts = spreadOf(watts);
  summary.reasons = clockReasons(bits);
  return summary;
}

struct ClockMonitor::Implementation {
  Nvml nvml;
  Handle device = nullptr;
  std::mutex mutex;
  std::condition_variable wake;
  bool started = false, busy = false, quit = false;
  // Changes with every change of the above: a reading across one is dropped.
  std::atomic<uint64_t> phase = 0;
  std::vector<ClockReading> readings;
  std::thread thread;

  explicit Implementation(const Device &target) {
    std::string id = pciBusId(target);
    if (nvml.init() != 0 || nvml.byPciBusId(id.c_str(), &device) != 0)
      throw ToolError("NVML does not know the device " + id);
    thread = std::thread([this] { work(); });
  }

  ~Implementation() {
    {
      std::lock_guard lock(mutex);
      quit = true;
    }
    wake.notify_all();
    if (thread.joinable())
      thread.join();
  }

  void set(bool isStarted, bool isBusy) {
    {
      std::lock_guard lock(mutex);
      started = isStarted;
      busy = isBusy;
      ++phase;
    }
    wake.notify_all();
  }

  void work() {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex);
    while (!quit) {
      if (!started || !busy) {
        wake.wait(lock);
        continue;
      }
      uint64_t before = phase;
      lock.unlock();
      ClockReading reading;
      bool valid = read(reading);
      std::this_thread::sleep_for(1ms);
      lock.lock();
      if (valid && phase == before)
        readings.push_back(reading);
    }
  }

  bool read(ClockReading &reading) const {
    unsigned clock = 0, milliwatts = 0, celsius = 0;
    if (nvml.clock(device, clockSm, &clock) != 0 ||
        nvml.power(device, &milliwatts) != 0)
      return false;
    nvml.temperature(device, temperatureGpu, &celsius);
    nvml.reasons(device, &reading.reasons);
    reading.smMegahertz = clock;
    reading.watts = milliwatts / 1e3;
    reading.celsius = celsius;
    return true;
  }
};

ClockMonitor::ClockMonitor(const Device &device) {
  try {
    implementation = std::make_unique<Implementation>(device);
  } catch (const ToolError &error) {
    reason = error.what();
  }
}

ClockMonitor::~ClockMonitor() = default;

std::string ClockMonitor::driverVersion() const {
  char text[96] = "";
  if (implementation)
    implementation->nvml.driverVersion(text, sizeof(text));
  return text;
}

double ClockMonitor::powerLimit() const {
  unsigned milliwatts = 0;
  if (implementation)
    implementation->nvml.powerLimit(implementation->device, &milliwatts);
  return milliwatts / 1e3;
}

double ClockMonitor::highestSmClock() const {
  unsigned megahertz = 0;
  if (implementation)
    implementation->nvml.maxClock(implementation->device, clockSm, &megahertz);
  return megahertz;
}

void ClockMonitor::start() {
  if (!implementation)
    return;
  {
    std::lock_guard lock(implementation->mutex);
    implementation->readings.clear();
  }
  implementation->set(true, false);
}

void ClockMonitor::running(bool is) {
  if (implementation)
    implementation->set(true, is);
}

ClockSummary ClockMonitor::stop() {
  if (!implementation)
    return {};
  implementation->set(false, false);
  std::lock_guard lock(implementation->mutex);
  return summarize(implementation->readings);
}

} // namespace gemm::bench
