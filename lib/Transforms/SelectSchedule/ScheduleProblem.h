//===- ScheduleProblem.h - What a schedule must know of a GEMM --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_TRANSFORMS_SELECTSCHEDULE_SCHEDULEPROBLEM_H
#define GEMM_LIB_TRANSFORMS_SELECTSCHEDULE_SCHEDULEPROBLEM_H

#include "Gemm/Target/Target.h"

namespace gemm {

/// A multiplied operand, or a result.
struct ScheduleOperand {
  std::string name; // A, B, B1..., D, D1...
  unsigned index;   // in the op's operands
  int64_t elementBytes;
  Order order; // in canonical coordinates
  /// The extent along which it is contiguous.
  llvm::StringRef contiguousDim;
};

/// A condition that the types of a problem decide, and the fact that decides
/// it.
struct FoldedCondition {
  ConditionAttr condition;
  std::string fact;
};

/// A `gemm.matmul` as its kernels see it. Kernels write rows: a result that is
/// contiguous along m is computed as the transposed problem, in which B plays
/// A's part. `rows` and `cols` below are the operands in the kernel's parts.
class ScheduleProblem {
public:
  /// Fails, with a diagnostic on the op, where kernels do not compute it or its
  /// matrices are none that they read or write.
  static mlir::FailureOr<ScheduleProblem> get(MatmulOp matmul);

  MatmulOp op;
  bool transposed = false;
  /// Operands that a kernel copies as its A (indexed by its rows) and its B.
  llvm::SmallVector<ScheduleOperand, 1> rows, cols;
  llvm::SmallVector<ScheduleOperand, 1> results;
  /// Element types as they are multiplied, and of the accumulator.
  mlir::Type rowsType, colsType, accumulator;

  /// The extent of m, n or k, if the types fix it.
  std::optional<int64_t> getExtent(llvm::StringRef dim) const;
  std::optional<int64_t> getKernelRows() const {
    return getExtent(transposed ? "n" : "m");
  }
  std::optional<int64_t> getKernelCols() const {
    return getExtent(transposed ? "m" : "n");
  }

  /// What must hold at run time for `schedule` to compute this problem.
  llvm::SmallVector<ConditionAttr> deriveGuard(ScheduleAttr schedule) const;

  /// Takes the conditions that always hold out of `conditions`; returns the
  /// first that never holds.
  std::optional<FoldedCondition>
  fold(llvm::SmallVectorImpl<ConditionAttr> &conditions) const;

private:
  enum class Truth { Always, Never, Unknown };
  Truth decide(ConditionAttr condition, std::string &fact) const;
  Truth decidePitch(const ScheduleOperand &operand, int64_t value,
                    std::string &fact) const;
};

} // namespace gemm

#endif // GEMM_LIB_TRANSFORMS_SELECTSCHEDULE_SCHEDULEPROBLEM_H
