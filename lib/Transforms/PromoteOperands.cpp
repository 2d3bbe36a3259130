//===- PromoteOperands.cpp - Give every tile a home -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Target/Target.h"
#include "Gemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace gemm {

#define GEN_PASS_DEF_PROMOTEOPERANDS
#include "Gemm/Transforms/Passes.h.inc"

namespace {

using layout::Distribution;
using layout::Level;

/// Fragments of a CTA tile. `a` and `b` cover one k-step of the instruction;
/// they are unused when the instruction reads shared memory.
FragmentLayouts tileFragments(MmaAttr mma, TileAttr tile, int64_t elementBits) {
  FragmentLayouts f = getFragments(mma.getKind(), mma.getM(), mma.getN(),
                                   mma.getK(), elementBits);
  int64_t m = mma.getM(), n = mma.getN();
  // One that has a fragment of C only reads A and B from shared memory.
  bool operandsInRegisters =
      f.a.size(Level::Lane) > 1 || f.c.size(Level::Lane) == 1;
  auto grow = [&](Level level, int64_t countM, int64_t countN) {
    // Along n first, so that a thread's columns are its low registers.
    f.c = f.c.repeated(level, countN, {0, n}).repeated(level, countM, {m, 0});
    if (!operandsInRegisters) {
      // Nothing of theirs to spread.
    } else if (level == Level::Register) {
      f.a = f.a.repeated(level, countM, {m, 0});
      f.b = f.b.repeated(level, countN, {n, 0});
    } else {
      f.a = f.a.repeated(level, countN, {0, 0}).repeated(level, countM, {m, 0});
      f.b = f.b.repeated(level, countN, {n, 0}).repeated(level, countM, {0, 0});
    }
    m *= countM;
    n *= countN;
  };
  // An instruction that is one thread's own is spread over the lanes by the
  // schedule.
  if (f.c.size(Level::Lane) == 1) {
    grow(Level::Register, mma.getThreadM(), mma.getThreadN());
    grow(Level::Lane, mma.getLanesM(), mma.getLanesN());
  }
  int64_t warpsM = mma.getWarpsM() / f.c.size(Level::Warp);
  grow(Level::Register, tile.getM() / (m * warpsM),
       tile.getN() / (n * mma.getWarpsN()));
  grow(Level::Warp, warpsM, mma.getWarpsN());
  return f;
}

/// One kernel.
class Promoter {
public:
  Promoter(KernelOp kernel, ScheduleAttr schedule)
      : kernel(kernel), mmaAttr(schedule.getMma()),
        copies{schedule.getCopyA(), schedule.getCopyB()},
        epilogue(schedule.getEpilogue()), builder(kernel.getContext()) {}

  LogicalResult run();

private:
  /// Checks that the target has the instruction and the copy engines.
  LogicalResult checkTarget(MmaOp mma);
  /// Shared tile for an operand, filled where the operand was loaded.
  FailureOr<Value> promote(LoadTileOp load, StringRef use, CopyAttr copy,
                           SmallVectorImpl<Value> &tokens);
  LogicalResult promoteMma(MmaOp mma);
  LogicalResult promoteStore(StoreTileOp store);
  /// Rows of a staged tile that are read back and stored at a time.
  int64_t slabRows(FragType tile, int64_t run);

  Value constant(Location loc, int32_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }
  /// A shared tile, allocated at the start of the work item, or of a kernel
  /// without one.
  Value allocate(Operation *user, StringRef use, SharedType type) {
    OpBuilder::InsertionGuard guard(builder);
    auto work = user->getParentOfType<ForWorkOp>();
    builder.setInsertionPointToStart(work ? &work.getBody().front()
                                          : &kernel.getBody().front());
    return AllocSharedOp::create(builder, user->getLoc(), type, use);
  }

  KernelOp kernel;
  MmaAttr mmaAttr;
  CopyAttr copies[2];
  EpilogueAttr epilogue;
  OpBuilder builder;
  FragmentLayouts fragments;
};

LogicalResult Promoter::checkTarget(MmaOp mma) {
  const TargetInfo *target =
      requireTarget(kernel.getLoc(), kernel.getTargetAttr());
  if (!target)
    return failure();
  Type a = cast<TileType>(mma.getA().getType()).getElementType();
  Type b = cast<TileType>(mma.getB().getType()).getElementType();
  Type c = cast<TileType>(mma.getAcc().getType()).getElementType();
  if (!target->find(mmaAttr.getKind(), mmaAttr.getM(), mmaAttr.getN(),
                    mmaAttr.getK(), a, b, c))
    return mma.emitOpError("cannot be ")
           << mmaAttr << " on " << target->name << " for " << a << " x " << b
           << " -> " << c << ": the target table has no such instruction";
  if (auto error = getEmissionError(mmaAttr.getKind(), a, b, c))
    return mma.emitOpError("by ") << *error;
  for (CopyAttr copy : copies)
    if (!target->supports(copy.getEngine()))
      return mma.emitOpError("operand cannot be copied by ")
             << stringifyCopyEngine(copy.getEngine()) << " on " << target->name
             << "; use <registers N>";
  return success();
}

FailureOr<Value> Promoter::promote(LoadTileOp load, StringRef use,
                                   CopyAttr copy,
                                   SmallVectorImpl<Value> &tokens) {
  MLIRContext *context = builder.getContext();
  TileType tile = load.getResult().getType();
  Value source = load.getSource();
  auto view = cast<ViewType>(source.getType());
  Value shared =
      allocate(load, use,
               SharedType::get(context, tile.getRows(), tile.getCols(),
                               tile.getElementType(), view.getOrder(), {}, 1));
  if (copy.getEngine() == CopyEngine::Tma) {
    auto argument = dyn_cast<BlockArgument>(source);
    if (!argument || !source.hasOneUse())
      return load.emitOpError(
          "by TMA must be the only use of a kernel argument");
    source.setType(TensorMapType::get(context, view.getRank(),
                                      view.getElementType(), view.getOrder()));
  }
  tokens.push_back(
      CopyStartOp::create(builder, load.getLoc(), TokenType::get(context),
                          source, load.getIndices(), load.getRowBound(),
                          load.getColBound(), shared, Value(), Value(), copy));
  return shared;
}

LogicalResult Promoter::promoteMma(MmaOp mma) {
  Location loc = mma.getLoc();
  auto loadA = mma.getA().getDefiningOp<LoadTileOp>();
  auto loadB = mma.getB().getDefiningOp<LoadTileOp>();
  if (!loadA || !loadB || !loadA->hasOneUse() || !loadB->hasOneUse())
    return mma.emitOpError(
        "operands must each be a gemm.load_tile used only here");
  builder.setInsertionPoint(mma);
  SmallVector<Value> tokens;
  FailureOr<Value> a = promote(loadA, "a", copies[0], tokens);
  FailureOr<Value> b = promote(loadB, "b", copies[1], tokens);
  if (failed(a) || failed(b))
    return failure();
  CopyFinishOp::create(builder, loc, tokens);
  bool readsShared = fragments.a.size(Level::Register) == 1 &&
                     fragments.a.size(Level::Lane) == 1;
  // What threads wrote reaches an instruction that reads shared memory by
  // itself only through a fence of each writer.
  if (readsShared && llvm::any_of(copies, [](CopyAttr copy) {
        return copy.getEngine() != CopyEngine::Tma;
      }))
    FenceAsyncOp::create(builder, loc);
  BarrierOp::create(builder, loc);

  Value acc = mma.getAcc(), result;
  Type accType = acc.getType();
  if (readsShared) {
    result = MmaOp::create(builder, loc, accType, *a, *b, acc, mmaAttr);
    result = MmaFinishOp::create(builder, loc, accType, result);
  } else {
    auto fragment = [&](TileType tile, const Distribution &layout) {
      return FragType::get(builder.getContext(), tile.getRows(), mmaAttr.getK(),
                           tile.getElementType(),
                           LayoutAttr::get(builder.getContext(), layout));
    };
    Value zero = constant(loc, 0), step = constant(loc, mmaAttr.getK()),
          end = constant(loc, loadA.getResult().getType().getCols());
    auto loop = scf::ForOp::create(builder, loc, zero, end, step, acc);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value kk = loop.getInductionVar();
    Value fa = ReadFragOp::create(
        builder, loc, fragment(loadA.getResult().getType(), fragments.a), *a,
        zero, kk);
    Value fb = ReadFragOp::create(
        builder, loc, fragment(loadB.getResult().getType(), fragments.b), *b,
        zero, kk);
    Value sum = MmaOp::create(builder, loc, accType, fa, fb,
                              loop.getRegionIterArg(0), mmaAttr);
    scf::YieldOp::create(builder, loc, sum);
    result = loop.getResult(0);
  }
  builder.setInsertionPoint(mma);
  BarrierOp::create(builder, loc);
  mma.getResult().replaceAllUsesWith(result);
  mma.erase();
  loadA.erase();
  loadB.erase();
  return success();
}

LogicalResult Promoter::promoteStore(StoreTileOp store) {
  Location loc = store.getLoc();
  auto value = dyn_cast<FragType>(store.getValue().getType());
  if (!value)
    return store.emitOpError("writes ")
           << store.getValue().getType()
           << ", which is not made of the kernel's gemm.mma; nothing gives it "
              "a home";
  store.setBytes(epilogue.getBytes());
  if (epilogue.getRoute() == EpilogueRoute::Registers) {
    // A matrix that the epilogue reads may be the result. Beyond the edges a
    // thread reads some element that another one writes.
    bool readsMatrix = false;
    if (Operation *source = store.getValue().getDefiningOp())
      source->walk([&](MapOp map) {
        readsMatrix |= llvm::is_contained(
            map.getAccesses().getAsValueRange<StringAttr>(), "full");
      });
    if (readsMatrix) {
      builder.setInsertionPoint(store);
      BarrierOp::create(builder, loc);
    }
    return success();
  }

  int64_t run = epilogue.getBytes() / getElementBytes(value.getElementType());
  int64_t slab = slabRows(value, run);
  llvm::Expected<Distribution> lines =
      layout::coalesced(slab, value.getCols(), run, mmaAttr.getNumThreads());
  if (!lines)
    return store.emitOpError("cannot be staged: ")
           << llvm::toString(lines.takeError());
  Value shared = allocate(
      store, "result",
      SharedType::get(builder.getContext(), value.getRows(), value.getCols(),
                      value.getElementType(), Order::Row, {}, 1));
  builder.setInsertionPoint(store);
  // The staging tile may lie where the operands were.
  BarrierOp::create(builder, loc);
  WriteFragOp::create(builder, loc, store.getValue(), shared);
  BarrierOp::create(builder, loc);
  Value zero = constant(loc, 0);
  auto loop = scf::ForOp::create(
      builder, loc, zero, constant(loc, value.getRows()), constant(loc, slab));
  builder.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  Value read = ReadFragOp::create(
      builder, loc,
      FragType::get(builder.getContext(), slab, value.getCols(),
                    value.getElementType(),
                    LayoutAttr::get(builder.getContext(), *lines)),
      shared, row, zero);
  SmallVector<Value> indices(store.getIndices());
  Value &tileRow = indices[indices.size() - 2];
  tileRow = arith::AddIOp::create(builder, loc, tileRow, row);
  StoreTileOp::create(builder, loc, read, store.getDest(), indices,
                      store.getRowBound(), store.getColBound(),
                      store.getBytes());
  store.erase();
  return success();
}

int64_t Promoter::slabRows(FragType tile, int64_t run) {
  // Enough accesses of one thread in flight, little code.
  constexpr int64_t accesses = 4;
  int64_t rows = tile.getRows();
  while (rows % 2 == 0 &&
         rows * tile.getCols() > accesses * run * mmaAttr.getNumThreads())
    rows /= 2;
  return rows;
}

LogicalResult Promoter::run() {
  SmallVector<MmaOp> mmas;
  SmallVector<StoreTileOp> stores;
  kernel.walk([&](Operation *op) {
    if (auto mma = dyn_cast<MmaOp>(op); mma && !mma.getInstruction())
      mmas.push_back(mma);
    if (auto store = dyn_cast<StoreTileOp>(op))
      stores.push_back(store);
  });
  if (mmas.empty())
    return success();
  if (mmas.size() > 1)
    return mmas[1].emitOpError("is the second of its kernel; one is promoted");
  MmaOp mma = mmas.front();
  if (failed(checkTarget(mma)))
    return failure();

  // The shapes of the tiles are those of the schedule's tile.
  auto c = cast<TileType>(mma.getAcc().getType());
  auto a = cast<TileType>(mma.getA().getType());
  fragments = tileFragments(mmaAttr,
                            TileAttr::get(builder.getContext(), c.getRows(),
                                          c.getCols(), a.getCols()),
                            a.getElementType().getIntOrFloatBitWidth());

  // Each element in one register of one thread.
  if (fragments.c.shape() != layout::Coord{c.getRows(), c.getCols()} ||
      fragments.c.size(Level::Register) * fragments.c.numThreads() !=
          c.getRows() * c.getCols() ||
      a.getCols() % mmaAttr.getK())
    return mma.emitOpError("of ")
           << c.getRows() << "x" << c.getCols() << "x" << a.getCols()
           << " is not a whole number of what all warps compute at once by "
           << mmaAttr;

  // Accumulators, and what is made of them, live where the instruction leaves
  // them.
  LayoutAttr accLayout = LayoutAttr::get(builder.getContext(), fragments.c);
  auto place = [&](Value value) {
    auto tile = dyn_cast<TileType>(value.getType());
    if (tile && tile.getRows() == c.getRows() && tile.getCols() == c.getCols())
      value.setType(FragType::get(builder.getContext(), tile.getRows(),
                                  tile.getCols(), tile.getElementType(),
                                  accLayout));
  };
  kernel.walk([&](Operation *op) {
    if (isa<LoadTileOp>(op))
      return;
    llvm::for_each(op->getResults(), place);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), place);
  });

  if (failed(promoteMma(mma)))
    return failure();
  for (StoreTileOp store : stores)
    if (failed(promoteStore(store)))
      return failure();
  // Tensor maps changed the signature.
  kernel.setFunctionType(FunctionType::get(
      builder.getContext(), kernel.getBody().getArgumentTypes(), {}));
  kernel.setBlock(mmaAttr.getNumThreads());
  return success();
}

struct PromoteOperands : impl::PromoteOperandsBase<PromoteOperands> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    ScheduleAttr schedule = kernel.getScheduleAttr();
    if (!schedule) {
      kernel.emitOpError("has no schedule");
      return signalPassFailure();
    }
    if (failed(Promoter(kernel, schedule).run()))
      signalPassFailure();
  }
};

} // namespace

} // namespace gemm
