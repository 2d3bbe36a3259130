//===- SelectSchedule.cpp - Give a problem its family of schedules --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckSchedule.h"
#include "NamedSchedules.h"
#include "ScheduleProblem.h"

#include "Gemm/Transforms/Passes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace gemm {

#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#include "Gemm/Transforms/Passes.h.inc"

namespace {

/// Gives one problem its family.
class Selector {
public:
  Selector(const ScheduleProblem &problem, const TargetInfo &target)
      : problem(problem), target(target), op(problem.op) {}

  /// The first named schedule that computes the problem.
  LogicalResult choose();
  /// The one that the user named.
  LogicalResult useNamed(const NamedSchedule &named);
  /// The one that the user wrote out.
  LogicalResult useWritten(ScheduleAttr schedule);
  /// The family that is there: each entry can run wherever its guard holds.
  LogicalResult checkFamily();

private:
  void setFamily(ArrayRef<EntryAttr> entries);
  LogicalResult setSet(StringRef name, ArrayRef<ScheduleAttr> schedules);
  /// "; schedule 'a' or 'b' would accept it", or nothing.
  std::string suggestOthers() const;

  const ScheduleProblem &problem;
  const TargetInfo &target;
  MatmulOp op;
};

std::string print(ConditionAttr condition) {
  return llvm::formatv("{0}({1}) {2}", stringifyEnum(condition.getKind()),
                       condition.getSubject(), condition.getValue())
      .str();
}

void Selector::setFamily(ArrayRef<EntryAttr> entries) {
  Builder builder(op.getContext());
  SmallVector<Attribute> attributes(entries.begin(), entries.end());
  op.setFamilyAttr(builder.getArrayAttr(attributes));
  op.setTargetAttr(TargetAttr::get(op.getContext(), target.name));
}

std::string Selector::suggestOthers() const {
  SmallVector<std::string> names;
  for (const NamedSchedule &named : getNamedSchedules())
    if (std::holds_alternative<ScheduleSet>(
            fitSchedule(named, problem, target)))
      names.push_back(("'" + named.name + "'").str());
  if (names.empty())
    return "";
  return "; schedule " + llvm::join(names, " or ") + " would accept it";
}

LogicalResult Selector::setSet(StringRef name,
                               ArrayRef<ScheduleAttr> schedules) {
  MLIRContext *context = op.getContext();
  SmallVector<EntryAttr> entries;
  // Whether a guard holds for no other lines and extents than `entry`'s:
  // buffers are at good addresses, so that the entry would hardly ever run.
  auto addsOnlyAddresses = [](EntryAttr entry, GuardAttr guard) {
    return llvm::all_of(entry.getGuard().getConditions(), [&](ConditionAttr c) {
      return c.getKind() == ConditionKind::Align || guard.implies(c);
    });
  };
  for (ScheduleAttr schedule : schedules) {
    SmallVector<ConditionAttr> conditions = problem.deriveGuard(schedule);
    if (std::optional<FoldedCondition> never = problem.fold(conditions)) {
      if (schedule == schedules.front())
        op.emitRemark("schedule '")
            << name
            << "' goes without its aligned entry: " << print(never->condition)
            << " never holds, as " << never->fact;
      continue;
    }
    auto guard = GuardAttr::get(context, conditions);
    if (schedule != schedules.back() && !entries.empty() &&
        addsOnlyAddresses(entries.back(), guard))
      continue;
    entries.push_back(EntryAttr::get(context, guard, schedule));
    // What follows an entry that always runs never does.
    if (conditions.empty())
      break;
  }
  setFamily(entries);
  return success();
}

LogicalResult Selector::choose() {
  std::string reasons;
  for (const NamedSchedule &named : getNamedSchedules()) {
    auto fit = fitSchedule(named, problem, target);
    if (auto *set = std::get_if<ScheduleSet>(&fit))
      return setSet(named.name, *set);
    reasons +=
        ("\n  " + named.name + ": ").str() + std::get<Refusal>(fit).reason;
  }
  return op.emitOpError("has no schedule on ") << target.name << ":" << reasons;
}

LogicalResult Selector::useNamed(const NamedSchedule &named) {
  auto fit = fitSchedule(named, problem, target);
  if (auto *set = std::get_if<ScheduleSet>(&fit))
    return setSet(named.name, *set);
  return op.emitOpError("cannot use schedule '")
         << named.name << "': " << std::get<Refusal>(fit).reason
         << suggestOthers();
}

LogicalResult Selector::useWritten(ScheduleAttr schedule) {
  if (std::optional<Refusal> refusal = checkSchedule(problem, target, schedule))
    return op.emitOpError("cannot use the given schedule: ")
           << refusal->reason
           << (refusal->kind == Refusal::Resources ? "" : suggestOthers());
  SmallVector<ConditionAttr> guard = problem.deriveGuard(schedule);
  if (std::optional<FoldedCondition> never = problem.fold(guard))
    return op.emitOpError("cannot use the given schedule: its guard ")
           << print(never->condition) << " never holds, as " << never->fact
           << "; copy and store fewer bytes at a time";
  MLIRContext *context = op.getContext();
  setFamily(EntryAttr::get(context, GuardAttr::get(context, guard), schedule));
  return success();
}

LogicalResult Selector::checkFamily() {
  for (auto [i, entry] :
       llvm::enumerate(op.getFamily()->getAsRange<EntryAttr>())) {
    ScheduleAttr schedule = entry.getSchedule();
    if (std::optional<Refusal> refusal =
            checkSchedule(problem, target, schedule))
      return op.emitOpError("cannot use entry ")
             << i << " of its family: " << refusal->reason;
    SmallVector<ConditionAttr> needed = problem.deriveGuard(schedule);
    if (std::optional<FoldedCondition> never = problem.fold(needed))
      return op.emitOpError("cannot use entry ")
             << i << " of its family: it needs " << print(never->condition)
             << ", and " << never->fact
             << "; copy and store fewer bytes at a time";
    for (ConditionAttr condition : needed)
      if (!entry.getGuard().implies(condition))
        return op.emitOpError("cannot use entry ")
               << i << " of its family: it needs " << print(condition)
               << ", which its guard does not ask; add it to the guard, or "
                  "copy and store fewer bytes at a time";
  }
  return success();
}

struct SelectSchedulePass : impl::SelectSchedulePassBase<SelectSchedulePass> {
  using SelectSchedulePassBase::SelectSchedulePassBase;

  void runOnOperation() override {
    // Options have no place in the source; the first problem they are for has.
    Location where = getOperation()->getLoc();
    getOperation()->walk([&](MatmulOp op) {
      where = op.getLoc();
      return WalkResult::interrupt();
    });
    // What the user asked for, once for all problems.
    const NamedSchedule *named = nullptr;
    ScheduleAttr written;
    StringRef asked = StringRef(schedule).trim();
    if (asked.starts_with("#")) {
      Attribute parsed = parseAttribute(asked, &getContext());
      if (!parsed) // the parser has said why
        return signalPassFailure();
      written = dyn_cast<ScheduleAttr>(parsed);
      if (!written) {
        emitError(where) << "option 'schedule' is no #gemm.schedule: " << asked;
        return signalPassFailure();
      }
    } else if (!asked.empty()) {
      for (const NamedSchedule &candidate : getNamedSchedules())
        if (candidate.name == asked)
          named = &candidate;
      if (!named) {
        emitError(where) << "unknown schedule '" << asked
                         << "'; the named ones are " << getScheduleNames()
                         << ", and #gemm.schedule<...> is one written out";
        return signalPassFailure();
      }
    }

    StringRef targetName = target.empty() ? getDefaultTarget().name : target;
    auto defaultTarget = TargetAttr::get(&getContext(), targetName);
    // An unknown name is an error even where nothing is left to schedule.
    if (!requireTarget(where, defaultTarget))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](MatmulOp op) {
      return failed(select(op, defaultTarget, named, written))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult select(MatmulOp op, TargetAttr defaultTarget,
                       const NamedSchedule *named, ScheduleAttr written) {
    TargetAttr ownTarget = op.getTargetAttr();
    const TargetInfo *info =
        requireTarget(op.getLoc(), ownTarget ? ownTarget : defaultTarget);
    FailureOr<ScheduleProblem> problem = ScheduleProblem::get(op);
    if (!info || failed(problem))
      return failure();
    Selector selector(*problem, *info);
    if (op.getFamily())
      return selector.checkFamily();
    if (written)
      return selector.useWritten(written);
    return named ? selector.useNamed(*named) : selector.choose();
  }
};

} // namespace

} // namespace gemm
