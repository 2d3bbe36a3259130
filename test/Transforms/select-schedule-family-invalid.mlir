// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --gemm-select-schedule --split-input-file --verify-diagnostics
//
// Families that somebody wrote, and problems that have no kernel whatever the schedule.

func.func @no_such_instruction(%a: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op cannot use entry 0 of its family: sm_75 has no mma_sync 16x8x16 that multiplies operand A of bf16 by operand B of bf16 into f32}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xbf16>, memref<?x?xbf16>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_75">, family = [
    #gemm.entry<when <> run <tile = 64x64x32, mma = <mma_sync 16x8x16, warps = 1x1>,
                copy = [<registers 2>, <registers 2>], epilogue = <registers 4>>>]}
  return
}

// -----

// PTX ISA, cp.async: addresses are multiples of the size.
func.func @unaligned(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op cannot use entry 0 of its family: it needs pitch(A) 4, which its guard does not ask; add it to the guard, or copy and store fewer bytes at a time}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [
    #gemm.entry<when <[align(A) 16, pitch(A) 2]> run <tile = 16x32x8, mma = <fma 1x1x1, warps = 4x1>,
                copy = [<cp_async 16>, <cp_async 4>], epilogue = <registers 4>>>]}
  return
}

// -----

func.func @never_aligned(%a: memref<?x33xf32>, %b: memref<?x33xf32>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op cannot use entry 1 of its family: it needs pitch(B) 2, and the stride of B along n is 33; copy and store fewer bytes at a time}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x33xf32>, memref<?x33xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [
    #gemm.entry<when <> run <tile = 16x32x8, mma = <fma 1x1x1, warps = 4x1>,
                copy = [<cp_async 4>, <cp_async 4>], epilogue = <registers 4>>>,
    #gemm.entry<when <[align(B) 8, pitch(B) 2]> run <tile = 16x32x8, mma = <fma 1x1x1, warps = 4x1>,
                copy = [<cp_async 4>, <cp_async 8>], epilogue = <registers 4>>>]}
  return
}

// -----

func.func @two_products(%a: memref<?x?xf16>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op has more than one B; kernels compute one product: split it into a gemm.matmul per B}}
  gemm.matmul ins(%a[m, k], %a[n, k], %a[n, k] : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32) {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.mulf %x, %y : f32
      gemm.yield %0 : f32
  }
  return
}

// -----

func.func @two_results(%a: memref<?x?xf16>, %d: memref<?x?xf32>, %e: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op has more than one result; kernels write one: split it into a gemm.matmul per result}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n], %e[m, n] : memref<?x?xf32>, memref<?x?xf32>) accumulate(f32) {
    ^bb0(%x: f32):
      gemm.yield %x, %x : f32, f32
  }
  return
}

// -----

func.func @f8_result(%a: memref<?x?xf16>, %d: memref<?x?xf8E5M2>) {
  // expected-error @+1 {{'gemm.matmul' op operand D has elements of f8E5M2; an epilogue reads and writes f16, bf16, f32, f64, i8 and i32}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf8E5M2>) accumulate(f32)
  return
}
