// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Check.h"

#include "Generate.h"
#include "Parallel.h"
#include "Reference.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <span>

namespace gemm::tools {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Verdict {
  bool ok;
  double ratio; // error / bound
};

// Judges one element of `type` against reference and bound.
Verdict judge(ElementType type, double value, double reference, double bound) {
  if (std::isinf(bound))
    return {true, 0};
  if (std::isnan(reference))
    return {std::isnan(value), std::isnan(value) ? 0 : infinity};
  if (std::isnan(value)) {
    // e4m3 has no infinity: what is beyond it becomes NaN.
    bool beyond = isFloat(type) && !floatFormat(type).infinities &&
                  std::abs(reference) + bound >= overflowThreshold(type);
    return {beyond, beyond ? 0 : infinity};
  }
  if (std::isinf(value)) {
    bool beyond = std::signbit(value) == std::signbit(reference) &&
                  std::abs(reference) + bound >= overflowThreshold(type);
    return {beyond, beyond ? 0 : infinity};
  }
  double error = std::abs(value - reference);
  if (error == 0)
    return {true, 0};
  if (std::isinf(reference))
    return {false, infinity};
  return {error <= bound, error / bound};
}

// Sums of one thread, merged at the end.
class Tally {
public:
  void add(const CheckRequest &request, int operand, Element at, uint64_t bits,
           double reference, double bound) {
    ElementType type = request.operands[operand].type;
    double value = decodeElement(type, bits);
    Verdict verdict = judge(type, value, reference, bound);
    ++result.checked;
    result.wrong += !verdict.ok;
    result.exact += bound == 0;
    result.unbounded += std::isinf(bound);
    bool firstWrong = !verdict.ok && result.wrong == 1;
    bool worse = verdict.ok && result.wrong == 0 &&
                 (verdict.ratio > result.worstRatio || result.checked == 1);
    if (!firstWrong && !worse)
      return;
    result.worst = at;
    result.worstOperand = request.signature->operands[operand].name;
    result.value = value;
    result.reference = reference;
    result.bound = bound;
    result.worstRatio = verdict.ratio;
    result.worstUnwritten = !verdict.ok && bits == poisonBits(type);
  }

  void mergeInto(CheckResult &total) const {
    bool takeOver =
        result.wrong > 0
            ? total.wrong == 0 || before(result.worst, total.worst)
            : total.wrong == 0 && (result.worstRatio > total.worstRatio ||
                                   (total.checked == 0 && result.checked > 0));
    CheckResult merged = takeOver ? result : total;
    merged.ran = total.ran;
    merged.sampled = total.sampled;
    merged.checked = total.checked + result.checked;
    merged.wrong = total.wrong + result.wrong;
    merged.exact = total.exact + result.exact;
    merged.unbounded = total.unbounded + result.unbounded;
    total = merged;
  }

private:
  static bool before(const Element &a, const Element &b) {
    return std::tie(a.batch, a.row, a.col) < std::tie(b.batch, b.row, b.col);
  }

  CheckResult result;
};

class Checker {
public:
  explicit Checker(const CheckRequest &request)
      : request(request), signature(*request.signature),
        products(signature.operandsB()), results(signature.operandsD()) {
    for (size_t i = 0; i < request.scalars.size(); ++i)
      scalars.push_back(
          roundToElement(signature.scalars[i].type, request.scalars[i]));
    used.resize(signature.operands.size());
    for (const ScalarOp &op : signature.epilogue.ops)
      if (op.kind == ScalarOp::Kind::Operand)
        used[op.index] = true;
    for (const OperandSignature &operand : signature.operands)
      unused.push_back(operand.unusedIfZero &&
                       scalars[*operand.unusedIfZero] == 0);
  }

  CheckResult run() {
    total.ran = true;
    bool small = static_cast<double>(request.m) *
                     static_cast<double>(request.n) *
                     static_cast<double>(std::max<int64_t>(1, request.k)) *
                     static_cast<double>(request.batch) <=
                 fullCheckLimit;
    bool full = request.mode == CheckMode::Full ||
                (request.mode == CheckMode::Auto && small);
    if (request.m == 0 || request.n == 0 || request.batch == 0)
      return total;
    if (full) {
      check(all(request.m), all(request.n));
      return total;
    }
    total.sampled = true;
    check(sample(request.m, request.n, 1), all(request.n));
    check(all(request.m), sample(request.n, request.m, 2));
    return total;
  }

private:
  static std::vector<int64_t> all(int64_t count) {
    std::vector<int64_t> indices(count);
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
  }

  // First, last and random indices below `count`, as many lines of `length`
  // elements as half the budget pays for.
  std::vector<int64_t> sample(int64_t count, int64_t length, uint64_t stream) {
    double cost = static_cast<double>(length) *
                  static_cast<double>(request.batch) *
                  static_cast<double>(std::max<int64_t>(1, request.k));
    auto wanted = static_cast<int64_t>(
        std::clamp(sampledCheckBudget / 2 / cost, 2.0, 64.0));
    if (count <= wanted)
      return all(count);
    std::vector<int64_t> indices = {0, count - 1};
    for (int64_t i = 2; i < wanted; ++i)
      indices.push_back(static_cast<int64_t>(
          randomBits(request.seed, (uint64_t{1} << 32) + stream,
                     static_cast<uint64_t>(i)) %
          static_cast<uint64_t>(count)));
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    return indices;
  }

  void check(const std::vector<int64_t> &rows,
             const std::vector<int64_t> &cols) {
    auto tiles = [](size_t count, int64_t tile) {
      return (static_cast<int64_t>(count) + tile - 1) / tile;
    };
    int64_t rowTiles = tiles(rows.size(), referenceTileRows);
    int64_t colTiles = tiles(cols.size(), referenceTileCols);
    parallelFor(request.batch * rowTiles * colTiles, [&](int64_t number) {
      int64_t batch = number / (rowTiles * colTiles);
      int64_t rowTile = number / colTiles % rowTiles;
      int64_t colTile = number % colTiles;
      auto part = [](const std::vector<int64_t> &list, int64_t first,
                     int64_t size) {
        std::span<const int64_t> span(list);
        return span.subspan(first, std::min<size_t>(size, list.size() - first));
      };
      checkTile(batch,
                part(rows, rowTile * referenceTileRows, referenceTileRows),
                part(cols, colTile * referenceTileCols, referenceTileCols));
    });
  }

  void checkTile(int64_t batch, std::span<const int64_t> rows,
                 std::span<const int64_t> cols) {
    ScalarInputs inputs;
    inputs.count = rows.size() * cols.size();
    inputs.scalars = scalars;
    inputs.unused = unused;
    inputs.products.resize(products.size());
    const MatrixView &a = request.operands[signature.operandA()];
    for (size_t i = 0; i < products.size(); ++i)
      referenceTile(a, request.operands[products[i]], batch, rows, cols,
                    request.model, inputs.products[i]);
    inputs.operands.resize(signature.operands.size());
    for (size_t i = 0; i < used.size(); ++i)
      if (used[i] && !unused[i])
        inputs.operands[i] = gather(static_cast<int>(i), batch, rows, cols);

    std::vector<BoundedValues> expected =
        evaluateProgram(signature.epilogue, inputs);
    Tally tally;
    for (size_t d = 0; d < results.size(); ++d) {
      const MatrixView &view = request.operands[results[d]];
      for (size_t i = 0; i < inputs.count; ++i) {
        int64_t row = rows[i / cols.size()], col = cols[i % cols.size()];
        // The value that is stored must have D's type; a program that ends in
        // another one is rounded by the store.
        tally.add(request, results[d], {batch, row, col},
                  view.bits(batch, row, col), expected[d].value[i],
                  expected[d].error[i]);
      }
    }
    std::lock_guard lock(mutex);
    tally.mergeInto(total);
  }

  // Elements of an epilogue operand, one per element of the tile.
  std::vector<double> gather(int operand, int64_t batch,
                             std::span<const int64_t> rows,
                             std::span<const int64_t> cols) const {
    const OperandSignature &shape = signature.operands[operand];
    const MatrixView &view = request.operands[operand];
    std::vector<double> values;
    values.reserve(rows.size() * cols.size());
    for (int64_t row : rows) {
      for (int64_t col : cols) {
        if (shape.dims.size() == 2)
          values.push_back(view.at(batch, row, col));
        else if (shape.dims.empty())
          values.push_back(view.at(batch, 0, 0));
        else
          values.push_back(
              view.at(batch, 0, shape.dims[0] == Dim::M ? row : col));
      }
    }
    return values;
  }

  const CheckRequest &request;
  const Signature &signature;
  std::vector<int> products, results;
  std::vector<double> scalars;
  std::vector<bool> used, unused;
  std::mutex mutex;
  CheckResult total;
};

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

} // namespace

std::optional<CheckMode> parseCheckMode(std::string_view name) {
  if (name == "auto")
    return CheckMode::Auto;
  if (name == "full")
    return CheckMode::Full;
  if (name == "sampled")
    return CheckMode::Sampled;
  if (name == "off")
    return CheckMode::Off;
  return std::nullopt;
}

std::string CheckResult::describeWorst() const {
  std::string where = worstOperand + "(" + std::to_string(worst.row) + ", " +
                      std::to_string(worst.col) + ")";
  if (worst.batch > 0)
    where += " of batch " + std::to_string(worst.batch);
  if (worstUnwritten)
    return where + " was never written; expected " + number(reference);
  if (bound == 0 && wrong > 0)
    return where + " = " + number(value) + ", must be exactly " +
           number(reference);
  return where + " = " + number(value) + ", reference " + number(reference) +
         ", error " + number(std::abs(value - reference)) + ", bound " +
         number(bound);
}

CheckResult checkResult(const CheckRequest &request) {
  if (request.mode == CheckMode::Off)
    return {};
  return Checker(request).run();
}

} // namespace gemm::tools
