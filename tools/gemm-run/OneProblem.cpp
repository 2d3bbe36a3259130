// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OneProblem.h"

#include "Gemm/IR/Gemm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace gemm::tools {
namespace {

// Memory comes or goes, and nobody looks at it.
bool onlyAllocates(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || op->getNumRegions())
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::all_of(
      instances, [](const MemoryEffects::EffectInstance &effect) {
        return isa<MemoryEffects::Allocate, MemoryEffects::Free>(
            effect.getEffect());
      });
}

// A gemm.matmul writes its outs without reading them.
bool isUnread(OpOperand &use) {
  auto matmul = dyn_cast<MatmulOp>(use.getOwner());
  return matmul && cast<DestinationStyleOpInterface>(*matmul).isDpsInit(&use);
}

// The same elements under other indices.
bool isView(Operation *op) {
  return isa<ViewLikeOpInterface, CastOpInterface, tensor::ExtractSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

bool isPartOfTheComputation(Operation *op) {
  if (isa<MatmulOp>(op) || isView(op) ||
      op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>() || isOpTriviallyDead(op))
    return false;
  if (!isMemoryEffectFree(op))
    return !onlyAllocates(op);
  return !llvm::all_of(op->getResults(), [](OpResult result) {
    return result.getType().isIndex() ||
           llvm::all_of(result.getUses(), isUnread);
  });
}

} // namespace

LogicalResult checkOneProblem(ModuleOp module) {
  WalkResult result = module.walk([](func::FuncOp function) {
    // The others have no part in it.
    bool hasProduct =
        function.walk([](MatmulOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (!hasProduct)
      return WalkResult::advance();
    for (Block &block : function.getBody())
      for (Operation &op : block)
        if (isPartOfTheComputation(&op)) {
          op.emitError("gemm-run computes the gemm.matmul of a function only, "
                       "and '")
              << op.getName()
              << "' would not run; put the product into a function of its own";
          return WalkResult::interrupt();
        }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace gemm::tools
