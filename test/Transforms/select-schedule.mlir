// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gemm-select-schedule{target=sm_90a})'
// RUN: gemm-opt %s %{pipeline} | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s --check-prefixes=CHECK,SM90 %}
// RUN: gemm-opt %s --gemm-select-schedule | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: gemm-opt %s --gemm-select-schedule=target=sm_80 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: gemm-opt %s --gemm-select-schedule=target=sm_86 | FileCheck %s --check-prefixes=CHECK,SM86
// RUN: gemm-opt %s --gemm-select-schedule=target=sm_75 | FileCheck %s --check-prefixes=CHECK,SM75

// Chosen by target and types. The first entry needs aligned operands, the last runs on any
// pointer and leading dimension. Between them: a result of any lines, and pairs of elements.
// CHECK-LABEL: @chosen(
// SM90: family = [#gemm.entry<when <[align(A) 16, pitch(A) 8, align(B) 16, pitch(B) 8, align(D) 16, pitch(D) 8]>
// SM90-SAME: run <tile = 128x256x64, mma = <wgmma 64x256x16, warps = 8x1>, copy = [<tma>, <tma>], bank = [<panel 128>, <panel 128>], pipeline = <stages = 4, in_flight = 1>, epilogue = <staged 16>, work = <tiles, raster = 8>>>,
// SM90-SAME: #gemm.entry<when <[align(A) 16, pitch(A) 8, align(B) 16, pitch(B) 8]>
// SM90-SAME: copy = [<tma>, <tma>], {{[^(]*}} epilogue = <staged 2>, work = <tiles, raster = 8>>>,
// SM90-SAME: #gemm.entry<when <[align(A) 4, pitch(A) 2, align(B) 4, pitch(B) 2]>
// SM90-SAME: copy = [<cp_async 4>, <cp_async 4>], {{[^(]*}} epilogue = <staged 2>, work = <tiles, raster = 8>>>,
// SM90-SAME: #gemm.entry<when <> run <tile = 128x256x64, mma = <wgmma 64x256x16, warps = 8x1>, copy = [<registers 2>, <registers 2>], bank = [<panel 128>, <panel 128>], pipeline = <stages = 4, in_flight = 1>, epilogue = <staged 2>, work = <tiles, raster = 8>>>]
// SM90-SAME: target = #gemm.target<"sm_90a">
//
// Less shared memory, fewer stages.
// SM80: family = [#gemm.entry<when <[align(A) 16, pitch(A) 8, align(B) 16, pitch(B) 8, align(D) 16, pitch(D) 8]>
// SM80-SAME: run <tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 3, fragments = 2>, epilogue = <staged 16>, work = <tiles, raster = 8>>>,
// SM80-SAME: #gemm.entry<when <> run <tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<registers 2>, <registers 2>], bank = [<xor>, <xor>], pipeline = <stages = 3, fragments = 2>, epilogue = <staged 2>, work = <tiles, raster = 8>>>]
// SM80-SAME: target = #gemm.target<"sm_80">
//
// Less still: a shallower tile.
// SM86: run <tile = 128x256x32, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 4, fragments = 2>
//
// Without cp.async, 16 bytes go through registers, in whole runs of eight.
// SM75: family = [#gemm.entry<when <[align(A) 16, pitch(A) 8, divisible(k) 8, align(B) 16, pitch(B) 8, align(D) 16, pitch(D) 8]>
// SM75-SAME: run <tile = 128x256x32, mma = <mma_sync 16x8x8, warps = 2x4>, copy = [<registers 16>, <registers 16>]
// SM75-SAME: raster = 8>>>, #gemm.entry<when <> run
func.func @chosen(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// A wide result has a larger tile to stage: on the smallest shared memory a smaller tile.
// bf16 came after the first mma.sync.
// CHECK-LABEL: @bf16_to_f32(
// SM90: run <tile = 128x256x64, mma = <wgmma 64x256x16, warps = 8x1>
// SM80: run <tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>
// SM86: run <tile = 128x128x64, mma = <mma_sync 16x8x16, warps = 2x2>, {{.*}} pipeline = <stages = 3, fragments = 2>
// SM75: run <tile = 32x32x32, mma = <fma 1x1x1
func.func @bf16_to_f32(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xbf16>, memref<?x?xbf16>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
  return
}

// No tensor core multiplies f32. Runs of A are along k, of B, stored [K, N], along n.
// CHECK-LABEL: @f32(
// CHECK: family = [#gemm.entry<when <[align(A) 16, pitch(A) 4, divisible(k) 4, align(B) 16, pitch(B) 4, divisible(n) 4]>
// CHECK-SAME: run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>, copy = [<registers 16>, <registers 16>], bank = [<padded 4>, <padded 4>], epilogue = <registers 4>>>,
// CHECK-SAME: #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>, copy = [<registers 4>, <registers 4>], bank = [<padded 4>, <padded 4>], epilogue = <registers 4>>>]
func.func @f32(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %b[k, n] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
  return
}

// Tensor cores multiply f64 on some targets, but no kernel does that; the shared tiles'
// padding is a whole element.
// CHECK-LABEL: @f64(
// CHECK: mma = <fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>, copy = [<registers 16>, <registers 16>], bank = [<padded 8>, <padded 8>], epilogue = <registers 8>>>,
// CHECK-SAME: copy = [<registers 8>, <registers 8>], bank = [<padded 8>, <padded 8>]
func.func @f64(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %d: memref<?x?xf64>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf64>, memref<?x?xf64>)
              outs(%d[m, n] : memref<?x?xf64>) accumulate(f64)
  return
}

// What strides and extents say need not be asked at run time.
// CHECK-LABEL: @static_strides(
// CHECK: family = [#gemm.entry<when <[align(A) 16, align(B) 16, pitch(B) 4]> run
func.func @static_strides(%a: memref<?x64xf32>, %b: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                          %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x64xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
  return
}

// A batch stride is a pitch too.
// CHECK-LABEL: @static_batch(
// CHECK: family = [#gemm.entry<when <[align(A) 16, align(B) 16]> run
func.func @static_batch(%a: memref<3x32x64xf32>, %b: memref<48x64xf32>, %d: memref<3x32x48xf32>) {
  gemm.matmul batch(b) ins(%a[b, m, k], %b[n, k] : memref<3x32x64xf32>, memref<48x64xf32>)
              outs(%d[b, m, n] : memref<3x32x48xf32>) accumulate(f32)
  return
}

// A tensor's buffer has strides of its own; only extents are known.
// CHECK-LABEL: @tensors(
// CHECK: family = [#gemm.entry<when <[align(A) 16, pitch(A) 4, align(B) 16, pitch(B) 4]> run
func.func @tensors(%a: tensor<?x64xf32>, %b: tensor<?x64xf32>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<?x64xf32>, tensor<?x64xf32>)
                   outs(%d[m, n] : tensor<?x?xf32>) accumulate(f32) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Rows that are 33 elements apart are never 16 bytes apart: one entry is left.
// CHECK-LABEL: @never_aligned(
// CHECK: family = [#gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>, copy = [<registers 4>, <registers 4>], bank = [<padded 4>, <padded 4>], epilogue = <registers 4>>>], target
func.func @never_aligned(%a: memref<?x33xf32>, %b: memref<?x33xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x33xf32>, memref<?x33xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
  return
}

// A result that is contiguous along m is computed transposed: the kernel's A is the
// problem's B. The guard still names the problem's operands.
// CHECK-LABEL: @column_major(
// CHECK: #gemm.entry<when <> run {{.*}} copy = [<registers 4>, <registers 2>]
func.func @column_major(%a: memref<?x?xf16>, %b: memref<?x?xf32>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf32>)
              outs(%d[n, m] : memref<?x?xf16>) accumulate(f32)
  return
}

// Small extents get a small tile.
// CHECK-LABEL: @small(
// SM90: run <tile = 64x64x64, mma = <wgmma 64x64x16, warps = 4x1>
// SM80: run <tile = 64x64x64, mma = <mma_sync 16x8x16, warps = 2x2>
// SM86: run <tile = 64x64x64, mma = <mma_sync 16x8x16, warps = 2x2>
// SM75: run <tile = 64x64x32, mma = <mma_sync 16x8x8, warps = 2x2>
func.func @small(%a: memref<48x?xf16>, %b: memref<40x?xf16>, %d: memref<48x40xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<48x?xf16>, memref<40x?xf16>)
              outs(%d[m, n] : memref<48x40xf16>) accumulate(f32)
  return
}

// The op's own target wins over the option.
// CHECK-LABEL: @own_target(
// CHECK: run <tile = 32x32x32, mma = <fma 1x1x1
// CHECK-SAME: target = #gemm.target<"sm_70">
func.func @own_target(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
              attributes {target = #gemm.target<"sm_70">}
  return
}

// A family that is there is left alone, with guards that ask for at least what its schedules
// need and the types do not say.
// CHECK-LABEL: @left_alone(
// CHECK: attributes {family = [#gemm.entry<when <[at_most(m) 64]> run <tile = 16x32x8, mma = <fma 1x1x1, warps = 4x1, lanes = 1x32, thread = 1x1>, copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>], target = #gemm.target<"sm_89">}
func.func @left_alone(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_89">, family = [
    #gemm.entry<when <[at_most(m) 64]> run <tile = 16x32x8, mma = <fma 1x1x1, warps = 4x1>,
                copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>]}
  return
}

// CHECK-LABEL: @guarded(
// CHECK: attributes {family = [#gemm.entry<when <[align(A) 32, pitch(A) 8, divisible(k) 4, align(B) 16, at_most(m) 64]> run
func.func @guarded(%a: memref<?x?xf32>, %b: memref<?x64xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf32>, memref<?x64xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
              attributes {target = #gemm.target<"sm_89">, family = [
    #gemm.entry<when <[align(A) 32, pitch(A) 8, divisible(k) 4, align(B) 16, at_most(m) 64]>
                run <tile = 16x32x8, mma = <fma 1x1x1, warps = 4x1>,
                copy = [<registers 16>, <registers 16>], epilogue = <registers 4>>>]}
  return
}

// What the types say decides which entries are left. Lines of D that are never a multiple of
// 16 bytes leave the second of A and B that are,
// CHECK-LABEL: @odd_result(
// SM90: family = [#gemm.entry<when <[align(A) 16, align(B) 16]> run {{[^(]*}} copy = [<tma>, <tma>], {{[^(]*}} epilogue = <staged 2>, work = <tiles, raster = 8>>>, #gemm.entry<when <> run
func.func @odd_result(%a: memref<256x64xf16>, %b: memref<513x64xf16>, %d: memref<256x513xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<256x64xf16>, memref<513x64xf16>)
              outs(%d[m, n] : memref<256x513xf16>) accumulate(f32)
  return
}

// lines of A and B that are multiples of 4 bytes only the third,
// CHECK-LABEL: @even_operands(
// SM90: family = [#gemm.entry<when <[align(A) 4, align(B) 4]> run {{[^(]*}} copy = [<cp_async 4>, <cp_async 4>], {{[^(]*}} epilogue = <staged 2>, work = <tiles, raster = 8>>>, #gemm.entry<when <> run
func.func @even_operands(%a: memref<256x66xf16>, %b: memref<512x66xf16>, %d: memref<256x512xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<256x66xf16>, memref<512x66xf16>)
              outs(%d[m, n] : memref<256x512xf16>) accumulate(f32)
  return
}

// and lines that are all as they should be no reason for anything between first and last.
// CHECK-LABEL: @good_lines(
// SM90: family = [#gemm.entry<when <[align(A) 16, align(B) 16, align(D) 16]> run {{[^(]*}} epilogue = <staged 16>, work = <tiles, raster = 8>>>, #gemm.entry<when <> run
func.func @good_lines(%a: memref<256x64xf16>, %b: memref<512x64xf16>, %d: memref<256x512xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<256x64xf16>, memref<512x64xf16>)
              outs(%d[m, n] : memref<256x512xf16>) accumulate(f32)
  return
}
