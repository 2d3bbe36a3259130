// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProblemText.h"

#include "support/Error.h"

#include <gtest/gtest.h>

using namespace gemm::tools;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

// The four layouts as the command line documents them.
TEST(ProblemText, LayoutsAreWhatTheHelpSays) {
  const std::pair<const char *, const char *> cases[] = {
      {"tn", "ins(%a[m, k], %b[n, k] :"},
      {"nn", "ins(%a[m, k], %b[k, n] :"},
      {"nt", "ins(%a[k, m], %b[k, n] :"},
      {"tt", "ins(%a[k, m], %b[n, k] :"}};
  for (const auto &[layout, text] : cases)
    EXPECT_TRUE(contains(
        problemText(parseProblemLine(std::string("--layout=") + layout)), text))
        << layout;
}

TEST(ProblemText, APlainProblemHasNoRegion) {
  EXPECT_EQ(problemText(parseProblemLine("--types=bf16,bf16,f32,f32")),
            "func.func @matmul(%a: memref<?x?xbf16, strided<[?, 1]>>, "
            "%b: memref<?x?xbf16, strided<[?, 1]>>, "
            "%d: memref<?x?xf32, strided<[?, 1]>>) {\n"
            "  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xbf16, "
            "strided<[?, 1]>>, memref<?x?xbf16, strided<[?, 1]>>)\n"
            "      outs(%d[m, n] : memref<?x?xf32, strided<[?, 1]>>) "
            "accumulate(f32)\n"
            "  return\n}\n");
}

TEST(ProblemText, EpiloguesComeInTheDocumentedOrder) {
  std::string text =
      problemText(parseProblemLine("--batch=3 --alpha=2 --beta=3 --bias=col "
                                   "--activation=relu --d-order=col"));
  EXPECT_TRUE(contains(text, "batch(b) ins(%a[b, m, k]")) << text;
  EXPECT_TRUE(contains(text, "epilogue(%c[b, n, m], %bias[m], %alpha[], "
                             "%beta[] : "))
      << text;
  EXPECT_TRUE(contains(text, "^bb0(%acc: f32, %c: f16, %bias: f32, "
                             "%alpha: f32, %beta: f32):"))
      << text;
  EXPECT_TRUE(contains(text, "arith.maximumf")) << text;
}

TEST(ProblemText, BetaZeroHasNoC) {
  EXPECT_FALSE(contains(problemText(parseProblemLine("--beta=0")), "%c"));
  EXPECT_TRUE(contains(problemText(parseProblemLine("--beta=1")), "%c"));
}

TEST(ProblemText, RefusesFloatEpiloguesOfIntegers) {
  EXPECT_THROW(problemText(parseProblemLine("--types=s8,s8,s32,s32 --alpha=2")),
               ToolError);
  EXPECT_THROW(problemText(parseProblemLine("--types=f16,f16,f32,s8")),
               ToolError);
  EXPECT_TRUE(
      contains(problemText(parseProblemLine("--types=s8,s8,s32,s32")), "xi8"));
}

} // namespace
