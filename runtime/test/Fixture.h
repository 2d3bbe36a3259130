// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sample artifact, loaded on a FakeDevice through the C interface.
#ifndef GEMM_RUNTIME_TEST_FIXTURE_H
#define GEMM_RUNTIME_TEST_FIXTURE_H

#include "FakeDevice.h"
#include "TestArtifact.h"

#include <gtest/gtest.h>

#include <array>

namespace gemm::runtime {

/// Operand indices of the sample artifact.
enum : size_t { A, B, C, bias, D };

/// A problem of the sample artifact that its first entry runs. Addresses are
/// never followed.
struct SampleProblem {
  std::array<gemm_operand, 5> operands{
      gemm_operand{address(0x10000000), 64, 100 * 64}, // m x k
      gemm_operand{address(0x20000000), 200, 0},       // n x k, "col"
      gemm_operand{address(0x30000000), 200, 100 * 200},
      gemm_operand{address(0x40000000), 0, 0},
      gemm_operand{address(0x50000000), 208, 100 * 208}};
  std::array<double, 2> scalars{1.5, 0.25};
  gemm_problem problem{};

  SampleProblem() {
    problem.m = 100;
    problem.n = 200;
    problem.k = 64;
    problem.batch = 3;
    problem.operands = operands.data();
    problem.num_operands = operands.size();
    problem.scalars = scalars.data();
    problem.num_scalars = scalars.size();
  }
  SampleProblem(const SampleProblem &) = delete;

  static void *address(uintptr_t value) {
    return reinterpret_cast<void *>(value);
  }
};

class RuntimeTest : public testing::Test {
protected:
  void load(const nlohmann::json &description) {
    gemm_kernel_unload(kernel);
    kernel = nullptr;
    std::string text = artifactText(description);
    ASSERT_EQ(gemm_kernel_load(device.get(), text.data(), text.size(), &kernel),
              GEMM_SUCCESS)
        << gemm_last_error_message();
  }

  void SetUp() override {
    auto implementation = std::make_unique<FakeDevice>();
    fake = implementation.get();
    device = wrapDevice(std::move(implementation));
    load(sampleDescription());
  }
  void TearDown() override { gemm_kernel_unload(kernel); }

  gemm_status launch(const SampleProblem &sample) {
    return gemm_kernel_launch(kernel, &sample.problem, nullptr);
  }
  /// The text of gemm_kernel_select, or the error it ends in.
  std::string select(const SampleProblem &sample) {
    size_t entry = 0;
    char reason[512];
    if (gemm_kernel_select(kernel, &sample.problem, &entry, reason,
                           sizeof reason))
      return gemm_last_error_message();
    return reason;
  }

  FakeDevice *fake = nullptr;
  std::unique_ptr<gemm_device> device;
  gemm_kernel *kernel = nullptr;
};

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_TEST_FIXTURE_H
