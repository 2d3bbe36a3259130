//===- EmitWgmma.cpp - wgmma.mma_async ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Gemm/Target/Target.h"

using namespace mlir;

namespace gemm {

using layout::Coord;
using layout::Distribution;
using layout::Level;
using layout::SharedLayout;

namespace {

/// The constant fields of a matrix descriptor (PTX ISA, "Matrix Descriptor
/// Format"), or null for a layout the instruction cannot read. Offsets are in
/// units of 16 bytes.
std::optional<int64_t> descriptorConstant(const SharedLayout &layout) {
  // Bits of the XOR -> swizzling mode: 128, 64 and 32 bytes.
  int64_t mode;
  switch (layout.swizzle.bits) {
  case 3:
    mode = 1;
    break;
  case 2:
    mode = 2;
    break;
  case 1:
    mode = 3;
    break;
  default:
    return std::nullopt;
  }
  if (layout.swizzle.source != 7 ||
      layout.pitch != layout.panel * layout.elementBytes)
    return std::nullopt;
  // Stride: eight lines, the swizzle atom. Leading: the next panel along the
  // contiguous dimension, which only a tile contiguous along m or n crosses
  // inside an instruction.
  int64_t stride = 8 * layout.pitch;
  int64_t leading = layout.rowMajor ? 16 : layout.panelBytes();
  return (mode << 62) | ((stride >> 4) << 32) | ((leading >> 4) << 16);
}

/// Descriptor of the part of a tile that starts at `position`.
Value descriptor(Emitter &emit, Value tile, const SharedLayout &layout,
                 CoordValue position, int64_t constant) {
  Value address = emit.add(tile, emit.offset(layout, position));
  Value field = emit.shr(emit.bitAnd(address, 0x3FFFF), 4);
  return emit.bitOr(emit.extend(field), emit.i64(constant));
}

} // namespace

/// PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate
/// Operation".
LogicalResult emitWgmma(MmaOp op, Emitter &emit, MmaOperands &operands,
                        const ThreadIds &ids) {
  OpBuilder &b = emit.builder;
  MLIRContext *context = b.getContext();
  MmaAttr mma = *op.getInstruction();
  auto typeA = cast<SharedType>(op.getA().getType()),
       typeB = cast<SharedType>(op.getB().getType());
  auto typeC = cast<FragType>(op.getAcc().getType());
  Type element = typeA.getElementType();
  if (auto error =
          getEmissionError(mma.getKind(), element, typeB.getElementType(),
                           typeC.getElementType()))
    return op.emitOpError("by ") << *error;
  SharedLayout a = typeA.getSharedLayout(), bl = typeB.getSharedLayout();
  std::optional<int64_t> constA = descriptorConstant(a),
                         constB = descriptorConstant(bl);
  if (!constA || !constB)
    return op.emitOpError(
               "by wgmma reads panels of 32, 64 or 128 bytes; operand ")
           << (constA ? "B" : "A") << " is laid out otherwise: use <panel N>";

  // The warpgroup's corner of the accumulator: its warp index with the four
  // warps of the group folded away.
  Distribution layout = typeC.getDistribution();
  Value group = emit.shl(emit.shr(ids.warp, 2), 2);
  CoordValue corner = emit.part(layout, Level::Warp, group);
  Value descA =
      descriptor(emit, operands.a.front(), a, {corner.row, Value()}, *constA);
  Value descB =
      descriptor(emit, operands.b.front(), bl, {corner.col, Value()}, *constB);

  int64_t perBlock = mma.getM() * mma.getN() / 128;
  int64_t blocks = operands.acc.size() / perBlock;
  auto blockType = LLVM::LLVMStructType::getLiteral(
      context, SmallVector<Type>(perBlock, b.getF32Type()));
  SmallVector<Value> accumulators;
  for (int64_t block = 0; block < blocks; ++block) {
    Value packed = LLVM::PoisonOp::create(b, emit.loc, blockType);
    for (int64_t r = 0; r < perBlock; ++r)
      packed = LLVM::InsertValueOp::create(
          b, emit.loc, packed, operands.acc[block * perBlock + r], r);
    accumulators.push_back(packed);
  }

  NVVM::WGMMATypes type =
      element.isF16() ? NVVM::WGMMATypes::f16 : NVVM::WGMMATypes::bf16;
  auto advance = [&](Value desc, const SharedLayout &l, Coord c) {
    return emit.add(desc, l.offset(c) >> 4);
  };
  NVVM::WgmmaFenceAlignedOp::create(b, emit.loc);
  for (int64_t k = 0; k < typeA.getCols(); k += mma.getK())
    for (int64_t block = 0; block < blocks; ++block) {
      Coord at = layout.part(Level::Register, block * perBlock);
      accumulators[block] = NVVM::WgmmaMmaAsyncOp::create(
          b, emit.loc, blockType, accumulators[block],
          advance(descA, a, {at.row, k}), advance(descB, bl, {at.col, k}),
          NVVM::MMAShapeAttr::get(context, mma.getM(), mma.getN(), mma.getK()),
          type, type, NVVM::WGMMATypes::f32, NVVM::WGMMAScaleOut::one,
          NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
          a.rowMajor ? NVVM::MMALayout::row : NVVM::MMALayout::col,
          bl.rowMajor ? NVVM::MMALayout::col : NVVM::MMALayout::row,
          NVVM::MMAIntOverflowAttr());
    }
  NVVM::WgmmaGroupSyncAlignedOp::create(b, emit.loc);
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t r = 0; r < perBlock; ++r)
      operands.acc[block * perBlock + r] =
          LLVM::ExtractValueOp::create(b, emit.loc, accumulators[block], r);
  return success();
}

} // namespace gemm
