// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batch between the rows and the columns, a memref that is contiguous along its first
// dimension: for the kernel a stride is a stride.
// RUN: gemm-run --device=emulator --schedule=mma-sync %s --m=40 --n=24 --k=40 --batch=3 --data=integers | FileCheck %s
// CHECK: check {{ *}}PASS, 2 880 elements (all), 0 wrong, 2 880 exact
func.func @any_order(%a: memref<?x?x?xf16>, %b: memref<?x?xf16, strided<[1, ?]>>, %d: memref<?x?x?xf16>) {
  gemm.matmul batch(b) ins(%a[m, b, k], %b[k, n] : memref<?x?x?xf16>, memref<?x?xf16, strided<[1, ?]>>)
              outs(%d[b, m, n] : memref<?x?x?xf16>) accumulate(f32)
  return
}
