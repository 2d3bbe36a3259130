//===- EmitMmaSync.cpp - mma.sync -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Gemm/Target/Target.h"

using namespace mlir;

namespace gemm {

using layout::Level;

/// PTX ISA, "Multiply-and-Accumulate Instruction: mma".
LogicalResult emitMmaSync(MmaOp op, Emitter &emit, MmaOperands &operands) {
  OpBuilder &b = emit.builder;
  MmaAttr mma = *op.getInstruction();
  auto fragA = cast<FragType>(op.getA().getType());
  auto fragB = cast<FragType>(op.getB().getType());
  Type element = fragA.getElementType();
  Type accumulator = cast<FragType>(op.getAcc().getType()).getElementType();
  if (auto error = getEmissionError(mma.getKind(), element,
                                    fragB.getElementType(), accumulator))
    return op.emitOpError("by ") << *error;
  NVVM::MMATypes type =
      element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;

  // Words of one instruction: m x k, n x k and m x n elements over 32 lanes.
  int64_t perWord = 32 / element.getIntOrFloatBitWidth();
  int64_t wordsA = mma.getM() * mma.getK() / 32 / perWord,
          wordsB = mma.getN() * mma.getK() / 32 / perWord,
          regsC = mma.getM() * mma.getN() / 32;
  int64_t countM = operands.a.size() / wordsA,
          countN = operands.b.size() / wordsB;

  // NVVM wants f16 pairs as vectors, and bf16 pairs as integers.
  Type operandType = element.isF16() ? Type(VectorType::get({perWord}, element))
                                     : b.getI32Type();
  auto slice = [&](ArrayRef<Value> words, int64_t first, int64_t count) {
    SmallVector<Value> list;
    for (Value word : words.slice(first, count))
      list.push_back(
          operandType == word.getType()
              ? word
              : LLVM::BitcastOp::create(b, emit.loc, operandType, word)
                    .getResult());
    return list;
  };
  auto result = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(regsC, accumulator));
  std::array<NVVM::MMATypes, 2> types = {type, type};
  std::array<NVVM::MMALayout, 2> layouts = {NVVM::MMALayout::row,
                                            NVVM::MMALayout::col};
  for (int64_t i = 0; i < countM; ++i)
    for (int64_t step = 0; step < countN; ++step) {
      // Back and forth, so that neighbours share a B fragment as well as an A
      // fragment.
      int64_t j = i % 2 ? countN - 1 - step : step;
      MutableArrayRef<Value> acc = MutableArrayRef<Value>(operands.acc)
                                       .slice((i * countN + j) * regsC, regsC);
      Value d = NVVM::MmaOp::create(b, emit.loc, result,
                                    slice(operands.a, i * wordsA, wordsA),
                                    slice(operands.b, j * wordsB, wordsB),
                                    ValueRange(ArrayRef<Value>(acc)),
                                    {mma.getM(), mma.getN(), mma.getK()},
                                    std::nullopt, std::nullopt, types, layouts);
      for (int64_t r = 0; r < regsC; ++r)
        acc[r] = LLVM::ExtractValueOp::create(b, emit.loc, d, r);
    }
  return success();
}

} // namespace gemm
