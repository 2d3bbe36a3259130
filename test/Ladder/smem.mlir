// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rung `smem`: a tile of each operand in shared memory, one element of D per thread.
//
// Without it each thread reads a row of A and a column of B from global memory, 2k words for k
// multiplications. Here the 32 x 32 threads of a CTA load what they share once: a word from
// global memory is used 32 times.
//
//  1. A CTA computes a tile of 32 x 32, a thread one element: the lanes of a warp are along n,
//     the 32 warps along m.
//  2. It walks k in tiles of 32. All threads together copy 32 x 32 of A and of B to shared
//     memory, consecutive lanes consecutive words, so that a warp reads whole lines. What is
//     beyond k is stored as zero, which adds nothing.
//  3. A barrier: everything is there.
//  4. Each thread does 32 multiply-adds, each with a word of A, which is the same for all lanes
//     of a warp (a broadcast), and a word of B. Lines are a word longer than their elements, so
//     that 32 lines of one column are in 32 different banks.
//  5. A barrier: nobody reads any more, the next tile may come.
//  6. Each thread applies the epilogue to its element and stores it, if it is inside D.
//
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="schedule=smem to=scheduled" | FileCheck %s --check-prefix=SCHEDULED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="schedule=smem to=tiled" | FileCheck %s --check-prefix=TILED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="schedule=smem to=placed" | FileCheck %s --check-prefix=PLACED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="schedule=smem to=swizzled" | FileCheck %s --check-prefix=SWIZZLED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="schedule=smem to=pipelined" | FileCheck %s --check-prefix=PIPELINED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="schedule=smem to=thread" | FileCheck %s --check-prefix=THREAD
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="schedule=smem" | gemm-translate --gemm-to-artifact | FileCheck %s --check-prefix=PTX

// The schedule: one instruction, fma, and how threads share the tile. Copies go through
// registers, 16 bytes at a time if the operands allow it.
// SCHEDULED: #gemm.entry<when <[align(A) 16, pitch(A) 4, divisible(k) 4, align(B) 16, pitch(B) 4]>
// SCHEDULED-SAME: run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>, copy = [<registers 16>, <registers 16>], bank = [<padded 4>, <padded 4>], epilogue = <registers 4>>>
// SCHEDULED-SAME: #gemm.entry<when <> run <{{.*}}copy = [<registers 4>, <registers 4>]

// The tile and its walk along k; nothing has a home (1, 2, 6).
// TILED-LABEL: gemm.kernel @gemm_0(
// TILED: gemm.for_work (%{{.*}}, %[[M0:.*]], %[[N0:.*]], %[[KB:.*]], %[[KE:.*]]) over {{.*}} tile [32, 32]
// TILED: scf.for %[[K0:.*]] = %[[KB]] to %[[KE]] step %c32{{.*}}
// TILED-NEXT: gemm.load_tile %{{.*}}[%[[M0]], %[[K0]]] {{.*}} -> <32x32xf32>
// TILED-NEXT: gemm.load_tile %{{.*}}[%[[N0]], %[[K0]]] {{.*}} -> <32x32xf32>
// TILED-NEXT: gemm.mma
// TILED: gemm.map
// TILED: gemm.store_tile

// Homes: (1) the accumulator is a register of each thread, warps along m and lanes along n;
// shared tiles, copies and the two barriers around 32 steps of depth 1.
// PLACED-DAG: #[[ACC:.*]] = #gemm.layout<lane[32:(0, 1)], warp[32:(1, 0)]>
// PLACED-LABEL: gemm.kernel @gemm_0(
// PLACED-SAME: block = 1024 : i32
// PLACED: gemm.zero : !gemm.frag<32x32xf32, #[[ACC]]>
// (2)
// PLACED: gemm.copy_start {{.*}} <registers 16>
// PLACED: gemm.copy_start {{.*}} <registers 16>
// PLACED-NEXT: gemm.copy_finish
// (3)
// PLACED-NEXT: gemm.barrier
// (4)
// PLACED: scf.for
// PLACED: gemm.read_frag {{.*}} -> <32x1xf32
// PLACED: gemm.read_frag {{.*}} -> <32x1xf32
// PLACED: gemm.mma {{.*}} by <fma 1x1x1
// (5)
// PLACED: gemm.barrier
// (6)
// PLACED: gemm.map
// PLACED: gemm.store_tile {{.*}} {bytes = 4 : i64}

// (4) Lines of 32 words and one more.
// SWIZZLED: gemm.alloc_shared "b" : <32x32xf32, row, <panel = 32, pitch = 132>>
// SWIZZLED: gemm.alloc_shared "a" : <32x32xf32, row, <panel = 32, pitch = 132>>

// One stage: nothing overlaps, and nothing changes.
// PIPELINED: gemm.copy_finish
// PIPELINED-NEXT: gemm.barrier
// PIPELINED: gemm.mma
// PIPELINED: gemm.barrier
// PIPELINED-NOT: gemm.slot

// What one thread does, in this order: (2) load, store; (3); (4) two words and a multiply-add,
// 32 times; (5); (6).
// THREAD-LABEL: llvm.func @gemm_0(
// THREAD-SAME: nvvm.reqntid = array<i32: 1024>
// THREAD: scf.for
// THREAD: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xi32>
// THREAD: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<3>
// THREAD: nvvm.barrier0
// THREAD: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// THREAD: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// THREAD: llvm.intr.fma
// THREAD-COUNT-31: llvm.intr.fma
// THREAD-NOT: llvm.intr.fma
// THREAD: nvvm.barrier0
// THREAD: scf.yield
// THREAD: llvm.store {{.*}} : f32, !llvm.ptr<1>
// THREAD-LABEL: llvm.func @gemm_1(

// The instructions of the rung.
// PTX-LABEL: .entry gemm_0(
// PTX: .reqntid 1024
// PTX: bar.sync 0;
// PTX: ld.shared.b32
// PTX: ld.shared.b32
// PTX: fma.rn.f32
// PTX-COUNT-31: fma.rn.f32
// PTX-NOT: fma.rn.f32
// PTX: bar.sync 0;
// PTX-DAG: ld.global.nc.v4.b32
// PTX-DAG: st.shared.b32
// PTX-DAG: st.global.b32
// PTX-LABEL: .entry gemm_1(
func.func @gemm(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
  return
}
