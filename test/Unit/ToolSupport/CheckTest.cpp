// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Check.h"
#include "support/Error.h"
#include "support/Generate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

using namespace gemm::tools;

namespace {

// D = relu(alpha * A * B^T + bias) in bf16.
const char *description = R"({
  "format": 1, "compiler": "by hand", "name": "matmul", "target": "sm_90a",
  "ptx": "8.0",
  "problem": {"batched": true, "accumulator": "f32",
    "operands": [
      {"name": "A", "role": "a", "type": "bf16", "dims": ["m","k"],
       "order": "row", "batched": true},
      {"name": "B", "role": "b", "type": "bf16", "dims": ["n","k"],
       "order": "col", "batched": true},
      {"name": "bias", "role": "epilogue", "type": "f32", "dims": ["n"],
       "batched": false},
      {"name": "D", "role": "d", "type": "bf16", "dims": ["m","n"],
       "order": "row", "batched": true}],
    "scalars": [{"name": "alpha", "type": "f32"}],
    "static": {"k": 70},
    "epilogue": [
      {"op": "product", "index": 0, "type": "f32"},
      {"op": "scalar", "index": 0, "type": "f32"},
      {"op": "arith.mulf", "args": [0, 1], "type": "f32"},
      {"op": "operand", "index": 2, "type": "f32"},
      {"op": "arith.addf", "args": [2, 3], "type": "f32"},
      {"op": "constant", "value": 0.0, "type": "f32"},
      {"op": "arith.maximumf", "args": [4, 5], "type": "f32"},
      {"op": "arith.truncf", "args": [6], "type": "bf16"},
      {"op": "yield", "args": [7]}]},
  "entries": [{"name": "matmul_0", "guard": [], "schedule": "wgmma",
    "block": 256, "cluster": [1,1,1], "shared_bytes": 1024,
    "grid": {"kind": "tiles", "rows": "m", "cols": "n", "tile": [128, 256],
             "raster": 8},
    "workspace": {"kind": "none"}, "params": []}]})";

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string parseError(const std::string &json) {
  try {
    parseSignature(json);
  } catch (const ToolError &error) {
    return error.what();
  }
  return "";
}

TEST(Signature, ReadsTheDescription) {
  Signature signature = parseSignature(description);
  EXPECT_EQ(signature.target, "sm_90a");
  EXPECT_EQ(signature.operands.size(), 4u);
  EXPECT_TRUE(signature.operands[1].columnMajor);
  EXPECT_EQ(signature.operands[2].dims, std::vector<Dim>{Dim::N});
  EXPECT_EQ(signature.operandsD(), std::vector<int>{3});
  EXPECT_EQ(signature.fixedExtents[static_cast<size_t>(Dim::K)], 70);
  EXPECT_FALSE(signature.fixedExtents[static_cast<size_t>(Dim::M)]);
  EXPECT_EQ(signature.epilogue.ops.size(), 8u);
  EXPECT_EQ(signature.entries[0].tileCols, 256);
}

TEST(Signature, NamesWhatIsWrong) {
  std::string text = description;
  EXPECT_EQ(parseError("{"), "the artifact's description is not valid JSON");
  EXPECT_EQ(parseError(replaced(text, "\"accumulator\": \"f32\",", "")),
            "the artifact's description lacks \"problem.accumulator\"");
  EXPECT_EQ(parseError(replaced(text, "arith.maximumf", "math.erf")),
            "the epilogue's op math.erf is one that this tool cannot check");
  EXPECT_EQ(parseError(replaced(text, "[6]", "[9]")),
            "the artifact's \"problem.epilogue[7].args\" names value 9, which "
            "is not defined before");
  EXPECT_EQ(parseError(replaced(text, "\"bf16\"", "\"f6\"")),
            "the artifact's \"problem.operands[0].type\" is f6, which this "
            "tool cannot check; it knows f16, bf16, tf32, f32, f64, e4m3, "
            "e5m2, s8, s32");
  EXPECT_EQ(parseError(replaced(text, "\"block\": 256", "\"block\": \"x\"")),
            "the artifact's \"entries[0].block\" has an unexpected type: "
            "\"x\"");
}

struct Problem {
  int64_t m = 65, n = 130, k = 70, batch = 2;
  Signature signature = parseSignature(description);
  HostMatrix a{ElementType::BF16, {65, 70, false, 71, 2, 71 * 65}};
  HostMatrix b{ElementType::BF16, {130, 70, true, 130, 2, 130 * 70}};
  HostMatrix bias{ElementType::F32, {1, 130, false, 130, 1, 0}};
  HostMatrix d{ElementType::BF16, {65, 130, false, 137, 2, 137 * 65}};
  double alpha = 0.75;

  explicit Problem(DataKind kind) {
    fillMatrix(a, {kind, 1, 0, k});
    fillMatrix(b, {kind, 1, 1, k});
    fillMatrix(bias, {kind, 1, 2, 1});
    for (int64_t z = 0; z < batch; ++z)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          float sum = 0;
          for (int64_t l = 0; l < k; ++l)
            sum += static_cast<float>(a.view().at(z, i, l)) *
                   static_cast<float>(b.view().at(z, j, l));
          float value = sum * static_cast<float>(alpha) +
                        static_cast<float>(bias.view().at(0, 0, j));
          if (!(value > 0) && !std::isnan(value))
            value = 0;
          d.setBits(z, i, j, encodeElement(ElementType::BF16, value));
        }
  }

  CheckRequest request() {
    CheckRequest request;
    request.signature = &signature;
    request.m = m, request.n = n, request.k = k, request.batch = batch;
    request.operands = {a.view(), b.view(), bias.view(), d.view()};
    request.scalars = {alpha};
    request.model =
        chooseAccumulation("fma", 90, ElementType::BF16, ElementType::F32);
    return request;
  }
};

TEST(Check, AcceptsARightResult) {
  Problem problem(DataKind::Normal);
  CheckResult result = checkResult(problem.request());
  EXPECT_TRUE(result.passed()) << result.describeWorst();
  EXPECT_FALSE(result.sampled);
  EXPECT_EQ(result.checked, 65 * 130 * 2);
  // Rounding to bf16 alone comes close to half an ulp somewhere.
  EXPECT_GT(result.worstRatio, 0.9);
}

TEST(Check, CatchesOneWrongElementAnywhere) {
  for (auto [z, i, j] : {std::tuple{0, 0, 0}, std::tuple{1, 64, 129},
                         std::tuple{0, 63, 64}, std::tuple{1, 17, 5}}) {
    Problem broken(DataKind::Normal);
    // Two units in the last place of bf16, of a value that is not small.
    double right = broken.d.view().at(z, i, j);
    double wrong = right + std::max(std::abs(right), 1.0) * 0x1p-6;
    broken.d.setBits(z, i, j, encodeElement(ElementType::BF16, wrong));
    CheckResult result = checkResult(broken.request());
    EXPECT_EQ(result.wrong, 1);
    EXPECT_EQ(result.worst.batch, z);
    EXPECT_EQ(result.worst.row, i);
    EXPECT_EQ(result.worst.col, j);
  }
}

TEST(Check, SaysThatAnElementWasNeverWritten) {
  Problem problem(DataKind::Normal);
  problem.d.setBits(1, 2, 3, poisonBits(ElementType::BF16));
  CheckResult result = checkResult(problem.request());
  EXPECT_EQ(result.wrong, 1);
  EXPECT_TRUE(result.worstUnwritten);
  EXPECT_NE(result.describeWorst().find("D(2, 3) of batch 1 was never written"),
            std::string::npos)
      << result.describeWorst();
}

TEST(Check, SampledModeSeesWholeRowsAndColumns) {
  Problem problem(DataKind::Normal);
  CheckRequest request = problem.request();
  request.mode = CheckMode::Sampled;
  CheckResult result = checkResult(request);
  EXPECT_TRUE(result.passed());
  EXPECT_TRUE(result.sampled);
  for (int64_t j = 0; j < 130; ++j)
    problem.d.setBits(0, 64, j, 0x4780); // The last row is always drawn.
  EXPECT_GE(checkResult(request).wrong, 130);
}

TEST(Check, IntegersMustMatchExactly) {
  Problem problem(DataKind::Integers);
  problem.alpha = 0.75; // 3/4 of an integer below 2^22 is exact in f32.
  CheckRequest request = problem.request();
  request.model = exactAccumulation(request.model);
  CheckResult result = checkResult(request);
  EXPECT_TRUE(result.passed()) << result.describeWorst();
  EXPECT_EQ(result.exact, result.checked);
  EXPECT_EQ(result.worstRatio, 0);
  uint64_t bits = problem.d.view().bits(0, 5, 5);
  problem.d.setBits(0, 5, 5, bits ^ 1);
  result = checkResult(request);
  EXPECT_EQ(result.wrong, 1);
  EXPECT_NE(result.describeWorst().find("must be exactly"), std::string::npos);
}

TEST(Check, SpecialValuesPropagate) {
  Problem problem(DataKind::Special);
  CheckRequest request = problem.request();
  CheckResult result = checkResult(request);
  EXPECT_TRUE(result.passed()) << result.describeWorst();
  EXPECT_EQ(result.unbounded, 0);
  // A NaN where a number belongs, and the other way round.
  int64_t nanRow = -1, nanCol = -1;
  for (int64_t i = 0; i < 65 && nanRow < 0; ++i)
    for (int64_t j = 0; j < 130 && nanRow < 0; ++j)
      if (std::isnan(problem.d.view().at(0, i, j)))
        nanRow = i, nanCol = j;
  ASSERT_GE(nanRow, 0);
  problem.d.setBits(0, nanRow, nanCol, 0);
  EXPECT_EQ(checkResult(request).wrong, 1);
}

TEST(Check, EmptyProblemsPass) {
  Problem problem(DataKind::Normal);
  CheckRequest request = problem.request();
  request.m = 0;
  EXPECT_TRUE(checkResult(request).passed());
  EXPECT_EQ(checkResult(request).checked, 0);
}

ScalarOp op(ScalarOp::Kind kind, std::vector<int> args = {},
            ElementType type = ElementType::F32, int index = 0) {
  ScalarOp result;
  result.kind = kind;
  result.args = std::move(args);
  result.type = type;
  result.index = index;
  return result;
}

TEST(ScalarProgram, CarriesErrorsThroughArithmetic) {
  using Kind = ScalarOp::Kind;
  ScalarProgram program;
  program.ops = {op(Kind::Product), op(Kind::Scalar), op(Kind::Mul, {0, 1})};
  program.results = {2};
  ScalarInputs inputs;
  inputs.count = 1;
  inputs.products = {{{10.0}, {0.5}}};
  inputs.scalars = {-3};
  BoundedValues result = evaluateProgram(program, inputs)[0];
  EXPECT_EQ(result.value[0], -30);
  // 3 * 0.5 and half an ulp of f32 between 16 and 32.
  EXPECT_NEAR(result.error[0], 1.5 + 0x1p-20, 1e-12);
}

// beta = 0 must not read C: the term counts as zero whatever C holds.
TEST(ScalarProgram, UnusedOperandsCountAsZero) {
  using Kind = ScalarOp::Kind;
  ScalarProgram program;
  program.ops = {
      op(Kind::Product),      op(Kind::Operand, {}, ElementType::F16, 2),
      op(Kind::Convert, {1}), op(Kind::Scalar),
      op(Kind::Mul, {3, 2}),  op(Kind::Add, {0, 4})};
  program.results = {5};
  ScalarInputs inputs;
  inputs.count = 1;
  inputs.products = {{{1.0}, {0.0}}};
  inputs.operands = {{}, {}, {std::numeric_limits<double>::quiet_NaN()}};
  inputs.scalars = {0};
  inputs.unused = {false, false, true};
  EXPECT_EQ(evaluateProgram(program, inputs)[0].value[0], 1);
  inputs.unused = {false, false, false};
  EXPECT_TRUE(std::isnan(evaluateProgram(program, inputs)[0].value[0]));
}

TEST(ScalarProgram, UndecidedSelectionsSpanBothSides) {
  using Kind = ScalarOp::Kind;
  ScalarProgram program;
  ScalarOp compare = op(Kind::Compare, {0, 1});
  compare.predicate = ScalarOp::Predicate::Gt;
  ScalarOp large = op(Kind::Constant);
  large.constant = 5;
  program.ops = {op(Kind::Product), op(Kind::Constant), compare, large,
                 op(Kind::Select, {2, 0, 3})};
  program.results = {4};
  ScalarInputs inputs;
  inputs.count = 2;
  inputs.products = {{{0.25, 2.0}, {0.5, 0.5}}};
  BoundedValues result = evaluateProgram(program, inputs)[0];
  EXPECT_EQ(result.value[0], 0.25);
  EXPECT_EQ(result.error[0], 4.75);
  EXPECT_EQ(result.error[1], 0.5);
}

TEST(ScalarProgram, MaximumKeepsNaNAndMaxNumDoesNot) {
  using Kind = ScalarOp::Kind;
  for (Kind kind : {Kind::Maximum, Kind::MaxNum}) {
    ScalarProgram program;
    program.ops = {op(Kind::Product), op(Kind::Constant), op(kind, {0, 1})};
    program.results = {2};
    ScalarInputs inputs;
    inputs.count = 1;
    inputs.products = {{{std::nan("")}, {0.0}}};
    double value = evaluateProgram(program, inputs)[0].value[0];
    if (kind == Kind::Maximum)
      EXPECT_TRUE(std::isnan(value));
    else
      EXPECT_EQ(value, 0);
  }
}

} // namespace
