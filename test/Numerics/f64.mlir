// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of eight bytes: lines of a padded shared tile start at multiples of eight.
// RUN: gemm-run --device=emulator --schedule=smem %s --m=33 --n=40 --k=17 | FileCheck %s
// RUN: gemm-run --device=emulator --schedule=smem %s --m=34 --n=66 --k=36 | FileCheck %s
// CHECK: check {{ *}}PASS, {{.*}} 0 wrong
func.func @f64(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %d: memref<?x?xf64>) {
  gemm.matmul ins(%a[m, k], %b[k, n] : memref<?x?xf64>, memref<?x?xf64>)
              outs(%d[m, n] : memref<?x?xf64>) accumulate(f64)
  return
}
