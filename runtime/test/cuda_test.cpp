// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA device on the driver of fake_driver.c, which must be the
// libcuda.so.1 that the dynamic linker finds.
#include "SmokeKernels.h"
#include "fake_driver.h"
#include "gemm-runtime/runtime.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

using namespace gemm::runtime;

static fake_driver_state &state() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  auto *found = static_cast<fake_driver_state *>(
      library ? dlsym(library, "fake_driver") : nullptr);
  if (!found) {
    std::fprintf(stderr, "libcuda.so.1 is not the fake driver\n");
    std::exit(1);
  }
  return *found;
}

namespace {
class CudaTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(gemm_device_open("cuda", nullptr, &device), GEMM_SUCCESS)
        << gemm_last_error_message();
    initial = state();
  }
  void TearDown() override {
    gemm_kernel_unload(kernel);
    gemm_device_close(device);
    EXPECT_EQ(state().context_depth, 0);
    EXPECT_EQ(state().loaded_modules, 0);
    state() = initial;
  }
  gemm_status load(const std::string &text) {
    // C and D: pointer, stride, batch stride; m, n, k, alpha, beta.
    std::vector<unsigned> sizes{8, 8, 8, 8, 8, 8, 4, 4, 4, 4, 4};
    bool tma = text.find("tensor_map") != std::string::npos;
    // Before them A and B.
    sizes.insert(sizes.begin(), tma ? 2 : 6, tma ? 128 : 8);
    state().parameters = sizes.size() + extraParameters;
    std::copy(sizes.begin(), sizes.end(), state().parameter_bytes);
    return gemm_kernel_load(device, text.data(), text.size(), &kernel);
  }
  /// The status and message of a load that must fail.
  std::string loadFailure(const std::string &text) {
    gemm_status status = load(text);
    EXPECT_NE(status, GEMM_SUCCESS);
    return std::string(gemm_status_name(status)) + ": " +
           gemm_last_error_message();
  }

  gemm_device *device = nullptr;
  gemm_kernel *kernel = nullptr;
  unsigned extraParameters = 0;
  fake_driver_state initial{};
};
} // namespace

/// What a failed open leaves must not stop a later one: the first test.
TEST(CudaDriver, WhyThereIsNoDevice) {
  gemm_device *device = nullptr;
  state().version = 11040;
  EXPECT_EQ(gemm_device_open("cuda", nullptr, &device), GEMM_ERROR_NO_DEVICE);
  EXPECT_STREQ(gemm_last_error_message(),
               "the CUDA driver is too old: it supports CUDA 11.4, "
               "gemm-runtime needs one for CUDA 11.8 or newer");
  state().version = 12040;
  state().init_result = 100;
  EXPECT_EQ(gemm_device_open("cuda", nullptr, &device), GEMM_ERROR_NO_DEVICE);
  EXPECT_STREQ(gemm_last_error_message(),
               "no CUDA device: the driver finds no GPU on this machine");
  state().init_result = 803;
  EXPECT_EQ(gemm_device_open("cuda", nullptr, &device), GEMM_ERROR_NO_DEVICE);
  EXPECT_STREQ(gemm_last_error_message(),
               "the CUDA driver cannot be used: cuInit: CUDA error 803");
  state().init_result = 0;
  EXPECT_EQ(gemm_device_open("cuda:1", nullptr, &device), GEMM_ERROR_NO_DEVICE);
  EXPECT_STREQ(gemm_last_error_message(),
               "no CUDA device 1: this machine has 1");
}

TEST_F(CudaTest, Information) {
  gemm_device_info info{};
  ASSERT_EQ(gemm_device_get_info(device, &info), GEMM_SUCCESS);
  EXPECT_STREQ(info.name, "Fake GPU");
  EXPECT_STREQ(info.architecture, "sm_90a");
  EXPECT_EQ(info.capability_major, 9);
  EXPECT_EQ(info.is_emulator, 0);
  EXPECT_EQ(info.multiprocessors, 132);
  EXPECT_EQ(info.max_shared_bytes, 232448);
  EXPECT_EQ(info.clock_khz, 1980000);
  // 2 x 3201 MHz x 6016 bits: the H200's 4.8 TB/s.
  EXPECT_NEAR(info.memory_bandwidth, 4.814e12, 0.001e12);
  EXPECT_EQ(info.memory_bytes, uint64_t(1) << 37);
  EXPECT_EQ(info.l2_bytes, 62914560u);
  EXPECT_EQ(info.driver_version, 12040);
}

TEST_F(CudaTest, PtxNewerThanTheDriver) {
  EXPECT_EQ(loadFailure(naiveArtifact({}, "sm_70", "8.6")),
            "UNSUPPORTED: the driver is too old for the artifact: PTX 8.6 "
            "needs a driver for CUDA 12.7 or newer, the installed one supports "
            "CUDA 12.4");
  // Newer than our table: the driver's answer.
  state().load_result = 222;
  EXPECT_EQ(loadFailure(naiveArtifact({}, "sm_70", "99.0")),
            "UNSUPPORTED: the driver is too old for the artifact: it supports "
            "CUDA 12.4, which does not know PTX 99.0");
}

TEST_F(CudaTest, OtherArchitecture) {
  state().capability_major = 10;
  EXPECT_EQ(loadFailure(naiveArtifact({}, "sm_90a", "8.0")),
            "UNSUPPORTED: the artifact is for sm_90a, which runs on that "
            "architecture only; the device has compute capability 10.0");
  state().capability_major = 6;
  EXPECT_EQ(loadFailure(naiveArtifact({}, "sm_70", "8.0")),
            "UNSUPPORTED: the artifact is for sm_70, which runs on this or a "
            "later architecture; the device has compute capability 6.0");
}

TEST_F(CudaTest, RefusedPtxComesWithTheLog) {
  state().load_result = 218;
  state().load_log = "ptxas fatal : line 60";
  EXPECT_EQ(loadFailure(naiveArtifact({})),
            "COMPILATION: the driver refuses the PTX: ptxas fatal : line 60");
}

TEST_F(CudaTest, SharedMemoryBeyondTheDevice) {
  state().static_shared = 1000;
  EXPECT_EQ(loadFailure(naiveArtifact({}, "sm_70", "7.0", "231449")),
            "UNSUPPORTED: entry smoke needs 232449 bytes of shared memory per "
            "CTA, 1 more than the device's 232448");
  EXPECT_EQ(load(naiveArtifact({}, "sm_70", "7.0", "231448")), GEMM_SUCCESS);
  EXPECT_EQ(state().dynamic_shared, 231448);
}

TEST_F(CudaTest, MoreThreadsThanTheFunctionAllows) {
  EXPECT_EQ(loadFailure(replaced(naiveArtifact({}), "\"block\": 256",
                                 "\"block\": 257")),
            "UNSUPPORTED: entry smoke needs 257 threads per CTA, its registers "
            "and launch bounds allow 256");
}

TEST_F(CudaTest, DescriptionMatchesThePtx) {
  extraParameters = 1;
  EXPECT_EQ(loadFailure(naiveArtifact({})),
            "INVALID_ARTIFACT: entry smoke: the PTX has 18 parameters, the "
            "description 17");
  extraParameters = 0;
  EXPECT_EQ(loadFailure(replaced(naiveArtifact({}),
                                 "{\"kind\": \"extent\", \"dim\": \"n\"}",
                                 "{\"kind\": \"stride\", \"operand\": 0}")),
            "INVALID_ARTIFACT: entry smoke: parameter 13 has 4 bytes in the "
            "PTX, 8 in the description");
}

static gemm_status launch(gemm_kernel *kernel, gemm_stream stream) {
  gemm_operand operands[] = {
      {reinterpret_cast<void *>(0x10000), 64, 64000},
      {reinterpret_cast<void *>(0x8000000), 128, 0},
      {nullptr, 0, 0},
      {reinterpret_cast<void *>(0x20000000), 200, 65536}};
  const double scalars[] = {1.0, 0.0};
  gemm_problem problem{100, 128, 60, 2, operands, 4, scalars, 2, nullptr, 0};
  return gemm_kernel_launch(kernel, &problem, stream);
}

TEST_F(CudaTest, LaunchConfiguration) {
  ASSERT_EQ(load(replaced(naiveArtifact({}, "sm_70", "7.0", "4096"),
                          "\"cluster\": [1, 1, 1]", "\"cluster\": [4, 1, 1]")),
            GEMM_SUCCESS)
      << gemm_last_error_message();
  int stream = 0;
  ASSERT_EQ(launch(kernel, &stream), GEMM_SUCCESS) << gemm_last_error_message();
  EXPECT_EQ(state().grid[0], 7u * 8u * 2u);
  EXPECT_EQ(state().grid[1], 1u);
  EXPECT_EQ(state().grid[2], 1u);
  EXPECT_EQ(state().block[0], 256u);
  EXPECT_EQ(state().block[1], 1u);
  EXPECT_EQ(state().block[2], 1u);
  EXPECT_EQ(state().cluster[0], 4u);
  EXPECT_EQ(state().cluster[1], 1u);
  EXPECT_EQ(state().cluster[2], 1u);
  EXPECT_EQ(state().shared_bytes, 4096u);
  EXPECT_EQ(state().stream, &stream);
  EXPECT_EQ(state().first_parameter, 0x10000u);
}

TEST_F(CudaTest, TensorMapArguments) {
  ASSERT_EQ(load(tmaArtifact({})), GEMM_SUCCESS) << gemm_last_error_message();
  ASSERT_EQ(launch(kernel, nullptr), GEMM_SUCCESS) << gemm_last_error_message();
  EXPECT_EQ(state().cluster[0], 0u); // no attribute
  EXPECT_EQ(state().stream, nullptr);
  EXPECT_EQ(state().first_parameter, 0xababababababababu);
  // The last map is B's: row order, so k is innermost.
  EXPECT_EQ(state().encode_type, 7); // CU_TENSOR_MAP_DATA_TYPE_FLOAT32
  EXPECT_EQ(state().encode_rank, 3u);
  EXPECT_EQ(state().encode_address, 0x8000000u);
  EXPECT_EQ(state().encode_extents[0], 60u);
  EXPECT_EQ(state().encode_extents[1], 128u);
  EXPECT_EQ(state().encode_extents[2], 2u);
  EXPECT_EQ(state().encode_strides[0], 512u);
  EXPECT_EQ(state().encode_strides[1], 0u);
  EXPECT_EQ(state().encode_box[0], 16u);
  EXPECT_EQ(state().encode_box[1], 16u);
  EXPECT_EQ(state().encode_box[2], 1u);
  EXPECT_EQ(state().encode_interleave, 0);
  EXPECT_EQ(state().encode_swizzle, 0);
  EXPECT_EQ(state().encode_l2, 3); // CU_TENSOR_MAP_L2_PROMOTION_L2_256B
  EXPECT_EQ(state().encode_fill, 0);
}

TEST_F(CudaTest, RefusedTensorMapIsDescribed) {
  ASSERT_EQ(load(tmaArtifact({true, false, false})), GEMM_SUCCESS);
  state().encode_result = 1;
  // Not a map that an earlier test has left in the cache: A is "col" here.
  gemm_operand operands[] = {
      {reinterpret_cast<void *>(0x10000), 128, 64000},
      {reinterpret_cast<void *>(0x8000000), 128, 0},
      {nullptr, 0, 0},
      {reinterpret_cast<void *>(0x20000000), 200, 65536}};
  const double scalars[] = {1.0, 0.0};
  gemm_problem problem{100, 128, 60, 2, operands, 4, scalars, 2, nullptr, 0};
  EXPECT_EQ(gemm_kernel_launch(kernel, &problem, nullptr), GEMM_ERROR_DEVICE);
  EXPECT_STREQ(gemm_last_error_message(),
               "cuTensorMapEncodeTiled(f32, extents [100, 60, 2], strides "
               "[512, 256000] bytes, box [16, 16, 1], swizzle 0): "
               "CUDA_ERROR_INVALID_VALUE");
}

TEST_F(CudaTest, ErrorsOfTheDriverKeepTheirName) {
  ASSERT_EQ(load(naiveArtifact({})), GEMM_SUCCESS);
  state().launch_result = 700;
  EXPECT_EQ(launch(kernel, nullptr), GEMM_ERROR_DEVICE);
  EXPECT_STREQ(gemm_last_error_message(),
               "cuLaunchKernelEx: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal "
               "memory access was encountered)");
  state().missing_memory = 1;
  void *memory = nullptr;
  EXPECT_EQ(gemm_memory_allocate(device, 1000, &memory),
            GEMM_ERROR_OUT_OF_MEMORY);
  EXPECT_STREQ(gemm_last_error_message(),
               "cuMemAlloc of 1000 bytes: CUDA_ERROR_OUT_OF_MEMORY");
}

TEST_F(CudaTest, MemoryStreamsAndEvents) {
  gemm_stream stream = nullptr;
  ASSERT_EQ(gemm_stream_create(device, &stream), GEMM_SUCCESS);
  void *memory = nullptr;
  ASSERT_EQ(gemm_memory_allocate(device, 8, &memory), GEMM_SUCCESS);
  ASSERT_EQ(gemm_memory_fill(device, memory, 0x11, 8, stream), GEMM_SUCCESS);
  const char text[] = "abc";
  ASSERT_EQ(gemm_memory_copy_to_device(device, memory, text, 4, stream),
            GEMM_SUCCESS);
  char back[8] = "";
  ASSERT_EQ(gemm_memory_copy_to_host(device, back, memory, 8, stream),
            GEMM_SUCCESS);
  EXPECT_EQ(std::string(back, 8), std::string("abc\0\x11\x11\x11\x11", 8));
  EXPECT_EQ(gemm_memory_free(device, memory), GEMM_SUCCESS);
  gemm_event event = nullptr;
  ASSERT_EQ(gemm_event_create(device, &event), GEMM_SUCCESS);
  EXPECT_EQ(gemm_event_record(device, event, stream), GEMM_SUCCESS);
  double seconds = 0;
  EXPECT_EQ(gemm_event_elapsed(device, event, event, &seconds), GEMM_SUCCESS);
  EXPECT_DOUBLE_EQ(seconds, 2.5e-3);
  EXPECT_EQ(gemm_event_destroy(device, event), GEMM_SUCCESS);
  EXPECT_EQ(gemm_stream_synchronize(device, stream), GEMM_SUCCESS);
  EXPECT_EQ(gemm_device_synchronize(device), GEMM_SUCCESS);
  EXPECT_EQ(gemm_stream_destroy(device, stream), GEMM_SUCCESS);
}
