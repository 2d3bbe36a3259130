//===- InlineAsm.h - The project's only inline PTX --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_CONVERSION_GEMMTONVVM_INLINEASM_H
#define GEMM_LIB_CONVERSION_GEMMTONVVM_INLINEASM_H

#include "mlir/IR/Builders.h"

namespace gemm {

/// `text` as one statement that takes and gives back `values` (f32) in the same
/// registers: LLVM can move no use of the results above it and no definition
/// below it. With empty text it is an identity that LLVM cannot see through.
llvm::SmallVector<mlir::Value> tieRegisters(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            mlir::ValueRange values,
                                            llvm::StringRef text);

} // namespace gemm

#endif // GEMM_LIB_CONVERSION_GEMMTONVVM_INLINEASM_H
