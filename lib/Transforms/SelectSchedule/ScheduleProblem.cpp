//===- ScheduleProblem.cpp - What a schedule must know of a GEMM ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleProblem.h"

#include "Gemm/IR/KernelRules.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace gemm {

FailureOr<ScheduleProblem> ScheduleProblem::get(MatmulOp matmul) {
  ScheduleProblem problem;
  problem.op = matmul;
  if (auto error = getKernelProblemError(matmul))
    return matmul.emitOpError("has ") << *error;
  auto describe = [&](unsigned index, MatrixRole role, StringRef rowDim,
                      StringRef colDim) -> FailureOr<ScheduleOperand> {
    Type type = matmul->getOperand(index).getType();
    std::string name = matmul.getOperandName(index);
    if (auto error =
            getKernelMatrixError(role, type, matmul.getIndexingMap(index)))
      return matmul.emitOpError("operand ") << name << " " << *error;
    Order order = *matmul.getOrder(index);
    return ScheduleOperand{name, index,
                           getElementBytes(getElementTypeOrSelf(type)), order,
                           order == Order::Row ? colDim : rowDim};
  };

  FailureOr<ScheduleOperand> a = describe(0, MatrixRole::A, "m", "k");
  if (failed(a))
    return failure();
  SmallVector<ScheduleOperand, 1> as{*a}, bs;
  for (unsigned i = 0; i < matmul.getBs().size(); ++i) {
    FailureOr<ScheduleOperand> b = describe(1 + i, MatrixRole::B, "n", "k");
    if (failed(b))
      return failure();
    bs.push_back(*b);
  }
  for (unsigned i = matmul.getFirstOut(); i < matmul->getNumOperands(); ++i) {
    FailureOr<ScheduleOperand> d = describe(i, MatrixRole::D, "m", "n");
    if (failed(d))
      return failure();
    problem.results.push_back(*d);
  }

  problem.transposed = problem.results.front().order == Order::Col;
  problem.rows = problem.transposed ? bs : as;
  problem.cols = problem.transposed ? as : bs;
  problem.rowsType = matmul.getMultipliedType(problem.transposed ? 1 : 0);
  problem.colsType = matmul.getMultipliedType(problem.transposed ? 0 : 1);
  problem.accumulator = matmul.getAccumulator();
  return problem;
}

std::optional<int64_t> ScheduleProblem::getExtent(StringRef dim) const {
  MatmulOp matmul = op;
  for (OpOperand &operand : matmul->getOpOperands()) {
    auto shaped = dyn_cast<ShapedType>(operand.get().getType());
    if (!shaped)
      continue;
    AffineMap map = matmul.getIndexingMap(operand);
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      if (matmul.getDimName(map, i) == dim && !shaped.isDynamicDim(i))
        return shaped.getDimSize(i);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

SmallVector<ConditionAttr>
ScheduleProblem::deriveGuard(ScheduleAttr schedule) const {
  MLIRContext *context = schedule.getContext();
  SmallVector<ConditionAttr> conditions;
  auto require = [&](ConditionKind kind, StringRef subject, int64_t value) {
    ConditionAttr c = ConditionAttr::get(context, kind, subject, value);
    if (value > 1 && !llvm::is_contained(conditions, c))
      conditions.push_back(c);
  };
  // Any element can be accessed alone; wider accesses need an address and lines
  // that are multiples of their width.
  auto requireWidth = [&](const ScheduleOperand &operand, int64_t bytes) {
    if (bytes <= operand.elementBytes)
      return;
    require(ConditionKind::Align, operand.name, bytes);
    require(ConditionKind::Pitch, operand.name, bytes / operand.elementBytes);
  };
  auto requireCopy = [&](const ScheduleOperand &operand, CopyAttr copy) {
    requireWidth(operand, copy.getBytes());
    // A load fetches a whole run or none; the other engines cut runs at the
    // edge.
    if (copy.getEngine() == CopyEngine::Registers)
      require(ConditionKind::Divisible, operand.contiguousDim,
              copy.getBytes() / operand.elementBytes);
  };
  // In the problem's order, A first.
  SmallVector<std::pair<const ScheduleOperand *, CopyAttr>> copies;
  for (const ScheduleOperand &operand : rows)
    copies.emplace_back(&operand, schedule.getCopyA());
  for (const ScheduleOperand &operand : cols)
    copies.emplace_back(&operand, schedule.getCopyB());
  llvm::sort(copies, [](const auto &x, const auto &y) {
    return x.first->index < y.first->index;
  });
  for (auto [operand, copy] : copies)
    requireCopy(*operand, copy);
  for (const ScheduleOperand &result : results)
    requireWidth(result, schedule.getEpilogue().getBytes());
  return conditions;
}

ScheduleProblem::Truth
ScheduleProblem::decidePitch(const ScheduleOperand &operand, int64_t value,
                             std::string &fact) const {
  MatmulOp matmul = op;
  auto memref =
      dyn_cast<MemRefType>(matmul->getOperand(operand.index).getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  // A tensor's buffer has strides of its own.
  if (!memref || failed(memref.getStridesAndOffset(strides, offset)))
    return Truth::Unknown;
  AffineMap map = matmul.getIndexingMap(operand.index);
  Truth truth = Truth::Always;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    if (matmul.getDimName(map, i) == operand.contiguousDim)
      continue;
    if (ShapedType::isDynamic(strides[i])) {
      truth = Truth::Unknown;
      continue;
    }
    if (strides[i] % value == 0)
      continue;
    fact = llvm::formatv("the stride of {0} along {1} is {2}", operand.name,
                         matmul.getDimName(map, i), strides[i])
               .str();
    return Truth::Never;
  }
  return truth;
}

ScheduleProblem::Truth ScheduleProblem::decide(ConditionAttr condition,
                                               std::string &fact) const {
  StringRef subject = condition.getSubject();
  int64_t value = condition.getValue();
  switch (condition.getKind()) {
  case ConditionKind::Align:
    return Truth::Unknown;
  case ConditionKind::Pitch:
    for (const auto *group : {&rows, &cols, &results})
      for (const ScheduleOperand &operand : *group)
        if (operand.name == subject)
          return decidePitch(operand, value, fact);
    return Truth::Unknown;
  case ConditionKind::Divisible:
  case ConditionKind::AtMost:
    std::optional<int64_t> extent = getExtent(subject);
    if (!extent)
      return Truth::Unknown;
    fact = llvm::formatv("{0} is {1}", subject, *extent).str();
    bool holds = condition.getKind() == ConditionKind::AtMost
                     ? *extent <= value
                     : *extent % value == 0;
    return holds ? Truth::Always : Truth::Never;
  }
  return Truth::Unknown;
}

std::optional<FoldedCondition>
ScheduleProblem::fold(SmallVectorImpl<ConditionAttr> &conditions) const {
  SmallVector<ConditionAttr> open;
  for (ConditionAttr condition : conditions) {
    std::string fact;
    switch (decide(condition, fact)) {
    case Truth::Never:
      return FoldedCondition{condition, fact};
    case Truth::Unknown:
      open.push_back(condition);
      break;
    case Truth::Always:
      break;
    }
  }
  conditions.assign(open.begin(), open.end());
  return std::nullopt;
}

} // namespace gemm
