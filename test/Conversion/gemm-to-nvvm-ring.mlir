// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TMA copies and the mbarriers they arrive on (PTX ISA, "cp.async.bulk.tensor", "mbarrier").
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gpu.module(convert-gemm-to-nvvm))' --split-input-file
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

// An mbarrier is 8 bytes. One thread makes them, for one arrival each: its own, with the bytes
// to expect. The fence makes them known to the copy engine, the barrier to the other threads.
// CHECK-LABEL: llvm.func @ring(
// CHECK-SAME: %[[STAGE:[a-z0-9]*]]: i32, %[[PARITY:[a-z0-9]*]]: i32)
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[RING:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: %[[C0:.*]] = arith.constant 0 : i32
// CHECK: %[[LEADER:.*]] = arith.cmpi eq, %[[TID]], %[[C0]]
// CHECK-NEXT: scf.if %[[LEADER]] {
// CHECK-NEXT: %[[FIRST:.*]] = llvm.inttoptr %[[RING]] : i32 to !llvm.ptr<3>
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-NEXT: nvvm.mbarrier.init %[[FIRST]], %[[C1]]
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[RING]], %[[C8]]
// CHECK-NEXT: %[[SECOND:.*]] = llvm.inttoptr %[[AT]] : i32 to !llvm.ptr<3>
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-NEXT: nvvm.mbarrier.init %[[SECOND]], %[[C1]]
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.barrier0
//
// One thread arrives and says what is to come.
// CHECK: %[[LEADER:.*]] = arith.cmpi eq, %[[TID]], %{{.*}}
// CHECK-NEXT: scf.if %[[LEADER]] {
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %[[STAGE]], %[[C8]]
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[RING]], %[[OFFSET]]
// CHECK-NEXT: %[[BARRIER:.*]] = llvm.inttoptr %[[AT]] : i32 to !llvm.ptr<3>
// CHECK-NEXT: %[[BYTES:.*]] = arith.constant 16384 : i32
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[BARRIER]], %[[BYTES]]
// CHECK-NEXT: }
//
// Everybody waits for the phase.
// CHECK: %[[OFFSET:.*]] = arith.muli %[[STAGE]], %{{.*}} : i32
// CHECK: %[[AT:.*]] = arith.addi %[[RING]], %[[OFFSET]]
// CHECK: %[[BARRIER:.*]] = llvm.inttoptr %[[AT]] : i32 to !llvm.ptr<3>
// CHECK: nvvm.mbarrier.try_wait.parity %[[BARRIER]], %[[PARITY]], %{{.*}} : !llvm.ptr<3>, i32, i32
gpu.module @kernels {
  gemm.kernel @ring(%stage: i32 {gemm.role = #gemm.role<extent "m">}, %parity: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 128 : i32, target = #gemm.target<"sm_90a">} {
    %ring = gemm.ring_init : !gemm.ring<2>
    gemm.ring_expect %ring[%stage] bytes 16384 : !gemm.ring<2>
    gemm.ring_wait %ring[%stage] parity %parity : !gemm.ring<2>
    gemm.return
  }
}

// -----

!s = !gemm.shared<64x128xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>

// Two panels of 128 bytes are two boxes, 64 rows x 128 bytes apart in shared memory and 64
// elements along k in the matrix. Coordinates are innermost first: k, row, batch. Bounds are
// the tensor map's. The swizzle is done by the engine: no XOR here.
// CHECK-LABEL: llvm.func @tma(
// CHECK-SAME: %[[MAP:[a-z0-9]*]]: !llvm.ptr {{{.*}}nvvm.grid_constant},
// CHECK-SAME: %[[BATCH:[a-z0-9]*]]: i32, %[[ROW:[a-z0-9]*]]: i32, %[[K:[a-z0-9]*]]: i32)
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: nvvm.barrier0
// CHECK-NOT: arith.xori
// CHECK: %[[TILE:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: %[[BARRIER:.*]] = llvm.inttoptr %{{.*}} : i32 to !llvm.ptr<3>
// CHECK: %[[LEADER:.*]] = arith.cmpi eq, %[[TID]], %{{.*}}
// CHECK-NEXT: scf.if %[[LEADER]] {
// CHECK: %[[P:.*]] = llvm.inttoptr %[[TILE]] : i32 to !llvm.ptr<3>
// CHECK-NEXT: %[[DEST:.*]] = llvm.addrspacecast %[[P]] : !llvm.ptr<3> to !llvm.ptr<7>
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[DEST]], %[[MAP]], %[[BARRIER]], box[%[[K]], %[[ROW]], %[[BATCH]]]
// CHECK: %[[C64:.*]] = arith.constant 64 : i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %[[C64]]
// CHECK: %[[C8192:.*]] = arith.constant 8192 : i32
// CHECK: %[[AT:.*]] = arith.addi %[[TILE]], %[[C8192]]
// CHECK: %[[P:.*]] = llvm.inttoptr %[[AT]] : i32 to !llvm.ptr<3>
// CHECK-NEXT: %[[DEST:.*]] = llvm.addrspacecast %[[P]] : !llvm.ptr<3> to !llvm.ptr<7>
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[DEST]], %[[MAP]], %[[BARRIER]], box[%[[NEXT]], %[[ROW]], %[[BATCH]]]
// CHECK-NEXT: }
// CHECK-NOT: nvvm.cp.async.bulk.tensor
// CHECK: llvm.return
gpu.module @kernels {
  gemm.kernel @tma(%A: !gemm.tensor_map<?x?x?xbf16, row> {gemm.role = #gemm.role<operand 0>},
                   %batch: i32 {gemm.role = #gemm.role<extent "batch">}, %row: i32 {gemm.role = #gemm.role<extent "m">},
                   %k: i32 {gemm.role = #gemm.role<extent "k">})
      attributes {block = 128 : i32, target = #gemm.target<"sm_90a">} {
    %ring = gemm.ring_init : !gemm.ring<1>
    %s = gemm.alloc_shared "a" : !s
    %t = gemm.copy_start %A[%batch, %row, %k] within [%row, %k] to %s <tma> on %ring[%k] : !gemm.tensor_map<?x?x?xbf16, row> -> !s, !gemm.ring<1>
    gemm.return
  }
}

// -----

!s = !gemm.shared<64x64xbf16, col, <panel = 64, pitch = 128, xor_bits = 3>>

// A matrix contiguous along its rows: the innermost coordinate is the row.
// CHECK-LABEL: llvm.func @tma_col(
// CHECK-SAME: %[[ROW:[a-z0-9]*]]: i32, %[[K:[a-z0-9]*]]: i32)
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%[[ROW]], %[[K]]]
gpu.module @kernels {
  gemm.kernel @tma_col(%A: !gemm.tensor_map<?x?xbf16, col> {gemm.role = #gemm.role<operand 0>},
                       %row: i32 {gemm.role = #gemm.role<extent "m">}, %k: i32 {gemm.role = #gemm.role<extent "k">})
      attributes {block = 128 : i32, target = #gemm.target<"sm_90a">} {
    %ring = gemm.ring_init : !gemm.ring<1>
    %s = gemm.alloc_shared "a" : !s
    %t = gemm.copy_start %A[%row, %k] within [%row, %k] to %s <tma> on %ring[%k] : !gemm.tensor_map<?x?xbf16, col> -> !s, !gemm.ring<1>
    gemm.return
  }
}
