//===- KLoop.cpp - The parts of a placed K loop ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KLoop.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gemm {

FailureOr<KLoop> KLoop::match(scf::ForOp loop) {
  KLoop parts;
  parts.loop = loop;
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return loop.emitError("a K loop to be pipelined needs a constant step");
  parts.tileK = step.getSExtValue();
  if (loop.getNumResults() != 1)
    return loop.emitError("a K loop to be pipelined carries one accumulator");
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto copy = dyn_cast<CopyStartOp>(op)) {
      parts.copies.push_back(copy);
    } else if (auto inner = dyn_cast<scf::ForOp>(op)) {
      parts.steps = inner;
      inner.walk([&](MmaOp mma) { parts.mma = mma; });
    } else if (auto mma = dyn_cast<MmaOp>(op)) {
      parts.mma = mma;
    } else if (isa<FenceAsyncOp>(op)) {
      parts.fenced = true;
    } else if (!isa<CopyFinishOp, BarrierOp, MmaFinishOp, arith::ConstantOp>(op)) {
      return op.emitError("does not belong in a K loop to be pipelined");
    }
  }
  if (!parts.mma)
    return loop.emitError("a K loop to be pipelined has a gemm.mma");
  if (parts.steps) {
    parts.readA = parts.mma.getA().getDefiningOp<ReadFragOp>();
    parts.readB = parts.mma.getB().getDefiningOp<ReadFragOp>();
    if (!parts.readA || !parts.readB)
      return parts.mma.emitOpError("operands must be read by gemm.read_frag");
  }
  return parts;
}

} // namespace gemm
