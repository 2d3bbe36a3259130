// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rung `wgmma`: four warps multiply from shared memory, and one thread feeds them.
//
// What warps did in `mma-sync` the hardware does here: the copy engine (TMA) reads a box of a
// matrix, swizzles it and says when it has arrived; the multiplication reads its operands from
// shared memory by descriptor, and runs on while the threads go ahead. Threads hold accumulators
// and keep the books. D is 64 x 64 here, which chooses the smallest tile of the schedule.
//
//  1. A CTA is one warpgroup, four warps, and computes a tile of 64 x 64; 64 rows are 16 for each
//     warp.
//  2. One thread makes an mbarrier for each of four stages. Each counts one arrival and the bytes
//     that were announced with it; its phase completes when they are there.
//  3. That thread announces the bytes of the first three tiles and asks for their boxes, A's 64 x
//     64 and B's, 8192 bytes each. Only if they exist: what nobody sends, nobody may wait for.
//  4. The loop, for each tile of k:
//     a. everybody waits for the phase of the tile's stage;
//     b. wgmma.fence, then four wgmma, 16 deep each, and a commit: a group that is now running;
//     c. wait until only that group runs: the one before has finished, and its slot is free. The
//        barrier says so for all warps;
//     d. one thread announces and asks for the tile three ahead, in that slot;
//     e. the slot moves on; when it comes round, the parity of the phase to wait for flips.
//  5. After the loop: wait for the last group. Only now do the accumulators exist.
//  6. The result goes through shared memory and is stored in lines, as in `mma-sync`.
//
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_90a schedule=wgmma to=scheduled" | FileCheck %s --check-prefix=SCHEDULED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_90a schedule=wgmma to=placed" | FileCheck %s --check-prefix=PLACED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_90a schedule=wgmma to=swizzled" | FileCheck %s --check-prefix=SWIZZLED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_90a schedule=wgmma to=pipelined" | FileCheck %s --check-prefix=PIPELINED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_90a schedule=wgmma to=thread" | FileCheck %s --check-prefix=THREAD
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_90a schedule=wgmma" | gemm-translate --gemm-to-artifact | FileCheck %s --check-prefix=PTX

// The schedule. Where TMA cannot address an operand, threads fill the same panels.
// SCHEDULED: run <tile = 64x64x64, mma = <wgmma 64x64x16, warps = 4x1>, copy = [<tma>, <tma>], bank = [<panel 128>, <panel 128>], pipeline = <stages = 4, in_flight = 1>, epilogue = <staged 16>, work = <tiles, raster = 8>>
// SCHEDULED-SAME: #gemm.entry<when <> run <tile = 64x64x64, mma = <wgmma {{.*}}copy = [<registers 2>, <registers 2>], bank = [<panel 128>, <panel 128>]

// Homes: A and B are tensor maps and shared tiles, never fragments; (1) the accumulator is spread
// over the warpgroup.
// PLACED-DAG: #[[ACC:.*]] = #gemm.layout<register[2:(0, 1), 2:(8, 0), 8:(0, 8)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0)]>
// PLACED-LABEL: gemm.kernel @gemm_0(
// PLACED-SAME: !gemm.tensor_map<?x?xbf16, row> {gemm.role = #gemm.role<operand 0>}
// PLACED-SAME: !gemm.tensor_map<?x?xbf16, row> {gemm.role = #gemm.role<operand 1>}
// PLACED-SAME: block = 128 : i32
// PLACED: gemm.copy_start {{.*}} <tma>
// PLACED: gemm.copy_start {{.*}} <tma>
// PLACED: gemm.copy_finish
// PLACED-NEXT: gemm.barrier
// PLACED-NEXT: %[[SUM:.*]] = gemm.mma {{.*}} by <wgmma 64x64x16, warps = 4x1> : !gemm.shared<64x64xbf16, row>, !gemm.shared<64x64xbf16, row>, !gemm.frag<64x64xf32, #[[ACC]]>
// PLACED-NEXT: gemm.mma_finish %[[SUM]]
// The fallback's threads write what wgmma reads: each fences its writes.
// PLACED-LABEL: gemm.kernel @gemm_2(
// PLACED: gemm.copy_start {{.*}} <registers 2>
// PLACED: gemm.fence_async
// PLACED-NEXT: gemm.barrier

// The layout that both TMA and wgmma know as the 128-byte swizzle.
// SWIZZLED: gemm.alloc_shared "b" : <64x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
// SWIZZLED: gemm.alloc_shared "a" : <64x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>

// The overlap: (2) to (5).
// PIPELINED-LABEL: gemm.kernel @gemm_0(
// PIPELINED: gemm.ring_init : <4>
// PIPELINED: scf.for %{{.*}} = %c0{{.*}} to %c3{{.*}} step
// PIPELINED: scf.if
// PIPELINED-NEXT: gemm.ring_expect {{.*}} bytes 16384
// PIPELINED: gemm.copy_start {{.*}} <tma> on
// PIPELINED: gemm.copy_start {{.*}} <tma> on
// PIPELINED: scf.for {{.*}} iter_args
// PIPELINED-NEXT: gemm.ring_wait
// PIPELINED: gemm.mma
// PIPELINED-NEXT: gemm.mma_wait 1
// PIPELINED-NEXT: gemm.barrier
// PIPELINED: scf.if
// PIPELINED-NEXT: gemm.ring_expect {{.*}} bytes 16384
// PIPELINED: arith.xori
// PIPELINED: scf.yield
// PIPELINED: gemm.mma_finish

// What one thread does, in this order.
// THREAD-LABEL: llvm.func @gemm_0(
// THREAD-SAME: nvvm.reqntid = array<i32: 128>
// (2)
// THREAD: scf.if
// THREAD-COUNT-4: nvvm.mbarrier.init
// THREAD-NEXT: nvvm.fence.mbarrier.init
// THREAD-NEXT: }
// THREAD-NEXT: nvvm.barrier0
// (3)
// THREAD: scf.for
// THREAD: nvvm.mbarrier.arrive.expect_tx
// THREAD: nvvm.cp.async.bulk.tensor.shared.cluster.global
// THREAD: nvvm.cp.async.bulk.tensor.shared.cluster.global
// (4)
// THREAD: scf.for
// THREAD: nvvm.mbarrier.try_wait.parity
// THREAD: nvvm.wgmma.fence.aligned
// THREAD-COUNT-4: nvvm.wgmma.mma_async
// THREAD-NEXT: nvvm.wgmma.commit.group.sync.aligned
// THREAD: nvvm.wgmma.wait.group.sync.aligned 1
// THREAD-NEXT: nvvm.barrier0
// THREAD: nvvm.mbarrier.arrive.expect_tx
// THREAD: nvvm.cp.async.bulk.tensor.shared.cluster.global
// THREAD: nvvm.cp.async.bulk.tensor.shared.cluster.global
// THREAD: scf.yield
// (5)
// THREAD: llvm.inline_asm has_side_effects {{.*}} "wgmma.wait_group.sync.aligned 0;"
// (6)
// THREAD: nvvm.barrier0
// THREAD: llvm.store {{.*}} !llvm.ptr<3>
// THREAD: nvvm.barrier0
// THREAD: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<1>
// THREAD-LABEL: llvm.func @gemm_1(

// The instructions of the rung.
// PTX-LABEL: .entry gemm_0(
// PTX-NEXT: .param .align 64 .b8 gemm_0_param_0[128],
// PTX-NEXT: .param .align 64 .b8 gemm_0_param_1[128],
// PTX: mbarrier.init.shared.b64
// PTX: fence.mbarrier_init.release.cluster;
// PTX: mbarrier.arrive.expect_tx.shared.b64
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// PTX: mbarrier.try_wait.parity.shared.b64
// PTX: wgmma.fence.sync.aligned;
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// PTX: wgmma.commit_group.sync.aligned;
// PTX: wgmma.wait_group.sync.aligned 1;
// PTX: bar.sync 0;
// PTX: wgmma.wait_group.sync.aligned 0;
// PTX: st.global.v4.b32
// PTX-LABEL: .entry gemm_2(
// PTX-NOT: cp.async.bulk.tensor
// PTX: fence.proxy.async.shared::cta;
// PTX: wgmma.mma_async
func.func @gemm(%a: memref<64x?xbf16>, %b: memref<64x?xbf16>, %d: memref<64x64xbf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<64x?xbf16>, memref<64x?xbf16>)
              outs(%d[m, n] : memref<64x64xbf16>) accumulate(f32)
  return
}
