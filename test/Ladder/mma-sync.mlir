// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rung `mma-sync`: tensor cores, fed from registers, while later tiles are on their way.
//
// A warp multiplies 16 x 8 x 16 with one instruction. Two things are new next to `smem`: its
// operands must lie in registers in the instruction's own order, and it is so fast that waiting
// for memory would dominate. D is 64 x 64 here, which chooses the smallest tile of the schedule.
//
//  1. A CTA of four warps, two by two, computes a tile of 64 x 64; a warp 32 x 32, which is two by
//     four instructions.
//  2. Four tiles of k have room in shared memory. Before the loop three are asked for: cp.async
//     copies 16 bytes from global to shared memory without passing through registers, and the
//     copies of a tile form a group.
//  3. When at most two groups are open, the first tile has arrived; a barrier makes that known.
//  4. ldmatrix reads the fragments of the first k-step, 16 deep. Its eight rows of 16 bytes must
//     lie in different banks; a row is 128 bytes, all banks, so the 16-byte chunk c of row r is
//     stored in place c ^ (r % 8).
//  5. The loop, for each tile of k, four k-steps:
//     a. ldmatrix reads the fragments of the next k-step, into other registers;
//     b. in the first k-step, the tile three ahead is asked for, in the slot that was read last;
//     c. eight mma.sync multiply what was read before;
//     d. in the last k-step, the wait and the barrier of the next tile come before its first
//        fragments are read.
//  6. After the loop nothing may be under way: the result goes through the same shared memory, in
//     pairs as the instruction leaves it, and comes back as whole lines.
//  7. Each thread stores 16 bytes of a line.
//
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="schedule=mma-sync to=scheduled" | FileCheck %s --check-prefix=SCHEDULED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="schedule=mma-sync to=placed" | FileCheck %s --check-prefix=PLACED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="schedule=mma-sync to=swizzled" | FileCheck %s --check-prefix=SWIZZLED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="schedule=mma-sync to=pipelined" | FileCheck %s --check-prefix=PIPELINED
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="schedule=mma-sync" | gemm-translate --gemm-to-artifact | FileCheck %s --check-prefix=PTX

// The schedule: instruction, engine, chunks exchanged, four stages, fragments a step ahead.
// SCHEDULED: run <tile = 64x64x64, mma = <mma_sync 16x8x16, warps = 2x2>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 4, fragments = 2>, epilogue = <staged 16>, work = <tiles, raster = 8>>
// SCHEDULED-SAME: #gemm.entry<when <> run <tile = 64x64x64, {{.*}}copy = [<registers 2>, <registers 2>]

// Homes: fragments as the PTX ISA draws them for m16n8k16 (1, 4), k-steps of 16, the staged
// result (6, 7). Everything is still one after the other.
// PLACED-DAG: #[[ACC:.*]] = #gemm.layout<register[2:(0, 1), 2:(8, 0), 4:(0, 8), 2:(16, 0)], lane[4:(0, 2), 8:(1, 0)], warp[2:(0, 32), 2:(32, 0)]>
// PLACED-DAG: #[[A:.*]] = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8), 2:(16, 0)], lane[4:(0, 2), 8:(1, 0)], warp[2:(0, 0), 2:(32, 0)]>
// PLACED-DAG: #[[B:.*]] = #gemm.layout<register[2:(0, 1), 2:(0, 8), 4:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[2:(32, 0), 2:(0, 0)]>
// PLACED-LABEL: gemm.kernel @gemm_0(
// PLACED-SAME: block = 128 : i32
// PLACED: gemm.zero : !gemm.frag<64x64xf32, #[[ACC]]>
// PLACED: gemm.copy_start {{.*}} <cp_async 16>
// PLACED: gemm.copy_start {{.*}} <cp_async 16>
// PLACED: gemm.copy_finish
// PLACED-NEXT: gemm.barrier
// PLACED: gemm.read_frag {{.*}} -> <64x16xf16, #[[A]]>
// PLACED: gemm.read_frag {{.*}} -> <64x16xf16, #[[B]]>
// PLACED: gemm.mma {{.*}} by <mma_sync 16x8x16, warps = 2x2>
// PLACED: gemm.barrier
// PLACED: gemm.map
// PLACED: gemm.barrier
// PLACED-NEXT: gemm.write_frag
// PLACED-NEXT: gemm.barrier
// PLACED: gemm.store_tile {{.*}} {bytes = 16 : i64}

// (4) Three bits of the chunk number, bits 4 to 6 of the offset, with those of the row, from 7.
// SWIZZLED: gemm.alloc_shared "b" : <64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
// SWIZZLED: gemm.alloc_shared "a" : <64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>

// The overlap: (2) to (5).
// PIPELINED-LABEL: gemm.kernel @gemm_0(
// PIPELINED: gemm.alloc_shared "a" : <64x64xf16, {{.*}}, stages = 4>
// (2)
// PIPELINED: scf.for %{{.*}} = %c0{{.*}} to %c3{{.*}} step
// PIPELINED: gemm.copy_start
// PIPELINED: gemm.copy_start
// PIPELINED: gemm.copy_commit
// (3)
// PIPELINED: gemm.copy_wait 2
// PIPELINED-NEXT: gemm.barrier
// (4)
// PIPELINED: gemm.read_frag
// PIPELINED: gemm.read_frag
// (5)
// PIPELINED: scf.for
// PIPELINED: gemm.read_frag
// PIPELINED: gemm.read_frag
// PIPELINED: gemm.copy_start
// PIPELINED: gemm.copy_start
// PIPELINED: gemm.copy_commit
// PIPELINED-NEXT: gemm.mma
// PIPELINED: gemm.read_frag
// PIPELINED: gemm.mma
// PIPELINED: gemm.read_frag
// PIPELINED: gemm.mma
// PIPELINED-NEXT: gemm.copy_wait 2
// PIPELINED-NEXT: gemm.barrier
// PIPELINED: gemm.read_frag
// PIPELINED: gemm.mma
// PIPELINED: scf.yield
// (6)
// PIPELINED: gemm.copy_wait 0

// The kernel.
// PTX-LABEL: .entry gemm_0(
// PTX: .reqntid 128
// (2) 64 lines of 128 bytes are four runs of 16 bytes for each of 128 threads, of A and of B.
// PTX-COUNT-8: cp.async.cg.shared.global {{.*}}, 16,
// PTX: cp.async.commit_group;
// (3)
// PTX: cp.async.wait_group 2;
// PTX-NEXT: bar.sync 0;
// (4) 32 rows of A and of B by 16: two ldmatrix of four 8 x 8 matrices each.
// PTX-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// (5a)
// PTX-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// (5b)
// PTX-COUNT-8: cp.async.cg.shared.global
// PTX: cp.async.commit_group;
// (5c)
// PTX-COUNT-8: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// PTX-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX-COUNT-8: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// PTX-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX-COUNT-8: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// (5d)
// PTX: cp.async.wait_group 2;
// PTX-NEXT: bar.sync 0;
// PTX-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX-COUNT-8: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// (6)
// PTX-NOT: mma.sync
// PTX: cp.async.wait_group 0;
// PTX: bar.sync 0;
// PTX: st.shared.b32
// PTX: bar.sync 0;
// (7)
// PTX: st.global.v4.b32
// PTX-LABEL: .entry gemm_1(
func.func @gemm(%a: memref<64x?xf16>, %b: memref<64x?xf16>, %d: memref<64x64xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<64x?xf16>, memref<64x?xf16>)
              outs(%d[m, n] : memref<64x64xf16>) accumulate(f32)
  return
}
