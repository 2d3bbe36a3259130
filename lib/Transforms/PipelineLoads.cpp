//===- PipelineLoads.cpp - Overlap copies with computation ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The K loop of a placed kernel copies, waits and multiplies, one after the
// other. This pass takes it apart (KLoop) and puts it together again with the
// copies running `stages - 1` tiles ahead (Pipeliner).
//
//===----------------------------------------------------------------------===//

#include "Gemm/Transforms/Passes.h"

#include "KLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace gemm {

#define GEN_PASS_DEF_PIPELINELOADS
#include "Gemm/Transforms/Passes.h.inc"

namespace {

class Pipeliner {
public:
  Pipeliner(KLoop &parts, PipelineAttr pipeline)
      : parts(parts), stages(pipeline.getStages()),
        inFlight(pipeline.getInFlight()), builder(parts.loop),
        loc(parts.loop.getLoc()) {}

  /// K tiles whole, one after the other or with fragments read just in time.
  void run();
  /// Fragments of the next k-step are read before this one's multiplications.
  void runWithFragments();

private:
  /// Where a tile of the ring is.
  struct Position {
    Value slot;   // i32, 0 .. stages - 1
    Value parity; // i32, of the slot's mbarrier; null without a ring
  };

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }

  /// Stages, ring and prologue; the values the loop starts with.
  void start();
  /// The slot after this one; its parity flips when the ring wraps.
  Position next(Position position);
  /// Issues the copies of the tile at `k` to `slot`. Harmless past the last
  /// tile.
  void issue(Value k, Value slot);
  /// Waits until the tile at `position` has arrived and all threads know.
  void wait(Position position);
  /// The tile this many steps ahead of `k`.
  Value ahead(Value k, int64_t tiles) {
    return tiles ? add(k, constant(tiles * parts.tileK)) : k;
  }
  Value slotOf(Value buffer, Value slot) {
    auto type = cast<SharedType>(buffer.getType());
    return SlotOp::create(builder, loc, type.withStages(1), buffer, slot);
  }
  /// The fragments of k-step `step` of the tile in `slot`.
  SmallVector<Value, 2> readFragments(Value slot, int64_t step);
  void finish(Value acc, scf::ForOp old);

  SmallVector<Value> loopState(Position read, Value write) {
    SmallVector<Value> state = {read.slot, write};
    if (read.parity)
      state.push_back(read.parity);
    return state;
  }

  KLoop &parts;
  int64_t stages, inFlight;
  OpBuilder builder;
  Location loc;
  Value ring;
  Position first;
  Value firstWrite;
};

void Pipeliner::start() {
  for (CopyStartOp copy : parts.copies) {
    Value buffer = copy.getDest();
    buffer.setType(cast<SharedType>(buffer.getType()).withStages(stages));
  }
  if (parts.has(CopyEngine::Tma))
    ring = RingInitOp::create(builder, loc,
                              RingType::get(builder.getContext(), stages));
  if (stages > 1) {
    Value zero = constant(0), one = constant(1), end = constant(stages - 1);
    auto prologue = scf::ForOp::create(builder, loc, zero, end, one);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(prologue.getBody());
    Value s = prologue.getInductionVar();
    Value offset =
        arith::MulIOp::create(builder, loc, s, constant(parts.tileK));
    issue(add(parts.loop.getLowerBound(), offset), s);
  }
  first = {constant(0), ring ? constant(0) : Value()};
  firstWrite = constant(stages - 1);
}

Pipeliner::Position Pipeliner::next(Position position) {
  Value zero = constant(0), one = constant(1);
  Value up = add(position.slot, one);
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      up, constant(stages));
  Position result;
  result.slot = arith::SelectOp::create(builder, loc, wraps, zero, up);
  if (position.parity) {
    Value flipped = arith::XOrIOp::create(builder, loc, position.parity, one);
    result.parity =
        arith::SelectOp::create(builder, loc, wraps, flipped, position.parity);
  }
  return result;
}

void Pipeliner::issue(Value k, Value slot) {
  auto emit = [&](CopyStartOp copy) {
    IRMapping mapping;
    mapping.map(parts.loop.getInductionVar(), k);
    SmallVector<Value> indices;
    for (Value index : copy.getIndices())
      indices.push_back(mapping.lookupOrDefault(index));
    bool onRing = copy.getCopy().getEngine() == CopyEngine::Tma;
    CopyStartOp::create(
        builder, loc, copy.getToken().getType(), copy.getSource(), indices,
        copy.getRowBound(), copy.getColBound(), slotOf(copy.getDest(), slot),
        onRing ? ring : Value(), onRing ? slot : Value(), copy.getCopy());
  };
  // cp.async past the last tile has size zero, which keeps the group count.
  if (parts.has(CopyEngine::CpAsync)) {
    for (CopyStartOp copy : parts.copies)
      if (copy.getCopy().getEngine() == CopyEngine::CpAsync)
        emit(copy);
    CopyCommitOp::create(builder, loc);
  }
  if (!parts.has(CopyEngine::Tma) && !parts.has(CopyEngine::Registers))
    return;
  Value live = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, k,
                                     parts.loop.getUpperBound());
  auto guarded =
      scf::IfOp::create(builder, loc, live, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(guarded.thenBlock()->getTerminator());
  int64_t bytes = 0;
  for (CopyStartOp copy : parts.copies)
    if (copy.getCopy().getEngine() == CopyEngine::Tma)
      bytes += cast<SharedType>(copy.getDest().getType()).getStageBytes();
  if (bytes)
    RingExpectOp::create(builder, loc, ring, slot, bytes);
  for (CopyStartOp copy : parts.copies)
    if (copy.getCopy().getEngine() != CopyEngine::CpAsync)
      emit(copy);
}

void Pipeliner::wait(Position position) {
  if (parts.has(CopyEngine::CpAsync))
    CopyWaitOp::create(builder, loc, std::max<int64_t>(stages - 2, 0));
  if (ring)
    RingWaitOp::create(builder, loc, ring, position.slot, position.parity);
  // Only what threads wrote needs a fence and a meeting before it is read; the
  // asynchronous reader's own release is the barrier before the next issue.
  bool written =
      parts.has(CopyEngine::CpAsync) || parts.has(CopyEngine::Registers);
  if (parts.fenced && written)
    FenceAsyncOp::create(builder, loc);
  if (written || !parts.isAsync())
    BarrierOp::create(builder, loc);
}

void Pipeliner::run() {
  start();
  SmallVector<Value> init = {parts.loop.getInitArgs().front()};
  llvm::append_range(init, loopState(first, firstWrite));
  auto loop = scf::ForOp::create(builder, loc, parts.loop.getLowerBound(),
                                 parts.loop.getUpperBound(),
                                 parts.loop.getStep(), init);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    auto args = loop.getRegionIterArgs();
    Position read = {args[1], ring ? Value(args[3]) : Value()};
    Value write = args[2], k0 = loop.getInductionVar();
    if (stages == 1)
      issue(k0, read.slot);
    wait(read);
    Value acc = args[0];
    if (parts.isAsync()) {
      MmaOp mma = parts.mma;
      acc = MmaOp::create(
          builder, loc, mma.getType(), slotOf(mma.getA(), read.slot),
          slotOf(mma.getB(), read.slot), acc, mma.getInstructionAttr());
      MmaWaitOp::create(builder, loc, inFlight);
      // The slot that is refilled next was read by the group that has just
      // finished, here and in every other warp.
      BarrierOp::create(builder, loc);
      if (stages > 1)
        issue(ahead(k0, stages - 1), write);
    } else {
      if (stages > 1)
        issue(ahead(k0, stages - 1), write);
      IRMapping mapping;
      mapping.map(parts.loop.getRegionIterArgs().front(), acc);
      for (CopyStartOp copy : parts.copies)
        mapping.map(copy.getDest(), slotOf(copy.getDest(), read.slot));
      acc = builder.clone(*parts.steps, mapping)->getResult(0);
      if (stages == 1)
        BarrierOp::create(builder, loc);
    }
    SmallVector<Value> yielded = {acc};
    Position following = next(read);
    llvm::append_range(yielded, loopState(following, next({write, {}}).slot));
    scf::YieldOp::create(builder, loc, yielded);
  }
  finish(loop.getResult(0), parts.loop);
}

SmallVector<Value, 2> Pipeliner::readFragments(Value slot, int64_t step) {
  SmallVector<Value, 2> fragments;
  Value zero = constant(0),
        kk = constant(step * parts.mma.getInstructionAttr().getK());
  for (ReadFragOp read : {parts.readA, parts.readB})
    fragments.push_back(ReadFragOp::create(builder, loc, read.getType(),
                                           slotOf(read.getSource(), slot), zero,
                                           kk));
  return fragments;
}

void Pipeliner::runWithFragments() {
  start();
  wait(first);
  int64_t steps = parts.tileK / parts.mma.getInstructionAttr().getK();
  SmallVector<Value> init = {parts.loop.getInitArgs().front()};
  llvm::append_range(init, loopState(first, firstWrite));
  llvm::append_range(init, readFragments(first.slot, 0));
  auto loop = scf::ForOp::create(builder, loc, parts.loop.getLowerBound(),
                                 parts.loop.getUpperBound(),
                                 parts.loop.getStep(), init);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    auto args = loop.getRegionIterArgs();
    Value acc = args[0], write = args[2], k0 = loop.getInductionVar();
    Position read = {args[1], {}}, following = next(read);
    SmallVector<Value, 2> current = {args[3], args[4]};
    for (int64_t step = 0; step < steps; ++step) {
      bool last = step + 1 == steps;
      SmallVector<Value, 2> upcoming;
      if (!last)
        upcoming = readFragments(read.slot, step + 1);
      // The slot refilled here was last read before the previous tile's
      // barrier.
      if (step == 0)
        issue(ahead(k0, stages - 1), write);
      if (last) {
        wait(following);
        upcoming = readFragments(following.slot, 0);
      }
      acc = MmaOp::create(builder, loc, parts.mma.getType(), current[0],
                          current[1], acc, parts.mma.getInstructionAttr());
      current = upcoming;
    }
    SmallVector<Value> yielded = {acc};
    llvm::append_range(yielded, loopState(following, next({write, {}}).slot));
    llvm::append_range(yielded, current);
    scf::YieldOp::create(builder, loc, yielded);
  }
  finish(loop.getResult(0), parts.loop);
}

void Pipeliner::finish(Value acc, scf::ForOp old) {
  // Copies of size zero still write zeros; nothing may land in memory that the
  // epilogue reuses.
  if (parts.has(CopyEngine::CpAsync))
    CopyWaitOp::create(builder, loc, 0);
  if (parts.isAsync())
    acc = MmaFinishOp::create(builder, loc, acc.getType(), acc);
  old.getResult(0).replaceAllUsesWith(acc);
  old.erase();
}

struct PipelineLoads : impl::PipelineLoadsBase<PipelineLoads> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    ScheduleAttr schedule = kernel.getScheduleAttr();
    if (!schedule) {
      kernel.emitOpError("has no schedule");
      return signalPassFailure();
    }
    PipelineAttr pipeline = schedule.getPipeline();
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<CopyFinishOp>().empty())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      FailureOr<KLoop> parts = KLoop::match(loop);
      if (failed(parts) || failed(check(*parts, pipeline)))
        return signalPassFailure();
      if (pipeline.getStages() == 1 && !parts->has(CopyEngine::Tma))
        continue;
      if (pipeline.getFragments() == 2)
        Pipeliner(*parts, pipeline).runWithFragments();
      else
        Pipeliner(*parts, pipeline).run();
    }
  }

  /// Whether the loop is as the schedule, which has been verified, says.
  LogicalResult check(KLoop &parts, PipelineAttr pipeline) {
    if (pipeline.getInFlight() && !parts.isAsync())
      return parts.mma.emitOpError(
                 "is finished when it completes: in_flight = ")
             << pipeline.getInFlight()
             << " needs an asynchronous instruction (wgmma)";
    if (pipeline.getFragments() == 2) {
      if (parts.isAsync())
        return parts.mma.emitOpError("reads shared memory itself: fragments = "
                                     "2 needs an instruction that reads "
                                     "registers");
      if (parts.has(CopyEngine::Tma))
        return parts.mma.emitOpError("needs cp_async or registers copies for "
                                     "fragments = 2");
    }
    return success();
  }
};

} // namespace

} // namespace gemm
