// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --split-input-file --verify-diagnostics
//
// A result overlaps nothing but, exactly, an epilogue operand.

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  // expected-error @+1 {{'gemm.matmul' op writes D over A; a result overlaps nothing but, exactly, an epilogue operand: use another buffer}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<4x4xf32>, memref<4x4xf32>)
              outs(%a[m, n] : memref<4x4xf32>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  // expected-error @+1 {{'gemm.matmul' op writes D over B; a result overlaps nothing but, exactly, an epilogue operand: use another buffer}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<4x4xf32>, memref<4x4xf32>)
              outs(%b[m, n] : memref<4x4xf32>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %d: memref<4x4xf32>) {
  // expected-error @+1 {{'gemm.matmul' op writes D over E0, which it reads in another order; use another buffer}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<4x4xf32>, memref<4x4xf32>)
              epilogue(%d[n, m] : memref<4x4xf32>)
              outs(%d[m, n] : memref<4x4xf32>) accumulate(f32) {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.addf %x, %y : f32
      gemm.yield %0 : f32
  }
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %d: memref<4x4xf32>) {
  // expected-error @+1 {{'gemm.matmul' op writes D1 over D; a result overlaps nothing but, exactly, an epilogue operand: use another buffer}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<4x4xf32>, memref<4x4xf32>)
              outs(%d[m, n], %d[m, n] : memref<4x4xf32>, memref<4x4xf32>) accumulate(f32) {
    ^bb0(%x: f32):
      gemm.yield %x, %x : f32, f32
  }
  return
}
