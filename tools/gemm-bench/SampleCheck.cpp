// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SampleCheck.h"

#include "support/Check.h"
#include "support/Generate.h"
#include "support/Parallel.h"
#include "support/Reference.h"
#include "support/Report.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

namespace gemm::bench {

using namespace tools;

namespace {

// Multiply-adds that one judgement may cost.
constexpr double budget = 2.5e8;
// One row and one column out of each so many: hits every tile of that size.
constexpr int64_t stratum = 128;
constexpr int64_t mostBatches = 8, mostLines = 192, fewestLines = 16;

MatrixLayout packed(int64_t rows, int64_t cols, int64_t batches) {
  MatrixLayout layout;
  layout.rows = rows;
  layout.cols = cols;
  layout.leadingDimension = std::max<int64_t>(1, cols);
  layout.batches = batches;
  layout.batchStride = layout.rows * layout.leadingDimension;
  return layout;
}

std::vector<int64_t> all(int64_t count) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

} // namespace

std::vector<int64_t> stratifiedSample(int64_t count, int64_t wanted,
                                      uint64_t seed) {
  if (count <= wanted)
    return all(count);
  std::vector<int64_t> indices = {0};
  // The first and the last part are represented by the first and last index.
  for (int64_t part = 1; part + 1 < wanted; ++part) {
    int64_t begin = count * part / wanted, end = count * (part + 1) / wanted;
    uint64_t bits = randomBits(seed, 77, static_cast<uint64_t>(part));
    indices.push_back(begin + static_cast<int64_t>(
                                  bits % static_cast<uint64_t>(end - begin)));
  }
  if (wanted > 1)
    indices.push_back(count - 1);
  return indices;
}

SampleCheck::SampleCheck(DeviceTools &tools, const Signature &signature,
                         const ProblemShape &shape, const gemm_problem &problem,
                         uint64_t seed)
    : tools(tools), signature(signature), shape(shape), problem(problem) {
  batches = stratifiedSample(shape.batch, mostBatches, seed);
  double perPair = static_cast<double>(std::max<int64_t>(1, shape.k)) *
                   static_cast<double>(batches.size());
  auto most = std::clamp(static_cast<int64_t>(std::sqrt(budget / perPair)),
                         fewestLines, mostLines);
  auto lines = [&](int64_t extent) {
    return std::clamp((extent + stratum - 1) / stratum,
                      std::min<int64_t>(most, 64), most);
  };
  rows = stratifiedSample(shape.m, lines(shape.m), seed + 1);
  cols = stratifiedSample(shape.n, lines(shape.n), seed + 2);

  auto count = static_cast<int64_t>(batches.size());
  auto rowCount = static_cast<int64_t>(rows.size());
  auto colCount = static_cast<int64_t>(cols.size());
  size_t a = static_cast<size_t>(signature.operandA());
  size_t b = static_cast<size_t>(signature.operandsB()[0]);
  size_t d = static_cast<size_t>(signature.operandsD()[0]);
  for (size_t i = 0; i < signature.operands.size(); ++i) {
    MatrixLayout layout = i == a   ? packed(rowCount, shape.k, count)
                          : i == b ? packed(colCount, shape.k, count)
                                   : packed(rowCount, colCount, count);
    sample.emplace_back(signature.operands[i].type, layout);
  }
  gather(a, rows, all(shape.k));
  gather(b, cols, all(shape.k));

  AccumulationModel exact;
  exact.exact = true;
  exact.overflow = HUGE_VAL;
  exact.wraps32 = signature.accumulator == ElementType::S32;
  reference.resize(static_cast<size_t>(count * rowCount * colCount));
  std::vector<int64_t> allRows = all(rowCount), allCols = all(colCount);
  int64_t tileRows = (rowCount + referenceTileRows - 1) / referenceTileRows;
  int64_t tileCols = (colCount + referenceTileCols - 1) / referenceTileCols;
  parallelFor(count * tileRows * tileCols, [&](int64_t number) {
    int64_t batch = number / (tileRows * tileCols);
    int64_t row0 = number / tileCols % tileRows * referenceTileRows;
    int64_t col0 = number % tileCols * referenceTileCols;
    auto part = [](const std::vector<int64_t> &list, int64_t first,
                   int64_t size) {
      return std::span<const int64_t>(list).subspan(
          static_cast<size_t>(first),
          std::min(static_cast<size_t>(size),
                   list.size() - static_cast<size_t>(first)));
    };
    auto tileOfRows = part(allRows, row0, referenceTileRows);
    auto tileOfCols = part(allCols, col0, referenceTileCols);
    BoundedValues values;
    referenceTile(sample[a].view(), sample[b].view(), batch, tileOfRows,
                  tileOfCols, exact, values);
    for (size_t i = 0; i < tileOfRows.size(); ++i)
      for (size_t j = 0; j < tileOfCols.size(); ++j)
        reference[static_cast<size_t>((batch * rowCount + row0) * colCount +
                                      col0) +
                  i * static_cast<size_t>(colCount) + j] =
            values.value[i * tileOfCols.size() + j];
  });
  // So that a judge who forgets to gather D finds no right values there.
  sample[d].poison();
}

void SampleCheck::gather(size_t index, const std::vector<int64_t> &lines,
                         const std::vector<int64_t> &positions) {
  const MatrixLayout &layout = shape.layouts[index];
  std::vector<int64_t> starts, steps;
  for (int64_t batch : batches)
    for (int64_t line : lines)
      starts.push_back(layout.offset(batch, line, 0));
  for (int64_t position : positions)
    steps.push_back(layout.offset(0, 0, position));
  HostMatrix &to = sample[index];
  std::vector<std::byte> bytes = tools.gather(
      elementSize(to.type()), problem.operands[index].data, starts, steps);
  std::memcpy(to.elements(), bytes.data(), bytes.size());
}

void SampleCheck::poison() {
  size_t d = static_cast<size_t>(signature.operandsD()[0]);
  ElementType type = signature.operands[d].type;
  tools.setBits(elementSize(type), problem.operands[d].data,
                shape.layouts[d].span(), poisonBits(type));
}

double SampleCheck::looseLimit() const {
  ElementType dType = signature.operands[signature.operandsD()[0]].type;
  ElementType aType = signature.operands[signature.operandA()].type;
  if (!isFloat(dType))
    return 0;
  double sums = 1e-4;
  if (aType == ElementType::E4M3 || aType == ElementType::E5M2)
    sums = 1e-2;
  if (aType == ElementType::F64)
    sums = 1e-12;
  return 4 * halfUlp(dType, 1) + sums;
}

SampleVerdict
SampleCheck::judge(const std::optional<AccumulationModel> &model) {
  SampleVerdict verdict;
  size_t d = static_cast<size_t>(signature.operandsD()[0]);
  ElementType type = signature.operands[d].type;
  // Integers have no NaN: the poison may be right.
  if (isFloat(type)) {
    DeviceTools::Found found = tools.findEqual(
        type, problem.operands[d].data, shape.layouts[d], poisonBits(type));
    if (found.count > 0) {
      bool columns = shape.layouts[d].columnMajor;
      verdict.complaint = format(
          "%llu elements of D were never written, the first is D(%lld, %lld) "
          "of batch %lld",
          static_cast<unsigned long long>(found.count),
          static_cast<long long>(columns ? found.position : found.line),
          static_cast<long long>(columns ? found.line : found.position),
          static_cast<long long>(found.batch));
      return verdict;
    }
  }
  gather(d, rows, cols);
  MatrixView view = sample[d].view();
  double difference = 0, norm = 0;
  size_t at = 0;
  for (int64_t batch = 0; batch < view.layout.batches; ++batch)
    for (int64_t row = 0; row < view.layout.rows; ++row)
      for (int64_t col = 0; col < view.layout.cols; ++col, ++at) {
        double expected = reference[at];
        double error = view.at(batch, row, col) - expected;
        difference += error * error;
        norm += expected * expected;
      }
  verdict.elements = static_cast<int64_t>(at);
  verdict.relativeError =
      norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
  if (!model) {
    // Not "greater": NaN is wrong too.
    if (!(verdict.relativeError <= looseLimit()))
      verdict.complaint = format(
          "||D - reference|| / ||reference|| = %.2e over %lld sampled "
          "elements, more than %.2e",
          verdict.relativeError, static_cast<long long>(at), looseLimit());
    return verdict;
  }
  CheckRequest request;
  request.signature = &signature;
  request.m = view.layout.rows;
  request.n = view.layout.cols;
  request.k = shape.k;
  request.batch = view.layout.batches;
  for (const HostMatrix &matrix : sample)
    request.operands.push_back(matrix.view());
  request.model = *model;
  request.mode = CheckMode::Full;
  CheckResult result = checkResult(request);
  verdict.errorOverBound = result.worstRatio;
  if (!result.passed()) {
    int64_t row = rows[static_cast<size_t>(result.worst.row)];
    int64_t col = cols[static_cast<size_t>(result.worst.col)];
    verdict.complaint = format(
        "%lld of %lld sampled elements are wrong, e.g. D(%lld, %lld) of batch "
        "%lld = %.9g, reference %.9g, bound %.3g",
        static_cast<long long>(result.wrong),
        static_cast<long long>(result.checked), static_cast<long long>(row),
        static_cast<long long>(col),
        static_cast<long long>(
            batches[static_cast<size_t>(result.worst.batch)]),
        result.value, result.reference, result.bound);
  }
  return verdict;
}

} // namespace gemm::bench
