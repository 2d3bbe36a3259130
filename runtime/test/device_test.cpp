// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device names, memory calls, and the tables that judge drivers and GPUs.
#include "../cuda/DriverVersion.h"
#include "../lib/PtxTarget.h"
#include "Fixture.h"

using namespace gemm::runtime;
using namespace gemm::runtime::cuda;

static std::string openFailure(const char *name) {
  gemm_device *device = nullptr;
  gemm_status status = gemm_device_open(name, nullptr, &device);
  EXPECT_NE(status, GEMM_SUCCESS);
  EXPECT_EQ(device, nullptr);
  return std::string(gemm_status_name(status)) + ": " +
         gemm_last_error_message();
}

TEST(Device, NamesAreChecked) {
  for (const char *name :
       {"", "cpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "emulator:"})
    EXPECT_EQ(openFailure(name), "INVALID_ARGUMENT: unknown device '" +
                                     std::string(name) +
                                     "': devices are cuda, cuda:N, emulator "
                                     "and emulator:TARGET");
}

TEST(Device, CudaHasNoOptions) {
  gemm_device_options options{};
  gemm_device *device = nullptr;
  EXPECT_EQ(gemm_device_open("cuda", &options, &device),
            GEMM_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(gemm_last_error_message(), "a CUDA device has no options");
}

TEST(Device, NoMachineHasThisGpu) {
  // With or without a driver, there is no such device.
  EXPECT_EQ(openFailure("cuda:99999").substr(0, 11), "NO_DEVICE: ");
}

TEST(Device, StatusNames) {
  EXPECT_STREQ(gemm_status_name(GEMM_SUCCESS), "SUCCESS");
  EXPECT_STREQ(gemm_status_name(GEMM_ERROR_NO_ENTRY), "NO_ENTRY");
  EXPECT_STREQ(gemm_status_name(static_cast<gemm_status>(99)), "UNKNOWN");
}

TEST_F(RuntimeTest, MemoryCallsCheckTheirArguments) {
  void *memory = this;
  EXPECT_EQ(gemm_memory_allocate(device.get(), 0, &memory), GEMM_SUCCESS);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(gemm_memory_free(device.get(), nullptr), GEMM_SUCCESS);
  EXPECT_EQ(
      gemm_memory_copy_to_device(device.get(), nullptr, nullptr, 0, nullptr),
      GEMM_SUCCESS);
  EXPECT_EQ(gemm_memory_copy_to_device(device.get(), nullptr, this, 4, nullptr),
            GEMM_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(gemm_last_error_message(), "argument 'destination' is NULL");
  EXPECT_EQ(gemm_memory_fill(nullptr, this, 0, 4, nullptr),
            GEMM_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(gemm_last_error_message(), "argument 'device' is NULL");
}

TEST_F(RuntimeTest, OnlyEmulatorsReport) {
  gemm_emulator_report report{};
  report.seed = 3;
  EXPECT_EQ(gemm_device_get_emulator_report(device.get(), nullptr),
            GEMM_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(gemm_device_get_emulator_report(device.get(), &report),
            GEMM_ERROR_UNSUPPORTED);
  EXPECT_STREQ(gemm_last_error_message(),
               "only an emulator reports on its launches");
  EXPECT_EQ(report.seed, 3u);
}

// PTX ISA, "Release Notes": PTX 8.5 came with CUDA 12.5, 8.6 with 12.7.
TEST(DriverVersion, PtxNeedsADriver) {
  EXPECT_EQ(cudaVersionForPtx(6, 0), 9000);
  EXPECT_EQ(cudaVersionForPtx(7, 0), 11000);
  EXPECT_EQ(cudaVersionForPtx(7, 8), 11080);
  EXPECT_EQ(cudaVersionForPtx(8, 0), 12000);
  EXPECT_EQ(cudaVersionForPtx(8, 5), 12050);
  EXPECT_EQ(cudaVersionForPtx(8, 6), 12070);
  EXPECT_EQ(cudaVersionForPtx(9, 0), 13000);
  EXPECT_EQ(cudaVersionForPtx(99, 0), 0);
  EXPECT_EQ(cudaVersionText(12070), "12.7");
}

// PTX ISA, ".target": a and f targets are not portable to later GPUs.
TEST(PtxTarget, TargetsRunOnCapabilities) {
  EXPECT_EQ(whyTargetUnsupported("sm_80", 8, 0), "");
  EXPECT_EQ(whyTargetUnsupported("sm_80", 9, 0), "");
  EXPECT_EQ(whyTargetUnsupported("sm_90a", 9, 0), "");
  EXPECT_EQ(whyTargetUnsupported("sm_100f", 10, 3), "");
  EXPECT_EQ(whyTargetUnsupported("sm_80", 7, 5),
            "the artifact is for sm_80, which runs on this or a later "
            "architecture; the device has compute capability 7.5");
  EXPECT_EQ(whyTargetUnsupported("sm_90a", 10, 0),
            "the artifact is for sm_90a, which runs on that architecture only; "
            "the device has compute capability 10.0");
  EXPECT_EQ(whyTargetUnsupported("sm_100f", 12, 0),
            "the artifact is for sm_100f, which runs on later GPUs of the same "
            "family only; the device has compute capability 12.0");
  EXPECT_EQ(whyTargetUnsupported("compute_90", 9, 0),
            "'compute_90' is no PTX target of a GPU");
  EXPECT_EQ(whyTargetUnsupported("sm_90b", 9, 0),
            "'sm_90b' is no PTX target of a GPU");
  EXPECT_EQ(mostSpecificTarget(8, 9), "sm_89");
  EXPECT_EQ(mostSpecificTarget(9, 0), "sm_90a");
  EXPECT_EQ(mostSpecificTarget(12, 0), "sm_120a");
}
