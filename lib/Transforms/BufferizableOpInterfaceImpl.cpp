//===- BufferizableOpInterfaceImpl.cpp - gemm.matmul in buffers -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Transforms/BufferizableOpInterfaceImpl.h"

#include "Gemm/IR/Gemm.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;

namespace gemm {
namespace {

struct MatmulInterface
    : public DstBufferizableOpInterfaceExternalModel<MatmulInterface,
                                                     MatmulOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<MatmulOp>(op).isDpsInit(&operand);
  }

  /// Each element of an epilogue operand is read by whoever then writes the
  /// result at the same place, if both are indexed alike.
  bool isNotConflicting(Operation *op, OpOperand *read, OpOperand *write,
                        const AnalysisState &state) const {
    auto matmul = cast<MatmulOp>(op);
    if (read->getOwner() != op || write->getOwner() != op ||
        !matmul.isDpsInit(write))
      return false;
    unsigned index = read->getOperandNumber();
    return index >= matmul.getFirstEpilogueOperand() &&
           index < matmul.getFirstOut() &&
           matmul.getIndexingMap(*read) == matmul.getIndexingMap(*write) &&
           state.areEquivalentBufferizedValues(read->get(), write->get());
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto matmul = cast<MatmulOp>(op);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    Operation *onBuffers =
        clone(rewriter, op, /*newResultTypes=*/TypeRange(), operands);
    replaceOpWithBufferizedValues(
        rewriter, op,
        onBuffers->getOperands().drop_front(matmul.getFirstOut()));
    return success();
  }
};

} // namespace

void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GemmDialect *) {
    MatmulOp::attachInterface<MatmulInterface>(*context);
  });
}

} // namespace gemm
