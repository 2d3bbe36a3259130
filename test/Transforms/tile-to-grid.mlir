// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gemm-tile-to-grid)' --split-input-file
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

#schedule = #gemm.schedule<tile = 32x64x16, mma = <fma 1x1x1, warps = 4x2>,
                           copy = [<registers 4>, <registers 4>], epilogue = <registers 4>,
                           work = <tiles, raster = 4>>

// The host launches; the kernel loops over work items and, inside, over K tiles that live
// nowhere yet. B is (n, k) whatever its order; rows beyond m and n are unspecified, columns
// beyond the item's last k read as zero.
// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[HA:.*]]: memref<?x?xf16>, %[[HB:.*]]: memref<?x?xf16>, %[[HD:.*]]: memref<?x?xf16>
// CHECK-NEXT: gemm.launch @plain_kernels(%[[HA]], %[[HB]], %[[HD]] : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>)
// CHECK-NEXT: return
//
// CHECK: gpu.module @plain_kernels
// CHECK-LABEL: gemm.kernel @plain_0(
// CHECK-SAME: %[[A:[a-z0-9]*]]: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>}
// CHECK-SAME: %[[B:[a-z0-9]*]]: !gemm.view<?x?xf16, col> {gemm.role = #gemm.role<operand 1>}
// CHECK-SAME: %[[D:[a-z0-9]*]]: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 2>}
// CHECK-SAME: %[[M:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "m">}
// CHECK-SAME: %[[N:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "n">}
// CHECK-SAME: %[[K:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "k">}
// CHECK-SAME: %[[BATCH:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "batch">})
// CHECK-SAME: grid = {cols = "n", kind = "tiles", raster = 4 : i64, rows = "m", tile = [32, 64]}
// CHECK-SAME: guard = #gemm.guard<[align(A) 16]>
// CHECK-SAME: schedule = #gemm.schedule<tile = 32x64x16,
// CHECK-SAME: target = #gemm.target<"sm_80">
// CHECK: gemm.for_work (%[[I:.*]], %[[M0:.*]], %[[N0:.*]], %[[KB:.*]], %[[KE:.*]]) over [%[[BATCH]], %[[M]], %[[N]], %[[K]]] tile [32, 64] <tiles, raster = 4>
// CHECK: %[[ZERO:.*]] = gemm.zero : !gemm.tile<32x64xf32>
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[ACC:.*]] = scf.for %[[K0:.*]] = %[[KB]] to %[[KE]] step %[[C16]] iter_args(%[[X:.*]] = %[[ZERO]]) -> (!gemm.tile<32x64xf32>)
// CHECK-NEXT: %[[TA:.*]] = gemm.load_tile %[[A]][%[[M0]], %[[K0]]] within[%[[M]], %[[KE]]] : <?x?xf16, row> -> <32x16xf16>
// CHECK-NEXT: %[[TB:.*]] = gemm.load_tile %[[B]][%[[N0]], %[[K0]]] within[%[[N]], %[[KE]]] : <?x?xf16, col> -> <64x16xf16>
// CHECK-NEXT: %[[Y:.*]] = gemm.mma %[[TA]], %[[TB]], %[[X]] : !gemm.tile<32x16xf16>, !gemm.tile<64x16xf16>, !gemm.tile<32x64xf32>
// CHECK-NEXT: scf.yield %[[Y]]
// CHECK: %[[R:.*]] = gemm.map %[[ACC]] at [%[[I]], %[[M0]], %[[N0]]] within [%[[M]], %[[N]]] : !gemm.tile<32x64xf32> -> !gemm.tile<32x64xf16> {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT: %[[F:.*]] = arith.truncf %[[E]] : f32 to f16
// CHECK-NEXT: gemm.yield %[[F]] : f16
// CHECK: gemm.store_tile %[[R]], %[[D]][%[[M0]], %[[N0]]] within[%[[M]], %[[N]]]
// CHECK: gemm.return
//
// One kernel per entry of the family, in its order.
// CHECK-LABEL: gemm.kernel @plain_1(
// CHECK-SAME: guard = #gemm.guard<>
// CHECK-NOT: gemm.kernel
func.func @plain(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[k, n] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">,
                          family = [#gemm.entry<when <[align(A) 16]> run #schedule>,
                                    #gemm.entry<when <> run #schedule>]}
  return
}

// -----

#schedule = #gemm.schedule<tile = 32x64x16, mma = <fma 1x1x1, warps = 4x2>,
                           copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>

// D is contiguous along m, and kernels write rows: this one computes D^T = B·A^T. Rows of the
// result are n, so B comes first, C and the bias are read at exchanged coordinates, and the
// grid counts n by m tiles. A and B keep their orders, (row, k) in both frames. The run-time
// scalar is a kernel argument, captured by the epilogue.
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME: %[[HA:.*]]: memref<?x?x?xf16>, %[[HB:.*]]: memref<?x?xf16>, %[[HBIAS:.*]]: memref<?xf32>, %[[HC:.*]]: memref<?x?x?xf16>, %[[HBETA:.*]]: f32, %[[HD:.*]]: memref<?x?x?xf16>
// CHECK: gemm.launch @transposed_kernels(%[[HA]], %[[HB]], %[[HBIAS]], %[[HC]], %[[HD]] : {{.*}}) scalars(%[[HBETA]] : f32)
//
// CHECK-LABEL: gemm.kernel @transposed_0(
// CHECK-SAME: %[[A:[a-z0-9]*]]: !gemm.view<?x?x?xf16, row> {gemm.role = #gemm.role<operand 0>}
// CHECK-SAME: %[[B:[a-z0-9]*]]: !gemm.view<?x?xf16, col> {gemm.role = #gemm.role<operand 1>}
// CHECK-SAME: %[[BIAS:[a-z0-9]*]]: !gemm.view<?xf32> {gemm.role = #gemm.role<operand 2>}
// CHECK-SAME: %[[C:[a-z0-9]*]]: !gemm.view<?x?x?xf16, col> {gemm.role = #gemm.role<operand 3>}
// CHECK-SAME: %[[D:[a-z0-9]*]]: !gemm.view<?x?x?xf16, row> {gemm.role = #gemm.role<operand 4>}
// CHECK-SAME: %[[N:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "n">}
// CHECK-SAME: %[[M:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "m">}
// CHECK-SAME: %[[K:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "k">}
// CHECK-SAME: %[[BATCH:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "batch">}
// CHECK-SAME: %[[BETA:[a-z0-9]*]]: f32 {gemm.role = #gemm.role<scalar 0>})
// CHECK-SAME: grid = {cols = "m", kind = "tiles", raster = 1 : i64, rows = "n", tile = [32, 64]}
// CHECK: gemm.for_work (%[[I:.*]], %[[N0:.*]], %[[M0:.*]], %[[KB:.*]], %[[KE:.*]]) over [%[[BATCH]], %[[N]], %[[M]], %[[K]]]
// CHECK: scf.for %[[K0:.*]] = %[[KB]] to %[[KE]]
// CHECK-NEXT: %[[TB:.*]] = gemm.load_tile %[[B]][%[[N0]], %[[K0]]] within[%[[N]], %[[KE]]] : <?x?xf16, col> -> <32x16xf16>
// CHECK-NEXT: %[[TA:.*]] = gemm.load_tile %[[A]][%[[I]], %[[M0]], %[[K0]]] within[%[[M]], %[[KE]]] : <?x?x?xf16, row> -> <64x16xf16>
// CHECK-NEXT: gemm.mma %[[TB]], %[[TA]],
// CHECK: gemm.map %{{.*}} at [%[[I]], %[[N0]], %[[M0]]] within [%[[N]], %[[M]]] ins(%[[BIAS]][rows], %[[C]][full] : !gemm.view<?xf32>, !gemm.view<?x?x?xf16, col>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f16):
// CHECK: %[[W:.*]] = arith.extf %[[Z]] : f16 to f32
// CHECK: arith.mulf %[[W]], %[[BETA]] : f32
// CHECK: gemm.store_tile %{{.*}}, %[[D]][%[[I]], %[[N0]], %[[M0]]] within[%[[N]], %[[M]]]
func.func @transposed(%a: memref<?x?x?xf16>, %b: memref<?x?xf16>, %bias: memref<?xf32>,
                      %c: memref<?x?x?xf16>, %beta: f32, %d: memref<?x?x?xf16>) {
  gemm.matmul batch(b) ins(%a[b, m, k], %b[k, n] : memref<?x?x?xf16>, memref<?x?xf16>)
              epilogue(%bias[n], %c[b, m, n], %beta[] : memref<?xf32>, memref<?x?x?xf16>, f32)
              outs(%d[b, n, m] : memref<?x?x?xf16>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">,
                          family = [#gemm.entry<when <> run #schedule>]} {
    ^bb0(%x: f32, %y: f32, %z: f16, %s: f32):
      %0 = arith.extf %z : f16 to f32
      %1 = arith.mulf %0, %s : f32
      %2 = arith.addf %x, %1 : f32
      %3 = arith.addf %2, %y : f32
      %4 = arith.truncf %3 : f32 to f16
      gemm.yield %4 : f16
  }
  return
}

// -----

#schedule = #gemm.schedule<tile = 32x64x16, mma = <fma 1x1x1, warps = 4x2>,
                           copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>

// What the host must know of the problem (docs/Artifact.md, "problem"): the operands in
// canonical coordinates with their orders, extents that types fix, and the epilogue as a
// program whose values are numbered in its order.
// CHECK-LABEL: gpu.module @described_kernels
// CHECK-SAME: gemm.problem = {accumulator = "f32", batched = false
// CHECK-SAME: epilogue = [{index = 0 : i64, op = "product", type = "f32"},
// CHECK-SAME: {index = 2 : i64, op = "operand", type = "f32"},
// CHECK-SAME: {index = 0 : i64, op = "scalar", type = "f32"},
// CHECK-SAME: {op = "constant", type = "f32", value = 0.000000e+00 : f32},
// CHECK-SAME: {args = [0, 2], op = "arith.mulf", type = "f32"},
// CHECK-SAME: {args = [4, 1], op = "arith.addf", type = "f32"},
// CHECK-SAME: {args = [5, 3], op = "arith.cmpf", predicate = "ogt", type = "i1"},
// CHECK-SAME: {args = [6, 5, 3], op = "arith.select", type = "f32"},
// CHECK-SAME: {args = [7], op = "yield"}]
// CHECK-SAME: operands = [{batched = false, dims = ["m", "k"], name = "A", order = "col", role = "a", type = "bf16"},
// CHECK-SAME: {batched = false, dims = ["n", "k"], name = "B", order = "row", role = "b", type = "bf16"},
// CHECK-SAME: {batched = false, dims = ["m"], name = "E0", role = "epilogue", type = "f32"},
// CHECK-SAME: {batched = false, dims = ["m", "n"], name = "D", order = "row", role = "d", type = "f32"}]
// CHECK-SAME: scalars = [{name = "E1", type = "f32"}]
// CHECK-SAME: static = {k = 64 : i64, n = 128 : i64}
func.func @described(%a: memref<64x?xbf16>, %b: memref<128x?xbf16>, %bias: memref<?xf32>,
                     %alpha: f32, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[k, m], %b[n, k] : memref<64x?xbf16>, memref<128x?xbf16>)
              epilogue(%bias[m], %alpha[] : memref<?xf32>, f32)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">,
                          family = [#gemm.entry<when <> run #schedule>]} {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %zero = arith.constant 0.0 : f32
      %0 = arith.mulf %x, %s : f32
      %1 = arith.addf %0, %y : f32
      %2 = arith.cmpf ogt, %1, %zero : f32
      %3 = arith.select %2, %1, %zero : f32
      gemm.yield %3 : f32
  }
  return
}

// -----

#schedule = #gemm.schedule<tile = 32x64x16, mma = <fma 1x1x1, warps = 4x2>,
                           copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>

// Each GEMM of a function has its own module, under a name that is free.
// CHECK-LABEL: func.func @two(
// CHECK: gemm.launch @[[FIRST:two_kernels.*]](%{{.*}}, %{{.*}}, %{{.*}} : memref<?x?xf32>
// CHECK: gemm.launch @[[SECOND:two_kernels.*]](%{{.*}}, %{{.*}}, %{{.*}} : memref<?x?xf16>
// CHECK: gpu.module @[[FIRST]] attributes
// CHECK: gemm.kernel @two_0(%{{.*}}: !gemm.view<?x?xf32, row>
// CHECK: gpu.module @[[SECOND]] attributes
// CHECK: gemm.kernel @two_0(%{{.*}}: !gemm.view<?x?xf16, row>
func.func @two(%a: memref<?x?xf32>, %h: memref<?x?xf16>, %d: memref<?x?xf32>, %e: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#gemm.entry<when <> run #schedule>]}
  gemm.matmul ins(%h[m, k], %h[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%e[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#gemm.entry<when <> run #schedule>]}
  return
}

// -----

// What is no gemm.matmul stays, launches and kernels of others included.
// CHECK-LABEL: func.func @untouched(
// CHECK: linalg.matmul
// CHECK-NEXT: gemm.launch @others(
// CHECK-LABEL: gpu.module @others {
// CHECK-NEXT: gemm.kernel @others_0(
// CHECK-NEXT: gemm.return
func.func @untouched(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
  linalg.matmul ins(%a, %a : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  gemm.launch @others(%a : memref<?x?xf32>)
  return
}
gpu.module @others {
  gemm.kernel @others_0(%A: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 0>}) {
    gemm.return
  }
}

// -----

#schedule = #gemm.schedule<tile = 32x64x16, mma = <fma 1x1x1, warps = 4x2>,
                           copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>

// Kernels lie in the module of their launch.
// CHECK: module @inner {
// CHECK: gemm.launch @nested_kernels(
// CHECK: gpu.module @nested_kernels
// CHECK: gemm.kernel @nested_0(
module @inner {
  func.func @nested(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
    gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
                outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
                attributes {target = #gemm.target<"sm_80">, family = [#gemm.entry<when <> run #schedule>]}
    return
  }
}

// -----

#schedule = #gemm.schedule<tile = 32x64x16, mma = <fma 1x1x1, warps = 4x2>,
                           copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>

// Names become PTX identifiers, different ones different identifiers: `$` and the byte in
// hexadecimal, as in UTF-8, is what PTX does not have.
// CHECK: gemm.kernel @a$20b_0(
// CHECK: gemm.kernel @a$2420b_0(
// CHECK: gemm.kernel @"$c3$a9_0"(
// CHECK: gemm.kernel @"$30_0"(
func.func @"a b"(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#gemm.entry<when <> run #schedule>]}
  return
}
func.func @"a$20b"(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#gemm.entry<when <> run #schedule>]}
  return
}
func.func @"\C3\A9"(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#gemm.entry<when <> run #schedule>]}
  return
}
func.func @"0"(%a: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#gemm.entry<when <> run #schedule>]}
  return
}

// -----

#schedule = #gemm.schedule<tile = 32x64x16, mma = <fma 1x1x1, warps = 4x2>,
                           copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>

// Whatever the order of a memref's dimensions, the launch has the batch first and the
// contiguous dimension last, of the same memory.
// CHECK-LABEL: func.func @any_order(
// CHECK-SAME: %[[A:.*]]: memref<?x?x?xf32>, %[[B:.*]]: memref<?x?xf32, strided<[1, ?]>>, %[[D:.*]]: memref<?x?x?xf32>
// CHECK: %[[TA:.*]] = memref.transpose %[[A]] (d0, d1, d2) -> (d1, d0, d2) : memref<?x?x?xf32> to memref<?x?x?xf32, strided<[?, ?, 1]>>
// CHECK: %[[TB:.*]] = memref.transpose %[[B]] (d0, d1) -> (d1, d0) : memref<?x?xf32, strided<[1, ?]>> to memref<?x?xf32, strided<[?, 1]>>
// CHECK: gemm.launch @any_order_kernels(%[[TA]], %[[TB]], %[[D]] :
// CHECK: gemm.problem = {{.*}}batched = true, dims = ["m", "k"], name = "A", order = "row", role = "a", {{.*}}batched = false, dims = ["n", "k"], name = "B", order = "row", role = "b"
func.func @any_order(%a: memref<?x?x?xf32>, %b: memref<?x?xf32, strided<[1, ?]>>, %d: memref<?x?x?xf32>) {
  gemm.matmul batch(b) ins(%a[m, b, k], %b[k, n] : memref<?x?x?xf32>, memref<?x?xf32, strided<[1, ?]>>)
              outs(%d[b, m, n] : memref<?x?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#gemm.entry<when <> run #schedule>]}
  return
}

// -----

#schedule = #gemm.schedule<tile = 32x64x16, mma = <fma 1x1x1, warps = 4x2>,
                           copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>

// Where beta is zero, C makes no difference and is not read; the bias is.
// CHECK-LABEL: gpu.module @beta_kernels
// CHECK-SAME: name = "E0", order = "row", role = "epilogue", type = "f32", unused_if_zero = 0 : i64}, {batched = false, dims = ["n"], name = "E1", role = "epilogue", type = "f32"}
// CHECK: gemm.kernel @beta_0(
// CHECK-SAME: %{{.*}}, %{{.*}}, %[[C:[a-z0-9]*]]: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>}, %[[BIAS:[a-z0-9]*]]: !gemm.view<?xf32>
// CHECK-SAME: %[[BETA:[a-z0-9]*]]: f32 {gemm.role = #gemm.role<scalar 0>}
// CHECK: %[[USED:.*]] = arith.cmpf une, %[[BETA]], %{{.*}} : f32
// CHECK: %[[D:.*]] = scf.if %[[USED]]
// CHECK: gemm.map {{.*}} ins(%[[C]][full], %[[BIAS]][cols] :
// CHECK: } else {
// CHECK: gemm.map {{.*}} ins(%[[BIAS]][cols] :
// CHECK: gemm.store_tile %[[D]]
func.func @beta(%a: memref<?x?xf32>, %c: memref<?x?xf32>, %bias: memref<?xf32>, %beta: f32, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              epilogue(%c[m, n], %bias[n], %beta[] : memref<?x?xf32>, memref<?xf32>, f32)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#gemm.entry<when <> run #schedule>]} {
    ^bb0(%x: f32, %y: f32, %z: f32, %s: f32):
      %zero = arith.constant 0.0 : f32
      %0 = arith.mulf %y, %s : f32
      %used = arith.cmpf une, %s, %zero : f32
      %1 = arith.select %used, %0, %zero : f32
      %2 = arith.addf %x, %1 : f32
      %3 = arith.addf %2, %z : f32
      gemm.yield %3 : f32
  }
  return
}

// -----

#schedule = #gemm.schedule<tile = 32x64x16, mma = <fma 1x1x1, warps = 4x2>,
                           copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>

// 0 * NaN is NaN, and a value that is also used elsewhere is used.
// CHECK-LABEL: gpu.module @always_kernels
// CHECK-NOT: unused_if_zero
// CHECK: gemm.kernel @always_0(
// CHECK-NOT: scf.if
// CHECK: gemm.map
func.func @always(%a: memref<?x?xf32>, %c: memref<?x?xf32>, %beta: f32, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %a[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              epilogue(%c[m, n], %c[m, n], %beta[] : memref<?x?xf32>, memref<?x?xf32>, f32)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">, family = [#gemm.entry<when <> run #schedule>]} {
    ^bb0(%x: f32, %y: f32, %z: f32, %s: f32):
      %zero = arith.constant 0.0 : f32
      %0 = arith.mulf %y, %s : f32
      %none = arith.cmpf oeq, %s, %zero : f32
      %1 = arith.select %none, %x, %z : f32
      %2 = arith.addf %x, %0 : f32
      %3 = arith.addf %1, %z : f32
      %4 = arith.addf %2, %3 : f32
      gemm.yield %4 : f32
  }
  return
}
