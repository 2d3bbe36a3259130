// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One case per message. The cases differ in the schedule, so each is a run of its own
// over all functions; the check is for the one it is about.
//
// RUN: not gemm-opt %s --split-input-file "--gemm-select-schedule=target=sm_91" 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: unknown target 'sm_91'; the known ones are sm_70, sm_75, sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a
//
// RUN: not gemm-opt %s --split-input-file "--gemm-select-schedule=schedule=wmma" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: unknown schedule 'wmma'; the named ones are smem, mma-sync, wgmma, and #gemm.schedule<...> is one written out
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.tile<32x32x32>"' 2>&1 | FileCheck %s --check-prefix=NOSCHEDULE
// NOSCHEDULE: error: option 'schedule' is no #gemm.schedule: #gemm.tile<32x32x32>
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 32x32x32, swizzle = 3>"' 2>&1 | FileCheck %s --check-prefix=FIELD
// FIELD: error: a schedule has no 'swizzle'; it has tile, mma, copy, bank, pipeline, epilogue, work
// FIELD-NOT: is no #gemm.schedule
//
// RUN: not gemm-opt %s --split-input-file "--gemm-select-schedule=schedule=smem" 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: 'gemm.matmul' op operand A of type 'memref<?x?xf32, strided<[?, ?]>>' does not say which of m and k is contiguous; give its layout a stride of 1
//
// What the target does not have, and what would do instead.
// RUN: not gemm-opt %s --split-input-file "--gemm-select-schedule=target=sm_80 schedule=wgmma" 2>&1 | FileCheck %s --check-prefix=WGMMA80
// WGMMA80: error: 'gemm.matmul' op cannot use schedule 'wgmma': sm_80 has no wgmma 64x256x16 that multiplies operand A of bf16 by operand B of bf16 into f32; schedule 'mma-sync' or 'smem' would accept it
//
// RUN: not gemm-opt %s --split-input-file "--gemm-select-schedule=schedule=mma-sync" 2>&1 | FileCheck %s --check-prefix=F32
// F32: error: 'gemm.matmul' op cannot use schedule 'mma-sync': sm_90a has no mma_sync 16x8x16 that multiplies operand A of f32 by operand B of f32 into f32; schedule 'smem' would accept it
//
// RUN: not gemm-opt %s --split-input-file "--gemm-select-schedule=target=sm_90a" 2>&1 | FileCheck %s --check-prefix=FP8
// FP8: error: 'gemm.matmul' op has no schedule on sm_90a:
// FP8-NEXT: wgmma: sm_90a has no wgmma 64x256x16 that multiplies operand A of f8E4M3FN by operand B of f8E4M3FN into f32
// FP8-NEXT: mma-sync: sm_90a has no mma_sync 16x8x16 that multiplies operand A of f8E4M3FN by operand B of f8E4M3FN into f32
// FP8-NEXT: smem: sm_90a has no fma 1x1x1 that multiplies operand A of f8E4M3FN by operand B of f8E4M3FN into f32
//
// What the target has and no kernel is made of.
// RUN: not gemm-opt %s --split-input-file "--gemm-select-schedule=target=sm_90a" 2>&1 | FileCheck %s --check-prefix=EMITTED
// EMITTED: wgmma: kernels cannot use it yet: wgmma takes f16 or bf16 operands, both the same, and an f32 accumulator, not f16 x f16 -> f16
// EMITTED-NEXT: mma-sync: kernels cannot use it yet: mma_sync takes f16 or bf16 operands, both the same, and an f32 accumulator, not f16 x f16 -> f16
// EMITTED-NEXT: smem: sm_90a has no fma 1x1x1 that multiplies operand A of f16 by operand B of f16 into f16
//
// RUN: not gemm-opt %s --split-input-file "--gemm-select-schedule=target=sm_90a schedule=mma-sync" 2>&1 | FileCheck %s --check-prefix=F64
// F64: error: 'gemm.matmul' op cannot use schedule 'mma-sync': kernels cannot use it yet: mma_sync takes f16 or bf16 operands, both the same, and an f32 accumulator, not f64 x f64 -> f64; schedule 'smem' would accept it
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>, copy = [<registers 8>, <registers 8>], bank = [<padded 4>, <padded 4>], epilogue = <registers 8>>"' 2>&1 | FileCheck %s --check-prefix=PADDED
// PADDED: error: 'gemm.matmul' op cannot use the given schedule: the shared tile of operand A cannot be padded: lines of 8-byte elements cannot be 4 bytes longer; pad by a multiple of 8
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 128x256x64, mma = <wgmma 64x256x32, warps = 8x1>, copy = [<tma>, <tma>], bank = [<panel 128>, <panel 128>], pipeline = <stages = 2>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=MAJOR
// MAJOR: error: 'gemm.matmul' op cannot use the given schedule: wgmma reads operand B contiguous along k only, as its elements are 8 bits wide, and it is contiguous along n
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=target=sm_75 schedule="#gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x8, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=ENGINE
// ENGINE: error: 'gemm.matmul' op cannot use the given schedule: sm_75 has no cp_async to copy operand A with; use <registers 16>; schedule 'mma-sync' or 'smem' would accept it
//
// Tiles that cannot be laid out, copied or staged.
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <registers 1>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: error: 'gemm.matmul' op cannot use the given schedule: copies of 1 bytes are narrower than the 2-byte elements of operand B; schedule 'wgmma' or 'mma-sync' or 'smem' would accept it
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 128x256x96, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=BANK
// BANK: error: 'gemm.matmul' op cannot use the given schedule: the shared tile of operand A cannot be xor: an XOR swizzle needs lines of a power of two of at least 32 bytes, and these are 192 bytes
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 512x64x64, mma = <wgmma 64x64x16, warps = 8x1>, copy = [<tma>, <tma>], bank = [<panel 128>, <panel 128>], pipeline = <stages = 2>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=BOX
// BOX: error: 'gemm.matmul' op cannot use the given schedule: a tma copy moves at most 256 lines, and the shared tile of operand A has 512
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 128x256x48, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<padded 16>, <padded 16>], pipeline = <stages = 2>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: error: 'gemm.matmul' op cannot use the given schedule: operand A: a 128x48 tile cannot be copied in runs of 8 by 256 threads: the runs of a row do not divide a warp
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <registers 1>>"' 2>&1 | FileCheck %s --check-prefix=STORE
// STORE: error: 'gemm.matmul' op cannot use the given schedule: an epilogue that stores 1 bytes at a time is narrower than the 2-byte elements of result D
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 128x96x64, mma = <mma_sync 16x8x16, warps = 2x2>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: error: 'gemm.matmul' op cannot use the given schedule: result D cannot be staged: a 128x96 tile cannot be copied in runs of 8 by 128 threads: the runs of a row do not divide a warp
//
// Resources: by how much, and what would fit.
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 256x256x64, mma = <mma_sync 16x8x16, warps = 16x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: 'gemm.matmul' op cannot use the given schedule: runs 2048 threads, 1024 more than the 1024 of a CTA on sm_90a; use fewer warps
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 256x256x32, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2, fragments = 2>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: error: 'gemm.matmul' op cannot use the given schedule: needs at least 352 registers of a thread (256 for accumulators, 96 for fragments), 97 more than the 255 that one of 256 threads has on sm_90a; a tile of 256x128x32 would fit
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 128x256x64, mma = <wgmma 64x256x16, warps = 8x1>, copy = [<tma>, <tma>], bank = [<panel 128>, <panel 128>], pipeline = <stages = 6, in_flight = 1>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: error: 'gemm.matmul' op cannot use the given schedule: needs 294960 bytes of shared memory, 62512 more than the 232448 of a CTA on sm_90a; 4 stages would fit
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 128x256x256, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 1>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=SMALLER
// SMALLER: error: 'gemm.matmul' op cannot use the given schedule: needs 196608 bytes of shared memory, 29696 more than the 166912 of a CTA on sm_80; a tile of 128x128x256 would fit
//
// What the types rule out.
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=GUARD
// GUARD: error: 'gemm.matmul' op cannot use the given schedule: its guard pitch(A) 8 never holds, as the stride of A along m is 4097; copy and store fewer bytes at a time
//
// RUN: not gemm-opt %s --split-input-file '--gemm-select-schedule=schedule="#gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<registers 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>"' 2>&1 | FileCheck %s --check-prefix=RUNNEVER
// RUNNEVER: error: 'gemm.matmul' op cannot use the given schedule: its guard divisible(m) 8 never holds, as m is 4097; copy and store fewer bytes at a time
//
// RUN: not gemm-opt %s --split-input-file "--gemm-select-schedule=schedule=smem" 2>&1 | FileCheck %s --check-prefix=DROPPED
// DROPPED: remark: schedule 'smem' goes without its aligned entry: pitch(A) 8 never holds, as the stride of A along m is 4097

func.func @bf16(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xbf16>, memref<?x?xbf16>)
              outs(%d[m, n] : memref<?x?xbf16>) accumulate(f32)
  return
}

// -----

func.func @f32(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
  return
}

// -----

func.func @fp8(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[k, n] : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @f16_on_the_first_mma_sync(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @own_target(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xbf16>, memref<?x?xbf16>)
              outs(%d[m, n] : memref<?x?xbf16>) accumulate(f32)
              attributes {target = #gemm.target<"sm_80">}
  return
}

// -----

func.func @odd_stride(%a: memref<?x4097xf16>, %b: memref<?x4097xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x4097xf16>, memref<?x4097xf16>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
  return
}

// -----

func.func @odd_extent(%a: memref<?x4097xf16, strided<[4104, 1]>>, %b: memref<?x?xf16>, %d: memref<4097x?xf16>) {
  gemm.matmul ins(%a[k, m], %b[n, k] : memref<?x4097xf16, strided<[4104, 1]>>, memref<?x?xf16>)
              outs(%d[m, n] : memref<4097x?xf16>) accumulate(f32)
  return
}

// -----

func.func @any_strides(%a: memref<?x?xf32, strided<[?, ?]>>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf32, strided<[?, ?]>>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
  return
}

// -----

func.func @f16_accumulator(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f16)
  return
}

// -----

func.func @f64(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %d: memref<?x?xf64>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf64>, memref<?x?xf64>)
              outs(%d[m, n] : memref<?x?xf64>) accumulate(f64)
  return
}
