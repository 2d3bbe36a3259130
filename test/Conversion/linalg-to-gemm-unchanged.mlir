// What is no GEMM, or not one that gemm.matmul can say and kernels compute, is left alone;
// of a contraction a remark says why.
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(func.func(convert-linalg-to-gemm))'
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: gemm-opt %s %{pipeline} --verify-diagnostics -o /dev/null
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

// CHECK-NOT: gemm.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @convolution(%a: tensor<1x16x16x8xf32>, %b: tensor<3x3x8x4xf32>, %c: tensor<1x14x14x4xf32>) -> tensor<1x14x14x4xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<1x16x16x8xf32>, tensor<3x3x8x4xf32>)
      outs(%c : tensor<1x14x14x4xf32>) -> tensor<1x14x14x4xf32>
  return %0 : tensor<1x14x14x4xf32>
}

// One row or column is a matter of memory bandwidth, not of tiles.
// CHECK: linalg.matvec
// CHECK: linalg.vecmat
// CHECK: linalg.dot
func.func @vectors(%a: tensor<?x?xf32>, %x: tensor<?xf32>, %y: tensor<?xf32>, %s: tensor<f32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<f32>) {
  // expected-remark @+1 {{becomes no gemm.matmul: one of its operands is a vector}}
  %0 = linalg.matvec ins(%a, %x : tensor<?x?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  // expected-remark @+1 {{becomes no gemm.matmul: one of its operands is a vector}}
  %1 = linalg.vecmat ins(%x, %a : tensor<?xf32>, tensor<?x?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  // expected-remark @+1 {{becomes no gemm.matmul: one of its operands is a vector}}
  %2 = linalg.dot ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%s : tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<f32>
}

#none = affine_map<(m, n, k) -> ()>
#mkj = affine_map<(m, n, k, j) -> (m, k, j)>
#kn4 = affine_map<(m, n, k, j) -> (k, n)>
#mn4 = affine_map<(m, n, k, j) -> (m, n)>

// A factor that is no matrix, and a sum over a dimension of one operand only.
// CHECK: linalg.generic
// CHECK: linalg.generic
func.func @factors(%a: tensor<?x?xf32>, %s: f32, %t: tensor<?x?x?xf32>, %c: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  // expected-remark @+1 {{becomes no gemm.matmul: it multiplies by a scalar}}
  %0 = linalg.generic {indexing_maps = [#mk, #none, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %s : tensor<?x?xf32>, f32) outs(%c : tensor<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %acc: f32):
      %2 = arith.mulf %x, %y : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
  } -> tensor<?x?xf32>
  // expected-remark @+1 {{becomes no gemm.matmul: a dimension of it is of no operand, or of one only}}
  %1 = linalg.generic {indexing_maps = [#mkj, #kn4, #mn4], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%t, %a : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %acc: f32):
      %2 = arith.mulf %x, %y : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
  } -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// The semiring of shortest paths, and the one of booleans.
// CHECK: linalg.generic
// CHECK: arith.minimumf
// CHECK: linalg.generic
// CHECK: arith.ori
func.func @semirings(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>,
                     %p: tensor<?x?xi1>, %q: tensor<?x?xi1>, %r: tensor<?x?xi1>) -> (tensor<?x?xf32>, tensor<?x?xi1>) {
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %acc: f32):
      %2 = arith.addf %x, %y : f32
      %3 = arith.minimumf %acc, %2 : f32
      linalg.yield %3 : f32
  } -> tensor<?x?xf32>
  // expected-remark @+1 {{becomes no gemm.matmul: it does more, or in another order, than to extend elements, multiply them and add the product}}
  %1 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %q : tensor<?x?xi1>, tensor<?x?xi1>) outs(%r : tensor<?x?xi1>) {
    ^bb0(%x: i1, %y: i1, %acc: i1):
      %2 = arith.andi %x, %y : i1
      %3 = arith.ori %acc, %2 : i1
      linalg.yield %3 : i1
  } -> tensor<?x?xi1>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xi1>
}

// Products rounded to f16 before they are summed in f32 are other numbers; so are
// operands rounded before they are multiplied, and operands that are negated.
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: linalg.generic
func.func @other_functions(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>, %d: tensor<?x?xf16>,
                           %p: tensor<?x?xf32>, %q: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf16>, tensor<?x?xf32>) {
  // expected-remark @+1 {{becomes no gemm.matmul: it does more, or in another order, than to extend elements, multiply them and add the product}}
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) {
    ^bb0(%x: f16, %y: f16, %acc: f32):
      %3 = arith.mulf %x, %y : f16
      %4 = arith.extf %3 : f16 to f32
      %5 = arith.addf %acc, %4 : f32
      linalg.yield %5 : f32
  } -> tensor<?x?xf32>
  // expected-remark @+1 {{becomes no gemm.matmul: it does more, or in another order, than to extend elements, multiply them and add the product}}
  %1 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %q : tensor<?x?xf32>, tensor<?x?xf32>) outs(%d : tensor<?x?xf16>) {
    ^bb0(%x: f32, %y: f32, %acc: f16):
      %3 = arith.truncf %x : f32 to f16
      %4 = arith.truncf %y : f32 to f16
      %5 = arith.mulf %3, %4 : f16
      %6 = arith.addf %acc, %5 : f16
      linalg.yield %6 : f16
  } -> tensor<?x?xf16>
  // expected-remark @+1 {{becomes no gemm.matmul: it does more, or in another order, than to extend elements, multiply them and add the product}}
  %2 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %q : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %acc: f32):
      %3 = arith.negf %x : f32
      %4 = arith.mulf %3, %y : f32
      %5 = arith.addf %acc, %4 : f32
      linalg.yield %5 : f32
  } -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?x?xf16>, tensor<?x?xf32>
}

// Unsigned, wide and complex elements.
// CHECK: linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
// CHECK: linalg.matmul
// CHECK: linalg.matmul
func.func @types(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>,
                 %p: tensor<?x?xi64>, %z: tensor<?x?xcomplex<f32>>)
    -> (tensor<?x?xi32>, tensor<?x?xi64>, tensor<?x?xcomplex<f32>>) {
  // expected-remark @+1 {{becomes no gemm.matmul: it does more, or in another order, than to extend elements, multiply them and add the product}}
  %0 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>)
      outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  // expected-remark @+1 {{becomes no gemm.matmul: cannot multiply i64: elements are floating-point numbers, i8 or i4}}
  %1 = linalg.matmul ins(%p, %p : tensor<?x?xi64>, tensor<?x?xi64>) outs(%p : tensor<?x?xi64>) -> tensor<?x?xi64>
  // expected-remark @+1 {{becomes no gemm.matmul: it does more, or in another order, than to extend elements, multiply them and add the product}}
  %2 = linalg.matmul ins(%z, %z : tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>)
      outs(%z : tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>>
  return %0, %1, %2 : tensor<?x?xi32>, tensor<?x?xi64>, tensor<?x?xcomplex<f32>>
}

// Two k dimensions; an operand contiguous along its batch; a strided operand.
// CHECK: linalg.contract
// CHECK: linalg.contract
// CHECK: linalg.matmul
func.func @forms(%a: memref<?x?x?xf32>, %b: memref<?x?x?xf32>, %d: memref<?x?xf32>,
                 %e: memref<?x?xf32>, %c: memref<?x?x?xf32>, %s: memref<?x?xf32, strided<[64, 2]>>) {
  // expected-remark @+1 {{becomes no gemm.matmul: it sums over 2 dimensions; collapse them into one}}
  linalg.contract
      indexing_maps = [affine_map<(m, n, h, k) -> (m, h, k)>, affine_map<(m, n, h, k) -> (n, h, k)>,
                       affine_map<(m, n, h, k) -> (m, n)>]
      ins(%a, %b : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%d : memref<?x?xf32>)
  // expected-remark @+1 {{becomes no gemm.matmul: A is contiguous along neither m nor k}}
  linalg.contract
      indexing_maps = [affine_map<(b, m, n, k) -> (m, k, b)>, affine_map<(b, m, n, k) -> (b, k, n)>,
                       affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%c : memref<?x?x?xf32>)
  // expected-remark @+1 {{becomes no gemm.matmul: A is contiguous along neither m nor k}}
  linalg.matmul ins(%s, %e : memref<?x?xf32, strided<[64, 2]>>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}

// Two batch dimensions; a layout that says nothing; a result over an operand.
// CHECK: linalg.contract
// CHECK: linalg.matmul
// CHECK: linalg.matmul
func.func @kernels(%a: memref<?x?x?x?xf32>, %c: memref<?x?x?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>,
                   %s: memref<?x?xf32, strided<[?, ?]>>) {
  // expected-remark @+1 {{becomes no gemm.matmul: it has more than one batch dimension; collapse them first}}
  linalg.contract
      indexing_maps = [affine_map<(b, h, m, n, k) -> (b, m, h, k)>, affine_map<(b, h, m, n, k) -> (b, h, k, n)>,
                       affine_map<(b, h, m, n, k) -> (b, h, m, n)>]
      ins(%a, %a : memref<?x?x?x?xf32>, memref<?x?x?x?xf32>) outs(%c : memref<?x?x?x?xf32>)
  // expected-remark @+1 {{becomes no gemm.matmul: A of type 'memref<?x?xf32, strided<[?, ?]>>' does not say which of m and k is contiguous; give its layout a stride of 1}}
  linalg.matmul ins(%s, %b : memref<?x?xf32, strided<[?, ?]>>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  // expected-remark @+1 {{becomes no gemm.matmul: it overwrites an operand}}
  linalg.matmul ins(%b, %d : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}

// CHECK: linalg.reduce
// CHECK: linalg.pooling_nhwc_sum
func.func @reductions(%a: tensor<?x?xf32>, %r: tensor<?xf32>, %i: tensor<1x8x8x4xf32>, %w: tensor<2x2xf32>,
                      %o: tensor<1x7x7x4xf32>) -> (tensor<?xf32>, tensor<1x7x7x4xf32>) {
  %0 = linalg.reduce {arith.addf} ins(%a : tensor<?x?xf32>) outs(%r : tensor<?xf32>) dimensions = [1]
  %1 = linalg.pooling_nhwc_sum ins(%i, %w : tensor<1x8x8x4xf32>, tensor<2x2xf32>)
      outs(%o : tensor<1x7x7x4xf32>) -> tensor<1x7x7x4xf32>
  return %0, %1 : tensor<?xf32>, tensor<1x7x7x4xf32>
}
