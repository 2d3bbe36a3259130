// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries, guards and the choice of an entry.
#include "Fixture.h"

using namespace gemm::runtime;

TEST_F(RuntimeTest, Queries) {
  EXPECT_STREQ(gemm_kernel_name(kernel), "matmul");
  EXPECT_STREQ(gemm_kernel_target(kernel), "sm_90a");
  EXPECT_STREQ(gemm_kernel_accumulator(kernel), "f32");
  EXPECT_TRUE(gemm_kernel_is_batched(kernel));
  EXPECT_EQ(nlohmann::json::parse(gemm_kernel_json(kernel)),
            sampleDescription());

  ASSERT_EQ(gemm_kernel_operand_count(kernel), 5u);
  gemm_operand_info operand;
  ASSERT_EQ(gemm_kernel_get_operand(kernel, C, &operand), GEMM_SUCCESS);
  EXPECT_STREQ(operand.name, "C");
  EXPECT_EQ(operand.role, GEMM_ROLE_EPILOGUE);
  EXPECT_STREQ(operand.type, "bf16");
  EXPECT_EQ(operand.element_bytes, 2);
  EXPECT_EQ(operand.rank, 2);
  EXPECT_EQ(operand.dims[0], GEMM_DIM_M);
  EXPECT_EQ(operand.dims[1], GEMM_DIM_N);
  EXPECT_EQ(operand.column_major, 0);
  EXPECT_EQ(operand.batched, 1);
  EXPECT_EQ(operand.unused_if_zero, 1);
  EXPECT_EQ(gemm_kernel_get_operand(kernel, 5, &operand),
            GEMM_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(gemm_last_error_message(),
               "there is no operand 5: the kernel has 5");

  ASSERT_EQ(gemm_kernel_scalar_count(kernel), 2u);
  gemm_scalar_info scalar;
  ASSERT_EQ(gemm_kernel_get_scalar(kernel, 1, &scalar), GEMM_SUCCESS);
  EXPECT_STREQ(scalar.name, "beta");
  EXPECT_STREQ(scalar.type, "f32");

  ASSERT_EQ(gemm_kernel_entry_count(kernel), 2u);
  gemm_entry_info entry;
  ASSERT_EQ(gemm_kernel_get_entry(kernel, 0, &entry), GEMM_SUCCESS);
  EXPECT_STREQ(entry.name, "matmul_0");
  EXPECT_STREQ(entry.guard,
               "A's address divisible by 16 bytes, B's address divisible by 16 "
               "bytes, A's leading dimension and batch stride divisible by 8, "
               "B's leading dimension divisible by 8, k divisible by 8, m at "
               "most 4096, batch at most 5");
  EXPECT_STREQ(entry.schedule, "#gemm.schedule<wgmma>");
  EXPECT_EQ(entry.threads, 256);
  EXPECT_EQ(entry.cluster[0], 2);
  EXPECT_EQ(entry.shared_bytes, 196608);
  ASSERT_EQ(gemm_kernel_get_entry(kernel, 1, &entry), GEMM_SUCCESS);
  EXPECT_STREQ(entry.guard, "");
}

TEST_F(RuntimeTest, ModuleGetsWhatTheArtifactSays) {
  ASSERT_EQ(fake->modules.size(), 1u);
  const ModuleRequest &request = fake->modules[0];
  EXPECT_EQ(request.ptx, artifactText(sampleDescription()));
  EXPECT_EQ(request.target, "sm_90a");
  EXPECT_EQ(request.ptxMajor, 8);
  ASSERT_EQ(request.entries.size(), 2u);
  EXPECT_EQ(request.entries[0].name, "matmul_0");
  EXPECT_EQ(request.entries[0].threads, 256u);
  EXPECT_EQ(request.entries[0].clusterSize, 2u);
  EXPECT_EQ(request.entries[0].sharedBytes, 196608u);
  EXPECT_EQ(request.entries[0].parameterBytes,
            (std::vector<uint32_t>{128, 128, 8, 8, 8, 4, 4, 4, 4, 4}));
}

TEST_F(RuntimeTest, FirstEntryWhoseGuardHoldsRuns) {
  SampleProblem sample;
  EXPECT_EQ(select(sample).substr(0, 46),
            "matmul_0, because its guard holds: A's address");
  ASSERT_EQ(launch(sample), GEMM_SUCCESS) << gemm_last_error_message();
  sample.problem.k = 60;
  EXPECT_EQ(select(sample), "matmul_1, because entry matmul_0 needs k "
                            "divisible by 8, got 60");
  ASSERT_EQ(launch(sample), GEMM_SUCCESS) << gemm_last_error_message();
  ASSERT_EQ(fake->launches.size(), 2u);
  EXPECT_EQ(fake->launches[0].entry, 0u);
  EXPECT_EQ(fake->launches[1].entry, 1u);
}

TEST_F(RuntimeTest, EveryConditionNamesWhatFails) {
  auto failing = [&](auto change) {
    SampleProblem sample;
    change(sample);
    std::string text = select(sample);
    const std::string start = "matmul_1, because entry matmul_0 needs ";
    EXPECT_EQ(text.substr(0, start.size()), start);
    return text.substr(std::min(start.size(), text.size()));
  };
  EXPECT_EQ(failing([](SampleProblem &s) {
              s.operands[A].data = SampleProblem::address(0x10000008);
            }),
            "A's address divisible by 16 bytes, got 0x10000008");
  EXPECT_EQ(
      failing([](SampleProblem &s) { s.operands[A].leading_dimension = 65; }),
      "A's leading dimension divisible by 8, got 65");
  EXPECT_EQ(
      failing([](SampleProblem &s) { s.operands[A].batch_stride = 6401; }),
      "A's batch stride divisible by 8, got 6401");
  EXPECT_EQ(
      failing([](SampleProblem &s) { s.operands[B].leading_dimension = 201; }),
      "B's leading dimension divisible by 8, got 201");
  EXPECT_EQ(failing([](SampleProblem &s) {
              s.problem.m = 4097;
              s.operands[D].batch_stride = 4097 * 208;
            }),
            "m at most 4096, got 4097");
  EXPECT_EQ(failing([](SampleProblem &s) { s.problem.batch = 6; }),
            "batch at most 5, got 6");
}

TEST_F(RuntimeTest, StridesThatAreNotUsedAreNotAskedFor) {
  SampleProblem sample;
  sample.problem.batch = 1;
  sample.operands[A].batch_stride = 1; // a single batch
  sample.operands[B].batch_stride = 1; // not batched
  EXPECT_EQ(select(sample).substr(0, 9), "matmul_0,");
}

TEST_F(RuntimeTest, ReasonIsCutAtItsSize) {
  SampleProblem sample;
  size_t entry = 7;
  char reason[9] = "xxxxxxxx";
  ASSERT_EQ(gemm_kernel_select(kernel, &sample.problem, &entry, reason, 5),
            GEMM_SUCCESS);
  EXPECT_EQ(entry, 0u);
  EXPECT_STREQ(reason, "matm");
  EXPECT_EQ(reason[5], 'x');
  EXPECT_EQ(gemm_kernel_select(kernel, &sample.problem, &entry, nullptr, 0),
            GEMM_SUCCESS);
}

TEST_F(RuntimeTest, ForcedFamilyRefusesWithEveryReason) {
  nlohmann::json description = sampleDescription();
  description["entries"][1]["guard"] = {
      {{"kind", "pitch"}, {"operand", 0}, {"value", 4}}};
  load(description);
  SampleProblem sample;
  sample.operands[A].leading_dimension = 65;
  EXPECT_EQ(launch(sample), GEMM_ERROR_NO_ENTRY);
  EXPECT_STREQ(gemm_last_error_message(),
               "kernel matmul has no entry for this problem: entry matmul_0 "
               "needs A's leading dimension divisible by 8, got 65; entry "
               "matmul_1 needs A's leading dimension divisible by 4, got 65");
  EXPECT_TRUE(fake->launches.empty());
}

TEST_F(RuntimeTest, ChosenEntryRunsOnlyIfItsGuardHolds) {
  SampleProblem sample;
  ASSERT_EQ(gemm_kernel_launch_entry(kernel, 1, &sample.problem, nullptr),
            GEMM_SUCCESS);
  EXPECT_EQ(fake->launches.at(0).entry, 1u);
  sample.problem.k = 63;
  EXPECT_EQ(gemm_kernel_launch_entry(kernel, 0, &sample.problem, nullptr),
            GEMM_ERROR_NO_ENTRY);
  EXPECT_STREQ(gemm_last_error_message(),
               "entry matmul_0 needs k divisible by 8, got 63");
  EXPECT_EQ(gemm_kernel_launch_entry(kernel, 2, &sample.problem, nullptr),
            GEMM_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(gemm_last_error_message(),
               "there is no entry 2: the kernel has 2");
}

TEST_F(RuntimeTest, KernelWithoutDeviceSelectsButDoesNotRun) {
  std::string text = artifactText(sampleDescription());
  gemm_kernel *parsed = nullptr;
  ASSERT_EQ(gemm_kernel_load(nullptr, text.data(), text.size(), &parsed),
            GEMM_SUCCESS);
  SampleProblem sample;
  size_t entry = 7;
  EXPECT_EQ(gemm_kernel_select(parsed, &sample.problem, &entry, nullptr, 0),
            GEMM_SUCCESS);
  EXPECT_EQ(entry, 0u);
  EXPECT_EQ(gemm_kernel_launch(parsed, &sample.problem, nullptr),
            GEMM_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(gemm_last_error_message(),
               "kernel matmul was loaded without a device and cannot be "
               "launched");
  gemm_kernel_unload(parsed);
}
