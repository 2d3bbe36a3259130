//===- KLoop.cpp - The parts of a placed K loop ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KLoop.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gemm {

/// Takes the loop over k-steps, or says what it must be like.
static LogicalResult matchSteps(KLoop &parts) {
  parts.readA = parts.mma.getA().getDefiningOp<ReadFragOp>();
  parts.readB = parts.mma.getB().getDefiningOp<ReadFragOp>();
  if (!parts.readA || !parts.readB)
    return parts.mma.emitOpError("operands must be read by gemm.read_frag");
  int64_t k = parts.mma.getInstructionAttr().getK();
  APInt lower, upper, step;
  if (parts.steps.getNumResults() != 1 ||
      !matchPattern(parts.steps.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(parts.steps.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(parts.steps.getStep(), m_ConstantInt(&step)) ||
      lower.getSExtValue() != 0 || upper.getSExtValue() != parts.tileK ||
      step.getSExtValue() != k)
    return parts.steps.emitError(
               "a loop over k-steps to be pipelined counts from 0 to ")
           << parts.tileK << " by " << k << " and carries the accumulator";
  return success();
}

FailureOr<KLoop> KLoop::match(scf::ForOp loop) {
  KLoop parts;
  parts.loop = loop;
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return loop.emitError("a K loop to be pipelined needs a constant step");
  parts.tileK = step.getSExtValue();
  if (loop.getNumResults() != 1)
    return loop.emitError("a K loop to be pipelined carries one accumulator");
  SmallVector<MmaOp> mmas;
  loop.walk([&](MmaOp mma) { mmas.push_back(mma); });
  if (mmas.size() != 1)
    return loop.emitError("a K loop to be pipelined has one gemm.mma, not ")
           << mmas.size();
  parts.mma = mmas.front();
  SmallVector<Value> filled;
  for (Operation &op :
       llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
    // Constants outlive the loop that is taken apart.
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      op.moveBefore(loop);
      continue;
    }
    if (auto copy = dyn_cast<CopyStartOp>(op)) {
      if (!copy.getDest().getDefiningOp<AllocSharedOp>())
        return copy.emitOpError(
            "in a K loop to be pipelined fills a gemm.alloc_shared");
      parts.copies.push_back(copy);
      filled.push_back(copy.getDest());
    } else if (&op == parts.mma->getParentOp() && isa<scf::ForOp>(op)) {
      parts.steps = cast<scf::ForOp>(op);
    } else if (isa<FenceAsyncOp>(op)) {
      parts.fenced = true;
    } else if (!isa<MmaOp, CopyFinishOp, BarrierOp, MmaFinishOp>(op)) {
      return op.emitError("does not belong in a K loop to be pipelined");
    }
  }
  if (parts.steps && failed(matchSteps(parts)))
    return failure();
  for (Value tile : {parts.steps ? parts.readA.getSource() : parts.mma.getA(),
                     parts.steps ? parts.readB.getSource() : parts.mma.getB()})
    if (!llvm::is_contained(filled, tile))
      return parts.mma.emitOpError(
          "multiplies a tile that no copy of its K loop fills");
  return parts;
}

} // namespace gemm
