// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch hands to the device: grid, parameters, tensor maps.
#include "Fixture.h"

#include <bit>
#include <thread>

using namespace gemm::runtime;

TEST_F(RuntimeTest, ParametersArriveInOrder) {
  SampleProblem sample;
  gemm_stream stream = &sample;
  ASSERT_EQ(gemm_kernel_launch(kernel, &sample.problem, stream), GEMM_SUCCESS)
      << gemm_last_error_message();
  ASSERT_EQ(fake->launches.size(), 1u);
  const RecordedLaunch &launch = fake->launches[0];
  EXPECT_EQ(launch.stream, stream);
  const std::vector<uint64_t> expected{
      0x10000000, // tensor maps: the fake encodes their address
      0x20000000,
      0x50000000,                                        // D
      208,                                               // leading dimension
      100 * 208,                                         // batch stride
      100,                                               // m, n, k, batch
      200,        64, 3, std::bit_cast<uint32_t>(1.5f)}; // alpha
  EXPECT_EQ(launch.bits, expected);
  // ceil(100 / 128) * ceil(200 / 256) * 3 = 3, rounded up to clusters of 2.
  EXPECT_EQ(launch.grid, 4u);
}

TEST_F(RuntimeTest, GridFollowsTheEntrysRule) {
  SampleProblem sample;
  ASSERT_EQ(gemm_kernel_launch_entry(kernel, 1, &sample.problem, nullptr),
            GEMM_SUCCESS);
  // rows are n in tiles of 64, columns m in tiles of 32:
  // ceil(200 / 64) * ceil(100 / 32) * 3
  EXPECT_EQ(fake->launches.at(0).grid, 4u * 4u * 3u);
}

TEST_F(RuntimeTest, TooManyCtasAreRefused) {
  SampleProblem sample;
  sample.problem.m = 0x7fff0000;
  sample.problem.n = 64 * 33;
  sample.problem.batch = 1;
  sample.operands[D].leading_dimension = 64 * 33;
  sample.operands[C].leading_dimension = 64 * 33;
  sample.operands[B].leading_dimension = 64 * 33;
  sample.scalars[1] = 0;
  sample.operands[D].data = SampleProblem::address(uintptr_t(1) << 50);
  // The grid needs 33 * 2^31 / 32 > 2^31 - 1 CTAs.
  EXPECT_EQ(launch(sample), GEMM_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(gemm_last_error_message(),
               "entry matmul_1 would need 2214524928 CTAs of 64x32 elements, a "
               "grid has at most 2147483647: split the problem along the batch "
               "or the larger extent");
  EXPECT_TRUE(fake->launches.empty());
}

TEST_F(RuntimeTest, TensorMapDescribesTheOperand) {
  SampleProblem sample;
  ASSERT_EQ(launch(sample), GEMM_SUCCESS);
  ASSERT_EQ(fake->encoded.size(), 2u);
  // A: batched, k contiguous; rank 3 with the batch outermost.
  TensorMapRequest a;
  a.type = ElementType::BF16;
  a.rank = 3;
  a.swizzle = 128;
  a.address = 0x10000000;
  a.extents = {64, 100, 3};
  a.strides = {64 * 2, 100 * 64 * 2};
  a.box = {64, 128, 1};
  EXPECT_EQ(fake->encoded[0], a);
  // B: not batched, "col", so n is contiguous and k strided.
  TensorMapRequest b;
  b.type = ElementType::BF16;
  b.rank = 2;
  b.swizzle = 128;
  b.address = 0x20000000;
  b.extents = {200, 64, 1};
  b.strides = {200 * 2, 0};
  b.box = {64, 64, 1};
  EXPECT_EQ(fake->encoded[1], b);
}

TEST_F(RuntimeTest, TensorMapIsEncodedOncePerThread) {
  SampleProblem sample;
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(launch(sample), GEMM_SUCCESS);
  EXPECT_EQ(fake->encodeCount, 2);
  // Everything that determines the map makes a new one; D does not.
  sample.operands[D].data = SampleProblem::address(0x60000000);
  ASSERT_EQ(launch(sample), GEMM_SUCCESS);
  EXPECT_EQ(fake->encodeCount, 2);
  sample.operands[A].data = SampleProblem::address(0x70000000);
  ASSERT_EQ(launch(sample), GEMM_SUCCESS);
  EXPECT_EQ(fake->encodeCount, 3);
  sample.operands[A].leading_dimension = 72;
  ASSERT_EQ(launch(sample), GEMM_SUCCESS);
  EXPECT_EQ(fake->encodeCount, 4);
  sample.operands[A].batch_stride = 8000;
  ASSERT_EQ(launch(sample), GEMM_SUCCESS);
  EXPECT_EQ(fake->encodeCount, 5);
  sample.problem.m = 96;
  ASSERT_EQ(launch(sample), GEMM_SUCCESS);
  EXPECT_EQ(fake->encodeCount, 6);
  EXPECT_EQ(fake->launches.back().bits[0], 0x70000000u);
}

TEST_F(RuntimeTest, DevicesDoNotShareTensorMaps) {
  SampleProblem sample;
  ASSERT_EQ(launch(sample), GEMM_SUCCESS);
  TearDown();
  kernel = nullptr;
  SetUp(); // another device, the same problem
  ASSERT_EQ(launch(sample), GEMM_SUCCESS);
  EXPECT_EQ(fake->encodeCount, 2);
}

TEST_F(RuntimeTest, ThreadsLaunchOneKernelTogether) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      SampleProblem sample;
      for (int i = 0; i < 500; ++i) {
        // More matrices than the cache holds.
        uintptr_t address = 0x1000000000 + (i % 400) * 0x100000 + t * 0x1000;
        sample.operands[A].data = SampleProblem::address(address);
        ASSERT_EQ(launch(sample), GEMM_SUCCESS);
        sample.problem.k = -t; // errors belong to their thread
        if (t) {
          ASSERT_EQ(launch(sample), GEMM_ERROR_INVALID_ARGUMENT);
          ASSERT_EQ(std::string(gemm_last_error_message()),
                    "k is negative: " + std::to_string(-t));
        }
        sample.problem.k = 64;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  ASSERT_EQ(fake->launches.size(), 4u * 500u);
  std::map<uint64_t, int> seen;
  for (const RecordedLaunch &launch : fake->launches)
    ++seen[launch.bits[0]];
  EXPECT_EQ(seen.size(), 4u * 400u);
}

TEST_F(RuntimeTest, EmptyProductHasMapsThatCanBeEncoded) {
  SampleProblem sample;
  sample.problem.k = 0;
  sample.operands[A].data = nullptr;
  sample.operands[A].leading_dimension = 0;
  sample.operands[B].data = nullptr;
  sample.operands[D].data = SampleProblem::address(0x50000002);
  ASSERT_EQ(launch(sample), GEMM_SUCCESS) << gemm_last_error_message();
  ASSERT_EQ(fake->launches.at(0).entry, 0u);
  EXPECT_EQ(fake->launches[0].bits[7], 0u); // k
  ASSERT_EQ(fake->encoded.size(), 2u);
  // cuTensorMapEncodeTiled: address not null and divisible by 16, extents not
  // zero, strides divisible by 16.
  TensorMapRequest dummy;
  dummy.type = ElementType::BF16;
  dummy.rank = 3;
  dummy.swizzle = 128;
  dummy.address = 0x50000000;
  dummy.extents = {1, 1, 1};
  dummy.strides = {16, 16};
  dummy.box = {64, 128, 1};
  EXPECT_EQ(fake->encoded[0], dummy);
}

TEST_F(RuntimeTest, EmptyResultLaunchesNothing) {
  for (int64_t gemm_problem::*extent :
       {&gemm_problem::m, &gemm_problem::n, &gemm_problem::batch}) {
    SampleProblem sample;
    sample.problem.*extent = 0;
    for (gemm_operand &operand : sample.operands)
      operand = {nullptr, 0, 0};
    EXPECT_EQ(launch(sample), GEMM_SUCCESS) << gemm_last_error_message();
    EXPECT_EQ(gemm_kernel_launch_entry(kernel, 1, &sample.problem, nullptr),
              GEMM_SUCCESS);
  }
  EXPECT_TRUE(fake->launches.empty());
}

TEST_F(RuntimeTest, TensorMapsHaveLimitsOfTheirOwn) {
  // An entry whose guard forgets what its tensor map needs.
  nlohmann::json description = sampleDescription();
  description["entries"][0]["guard"] = nlohmann::json::array();
  load(description);
  SampleProblem sample;
  sample.operands[A].leading_dimension = 65;
  EXPECT_EQ(launch(sample), GEMM_ERROR_NO_ENTRY);
  EXPECT_STREQ(gemm_last_error_message(),
               "entry matmul_0 reads or writes A by tensor map, which needs "
               "its leading dimension divisible by 16 bytes, got 130");
  sample.operands[A].leading_dimension = int64_t(1) << 39;
  sample.operands[A].batch_stride = 64;
  sample.operands[D].data = SampleProblem::address(uintptr_t(1) << 60);
  EXPECT_EQ(launch(sample), GEMM_ERROR_NO_ENTRY);
  EXPECT_STREQ(gemm_last_error_message(),
               "entry matmul_0 reads or writes A by tensor map, which needs "
               "its leading dimension below 2^40 bytes, got 549755813888 "
               "elements");
  EXPECT_TRUE(fake->launches.empty());
}

TEST_F(RuntimeTest, WorkspaceIsNone) {
  SampleProblem sample;
  size_t bytes = 7;
  EXPECT_EQ(gemm_kernel_workspace_bytes(kernel, &sample.problem, &bytes),
            GEMM_SUCCESS);
  EXPECT_EQ(bytes, 0u);
}
