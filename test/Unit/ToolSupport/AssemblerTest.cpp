// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Assembler.h"

#include <gtest/gtest.h>

using namespace gemm::tools;

namespace {

// As ptxas 13.0 prints it.
TEST(Assembler, ReadsWhatPtxasSays) {
  auto use = parseAssemblerOutput(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'matmul_1' for 'sm_90a'\n"
      "ptxas info    : Function properties for matmul_1\n"
      "    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 1 barriers, 8 bytes cumulative "
      "stack size\n"
      "ptxas info    : Compile time = 8.1 ms\n"
      "ptxas info    : Compiling entry function 'matmul_0' for 'sm_90a'\n"
      "ptxas info    : Function properties for matmul_0\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 1 barriers\n");
  ASSERT_EQ(use.size(), 2u);
  EXPECT_EQ(use["matmul_1"].registers, 255);
  EXPECT_EQ(use["matmul_1"].spillStores, 12);
  EXPECT_EQ(use["matmul_1"].spillLoads, 16);
  EXPECT_EQ(use["matmul_0"].registers, 168);
  EXPECT_EQ(use["matmul_0"].spillStores, 0);
}

TEST(Assembler, KnowsNothingOfWhatItRefuses) {
  EXPECT_TRUE(assemble(".version 1.0 nonsense", "sm_90a").empty());
}

} // namespace
