// What an epilogue cannot do, or must not, is left alone.
//
// DEFINE: %{pipeline} = --split-input-file --pass-pipeline='builtin.module(func.func(gemm-fuse-epilogue))'
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>

// The product itself is needed too.
// CHECK-LABEL: func.func @two_users(
// CHECK: %[[P:[a-z0-9_]+]] = gemm.matmul
// CHECK: linalg.abs ins(%[[P]]
func.func @two_users(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %1 = linalg.abs ins(%0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// x + transpose(x) reads two elements of the product for one of the result.
// CHECK-LABEL: func.func @two_orders(
// CHECK: gemm.matmul
// CHECK: linalg.generic
func.func @two_orders(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %2 = arith.addf %x, %y : f32
      linalg.yield %2 : f32
  } -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @reduction(
// CHECK: gemm.matmul
// CHECK: linalg.reduce
func.func @reduction(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>, %r: tensor<8xf32>) -> tensor<8xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %1 = linalg.reduce {arith.addf} ins(%0 : tensor<8x8xf32>) outs(%r : tensor<8xf32>) dimensions = [1]
  return %1 : tensor<8xf32>
}

// A broadcast of the product has more elements than the product.
// CHECK-LABEL: func.func @broadcast(
// CHECK: gemm.matmul
// CHECK: linalg.broadcast
func.func @broadcast(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>, %r: tensor<4x8x8xf32>) -> tensor<4x8x8xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %1 = linalg.broadcast ins(%0 : tensor<8x8xf32>) outs(%r : tensor<4x8x8xf32>) dimensions = [0]
  return %1 : tensor<4x8x8xf32>
}

// A gather from a table, and a causal mask by loop index.
// CHECK-LABEL: func.func @gather(
// CHECK: gemm.matmul
// CHECK: tensor.extract
// CHECK: gemm.matmul
// CHECK: linalg.index
func.func @gather(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>, %table: tensor<?xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%x: f32, %out: f32):
      %4 = arith.fptoui %x : f32 to i32
      %5 = arith.index_cast %4 : i32 to index
      %6 = tensor.extract %table[%5] : tensor<?xf32>
      linalg.yield %6 : f32
  } -> tensor<8x8xf32>
  %2 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%x: f32, %out: f32):
      %4 = linalg.index 0 : index
      %5 = linalg.index 1 : index
      %6 = arith.cmpi ult, %4, %5 : index
      %zero = arith.constant 0.0 : f32
      %7 = arith.select %6, %zero, %x : f32
      linalg.yield %7 : f32
  } -> tensor<8x8xf32>
  return %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}

// What overwrites the product does not need it.
// CHECK-LABEL: func.func @overwritten(
// CHECK: gemm.matmul
// CHECK: linalg.fill
func.func @overwritten(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>, %x: f32) -> tensor<8x8xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %1 = linalg.fill ins(%x : f32) outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// The consumer is in a loop that the product is not in.
// CHECK-LABEL: func.func @other_block(
// CHECK: gemm.matmul
// CHECK: scf.for
// CHECK-NOT: gemm.matmul
// CHECK: linalg.add
func.func @other_block(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>, %l: index, %u: index) -> tensor<8x8xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %1 = scf.for %i = %l to %u step %u iter_args(%x = %e) -> tensor<8x8xf32> {
    %2 = linalg.add ins(%0, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %2 : tensor<8x8xf32>
  }
  return %1 : tensor<8x8xf32>
}

// On memrefs nothing says who else reads the product.
// CHECK-LABEL: func.func @memref(
// CHECK: gemm.matmul
// CHECK: linalg.exp
func.func @memref(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %d: memref<8x8xf32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<8x8xf32>, memref<8x8xf32>)
              outs(%d[m, n] : memref<8x8xf32>) accumulate(f32)
  linalg.exp ins(%d : memref<8x8xf32>) outs(%d : memref<8x8xf32>)
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// What kernels do not compute: no instruction does exp, and elements of f8 are none of an
// epilogue's; a scalar of i32 is none of a kernel's.
// CHECK-LABEL: func.func @exp(
// CHECK: gemm.matmul
// CHECK-NEXT: linalg.exp
func.func @exp(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %1 = linalg.exp ins(%0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @f8(
// CHECK: gemm.matmul
// CHECK-NEXT: linalg.generic
func.func @f8(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>, %d: tensor<8x8xf8E4M3FN>) -> tensor<8x8xf8E4M3FN> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x8xf32>) outs(%d : tensor<8x8xf8E4M3FN>) {
    ^bb0(%x: f32, %out: f8E4M3FN):
      %2 = arith.truncf %x : f32 to f8E4M3FN
      linalg.yield %2 : f8E4M3FN
  } -> tensor<8x8xf8E4M3FN>
  return %1 : tensor<8x8xf8E4M3FN>
}

// CHECK-LABEL: func.func @integer_scalar(
// CHECK: gemm.matmul
// CHECK-NEXT: linalg.generic
func.func @integer_scalar(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>, %s: i32) -> tensor<8x8xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%x: f32, %out: f32):
      %2 = arith.sitofp %s : i32 to f32
      %3 = arith.mulf %x, %2 : f32
      linalg.yield %3 : f32
  } -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @vector_per_batch(
// CHECK: gemm.matmul
// CHECK-NEXT: linalg.generic
func.func @vector_per_batch(%a: tensor<2x8x8xf32>, %b: tensor<2x8x8xf32>, %e: tensor<2x8x8xf32>, %v: tensor<2x8xf32>) -> tensor<2x8x8xf32> {
  %0 = gemm.matmul batch(b) ins(%a[b, m, k], %b[b, n, k] : tensor<2x8x8xf32>, tensor<2x8x8xf32>)
                   outs(%e[b, m, n] : tensor<2x8x8xf32>) accumulate(f32) -> tensor<2x8x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, j)>,
                                        affine_map<(b, i, j) -> (b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %v : tensor<2x8x8xf32>, tensor<2x8xf32>) outs(%e : tensor<2x8x8xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %2 = arith.addf %x, %y : f32
      linalg.yield %2 : f32
  } -> tensor<2x8x8xf32>
  return %1 : tensor<2x8x8xf32>
}
