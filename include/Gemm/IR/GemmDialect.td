//===- GemmDialect.td - The gemm dialect -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_IR_GEMMDIALECT_TD
#define GEMM_IR_GEMMDIALECT_TD

include "mlir/IR/DialectBase.td"

def Gemm_Dialect : Dialect {
  let name = "gemm";
  let cppNamespace = "::gemm";
  let summary = "Tiled matrix multiplication, from the problem to the thread";
  let description = [{
    A GEMM is one op, `gemm.matmul`; its schedule is one attribute on that op,
    `#gemm.schedule`; every pass reads its own part of the schedule and rewrites one
    concern. The IR goes through phases:

    | phase | form | enters by |
    |---|---|---|
    | problem | `gemm.matmul` | `convert-linalg-to-gemm`, `gemm-fuse-epilogue` |
    | scheduled | the same op with a `family` of (guard, schedule) and a `target` | `gemm-select-schedule` |
    | tiled | `gemm.launch` on the host, one `gemm.kernel` per family entry: a loop over work items and a K loop over tiles without a home | `gemm-tile-to-grid` |
    | placed | every tile lives somewhere: `!gemm.shared`, `!gemm.frag`; copies and barriers are explicit | `gemm-promote-operands` |
    | swizzled | every `!gemm.shared` has a layout | `gemm-swizzle-shared` |
    | pipelined | stages, rings and the order of copies and computation | `gemm-pipeline-loads` |
    | thread | one `llvm.func` per kernel, of `nvvm`, `llvm`, `arith` and `scf` ops | `convert-gemm-to-nvvm` |

    Coordinates are canonical throughout: A is (m, k), B is (n, k), C and D are
    (m, n). Which of the two is contiguous in memory is the `row` (second) or `col`
    (first) order of a view or a shared tile, never a flag of an op.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // GEMM_IR_GEMMDIALECT_TD
