// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --verify-roundtrip | gemm-opt --verify-roundtrip | FileCheck %s
// RUN: gemm-opt %s --mlir-print-op-generic | gemm-opt | FileCheck %s

// Every op from the tiled to the pipelined phase, in the order of those phases.

// The accumulator and operands of mma.m16n8k16 for one warp (PTX ISA, "Matrix Fragments
// for mma.m16n8k16").
#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
// 64 rows over the four warps of a warpgroup, for wgmma.m64n8k16.
#group = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0)]>

gpu.module @kernels {
  // A kernel says what the host passes for each argument, and what it implements.
  // CHECK-LABEL: gemm.kernel @attributes(
  // CHECK-SAME: %{{.*}}: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
  // CHECK-SAME: %{{.*}}: !gemm.tensor_map<?x?x?xf16, col> {gemm.role = #gemm.role<operand 1>},
  // CHECK-SAME: %{{.*}}: i32 {gemm.role = #gemm.role<extent "m">},
  // CHECK-SAME: %{{.*}}: f32 {gemm.role = #gemm.role<scalar 0>})
  // CHECK-SAME: attributes {block = 256 : i32, grid = {cols = "n", kind = "tiles", raster = 1 : i64, rows = "m", tile = [32, 32]}, guard = #gemm.guard<[align(A) 16]>,
  // CHECK-SAME: schedule = #gemm.schedule<tile = 32x32x32, {{.*}}>, target = #gemm.target<"sm_80">} {
  // CHECK-NEXT: gemm.return
  gemm.kernel @attributes(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                          %B: !gemm.tensor_map<?x?x?xf16, col> {gemm.role = #gemm.role<operand 1>},
                          %m: i32 {gemm.role = #gemm.role<extent "m">},
                          %alpha: f32 {gemm.role = #gemm.role<scalar 0>})
      attributes {block = 256 : i32, grid = {cols = "n", kind = "tiles", raster = 1 : i64, rows = "m", tile = [32, 32]}, guard = #gemm.guard<[align(A) 16]>,
                  schedule = #gemm.schedule<tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
                                            copy = [<registers 16>, <registers 4>],
                                            epilogue = <registers 4>>,
                  target = #gemm.target<"sm_80">} {
    gemm.return
  }

  // Without arguments and attributes.
  // CHECK-LABEL: gemm.kernel @nothing() {
  gemm.kernel @nothing() {
    gemm.return
  }

  // Tiles that live nowhere yet.
  // CHECK-LABEL: gemm.kernel @tiled(
  // CHECK-SAME: %[[A:[a-z0-9]*]]: !gemm.view<?x?xf16, row>
  // CHECK-SAME: %[[B:[a-z0-9]*]]: !gemm.view<?x?x?xf16, col>
  // CHECK-SAME: %[[BIAS:[a-z0-9]*]]: !gemm.view<?xf32>
  // CHECK-SAME: %[[C:[a-z0-9]*]]: !gemm.view<?x?x?xf16, col>
  // CHECK-SAME: %[[D:[a-z0-9]*]]: !gemm.view<?x?x?xf16, row>
  // CHECK-SAME: %[[M:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "m">}
  // CHECK-SAME: %[[N:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "n">}
  // CHECK-SAME: %[[K:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "k">}
  // CHECK-SAME: %[[BATCH:[a-z0-9]*]]: i32 {gemm.role = #gemm.role<extent "batch">}
  gemm.kernel @tiled(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                     %B: !gemm.view<?x?x?xf16, col> {gemm.role = #gemm.role<operand 1>},
                     %bias: !gemm.view<?xf32> {gemm.role = #gemm.role<operand 2>},
                     %C: !gemm.view<?x?x?xf16, col> {gemm.role = #gemm.role<operand 3>},
                     %D: !gemm.view<?x?x?xf16, row> {gemm.role = #gemm.role<operand 4>},
                     %m: i32 {gemm.role = #gemm.role<extent "m">},
                     %n: i32 {gemm.role = #gemm.role<extent "n">},
                     %k: i32 {gemm.role = #gemm.role<extent "k">},
                     %batch: i32 {gemm.role = #gemm.role<extent "batch">}) {
    // CHECK: gemm.for_work (%[[I:.*]], %[[M0:.*]], %[[N0:.*]], %[[KB:.*]], %[[KE:.*]]) over [%[[BATCH]], %[[M]], %[[N]], %[[K]]] tile [16, 8] <tiles, raster = 8> {
    gemm.for_work (%i, %m0, %n0, %kb, %ke) over [%batch, %m, %n, %k] tile [16, 8] <tiles, raster = 8> {
      // CHECK-NEXT: %[[ZERO:.*]] = gemm.zero : !gemm.tile<16x8xf32>
      %zero = gemm.zero : !gemm.tile<16x8xf32>
      // CHECK-NEXT: %[[TA:.*]] = gemm.load_tile %[[A]][%[[M0]], %[[KB]]] within[%[[M]], %[[KE]]] : <?x?xf16, row> -> <16x16xf16>
      %ta = gemm.load_tile %A[%m0, %kb] within [%m, %ke] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf16>
      // CHECK-NEXT: %[[TB:.*]] = gemm.load_tile %[[B]][%[[I]], %[[N0]], %[[KB]]] within[%[[N]], %[[KE]]] : <?x?x?xf16, col> -> <8x16xf16>
      %tb = gemm.load_tile %B[%i, %n0, %kb] within [%n, %ke] : !gemm.view<?x?x?xf16, col> -> !gemm.tile<8x16xf16>
      // CHECK-NEXT: %[[SUM:.*]] = gemm.mma %[[TA]], %[[TB]], %[[ZERO]] : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x8xf32>
      %sum = gemm.mma %ta, %tb, %zero : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x8xf32>
      // A view is read by row, by column or at both.
      // CHECK-NEXT: %[[R:.*]] = gemm.map %[[SUM]] at [%[[I]], %[[M0]], %[[N0]]] within [%[[M]], %[[N]]] ins(%[[BIAS]][cols], %[[BIAS]][rows], %[[C]][full] : !gemm.view<?xf32>, !gemm.view<?xf32>, !gemm.view<?x?x?xf16, col>) : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf16> {
      // CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f32, %{{.*}}: f16):
      // CHECK-NEXT: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
      // CHECK-NEXT: %[[T:.*]] = arith.addf %[[S]], %[[Z]] : f32
      // CHECK-NEXT: %[[H:.*]] = arith.truncf %[[T]] : f32 to f16
      // CHECK-NEXT: gemm.yield %[[H]] : f16
      %r = gemm.map %sum at [%i, %m0, %n0] within [%m, %n]
               ins(%bias[cols], %bias[rows], %C[full] : !gemm.view<?xf32>, !gemm.view<?xf32>, !gemm.view<?x?x?xf16, col>)
           : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf16> {
        ^bb0(%x: f32, %y: f32, %z: f32, %c: f16):
          %s = arith.addf %x, %y : f32
          %t = arith.addf %s, %z : f32
          %h = arith.truncf %t : f32 to f16
          gemm.yield %h : f16
      }
      // A map without views; the width of a store is not said until its tile is placed.
      // CHECK: %[[Q:.*]] = gemm.map %[[R]] at [%[[M0]], %[[N0]]] within [%[[M]], %[[N]]] : !gemm.tile<16x8xf16> -> !gemm.tile<16x8xf16> {
      %q = gemm.map %r at [%m0, %n0] within [%m, %n] : !gemm.tile<16x8xf16> -> !gemm.tile<16x8xf16> {
        ^bb0(%x: f16):
          gemm.yield %x : f16
      }
      // CHECK: gemm.store_tile %[[Q]], %[[D]][%[[I]], %[[M0]], %[[N0]]] within[%[[M]], %[[N]]] : !gemm.tile<16x8xf16>, <?x?x?xf16, row>
      gemm.store_tile %q, %D[%i, %m0, %n0] within [%m, %n] : !gemm.tile<16x8xf16>, !gemm.view<?x?x?xf16, row>
    }
    gemm.return
  }

  // CHECK-LABEL: gemm.kernel @noted(
  gemm.kernel @noted(%m: i32 {gemm.role = #gemm.role<extent "m">}) {
    // CHECK: gemm.for_work {{.*}} <tiles> attributes {test.note = "kept"} {
    // CHECK-NEXT: }
    // CHECK-NEXT: gemm.return
    gemm.for_work (%i, %m0, %n0, %kb, %ke) over [%m, %m, %m, %m] tile [16, 8] <tiles>
        attributes {test.note = "kept"} {
    }
    gemm.return
  }

  // The same with homes: shared tiles, fragments, and the copies between them.
  // CHECK-LABEL: gemm.kernel @placed(
  // CHECK-SAME: %[[A:[a-z0-9]*]]: !gemm.view<?x?xf16, row>
  // CHECK-SAME: %[[B:[a-z0-9]*]]: !gemm.view<?x?x?xf16, col>
  // CHECK-SAME: %[[D:[a-z0-9]*]]: !gemm.view<?x?xf32, row>
  // CHECK-SAME: %[[N:[a-z0-9]*]]: i32
  gemm.kernel @placed(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                      %B: !gemm.view<?x?x?xf16, col> {gemm.role = #gemm.role<operand 1>},
                      %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                      %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    // CHECK: %[[SA:.*]] = gemm.alloc_shared "a" : <16x16xf16, row>
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row>
    // CHECK-NEXT: %[[SB:.*]] = gemm.alloc_shared "b" : <8x16xf16, col>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x16xf16, col>
    // CHECK-NEXT: %[[SC:.*]] = gemm.alloc_shared "result" : <16x8xf32, row>
    %sc = gemm.alloc_shared "result" : !gemm.shared<16x8xf32, row>
    // CHECK-NEXT: %[[ZERO:.*]] = gemm.zero : !gemm.frag<16x8xf32, #[[ACC:.*]]>
    %zero = gemm.zero : !gemm.frag<16x8xf32, #acc>
    // CHECK-NEXT: %[[CA:.*]] = gemm.copy_start %[[A]][%[[N]], %[[N]]] within[%[[N]], %[[N]]] to %[[SA]] <cp_async 16> : !gemm.view<?x?xf16, row> -> <16x16xf16, row>
    %ca = gemm.copy_start %A[%n, %n] within [%n, %n] to %sa <cp_async 16>
        : !gemm.view<?x?xf16, row> -> !gemm.shared<16x16xf16, row>
    // CHECK-NEXT: %[[CB:.*]] = gemm.copy_start %[[B]][%[[N]], %[[N]], %[[N]]] within[%[[N]], %[[N]]] to %[[SB]] <registers 2> : !gemm.view<?x?x?xf16, col> -> <8x16xf16, col>
    %cb = gemm.copy_start %B[%n, %n, %n] within [%n, %n] to %sb <registers 2>
        : !gemm.view<?x?x?xf16, col> -> !gemm.shared<8x16xf16, col>
    // CHECK-NEXT: gemm.copy_finish %[[CA]], %[[CB]]
    gemm.copy_finish %ca, %cb
    // CHECK-NEXT: gemm.barrier
    gemm.barrier
    // CHECK-NEXT: %[[FA:.*]] = gemm.read_frag %[[SA]][%[[N]], %[[N]]] : <16x16xf16, row> -> <16x16xf16, #[[FRAGA:.*]]>
    %fa = gemm.read_frag %sa[%n, %n] : !gemm.shared<16x16xf16, row> -> !gemm.frag<16x16xf16, #a>
    // CHECK-NEXT: %[[FB:.*]] = gemm.read_frag %[[SB]][%[[N]], %[[N]]] : <8x16xf16, col> -> <8x16xf16, #[[FRAGB:.*]]>
    %fb = gemm.read_frag %sb[%n, %n] : !gemm.shared<8x16xf16, col> -> !gemm.frag<8x16xf16, #b>
    // CHECK-NEXT: %[[SUM:.*]] = gemm.mma %[[FA]], %[[FB]], %[[ZERO]] by <mma_sync 16x8x16, warps = 1x1> : !gemm.frag<16x16xf16, #[[FRAGA]]>, !gemm.frag<8x16xf16, #[[FRAGB]]>, !gemm.frag<16x8xf32, #[[ACC]]>
    %sum = gemm.mma %fa, %fb, %zero by <mma_sync 16x8x16, warps = 1x1>
        : !gemm.frag<16x16xf16, #a>, !gemm.frag<8x16xf16, #b>, !gemm.frag<16x8xf32, #acc>
    // CHECK-NEXT: gemm.write_frag %[[SUM]], %[[SC]] : <16x8xf32, #[[ACC]]>, <16x8xf32, row>
    gemm.write_frag %sum, %sc : !gemm.frag<16x8xf32, #acc>, !gemm.shared<16x8xf32, row>
    // CHECK-NEXT: gemm.store_tile %[[SUM]], %[[D]][%[[N]], %[[N]]] within[%[[N]], %[[N]]] {bytes = 8 : i64} : !gemm.frag<16x8xf32, #[[ACC]]>, <?x?xf32, row>
    gemm.store_tile %sum, %D[%n, %n] within [%n, %n] {bytes = 8 : i64} : !gemm.frag<16x8xf32, #acc>, !gemm.view<?x?xf32, row>
    gemm.return
  }

  // Stages, groups, rings and multiplications that run on.
  // CHECK-LABEL: gemm.kernel @pipelined(
  // CHECK-SAME: %[[A:[a-z0-9]*]]: !gemm.tensor_map<?x?xf16, row>
  // CHECK-SAME: %[[B:[a-z0-9]*]]: !gemm.view<?x?xf16, row>
  // CHECK-SAME: %[[N:[a-z0-9]*]]: i32
  gemm.kernel @pipelined(%A: !gemm.tensor_map<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                         %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                         %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    // CHECK: %[[SA:.*]] = gemm.alloc_shared "a" : <64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>, stages = 4>
    %sa = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>, stages = 4>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    %zero = gemm.zero : !gemm.frag<64x8xf32, #group>
    // CHECK: %[[RING:.*]] = gemm.ring_init : <4>
    %ring = gemm.ring_init : !gemm.ring<4>
    // CHECK-NEXT: gemm.ring_expect %[[RING]][%[[N]]] bytes 8192 : <4>
    gemm.ring_expect %ring[%n] bytes 8192 : !gemm.ring<4>
    // CHECK-NEXT: %[[SLOT:.*]] = gemm.slot %[[SA]][%[[N]]] : <64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>, stages = 4> -> <64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    %slot = gemm.slot %sa[%n] : !gemm.shared<64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>, stages = 4>
                              -> !gemm.shared<64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    // CHECK-NEXT: gemm.copy_start %[[A]][%[[N]], %[[N]]] within[%[[N]], %[[N]]] to %[[SLOT]] <tma> on %[[RING]][%[[N]]] : !gemm.tensor_map<?x?xf16, row> -> <64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>, !gemm.ring<4>
    %ca = gemm.copy_start %A[%n, %n] within [%n, %n] to %slot <tma> on %ring[%n]
        : !gemm.tensor_map<?x?xf16, row> -> !gemm.shared<64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>, !gemm.ring<4>
    %cb = gemm.copy_start %B[%n, %n] within [%n, %n] to %sb <cp_async 16>
        : !gemm.view<?x?xf16, row> -> !gemm.shared<8x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    // CHECK: gemm.copy_commit
    gemm.copy_commit
    // CHECK-NEXT: gemm.copy_wait 2
    gemm.copy_wait 2
    // CHECK-NEXT: gemm.ring_wait %[[RING]][%[[N]]] parity %[[N]] : <4>
    gemm.ring_wait %ring[%n] parity %n : !gemm.ring<4>
    // CHECK-NEXT: gemm.fence_async
    gemm.fence_async
    // CHECK-NEXT: %[[SUM:.*]] = gemm.mma %[[SLOT]], %{{.*}}, %{{.*}} by <wgmma 64x8x16, warps = 4x1> : !gemm.shared<64x64xf16, {{.*}}>, !gemm.shared<8x64xf16, {{.*}}>, !gemm.frag<64x8xf32, #[[GROUP:.*]]>
    %sum = gemm.mma %slot, %sb, %zero by <wgmma 64x8x16, warps = 4x1>
        : !gemm.shared<64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>,
          !gemm.shared<8x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>, !gemm.frag<64x8xf32, #group>
    // CHECK-NEXT: gemm.mma_wait 1
    gemm.mma_wait 1
    // CHECK-NEXT: gemm.mma_finish %[[SUM]] : <64x8xf32, #[[GROUP]]>
    %done = gemm.mma_finish %sum : !gemm.frag<64x8xf32, #group>
    gemm.return
  }
}
