// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules by name and written out.
//
// What is chosen obeys the rules of the attributes: it can be read again.
// RUN: gemm-opt %s --gemm-select-schedule=schedule=smem | gemm-opt -o /dev/null
// RUN: gemm-opt %s --gemm-select-schedule=schedule=mma-sync | gemm-opt -o /dev/null
// RUN: gemm-opt %s --gemm-select-schedule=schedule=wgmma | gemm-opt -o /dev/null
// RUN: gemm-opt %s --gemm-select-schedule="schedule=smem" | FileCheck %s --check-prefixes=SMEM
// RUN: gemm-opt %s --gemm-select-schedule="schedule=mma-sync" | FileCheck %s --check-prefixes=MMA
// RUN: gemm-opt %s --gemm-select-schedule="schedule=wgmma" | FileCheck %s --check-prefixes=WGMMA
// RUN: gemm-opt %s '--gemm-select-schedule=schedule="#gemm.schedule<tile = 64x128x64, mma = <mma_sync 16x8x16, warps = 2x2>, copy = [<cp_async 8>, <registers 4>], bank = [<padded 16>, <xor>], pipeline = <stages = 2>, epilogue = <registers 8>>"' \
// RUN:   | FileCheck %s --check-prefix=WRITTEN

// SMEM-LABEL: @tn(
// SMEM: family = [#gemm.entry<when <[align(A) 16, pitch(A) 8, divisible(k) 8, align(B) 16, pitch(B) 8]>
// SMEM-SAME: run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>, copy = [<registers 16>, <registers 16>], bank = [<padded 4>, <padded 4>], epilogue = <registers 2>>>,
// SMEM-SAME: #gemm.entry<when <> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>, copy = [<registers 2>, <registers 2>], bank = [<padded 4>, <padded 4>], epilogue = <registers 2>>>]
//
// MMA-LABEL: @tn(
// MMA: family = [#gemm.entry<when <[align(A) 16, pitch(A) 8, align(B) 16, pitch(B) 8, align(D) 16, pitch(D) 8]>
// MMA-SAME: run <tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 4, fragments = 2>, epilogue = <staged 16>, work = <tiles, raster = 8>>>,
// MMA-SAME: #gemm.entry<when <> run <tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<registers 2>, <registers 2>], bank = [<xor>, <xor>], pipeline = <stages = 4, fragments = 2>, epilogue = <staged 2>, work = <tiles, raster = 8>>>]
//
// WGMMA-LABEL: @tn(
// WGMMA: family = [#gemm.entry<when <[align(A) 16, pitch(A) 8, align(B) 16, pitch(B) 8, align(D) 16, pitch(D) 8]>
// WGMMA-SAME: run <tile = 128x256x64, mma = <wgmma 64x256x16, warps = 8x1>, copy = [<tma>, <tma>], bank = [<panel 128>, <panel 128>], pipeline = <stages = 4, in_flight = 1>, epilogue = <staged 16>, work = <tiles, raster = 8>>>,
// WGMMA-SAME: #gemm.entry<when <> run <tile = 128x256x64, mma = <wgmma 64x256x16, warps = 8x1>, copy = [<registers 2>, <registers 2>], bank = [<panel 128>, <panel 128>], pipeline = <stages = 4, in_flight = 1>, epilogue = <staged 2>, work = <tiles, raster = 8>>>]
//
// A schedule written out is the only entry; its guard follows from it. Only copies
// through registers need whole runs.
// WRITTEN-LABEL: @tn(
// WRITTEN: family = [#gemm.entry<when <[align(A) 8, pitch(A) 4, align(B) 4, pitch(B) 2, divisible(k) 2, align(D) 8, pitch(D) 4]>
// WRITTEN-SAME: run <tile = 64x128x64, mma = <mma_sync 16x8x16, warps = 2x2>, copy = [<cp_async 8>, <registers 4>], bank = [<padded 16>, <xor>], pipeline = <stages = 2>, epilogue = <registers 8>>>]
// WRITTEN-SAME: target = #gemm.target<"sm_90a">
func.func @tn(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xbf16>, memref<?x?xbf16>)
              outs(%d[m, n] : memref<?x?xbf16>) accumulate(f32)
  return
}

// Transposed operands and result: the same schedules. The kernel computes the transposed
// problem, so the part of A copies the problem's B.
// SMEM-LABEL: @column_major(
// SMEM: family = [#gemm.entry<when <[align(A) 16, pitch(A) 8, divisible(m) 8, align(B) 16, pitch(B) 8, divisible(n) 8]>
// MMA-LABEL: @column_major(
// MMA: family = [#gemm.entry<when <[align(A) 16, pitch(A) 8, align(B) 16, pitch(B) 8, align(D) 16, pitch(D) 8]>
// WGMMA-LABEL: @column_major(
// WGMMA: family = [#gemm.entry<when <[align(A) 16, pitch(A) 8, align(B) 16, pitch(B) 8, align(D) 16, pitch(D) 8]>
// WRITTEN-LABEL: @column_major(
// WRITTEN: family = [#gemm.entry<when <[align(A) 4, pitch(A) 2, divisible(m) 2, align(B) 8, pitch(B) 4, align(D) 8, pitch(D) 4]>
func.func @column_major(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  gemm.matmul ins(%a[k, m], %b[k, n] : memref<?x?xbf16>, memref<?x?xbf16>)
              outs(%d[n, m] : memref<?x?xbf16>) accumulate(f32)
  return
}
