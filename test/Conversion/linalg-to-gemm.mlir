// DEFINE: %{pipeline} = --split-input-file --pass-pipeline='builtin.module(func.func(convert-linalg-to-gemm))'
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

// Zero-filled: the fill is not read, and its destination is written.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<?x?xf16>, %[[B:[a-z0-9_]+]]: tensor<?x?xf16>, %[[E:[a-z0-9_]+]]: tensor<?x?xf32>)
// CHECK-NOT: linalg
// CHECK: %[[D:[a-z0-9_]+]] = gemm.matmul ins(%[[A]][m, k], %[[B]][k, n] : tensor<?x?xf16>, tensor<?x?xf16>) outs(%[[E]][m, n] : tensor<?x?xf32>) accumulate(f32) -> tensor<?x?xf32>
// CHECK-NEXT: return %[[D]]
func.func @matmul(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0.0 : f32
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%zero : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// A zero constant is not read either; integers are signed.
// CHECK-LABEL: func.func @zero_constant(
// CHECK: %[[E:[a-z0-9_]+]] = tensor.empty() : tensor<16x8xi32>
// CHECK: gemm.matmul ins(%{{.*}}[m, k], %{{.*}}[k, n] : tensor<16x32xi8>, tensor<32x8xi8>) outs(%[[E]][m, n] : tensor<16x8xi32>) accumulate(i32) -> tensor<16x8xi32>
func.func @zero_constant(%a: tensor<16x32xi8>, %b: tensor<32x8xi8>) -> tensor<16x8xi32> {
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x32xi8>, tensor<32x8xi8>) outs(%zero : tensor<16x8xi32>) -> tensor<16x8xi32>
  return %0 : tensor<16x8xi32>
}

// -----

// A real C is an epilogue operand, and the result is written in its place.
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<?x?xf32>, %[[B:[a-z0-9_]+]]: tensor<?x?xf32>, %[[C:[a-z0-9_]+]]: tensor<?x?xf32>)
// CHECK: gemm.matmul ins(%[[A]][m, k], %[[B]][k, n] : {{.*}}) epilogue(%[[C]][m, n] : tensor<?x?xf32>) outs(%[[C]][m, n] : tensor<?x?xf32>) accumulate(f32) {
// CHECK-NEXT: ^bb0(%[[ACC:[a-z0-9_]+]]: f32, %[[X:[a-z0-9_]+]]: f32):
// CHECK-NEXT: %[[SUM:[a-z0-9_]+]] = arith.addf %[[ACC]], %[[X]] : f32
// CHECK-NEXT: gemm.yield %[[SUM]] : f32
func.func @accumulate(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// -0 + 0 is not -0: a fill of -0 is a real initial value.
// CHECK-LABEL: func.func @negative_zero(
// CHECK: linalg.fill
// CHECK: gemm.matmul {{.*}} epilogue(
func.func @negative_zero(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant -0.0 : f32
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zero : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// On memrefs the fill goes, if nothing but allocations and scalar code lies between.
// CHECK-LABEL: func.func @memref(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: memref<?x?xf16>, %[[B:[a-z0-9_]+]]: memref<?x?xf16>, %[[D:[a-z0-9_]+]]: memref<?x?xf32>)
// CHECK-NOT: linalg.fill
// CHECK: gemm.matmul ins(%[[A]][m, k], %[[B]][n, k] : memref<?x?xf16>, memref<?x?xf16>) outs(%[[D]][m, n] : memref<?x?xf32>) accumulate(f32){{$}}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @memref(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0.0 : f32
  linalg.fill ins(%c0 : f32) outs(%d : memref<?x?xf32>)
  %other = memref.alloc() : memref<4xf32>
  linalg.matmul indexing_maps = [#a, #b, #d] ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%d : memref<?x?xf32>)
  return %other : memref<4xf32>
}

// -----

// Something was read or written in between: the fill stays and C is read.
// CHECK-LABEL: func.func @memref_between(
// CHECK: linalg.fill
// CHECK: gemm.matmul {{.*}} epilogue(%[[D:[a-z0-9_]+]][m, n] : memref<?x?xf32>) outs(%[[D]][m, n] : memref<?x?xf32>)
func.func @memref_between(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>, %x: f32, %i: index) {
  %c0 = arith.constant 0.0 : f32
  linalg.fill ins(%c0 : f32) outs(%d : memref<?x?xf32>)
  memref.store %x, %d[%i, %i] : memref<?x?xf32>
  linalg.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

// Any transposition is a map: the four layouts, and a column-major result.
// CHECK-LABEL: func.func @layouts(
// CHECK: ins(%{{.*}}[k, m], %{{.*}}[k, n] :
// CHECK: ins(%{{.*}}[k, m], %{{.*}}[n, k] :
// CHECK: ins(%{{.*}}[m, k], %{{.*}}[n, k] : {{.*}}) epilogue(%{{.*}}[n, m] : {{.*}}) outs(%{{.*}}[n, m] :
#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#nm = affine_map<(m, n, k) -> (n, m)>
func.func @layouts(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %d: memref<8x8xf32>) {
  linalg.matmul indexing_maps = [#km, #kn, #mn] ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%d : memref<8x8xf32>)
  linalg.matmul indexing_maps = [#km, #nk, #mn] ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%d : memref<8x8xf32>)
  linalg.contract indexing_maps = [#mk, #nk, #nm] ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%d : memref<8x8xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @batch_matmul(
// CHECK: gemm.matmul batch(b) ins(%{{.*}}[b, m, k], %{{.*}}[b, k, n] : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>)
func.func @batch_matmul(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// A batch in the middle; the body extends to the accumulator; dimensions in any order.
// CHECK-LABEL: func.func @generic(
// CHECK: gemm.matmul batch(b) ins(%{{.*}}[m, b, k], %{{.*}}[b, k, n] :
// CHECK-SAME: outs(%{{.*}}[b, m, n] : tensor<?x?x?xf32>) accumulate(f32)
func.func @generic(%q: tensor<?x?x?xf16>, %kt: tensor<?x?x?xf16>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(k, m, h, n) -> (m, h, k)>, affine_map<(k, m, h, n) -> (h, k, n)>,
                       affine_map<(k, m, h, n) -> (h, m, n)>],
      iterator_types = ["reduction", "parallel", "parallel", "parallel"]}
      ins(%q, %kt : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%c : tensor<?x?x?xf32>) {
    ^bb0(%x: f16, %y: f16, %acc: f32):
      %1 = arith.extf %x : f16 to f32
      %2 = arith.extf %y : f16 to f32
      %3 = arith.mulf %2, %1 : f32
      %4 = arith.addf %3, %acc : f32
      linalg.yield %4 : f32
  } -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// A linear layer on a batch of sequences: the weight has no batch.
// CHECK-LABEL: func.func @shared_weight(
// CHECK: gemm.matmul batch(b) ins(%{{.*}}[b, m, k], %{{.*}}[n, k] : tensor<?x?x?xf16>, tensor<?x?xf16>)
// CHECK-SAME: outs(%{{.*}}[b, m, n] :
func.func @shared_weight(%x: tensor<?x?x?xf16>, %w: tensor<?x?xf16>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = linalg.contract
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n, k)>,
                       affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%x, %w : tensor<?x?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// Of two m loops the one that is contiguous becomes m. Here the first loop.
// CHECK-LABEL: func.func @contiguous_m(
// CHECK: gemm.matmul batch(b) ins(%{{.*}}[k, b, m], %{{.*}}[n, k] : {{.*}}) outs(%{{.*}}[b, m, n] :
func.func @contiguous_m(%x: memref<?x?x?xf16>, %w: memref<?x?xf16>, %c: memref<?x?x?xf32>) {
  %c0 = arith.constant 0.0 : f32
  linalg.fill ins(%c0 : f32) outs(%c : memref<?x?x?xf32>)
  linalg.contract
      indexing_maps = [affine_map<(m, b, n, k) -> (k, b, m)>, affine_map<(m, b, n, k) -> (n, k)>,
                       affine_map<(m, b, n, k) -> (b, m, n)>]
      ins(%x, %w : memref<?x?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?x?xf32>)
  return
}

// -----

// Transposes and broadcasts that only feed the product become maps.
// CHECK-LABEL: func.func @moved(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<?x?xf16>, %[[W:[a-z0-9_]+]]: tensor<?x?xf16>
// CHECK-NOT: linalg
// CHECK: gemm.matmul batch(b) ins(%[[A]][k, m], %[[W]][n, k] :
func.func @moved(%a: tensor<?x?xf16>, %w: tensor<?x?xf16>, %e: tensor<?x?xf16>, %eb: tensor<?x?x?xf16>,
                 %ec: tensor<?x?x?xf16>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %at = linalg.transpose ins(%a : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) permutation = [1, 0]
  %ab = linalg.broadcast ins(%at : tensor<?x?xf16>) outs(%eb : tensor<?x?x?xf16>) dimensions = [0]
  %wt = linalg.generic {
      indexing_maps = [affine_map<(b, i, j) -> (i, j)>, affine_map<(b, i, j) -> (b, j, i)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<?x?xf16>) outs(%ec : tensor<?x?x?xf16>) {
    ^bb0(%x: f16, %out: f16):
      linalg.yield %x : f16
  } -> tensor<?x?x?xf16>
  %0 = linalg.batch_matmul ins(%ab, %wt : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// A transpose with another user stays, and so does one that computes.
// CHECK-LABEL: func.func @not_moved(
// CHECK: %[[T:[a-z0-9_]+]] = linalg.transpose
// CHECK: %[[G:[a-z0-9_]+]] = linalg.generic
// CHECK: gemm.matmul ins(%[[T]][m, k], %[[G]][k, n] :
func.func @not_moved(%a: tensor<?x?xf16>, %w: tensor<?x?xf16>, %e: tensor<?x?xf16>, %c: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf16>) {
  %at = linalg.transpose ins(%a : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) permutation = [1, 0]
  %wt = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) {
    ^bb0(%x: f16, %out: f16):
      %1 = arith.negf %x : f16
      linalg.yield %1 : f16
  } -> tensor<?x?xf16>
  %0 = linalg.matmul ins(%at, %wt : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %at : tensor<?x?xf32>, tensor<?x?xf16>
}

// -----

// Which dimension is contiguous is what the layout says, not the place in the list.
// CHECK-LABEL: func.func @column_major(
// CHECK: gemm.matmul ins(%{{.*}}[m, k], %{{.*}}[k, n] : memref<?x?xf32, strided<[1, ?]>>, memref<?x?xf32>)
func.func @column_major(%a: memref<?x?xf32, strided<[1, ?]>>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32, strided<[1, ?]>>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}
