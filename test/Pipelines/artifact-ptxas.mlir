// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assembler accepts what each schedule becomes on its first target, with every kind of
// parameter and an epilogue.
//
// REQUIRES: ptxas
//
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_75 schedule=smem" | gemm-translate --gemm-to-artifact -o %t.smem
// RUN: ptxas -arch=sm_75 %t.smem -o %t.cubin
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_75 schedule=mma-sync" | gemm-translate --gemm-to-artifact -o %t.mma
// RUN: ptxas -arch=sm_75 %t.mma -o %t.cubin
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_80 schedule=mma-sync" | gemm-translate --gemm-to-artifact -o %t.mma
// RUN: ptxas -arch=sm_80 %t.mma -o %t.cubin
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_90a schedule=wgmma" | gemm-translate --gemm-to-artifact -o %t.wgmma
// RUN: ptxas -arch=sm_90a %t.wgmma -o %t.cubin
func.func @scaled(%a: memref<?x?x?xf16>, %b: memref<?x?xf16>, %bias: memref<?xf32>, %c: memref<?x?x?xf16>,
                  %beta: f32, %d: memref<?x?x?xf16>) {
  gemm.matmul batch(b) ins(%a[b, m, k], %b[k, n] : memref<?x?x?xf16>, memref<?x?xf16>)
              epilogue(%bias[n], %c[b, m, n], %beta[] : memref<?xf32>, memref<?x?x?xf16>, f32)
              outs(%d[b, m, n] : memref<?x?x?xf16>) accumulate(f32) {
    ^bb0(%x: f32, %y: f32, %z: f16, %s: f32):
      %zero = arith.constant 0.0 : f32
      %0 = arith.extf %z : f16 to f32
      %1 = arith.mulf %0, %s : f32
      %2 = arith.addf %x, %1 : f32
      %3 = arith.addf %2, %y : f32
      %4 = arith.maximumf %3, %zero : f32
      %5 = arith.truncf %4 : f32 to f16
      gemm.yield %5 : f16
  }
  return
}
