//===- NamedSchedules.cpp - Schedules that have a name --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NamedSchedules.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace gemm {

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// One element of the result per thread.
static const ScheduleSize smemSizes[] = {
    {{32, 32, 32}, {1, 1, 1}, {32, 1}, 1, 1},
};

// Warp tiles of 64x64 as long as the problem and the machine have room; a
// shallower tile keeps four stages where shared memory is small.
static const ScheduleSize mmaSyncSizes[] = {
    {{128, 256, 64}, {16, 8, 16}, {2, 4}, 4, 3},
    {{128, 256, 32}, {16, 8, 16}, {2, 4}, 4, 3},
    {{128, 128, 64}, {16, 8, 16}, {2, 2}, 4, 3},
    {{128, 128, 32}, {16, 8, 16}, {2, 2}, 4, 2},
    {{64, 64, 64}, {16, 8, 16}, {2, 2}, 4, 2},
    // The first generation of the instruction is half as deep.
    {{128, 256, 32}, {16, 8, 8}, {2, 4}, 2, 2},
    {{128, 128, 32}, {16, 8, 8}, {2, 2}, 2, 2},
    {{64, 64, 32}, {16, 8, 8}, {2, 2}, 2, 2},
};

// A warpgroup computes 64 rows of the whole width.
static const ScheduleSize wgmmaSizes[] = {
    {{128, 256, 64}, {64, 256, 16}, {8, 1}, 4, 3},
    {{128, 128, 64}, {64, 128, 16}, {8, 1}, 4, 2},
    {{64, 64, 64}, {64, 64, 16}, {4, 1}, 4, 2},
};

ArrayRef<NamedSchedule> getNamedSchedules() {
  static const NamedSchedule table[] = {
      {"wgmma", InstructionKind::Wgmma, wgmmaSizes, CopyEngine::Tma,
       BankScheme::Panel, /*bankBytes=*/128, /*fragments=*/1, /*inFlight=*/1,
       EpilogueRoute::Staged, /*storeBytes=*/16, /*raster=*/8},
      {"mma-sync", InstructionKind::MmaSync, mmaSyncSizes, CopyEngine::CpAsync,
       BankScheme::Xor, /*bankBytes=*/0, /*fragments=*/2, /*inFlight=*/0,
       EpilogueRoute::Staged, /*storeBytes=*/16, /*raster=*/8},
      {"smem", InstructionKind::Fma, smemSizes, CopyEngine::Registers,
       // Lanes run along n: one word of padding, or one element where that is
       // wider, keeps them apart in a tile whose lines run along k.
       BankScheme::Padded, /*bankBytes=*/4, /*fragments=*/1, /*inFlight=*/0,
       EpilogueRoute::Registers, /*storeBytes=*/0, /*raster=*/1},
  };
  return table;
}

std::string getScheduleNames() {
  // From the simplest to the fastest, as a reader expects them.
  return llvm::join(
      llvm::map_range(llvm::reverse(getNamedSchedules()),
                      [](const NamedSchedule &named) { return named.name; }),
      ", ");
}

//===----------------------------------------------------------------------===//
// From the table to a schedule
//===----------------------------------------------------------------------===//

namespace {

/// Bytes of one access of the copies and of the stores of a schedule; 0 for one
/// element.
struct Widths {
  int64_t copy, store;
};

} // namespace

/// The widths of a set, from those that need most to those that need nothing.
static SmallVector<Widths, 4> getWidths(const NamedSchedule &named,
                                        const TargetInfo &target) {
  SmallVector<Widths, 4> widths = {{16, named.storeBytes}};
  if (named.engine != CopyEngine::Registers &&
      target.supports(CopyEngine::CpAsync)) {
    // A result whose lines are odd, often a matrix as wide as a vocabulary,
    // says nothing about the operands.
    widths.push_back({16, 0});
    // The narrowest asynchronous copy: pairs of 16-bit elements.
    widths.push_back({4, 0});
  }
  widths.push_back({0, 0});
  return widths;
}

static ScheduleAttr buildSchedule(const NamedSchedule &named,
                                  const ScheduleSize &size, int64_t stages,
                                  Widths widths, const ScheduleProblem &problem,
                                  const TargetInfo &target) {
  MLIRContext *context = problem.accumulator.getContext();
  auto copy = [&](const ScheduleOperand &operand) {
    int64_t bytes = std::max(widths.copy, operand.elementBytes);
    CopyEngine engine = widths.copy == 0    ? CopyEngine::Registers
                        : widths.copy == 16 ? named.engine
                                            : CopyEngine::CpAsync;
    if (!target.supports(engine))
      engine = CopyEngine::Registers;
    return CopyAttr::get(context, engine, bytes);
  };
  auto bank = [&](const ScheduleOperand &operand) {
    int64_t bytes = named.bank == BankScheme::Padded
                        ? std::max(named.bankBytes, operand.elementBytes)
                        : named.bankBytes;
    return BankAttr::get(context, named.bank, bytes);
  };
  int64_t storeBytes =
      widths.store ? widths.store : problem.results.front().elementBytes;
  return ScheduleAttr::get(
      context, TileAttr::get(context, size.tile[0], size.tile[1], size.tile[2]),
      MmaAttr::get(context, named.kind, size.instruction[0],
                   size.instruction[1], size.instruction[2], size.warps[0],
                   size.warps[1], /*lanes_m=*/1, /*lanes_n=*/32,
                   /*thread_m=*/1, /*thread_n=*/1),
      copy(problem.rows.front()), copy(problem.cols.front()),
      bank(problem.rows.front()), bank(problem.cols.front()),
      PipelineAttr::get(context, stages, named.fragments, named.inFlight),
      EpilogueAttr::get(context, named.route, storeBytes),
      WorkAttr::get(context, WorkKind::Tiles, named.raster));
}

/// Whether half the tile would do on one side, so that half the work is thrown
/// away.
static bool isTooLarge(const ScheduleSize &size,
                       const ScheduleProblem &problem) {
  std::optional<int64_t> rows = problem.getKernelRows(),
                         cols = problem.getKernelCols();
  return (rows && *rows <= size.tile[0] / 2) ||
         (cols && *cols <= size.tile[1] / 2);
}

std::variant<ScheduleSet, Refusal> fitSchedule(const NamedSchedule &named,
                                               const ScheduleProblem &problem,
                                               const TargetInfo &target) {
  std::optional<Refusal> closest;
  std::optional<ScheduleSet> smallest;
  SmallVector<Widths, 4> widths = getWidths(named, target);
  for (const ScheduleSize &size : named.sizes) {
    for (int64_t stages = size.mostStages; stages >= size.fewestStages;
         --stages) {
      ScheduleSet set;
      std::optional<Refusal> refusal;
      for (Widths w : widths) {
        ScheduleAttr schedule =
            buildSchedule(named, size, stages, w, problem, target);
        // The widest and the narrowest are what the set is for.
        bool isNeeded = set.empty() || (w.copy == 0 && w.store == 0);
        std::optional<Refusal> answer =
            checkSchedule(problem, target, schedule);
        if (!answer && !llvm::is_contained(set, schedule))
          set.push_back(schedule);
        if (answer && isNeeded) {
          refusal = answer;
          break;
        }
      }
      if (refusal) {
        if (!closest || refusal->kind > closest->kind)
          closest = refusal;
        continue;
      }
      if (!isTooLarge(size, problem))
        return set;
      // The sizes that follow are smaller; the last that runs will do.
      smallest = set;
      break;
    }
  }
  if (smallest)
    return *smallest;
  return *closest;
}

} // namespace gemm
