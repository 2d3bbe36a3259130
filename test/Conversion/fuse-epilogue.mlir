// DEFINE: %{pipeline} = --split-input-file --pass-pipeline='builtin.module(func.func(gemm-fuse-epilogue))'
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

// A linear layer: bias by column, ReLU, conversion, one after the other. Every op of
// the three bodies is there, in order.
// CHECK-LABEL: func.func @linear(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<?x?xf16>, %[[B:[a-z0-9_]+]]: tensor<?x?xf16>, %[[BIAS:[a-z0-9_]+]]: tensor<?xf32>, %[[E:[a-z0-9_]+]]: tensor<?x?xf32>, %[[H:[a-z0-9_]+]]: tensor<?x?xf16>)
// CHECK-NOT: linalg
// CHECK: %[[D:[a-z0-9_]+]] = gemm.matmul ins(%[[A]][m, k], %[[B]][n, k] : {{.*}}) epilogue(%[[BIAS]][n] : tensor<?xf32>) outs(%[[H]][m, n] : tensor<?x?xf16>) accumulate(f32) {
// CHECK-NEXT: ^bb0(%[[ACC:[a-z0-9_]+]]: f32, %[[X:[a-z0-9_]+]]: f32):
// CHECK-NEXT: %[[SUM:[a-z0-9_]+]] = arith.addf %[[ACC]], %[[X]] : f32
// CHECK-NEXT: %[[ZERO:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[MAX:[a-z0-9_]+]] = arith.maximumf %[[SUM]], %[[ZERO]] : f32
// CHECK-NEXT: %[[Y:[a-z0-9_]+]] = arith.truncf %[[MAX]] : f32 to f16
// CHECK-NEXT: gemm.yield %[[Y]] : f16
// CHECK-NEXT: } -> tensor<?x?xf16>
// CHECK-NEXT: return %[[D]]
#id = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
func.func @linear(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>, %e: tensor<?x?xf32>,
                  %h: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %zero = arith.constant 0.0 : f32
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<?x?xf16>, tensor<?x?xf16>)
                   outs(%e[m, n] : tensor<?x?xf32>) accumulate(f32) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %4 = arith.addf %x, %y : f32
      linalg.yield %4 : f32
  } -> tensor<?x?xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%x: f32, %out: f32):
      %4 = arith.maximumf %x, %zero : f32
      linalg.yield %4 : f32
  } -> tensor<?x?xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<?x?xf32>) outs(%h : tensor<?x?xf16>) {
    ^bb0(%x: f32, %out: f16):
      %4 = arith.truncf %x : f32 to f16
      linalg.yield %4 : f16
  } -> tensor<?x?xf16>
  return %3 : tensor<?x?xf16>
}

// -----

// Named ops: a broadcast row bias, a residual in place, a filled operand, a scalar
// filled at run time. The default epilogue's rounding stays where it was.
// CHECK-LABEL: func.func @named(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<8x4xf16>, %[[B:[a-z0-9_]+]]: tensor<8x4xf16>, %[[BIAS:[a-z0-9_]+]]: tensor<8xf16>, %[[C:[a-z0-9_]+]]: tensor<8x8xf16>, %[[S:[a-z0-9_]+]]: f16
// CHECK-NOT: linalg
// CHECK: gemm.matmul ins({{.*}}) epilogue(%[[BIAS]][m], %[[C]][m, n], %[[S]][] : tensor<8xf16>, tensor<8x8xf16>, f16) outs(%[[C]][m, n] : tensor<8x8xf16>)
// CHECK-NEXT: ^bb0(%[[ACC:[a-z0-9_]+]]: f32, %[[X:[a-z0-9_]+]]: f16, %[[Y:[a-z0-9_]+]]: f16, %[[Z:[a-z0-9_]+]]: f16):
// CHECK-NEXT: %[[T:[a-z0-9_]+]] = arith.truncf %[[ACC]] : f32 to f16
// CHECK: %[[BIASED:[a-z0-9_]+]] = arith.addf %[[T]], %[[X]] : f16
// CHECK: %[[SUM:[a-z0-9_]+]] = arith.addf %[[Y]], %[[BIASED]] : f16
// CHECK: %[[ZERO:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f16
// CHECK: %[[MAX:[a-z0-9_]+]] = arith.maximumf %[[SUM]], %[[ZERO]] : f16
// CHECK: %[[PRODUCT:[a-z0-9_]+]] = arith.mulf %[[MAX]], %[[Z]] : f16
// CHECK-NEXT: gemm.yield %[[PRODUCT]] : f16
func.func @named(%a: tensor<8x4xf16>, %b: tensor<8x4xf16>, %bias: tensor<8xf16>, %c: tensor<8x8xf16>, %s: f16,
                 %e: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x4xf16>, tensor<8x4xf16>)
                   outs(%e[m, n] : tensor<8x8xf16>) accumulate(f32) -> tensor<8x8xf16>
  %wide = linalg.broadcast ins(%bias : tensor<8xf16>) outs(%e : tensor<8x8xf16>) dimensions = [1]
  %1 = linalg.add ins(%0, %wide : tensor<8x8xf16>, tensor<8x8xf16>) outs(%e : tensor<8x8xf16>) -> tensor<8x8xf16>
  %2 = linalg.add ins(%c, %1 : tensor<8x8xf16>, tensor<8x8xf16>) outs(%e : tensor<8x8xf16>) -> tensor<8x8xf16>
  %zeros = linalg.fill ins(%zero : f16) outs(%e : tensor<8x8xf16>) -> tensor<8x8xf16>
  %3 = linalg.max ins(%2, %zeros : tensor<8x8xf16>, tensor<8x8xf16>) outs(%e : tensor<8x8xf16>) -> tensor<8x8xf16>
  %scale = linalg.fill ins(%s : f16) outs(%e : tensor<8x8xf16>) -> tensor<8x8xf16>
  %4 = linalg.mul ins(%3, %scale : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf16>) -> tensor<8x8xf16>
  return %4 : tensor<8x8xf16>
}

// -----

// Maps are composed: the result is transposed, batches move, and the operand follows.
// CHECK-LABEL: func.func @transposed(
// CHECK: gemm.matmul batch(b) ins(%{{.*}}[b, m, k], %{{.*}}[n, k] : {{.*}}) epilogue(%{{.*}}[m, n] : tensor<?x?xf32>) outs(%{{.*}}[n, b, m] : tensor<?x?x?xf32>)
func.func @transposed(%a: tensor<?x?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = gemm.matmul batch(b) ins(%a[b, m, k], %b[n, k] : tensor<?x?x?xf16>, tensor<?x?xf16>)
                   outs(%e[b, m, n] : tensor<?x?x?xf32>) accumulate(f32) -> tensor<?x?x?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(p, q, r) -> (q, r, p)>, affine_map<(p, q, r) -> (r, p)>,
                                        affine_map<(p, q, r) -> (p, q, r)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %c : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %2 = arith.subf %x, %y : f32
      linalg.yield %2 : f32
  } -> tensor<?x?x?xf32>
  return %1 : tensor<?x?x?xf32>
}

// -----

// A bias of shape 1 x n loses its first dimension; a scalar from outside the body
// becomes an operand; the consumer that works in place reads the product through its
// out; C, beta and the schedule that were there stay.
// CHECK-LABEL: func.func @rest(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<?x?xf32>, %[[B:[a-z0-9_]+]]: tensor<?x?xf32>, %[[C:[a-z0-9_]+]]: tensor<?x?xf32>, %[[BIAS:[a-z0-9_]+]]: tensor<1x?xf32>, %[[S:[a-z0-9_]+]]: f32
// CHECK: %[[VECTOR:[a-z0-9_]+]] = tensor.extract_slice %[[BIAS]]{{.*}} : tensor<1x?xf32> to tensor<?xf32>
// CHECK: gemm.matmul ins({{.*}}) epilogue(%[[C]][m, n], %[[VECTOR]][n], %[[S]][] : tensor<?x?xf32>, tensor<?xf32>, f32) outs(%[[C]][m, n] : tensor<?x?xf32>) accumulate(f32 promote 64) attributes {note = 7 : i64}
// CHECK-NEXT: ^bb0(%[[ACC:[a-z0-9_]+]]: f32, %[[X:[a-z0-9_]+]]: f32, %[[Y:[a-z0-9_]+]]: f32, %[[Z:[a-z0-9_]+]]: f32):
// CHECK-NEXT: %[[SUM:[a-z0-9_]+]] = arith.addf %[[ACC]], %[[X]]
// CHECK-NEXT: %[[SCALED:[a-z0-9_]+]] = arith.mulf %[[Y]], %[[Z]]
// CHECK-NEXT: %[[RESULT:[a-z0-9_]+]] = arith.addf %[[SUM]], %[[SCALED]]
// CHECK-NEXT: gemm.yield %[[RESULT]]
func.func @rest(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %bias: tensor<1x?xf32>, %s: f32) -> tensor<?x?xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<?x?xf32>, tensor<?x?xf32>)
                   epilogue(%c[m, n] : tensor<?x?xf32>)
                   outs(%c[m, n] : tensor<?x?xf32>) accumulate(f32 promote 64) attributes {note = 7} {
    ^bb0(%acc: f32, %x: f32):
      %2 = arith.addf %acc, %x : f32
      gemm.yield %2 : f32
  } -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%bias : tensor<1x?xf32>) outs(%0 : tensor<?x?xf32>) {
    ^bb0(%y: f32, %out: f32):
      %2 = arith.mulf %y, %s : f32
      %3 = arith.addf %out, %2 : f32
      linalg.yield %3 : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// The consumer stands after what it reads, and so does the fused op.
// CHECK-LABEL: func.func @later(
// CHECK: %[[BIAS:[a-z0-9_]+]] = call @bias()
// CHECK: gemm.matmul {{.*}} epilogue(%[[BIAS]][n]
func.func private @bias() -> tensor<8xf32>
func.func @later(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %bias = call @bias() : () -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %2 = arith.addf %x, %y : f32
      linalg.yield %2 : f32
  } -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// A tensor of one element, whatever its rank, is read before and passed as a scalar.
// CHECK-LABEL: func.func @single(
// CHECK-SAME: %[[S:[a-z0-9_]+]]: tensor<f32>, %[[T:[a-z0-9_]+]]: tensor<1x1xf32>
// CHECK-DAG: %[[X:.*]] = tensor.extract %[[S]][] : tensor<f32>
// CHECK-DAG: %[[Y:.*]] = tensor.extract %[[T]][%{{.*}}, %{{.*}}] : tensor<1x1xf32>
// CHECK: gemm.matmul {{.*}} epilogue(%[[X]][], %[[Y]][] : f32, f32)
// CHECK-NOT: linalg
func.func @single(%s: tensor<f32>, %t: tensor<1x1xf32>, %a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<8x8xf32>, tensor<8x8xf32>)
                   outs(%e[m, n] : tensor<8x8xf32>) accumulate(f32) -> tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (0, 0)>, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %s, %t : tensor<8x8xf32>, tensor<f32>, tensor<1x1xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32, %out: f32):
      %2 = arith.mulf %x, %y : f32
      %3 = arith.addf %2, %z : f32
      linalg.yield %3 : f32
  } -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
