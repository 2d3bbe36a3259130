// RUN: gemm-opt %s --verify-roundtrip | FileCheck %s
// RUN: gemm-opt %s --mlir-print-op-generic | gemm-opt --verify-roundtrip | FileCheck %s

// Without a region, the result is the product converted to D's element type.
// CHECK-LABEL: @plain
// CHECK: gemm.matmul ins(%{{.*}}[m, k], %{{.*}}[n, k] : memref<?x?xf16>, memref<?x?xf16>) outs(%{{.*}}[m, n] : memref<?x?xf16>) accumulate(f32)
// CHECK-NEXT: return
func.func @plain(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// The default region can be written out; it is the same op.
// CHECK-LABEL: @plain_written_out
// CHECK: gemm.matmul ins
// CHECK-SAME: accumulate(f32)
// CHECK-NEXT: return
func.func @plain_written_out(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to f16
      gemm.yield %0 : f16
  }
  return
}

// A rounding mode is not the default.
// CHECK-LABEL: @rounding
// CHECK: arith.truncf %{{.*}} downward : f32 to f16
func.func @rounding(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc downward : f32 to f16
      gemm.yield %0 : f16
  }
  return
}

// CHECK-LABEL: @default_conversions
func.func @default_conversions(%a: memref<4x8xf16>, %b: memref<4x8xf16>, %p: memref<4x8xi8>,
                               %q: memref<4x8xi8>, %f16: memref<4x4xf16>, %f64: memref<4x4xf64>,
                               %i8: memref<4x4xi8>, %i64: memref<4x4xi64>) {
  // CHECK: outs(%{{.*}} : memref<4x4xf16>) accumulate(f16){{$}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<4x8xf16>, memref<4x8xf16>)
              outs(%f16[m, n] : memref<4x4xf16>) accumulate(f16)
  // CHECK: outs(%{{.*}} : memref<4x4xf64>) accumulate(f32){{$}}
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<4x8xf16>, memref<4x8xf16>)
              outs(%f64[m, n] : memref<4x4xf64>) accumulate(f32)
  // CHECK: outs(%{{.*}} : memref<4x4xi8>) accumulate(i32){{$}}
  gemm.matmul ins(%p[m, k], %q[n, k] : memref<4x8xi8>, memref<4x8xi8>)
              outs(%i8[m, n] : memref<4x4xi8>) accumulate(i32)
  // CHECK: outs(%{{.*}} : memref<4x4xi64>) accumulate(i32){{$}}
  gemm.matmul ins(%p[m, k], %q[n, k] : memref<4x8xi8>, memref<4x8xi8>)
              outs(%i64[m, n] : memref<4x4xi64>) accumulate(i32)
  return
}

// CHECK-LABEL: @transposed
// CHECK: ins(%{{.*}}[k, m], %{{.*}}[k, n] : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf32>) outs(%{{.*}}[n, m] : memref<?x?xf32>)
func.func @transposed(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[k, m], %b[k, n] : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf32>)
              outs(%d[n, m] : memref<?x?xf32>) accumulate(f32)
  return
}

// A column-major matrix may also be one by its strides.
// CHECK-LABEL: @column_strides
// CHECK: strided<[1, ?]>
func.func @column_strides(%a: memref<?x?xf32, strided<[1, ?]>>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf32, strided<[1, ?]>>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
  return
}

// Batch dimensions: any names are read; b, or b0, b1... are printed. B has none here,
// and D has them in another order.
// CHECK-LABEL: @batches
// CHECK: gemm.matmul batch(b0, b1) ins(%{{.*}}[b0, b1, m, k], %{{.*}}[n, k] : {{.*}}) outs(%{{.*}}[b1, m, b0, n] : {{.*}}) accumulate(f32) -> tensor<?x?x?x?xf16>
func.func @batches(%a: tensor<?x?x?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> {
  %r = gemm.matmul batch(heads, layers)
      ins(%a[heads, layers, m, k], %b[n, k] : tensor<?x?x?x?xf16>, tensor<?x?xf16>)
      outs(%d[layers, m, heads, n] : tensor<?x?x?x?xf16>) accumulate(f32)
      -> tensor<?x?x?x?xf16>
  return %r : tensor<?x?x?x?xf16>
}

// Names inside the region may repeat names outside: it is isolated from above.
// CHECK-LABEL: @epilogue
// CHECK: gemm.matmul batch(b) ins(%{{.*}}[b, m, k], %{{.*}}[n, k] :
// CHECK-SAME: epilogue(%{{.*}}[b, m, n], %{{.*}}[n], %{{.*}}[] : tensor<?x?x?xf16>, tensor<?xf32>, f32)
// CHECK-SAME: outs(%{{.*}}[b, m, n] : tensor<?x?x?xf16>) accumulate(f32) {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f16, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: gemm.yield %{{.*}} : f16
// CHECK-NEXT: } -> tensor<?x?x?xf16>
func.func @epilogue(%a: tensor<?x?x?xf16>, %w: tensor<?x?xf16>, %c: tensor<?x?x?xf16>,
                    %bias: tensor<?xf32>, %beta: f32, %d: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %r = gemm.matmul batch(b) ins(%a[b, m, k], %w[n, k] : tensor<?x?x?xf16>, tensor<?x?xf16>)
      epilogue(%c[b, m, n], %bias[n], %beta[] : tensor<?x?x?xf16>, tensor<?xf32>, f32)
      outs(%d[b, m, n] : tensor<?x?x?xf16>) accumulate(f32) {
    ^bb0(%acc: f32, %c: f16, %x: f32, %beta: f32):
      %0 = arith.extf %c : f16 to f32
      %1 = arith.mulf %0, %beta : f32
      %2 = arith.addf %acc, %1 : f32
      %3 = arith.addf %2, %x : f32
      %4 = arith.truncf %3 : f32 to f16
      gemm.yield %4 : f16
  } -> tensor<?x?x?xf16>
  return %r : tensor<?x?x?xf16>
}

// Two products, one result; and two results of two products without a region.
// CHECK-LABEL: @products
// CHECK: ins(%{{.*}}[m, k], %{{.*}}[n, k], %{{.*}}[k, n] :
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// CHECK: outs(%{{.*}}[m, n], %{{.*}}[m, n] : memref<?x?xf32>, memref<?x?xf16>) accumulate(f32){{$}}
func.func @products(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %b1: memref<?x?xf16>,
                    %d: memref<?x?xf32>, %d1: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k], %b1[k, n] : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32) {
    ^bb0(%up: f32, %gate: f32):
      %0 = arith.mulf %up, %gate : f32
      gemm.yield %0 : f32
  }
  gemm.matmul ins(%a[m, k], %b[n, k], %b1[k, n] : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n], %d1[m, n] : memref<?x?xf32>, memref<?x?xf16>) accumulate(f32)
  return
}

// Block scales, for A and for B; the printed promotion interval.
// CHECK-LABEL: @scales
// CHECK: scales(a %{{.*}}[m, k floordiv 128], b %{{.*}}[n floordiv 128, k floordiv 128] : memref<256x4xf32>, memref<?x?xf32>)
// CHECK-SAME: accumulate(f32 promote 128){{$}}
// CHECK: ins({{.*}}) scales(b %{{.*}}[k floordiv 32] : memref<16xf32>) outs
func.func @scales(%a: memref<256x512xf8E4M3FN>, %b: memref<?x512xf8E4M3FN>, %sa: memref<256x4xf32>,
                  %sb: memref<?x?xf32>, %sk: memref<16xf32>, %d: memref<?x?xbf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<256x512xf8E4M3FN>, memref<?x512xf8E4M3FN>)
              scales(a %sa[m, k floordiv 128], b %sb[n floordiv 128, k floordiv 128]
                     : memref<256x4xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xbf16>) accumulate(f32 promote 128)
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<256x512xf8E4M3FN>, memref<?x512xf8E4M3FN>)
              scales(b %sk[k floordiv 32] : memref<16xf32>)
              outs(%d[m, n] : memref<?x?xbf16>) accumulate(f32)
  return
}

// A conversion region for the second operand only.
// CHECK-LABEL: @conversion
// CHECK: conversions(%{{.*}}[n] : memref<?xf16>) outs(%{{.*}}[m, n] : memref<?x?xf16>) accumulate(f32) convert(B) {
// CHECK-NEXT: ^bb0(%{{.*}}: i8, %{{.*}}: f16):
// CHECK: gemm.yield %{{.*}} : f16
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @conversion(%a: memref<?x?xf16>, %q: memref<?x?xi8>, %zero: memref<?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %q[n, k] : memref<?x?xf16>, memref<?x?xi8>)
              conversions(%zero[n] : memref<?xf16>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
              convert(B) {
    ^bb0(%q: i8, %zero: f16):
      %0 = arith.sitofp %q : i8 to f16
      %1 = arith.subf %0, %zero : f16
      gemm.yield %1 : f16
  }
  return
}

// Conversions of several operands stand in operand order, whatever order they were
// written in.
// CHECK-LABEL: @conversion_order
// CHECK: convert(A) {
// CHECK: convert(B1) {
// CHECK: } -> (tensor<?x?xf32>, tensor<?x?xf32>)
func.func @conversion_order(%a: tensor<?x?xi8>, %b: tensor<?x?xf16>, %b1: tensor<?x?xi8>,
                            %d: tensor<?x?xf32>, %d1: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r:2 = gemm.matmul ins(%a[m, k], %b[n, k], %b1[n, k] : tensor<?x?xi8>, tensor<?x?xf16>, tensor<?x?xi8>)
              outs(%d[m, n], %d1[m, n] : tensor<?x?xf32>, tensor<?x?xf32>) accumulate(f32)
              convert(B1) {
    ^bb0(%q: i8):
      %0 = arith.sitofp %q : i8 to f16
      gemm.yield %0 : f16
  } convert(A) {
    ^bb0(%q: i8):
      %0 = arith.sitofp %q : i8 to f16
      gemm.yield %0 : f16
  } -> (tensor<?x?xf32>, tensor<?x?xf32>)
  return %r#0 : tensor<?x?xf32>
}

// A schedule already chosen.
// CHECK-LABEL: @scheduled
// CHECK: accumulate(f32) attributes {family = [#gemm.entry<
// CHECK-SAME: align(A) 16
// CHECK-SAME: target = #gemm.target<
func.func @scheduled(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [
                #gemm.entry<when <[align(A) 16, pitch(B) 4, at_most(k) 4096]> run
                  <tile = 32x32x16, mma = <fma 1x1x1, warps = 4x1, lanes = 8x4, thread = 1x8>,
                   copy = [<registers 4>, <registers 4>], bank = [<plain>, <plain>],
                   epilogue = <registers 4>, work = <tiles>>>]}
  return
}

// CHECK-LABEL: @mixed_precision_float8
// CHECK: accumulate(f16)
func.func @mixed_precision_float8(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E5M2>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf8E4M3FN>, memref<?x?xf8E5M2>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f16)
  return
}

// CHECK-LABEL: @launch
// CHECK: gemm.launch @scaled(%{{.*}}, %{{.*}}, %{{.*}} : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) scalars(%{{.*}} : f32)
// CHECK: gemm.launch @lowered(%{{.*}} : memref<?x?xf16>)
func.func @launch(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>, %alpha: f32) {
  gemm.launch @scaled(%a, %b, %d : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) scalars(%alpha : f32)
  gemm.launch @lowered(%a : memref<?x?xf16>)
  return
}
gpu.module @scaled {
  gemm.kernel @scaled_0(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                        %D: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 2>},
                        %m: i32 {gemm.role = #gemm.role<extent "m">},
                        %alpha: f32 {gemm.role = #gemm.role<scalar 0>}) {
    gemm.return
  }
}
gpu.module @lowered {}
