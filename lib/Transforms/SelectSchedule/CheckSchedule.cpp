//===- CheckSchedule.cpp - Whether a target can run a schedule ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckSchedule.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gemm {

namespace {

/// Sides of a CTA tile.
struct Sides {
  int64_t m, n, k;
  std::string str() const {
    return llvm::formatv("{0}x{1}x{2}", m, n, k).str();
  }
};

class Checker {
public:
  Checker(const ScheduleProblem &problem, const TargetInfo &target,
          ScheduleAttr schedule)
      : problem(problem), target(target), mma(schedule.getMma()),
        tile{schedule.getTile().getM(), schedule.getTile().getN(),
             schedule.getTile().getK()},
        parts{{schedule.getCopyA(), schedule.getBankA(), &problem.rows},
              {schedule.getCopyB(), schedule.getBankB(), &problem.cols}},
        pipeline(schedule.getPipeline()), epilogue(schedule.getEpilogue()) {}

  std::optional<Refusal> run();

private:
  /// One side of the product: its part of the schedule and the operands it
  /// copies.
  struct Side {
    CopyAttr copy;
    BankAttr bank;
    const SmallVector<ScheduleOperand, 1> *operands;
  };

  using Answer = std::optional<Refusal>;
  Answer checkInstruction();
  Answer checkCopy(const Side &side, const ScheduleOperand &operand);
  Answer checkEpilogue();
  Answer checkSharedMemory();
  Answer checkRegisters();

  /// Rows of an operand's tile.
  int64_t rowsOf(const Side &side, const Sides &sides) const {
    return &side == &parts[0] ? sides.m : sides.n;
  }
  llvm::Expected<layout::SharedLayout> layOut(const Side &side,
                                              const ScheduleOperand &operand,
                                              const Sides &sides) const {
    return side.bank.layOut(rowsOf(side, sides), sides.k, operand.elementBytes,
                            operand.order);
  }
  /// Bytes of shared memory with these sides and stages; nothing where a tile
  /// cannot be laid out.
  std::optional<int64_t> sharedBytes(const Sides &sides, int64_t stages) const;
  /// 32-bit registers of a thread for accumulators, and for fragments.
  std::pair<int64_t, int64_t> registers(const Sides &sides) const;
  /// The first of ever smaller tiles for which `fits` holds.
  std::optional<Sides>
  findSmallerTile(llvm::function_ref<bool(const Sides &)> fits) const;

  const ScheduleProblem &problem;
  const TargetInfo &target;
  MmaAttr mma;
  Sides tile;
  Side parts[2];
  PipelineAttr pipeline;
  EpilogueAttr epilogue;
};

template <typename... Args>
std::optional<Refusal> refuse(Refusal::Kind kind, const char *format,
                              Args &&...args) {
  return Refusal{kind,
                 llvm::formatv(format, std::forward<Args>(args)...).str()};
}

std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

//===----------------------------------------------------------------------===//
// Instruction
//===----------------------------------------------------------------------===//

Checker::Answer Checker::checkInstruction() {
  if (!target.find(mma.getKind(), mma.getM(), mma.getN(), mma.getK(),
                   problem.rowsType, problem.colsType, problem.accumulator)) {
    const ScheduleOperand &a =
        problem.transposed ? problem.cols.front() : problem.rows.front();
    const ScheduleOperand &b =
        problem.transposed ? problem.rows.front() : problem.cols.front();
    Type aType = problem.transposed ? problem.colsType : problem.rowsType;
    Type bType = problem.transposed ? problem.rowsType : problem.colsType;
    return refuse(Refusal::Instruction,
                  "{0} has no {1} {2}x{3}x{4} that multiplies operand {5} of "
                  "{6} by operand {7} of {8} into {9}",
                  target.name, stringifyEnum(mma.getKind()), mma.getM(),
                  mma.getN(), mma.getK(), a.name, print(aType), b.name,
                  print(bType), print(problem.accumulator));
  }
  // PTX ISA, wgmma: only 16-bit operands may be MN-major in shared memory.
  if (mma.getKind() == InstructionKind::Wgmma)
    for (const Side &side : parts)
      for (const ScheduleOperand &operand : *side.operands)
        if (operand.elementBytes != 2 && operand.order == Order::Col)
          return refuse(Refusal::Instruction,
                        "wgmma reads operand {0} contiguous along k only, as "
                        "its elements are {1} bits wide, and it is contiguous "
                        "along {2}",
                        operand.name, 8 * operand.elementBytes,
                        operand.contiguousDim);
  if (auto error = getEmissionError(mma.getKind(), problem.rowsType,
                                    problem.colsType, problem.accumulator))
    return Refusal{Refusal::Instruction,
                   "kernels cannot use it yet: " + *error};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Copies and the epilogue
//===----------------------------------------------------------------------===//

Checker::Answer Checker::checkCopy(const Side &side,
                                   const ScheduleOperand &operand) {
  CopyAttr copy = side.copy;
  if (!target.supports(copy.getEngine()))
    return refuse(
        Refusal::Engine,
        "{0} has no {1} to copy operand {2} with; use <registers {3}>",
        target.name, stringifyEnum(copy.getEngine()), operand.name,
        copy.getBytes());
  if (copy.getBytes() % operand.elementBytes)
    return refuse(Refusal::Shape,
                  "copies of {0} bytes are narrower than the {1}-byte elements "
                  "of operand {2}",
                  copy.getBytes(), operand.elementBytes, operand.name);
  auto layout = layOut(side, operand, tile);
  if (!layout)
    return refuse(Refusal::Shape,
                  "the shared tile of operand {0} cannot be {1}: {2}",
                  operand.name, stringifyEnum(side.bank.getScheme()),
                  llvm::toString(layout.takeError()));
  if (copy.getEngine() == CopyEngine::Tma) {
    // PTX ISA, tensor maps: a box spans at most 256 elements of each dimension.
    constexpr int64_t largestBox = 256;
    if (layout->lines() > largestBox)
      return refuse(Refusal::Shape,
                    "a tma copy moves at most {0} lines, and the shared tile "
                    "of operand {1} has {2}",
                    largestBox, operand.name, layout->lines());
    return std::nullopt;
  }
  // As many threads as there are runs share a small tile.
  int64_t run = copy.getBytes() / operand.elementBytes;
  int64_t runs = layout->lines() * (layout->lineLength() / run);
  auto work = layout::coalesced(layout->lines(), layout->lineLength(), run,
                                std::min(mma.getNumThreads(), runs));
  if (!work)
    return refuse(Refusal::Shape, "operand {0}: {1}", operand.name,
                  llvm::toString(work.takeError()));
  return std::nullopt;
}

Checker::Answer Checker::checkEpilogue() {
  for (const ScheduleOperand &result : problem.results) {
    if (epilogue.getBytes() % result.elementBytes)
      return refuse(Refusal::Shape,
                    "an epilogue that stores {0} bytes at a time is narrower "
                    "than the {1}-byte elements of result {2}",
                    epilogue.getBytes(), result.elementBytes, result.name);
    if (epilogue.getRoute() != EpilogueRoute::Staged)
      continue;
    auto work = layout::coalesced(tile.m, tile.n,
                                  epilogue.getBytes() / result.elementBytes,
                                  mma.getNumThreads());
    if (!work)
      return refuse(Refusal::Shape, "result {0} cannot be staged: {1}",
                    result.name, llvm::toString(work.takeError()));
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

std::optional<Sides>
Checker::findSmallerTile(llvm::function_ref<bool(const Sides &)> fits) const {
  constexpr int64_t smallest = 16;
  Sides sides = tile;
  while (sides.m > smallest || sides.n > smallest) {
    int64_t &side = sides.n >= sides.m ? sides.n : sides.m;
    side = std::max(side / 2, smallest);
    if (fits(sides))
      return sides;
  }
  return std::nullopt;
}

std::optional<int64_t> Checker::sharedBytes(const Sides &sides,
                                            int64_t stages) const {
  // Tiles start where hardware swizzles do.
  constexpr int64_t alignment = 1024;
  int64_t bytes = 0;
  bool ring = false;
  for (const Side &side : parts) {
    ring |= side.copy.getEngine() == CopyEngine::Tma;
    for (const ScheduleOperand &operand : *side.operands) {
      auto layout = layOut(side, operand, sides);
      if (!layout) {
        llvm::consumeError(layout.takeError());
        return std::nullopt;
      }
      bytes = llvm::alignTo(bytes, alignment) + stages * layout->bytes();
    }
  }
  // The result is staged where the operands were.
  if (epilogue.getRoute() == EpilogueRoute::Staged)
    for (const ScheduleOperand &result : problem.results) {
      int64_t line = sides.n * result.elementBytes;
      // Lines that cannot be swizzled are padded.
      if (!llvm::isPowerOf2_64(line) || line < 32)
        line += 16;
      bytes = std::max(bytes, sides.m * line);
    }
  // One 8-byte mbarrier per stage.
  return ring ? llvm::alignTo(bytes, 8) + 8 * stages : bytes;
}

Checker::Answer Checker::checkSharedMemory() {
  std::optional<int64_t> bytes = sharedBytes(tile, pipeline.getStages());
  if (!bytes || *bytes <= target.sharedPerCta)
    return std::nullopt;
  std::string remedy = "use a smaller tile";
  auto fits = [&](const Sides &sides, int64_t stages) {
    std::optional<int64_t> needed = sharedBytes(sides, stages);
    return needed && *needed <= target.sharedPerCta;
  };
  int64_t fewest = 1 + pipeline.getInFlight();
  int64_t stages = pipeline.getStages() - 1;
  while (stages >= fewest && !fits(tile, stages))
    --stages;
  if (stages >= fewest)
    remedy =
        llvm::formatv("{0} stage{1} would fit", stages, stages == 1 ? "" : "s");
  else if (auto smaller = findSmallerTile([&](const Sides &sides) {
             return fits(sides, pipeline.getStages());
           }))
    remedy = "a tile of " + smaller->str() + " would fit";
  return refuse(Refusal::Resources,
                "needs {0} bytes of shared memory, {1} more than the {2} of a "
                "CTA on {3}; {4}",
                *bytes, *bytes - target.sharedPerCta, target.sharedPerCta,
                target.name, remedy);
}

std::pair<int64_t, int64_t> Checker::registers(const Sides &sides) const {
  int64_t threads = mma.getNumThreads();
  int64_t accumulatorBits = problem.accumulator.getIntOrFloatBitWidth();
  int64_t products = std::max(problem.rows.size(), problem.cols.size());
  int64_t accumulators = llvm::divideCeil(
      sides.m * sides.n * accumulatorBits / 32 * products, threads);
  // What an instruction reads from shared memory takes no registers.
  if (mma.getKind() == InstructionKind::Wgmma)
    return {accumulators, 0};
  int64_t fragments = 0;
  for (const Side &side : parts) {
    bool isA = &side == &parts[0];
    int64_t rows = rowsOf(side, sides);
    // Threads that hold different rows or columns k of the operand.
    int64_t holders = isA ? mma.getWarpsM() : mma.getWarpsN();
    holders *= mma.getKind() == InstructionKind::MmaSync ? layout::warpSize
               : isA                                     ? mma.getLanesM()
                                                         : mma.getLanesN();
    for (const ScheduleOperand &operand : *side.operands)
      fragments += llvm::divideCeil(rows * mma.getK() * operand.elementBytes,
                                    4 * holders);
  }
  return {accumulators, fragments * pipeline.getFragments()};
}

Checker::Answer Checker::checkRegisters() {
  int64_t threads = mma.getNumThreads();
  if (threads > target.threadsPerCta)
    return refuse(
        Refusal::Resources,
        "runs {0} threads, {1} more than the {2} of a CTA on {3}; use "
        "fewer warps",
        threads, threads - target.threadsPerCta, target.threadsPerCta,
        target.name);
  // Registers are handed out in eights.
  int64_t limit = std::min(target.registersPerThread,
                           target.registersPerSm / threads / 8 * 8);
  auto [accumulators, fragments] = registers(tile);
  int64_t needed = accumulators + fragments;
  if (needed <= limit)
    return std::nullopt;
  std::string remedy = "use more warps";
  if (auto smaller = findSmallerTile([&](const Sides &sides) {
        auto [a, f] = registers(sides);
        return a + f <= limit;
      }))
    remedy = "a tile of " + smaller->str() + " would fit";
  return refuse(Refusal::Resources,
                "needs at least {0} registers of a thread ({1} for "
                "accumulators, {2} for fragments), {3} more than the {4} that "
                "one of {5} threads has on {6}; {7}",
                needed, accumulators, fragments, needed - limit, limit, threads,
                target.name, remedy);
}

std::optional<Refusal> Checker::run() {
  if (Answer answer = checkInstruction())
    return answer;
  for (const Side &side : parts)
    for (const ScheduleOperand &operand : *side.operands)
      if (Answer answer = checkCopy(side, operand))
        return answer;
  if (Answer answer = checkEpilogue())
    return answer;
  if (Answer answer = checkRegisters())
    return answer;
  return checkSharedMemory();
}

} // namespace

std::optional<Refusal> checkSchedule(const ScheduleProblem &problem,
                                     const TargetInfo &target,
                                     ScheduleAttr schedule) {
  return Checker(problem, target, schedule).run();
}

} // namespace gemm
