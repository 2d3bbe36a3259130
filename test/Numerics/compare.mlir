// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons of integers and of numbers keep their predicates, in the kernel and in the
// description that the check reads.
// RUN: gemm-run --device=emulator --schedule=mma-sync %s --m=40 --n=24 --k=40 --data=integers | FileCheck %s
// CHECK: check {{ *}}PASS, 960 elements (all), 0 wrong, 960 exact
func.func @compare(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xi32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xi32>) accumulate(f32) {
    ^bb0(%x: f32):
      %c7 = arith.constant 7 : i32
      %zero = arith.constant 0.0 : f32
      %i = arith.fptosi %x : f32 to i32
      %small = arith.cmpi slt, %i, %c7 : i32
      %negative = arith.cmpf olt, %x, %zero : f32
      %0 = arith.select %small, %c7, %i : i32
      %1 = arith.select %negative, %i, %0 : i32
      gemm.yield %1 : i32
  }
  return
}
