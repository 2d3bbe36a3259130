//===- Emitter.cpp - Arithmetic of a thread -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace gemm {

using layout::Coord;
using layout::Digit;
using layout::Distribution;
using layout::Level;
using layout::SharedLayout;

Value Emitter::i32(int64_t value) {
  return arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}
Value Emitter::i64(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

static Value constantLike(Emitter &emit, Value like, int64_t value) {
  return like.getType().isInteger(64) ? emit.i64(value) : emit.i32(value);
}

Value Emitter::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}
Value Emitter::add(Value a, int64_t b) {
  return b ? add(a, constantLike(*this, a, b)) : a;
}
Value Emitter::sub(Value a, Value b) {
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}
Value Emitter::mul(Value a, Value b) {
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}
Value Emitter::mul(Value a, int64_t b) {
  return b == 1 ? a : mul(a, constantLike(*this, a, b));
}
Value Emitter::div(Value a, Value b) {
  return builder.createOrFold<arith::DivUIOp>(loc, a, b);
}
Value Emitter::div(Value a, int64_t b) {
  if (b == 1)
    return a;
  return llvm::has_single_bit(static_cast<uint64_t>(b))
             ? shr(a, llvm::countr_zero(static_cast<uint64_t>(b)))
             : div(a, constantLike(*this, a, b));
}
Value Emitter::rem(Value a, int64_t b) {
  if (llvm::has_single_bit(static_cast<uint64_t>(b)))
    return bitAnd(a, b - 1);
  return builder.createOrFold<arith::RemUIOp>(loc, a,
                                              constantLike(*this, a, b));
}
Value Emitter::bitAnd(Value a, int64_t b) {
  return builder.createOrFold<arith::AndIOp>(loc, a, constantLike(*this, a, b));
}
Value Emitter::bitOr(Value a, Value b) {
  return builder.createOrFold<arith::OrIOp>(loc, a, b);
}
Value Emitter::bitXor(Value a, Value b) {
  return builder.createOrFold<arith::XOrIOp>(loc, a, b);
}
Value Emitter::shl(Value a, int64_t b) {
  return b ? builder.createOrFold<arith::ShLIOp>(loc, a,
                                                 constantLike(*this, a, b))
           : a;
}
Value Emitter::shr(Value a, int64_t b) {
  return b ? builder.createOrFold<arith::ShRUIOp>(loc, a,
                                                  constantLike(*this, a, b))
           : a;
}
Value Emitter::min(Value a, Value b) {
  return builder.createOrFold<arith::MinSIOp>(loc, a, b);
}
Value Emitter::max(Value a, Value b) {
  return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
}
Value Emitter::less(Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a,
                                             b);
}
Value Emitter::lessEqual(Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, a,
                                             b);
}
Value Emitter::equal(Value a, int64_t b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a,
                                             constantLike(*this, a, b));
}
Value Emitter::select(Value c, Value a, Value b) {
  return builder.createOrFold<arith::SelectOp>(loc, c, a, b);
}
Value Emitter::extend(Value a) {
  return builder.createOrFold<arith::ExtUIOp>(loc, builder.getI64Type(), a);
}

Value Emitter::sharedPointer(Value address) {
  return LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), 3),
      address);
}
Value Emitter::offset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(
      builder, loc, pointer.getType(), builder.getI8Type(), pointer,
      ArrayRef<LLVM::GEPArg>{bytes}, LLVM::GEPNoWrapFlags::inbounds);
}
Value Emitter::offset(Value pointer, int64_t bytes) {
  if (!bytes)
    return pointer;
  return LLVM::GEPOp::create(
      builder, loc, pointer.getType(), builder.getI8Type(), pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)},
      LLVM::GEPNoWrapFlags::inbounds);
}

void Emitter::when(Value condition, llvm::function_ref<void()> then,
                   llvm::function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(builder, loc, condition,
                              /*withElseRegion=*/static_cast<bool>(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op.thenBlock()->getTerminator());
  then();
  if (otherwise) {
    builder.setInsertionPoint(op.elseBlock()->getTerminator());
    otherwise();
  }
}

CoordValue Emitter::plus(CoordValue a, CoordValue b) {
  auto sum = [&](Value x, Value y) { return !x ? y : !y ? x : add(x, y); };
  return {sum(a.row, b.row), sum(a.col, b.col)};
}

CoordValue Emitter::plus(CoordValue a, Coord b) {
  auto sum = [&](Value x, int64_t y) {
    return !y ? x : !x ? i32(y) : add(x, y);
  };
  return {sum(a.row, b.row), sum(a.col, b.col)};
}

CoordValue Emitter::part(const Distribution &distribution, Level level,
                         Value index) {
  CoordValue result;
  int64_t below = 1, rest = distribution.size(level);
  for (const Digit &digit : distribution.get(level)) {
    rest /= digit.extent;
    if (digit.stride != Coord{}) {
      Value value = div(index, below);
      // The most significant digit is what the division leaves.
      if (rest != 1)
        value = rem(value, digit.extent);
      CoordValue moved;
      if (digit.stride.row)
        moved.row = mul(value, digit.stride.row);
      if (digit.stride.col)
        moved.col = mul(value, digit.stride.col);
      result = plus(result, moved);
    }
    below *= digit.extent;
  }
  return result;
}

CoordValue Emitter::base(const Distribution &distribution,
                         const ThreadIds &ids) {
  return plus(part(distribution, Level::Lane, ids.lane),
              part(distribution, Level::Warp, ids.warp));
}

Value Emitter::offset(const SharedLayout &layout, CoordValue position) {
  Value line = orZero(layout.rowMajor ? position.row : position.col);
  Value pos = orZero(layout.rowMajor ? position.col : position.row);
  Value panel;
  if (layout.panels() > 1) {
    panel = mul(div(pos, layout.panel), layout.panelBytes());
    pos = rem(pos, layout.panel);
  }
  Value inner = add(mul(line, layout.pitch), mul(pos, layout.elementBytes));
  if (layout.swizzle.bits) {
    Value picked = bitAnd(shr(inner, layout.swizzle.source),
                          (int64_t(1) << layout.swizzle.bits) - 1);
    inner = bitXor(inner, shl(picked, layout.swizzle.target));
  }
  return panel ? add(panel, inner) : inner;
}

//===----------------------------------------------------------------------===//
// SharedAddress
//===----------------------------------------------------------------------===//

SharedAddress::SharedAddress(Emitter &emit, Value tile,
                             const SharedLayout &layout, CoordValue base,
                             SmallVector<Coord> bases)
    : emit(emit), tile(tile), layout(layout), base(base),
      bases(std::move(bases)), baseOffset(emit.offset(layout, base)) {}

Value SharedAddress::pointer(Coord constant) {
  auto split = layout::splitAddress(layout, bases, constant);
  if (!split)
    return emit.sharedPointer(
        emit.add(tile, emit.offset(layout, emit.plus(base, constant))));
  Value offset = baseOffset;
  if (split->xorBits)
    offset = emit.bitXor(offset, emit.i32(split->xorBits));
  return emit.offset(emit.sharedPointer(emit.add(tile, offset)),
                     split->addBytes);
}

int64_t SharedAddress::alignment(ArrayRef<Coord> constants,
                                 int64_t limit) const {
  int64_t bits = limit;
  for (Coord constant : constants)
    for (Coord b : bases)
      bits |= layout.offset(b + constant);
  return bits & -bits;
}

SmallVector<Coord> threadPositions(const Distribution &distribution) {
  SmallVector<Coord> positions;
  for (int64_t warp = 0; warp < distribution.size(Level::Warp); ++warp)
    for (int64_t lane = 0; lane < distribution.size(Level::Lane); ++lane)
      positions.push_back(distribution.part(Level::Lane, lane) +
                          distribution.part(Level::Warp, warp));
  return positions;
}

} // namespace gemm
