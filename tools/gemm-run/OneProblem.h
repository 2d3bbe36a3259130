// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_RUN_ONEPROBLEM_H
#define GEMM_RUN_ONEPROBLEM_H

#include "mlir/IR/BuiltinOps.h"

namespace gemm::tools {

// gemm-run computes and checks one gemm.matmul and nothing around it. Fails
// with a diagnostic on an op of a module in phase Problem that would be part of
// what the function computes: one that reads or writes memory, makes an operand
// of the gemm.matmul, or uses its result. Views, constants, allocations, index
// arithmetic and what only initialises the result are fine.
mlir::LogicalResult checkOneProblem(mlir::ModuleOp module);

} // namespace gemm::tools

#endif // GEMM_RUN_ONEPROBLEM_H
