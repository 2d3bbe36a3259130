// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScalarProgram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace gemm::tools {
namespace {

using Kind = ScalarOp::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr std::array<std::pair<std::string_view, Kind>, 28> opNames = {{
    {"product", Kind::Product},        {"operand", Kind::Operand},
    {"scalar", Kind::Scalar},          {"constant", Kind::Constant},
    {"arith.addf", Kind::Add},         {"arith.subf", Kind::Sub},
    {"arith.mulf", Kind::Mul},         {"arith.divf", Kind::Div},
    {"arith.addi", Kind::Add},         {"arith.subi", Kind::Sub},
    {"arith.muli", Kind::Mul},         {"arith.negf", Kind::Neg},
    {"math.absf", Kind::Abs},          {"arith.maximumf", Kind::Maximum},
    {"arith.minimumf", Kind::Minimum}, {"arith.maxsi", Kind::Maximum},
    {"arith.minsi", Kind::Minimum},    {"arith.maxnumf", Kind::MaxNum},
    {"arith.minnumf", Kind::MinNum},   {"arith.cmpf", Kind::Compare},
    {"arith.cmpi", Kind::Compare},     {"arith.select", Kind::Select},
    {"arith.truncf", Kind::Convert},   {"arith.extf", Kind::Convert},
    {"arith.extsi", Kind::Convert},    {"arith.trunci", Kind::Convert},
    {"arith.sitofp", Kind::Convert},   {"arith.fptosi", Kind::Convert},
}};

struct Bounded {
  double value;
  double error;
};

// Result of an operation that the device does in `type`, from the exact result
// of the reference operands and the error that theirs carry over.
Bounded roundOp(ElementType type, double value, double carried) {
  if (std::isnan(value) || std::isinf(value))
    return {value, 0};
  if (!isFloat(type)) {
    if (type == ElementType::S32 && std::abs(value) < 0x1p53)
      value = static_cast<int32_t>(static_cast<int64_t>(value));
    return {value, carried};
  }
  if (carried == 0 && roundToElement(type, value) == value)
    return {value, 0};
  double error = carried + halfUlp(type, std::abs(value) + carried);
  if (std::abs(value) + error >= overflowThreshold(type))
    error = infinity;
  return {value, error};
}

Bounded convert(ElementType type, Bounded x) {
  if (std::isnan(x.value) || std::isinf(x.value))
    return {x.value, 0};
  if (x.error == 0)
    return {roundToElement(type, x.value), 0};
  if (!isFloat(type)) // Towards an integer: may fall either side.
    return {x.value, x.error + 1};
  double threshold = overflowThreshold(type);
  if (std::abs(x.value) - x.error > threshold)
    return {roundToElement(type, x.value), 0};
  return {x.value, x.error + halfUlp(type, std::abs(x.value) + x.error)};
}

bool compare(ScalarOp::Predicate predicate, bool unordered, double a,
             double b) {
  if (std::isnan(a) || std::isnan(b))
    return unordered;
  switch (predicate) {
  case ScalarOp::Predicate::Eq:
    return a == b;
  case ScalarOp::Predicate::Ne:
    return a != b;
  case ScalarOp::Predicate::Lt:
    return a < b;
  case ScalarOp::Predicate::Le:
    return a <= b;
  case ScalarOp::Predicate::Gt:
    return a > b;
  case ScalarOp::Predicate::Ge:
    return a >= b;
  }
  return false;
}

Bounded pick(Kind kind, Bounded a, Bounded b) {
  bool numbersOnly = kind == Kind::MaxNum || kind == Kind::MinNum;
  if (std::isnan(a.value) || std::isnan(b.value)) {
    if (numbersOnly)
      return std::isnan(a.value) ? b : a;
    return {std::numeric_limits<double>::quiet_NaN(), 0};
  }
  bool larger = kind == Kind::Maximum || kind == Kind::MaxNum;
  double value =
      larger ? std::max(a.value, b.value) : std::min(a.value, b.value);
  // Neither max nor min enlarges a distance; the operand that is certainly not
  // the result does not count.
  auto outOfReach = [&](Bounded x, Bounded other) {
    return larger ? x.value + x.error < other.value - other.error
                  : x.value - x.error > other.value + other.error;
  };
  if (outOfReach(a, b))
    return {value, b.error};
  if (outOfReach(b, a))
    return {value, a.error};
  return {value, std::max(a.error, b.error)};
}

// 0 * infinity is no bound at all here, but zero.
double scaled(double magnitude, double error) {
  return error == 0 || magnitude == 0 ? 0 : magnitude * error;
}

Bounded arithmetic(const ScalarOp &op, Bounded a, Bounded b) {
  switch (op.kind) {
  case Kind::Add:
    return roundOp(op.type, a.value + b.value, a.error + b.error);
  case Kind::Sub:
    return roundOp(op.type, a.value - b.value, a.error + b.error);
  case Kind::Mul:
    return roundOp(op.type, a.value * b.value,
                   scaled(std::abs(a.value), b.error) +
                       scaled(std::abs(b.value), a.error) +
                       scaled(a.error, b.error));
  case Kind::Div: {
    // (|a| eb + |b| ea) / (|b| (|b| - eb))
    double room = std::abs(b.value) - b.error;
    double carried =
        scaled(std::abs(a.value), b.error) + scaled(std::abs(b.value), a.error);
    if (carried > 0)
      carried = room > 0 ? carried / (std::abs(b.value) * room) : infinity;
    return roundOp(op.type, a.value / b.value, carried);
  }
  default:
    return pick(op.kind, a, b);
  }
}

} // namespace

bool scalarOpKind(const std::string &name, ScalarOp::Kind &kind) {
  for (const auto &[candidate, candidateKind] : opNames) {
    if (candidate == name) {
      kind = candidateKind;
      return true;
    }
  }
  return false;
}

std::vector<BoundedValues> evaluateProgram(const ScalarProgram &program,
                                           const ScalarInputs &inputs) {
  size_t count = inputs.count;
  std::vector<BoundedValues> values(program.ops.size());
  // Values that stand for an operand that must not be read.
  std::vector<bool> unused(program.ops.size(), false);
  // Conditions that the error of their operands leaves open.
  std::vector<std::vector<bool>> open(program.ops.size());

  for (size_t number = 0; number < program.ops.size(); ++number) {
    const ScalarOp &op = program.ops[number];
    BoundedValues &out = values[number];
    if (op.kind == Kind::Product) {
      out = inputs.products[op.index];
      continue;
    }
    out.resize(count);
    auto at = [&](int arg, size_t i) -> Bounded {
      const BoundedValues &source = values[op.args[arg]];
      return {source.value[i], source.error[i]};
    };
    auto store = [&](size_t i, Bounded result) {
      out.value[i] = result.value;
      out.error[i] = result.error;
    };
    switch (op.kind) {
    case Kind::Product:
      break;
    case Kind::Operand:
      if (inputs.unused[op.index]) {
        unused[number] = true;
        std::fill(out.value.begin(), out.value.end(), 0.0);
      } else {
        out.value = inputs.operands[op.index];
      }
      break;
    case Kind::Scalar:
      std::fill(out.value.begin(), out.value.end(), inputs.scalars[op.index]);
      break;
    case Kind::Constant:
      std::fill(out.value.begin(), out.value.end(), op.constant);
      break;
    case Kind::Neg:
      for (size_t i = 0; i < count; ++i)
        store(i, {-at(0, i).value, at(0, i).error});
      break;
    case Kind::Abs:
      for (size_t i = 0; i < count; ++i)
        store(i, {std::abs(at(0, i).value), at(0, i).error});
      break;
    case Kind::Convert:
      unused[number] = unused[op.args[0]];
      for (size_t i = 0; i < count; ++i)
        store(i, convert(op.type, at(0, i)));
      break;
    case Kind::Compare:
      open[number].resize(count);
      for (size_t i = 0; i < count; ++i) {
        Bounded a = at(0, i), b = at(1, i);
        open[number][i] = std::abs(a.value - b.value) <= a.error + b.error &&
                          a.error + b.error > 0;
        store(i, {compare(op.predicate, op.unordered, a.value, b.value) ? 1.0
                                                                        : 0.0,
                  0});
      }
      break;
    case Kind::Select:
      for (size_t i = 0; i < count; ++i) {
        bool taken = at(0, i).value != 0;
        Bounded chosen = at(taken ? 1 : 2, i), other = at(taken ? 2 : 1, i);
        const std::vector<bool> &undecided = open[op.args[0]];
        if (!undecided.empty() && undecided[i])
          chosen.error = std::max(
              chosen.error, std::abs(chosen.value - other.value) + other.error);
        store(i, chosen);
      }
      break;
    default: {
      bool zeroProduct =
          op.kind == Kind::Mul && (unused[op.args[0]] || unused[op.args[1]]);
      if (zeroProduct)
        break; // Zero, exactly.
      for (size_t i = 0; i < count; ++i)
        store(i, arithmetic(op, at(0, i), at(1, i)));
      break;
    }
    }
  }

  std::vector<BoundedValues> results;
  for (int result : program.results)
    results.push_back(values[result]);
  return results;
}

} // namespace gemm::tools
