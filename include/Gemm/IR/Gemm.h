//===- Gemm.h - The gemm dialect --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_IR_GEMM_H
#define GEMM_IR_GEMM_H

#include "Gemm/Layout/Layout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Gemm/IR/GemmDialect.h.inc"
#include "Gemm/IR/GemmEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Gemm/IR/GemmAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Gemm/IR/GemmTypes.h.inc"

#define GET_OP_CLASSES
#include "Gemm/IR/GemmOps.h.inc"

namespace gemm {

/// Bytes of an element of a matrix.
int64_t getElementBytes(mlir::Type type);

} // namespace gemm

#endif // GEMM_IR_GEMM_H
