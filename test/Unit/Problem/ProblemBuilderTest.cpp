// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// buildProblem: the text of the module it makes, and what it refuses.
#include "Gemm/Pipelines/Problem.h"

#include "Gemm/IR/Gemm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace gemm;

namespace {

class ProblemBuilderTest : public ::testing::Test {
protected:
  /// The one gemm.matmul, as text.
  std::string build(const ProblemSpec &spec) {
    module = buildProblem(&context, spec);
    EXPECT_TRUE(module);
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (module)
      module->walk([&](MatmulOp op) { op.print(stream); });
    return text;
  }

  /// The diagnostic that refuses `spec`.
  std::string refuse(const ProblemSpec &spec) {
    std::string text;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      text += diagnostic.str();
      return success();
    });
    EXPECT_FALSE(buildProblem(&context, spec));
    return text;
  }

  void expectContains(const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks\n"
                                                  << part;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ProblemBuilderTest, DefaultHasNoEpilogue) {
  ProblemSpec spec;
  std::string matrix = "memref<?x?xf16, strided<[?, 1], offset: ?>>";
  EXPECT_EQ(build(spec),
            "gemm.matmul ins(%arg0[m, k], %arg1[n, k] : " + matrix + ", " +
                matrix + ") outs(%arg2[m, n] : " + matrix +
                ") accumulate(f32)");
  auto function = *module->getOps<func::FuncOp>().begin();
  EXPECT_EQ(function.getName(), "matmul");
}

// The letters of issue and README: A then B, row-major.
TEST_F(ProblemBuilderTest, Layouts) {
  struct {
    const char *layout, *a, *b;
  } cases[] = {{"tn", "[m, k]", "[n, k]"},
               {"nn", "[m, k]", "[k, n]"},
               {"nt", "[k, m]", "[k, n]"},
               {"tt", "[k, m]", "[n, k]"}};
  for (auto &expected : cases) {
    ProblemSpec spec;
    spec.layout = expected.layout;
    expectContains(build(spec), std::string("ins(%arg0") + expected.a +
                                    ", %arg1" + expected.b);
  }
}

TEST_F(ProblemBuilderTest, BatchedColumnMajor) {
  ProblemSpec spec;
  spec.batched = true;
  spec.dColumnMajor = true;
  spec.beta = true;
  std::string text = build(spec);
  expectContains(text, "gemm.matmul batch(b) ins(%arg0[b, m, k], %arg1[b, n, k]"
                       " : memref<?x?x?xf16, strided<[?, ?, 1], offset: ?>>");
  expectContains(text, "epilogue(%arg2[b, n, m], %arg4[]");
  expectContains(text, "outs(%arg3[b, n, m]");
}

// D = relu(alpha · A·B + beta · C + bias): C, bias, alpha, beta in this order.
TEST_F(ProblemBuilderTest, WholeEpilogue) {
  ProblemSpec spec;
  spec.aType = spec.bType = spec.dType = "bf16";
  spec.alpha = spec.beta = true;
  spec.bias = "row";
  spec.activation = "relu";
  std::string text = build(spec);
  expectContains(text, "epilogue(%arg2[m, n], %arg3[n], %arg5[], %arg6[] : "
                       "memref<?x?xbf16, strided<[?, 1], offset: ?>>, "
                       "memref<?xf32, strided<[1], offset: ?>>, f32, f32) "
                       "outs(%arg4[m, n]");
  size_t at = 0;
  for (const char *op : {"arith.mulf", "arith.extf", "arith.mulf", "arith.addf",
                         "arith.addf", "arith.constant 0.000000e+00 : f32",
                         "arith.maximumf", "arith.truncf", "gemm.yield"}) {
    at = text.find(op, at);
    ASSERT_NE(at, std::string::npos) << text << "\nlacks, in order, " << op;
    ++at;
  }
}

TEST_F(ProblemBuilderTest, BiasByColumnHasOneValuePerRow) {
  ProblemSpec spec;
  spec.bias = "col";
  expectContains(build(spec), "epilogue(%arg2[m] : memref<?xf32");
}

// beta without alpha, and alpha without beta, name what exists only.
TEST_F(ProblemBuilderTest, AlphaAlone) {
  ProblemSpec spec;
  spec.alpha = true;
  expectContains(build(spec), "epilogue(%arg3[] : f32)");
}

// One cast does not lead from f16 to bf16.
TEST_F(ProblemBuilderTest, SameWidthConversion) {
  ProblemSpec spec;
  spec.accumulatorType = "f16";
  spec.dType = "bf16";
  std::string text = build(spec);
  expectContains(text, "arith.extf %arg3 : f16 to f32");
  expectContains(text, "arith.truncf %0 : f32 to bf16");
}

TEST_F(ProblemBuilderTest, Integers) {
  ProblemSpec spec;
  spec.aType = spec.bType = "i8";
  spec.accumulatorType = spec.dType = "i32";
  expectContains(build(spec), "accumulate(i32)");
  spec.dType = "f32";
  expectContains(build(spec), "arith.sitofp");
}

TEST_F(ProblemBuilderTest, Refusals) {
  ProblemSpec spec;
  spec.aType = "f17";
  expectContains(refuse(spec), "'f17' is no element type for A");
  spec = {};
  spec.layout = "xx";
  expectContains(refuse(spec), "layout cannot be 'xx'; it is one of tn, nn");
  spec = {};
  spec.bias = "both";
  expectContains(refuse(spec), "bias cannot be 'both'");
  spec = {};
  spec.activation = "swish";
  expectContains(refuse(spec), "activation cannot be 'swish'");
  spec = {};
  spec.name = "";
  expectContains(refuse(spec), "the function needs a name");
  spec = {};
  spec.dType = "i8";
  expectContains(refuse(spec), "'f32' cannot become a D of type 'i8'");
  spec = {};
  spec.aType = "bf16";
  spec.accumulatorType = "f16";
  expectContains(refuse(spec),
                 "accumulator f16 does not hold every value of bf16");
  spec = {};
  spec.aType = spec.bType = "i8";
  spec.accumulatorType = spec.dType = "i32";
  spec.alpha = true;
  expectContains(refuse(spec), "need a floating-point accumulator, not 'i32'");
  spec.alpha = false;
  spec.dType = "i8";
  expectContains(refuse(spec), "'i32' cannot become a D of type 'i8'");
}

} // namespace
