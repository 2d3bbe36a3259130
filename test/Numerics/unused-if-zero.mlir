// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS: with beta = 0, C is not read, and what is in it (here: also NaN and infinity) does
// not matter. The epilogue says so by a selection; whoever calls passes no C at all.
// RUN: gemm-run --device=emulator --schedule=mma-sync %s --m=40 --n=24 --k=40 --beta=0 --data=special | FileCheck %s
// RUN: gemm-run --device=emulator --schedule=mma-sync %s --m=40 --n=24 --k=40 --beta=-0.5 | FileCheck %s
// RUN: gemm-run --device=emulator --schedule=smem %s --m=33 --n=24 --k=17 --beta=0 --data=special | FileCheck %s
// CHECK: check {{ *}}PASS, {{.*}} 0 wrong
//
// RUN: gemm-run --emit=ptx --target=sm_80 %s | FileCheck %s --check-prefix=PTX
// PTX: "name": "E0"
// PTX: "unused_if_zero": 0
func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>, %beta: f32, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              epilogue(%c[m, n], %beta[] : memref<?x?xf16>, f32)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) {
    ^bb0(%acc: f32, %x: f16, %s: f32):
      %zero = arith.constant 0.0 : f32
      %y = arith.extf %x : f16 to f32
      %z = arith.mulf %y, %s : f32
      %no = arith.cmpf oeq, %s, %zero : f32
      %w = arith.select %no, %zero, %z : f32
      %sum = arith.addf %acc, %w : f32
      %r = arith.truncf %sum : f32 to f16
      gemm.yield %r : f16
  }
  return
}
