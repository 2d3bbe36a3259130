// RUN: gemm-opt %s --split-input-file \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN: | FileCheck %s

// In place: the result is the buffer of outs, nothing is copied.
// CHECK-LABEL: func @in_place(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: memref<?x?xf16>, %[[B:[a-z0-9_]+]]: memref<?x?xf16>, %[[D:[a-z0-9_]+]]: memref<?x?xf16>)
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: gemm.matmul ins(%[[A]][m, k], %[[B]][n, k] : memref<?x?xf16>, memref<?x?xf16>) outs(%[[D]][m, n] : memref<?x?xf16>) accumulate(f32){{$}}
// CHECK-NEXT: return %[[D]]
func.func @in_place(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<?x?xf16>, tensor<?x?xf16>)
                   outs(%d[m, n] : tensor<?x?xf16>) accumulate(f32) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// -----

// D may be C itself: no copy.
// CHECK-LABEL: func @accumulate_in_place(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: memref<?x?xf32>, %[[B:[a-z0-9_]+]]: memref<?x?xf32>, %[[C:[a-z0-9_]+]]: memref<?x?xf32>, %[[BIAS:[a-z0-9_]+]]: memref<?xf32>, %[[BETA:[a-z0-9_]+]]: f32)
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: epilogue(%[[C]][m, n], %[[BIAS]][n], %[[BETA]][] : memref<?x?xf32>, memref<?xf32>, f32) outs(%[[C]][m, n] : memref<?x?xf32>)
// CHECK: gemm.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %[[C]]
func.func @accumulate_in_place(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>,
                               %bias: tensor<?xf32>, %beta: f32) -> tensor<?x?xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<?x?xf32>, tensor<?x?xf32>)
      epilogue(%c[m, n], %bias[n], %beta[] : tensor<?x?xf32>, tensor<?xf32>, f32)
      outs(%c[m, n] : tensor<?x?xf32>) accumulate(f32) {
    ^bb0(%acc: f32, %x: f32, %y: f32, %z: f32):
      %1 = arith.mulf %x, %z : f32
      %2 = arith.addf %acc, %1 : f32
      %3 = arith.addf %2, %y : f32
      gemm.yield %3 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// The same C read transposed is not in place: element (i, j) is written before
// (j, i) has been read.
// CHECK-LABEL: func @transposed_c(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: memref<8x8xf32>, %[[B:[a-z0-9_]+]]: memref<8x8xf32>, %[[C:[a-z0-9_]+]]: memref<8x8xf32>)
// CHECK: %[[D:[a-z0-9_]+]] = memref.alloc
// CHECK: epilogue(%[[C]][n, m] : memref<8x8xf32>) outs(%[[D]][m, n] : memref<8x8xf32>)
func.func @transposed_c(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
      epilogue(%c[n, m] : tensor<8x8xf32>)
      outs(%c[m, n] : tensor<8x8xf32>) accumulate(f32) {
    ^bb0(%acc: f32, %x: f32):
      %1 = arith.addf %acc, %x : f32
      gemm.yield %1 : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// A is never overwritten while it is multiplied.
// CHECK-LABEL: func @a_is_d(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: memref<8x8xf32>, %[[B:[a-z0-9_]+]]: memref<8x8xf32>)
// CHECK: %[[D:[a-z0-9_]+]] = memref.alloc
// CHECK: gemm.matmul ins(%[[A]][m, k], %[[B]][n, k] : {{.*}}) outs(%[[D]][m, n]
func.func @a_is_d(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%a[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// outs is not read: what was computed into it before is dead, and a value that
// is still needed is kept by a new buffer.
// CHECK-LABEL: func @out_is_needed(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: memref<8x8xf32>, %[[B:[a-z0-9_]+]]: memref<8x8xf32>, %[[D:[a-z0-9_]+]]: memref<8x8xf32>)
// CHECK: %[[NEW:[a-z0-9_]+]] = memref.alloc
// CHECK-NOT: copy
// CHECK: outs(%[[NEW]][m, n]
// CHECK: return %[[NEW]], %[[D]]
func.func @out_is_needed(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %d: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%d[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  return %0, %d : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Everything else of the op stays: several products, conversions, schedule.
// CHECK-LABEL: func @whole(
// CHECK: gemm.matmul batch(b) ins(%{{.*}}[b, m, k], %{{.*}}[n, k], %{{.*}}[n, k] : memref<?x?x?xf16>, memref<?x?xi8>, memref<?x?xf16>)
// CHECK-SAME: scales(b %{{.*}}[n], b %{{.*}}[n] : memref<?xf32>, memref<?xf32>) conversions(%{{.*}}[n] : memref<?xf16>)
// CHECK-SAME: accumulate(f32 promote 64) attributes {note = 1 : i64} {
// CHECK: } convert(B) {
// CHECK: }
// CHECK-NEXT: return
func.func @whole(%a: tensor<?x?x?xf16>, %b: tensor<?x?xi8>, %b1: tensor<?x?xf16>, %s: tensor<?xf32>,
                 %zero: tensor<?xf16>, %d: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %0 = gemm.matmul batch(b)
      ins(%a[b, m, k], %b[n, k], %b1[n, k] : tensor<?x?x?xf16>, tensor<?x?xi8>, tensor<?x?xf16>)
      scales(b %s[n], b %s[n] : tensor<?xf32>, tensor<?xf32>)
      conversions(%zero[n] : tensor<?xf16>)
      outs(%d[b, m, n] : tensor<?x?x?xf16>) accumulate(f32 promote 64) attributes {note = 1} {
    ^bb0(%x: f32, %y: f32):
      %1 = arith.mulf %x, %y : f32
      %2 = arith.truncf %1 : f32 to f16
      gemm.yield %2 : f16
  } convert(B) {
    ^bb0(%q: i8, %z: f16):
      %1 = arith.sitofp %q : i8 to f16
      %2 = arith.subf %1, %z : f16
      gemm.yield %2 : f16
  } -> tensor<?x?x?xf16>
  return %0 : tensor<?x?x?xf16>
}
