// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies by threads, and what waits for them.
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gpu.module(convert-gemm-to-nvvm))' --split-input-file
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

!s = !gemm.shared<8x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>

// 8 lines of 128 bytes are 64 runs of 16: one for each of 64 threads. Eight lanes take a line,
// so that a warp reads four whole lines.
// CHECK-LABEL: llvm.func @cp_async(
// CHECK-SAME: %[[A:[a-z0-9]*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[LD:[a-z0-9]*]]: i64,
// CHECK-SAME: %[[ROWS:[a-z0-9]*]]: i32, %[[K:[a-z0-9]*]]: i32, %[[ROW0:[a-z0-9]*]]: i32, %[[K0:[a-z0-9]*]]: i32)
// CHECK-DAG: %[[LANE:.*]] = arith.andi %{{.*}}, %{{.*}} : i32
// CHECK-DAG: %[[WARP:.*]] = nvvm.shfl.sync
// CHECK: %[[CHUNK:.*]] = arith.andi %[[LANE]], %[[C7:.*]] : i32
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[POS:.*]] = arith.muli %[[CHUNK]], %[[C8]]
// CHECK: %[[C3:.*]] = arith.constant 3 : i32
// CHECK: %[[INWARP:.*]] = arith.shrui %[[LANE]], %[[C3]]
// CHECK: %[[C4:.*]] = arith.constant 4 : i32
// CHECK: %[[OFWARP:.*]] = arith.muli %[[WARP]], %[[C4]]
// CHECK: %[[LINE:.*]] = arith.addi %[[INWARP]], %[[OFWARP]]
// The destination's offset, swizzled: bits 4 to 6 ^= bits 7 to 9.
// CHECK: %[[C128:.*]] = arith.constant 128 : i32
// CHECK: %[[OFLINE:.*]] = arith.muli %[[LINE]], %[[C128]]
// CHECK: %[[OFPOS:.*]] = arith.muli %[[POS]], %{{.*}} : i32
// CHECK: %[[FLAT:.*]] = arith.addi %[[OFLINE]], %[[OFPOS]]
// CHECK: %[[C7:.*]] = arith.constant 7 : i32
// CHECK: %[[HIGH:.*]] = arith.shrui %[[FLAT]], %[[C7]]
// CHECK: %[[C7:.*]] = arith.constant 7 : i32
// CHECK: %[[BITS:.*]] = arith.andi %[[HIGH]], %[[C7]]
// CHECK: %[[C4:.*]] = arith.constant 4 : i32
// CHECK: %[[MASK:.*]] = arith.shli %[[BITS]], %[[C4]]
// CHECK: %[[SWIZZLED:.*]] = arith.xori %[[FLAT]], %[[MASK]]
// CHECK: %[[ROW:.*]] = arith.addi %[[ROW0]], %[[LINE]]
// CHECK: %[[ADDRESS:.*]] = arith.addi %{{.*}}, %[[SWIZZLED]]
// CHECK: %[[DEST:.*]] = llvm.inttoptr %[[ADDRESS]] : i32 to !llvm.ptr<3>
// Of the run's 8 elements those exist that are below k. They are counted before they are
// made bytes, which for a long k do not fit 32 bits. The copy fills the rest with zeros and
// reads nothing at size 0 (PTX ISA, "cp.async", src-size).
// CHECK: %[[AT:.*]] = arith.addi %[[K0]], %[[POS]]
// CHECK: %[[REST:.*]] = arith.subi %[[K]], %[[AT]]
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[MOST:.*]] = arith.minsi %[[REST]], %[[C8]]
// CHECK: %[[C0:.*]] = arith.constant 0 : i32
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[MOST]], %[[C0]]
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: %[[SIZE:.*]] = arith.muli %[[LEAST]], %[[C2]]
// Rows past the last read that one.
// CHECK: %[[M1:.*]] = arith.constant -1 : i32
// CHECK: %[[LAST:.*]] = arith.addi %[[ROWS]], %[[M1]]
// CHECK: %[[CLAMPED:.*]] = arith.minsi %[[ROW]], %[[LAST]]
// Global addresses are 64-bit: what the tile adds, then what the thread adds.
// CHECK: %[[K0L:.*]] = arith.extui %[[K0]] : i32 to i64
// CHECK: %[[ROWL:.*]] = arith.extui %[[CLAMPED]] : i32 to i64
// CHECK: %[[LINES:.*]] = arith.muli %[[ROWL]], %[[LD]] : i64
// CHECK: %[[POSL:.*]] = arith.extui %[[POS]] : i32 to i64
// CHECK: %[[THREAD:.*]] = arith.addi %[[LINES]], %[[POSL]] : i64
// CHECK: %[[BYTES:.*]] = arith.muli %[[K0L]], %{{.*}} : i64
// CHECK: %[[TILE:.*]] = llvm.getelementptr inbounds %[[A]][%[[BYTES]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: %[[BYTES:.*]] = arith.muli %[[THREAD]], %{{.*}} : i64
// CHECK: %[[SRC:.*]] = llvm.getelementptr inbounds %[[TILE]][%[[BYTES]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// 16 bytes may bypass L1 (cp.async.cg); smaller ones cannot.
// CHECK-NEXT: nvvm.cp.async.shared.global %[[DEST]], %[[SRC]], 16, cache = cg, %[[SIZE]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: llvm.return
gpu.module @kernels {
  gemm.kernel @cp_async(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                        %rows: i32 {gemm.role = #gemm.role<extent "m">}, %k: i32 {gemm.role = #gemm.role<extent "k">},
                        %row0: i32 {gemm.role = #gemm.role<extent "n">}, %k0: i32 {gemm.role = #gemm.role<extent "batch">})
      attributes {block = 64 : i32, target = #gemm.target<"sm_80">} {
    %s = gemm.alloc_shared "a" : !s
    %t = gemm.copy_start %A[%row0, %k0] within [%rows, %k] to %s <cp_async 16> : !gemm.view<?x?xf16, row> -> !s
    gemm.return
  }
}

// -----

!s = !gemm.shared<8x64xf16, col, <panel = 8, pitch = 16>>

// Rows contiguous: a run is 8 rows of one k. Past k it has size zero; the rows that exist
// limit it otherwise.
// CHECK-LABEL: llvm.func @cp_async_col(
// CHECK-SAME: %[[ROWS:[a-z0-9]*]]: i32, %[[K:[a-z0-9]*]]: i32, %[[ROW0:[a-z0-9]*]]: i32, %[[K0:[a-z0-9]*]]: i32)
// CHECK: %[[AT:.*]] = arith.addi %[[K0]], %{{.*}} : i32
// CHECK: %[[REST:.*]] = arith.subi %[[ROWS]], %[[ROW0]]
// CHECK: %[[MOST:.*]] = arith.minsi %[[REST]],
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[MOST]],
// CHECK: %[[BYTES:.*]] = arith.muli %[[LEAST]],
// CHECK: %[[INK:.*]] = arith.cmpi slt, %[[AT]], %[[K]]
// CHECK: %[[C0:.*]] = arith.constant 0 : i32
// CHECK: %[[SIZE:.*]] = arith.select %[[INK]], %[[BYTES]], %[[C0]]
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[SIZE]]
gpu.module @kernels {
  gemm.kernel @cp_async_col(%A: !gemm.view<?x?xf16, col> {gemm.role = #gemm.role<operand 0>},
                            %rows: i32 {gemm.role = #gemm.role<extent "m">}, %k: i32 {gemm.role = #gemm.role<extent "k">},
                            %row0: i32 {gemm.role = #gemm.role<extent "n">}, %k0: i32 {gemm.role = #gemm.role<extent "batch">})
      attributes {block = 64 : i32, target = #gemm.target<"sm_80">} {
    %s = gemm.alloc_shared "a" : !s
    %t = gemm.copy_start %A[%row0, %k0] within [%rows, %k] to %s <cp_async 16> : !gemm.view<?x?xf16, col> -> !s
    gemm.return
  }
}

// -----

!s = !gemm.shared<8x16xf32, row, <panel = 16, pitch = 64>>

// Batched, 4 bytes at a time: two runs a thread, of lines four apart. The batch adds its
// stride to the tile's part of the address. Narrow copies go through L1.
// CHECK-LABEL: llvm.func @cp_async_batch(
// CHECK-SAME: %[[A:[a-z0-9]*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[LD:[a-z0-9]*]]: i64, %[[STRIDE:[a-z0-9]*]]: i64,
// CHECK-SAME: %[[N:[a-z0-9]*]]: i32, %[[BATCH:[a-z0-9]*]]: i32)
// CHECK: %[[BATCHL:.*]] = arith.extui %[[BATCH]] : i32 to i64
// CHECK: arith.muli %[[BATCHL]], %[[STRIDE]] : i64
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca, %{{.*}}
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca, %{{.*}}
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: llvm.return
gpu.module @kernels {
  gemm.kernel @cp_async_batch(%A: !gemm.view<?x?x?xf32, row> {gemm.role = #gemm.role<operand 0>},
                              %n: i32 {gemm.role = #gemm.role<extent "n">}, %batch: i32 {gemm.role = #gemm.role<extent "batch">})
      attributes {block = 64 : i32, target = #gemm.target<"sm_80">} {
    %s = gemm.alloc_shared "a" : !s
    %t = gemm.copy_start %A[%batch, %n, %n] within [%n, %n] to %s <cp_async 4> : !gemm.view<?x?x?xf32, row> -> !s
    gemm.return
  }
}

// -----

!s = !gemm.shared<16x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>

// Through registers, two runs of 16 bytes: both loads before both stores, so that they
// overlap. Past k the tile's first k is read, which exists, and zero is stored.
// CHECK-LABEL: llvm.func @registers(
// CHECK-SAME: %[[ROWS:[a-z0-9]*]]: i32, %[[K:[a-z0-9]*]]: i32, %[[ROW0:[a-z0-9]*]]: i32, %[[K0:[a-z0-9]*]]: i32)
// CHECK: %[[ZERO:.*]] = llvm.mlir.zero : vector<4xi32>
// CHECK: %[[AT:.*]] = arith.addi %[[K0]], %[[POS:.*]] : i32
// CHECK: %[[INK:.*]] = arith.cmpi slt, %[[AT]], %[[K]]
// CHECK: %[[LAST:.*]] = arith.addi %[[ROWS]], %{{.*}} : i32
// CHECK: %[[CLAMPED:.*]] = arith.minsi %{{.*}}, %[[LAST]]
// CHECK: %[[C0:.*]] = arith.constant 0 : i32
// CHECK: %[[SAFE:.*]] = arith.select %[[INK]], %[[POS]], %[[C0]]
// CHECK: arith.extui %[[CLAMPED]] : i32 to i64
// CHECK: arith.extui %[[SAFE]] : i32 to i64
// CHECK: %[[LOADED:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: %[[FIRST:.*]] = arith.select %[[INK]], %[[LOADED]], %[[ZERO]]
// CHECK: %[[LOADED:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: %[[SECOND:.*]] = arith.select %{{.*}}, %[[LOADED]], %[[ZERO]]
// CHECK-NEXT: llvm.store %[[FIRST]], %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NEXT: llvm.store %[[SECOND]], %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
gpu.module @kernels {
  gemm.kernel @registers(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                         %rows: i32 {gemm.role = #gemm.role<extent "m">}, %k: i32 {gemm.role = #gemm.role<extent "k">},
                         %row0: i32 {gemm.role = #gemm.role<extent "n">}, %k0: i32 {gemm.role = #gemm.role<extent "batch">})
      attributes {block = 64 : i32, target = #gemm.target<"sm_70">} {
    %s = gemm.alloc_shared "a" : !s
    %t = gemm.copy_start %A[%row0, %k0] within [%rows, %k] to %s <registers 16> : !gemm.view<?x?xf16, row> -> !s
    gemm.return
  }
}

// -----

!s = !gemm.shared<8x8xf16, row, <panel = 8, pitch = 16>>

// One element at a time, the fallback for any pointer and pitch.
// CHECK-LABEL: llvm.func @elements(
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK: llvm.store %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
// CHECK-NOT: llvm.load
gpu.module @kernels {
  gemm.kernel @elements(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                        %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 64 : i32, target = #gemm.target<"sm_70">} {
    %s = gemm.alloc_shared "a" : !s
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <registers 2> : !gemm.view<?x?xf16, row> -> !s
    gemm.return
  }
}

// -----

!s = !gemm.shared<16x8xf32, row, <panel = 8, pitch = 36>>

// Lines 4 bytes longer than their elements: 16 bytes are read at once, and are stored at
// addresses that are multiples of 4 only.
// CHECK-LABEL: llvm.func @padded(
// CHECK-NOT: scf.if
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<4xi32>, !llvm.ptr<3>
//
// The same tile has 32 runs; of 64 threads half have nothing to do.
// CHECK-LABEL: llvm.func @small(
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %[[TID]], %[[C32]]
// CHECK: scf.if %[[FEW]] {
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK: }
gpu.module @kernels {
  gemm.kernel @padded(%A: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 0>},
                      %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %s = gemm.alloc_shared "a" : !s
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <registers 16> : !gemm.view<?x?xf32, row> -> !s
    gemm.return
  }

  gemm.kernel @small(%A: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 0>},
                     %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 64 : i32, target = #gemm.target<"sm_70">} {
    %s = gemm.alloc_shared "a" : !s
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <registers 16> : !gemm.view<?x?xf32, row> -> !s
    gemm.return
  }
}

// -----

!s = !gemm.shared<128x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>

// 1024 runs over 32 threads are 32 each: a loop, as little code as 16 of them.
// CHECK-LABEL: llvm.func @many(
// CHECK: scf.for
// CHECK-COUNT-16: nvvm.cp.async.shared.global
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: llvm.return
gpu.module @kernels {
  gemm.kernel @many(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                    %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %s = gemm.alloc_shared "a" : !s
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <cp_async 16> : !gemm.view<?x?xf16, row> -> !s
    gemm.return
  }
}

// -----

!s = !gemm.shared<8x64xf16, row, <panel = 64, pitch = 128>>

// Groups, waits, fences. A finish outside a pipeline waits for everything; copies through
// registers are done when they are issued.
// CHECK-LABEL: llvm.func @waits(
// CHECK: nvvm.cp.async.shared.global
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 2
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: llvm.store
// CHECK-NOT: group
// CHECK: llvm.return
gpu.module @kernels {
  gemm.kernel @waits(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                     %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 64 : i32, target = #gemm.target<"sm_80">} {
    %s = gemm.alloc_shared "a" : !s
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <cp_async 16> : !gemm.view<?x?xf16, row> -> !s
    gemm.copy_commit
    gemm.copy_wait 2
    gemm.copy_finish %t
    gemm.barrier
    gemm.fence_async
    %u = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <registers 16> : !gemm.view<?x?xf16, row> -> !s
    gemm.copy_finish %u
    gemm.return
  }
}
