// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A management library with one device and steady readings.
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int nvmlInit_v2() { return 0; }
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device) {
  static int token;
  *device = &token;
  return std::strcmp(id, "0000:07:00.0") == 0 ? 0 : 6;
}
EXPORT int nvmlDeviceGetClockInfo(void *, int clock, unsigned *megahertz) {
  *megahertz = 1234;
  return clock == 1 ? 0 : 2;
}
EXPORT int nvmlDeviceGetMaxClockInfo(void *, int clock, unsigned *megahertz) {
  *megahertz = 1980;
  return clock == 1 ? 0 : 2;
}
EXPORT int nvmlDeviceGetPowerUsage(void *, unsigned *milliwatts) {
  *milliwatts = 456700;
  return 0;
}
EXPORT int nvmlDeviceGetEnforcedPowerLimit(void *, unsigned *milliwatts) {
  *milliwatts = 700000;
  return 0;
}
EXPORT int nvmlDeviceGetTemperature(void *, int sensor, unsigned *celsius) {
  *celsius = 42;
  return sensor == 0 ? 0 : 2;
}
EXPORT int
nvmlDeviceGetCurrentClocksThrottleReasons(void *, unsigned long long *reasons) {
  *reasons = 0x4;
  return 0;
}
EXPORT int nvmlSystemGetDriverVersion(char *text, unsigned length) {
  std::strncpy(text, "580.1.2", length);
  return 0;
}
