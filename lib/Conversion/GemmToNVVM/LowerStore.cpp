//===- LowerStore.cpp - The result to global memory -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace gemm {

namespace {

using layout::Coord;
using layout::Distribution;
using layout::Level;

/// Stores runs of `bytes`. A tile that is whole is stored without conditions;
/// at the edges a run that is cut by the bound is stored element by element.
struct StoreTileLowering : ThreadPattern<StoreTileOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult
  matchAndRewrite(StoreTileOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

LogicalResult
StoreTileLowering::matchAndRewrite(StoreTileOp op, OneToNOpAdaptor adaptor,
                                   ConversionPatternRewriter &rewriter) const {
  auto type = cast<FragType>(op.getValue().getType());
  ViewType view = op.getDest().getType();
  if (view.getOrder() != Order::Row)
    return op.emitOpError("writes rows; the view's order must be row");
  Emitter emit(rewriter, op.getLoc());
  Distribution layout = type.getDistribution();
  ViewParts parts(adaptor.getDest());
  SmallVector<Value> indices = singles(adaptor.getIndices());
  Value rowBound = single(adaptor.getRowBound()),
        colBound = single(adaptor.getColBound());
  ValueRange words = adaptor.getValue();
  int64_t elementBytes = getElementBytes(type.getElementType());
  int64_t count = layout.size(Level::Register);
  int64_t run =
      layout.columnRun(std::max<int64_t>(op.getBytes() / elementBytes, 1));

  // The thread's own corner; registers move from it by rows and immediates.
  CoordValue base = emit.base(layout, ids);
  Value row0 = emit.add(indices[indices.size() - 2], emit.orZero(base.row));
  Value col0 = emit.add(indices.back(), emit.orZero(base.col));
  SmallVector<Value> corner;
  if (view.isBatched())
    corner.push_back(indices.front());
  corner.append({row0, col0});
  Value pointer = matrixPointer(emit, view, parts, corner);
  Value pitch = emit.mul(parts.leading, elementBytes);

  auto pointerTo = [&](Coord c) {
    Value line = c.row ? emit.offset(pointer, emit.mul(pitch, c.row)) : pointer;
    return emit.offset(line, c.col * elementBytes);
  };
  // Element `r` of the fragment as an integer of its width.
  auto element = [&](int64_t r) -> Value {
    if (elementBytes >= 4)
      return words[r];
    int64_t perWord = 4 / elementBytes;
    Value shifted =
        emit.shr(words[r / perWord], 8 * elementBytes * (r % perWord));
    return LLVM::TruncOp::create(rewriter, op.getLoc(),
                                 rewriter.getIntegerType(8 * elementBytes),
                                 shifted);
  };
  auto storeElement = [&](int64_t r) {
    LLVM::StoreOp::create(rewriter, op.getLoc(), element(r),
                          pointerTo(layout.part(Level::Register, r)),
                          elementBytes);
  };
  auto storeRun = [&](int64_t r) {
    int64_t bytes = run * elementBytes;
    if (run == 1)
      return storeElement(r);
    int64_t wordBytes = words[0].getType().getIntOrFloatBitWidth() / 8;
    int64_t n = bytes / wordBytes, first = r * elementBytes / wordBytes;
    Value value = words[first];
    if (n == 0) { // part of a word
      Value shifted = emit.shr(value, r * elementBytes % 4 * 8);
      value = LLVM::TruncOp::create(
          rewriter, op.getLoc(), rewriter.getIntegerType(8 * bytes), shifted);
    } else if (n > 1) {
      value = LLVM::PoisonOp::create(rewriter, op.getLoc(),
                                     VectorType::get({n}, words[0].getType()));
      for (int64_t e = 0; e < n; ++e)
        value = LLVM::InsertElementOp::create(rewriter, op.getLoc(), value,
                                              words[first + e], emit.i32(e));
    }
    LLVM::StoreOp::create(rewriter, op.getLoc(), value,
                          pointerTo(layout.part(Level::Register, r)), bytes);
  };

  Coord shape = layout.shape();
  Value wholeRows = emit.lessEqual(
      emit.add(indices[indices.size() - 2], shape.row), rowBound);
  Value wholeCols =
      emit.lessEqual(emit.add(indices.back(), shape.col), colBound);
  Value whole =
      arith::AndIOp::create(rewriter, op.getLoc(), wholeRows, wholeCols);
  auto atEdge = [&] {
    for (int64_t r = 0; r < count; r += run) {
      Coord c = layout.part(Level::Register, r);
      emit.when(emit.less(emit.add(row0, c.row), rowBound), [&] {
        auto fits = [&](int64_t r, int64_t n) {
          return emit.lessEqual(
              emit.add(col0, layout.part(Level::Register, r).col + n),
              colBound);
        };
        auto oneByOne = [&] {
          for (int64_t e = 0; e < run; ++e)
            emit.when(fits(r + e, 1), [&] { storeElement(r + e); });
        };
        if (run == 1)
          oneByOne();
        else
          emit.when(fits(r, run), [&] { storeRun(r); }, oneByOne);
      });
    }
  };
  emit.when(
      whole,
      [&] {
        for (int64_t r = 0; r < count; r += run)
          storeRun(r);
      },
      atEdge);
  rewriter.eraseOp(op);
  return success();
}

} // namespace

void populateStorePatterns(RewritePatternSet &patterns,
                           const TypeConverter &converter,
                           const ThreadIds &ids) {
  patterns.add<StoreTileLowering>(converter, patterns.getContext(), ids);
}

} // namespace gemm
