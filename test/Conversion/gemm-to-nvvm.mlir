// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, work items, shared memory and what the host must know. The other ops are in
// gemm-to-nvvm-*.mlir.
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gpu.module(convert-gemm-to-nvvm))' --split-input-file
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

// A view is a pointer to global memory, for a matrix its leading dimension, for a batch the
// stride between matrices. A tensor map is a parameter of 128 bytes, aligned to 64 (CUDA driver
// API, CUtensorMap), that TMA reads where it lies: a grid constant. A and B are read only and
// overlap nothing; the epilogue's operands may be D itself.
// CHECK-LABEL: gpu.module @signature
// CHECK: llvm.func @kernel(
// CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
// CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %{{[a-z0-9]*}}: i64,
// CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr<1>,
// CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr<1>, %{{[a-z0-9]*}}: i64, %{{[a-z0-9]*}}: i64,
// CHECK-SAME: %{{[a-z0-9]*}}: i32, %{{[a-z0-9]*}}: f32)
//
// The description of the entry (docs/Artifact.md, "entries"). The tensor map's box is one panel
// of the tile it fills, innermost first: 128 bytes are 64 bf16, of 128 rows.
// CHECK-SAME: gemm.entry = {block = 128 : i64, cluster = [1, 1, 1], grid = {cols = "n", kind = "tiles", raster = 1 : i64, rows = "m", tile = [128, 8]}
// CHECK-SAME: guard = [{kind = "align", operand = 1 : i64, value = 16 : i64}, {kind = "pitch", operand = 3 : i64, value = 8 : i64},
// CHECK-SAME: {dim = "k", kind = "extent_divisible", value = 8 : i64}, {dim = "m", kind = "extent_at_most", value = 64 : i64}, {kind = "batch_at_most", value = 1 : i64}]
// CHECK-SAME: name = "kernel"
// CHECK-SAME: params = [{box = [64, 128], kind = "tensor_map", operand = 0 : i64, swizzle = 128 : i64},
// CHECK-SAME: {kind = "pointer", operand = 1 : i64}, {kind = "stride", operand = 1 : i64},
// CHECK-SAME: {kind = "pointer", operand = 2 : i64},
// CHECK-SAME: {kind = "pointer", operand = 3 : i64}, {kind = "stride", operand = 3 : i64}, {kind = "batch_stride", operand = 3 : i64},
// CHECK-SAME: {dim = "m", kind = "extent"}, {index = 0 : i64, kind = "scalar"}]
// CHECK-SAME: schedule = "#gemm.schedule<tile = 128x8x64,
// 128 x 64 x 2 bytes of the tile and one mbarrier of 8.
// CHECK-SAME: shared_bytes = 16392 : i64
// CHECK-SAME: workspace = {kind = "none"}
// CHECK-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 128>
//
// Who a thread is: its lane, and its warp as a value that all lanes share.
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
// CHECK: %[[C31:.*]] = arith.constant 31 : i32
// CHECK: arith.andi %[[TID]], %[[C31]]
// CHECK: %[[C5:.*]] = arith.constant 5 : i32
// CHECK: %[[WARP:.*]] = arith.shrui %[[TID]], %[[C5]]
// CHECK: nvvm.shfl.sync idx %{{.*}}, %[[WARP]], %{{.*}}, %{{.*}} : i32 -> i32
// CHECK: llvm.return
gpu.module @signature attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], scalars = [], static = {},
                                           operands = [{batched = false, dims = ["m", "k"], name = "A", order = "row", role = "a", type = "f16"},
                                                       {batched = false, dims = ["n", "k"], name = "B", order = "row", role = "b", type = "f16"},
                                                       {batched = false, dims = ["n"], name = "E0", role = "epilogue", type = "f16"},
                                                       {batched = false, dims = ["m", "n"], name = "D", order = "row", role = "d", type = "f16"}]}} {
  gemm.kernel @kernel(%A: !gemm.tensor_map<?x?xbf16, row> {gemm.role = #gemm.role<operand 0>},
                      %B: !gemm.view<?x?xbf16, row> {gemm.role = #gemm.role<operand 1>},
                      %bias: !gemm.view<?xf32> {gemm.role = #gemm.role<operand 2>},
                      %D: !gemm.view<?x?x?xf16, row> {gemm.role = #gemm.role<operand 3>},
                      %m: i32 {gemm.role = #gemm.role<extent "m">},
                      %alpha: f32 {gemm.role = #gemm.role<scalar 0>})
      attributes {block = 128 : i32, target = #gemm.target<"sm_90a">, grid = {cols = "n", kind = "tiles", raster = 1 : i64, rows = "m", tile = [128, 8]},
                  guard = #gemm.guard<[align(B) 16, pitch(D) 8, divisible(k) 8, at_most(m) 64, at_most(batch) 1]>,
                  schedule = #gemm.schedule<tile = 128x8x64, mma = <wgmma 64x8x16, warps = 4x1>,
                                            copy = [<tma>, <registers 2>], bank = [<panel 128>, <panel 128>],
                                            epilogue = <registers 4>>} {
    %ring = gemm.ring_init : !gemm.ring<1>
    %s = gemm.alloc_shared "a" : !gemm.shared<128x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    %t = gemm.copy_start %A[%m, %m] within [%m, %m] to %s <tma> on %ring[%m]
        : !gemm.tensor_map<?x?xbf16, row> -> !gemm.shared<128x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>, !gemm.ring<1>
    gemm.return
  }
}

// -----

// One CTA per tile. Within a batch, tiles go in groups of 8 tile rows, fewer in the last; in a
// group, down the rows first: row = first + i mod height, column = i / height.
// CHECK-LABEL: llvm.func @raster(
// CHECK-SAME: %[[M:[a-z0-9]*]]: i32, %[[N:[a-z0-9]*]]: i32, %[[K:[a-z0-9]*]]: i32, %[[BATCH:[a-z0-9]*]]: i32)
// ceil(m / 128) and ceil(n / 96) without overflow: (x - 1) / tile + 1.
// CHECK: %[[M1:.*]] = arith.addi %[[M]], %{{.*}} : i32
// CHECK: %[[C7:.*]] = arith.constant 7 : i32
// CHECK: %[[MQ:.*]] = arith.shrui %[[M1]], %[[C7]]
// CHECK: %[[TILESM:.*]] = arith.addi %[[MQ]], %{{.*}} : i32
// CHECK: %[[N1:.*]] = arith.addi %[[N]], %{{.*}} : i32
// CHECK: %[[C96:.*]] = arith.constant 96 : i32
// CHECK: %[[NQ:.*]] = arith.divui %[[N1]], %[[C96]]
// CHECK: %[[TILESN:.*]] = arith.addi %[[NQ]], %{{.*}} : i32
// CHECK: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK: %[[PERBATCH:.*]] = arith.muli %[[TILESM]], %[[TILESN]]
// CHECK: %[[B:.*]] = arith.divui %[[CTA]], %[[PERBATCH]]
// CHECK: %[[BEFORE:.*]] = arith.muli %[[B]], %[[PERBATCH]]
// CHECK: %[[TILE:.*]] = arith.subi %[[CTA]], %[[BEFORE]]
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[PERGROUP:.*]] = arith.muli %[[TILESN]], %[[C8]]
// CHECK: %[[GROUP:.*]] = arith.divui %[[TILE]], %[[PERGROUP]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[GROUP]], %{{.*}} : i32
// CHECK: %[[LEFT:.*]] = arith.subi %[[TILESM]], %[[FIRST]]
// CHECK: %[[HEIGHT:.*]] = arith.minsi %[[LEFT]], %{{.*}} : i32
// CHECK: %[[BEFORE:.*]] = arith.muli %[[GROUP]], %[[PERGROUP]]
// CHECK: %[[I:.*]] = arith.subi %[[TILE]], %[[BEFORE]]
// CHECK: %[[COL:.*]] = arith.divui %[[I]], %[[HEIGHT]]
// CHECK: %[[BELOW:.*]] = arith.muli %[[COL]], %[[HEIGHT]]
// CHECK: %[[REST:.*]] = arith.subi %[[I]], %[[BELOW]]
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[REST]]
// The item: batch, first row and column, and all of k.
// CHECK: %[[C128:.*]] = arith.constant 128 : i32
// CHECK: %[[M0:.*]] = arith.muli %[[ROW]], %[[C128]]
// CHECK: %[[N0:.*]] = arith.muli %[[COL]], %{{.*}} : i32
// CHECK: %[[C0:.*]] = arith.constant 0 : i32
// CHECK: llvm.call @item(%[[B]], %[[M0]], %[[N0]], %[[C0]], %[[K]])
gpu.module @work {
  llvm.func @item(i32, i32, i32, i32, i32)
  gemm.kernel @raster(%m: i32 {gemm.role = #gemm.role<extent "m">}, %n: i32 {gemm.role = #gemm.role<extent "n">},
                      %k: i32 {gemm.role = #gemm.role<extent "k">}, %batch: i32 {gemm.role = #gemm.role<extent "batch">})
      attributes {block = 128 : i32, target = #gemm.target<"sm_70">} {
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%batch, %m, %n, %k] tile [128, 96] <tiles, raster = 8> {
      llvm.call @item(%b, %m0, %n0, %kb, %ke) : (i32, i32, i32, i32, i32) -> ()
    }
    gemm.return
  }
}

// -----

#row = #gemm.layout<register[32:(1, 0)], lane[32:(0, 1)]>

// Shared memory is one array, aligned to 1024 bytes because the 128-byte swizzle repeats after
// eight lines of 128. Each tile starts at a multiple of that. The result is first used after
// the last use of A, so that it takes A's place; B is in use all the time and does not.
// CHECK-LABEL: gpu.module @shared
// Without its data layout, LLVM splits 64-bit accesses.
// CHECK-SAME: llvm.data_layout = "e-{{.*}}i64:64
// CHECK: llvm.mlir.global external @gemm_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @plan(
// A is 32 x 32 x 4 = 4096 bytes; B 4224, of 132 a line; both in two stages. The end of B,
// 8192 + 8448, is that of the kernel's memory; the mbarriers come after.
// CHECK-SAME: shared_bytes = 16656 : i64
// CHECK: %[[RBASE:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: %[[C16640:.*]] = arith.constant 16640 : i32
// CHECK: arith.addi %[[RBASE]], %[[C16640]]
// CHECK: %[[A:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: %[[BBASE:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: %[[C8192:.*]] = arith.constant 8192 : i32
// CHECK: %[[B:.*]] = arith.addi %[[BBASE]], %[[C8192]]
// CHECK: %[[D:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// A stage is the tile's bytes further on.
// CHECK: %[[C4096:.*]] = arith.constant 4096 : i32
// CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %[[C4096]]
// CHECK: arith.addi %[[A]], %[[AT]]
// CHECK: %[[C4224:.*]] = arith.constant 4224 : i32
// CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %[[C4224]]
// CHECK: arith.addi %[[B]], %[[AT]]
gpu.module @shared {
  gemm.kernel @plan(%n: i32 {gemm.role = #gemm.role<extent "n">}) attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %c0 = arith.constant 0 : i32
    %ring = gemm.ring_init : !gemm.ring<2>
    %a = gemm.alloc_shared "a" : !gemm.shared<32x32xf32, row, <panel = 32, pitch = 128>, stages = 2>
    %b = gemm.alloc_shared "b" : !gemm.shared<32x32xf32, row, <panel = 32, pitch = 132>, stages = 2>
    %d = gemm.alloc_shared "result" : !gemm.shared<32x32xf32, row, <panel = 32, pitch = 128>>
    %unused = gemm.alloc_shared "result" : !gemm.shared<32x32xf32, row, <panel = 32, pitch = 128>>
    %sa = gemm.slot %a[%n] : !gemm.shared<32x32xf32, row, <panel = 32, pitch = 128>, stages = 2> -> !gemm.shared<32x32xf32, row, <panel = 32, pitch = 128>>
    %sb = gemm.slot %b[%n] : !gemm.shared<32x32xf32, row, <panel = 32, pitch = 132>, stages = 2> -> !gemm.shared<32x32xf32, row, <panel = 32, pitch = 132>>
    %f = gemm.read_frag %sa[%c0, %c0] : !gemm.shared<32x32xf32, row, <panel = 32, pitch = 128>> -> !gemm.frag<32x32xf32, #row>
    gemm.write_frag %f, %d : !gemm.frag<32x32xf32, #row>, !gemm.shared<32x32xf32, row, <panel = 32, pitch = 128>>
    gemm.write_frag %f, %sb : !gemm.frag<32x32xf32, #row>, !gemm.shared<32x32xf32, row, <panel = 32, pitch = 132>>
    gemm.return
  }
}

// -----

// The PTX version is the lowest that has the target and what the kernels use: drivers are
// older than toolkits. The release notes of the PTX ISA: sm_75 came with 6.3, mma.m16n8k8 with
// 6.5; sm_70 with 6.0; sm_80 and cp.async with 7.0; sm_90a, TMA and wgmma with 8.0.
// CHECK-LABEL: gpu.module @target_only [#nvvm.target<O = 3, chip = "sm_75", features = "+ptx63">]
gpu.module @target_only {
  gemm.kernel @k() attributes {block = 32 : i32, target = #gemm.target<"sm_75">} {
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1)], lane[4:(0, 2), 8:(1, 0)]>

// CHECK-LABEL: gpu.module @instruction [#nvvm.target<O = 3, chip = "sm_75", features = "+ptx65">]
gpu.module @instruction {
  gemm.kernel @k() attributes {block = 32 : i32, target = #gemm.target<"sm_75">} {
    %a = gemm.zero : !gemm.frag<16x8xf16, #acc>
    %b = gemm.zero : !gemm.frag<8x8xf16, #b>
    %c = gemm.zero : !gemm.frag<16x8xf32, #acc>
    %d = gemm.mma %a, %b, %c by <mma_sync 16x8x8, warps = 1x1> : !gemm.frag<16x8xf16, #acc>, !gemm.frag<8x8xf16, #b>, !gemm.frag<16x8xf32, #acc>
    gemm.return
  }
}

// -----

// What is no gemm.kernel stays, and a module without one gets nothing.
// CHECK-LABEL: gpu.module @others {
// CHECK-NEXT: gpu.func @other
// CHECK-NOT: gemm_shared
gpu.module @others {
  gpu.func @other(%x: i32) kernel {
    gpu.return
  }
}

// -----

// CHECK-LABEL: gpu.module @beside
// CHECK: llvm.func @helper(i32)
// CHECK: llvm.func @k() attributes
gpu.module @beside {
  llvm.func @helper(i32)
  gemm.kernel @k() attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    gemm.return
  }
}
