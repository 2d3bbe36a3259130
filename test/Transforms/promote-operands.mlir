// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gpu.module(gemm.kernel(gemm-promote-operands)))' --split-input-file
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

// Two warps, one above the other, multiply 32x24x32 by mma.m16n8k16. The fragments are those
// of the PTX ISA ("Matrix Fragments for mma.m16n8k16"; here row, column of each operand's own
// tile, B being n x k):
//   accumulator: row = lane / 4 (+ 8 for registers 2, 3), column = 2 (lane % 4) + {0, 1};
//   A: the same, and column + 8 for the second half of the registers;
//   B: row = lane / 4, column = 2 (lane % 4) + {0, 1}, + 8 for the second register.
// The warp tile is three instructions wide: n + 8 in the accumulator and in B. Warps are 16
// rows apart in A and in the accumulator and share B.
// CHECK-DAG: #[[ACC:.*]] = #gemm.layout<register[2:(0, 1), 2:(8, 0), 3:(0, 8)], lane[4:(0, 2), 8:(1, 0)], warp[2:(16, 0)]>
// CHECK-DAG: #[[A:.*]] = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)], warp[2:(16, 0)]>
// CHECK-DAG: #[[B:.*]] = #gemm.layout<register[2:(0, 1), 2:(0, 8), 3:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[2:(0, 0)]>
//
// CHECK-LABEL: gemm.kernel @mma_sync(
// CHECK-SAME: %[[VA:[a-z0-9]*]]: !gemm.view<?x?xf16, row>
// CHECK-SAME: %[[VB:[a-z0-9]*]]: !gemm.view<?x?xf16, col>
// CHECK-SAME: %[[VD:[a-z0-9]*]]: !gemm.view<?x?xf32, row>
// Two warps are 64 threads.
// CHECK-SAME: block = 64 : i32
// CHECK: gemm.for_work (%{{.*}}, %[[M0:.*]], %[[N0:.*]], %[[KB:.*]], %[[KE:.*]]) over
// The shared tiles keep the orders of the matrices; they have no layout yet.
// CHECK-DAG: %[[SA:.*]] = gemm.alloc_shared "a" : <32x32xf16, row>
// CHECK-DAG: %[[SB:.*]] = gemm.alloc_shared "b" : <24x32xf16, col>
// CHECK: %[[ZERO:.*]] = gemm.zero : !gemm.frag<32x24xf32, #[[ACC]]>
// CHECK: %[[SUM:.*]] = scf.for %[[K0:.*]] = %[[KB]] to %[[KE]] step %{{.*}} iter_args(%[[X:.*]] = %[[ZERO]])
// Copies, each by the engine of its operand, then everybody sees them.
// CHECK-NEXT: %[[CA:.*]] = gemm.copy_start %[[VA]][%[[M0]], %[[K0]]] within[%{{.*}}, %[[KE]]] to %[[SA]] <cp_async 16>
// CHECK-NEXT: %[[CB:.*]] = gemm.copy_start %[[VB]][%[[N0]], %[[K0]]] within[%{{.*}}, %[[KE]]] to %[[SB]] <registers 2>
// CHECK-NEXT: gemm.copy_finish %[[CA]], %[[CB]]
// CHECK-NEXT: gemm.barrier
// k-steps of 16.
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : i32
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[STEPS:.*]] = scf.for %[[KK:.*]] = %[[C0]] to %[[C32]] step %[[C16]] iter_args(%[[Y:.*]] = %[[X]])
// CHECK-NEXT: %[[FA:.*]] = gemm.read_frag %[[SA]][%[[C0]], %[[KK]]] : <32x32xf16, row> -> <32x16xf16, #[[A]]>
// CHECK-NEXT: %[[FB:.*]] = gemm.read_frag %[[SB]][%[[C0]], %[[KK]]] : <24x32xf16, col> -> <24x16xf16, #[[B]]>
// CHECK-NEXT: %[[Z:.*]] = gemm.mma %[[FA]], %[[FB]], %[[Y]] by <mma_sync 16x8x16, warps = 2x1>
// CHECK-NEXT: scf.yield %[[Z]]
// Nobody overwrites a tile that another warp still reads.
// CHECK: gemm.barrier
// CHECK-NEXT: scf.yield %[[STEPS]]
// What the epilogue makes stays where the accumulator was, and is stored from there.
// CHECK: %[[R:.*]] = gemm.map %[[SUM]] {{.*}} : !gemm.frag<32x24xf32, #[[ACC]]> -> !gemm.frag<32x24xf32, #[[ACC]]>
// CHECK-NOT: gemm.write_frag
// CHECK: gemm.store_tile %[[R]], %[[VD]][%[[M0]], %[[N0]]] within{{.*}} {bytes = 8 : i64} : !gemm.frag<32x24xf32, #[[ACC]]>
gpu.module @kernels {
  gemm.kernel @mma_sync(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                        %B: !gemm.view<?x?xf16, col> {gemm.role = #gemm.role<operand 1>},
                        %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                        %m: i32 {gemm.role = #gemm.role<extent "m">},
                        %n: i32 {gemm.role = #gemm.role<extent "n">},
                        %k: i32 {gemm.role = #gemm.role<extent "k">},
                        %batch: i32 {gemm.role = #gemm.role<extent "batch">})
      attributes {target = #gemm.target<"sm_80">,
                  schedule = #gemm.schedule<tile = 32x24x32, mma = <mma_sync 16x8x16, warps = 2x1>,
                                            copy = [<cp_async 16>, <registers 2>],
                                            epilogue = <registers 8>>} {
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%batch, %m, %n, %k] tile [32, 24] <tiles> {
      %c32 = arith.constant 32 : i32
      %zero = gemm.zero : !gemm.tile<32x24xf32>
      %acc = scf.for %k0 = %kb to %ke step %c32 iter_args(%x = %zero) -> (!gemm.tile<32x24xf32>) : i32 {
        %ta = gemm.load_tile %A[%m0, %k0] within [%m, %ke] : !gemm.view<?x?xf16, row> -> !gemm.tile<32x32xf16>
        %tb = gemm.load_tile %B[%n0, %k0] within [%n, %ke] : !gemm.view<?x?xf16, col> -> !gemm.tile<24x32xf16>
        %y = gemm.mma %ta, %tb, %x : !gemm.tile<32x32xf16>, !gemm.tile<24x32xf16>, !gemm.tile<32x24xf32>
        scf.yield %y : !gemm.tile<32x24xf32>
      }
      %r = gemm.map %acc at [%m0, %n0] within [%m, %n] : !gemm.tile<32x24xf32> -> !gemm.tile<32x24xf32> {
        ^bb0(%x: f32):
          gemm.yield %x : f32
      }
      gemm.store_tile %r, %D[%m0, %n0] within [%m, %n] {bytes = 4 : i64} : !gemm.tile<32x24xf32>, !gemm.view<?x?xf32, row>
    }
    gemm.return
  }
}

// -----

// fma is one thread's own: the schedule spreads it. A thread owns 2x4 elements; the lanes of
// a warp are 4x8 of those, the warps 2x1. A k-step is 1 deep: a thread reads its two rows of
// A, which the lanes along n share, and its four of B, which those along m share.
// CHECK-DAG: #[[ACC:.*]] = #gemm.layout<register[4:(0, 1), 2:(1, 0)], lane[8:(0, 4), 4:(2, 0)], warp[2:(8, 0)]>
// CHECK-DAG: #[[A:.*]] = #gemm.layout<register[2:(1, 0)], lane[8:(0, 0), 4:(2, 0)], warp[2:(8, 0)]>
// CHECK-DAG: #[[B:.*]] = #gemm.layout<register[4:(1, 0)], lane[8:(4, 0), 4:(0, 0)], warp[2:(0, 0)]>
// CHECK-LABEL: gemm.kernel @fma(
// CHECK-SAME: block = 64 : i32
// CHECK: gemm.copy_start %{{.*}}[%[[I:.*]], %{{.*}}, %{{.*}}] within
// CHECK: scf.for
// CHECK-NEXT: gemm.read_frag %{{.*}} -> <16x1xf32, #[[A]]>
// CHECK-NEXT: gemm.read_frag %{{.*}} -> <32x1xf32, #[[B]]>
// CHECK-NEXT: gemm.mma {{.*}} by <fma 1x1x1, warps = 2x1, lanes = 4x8, thread = 2x4> : {{.*}}, !gemm.frag<16x32xf32, #[[ACC]]>
gpu.module @kernels {
  gemm.kernel @fma(%A: !gemm.view<?x?x?xf32, row> {gemm.role = #gemm.role<operand 0>},
                   %B: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 1>},
                   %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_70">,
                  schedule = #gemm.schedule<tile = 16x32x8, mma = <fma 1x1x1, warps = 2x1, lanes = 4x8, thread = 2x4>,
                                            copy = [<registers 4>, <registers 4>],
                                            epilogue = <registers 4>>} {
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%n, %n, %n, %n] tile [16, 32] <tiles> {
      %zero = gemm.zero : !gemm.tile<16x32xf32>
      %ta = gemm.load_tile %A[%b, %m0, %kb] within [%n, %ke] : !gemm.view<?x?x?xf32, row> -> !gemm.tile<16x8xf32>
      %tb = gemm.load_tile %B[%n0, %kb] within [%n, %ke] : !gemm.view<?x?xf32, row> -> !gemm.tile<32x8xf32>
      %y = gemm.mma %ta, %tb, %zero : !gemm.tile<16x8xf32>, !gemm.tile<32x8xf32>, !gemm.tile<16x32xf32>
    }
    gemm.return
  }
}

// -----

// wgmma reads shared memory itself: no fragments of A and B, no k-steps. Its accumulator is
// one of mma.sync per warp, the four warps of the group 16 rows apart (PTX ISA, "Register
// Fragments and Shared Memory Matrix Layouts", wgmma.m64nNk16); the second group is 64 rows
// further down. A comes by TMA, so its argument is a tensor map; B comes through registers,
// so each thread that wrote it fences before wgmma may read it.
// CHECK-DAG: #[[ACC:.*]] = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0), 2:(64, 0)]>
// CHECK-LABEL: gemm.kernel @wgmma(
// CHECK-SAME: %[[A:[a-z0-9]*]]: !gemm.tensor_map<?x?xbf16, row> {gemm.role = #gemm.role<operand 0>}
// CHECK-SAME: %[[B:[a-z0-9]*]]: !gemm.view<?x?xbf16, row> {gemm.role = #gemm.role<operand 1>}
// CHECK-SAME: block = 256 : i32
// CHECK-DAG: %[[SA:.*]] = gemm.alloc_shared "a" : <128x64xbf16, row>
// CHECK-DAG: %[[SB:.*]] = gemm.alloc_shared "b" : <8x64xbf16, row>
// CHECK: %[[ZERO:.*]] = gemm.zero : !gemm.frag<128x8xf32, #[[ACC]]>
// CHECK-NEXT: %[[CA:.*]] = gemm.copy_start %[[A]]{{.*}} to %[[SA]] <tma> : !gemm.tensor_map<?x?xbf16, row>
// CHECK-NEXT: %[[CB:.*]] = gemm.copy_start %[[B]]{{.*}} to %[[SB]] <registers 16> : !gemm.view<?x?xbf16, row>
// CHECK-NEXT: gemm.copy_finish %[[CA]], %[[CB]]
// CHECK-NEXT: gemm.fence_async
// CHECK-NEXT: gemm.barrier
// CHECK-NEXT: %[[SUM:.*]] = gemm.mma %[[SA]], %[[SB]], %[[ZERO]] by <wgmma 64x8x16, warps = 8x1>
// CHECK-NEXT: gemm.mma_finish %[[SUM]]
// CHECK-NEXT: gemm.barrier
gpu.module @kernels {
  gemm.kernel @wgmma(%A: !gemm.view<?x?xbf16, row> {gemm.role = #gemm.role<operand 0>},
                     %B: !gemm.view<?x?xbf16, row> {gemm.role = #gemm.role<operand 1>},
                     %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_90a">,
                  schedule = #gemm.schedule<tile = 128x8x64, mma = <wgmma 64x8x16, warps = 8x1>,
                                            copy = [<tma>, <registers 16>],
                                            bank = [<panel 128>, <panel 128>],
                                            epilogue = <registers 8>>} {
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%n, %n, %n, %n] tile [128, 8] <tiles> {
      %zero = gemm.zero : !gemm.tile<128x8xf32>
      %ta = gemm.load_tile %A[%m0, %kb] within [%n, %ke] : !gemm.view<?x?xbf16, row> -> !gemm.tile<128x64xbf16>
      %tb = gemm.load_tile %B[%n0, %kb] within [%n, %ke] : !gemm.view<?x?xbf16, row> -> !gemm.tile<8x64xbf16>
      %y = gemm.mma %ta, %tb, %zero : !gemm.tile<128x64xbf16>, !gemm.tile<8x64xbf16>, !gemm.tile<128x8xf32>
    }
    gemm.return
  }
}

// -----

// One warpgroup computes two by two instructions: its accumulator has more registers, n first;
// its operands still have none.
// CHECK-DAG: #[[ACC:.*]] = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8), 2:(64, 0)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0)]>
// CHECK-LABEL: gemm.kernel @wgmma_blocks(
// CHECK-SAME: block = 128 : i32
// CHECK-NOT: gemm.read_frag
// CHECK: gemm.mma %{{.*}}, %{{.*}}, %{{.*}} by <wgmma 64x8x16, warps = 4x1> : !gemm.shared<128x64xbf16, row>, !gemm.shared<16x64xbf16, row>, !gemm.frag<128x16xf32, #[[ACC]]>
gpu.module @kernels {
  gemm.kernel @wgmma_blocks(%A: !gemm.view<?x?xbf16, row> {gemm.role = #gemm.role<operand 0>},
                            %B: !gemm.view<?x?xbf16, row> {gemm.role = #gemm.role<operand 1>},
                            %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_90a">,
                  schedule = #gemm.schedule<tile = 128x16x64, mma = <wgmma 64x8x16, warps = 4x1>,
                                            copy = [<tma>, <tma>], bank = [<panel 128>, <panel 128>],
                                            epilogue = <registers 8>>} {
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%n, %n, %n, %n] tile [128, 16] <tiles> {
      %zero = gemm.zero : !gemm.tile<128x16xf32>
      %ta = gemm.load_tile %A[%m0, %kb] within [%n, %ke] : !gemm.view<?x?xbf16, row> -> !gemm.tile<128x64xbf16>
      %tb = gemm.load_tile %B[%n0, %kb] within [%n, %ke] : !gemm.view<?x?xbf16, row> -> !gemm.tile<16x64xbf16>
      %y = gemm.mma %ta, %tb, %zero : !gemm.tile<128x64xbf16>, !gemm.tile<16x64xbf16>, !gemm.tile<128x16xf32>
    }
    gemm.return
  }
}

// -----

// TMA alone writes through the asynchronous proxy, as wgmma reads: no fence. The result is
// staged: a tile of its own, which may lie where the operands were, so that a barrier parts
// their last use from its first. It is written in the accumulator's layout and read back in
// lines: 32 f16 of a row are four runs of 16 bytes, so that a warp reads 8 whole rows and the
// four warps 32; two such rounds make 64 rows.
// CHECK-DAG: #[[ACC:.*]] = #gemm.layout<register[2:(0, 1), 2:(8, 0), 4:(0, 8)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0)]>
// CHECK-DAG: #[[LINES:.*]] = #gemm.layout<register[8:(0, 1), 2:(32, 0)], lane[4:(0, 8), 8:(1, 0)], warp[4:(8, 0)]>
// CHECK-LABEL: gemm.kernel @staged(
// CHECK-SAME: %{{[a-z0-9]*}}: !gemm.tensor_map<?x?xbf16, row>
// CHECK-SAME: %{{[a-z0-9]*}}: !gemm.tensor_map<?x?xbf16, col>
// CHECK-SAME: %[[D:[a-z0-9]*]]: !gemm.view<?x?xf16, row>
// CHECK: gemm.for_work (%{{.*}}, %[[M0:.*]], %[[N0:.*]], %{{.*}}, %{{.*}}) over
// CHECK: %[[SD:.*]] = gemm.alloc_shared "result" : <64x32xf16, row>
// CHECK: gemm.copy_finish
// CHECK-NOT: gemm.fence_async
// CHECK: gemm.mma_finish
// CHECK: %[[R:.*]] = gemm.map
// CHECK: gemm.barrier
// CHECK-NEXT: gemm.write_frag %[[R]], %[[SD]] : <64x32xf16, #[[ACC]]>, <64x32xf16, row>
// CHECK-NEXT: gemm.barrier
// CHECK: %[[S:.*]] = gemm.read_frag %[[SD]][%{{.*}}, %{{.*}}] : <64x32xf16, row> -> <64x32xf16, #[[LINES]]>
// CHECK: gemm.store_tile %[[S]], %[[D]]{{.*}} {bytes = 16 : i64} : !gemm.frag<64x32xf16, #[[LINES]]>
gpu.module @kernels {
  gemm.kernel @staged(%A: !gemm.view<?x?xbf16, row> {gemm.role = #gemm.role<operand 0>},
                      %B: !gemm.view<?x?xbf16, col> {gemm.role = #gemm.role<operand 1>},
                      %D: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 2>},
                      %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_90a">,
                  schedule = #gemm.schedule<tile = 64x32x64, mma = <wgmma 64x32x16, warps = 4x1>,
                                            copy = [<tma>, <tma>], bank = [<panel 128>, <panel 64>],
                                            epilogue = <staged 16>>} {
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%n, %n, %n, %n] tile [64, 32] <tiles> {
      %zero = gemm.zero : !gemm.tile<64x32xf32>
      %ta = gemm.load_tile %A[%m0, %kb] within [%n, %ke] : !gemm.view<?x?xbf16, row> -> !gemm.tile<64x64xbf16>
      %tb = gemm.load_tile %B[%n0, %kb] within [%n, %ke] : !gemm.view<?x?xbf16, col> -> !gemm.tile<32x64xbf16>
      %y = gemm.mma %ta, %tb, %zero : !gemm.tile<64x64xbf16>, !gemm.tile<32x64xbf16>, !gemm.tile<64x32xf32>
      %r = gemm.map %y at [%m0, %n0] within [%n, %n] : !gemm.tile<64x32xf32> -> !gemm.tile<64x32xf16> {
        ^bb0(%x: f32):
          %h = arith.truncf %x : f32 to f16
          gemm.yield %h : f16
      }
      gemm.store_tile %r, %D[%m0, %n0] within [%n, %n] {bytes = 2 : i64} : !gemm.tile<64x32xf16>, !gemm.view<?x?xf16, row>
    }
    gemm.return
  }
}

// -----

// A large staged tile is read back a few rows at a time: its loop carries nothing, and the
// store follows the rows.
// CHECK-LABEL: gemm.kernel @slabs(
// CHECK-SAME: %[[D:[a-z0-9]*]]: !gemm.view<?x?xf32, row>
// CHECK: gemm.for_work (%{{.*}}, %[[M0:.*]], %[[N0:.*]], %{{.*}}, %{{.*}}) over
// CHECK: %[[SD:.*]] = gemm.alloc_shared "result" : <64x128xf32, row>
// CHECK: gemm.write_frag
// CHECK-NEXT: gemm.barrier
// CHECK: scf.for %[[ROW:.*]] = %[[C0:.*]] to %{{.*}} step
// CHECK-NEXT: %[[S:.*]] = gemm.read_frag %[[SD]][%[[ROW]], %[[C0]]] : <64x128xf32, row> -> <[[ROWS:[0-9]+]]x128xf32, #{{.*}}>
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[M0]], %[[ROW]]
// CHECK-NEXT: gemm.store_tile %[[S]], %[[D]][%[[AT]], %[[N0]]] within{{.*}} {bytes = 16 : i64} : !gemm.frag<[[ROWS]]x128xf32
gpu.module @kernels {
  gemm.kernel @slabs(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                     %A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                     %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                     %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_80">,
                  schedule = #gemm.schedule<tile = 64x128x16, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<registers 2>, <registers 2>],
                                            epilogue = <staged 16>>} {
    gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%n, %n, %n, %n] tile [64, 128] <tiles> {
      %zero = gemm.zero : !gemm.tile<64x128xf32>
      %ta = gemm.load_tile %A[%m0, %kb] within [%n, %ke] : !gemm.view<?x?xf16, row> -> !gemm.tile<64x16xf16>
      %tb = gemm.load_tile %B[%n0, %kb] within [%n, %ke] : !gemm.view<?x?xf16, row> -> !gemm.tile<128x16xf16>
      %y = gemm.mma %ta, %tb, %zero : !gemm.tile<64x16xf16>, !gemm.tile<128x16xf16>, !gemm.tile<64x128xf32>
      gemm.store_tile %y, %D[%m0, %n0] within [%n, %n] {bytes = 4 : i64} : !gemm.tile<64x128xf32>, !gemm.view<?x?xf32, row>
    }
    gemm.return
  }
}

// -----

// What has a home already stays, and so does a kernel that multiplies nothing.
#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#schedule = #gemm.schedule<tile = 16x8x16, mma = <mma_sync 16x8x16, warps = 1x1>,
                           copy = [<cp_async 16>, <cp_async 16>], epilogue = <staged 16>>
gpu.module @kernels {
  // CHECK-LABEL: gemm.kernel @placed(
  // CHECK-NEXT: %[[A:.*]] = gemm.zero
  // CHECK-NEXT: %[[B:.*]] = gemm.zero
  // CHECK-NEXT: %[[C:.*]] = gemm.zero
  // CHECK-NEXT: %[[D:.*]] = gemm.mma %[[A]], %[[B]], %[[C]] by <mma_sync 16x8x16, warps = 1x1>
  // CHECK-NEXT: gemm.store_tile %[[D]], %{{.*}} {bytes = 8 : i64}
  // CHECK-NEXT: gemm.return
  gemm.kernel @placed(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                      %n: i32 {gemm.role = #gemm.role<extent "n">}) attributes {schedule = #schedule} {
    %a = gemm.zero : !gemm.frag<16x16xf16, #a>
    %b = gemm.zero : !gemm.frag<8x16xf16, #b>
    %c = gemm.zero : !gemm.frag<16x8xf32, #acc>
    %d = gemm.mma %a, %b, %c by <mma_sync 16x8x16, warps = 1x1>
        : !gemm.frag<16x16xf16, #a>, !gemm.frag<8x16xf16, #b>, !gemm.frag<16x8xf32, #acc>
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] {bytes = 8 : i64} : !gemm.frag<16x8xf32, #acc>, !gemm.view<?x?xf32, row>
    gemm.return
  }

  // CHECK-LABEL: gemm.kernel @no_product(
  // CHECK-NOT: block
  // CHECK: %[[ZERO:.*]] = gemm.zero : !gemm.tile<16x8xf32>
  // CHECK-NEXT: gemm.store_tile %[[ZERO]], %{{.*}} {bytes = 4 : i64} : !gemm.tile<16x8xf32>
  gemm.kernel @no_product(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                          %n: i32 {gemm.role = #gemm.role<extent "n">}) attributes {schedule = #schedule} {
    %zero = gemm.zero : !gemm.tile<16x8xf32>
    gemm.store_tile %zero, %D[%n, %n] within [%n, %n] {bytes = 4 : i64} : !gemm.tile<16x8xf32>, !gemm.view<?x?xf32, row>
    gemm.return
  }
}
