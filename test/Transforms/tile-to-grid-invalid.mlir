// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --pass-pipeline='builtin.module(gemm-tile-to-grid)' --split-input-file --verify-diagnostics

func.func @f(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op has no schedule; run gemm-select-schedule before gemm-tile-to-grid}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
  return
}

// -----

func.func @f(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op has no schedule; run gemm-select-schedule before gemm-tile-to-grid}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = []}
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: tensor<?x?xf32>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'gemm.matmul' op has tensor operands; bufferize (one-shot-bufferize) before gemm-tile-to-grid}}
  %0 = gemm.matmul ins(%a[m, k], %a[n, k] : tensor<?x?xf32>, tensor<?x?xf32>)
                   outs(%d[m, n] : tensor<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op has more than one B; kernels compute one product}}
  gemm.matmul ins(%a[m, k], %a[n, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.mulf %x, %y : f32
      gemm.yield %0 : f32
  }
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %s: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op has block scales, which no kernel applies yet}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              scales(b %s[n, k floordiv 32] : memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]}
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %q: memref<?x?xi8>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op has operand conversions, which no kernel applies yet}}
  gemm.matmul ins(%a[m, k], %q[n, k] : memref<?x?xf32>, memref<?x?xi8>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} convert(B) {
    ^bb0(%x: i8):
      %0 = arith.sitofp %x : i8 to f32
      gemm.yield %0 : f32
  }
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op has a promotion interval, which no kernel observes yet}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32 promote 128)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]}
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %d: memref<?x?xf32>, %e: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op has more than one result; kernels write one}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n], %e[m, n] : memref<?x?xf32>, memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} {
    ^bb0(%x: f32):
      gemm.yield %x, %x : f32, f32
  }
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?x?x?xf32>, %d: memref<?x?x?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op has more than one batch dimension; collapse them first}}
  gemm.matmul batch(b, c) ins(%a[b, c, m, k], %a[b, c, n, k] : memref<?x?x?x?xf32>, memref<?x?x?x?xf32>)
              outs(%d[b, c, m, n] : memref<?x?x?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]}
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %b: memref<?x?xf32, strided<[?, 2]>>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op operand B of type 'memref<?x?xf32, strided<[?, 2]>>' does not say which of n and k is contiguous; give its layout a stride of 1}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf32>, memref<?x?xf32, strided<[?, 2]>>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]}
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %e: memref<f32>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op operand E0 is a single element; pass it as a scalar}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              epilogue(%e[] : memref<f32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.mulf %x, %y : f32
      gemm.yield %0 : f32
  }
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?x?xf32>, %e: memref<?x?xf32>, %d: memref<?x?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op operand E0 is a vector per batch; kernels read one vector for all batches}}
  gemm.matmul batch(b) ins(%a[b, m, k], %a[b, n, k] : memref<?x?x?xf32>, memref<?x?x?xf32>)
              epilogue(%e[b, n] : memref<?x?xf32>)
              outs(%d[b, m, n] : memref<?x?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.addf %x, %y : f32
      gemm.yield %0 : f32
  }
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?x?xf32>, %e: memref<?xf32>, %d: memref<?x?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op operand E0 is an element per batch; kernels read matrices, and vectors for all batches}}
  gemm.matmul batch(b) ins(%a[b, m, k], %a[b, n, k] : memref<?x?x?xf32>, memref<?x?x?xf32>)
              epilogue(%e[b] : memref<?xf32>)
              outs(%d[b, m, n] : memref<?x?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.addf %x, %y : f32
      gemm.yield %0 : f32
  }
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} {
    ^bb0(%x: f32):
      // expected-error @+1 {{'arith.extf' op in an epilogue computes with f80; threads compute with f16, bf16, f32, f64 and integers up to i64}}
      %0 = arith.extf %x : f32 to f80
      %1 = arith.truncf %0 : f80 to f32
      gemm.yield %1 : f32
  }
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %s: i32, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op operand E0 is a scalar of type 'i32'; kernels take floating-point scalars up to 64 bits, convert it first}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              epilogue(%s[] : i32)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} {
    ^bb0(%x: f32, %y: i32):
      %0 = arith.sitofp %y : i32 to f32
      %1 = arith.mulf %x, %0 : f32
      gemm.yield %1 : f32
  }
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
gpu.module @device {
  gpu.func @f(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
    // expected-error @+1 {{'gemm.matmul' op is in a 'gpu.module'; kernels are launched from the host: move it to a builtin.module}}
    gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
                outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
                attributes {target = #gemm.target<"sm_80">, family = [#entry]}
    gpu.return
  }
}

// -----

// The largest extent that still fits 32 bits when it is rounded up to a tile.
#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<2147418113x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op operand A has an extent of 2147418113; the largest that kernels count to is 2147418112: split it}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<2147418113x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]}
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %d: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{'gemm.matmul' op operand D has elements of f8E4M3FN; an epilogue reads and writes f16, bf16, f32, f64, i8 and i32}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf8E4M3FN>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]}
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %e: memref<?x?xtf32>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op operand E0 has elements of tf32; an epilogue reads and writes f16, bf16, f32, f64, i8 and i32}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              epilogue(%e[m, n] : memref<?x?xtf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} {
    ^bb0(%x: f32, %y: tf32):
      gemm.yield %x : f32
  }
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %e: memref<?xf32, strided<[2]>>, %d: memref<?x?xf32>) {
  // expected-error @+1 {{'gemm.matmul' op operand E0 of type 'memref<?xf32, strided<[2]>>' must have a stride of 1: kernels read vectors without gaps}}
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              epilogue(%e[n] : memref<?xf32, strided<[2]>>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.addf %x, %y : f32
      gemm.yield %0 : f32
  }
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} {
    ^bb0(%x: f32):
      // expected-error @+1 {{'math.tanh' op in an epilogue has no GPU lowering; use arith ops and math.absf, ceil, exp2, floor, fma, sqrt}}
      %0 = math.tanh %x : f32
      gemm.yield %0 : f32
  }
  return
}

// -----

// PTX ISA, ex2: f16, bf16 and f32.
#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %d: memref<?x?xf64>) {
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf64>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} {
    ^bb0(%x: f32):
      %0 = arith.extf %x : f32 to f64
      // expected-error @+1 {{'math.exp2' op in an epilogue has no GPU lowering for f64; compute it in f32}}
      %1 = math.exp2 %0 : f64
      gemm.yield %1 : f64
  }
  return
}

// -----

#entry = #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                  copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>
func.func @f(%a: memref<?x?xf32>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#entry]} {
    ^bb0(%x: f32):
      // expected-error @+1 {{'arith.truncf' op in an epilogue rounds downward, and threads round to nearest, ties to even}}
      %0 = arith.truncf %x downward : f32 to f16
      gemm.yield %0 : f16
  }
  return
}
