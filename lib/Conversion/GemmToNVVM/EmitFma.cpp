//===- EmitFma.cpp - The outer product of one thread ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace gemm {

using layout::Distribution;
using layout::Level;

/// Register `index` of a fragment, as a value of the accumulator's type.
static Value element(Emitter &emit, ArrayRef<Value> words, Type type,
                     int64_t index, Type accumulator) {
  OpBuilder &b = emit.builder;
  int64_t bits = type.getIntOrFloatBitWidth();
  Value value;
  if (bits >= 32) {
    value = words[index];
  } else {
    int64_t perWord = 32 / bits;
    Value shifted = emit.shr(words[index / perWord], bits * (index % perWord));
    value = LLVM::BitcastOp::create(
        b, emit.loc, type,
        LLVM::TruncOp::create(b, emit.loc, b.getIntegerType(bits), shifted));
  }
  return type == accumulator
             ? value
             : LLVM::FPExtOp::create(b, emit.loc, accumulator, value)
                   .getResult();
}

LogicalResult emitFma(MmaOp op, Emitter &emit, MmaOperands &operands) {
  auto a = cast<FragType>(op.getA().getType()),
       b = cast<FragType>(op.getB().getType()),
       c = cast<FragType>(op.getAcc().getType());
  Distribution da = a.getDistribution(), db = b.getDistribution(),
               dc = c.getDistribution();
  Type accumulator = c.getElementType();
  SmallVector<Value> rows, cols;
  for (int64_t i = 0; i < da.size(Level::Register); ++i)
    rows.push_back(
        element(emit, operands.a, a.getElementType(), i, accumulator));
  for (int64_t j = 0; j < db.size(Level::Register); ++j)
    cols.push_back(
        element(emit, operands.b, b.getElementType(), j, accumulator));
  // A register of the accumulator multiplies the A register of its row and the
  // B register of its column.
  auto find = [](const Distribution &d, int64_t row) {
    for (int64_t i = 0; i < d.size(Level::Register); ++i)
      if (d.part(Level::Register, i).row == row)
        return i;
    return int64_t(-1);
  };
  for (int64_t r = 0; r < dc.size(Level::Register); ++r) {
    layout::Coord at = dc.part(Level::Register, r);
    int64_t i = find(da, at.row), j = find(db, at.col);
    if (i < 0 || j < 0)
      return op.emitOpError("accumulator element (")
             << at.row << ", " << at.col << ") has no operand in its thread";
    operands.acc[r] = LLVM::FMAOp::create(emit.builder, emit.loc, rows[i],
                                          cols[j], operands.acc[r]);
  }
  // So do the threads' shares.
  for (Level level : {Level::Lane, Level::Warp})
    for (int64_t i = 0; i < dc.size(level); ++i) {
      layout::Coord share = dc.part(level, i);
      if (share.row != da.part(level, i).row ||
          share.col != db.part(level, i).row)
        return op.emitOpError("accumulator of ")
               << (level == Level::Lane ? "lane " : "warp ") << i
               << " has other rows and columns than its operands";
    }
  return success();
}

} // namespace gemm
