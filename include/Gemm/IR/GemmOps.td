//===- GemmOps.td - All operations of the gemm dialect ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_IR_GEMMOPS_TD
#define GEMM_IR_GEMMOPS_TD

include "Gemm/IR/GemmTileOps.td"

#endif // GEMM_IR_GEMMOPS_TD
