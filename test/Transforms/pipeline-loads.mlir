// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gpu.module(gemm.kernel(gemm-pipeline-loads)))' --split-input-file
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>

// cp.async over three stages of 32 along k: two tiles are on their way when the loop starts,
// one group each. Tile t has arrived when at most one group, that of tile t + 1, is open; the
// barrier makes that known to all and says that everybody is done with tile t - 1, whose slot
// tile t + 2 takes. Past the last tile the copies have size zero, so that each round closes a
// group and the count holds.
//
// CHECK-LABEL: gemm.kernel @cp_async(
// CHECK-SAME: %[[A:[a-z0-9]*]]: !gemm.view<?x?xf16, row>
// CHECK-SAME: %[[B:[a-z0-9]*]]: !gemm.view<?x?xf16, row>
// CHECK-SAME: %[[M:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "m">}
// CHECK-SAME: %[[KB:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "n">}
// CHECK-SAME: %[[KE:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "k">}
// CHECK: %[[SA:.*]] = gemm.alloc_shared "a" : <16x32xf16, row, stages = 3>
// CHECK: %[[SB:.*]] = gemm.alloc_shared "b" : <8x32xf16, row, stages = 3>
// CHECK: %[[ZERO:.*]] = gemm.zero
// The prologue.
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: scf.for %[[S:.*]] = %[[C0]] to %[[C2]] step %[[C1]] : i32 {
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[OFFSET:.*]] = arith.muli %[[S]], %[[C32]]
// CHECK: %[[K:.*]] = arith.addi %[[KB]], %[[OFFSET]]
// CHECK: %[[SLOT:.*]] = gemm.slot %[[SA]][%[[S]]]
// CHECK: gemm.copy_start %[[A]][%[[M]], %[[K]]] within[%[[M]], %[[KE]]] to %[[SLOT]] <cp_async 16>
// CHECK: %[[SLOT:.*]] = gemm.slot %[[SB]][%[[S]]]
// CHECK: gemm.copy_start %[[B]][%[[M]], %[[K]]] within[%[[M]], %[[KE]]] to %[[SLOT]] <cp_async 16>
// CHECK-NEXT: gemm.copy_commit
// CHECK-NEXT: }
// Tile 0 is read first, and slot 2 is written first.
// CHECK-DAG: %[[READ0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[WRITE0:.*]] = arith.constant 2 : i32
// CHECK: %[[R:.*]]:3 = scf.for %[[K0:.*]] = %[[KB]] to %[[KE]] step %{{.*}} iter_args(%[[X:.*]] = %[[ZERO]], %[[READ:.*]] = %[[READ0]], %[[WRITE:.*]] = %[[WRITE0]])
// CHECK-NEXT: gemm.copy_wait 1
// CHECK-NEXT: gemm.barrier
// CHECK-NEXT: %[[C64:.*]] = arith.constant 64 : i32
// CHECK-NEXT: %[[AHEAD:.*]] = arith.addi %[[K0]], %[[C64]]
// CHECK-NEXT: %[[SLOT:.*]] = gemm.slot %[[SA]][%[[WRITE]]]
// CHECK-NEXT: gemm.copy_start %[[A]][%[[M]], %[[AHEAD]]] within[%[[M]], %[[KE]]] to %[[SLOT]] <cp_async 16>
// CHECK-NEXT: %[[SLOT:.*]] = gemm.slot %[[SB]][%[[WRITE]]]
// CHECK-NEXT: gemm.copy_start %[[B]][%[[M]], %[[AHEAD]]] within[%[[M]], %[[KE]]] to %[[SLOT]] <cp_async 16>
// CHECK-NEXT: gemm.copy_commit
// The k-steps read the other slot.
// CHECK-DAG: %[[TA:.*]] = gemm.slot %[[SA]][%[[READ]]]
// CHECK-DAG: %[[TB:.*]] = gemm.slot %[[SB]][%[[READ]]]
// CHECK: %[[SUM:.*]] = scf.for %[[KK:.*]] = {{.*}} iter_args(%[[Y:.*]] = %[[X]])
// CHECK: gemm.read_frag %[[TA]][%{{.*}}, %[[KK]]]
// CHECK: gemm.read_frag %[[TB]][%{{.*}}, %[[KK]]]
// CHECK: gemm.mma
// CHECK-NOT: gemm.barrier
// Slots go round: 0, 1, 2, 0, ...
// CHECK: %[[UP:.*]] = arith.addi %[[READ]], %[[ONE:.*]] : i32
// CHECK: %[[C3:.*]] = arith.constant 3 : i32
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[UP]], %[[C3]]
// CHECK: %[[NEXTREAD:.*]] = arith.select %[[WRAPS]], %{{.*}}, %[[UP]]
// CHECK: %[[UP:.*]] = arith.addi %[[WRITE]], %{{.*}} : i32
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[UP]],
// CHECK: %[[NEXTWRITE:.*]] = arith.select %[[WRAPS]], %{{.*}}, %[[UP]]
// CHECK: scf.yield %[[SUM]], %[[NEXTREAD]], %[[NEXTWRITE]]
// Copies of size zero write zeros too: none may be under way when the memory is reused.
// CHECK: gemm.copy_wait 0
// CHECK: gemm.store_tile %[[R]]#0
gpu.module @kernels {
  gemm.kernel @cp_async(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                        %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                        %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                        %m: i32 {gemm.role = #gemm.role<extent "m">},
                        %kb: i32 {gemm.role = #gemm.role<extent "n">},
                        %ke: i32 {gemm.role = #gemm.role<extent "k">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 3>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    %r = scf.for %k0 = %kb to %ke step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %ke] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %B[%m, %k0] within [%m, %ke] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c32 step %c16 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.store_tile %r, %D[%m, %m] within [%m, %m] : !acc, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>

// fragments = 2: while a k-step is multiplied, the next one's fragments are read, at the end
// of a tile those of the next tile's first step. The wait for that tile, and the barrier, come
// as late as they can: after all reads of this tile.
//
// CHECK-LABEL: gemm.kernel @fragments(
// CHECK-SAME: %[[KB:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "n">}
// CHECK-SAME: %[[KE:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "k">}
// CHECK: %[[SA:.*]] = gemm.alloc_shared "a" : <16x32xf16, row, stages = 3>
// CHECK: %[[SB:.*]] = gemm.alloc_shared "b" : <8x32xf16, row, stages = 3>
// The prologue, then the first fragments.
// CHECK: scf.for
// CHECK: gemm.copy_commit
// CHECK: gemm.copy_wait 1
// CHECK-NEXT: gemm.barrier
// CHECK: %[[FA0:.*]] = gemm.read_frag
// CHECK: %[[FB0:.*]] = gemm.read_frag
// CHECK: %[[R:.*]]:5 = scf.for %[[K0:.*]] = %[[KB]] to %[[KE]] {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[READ:.*]] = %{{.*}}, %[[WRITE:.*]] = %{{.*}}, %[[FA:.*]] = %[[FA0]], %[[FB:.*]] = %[[FB0]])
// CHECK: %[[NEXT:.*]] = arith.select
// Step 1's fragments from this tile, and the copies of the tile two ahead, before step 0.
// CHECK: %[[TA:.*]] = gemm.slot %[[SA]][%[[READ]]]
// CHECK: %[[FA1:.*]] = gemm.read_frag %[[TA]][%{{.*}}, %[[C16:.*]]]
// CHECK: %[[TB:.*]] = gemm.slot %[[SB]][%[[READ]]]
// CHECK: %[[FB1:.*]] = gemm.read_frag %[[TB]][%{{.*}}, %[[C16]]]
// CHECK: %[[C64:.*]] = arith.constant 64 : i32
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K0]], %[[C64]]
// CHECK: gemm.slot %[[SA]][%[[WRITE]]]
// CHECK: gemm.copy_start %{{.*}}[%{{.*}}, %[[AHEAD]]]
// CHECK: gemm.slot %[[SB]][%[[WRITE]]]
// CHECK: gemm.copy_start %{{.*}}[%{{.*}}, %[[AHEAD]]]
// CHECK: gemm.copy_commit
// CHECK-NEXT: %[[Y:.*]] = gemm.mma %[[FA]], %[[FB]], %[[X]]
// CHECK-NEXT: gemm.copy_wait 1
// CHECK-NEXT: gemm.barrier
// CHECK: %[[TA:.*]] = gemm.slot %[[SA]][%[[NEXT]]]
// CHECK: %[[FA2:.*]] = gemm.read_frag %[[TA]][%[[C0:.*]], %{{.*}}]
// CHECK: %[[TB:.*]] = gemm.slot %[[SB]][%[[NEXT]]]
// CHECK: %[[FB2:.*]] = gemm.read_frag %[[TB]][%[[C0]], %{{.*}}]
// CHECK: %[[Z:.*]] = gemm.mma %[[FA1]], %[[FB1]], %[[Y]]
// CHECK-NOT: gemm.mma
// CHECK: scf.yield %[[Z]], %[[NEXT]], %{{.*}}, %[[FA2]], %[[FB2]]
// CHECK: gemm.copy_wait 0
gpu.module @kernels {
  gemm.kernel @fragments(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                         %m: i32 {gemm.role = #gemm.role<extent "m">},
                         %kb: i32 {gemm.role = #gemm.role<extent "n">},
                         %ke: i32 {gemm.role = #gemm.role<extent "k">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 3, fragments = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    %r = scf.for %k0 = %kb to %ke step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %ke] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %ke] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c32 step %c16 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0)]>
!acc = !gemm.frag<64x8xf32, #acc>

// TMA arrives on a ring, one mbarrier per stage. A stage expects the bytes of both boxes: 64 x
// 64 x 2 + 8 x 64 x 2 = 9216. The mbarrier's phase parity flips each time the ring wraps. One
// group of wgmma stays in flight: when this tile's is issued, the previous one has finished,
// everywhere after the barrier, and its slot is filled again. Nothing is issued past the last
// tile: an expectation that no copy meets would never complete.
//
// CHECK-LABEL: gemm.kernel @ring(
// CHECK-SAME: %[[A:[a-z0-9]*]]: !gemm.tensor_map<?x?xbf16, row>
// CHECK-SAME: %[[KE:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "k">}
// CHECK: %[[SA:.*]] = gemm.alloc_shared "a" : <64x64xbf16, row, stages = 3>
// CHECK: %[[SB:.*]] = gemm.alloc_shared "b" : <8x64xbf16, row, stages = 3>
// CHECK: %[[ZERO:.*]] = gemm.zero
// CHECK: %[[RING:.*]] = gemm.ring_init : <3>
// CHECK: scf.for %[[S:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK: %[[LIVE:.*]] = arith.cmpi slt, %[[K:.*]], %[[KE]]
// CHECK-NEXT: scf.if %[[LIVE]] {
// CHECK-NEXT: gemm.ring_expect %[[RING]][%[[S]]] bytes 9216
// CHECK-NEXT: %[[SLOT:.*]] = gemm.slot %[[SA]][%[[S]]]
// CHECK-NEXT: gemm.copy_start %[[A]][%{{.*}}, %[[K]]] {{.*}} to %[[SLOT]] <tma> on %[[RING]][%[[S]]]
// CHECK-NEXT: %[[SLOT:.*]] = gemm.slot %[[SB]][%[[S]]]
// CHECK-NEXT: gemm.copy_start %{{.*}} to %[[SLOT]] <tma> on %[[RING]][%[[S]]]
// CHECK-NOT: gemm.copy_commit
// CHECK: %[[R:.*]]:4 = scf.for %[[K0:.*]] = {{.*}} iter_args(%[[X:.*]] = %[[ZERO]], %[[READ:.*]] = %[[C0:.*]], %[[WRITE:.*]] = %{{.*}}, %[[PARITY:.*]] = %{{.*}})
// CHECK-NEXT: gemm.ring_wait %[[RING]][%[[READ]]] parity %[[PARITY]]
// CHECK-NEXT: %[[TA:.*]] = gemm.slot %[[SA]][%[[READ]]]
// CHECK-NEXT: %[[TB:.*]] = gemm.slot %[[SB]][%[[READ]]]
// CHECK-NEXT: %[[SUM:.*]] = gemm.mma %[[TA]], %[[TB]], %[[X]] by <wgmma 64x8x16, warps = 4x1>
// CHECK-NEXT: gemm.mma_wait 1
// CHECK-NEXT: gemm.barrier
// CHECK: %[[C128:.*]] = arith.constant 128 : i32
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K0]], %[[C128]]
// CHECK: %[[LIVE:.*]] = arith.cmpi slt, %[[AHEAD]], %[[KE]]
// CHECK-NEXT: scf.if %[[LIVE]] {
// CHECK-NEXT: gemm.ring_expect %[[RING]][%[[WRITE]]] bytes 9216
// CHECK: gemm.copy_start %[[A]][%{{.*}}, %[[AHEAD]]] {{.*}} <tma> on %[[RING]][%[[WRITE]]]
// CHECK: }
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq,
// CHECK: %[[NEXTREAD:.*]] = arith.select %[[WRAPS]],
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[PARITY]], %{{.*}}
// CHECK: %[[NEXTPARITY:.*]] = arith.select %[[WRAPS]], %[[FLIPPED]], %[[PARITY]]
// CHECK: scf.yield %[[SUM]], %[[NEXTREAD]], %{{.*}}, %[[NEXTPARITY]]
// The accumulator is read only after the last group.
// CHECK: %[[DONE:.*]] = gemm.mma_finish %[[R]]#0
// CHECK: gemm.store_tile %[[DONE]],
gpu.module @kernels {
  gemm.kernel @ring(%A: !gemm.tensor_map<?x?xbf16, row> {gemm.role = #gemm.role<operand 0>},
                    %B: !gemm.tensor_map<?x?xbf16, row> {gemm.role = #gemm.role<operand 1>},
                    %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                    %m: i32 {gemm.role = #gemm.role<extent "m">},
                    %kb: i32 {gemm.role = #gemm.role<extent "n">},
                    %ke: i32 {gemm.role = #gemm.role<extent "k">})
      attributes {schedule = #gemm.schedule<tile = 64x8x64, mma = <wgmma 64x8x16, warps = 4x1>,
                                            copy = [<tma>, <tma>], bank = [<panel 128>, <panel 128>],
                                            pipeline = <stages = 3, in_flight = 1>, epilogue = <registers 8>>} {
    %c64 = arith.constant 64 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<64x64xbf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x64xbf16, row>
    %zero = gemm.zero : !acc
    %r = scf.for %k0 = %kb to %ke step %c64 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %ke] to %sa <tma> : !gemm.tensor_map<?x?xbf16, row> -> !gemm.shared<64x64xbf16, row>
      %cb = gemm.copy_start %B[%m, %k0] within [%m, %ke] to %sb <tma> : !gemm.tensor_map<?x?xbf16, row> -> !gemm.shared<8x64xbf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %y = gemm.mma %sa, %sb, %x by <wgmma 64x8x16, warps = 4x1> : !gemm.shared<64x64xbf16, row>, !gemm.shared<8x64xbf16, row>, !acc
      %z = gemm.mma_finish %y : !acc
      gemm.barrier
      scf.yield %z : !acc
    }
    gemm.store_tile %r, %D[%m, %m] within [%m, %m] : !acc, !gemm.view<?x?xf32, row>
    gemm.return
  }

  // One stage of TMA still needs its mbarrier; nothing runs ahead and nothing is in flight.
  // CHECK-LABEL: gemm.kernel @one_stage(
  // CHECK: gemm.alloc_shared "a" : <64x64xbf16, row>
  // CHECK: %[[RING:.*]] = gemm.ring_init : <1>
  // CHECK: scf.for %[[K0:.*]] = {{.*}} iter_args
  // CHECK: scf.if
  // CHECK-NEXT: gemm.ring_expect %[[RING]]
  // CHECK: gemm.copy_start %{{.*}}[%{{.*}}, %[[K0]]]
  // CHECK: gemm.ring_wait %[[RING]]
  // CHECK: gemm.mma
  // CHECK-NEXT: gemm.mma_wait 0
  // CHECK-NEXT: gemm.barrier
  // CHECK-NOT: gemm.copy_start
  // CHECK: gemm.mma_finish
  gemm.kernel @one_stage(%A: !gemm.tensor_map<?x?xbf16, row> {gemm.role = #gemm.role<operand 0>},
                         %B: !gemm.tensor_map<?x?xbf16, row> {gemm.role = #gemm.role<operand 1>},
                         %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 64x8x64, mma = <wgmma 64x8x16, warps = 4x1>,
                                            copy = [<tma>, <tma>], bank = [<panel 128>, <panel 128>],
                                            epilogue = <registers 8>>} {
    %c64 = arith.constant 64 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<64x64xbf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x64xbf16, row>
    %zero = gemm.zero : !acc
    %r = scf.for %k0 = %m to %m step %c64 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <tma> : !gemm.tensor_map<?x?xbf16, row> -> !gemm.shared<64x64xbf16, row>
      %cb = gemm.copy_start %B[%m, %k0] within [%m, %m] to %sb <tma> : !gemm.tensor_map<?x?xbf16, row> -> !gemm.shared<8x64xbf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %y = gemm.mma %sa, %sb, %x by <wgmma 64x8x16, warps = 4x1> : !gemm.shared<64x64xbf16, row>, !gemm.shared<8x64xbf16, row>, !acc
      %z = gemm.mma_finish %y : !acc
      gemm.barrier
      scf.yield %z : !acc
    }
    gemm.return
  }

  // A by TMA, B through registers: the stage expects A's box only, 8192 bytes; what threads
  // wrote is fenced and met over before the asynchronous reader gets it.
  // CHECK-LABEL: gemm.kernel @two_engines(
  // CHECK: %[[RING:.*]] = gemm.ring_init : <2>
  // CHECK: gemm.ring_expect %[[RING]][%{{.*}}] bytes 8192
  // CHECK: <tma> on %[[RING]]
  // CHECK: <registers 2> :
  // CHECK: scf.for {{.*}} iter_args
  // CHECK-NEXT: gemm.ring_wait
  // CHECK-NEXT: gemm.fence_async
  // CHECK-NEXT: gemm.barrier
  // CHECK: gemm.mma
  // CHECK-NEXT: gemm.mma_wait 0
  // CHECK-NEXT: gemm.barrier
  // CHECK: scf.if
  // CHECK: <tma> on %[[RING]]
  // CHECK: <registers 2> :
  gemm.kernel @two_engines(%A: !gemm.tensor_map<?x?xbf16, row> {gemm.role = #gemm.role<operand 0>},
                           %B: !gemm.view<?x?xbf16, row> {gemm.role = #gemm.role<operand 1>},
                           %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 64x8x64, mma = <wgmma 64x8x16, warps = 4x1>,
                                            copy = [<tma>, <registers 2>], bank = [<panel 128>, <panel 128>],
                                            pipeline = <stages = 2>, epilogue = <registers 8>>} {
    %c64 = arith.constant 64 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<64x64xbf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x64xbf16, row>
    %zero = gemm.zero : !acc
    %r = scf.for %k0 = %m to %m step %c64 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <tma> : !gemm.tensor_map<?x?xbf16, row> -> !gemm.shared<64x64xbf16, row>
      %cb = gemm.copy_start %B[%m, %k0] within [%m, %m] to %sb <registers 2> : !gemm.view<?x?xbf16, row> -> !gemm.shared<8x64xbf16, row>
      gemm.copy_finish %ca, %cb
      gemm.fence_async
      gemm.barrier
      %y = gemm.mma %sa, %sb, %x by <wgmma 64x8x16, warps = 4x1> : !gemm.shared<64x64xbf16, row>, !gemm.shared<8x64xbf16, row>, !acc
      %z = gemm.mma_finish %y : !acc
      gemm.barrier
      scf.yield %z : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<lane[32:(0, 1)], warp[2:(1, 0)]>
#a = #gemm.layout<lane[32:(0, 0)], warp[2:(1, 0)]>
#b = #gemm.layout<lane[32:(1, 0)], warp[2:(0, 0)]>
!acc = !gemm.frag<2x32xf32, #acc>
!a = !gemm.frag<2x1xf32, #a>
!b = !gemm.frag<32x1xf32, #b>

// Copies through registers over two stages: done when they are issued, so that the barrier is
// all there is to wait for; not issued past the last tile.
// CHECK-LABEL: gemm.kernel @registers(
// CHECK: gemm.alloc_shared "a" : <2x8xf32, row, stages = 2>
// CHECK-NOT: gemm.ring_init
// CHECK: scf.for
// CHECK: scf.if
// CHECK: <registers 4>
// CHECK: <registers 4>
// CHECK: }
// CHECK-NOT: gemm.copy_commit
// CHECK: scf.for %[[K0:.*]] = {{.*}} iter_args
// CHECK-NEXT: gemm.barrier
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K0]], %[[C8]]
// CHECK: %[[LIVE:.*]] = arith.cmpi slt, %[[AHEAD]],
// CHECK: scf.if %[[LIVE]]
// CHECK: <registers 4>
// CHECK: <registers 4>
// CHECK: gemm.mma
// CHECK-NOT: gemm.barrier
// CHECK-NOT: gemm.copy_wait
// CHECK: gemm.return
gpu.module @kernels {
  gemm.kernel @registers(%A: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 0>},
                         %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 2x32x8, mma = <fma 1x1x1, warps = 2x1>,
                                            copy = [<registers 4>, <registers 4>],
                                            pipeline = <stages = 2>, epilogue = <registers 4>>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<2x8xf32, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<32x8xf32, row>
    %zero = gemm.zero : !acc
    %r = scf.for %k0 = %m to %m step %c8 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <registers 4> : !gemm.view<?x?xf32, row> -> !gemm.shared<2x8xf32, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <registers 4> : !gemm.view<?x?xf32, row> -> !gemm.shared<32x8xf32, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c8 step %c1 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<2x8xf32, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<32x8xf32, row> -> !b
        %z = gemm.mma %fa, %fb, %y by <fma 1x1x1, warps = 2x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }

  // With one stage of the same engines there is nothing to overlap, and in other loops, nested
  // ones included, nothing to pipeline.
  // CHECK-LABEL: gemm.kernel @one_stage(
  // CHECK: gemm.alloc_shared "a" : <2x8xf32, row>
  // CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9]*}} = %{{[a-z0-9]*}}) ->
  // CHECK-NEXT: gemm.copy_start
  // CHECK-NEXT: gemm.copy_start
  // CHECK-NEXT: gemm.copy_finish
  // CHECK-NEXT: gemm.barrier
  // CHECK: gemm.mma
  // CHECK: gemm.barrier
  // CHECK-NEXT: scf.yield
  // CHECK: scf.for
  // CHECK-NEXT: gemm.copy_start
  // CHECK-NEXT: gemm.barrier
  // CHECK-NEXT: }
  // CHECK-NEXT: gemm.return
  gemm.kernel @one_stage(%A: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 0>},
                         %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 2x32x8, mma = <fma 1x1x1, warps = 2x1>,
                                            copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<2x8xf32, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<32x8xf32, row>
    %zero = gemm.zero : !acc
    %r = scf.for %k0 = %m to %m step %c8 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <registers 4> : !gemm.view<?x?xf32, row> -> !gemm.shared<2x8xf32, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <registers 4> : !gemm.view<?x?xf32, row> -> !gemm.shared<32x8xf32, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c8 step %c1 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<2x8xf32, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<32x8xf32, row> -> !b
        %z = gemm.mma %fa, %fb, %y by <fma 1x1x1, warps = 2x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    scf.for %k0 = %c0 to %c8 step %c1 : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <registers 4> : !gemm.view<?x?xf32, row> -> !gemm.shared<2x8xf32, row>
      gemm.barrier
    }
    gemm.return
  }
}
