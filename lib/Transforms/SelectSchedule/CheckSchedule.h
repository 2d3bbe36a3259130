//===- CheckSchedule.h - Whether a target can run a schedule ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_TRANSFORMS_SELECTSCHEDULE_CHECKSCHEDULE_H
#define GEMM_LIB_TRANSFORMS_SELECTSCHEDULE_CHECKSCHEDULE_H

#include "ScheduleProblem.h"

namespace gemm {

/// Why a schedule cannot compute a problem on a target.
struct Refusal {
  /// The later the kind, the closer the schedule is to running.
  enum Kind { Instruction, Engine, Shape, Resources };
  Kind kind;
  /// Names the part of the schedule, the operand or the limit, and what would
  /// do.
  std::string reason;
};

/// Checks everything about `schedule` that is known before run time: the
/// instruction and the copy engines exist, every tile can be laid out and
/// copied, and shared memory, registers and threads are enough.
std::optional<Refusal> checkSchedule(const ScheduleProblem &problem,
                                     const TargetInfo &target,
                                     ScheduleAttr schedule);

} // namespace gemm

#endif // GEMM_LIB_TRANSFORMS_SELECTSCHEDULE_CHECKSCHEDULE_H
