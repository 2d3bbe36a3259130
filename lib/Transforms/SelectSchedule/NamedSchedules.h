//===- NamedSchedules.h - Schedules that have a name ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_TRANSFORMS_SELECTSCHEDULE_NAMEDSCHEDULES_H
#define GEMM_LIB_TRANSFORMS_SELECTSCHEDULE_NAMEDSCHEDULES_H

#include "CheckSchedule.h"

#include <variant>

namespace gemm {

/// One size of a named schedule.
struct ScheduleSize {
  /// CTA tile and instruction, m x n x k; grid of warps.
  int64_t tile[3], instruction[3], warps[2];
  /// Stages, from the number that is best to the fewest that are worth it.
  int64_t mostStages, fewestStages;
};

/// A way to compute a GEMM, in several sizes, the best for large problems
/// first.
struct NamedSchedule {
  llvm::StringRef name;
  InstructionKind kind;
  llvm::ArrayRef<ScheduleSize> sizes;
  /// Engine of 16-byte copies where the target has it; registers where not.
  /// With an asynchronous one, copies narrower than that are asynchronous too.
  CopyEngine engine;
  BankScheme bank;
  int64_t bankBytes;
  int64_t fragments, inFlight;
  EpilogueRoute route;
  /// Bytes of one store of the aligned schedule; 0 for one element.
  int64_t storeBytes;
  int64_t raster;
};

/// All of them, the one to prefer first.
llvm::ArrayRef<NamedSchedule> getNamedSchedules();

/// The names, comma-separated, for diagnostics.
std::string getScheduleNames();

/// One size of a named schedule with accesses of different widths: the first
/// needs aligned operands, the last runs on any.
using ScheduleSet = llvm::SmallVector<ScheduleAttr, 4>;

/// The first size of `named` that suits the problem and runs on the target,
/// with as many stages as fit; or why the closest of them does not run.
std::variant<ScheduleSet, Refusal> fitSchedule(const NamedSchedule &named,
                                               const ScheduleProblem &problem,
                                               const TargetInfo &target);

} // namespace gemm

#endif // GEMM_LIB_TRANSFORMS_SELECTSCHEDULE_NAMEDSCHEDULES_H
