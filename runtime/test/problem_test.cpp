// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is refused before any entry is asked: arguments and overlap.
#include "Fixture.h"

#include <functional>

using namespace gemm::runtime;

namespace {
using Change = std::function<void(SampleProblem &)>;

class ProblemTest : public RuntimeTest {
protected:
  /// The status and message of a launch of the changed sample.
  std::string outcome(const Change &change) {
    SampleProblem sample;
    change(sample);
    gemm_status status = launch(sample);
    if (status == GEMM_SUCCESS)
      return "SUCCESS";
    return std::string(gemm_status_name(status)) + ": " +
           gemm_last_error_message();
  }
};
} // namespace

TEST_F(ProblemTest, ArgumentsAreChecked) {
  using S = SampleProblem;
  const std::string invalid = "INVALID_ARGUMENT: ";
  EXPECT_EQ(outcome([](S &) {}), "SUCCESS");
  EXPECT_EQ(outcome([](S &s) { s.problem.m = -1; }),
            invalid + "m is negative: -1");
  EXPECT_EQ(outcome([](S &s) { s.problem.k = GEMM_MAX_EXTENT + 1; }),
            invalid + "k = 2147418113 exceeds the largest extent 2147418112");
  EXPECT_EQ(outcome([](S &s) { s.problem.num_operands = 4; }),
            invalid + "kernel matmul has 5 operands, got 4");
  EXPECT_EQ(outcome([](S &s) { s.problem.operands = nullptr; }),
            invalid + "the problem's array of operands is NULL");
  EXPECT_EQ(outcome([](S &s) { s.problem.num_scalars = 3; }),
            invalid + "kernel matmul has 2 scalars, got 3");
  EXPECT_EQ(outcome([](S &s) { s.operands[A].leading_dimension = 63; }),
            invalid + "A's leading dimension 63 is smaller than its rows (k = "
                      "64)");
  EXPECT_EQ(outcome([](S &s) { s.operands[B].leading_dimension = 199; }),
            invalid + "B's leading dimension 199 is smaller than its columns "
                      "(n = 200)");
  EXPECT_EQ(outcome([](S &s) { s.operands[A].data = nullptr; }),
            invalid + "A is NULL");
  EXPECT_EQ(outcome([](S &s) { s.operands[bias].data = nullptr; }),
            invalid + "bias is NULL");
  EXPECT_EQ(outcome([](S &s) { s.operands[D].data = nullptr; }),
            invalid + "D is NULL");
  EXPECT_EQ(
      outcome([](S &s) { s.operands[bias].data = S::address(0x40000002); }),
      invalid + "bias must be aligned to its element type f32 (4 bytes), "
                "got address 0x40000002");
  EXPECT_EQ(outcome([](S &s) { s.operands[A].batch_stride = -64; }),
            invalid + "A's batch stride is negative: -64");
  EXPECT_EQ(
      outcome([](S &s) { s.operands[A].leading_dimension = int64_t(1) << 62; }),
      invalid + "A does not fit into the address space: check its "
                "leading dimension and batch stride");
}

TEST_F(ProblemTest, ReadersMayRepeatBatches) {
  EXPECT_EQ(outcome([](SampleProblem &s) { s.operands[A].batch_stride = 0; }),
            "SUCCESS");
}

TEST_F(ProblemTest, UnreadOperandMayBeNull) {
  EXPECT_EQ(outcome([](SampleProblem &s) {
              s.scalars[1] = 0; // beta
              s.operands[C] = {nullptr, 0, 0};
            }),
            "SUCCESS");
  EXPECT_EQ(outcome([](SampleProblem &s) { s.operands[C].data = nullptr; }),
            "INVALID_ARGUMENT: C is NULL");
}

TEST_F(ProblemTest, NullArgumentsAreNamed) {
  SampleProblem sample;
  EXPECT_EQ(gemm_kernel_launch(nullptr, &sample.problem, nullptr),
            GEMM_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(gemm_last_error_message(), "argument 'kernel' is NULL");
  EXPECT_EQ(gemm_kernel_launch(kernel, nullptr, nullptr),
            GEMM_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(gemm_last_error_message(), "argument 'problem' is NULL");
}

TEST_F(ProblemTest, StaticExtentsAndBatchAreFixed) {
  nlohmann::json description = sampleDescription();
  description["problem"]["static"] = {{"n", 200}};
  description["problem"]["batched"] = false;
  for (nlohmann::json &operand : description["problem"]["operands"])
    operand["batched"] = false;
  load(description);
  EXPECT_EQ(outcome([](SampleProblem &s) { s.problem.batch = 1; }), "SUCCESS");
  EXPECT_EQ(outcome([](SampleProblem &s) {
              s.problem.n = 199;
              s.problem.batch = 1;
            }),
            "INVALID_ARGUMENT: kernel matmul is compiled for n = 200, got 199");
  EXPECT_EQ(outcome([](SampleProblem &) {}),
            "INVALID_ARGUMENT: kernel matmul is not batched: batch must be 1, "
            "got 3");
}

TEST_F(ProblemTest, ResultMayBeAnEpilogueMatrixExactly) {
  const std::string both =
      "OVERLAP: D overlaps C: they must be disjoint or exactly the same "
      "(pointer, element size, order, leading dimension and batch stride)";
  EXPECT_EQ(outcome([](SampleProblem &s) { s.operands[C] = s.operands[D]; }),
            "SUCCESS");
  EXPECT_EQ(outcome([](SampleProblem &s) {
              s.operands[C] = s.operands[D];
              s.operands[C].leading_dimension = 216;
            }),
            both);
  EXPECT_EQ(outcome([](SampleProblem &s) {
              s.operands[C] = s.operands[D];
              s.operands[C].data = SampleProblem::address(0x50000002);
            }),
            both);
  EXPECT_EQ(outcome([](SampleProblem &s) {
              s.operands[C] = s.operands[D];
              s.operands[C].batch_stride += 208;
            }),
            both);
  // Nobody reads C.
  EXPECT_EQ(outcome([](SampleProblem &s) {
              s.operands[C] = s.operands[D];
              s.operands[C].leading_dimension = 216;
              s.scalars[1] = 0;
            }),
            "SUCCESS");
}

TEST_F(ProblemTest, ResultIsDisjointFromInputs) {
  const std::string a = "OVERLAP: D overlaps A: they must be disjoint";
  EXPECT_EQ(outcome([](SampleProblem &s) { s.operands[A] = s.operands[D]; }),
            a);
  // The last element of A is the first of D, or just before it.
  uintptr_t aBytes = ((3 - 1) * 6400 + (100 - 1) * 64 + 64) * 2;
  EXPECT_EQ(outcome([=](SampleProblem &s) {
              s.operands[A].data = SampleProblem::address(0x50000000 - aBytes);
            }),
            "SUCCESS");
  EXPECT_EQ(outcome([=](SampleProblem &s) {
              s.operands[A].data =
                  SampleProblem::address(0x50000000 - aBytes + 2);
            }),
            a);
  // The first element of A behind the last of D, or it.
  uintptr_t dBytes = ((3 - 1) * 20800 + (100 - 1) * 208 + 200) * 2;
  EXPECT_EQ(outcome([=](SampleProblem &s) {
              s.operands[A].data = SampleProblem::address(0x50000000 + dBytes);
            }),
            "SUCCESS");
  EXPECT_EQ(outcome([=](SampleProblem &s) {
              s.operands[A].data =
                  SampleProblem::address(0x50000000 + dBytes - 2);
            }),
            a);
  EXPECT_EQ(outcome([](SampleProblem &s) {
              s.operands[bias].data = SampleProblem::address(0x50000000);
            }),
            "OVERLAP: D overlaps bias: they must be disjoint");
}

TEST_F(ProblemTest, MatricesMayLieSideBySideInWiderLines) {
  auto columns = [](SampleProblem &s, int64_t first) {
    // Lines of 300 elements: D has columns 0..199, A starts at `first`.
    s.problem.batch = 1;
    s.operands[D].leading_dimension = 300;
    s.operands[A].leading_dimension = 300;
    s.operands[A].data = SampleProblem::address(0x50000000 + first * 2);
  };
  EXPECT_EQ(outcome([&](SampleProblem &s) { columns(s, 200); }), "SUCCESS");
  EXPECT_EQ(outcome([&](SampleProblem &s) { columns(s, 236); }), "SUCCESS");
  EXPECT_EQ(outcome([&](SampleProblem &s) { columns(s, 199); }),
            "OVERLAP: D overlaps A: they must be disjoint");
  // Column 237 + 64 is in the next line's D.
  EXPECT_EQ(outcome([&](SampleProblem &s) { columns(s, 237); }),
            "OVERLAP: D overlaps A: they must be disjoint");
}

TEST_F(ProblemTest, BatchesOfTheResultAreDisjoint) {
  EXPECT_EQ(outcome([](SampleProblem &s) { s.operands[D].batch_stride = 0; }),
            "OVERLAP: the batches of D overlap: its batch stride 0 is too "
            "small");
  // The last line of one batch ends where the next begins.
  EXPECT_EQ(outcome([](SampleProblem &s) {
              s.operands[D].batch_stride = 99 * 208 + 200;
            }),
            "SUCCESS");
  EXPECT_EQ(outcome([](SampleProblem &s) {
              s.operands[D].batch_stride = 99 * 208 + 199;
            }),
            "OVERLAP: the batches of D overlap: its batch stride 20791 is too "
            "small");
  // Batches side by side: D[m, batch, n].
  EXPECT_EQ(outcome([](SampleProblem &s) {
              s.operands[D].batch_stride = 200;
              s.operands[D].leading_dimension = 600;
            }),
            "SUCCESS");
  EXPECT_EQ(outcome([](SampleProblem &s) {
              s.operands[D].batch_stride = 200;
              s.operands[D].leading_dimension = 599;
            }),
            "OVERLAP: the batches of D overlap: its batch stride 200 is too "
            "small");
}
