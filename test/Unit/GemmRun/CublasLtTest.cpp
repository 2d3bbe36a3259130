// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That problems are described rightly to a library that thinks column-major.
#include "FakeRuntime.h"

#include "support/CublasLt.h"
#include "support/Error.h"
#include "support/Generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace gemm::tools;

namespace {

using Kind = ScalarOp::Kind;

ScalarOp op(Kind kind, int index, std::vector<int> args = {}) {
  ScalarOp result;
  result.kind = kind;
  result.index = index;
  result.args = std::move(args);
  return result;
}

struct Case {
  bool aColumns, bColumns, dColumns;
  int64_t batch;
  // D = relu(alpha * A * B + beta * C + bias), or only the product.
  bool epilogue;
};

// A problem in f32 with pitches longer than the lines.
class Problem {
public:
  static constexpr int64_t m = 7, n = 5, k = 9;

  explicit Problem(const Case &test) : test(test) {
    add("A", Role::A, {Dim::M, Dim::K}, test.aColumns);
    add("B", Role::B, {Dim::N, Dim::K}, test.bColumns);
    if (test.epilogue) {
      add("C", Role::Epilogue, {Dim::M, Dim::N}, test.dColumns);
      add("bias", Role::Epilogue, {test.dColumns ? Dim::M : Dim::N}, false);
      signature.scalars = {{"alpha", ElementType::F32},
                           {"beta", ElementType::F32}};
      signature.epilogue.ops = {
          op(Kind::Product, 0),        op(Kind::Operand, 2),
          op(Kind::Operand, 3),        op(Kind::Scalar, 0),
          op(Kind::Scalar, 1),         op(Kind::Mul, 0, {0, 3}),
          op(Kind::Mul, 0, {1, 4}),    op(Kind::Add, 0, {5, 6}),
          op(Kind::Add, 0, {7, 2}),    op(Kind::Constant, 0),
          op(Kind::Maximum, 0, {8, 9})};
      signature.epilogue.results = {10};
    } else {
      signature.epilogue.ops = {op(Kind::Product, 0)};
      signature.epilogue.results = {0};
    }
    add("D", Role::D, {Dim::M, Dim::N}, test.dColumns);
    signature.batched = test.batch > 1;
    description = {m,
                   n,
                   k,
                   test.batch,
                   operands.data(),
                   operands.size(),
                   scalars.data(),
                   signature.scalars.size(),
                   nullptr,
                   0};
  }

  double reference(int64_t batch, int64_t i, int64_t j) const {
    double sum = 0;
    for (int64_t l = 0; l < k; ++l)
      sum += matrices[0].view().at(batch, i, l) *
             matrices[1].view().at(batch, j, l);
    if (!test.epilogue)
      return sum;
    sum = sum * scalars[0] + matrices[2].view().at(batch, i, j) * scalars[1];
    sum += matrices[3].view().at(0, 0, test.dColumns ? i : j);
    return std::max(sum, 0.0);
  }

  Signature signature;
  std::vector<HostMatrix> matrices;
  std::vector<gemm_operand> operands;
  std::vector<double> scalars = {0.5, 2};
  gemm_problem description = {};

private:
  static int64_t extent(Dim dim) {
    return dim == Dim::M ? m : dim == Dim::N ? n : k;
  }

  void add(const char *name, Role role, std::vector<Dim> dims, bool columns) {
    bool matrix = dims.size() == 2;
    MatrixLayout layout;
    layout.rows = matrix ? extent(dims[0]) : 1;
    layout.cols = extent(dims.back());
    layout.columnMajor = columns;
    layout.leadingDimension = layout.lineLength() + 3;
    if (matrix && test.batch > 1) {
      layout.batches = test.batch;
      layout.batchStride = layout.lines() * layout.leadingDimension + 2;
    }
    signature.operands.push_back({name, role, ElementType::F32, std::move(dims),
                                  columns, test.batch > 1 && matrix,
                                  std::nullopt});
    matrices.emplace_back(ElementType::F32, layout);
    if (role != Role::D)
      fillMatrix(matrices.back(), {DataKind::Normal, 5, matrices.size(), k});
    operands.push_back({matrices.back().elements(), layout.leadingDimension,
                        layout.batchStride});
  }

  Case test;
};

TEST(CublasLt, ComputesTheSameProblemInEveryOrder) {
  Device device("fake");
  for (int bits = 0; bits < 32; ++bits) {
    Case test{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0,
              bits & 8 ? 3 : 1, (bits & 16) != 0};
    Problem problem(test);
    CublasLtMatmul library(device, FAKE_CUBLASLT, problem.signature,
                           problem.description);
    EXPECT_EQ(library.version(), "cuBLASLt 13.1.0");
    ASSERT_EQ(library.candidates(), 3u);
    EXPECT_FALSE(library.run(1, problem.description));
    ASSERT_TRUE(library.run(0, problem.description)) << bits;
    const HostMatrix &d = problem.matrices.back();
    for (int64_t batch = 0; batch < test.batch; ++batch)
      for (int64_t i = 0; i < Problem::m; ++i)
        for (int64_t j = 0; j < Problem::n; ++j)
          ASSERT_NEAR(d.view().at(batch, i, j), problem.reference(batch, i, j),
                      1e-4)
              << bits << " " << batch << " " << i << " " << j;
    EXPECT_EQ(d.findWriteOutside(), "");
  }
}

TEST(CublasLt, SaysWhatItCannotDo) {
  Device device("fake");
  Problem problem({false, false, false, 1, true});
  problem.signature.operands[3].dims = {Dim::M};
  try {
    CublasLtMatmul library(device, FAKE_CUBLASLT, problem.signature,
                           problem.description);
    FAIL();
  } catch (const ToolError &error) {
    EXPECT_STREQ(error.what(),
                 "cuBLASLt adds a bias along the contiguous dimension of D "
                 "only; bias runs along m");
  }
  try {
    CublasLtMatmul library(device, "/nowhere/libcublasLt.so", problem.signature,
                           problem.description);
    FAIL();
  } catch (const ToolError &error) {
    EXPECT_EQ(std::string(error.what())
                  .find("cannot open any of /nowhere/libcublasLt.so: "),
              0u)
        << error.what();
  }
}

TEST(CublasLt, LooksInNvidiasWheels) {
  setenv("CUDA_HOME", "/opt/cuda", 1);
  std::vector<std::string> candidates = cublasLtCandidates("");
  unsetenv("CUDA_HOME");
  EXPECT_EQ(candidates.front(), "libcublasLt.so.13");
  EXPECT_NE(std::find(candidates.begin(), candidates.end(),
                      "/opt/cuda/lib64/libcublasLt.so.12"),
            candidates.end());
  EXPECT_EQ(cublasLtCandidates("/x.so"), std::vector<std::string>{"/x.so"});
}

} // namespace
