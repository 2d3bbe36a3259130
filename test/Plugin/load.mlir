// The stock mlir-opt does not know the dialect; with the plugin it parses, verifies
// and prints it, and runs our passes next to its own.
//
// REQUIRES: plugin
// RUN: not mlir-opt %s 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: %plugin-opt %s --pass-pipeline='builtin.module(func.func(convert-linalg-to-gemm),cse)' \
// RUN:   | FileCheck %s
// RUN: not %plugin-opt %s --pass-pipeline='builtin.module(gemm-no-such-pass)' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN

// WITHOUT: error: {{.*}}gemm
// UNKNOWN: 'gemm-no-such-pass' does not refer to a registered pass or pass pipeline

// CHECK-LABEL: func.func @both
func.func @both(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>)
    attributes {target = #gemm.target<"sm_80">} {
  // CHECK: gemm.matmul ins(%{{.*}}[m, k], %{{.*}}[n, k]
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
  // CHECK-NOT: linalg
  // CHECK: gemm.matmul ins(%{{.*}}[m, k], %{{.*}}[k, n]
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%d : memref<?x?xf32>)
  return
}
