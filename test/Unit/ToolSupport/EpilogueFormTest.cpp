// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/EpilogueForm.h"

#include <gtest/gtest.h>

using namespace gemm::tools;

namespace {

ScalarOp op(ScalarOp::Kind kind, int index, std::vector<int> args = {}) {
  ScalarOp result;
  result.kind = kind;
  result.index = index;
  result.args = std::move(args);
  return result;
}

// relu(s1 * product + bias + s0 * C), with names that say nothing.
TEST(EpilogueForm, IsRecognisedByWhatItDoes) {
  using Kind = ScalarOp::Kind;
  Signature signature;
  signature.operands = {
      {"A", Role::A, ElementType::F16, {Dim::M, Dim::K}, false, false, {}},
      {"B", Role::B, ElementType::F16, {Dim::N, Dim::K}, false, false, {}},
      {"E0", Role::Epilogue, ElementType::F32, {Dim::N}, false, false, {}},
      {"E1",
       Role::Epilogue,
       ElementType::F16,
       {Dim::M, Dim::N},
       false,
       false,
       {}},
      {"D", Role::D, ElementType::F16, {Dim::M, Dim::N}, false, false, {}}};
  signature.scalars = {{"E2", ElementType::F32}, {"E3", ElementType::F32}};
  signature.epilogue.ops = {
      op(Kind::Product, 0),     op(Kind::Operand, 2),
      op(Kind::Operand, 3),     op(Kind::Scalar, 0),
      op(Kind::Scalar, 1),      op(Kind::Mul, 0, {0, 4}),
      op(Kind::Add, 0, {5, 1}), op(Kind::Convert, 0, {2}),
      op(Kind::Mul, 0, {3, 7}), op(Kind::Add, 0, {6, 8}),
      op(Kind::Constant, 0),    op(Kind::Maximum, 0, {9, 10})};
  signature.epilogue.results = {11};
  EpilogueForm form = recognizeEpilogue(signature);
  EXPECT_EQ(form.alpha, 1);
  EXPECT_EQ(form.beta, 0);
  EXPECT_EQ(form.c, 3);
  EXPECT_EQ(form.bias, 2);
  EXPECT_TRUE(form.relu);
  EXPECT_EQ(form.others, 0);
}

} // namespace
