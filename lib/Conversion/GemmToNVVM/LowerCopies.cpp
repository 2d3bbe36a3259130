//===- LowerCopies.cpp - Tiles from global to shared memory by threads ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is copied in runs of its contiguous dimension. Lines and positions
// below are the strided and the contiguous dimension of the tile: (row, k) or
// (k, row) by its order. What lies beyond k is zero; rows beyond the matrix are
// unspecified and only must not fault, so they are clamped, outside the loop.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace gemm {

namespace {

using layout::Coord;
using layout::Digit;
using layout::Distribution;
using layout::Level;

/// Runs that one thread copies without a loop. Through registers, more of them
/// spill.
constexpr int64_t maxUnrolledAsync = 16, maxUnrolledRegisters = 8;

struct CopyLowering : ThreadPattern<CopyStartOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult
  matchAndRewrite(CopyStartOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

/// The state of lowering one copy.
class Copier {
public:
  Copier(CopyStartOp op, Emitter &emit, ViewParts view, ArrayRef<Value> indices,
         Value rowBound, Value colBound, Value tile, const ThreadIds &ids)
      : op(op), emit(emit), view(view), tile(tile), ids(ids),
        type(cast<ViewType>(op.getSource().getType())),
        shared(op.getDest().getType().getSharedLayout()),
        bytes(op.getCopy().getBytes()), run(bytes / shared.elementBytes) {
    lineIsK = !shared.rowMajor;
    row0 = indices[indices.size() - 2];
    k0 = indices.back();
    rows = rowBound;
    ks = colBound;
    batch = type.isBatched() ? indices.front() : Value();
  }

  LogicalResult emitAll();

private:
  /// `count` runs of this thread, from step `outer` of the most significant
  /// digit on.
  void emitRuns(Value outer, int64_t count);
  void emitCpAsync(CoordValue at, Value destination);
  void emitThroughRegisters(ArrayRef<CoordValue> at,
                            ArrayRef<Value> destinations);
  /// Pointer to the element `k` after k0 in row `row` of the matrix. What
  /// depends on the tile is one uniform value; what depends on the thread does
  /// not change in the K loop.
  Value source(Value row, Value k) {
    Value one = emit.i64(1);
    Value kStride = lineIsK ? view.leading : one,
          rowStride = lineIsK ? one : view.leading;
    Value tileStart = emit.mul(emit.extend(k0), kStride);
    if (batch)
      tileStart =
          emit.add(tileStart, emit.mul(emit.extend(batch), view.batchStride));
    Value inTile = emit.add(emit.mul(emit.extend(row), rowStride),
                            emit.mul(emit.extend(k), kStride));
    return emit.offset(
        emit.offset(view.pointer, emit.mul(tileStart, shared.elementBytes)),
        emit.mul(inTile, shared.elementBytes));
  }
  /// Inside the matrix along rows: unspecified values, but no fault.
  Value clamped(Value row) { return emit.min(row, emit.add(rows, -1)); }
  /// (line, position) and (row, k) are the same or exchanged.
  Coord toRowK(Coord c) const { return lineIsK ? c.transposed() : c; }
  CoordValue toRowK(CoordValue c) const {
    return lineIsK ? CoordValue{c.col, c.row} : c;
  }

  CopyStartOp op;
  Emitter &emit;
  ViewParts view;
  Value tile;
  const ThreadIds &ids;
  ViewType type;
  layout::SharedLayout shared;
  int64_t bytes, run;
  bool lineIsK;
  Value row0, k0, rows, ks, batch;
  Distribution work;          // of (line, position)
  int64_t storeAlignment = 1; // bytes, of every destination
};

LogicalResult Copier::emitAll() {
  if (run < 1 || bytes % shared.elementBytes)
    return op.emitOpError("cannot move ")
           << bytes << " bytes at a time of " << type.getElementType();
  // A small tile needs fewer threads than there are.
  int64_t runs = shared.lines() * (shared.lineLength() / run);
  int64_t threads = std::min(ids.count, runs);
  llvm::Expected<Distribution> split =
      layout::coalesced(shared.lines(), shared.lineLength(), run, threads);
  if (!split)
    return op.emitOpError("has no copy schedule: ")
           << llvm::toString(split.takeError());
  work = *split;
  auto emitWork = [&] {
    int64_t mine = work.size(Level::Register) / run;
    ArrayRef<Digit> digits = work.get(Level::Register);
    int64_t unrollable = op.getCopy().getEngine() == CopyEngine::CpAsync
                             ? maxUnrolledAsync
                             : maxUnrolledRegisters;
    if (mine <= unrollable) {
      emitRuns(Value(), mine);
      return;
    }
    // Loop over the most significant digit, as many of its steps at a time as
    // unroll.
    int64_t steps = digits.back().extent, inner = mine / steps, unrolled = 1;
    while (unrolled * 2 * inner <= unrollable && steps % (unrolled * 2) == 0)
      unrolled *= 2;
    auto loop = scf::ForOp::create(emit.builder, emit.loc, emit.i32(0),
                                   emit.i32(steps / unrolled), emit.i32(1));
    OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.setInsertionPointToStart(loop.getBody());
    emitRuns(emit.mul(loop.getInductionVar(), unrolled), unrolled * inner);
  };
  if (threads < ids.count)
    emit.when(emit.less(ids.thread, emit.i32(threads)), emitWork);
  else
    emitWork();
  return success();
}

void Copier::emitRuns(Value outer, int64_t count) {
  CoordValue base = emit.base(work, ids);
  SmallVector<Coord> bases = threadPositions(work);
  if (outer) {
    const Digit &digit = work.get(Level::Register).back();
    CoordValue moved;
    if (digit.stride.row)
      moved.row = emit.mul(outer, digit.stride.row);
    if (digit.stride.col)
      moved.col = emit.mul(outer, digit.stride.col);
    base = emit.plus(base, moved);
    int64_t inner = work.size(Level::Register) / digit.extent / run;
    SmallVector<Coord> all;
    for (int64_t i = 0; i < digit.extent; i += count / inner)
      for (Coord b : bases)
        all.push_back(b + i * digit.stride);
    bases = all;
  }
  for (Coord &b : bases)
    b = toRowK(b);
  SharedAddress address(emit, tile, shared, toRowK(base), bases);
  SmallVector<Coord> constants;
  for (int64_t i = 0; i < count; ++i)
    constants.push_back(toRowK(work.part(Level::Register, i * run)));
  storeAlignment = address.alignment(constants, bytes);
  // Rows of the matrix; k after k0.
  SmallVector<CoordValue> at;
  SmallVector<Value> destinations;
  CoordValue start = toRowK(base);
  for (Coord constant : constants) {
    CoordValue c = emit.plus(start, constant);
    at.push_back({emit.add(row0, emit.orZero(c.row)), emit.orZero(c.col)});
    destinations.push_back(address.pointer(constant));
  }
  if (op.getCopy().getEngine() == CopyEngine::CpAsync)
    for (auto [c, destination] : llvm::zip_equal(at, destinations))
      emitCpAsync(c, destination);
  else
    emitThroughRegisters(at, destinations);
}

/// The source size of a cp.async says how much of a run exists; the rest is
/// zero, and nothing is read where it is 0.
void Copier::emitCpAsync(CoordValue at, Value destination) {
  Value k = emit.add(k0, at.col);
  Value rest = lineIsK ? emit.sub(rows, at.row) : emit.sub(ks, k);
  // Clamped in elements: the bytes of a long rest do not fit 32 bits.
  Value size = emit.mul(emit.max(emit.min(rest, emit.i32(run)), emit.i32(0)),
                        shared.elementBytes);
  Value row = at.row;
  if (lineIsK)
    size = emit.select(emit.less(k, ks), size, emit.i32(0));
  else
    row = clamped(row);
  NVVM::CpAsyncOp::create(emit.builder, emit.loc, destination,
                          source(row, at.col), bytes,
                          bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                                      : NVVM::LoadCacheModifierKind::CA,
                          size);
}

/// Loads first, then stores, so that the loads overlap. A run is whole or
/// absent: runs of more than one element are guarded by divisible extents.
void Copier::emitThroughRegisters(ArrayRef<CoordValue> at,
                                  ArrayRef<Value> destinations) {
  OpBuilder &builder = emit.builder;
  Type memory = bytes >= 4
                    ? Type(VectorType::get({bytes / 4}, builder.getI32Type()))
                    : Type(builder.getIntegerType(8 * bytes));
  Value zero = LLVM::ZeroOp::create(builder, emit.loc, memory);
  SmallVector<Value> loaded;
  for (CoordValue c : at) {
    // What is outside reads something that is inside instead: the tile's first
    // k, which exists, and along rows the last row or, for runs of rows, the
    // first.
    Value inK = emit.less(emit.add(k0, c.col), ks);
    Value row = lineIsK && run > 1
                    ? emit.select(emit.less(c.row, rows), c.row, emit.i32(0))
                    : clamped(c.row);
    Value value =
        LLVM::LoadOp::create(builder, emit.loc, memory,
                             source(row, emit.select(inK, c.col, emit.i32(0))),
                             /*alignment=*/bytes);
    loaded.push_back(emit.select(inK, value, zero));
  }
  for (auto [value, destination] : llvm::zip_equal(loaded, destinations))
    LLVM::StoreOp::create(builder, emit.loc, value, destination,
                          storeAlignment);
}

LogicalResult
CopyLowering::matchAndRewrite(CopyStartOp op, OneToNOpAdaptor adaptor,
                              ConversionPatternRewriter &rewriter) const {
  if (op.getCopy().getEngine() == CopyEngine::Tma)
    return failure();
  Emitter emit(rewriter, op.getLoc());
  Copier copier(op, emit, ViewParts(adaptor.getSource()),
                singles(adaptor.getIndices()), single(adaptor.getRowBound()),
                single(adaptor.getColBound()), single(adaptor.getDest()), ids);
  if (failed(copier.emitAll()))
    return failure();
  SmallVector<ValueRange> nothing(1);
  rewriter.replaceOpWithMultiple(op, nothing);
  return success();
}

} // namespace

void populateCopyPatterns(RewritePatternSet &patterns,
                          const TypeConverter &converter,
                          const ThreadIds &ids) {
  patterns.add<CopyLowering>(converter, patterns.getContext(), ids);
}

} // namespace gemm
