// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that PTX does not have: what is called on the device is another, and the same in
// the description.
// RUN: gemm-run --device=emulator --schedule=mma-sync %s --m=40 --n=17 --k=33 | FileCheck %s
// CHECK: check {{ *}}PASS, {{.*}} 0 wrong
//
// RUN: gemm-run --emit=ptx --target=sm_80 --schedule=mma-sync %s | FileCheck %s --check-prefix=PTX
// PTX: "name": "$30$20$c3$a9_0"
// PTX: .visible .entry $30$20$c3$a9_0(
func.func @"0 é"(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}
