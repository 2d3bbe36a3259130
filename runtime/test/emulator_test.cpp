// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator as a device: what smoke.cpp cannot ask of a GPU.
#include "SmokeKernels.h"
#include "gemm-runtime/runtime.h"

#include <gtest/gtest.h>

#include <vector>

using namespace gemm::runtime;

namespace {
class EmulatorTest : public testing::Test {
protected:
  void open(const char *name, const gemm_device_options *options = nullptr) {
    ASSERT_EQ(gemm_device_open(name, options, &device), GEMM_SUCCESS)
        << gemm_last_error_message();
  }
  gemm_status load(const std::string &text) {
    return gemm_kernel_load(device, text.data(), text.size(), &kernel);
  }
  void *allocate(size_t bytes) {
    void *memory = nullptr;
    EXPECT_EQ(gemm_memory_allocate(device, bytes, &memory), GEMM_SUCCESS)
        << gemm_last_error_message();
    return memory;
  }
  /// size x size x size with D of `bytes` bytes, A and B of ones if `filled`.
  gemm_status launch(int64_t size, size_t bytes, bool filled) {
    std::vector<float> ones(size_t(size * size), 1.0f);
    gemm_operand operands[4] = {};
    for (int i : {0, 1, 3}) {
      operands[i] = {allocate(i == 3 ? bytes : ones.size() * 4), size, 0};
      if (i != 3 && filled) {
        EXPECT_EQ(gemm_memory_copy_to_device(device, operands[i].data,
                                             ones.data(), ones.size() * 4,
                                             nullptr),
                  GEMM_SUCCESS);
      }
    }
    result = operands[3].data;
    const double scalars[] = {1.0, 0.0};
    gemm_problem problem{size, size,    size, 1,       operands,
                         4,    scalars, 2,    nullptr, 0};
    return gemm_kernel_launch(kernel, &problem, nullptr);
  }
  void close() {
    gemm_kernel_unload(kernel);
    gemm_device_close(device);
    kernel = nullptr;
    device = nullptr;
  }
  void TearDown() override { close(); }

  gemm_device *device = nullptr;
  gemm_kernel *kernel = nullptr;
  void *result = nullptr;
};
} // namespace

static bool lastErrorHas(const char *text) {
  return std::string(gemm_last_error_message()).find(text) != std::string::npos;
}

TEST_F(EmulatorTest, ArchitectureIsChosenByName) {
  open("emulator:sm_80");
  gemm_device_info info{};
  ASSERT_EQ(gemm_device_get_info(device, &info), GEMM_SUCCESS);
  EXPECT_STREQ(info.architecture, "sm_80");
  EXPECT_EQ(info.capability_major, 8);
  EXPECT_EQ(info.capability_minor, 0);
  EXPECT_EQ(info.is_emulator, 1);
  EXPECT_EQ(info.max_shared_bytes, 163 * 1024);
  EXPECT_EQ(info.driver_version, 0);
  EXPECT_EQ(load(tmaArtifact({})), GEMM_ERROR_UNSUPPORTED);
  EXPECT_STREQ(gemm_last_error_message(),
               "the artifact is for sm_90, which runs on this or a later "
               "architecture; the device has compute capability 8.0");
}

TEST_F(EmulatorTest, UnknownArchitectureListsTheKnown) {
  EXPECT_EQ(gemm_device_open("emulator:sm_1", nullptr, &device),
            GEMM_ERROR_NO_DEVICE);
  EXPECT_TRUE(lastErrorHas("sm_80")) << gemm_last_error_message();
}

TEST_F(EmulatorTest, OptionsAreChecked) {
  gemm_device_options options{};
  options.emulator_multiprocessors = -1;
  EXPECT_EQ(gemm_device_open("emulator", &options, &device),
            GEMM_ERROR_INVALID_ARGUMENT);
  options.emulator_multiprocessors = 7;
  options.emulator_async = static_cast<gemm_emulator_async>(9);
  EXPECT_EQ(gemm_device_open("emulator", &options, &device),
            GEMM_ERROR_INVALID_ARGUMENT);
  options.emulator_async = GEMM_EMULATOR_ASYNC_LATE;
  open("emulator", &options);
  gemm_device_info info{};
  ASSERT_EQ(gemm_device_get_info(device, &info), GEMM_SUCCESS);
  EXPECT_EQ(info.multiprocessors, 7);
}

TEST_F(EmulatorTest, WritesBeyondAnAllocationFailTheLaunch) {
  open("emulator");
  ASSERT_EQ(load(naiveArtifact({})), GEMM_SUCCESS) << gemm_last_error_message();
  EXPECT_EQ(launch(32, 32 * 32 * 4, true), GEMM_SUCCESS)
      << gemm_last_error_message();
  EXPECT_EQ(launch(32, 32 * 32 * 4 - 4, true), GEMM_ERROR_DEVICE);
  EXPECT_TRUE(lastErrorHas("entry smoke")) << gemm_last_error_message();
  // The device goes on.
  EXPECT_EQ(launch(32, 32 * 32 * 4, true), GEMM_SUCCESS)
      << gemm_last_error_message();
}

TEST_F(EmulatorTest, SanitizerCanBeTurnedOff) {
  open("emulator");
  ASSERT_EQ(load(naiveArtifact({})), GEMM_SUCCESS);
  // A and B were never written.
  EXPECT_EQ(launch(16, 16 * 16 * 4, false), GEMM_ERROR_DEVICE);
  close();
  gemm_device_options options{};
  options.emulator_sanitizer = GEMM_EMULATOR_SANITIZER_OFF;
  open("emulator", &options);
  ASSERT_EQ(load(naiveArtifact({})), GEMM_SUCCESS);
  EXPECT_EQ(launch(16, 16 * 16 * 4, false), GEMM_SUCCESS)
      << gemm_last_error_message();
}

/// Two threads write one word of shared memory without order: the same value,
/// so a note, if `same`. Then D is computed as ever.
static std::string racingArtifact(bool same) {
  return replaced(naiveArtifact({}), "  ld.param.u32 extentM, [paramM];",
                  std::string("  .shared .align 4 .b32 word;\n"
                              "  mov.u32 tid, %tid.x;\n") +
                      (same ? "  mov.u32 tid, 3;\n" : "") +
                      "  st.shared.u32 [word], tid;\n"
                      "  ld.param.u32 extentM, [paramM];");
}

TEST_F(EmulatorTest, ReportsNotesAndErrors) {
  open("emulator");
  gemm_emulator_report report{};
  ASSERT_EQ(gemm_device_get_emulator_report(device, &report), GEMM_SUCCESS);
  EXPECT_EQ(report.num_findings, 0u);
  ASSERT_EQ(load(racingArtifact(true)), GEMM_SUCCESS)
      << gemm_last_error_message();
  ASSERT_EQ(launch(16, 16 * 16 * 4, true), GEMM_SUCCESS)
      << gemm_last_error_message();
  ASSERT_EQ(gemm_device_get_emulator_report(device, &report), GEMM_SUCCESS);
  ASSERT_EQ(report.num_findings, 1u);
  EXPECT_EQ(report.findings[0].is_error, 0);
  EXPECT_STREQ(report.findings[0].kind, "race");
  close();

  gemm_device_options options{};
  options.emulator_seed = 9;
  for (bool strict : {true, false}) {
    options.emulator_sanitizer =
        strict ? GEMM_EMULATOR_SANITIZER_STRICT : GEMM_EMULATOR_SANITIZER_ON;
    open("emulator", &options);
    ASSERT_EQ(load(racingArtifact(strict)), GEMM_SUCCESS);
    // The second launch has the next seed.
    for (uint64_t seed : {9, 10}) {
      EXPECT_EQ(launch(16, 16 * 16 * 4, true), GEMM_ERROR_DEVICE);
      ASSERT_EQ(gemm_device_get_emulator_report(device, &report), GEMM_SUCCESS);
      EXPECT_EQ(report.seed, seed);
      ASSERT_EQ(report.num_findings, 1u);
      EXPECT_EQ(report.findings[0].is_error, 1);
      // Cause, line, who, and the other party, also in the failure's message.
      const std::string text = report.findings[0].text;
      for (const char *part :
           {"race: ", "st.shared.u32", "CTA (0,0,0) warp", "lane"})
        EXPECT_NE(text.find(part), std::string::npos) << text;
      EXPECT_TRUE(lastErrorHas(text.c_str())) << gemm_last_error_message();
      EXPECT_TRUE(lastErrorHas(("seed " + std::to_string(seed)).c_str()));
    }
    close();
  }
}

TEST_F(EmulatorTest, TensorMapKernelRunsInEveryAsyncMode) {
  for (gemm_emulator_async mode :
       {GEMM_EMULATOR_ASYNC_EARLY, GEMM_EMULATOR_ASYNC_LATE,
        GEMM_EMULATOR_ASYNC_RANDOM}) {
    gemm_device_options options{};
    options.emulator_async = mode;
    options.emulator_seed = 5;
    options.emulator_sanitizer = GEMM_EMULATOR_SANITIZER_STRICT;
    open("emulator", &options);
    ASSERT_EQ(load(tmaArtifact({})), GEMM_SUCCESS) << gemm_last_error_message();
    ASSERT_EQ(launch(48, 48 * 48 * 4, true), GEMM_SUCCESS)
        << gemm_last_error_message();
    std::vector<float> values(48 * 48);
    ASSERT_EQ(gemm_memory_copy_to_host(device, values.data(), result,
                                       values.size() * 4, nullptr),
              GEMM_SUCCESS);
    EXPECT_EQ(values, std::vector<float>(48 * 48, 48.0f));
    close();
  }
}
