// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma: descriptors, steps, waits (PTX ISA, "Asynchronous Warpgroup Level Matrix
// Multiply-Accumulate Operation").
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gpu.module(convert-gemm-to-nvvm))' --split-input-file
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

// The fields of a matrix descriptor (PTX ISA, "Matrix Descriptor Format"):
//   bits  0-13  start address >> 4, of 18 bits
//   bits 16-29  leading dimension byte offset >> 4
//   bits 32-45  stride dimension byte offset >> 4
//   bits 62-63  swizzling mode: 1 = 128 bytes, 2 = 64, 3 = 32

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0), 2:(64, 0)]>
!acc = !gemm.frag<128x8xf32, #acc>
!a = !gemm.shared<128x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
!b = !gemm.shared<8x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>

// Contiguous along k, 128-byte swizzle. Stride: eight lines of 128 bytes, 1024 >> 4 = 64; leading:
// not used, 1. 1 << 62 | 64 << 32 | 1 << 16 = 4611686293305360384. A's row is that of the
// warpgroup: the warp index without its last two bits, 64 rows for each four.
// CHECK-LABEL: llvm.func @along_k(
// CHECK: %[[WARP:.*]] = nvvm.shfl.sync
// CHECK: %[[A:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: %[[BASE:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: %[[B:.*]] = arith.addi %[[BASE]], %{{.*}} : i32
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: %[[FOURS:.*]] = arith.shrui %[[WARP]], %[[C2]]
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: %[[GROUP:.*]] = arith.shli %[[FOURS]], %[[C2]]
// CHECK: %[[NTH:.*]] = arith.shrui %[[GROUP]], %{{.*}} : i32
// CHECK: %[[C64:.*]] = arith.constant 64 : i32
// CHECK: arith.muli %[[NTH]], %[[C64]]
// CHECK: %[[START:.*]] = arith.addi %[[A]], %{{.*}} : i32
// CHECK: %[[MASK:.*]] = arith.constant 262143 : i32
// CHECK: %[[LOW:.*]] = arith.andi %[[START]], %[[MASK]]
// CHECK: %[[C4:.*]] = arith.constant 4 : i32
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[LOW]], %[[C4]]
// CHECK: %[[FIELD:.*]] = arith.extui %[[SHIFTED]] : i32 to i64
// CHECK: %[[FIXED:.*]] = arith.constant 4611686293305360384 : i64
// CHECK: %[[DA:.*]] = arith.ori %[[FIELD]], %[[FIXED]] : i64
// CHECK: arith.andi %[[B]],
// CHECK: %[[FIXED:.*]] = arith.constant 4611686293305360384 : i64
// CHECK: %[[DB:.*]] = arith.ori %{{.*}}, %[[FIXED]] : i64
//
// The fence orders what was done to the registers before; then four k-steps of 16: 32 bytes,
// 2 in the descriptor. Accumulators are chained, scale-d = 1. For the instruction, A is row
// major (no transposition) and B, n x k, column major.
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-NEXT: %[[ACC0:.*]] = nvvm.wgmma.mma_async %[[DA]], %[[DB]], %{{.*}}, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
// CHECK: %[[C2:.*]] = arith.constant 2 : i64
// CHECK-NEXT: %[[KA:.*]] = arith.addi %[[DA]], %[[C2]]
// CHECK: %[[KB:.*]] = arith.addi %[[DB]], %{{.*}} : i64
// CHECK: %[[ACC1:.*]] = nvvm.wgmma.mma_async %[[KA]], %[[KB]], %[[ACC0]],
// CHECK: %[[C4:.*]] = arith.constant 4 : i64
// CHECK-NEXT: %[[KA:.*]] = arith.addi %[[DA]], %[[C4]]
// CHECK: %[[ACC2:.*]] = nvvm.wgmma.mma_async %[[KA]], %{{.*}}, %[[ACC1]],
// CHECK: %[[C6:.*]] = arith.constant 6 : i64
// CHECK-NEXT: %[[KA:.*]] = arith.addi %[[DA]], %[[C6]]
// CHECK: %[[ACC3:.*]] = nvvm.wgmma.mma_async %[[KA]], %{{.*}}, %[[ACC2]],
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NOT: nvvm.wgmma.mma_async
// CHECK: %[[R0:.*]] = llvm.extractvalue %[[ACC3]][0]
// CHECK: %[[R1:.*]] = llvm.extractvalue %[[ACC3]][1]
// CHECK: %[[R2:.*]] = llvm.extractvalue %[[ACC3]][2]
// CHECK: %[[R3:.*]] = llvm.extractvalue %[[ACC3]][3]
// A wait within the loop has no registers to protect; the last one has, and takes them in and
// out, so that no use of them can pass it.
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: %[[TIED:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3" %[[R0]], %[[R1]], %[[R2]], %[[R3]]
// CHECK: %[[FIRST:.*]] = llvm.extractvalue %[[TIED]][0]
// CHECK: llvm.store %[[FIRST]],
gpu.module @kernels {
  gemm.kernel @along_k(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 256 : i32, target = #gemm.target<"sm_90a">} {
    %sa = gemm.alloc_shared "a" : !a
    %sb = gemm.alloc_shared "b" : !b
    %zero = gemm.zero : !acc
    %x = gemm.mma %sa, %sb, %zero by <wgmma 64x8x16, warps = 8x1> : !a, !b, !acc
    gemm.mma_wait 1
    %y = gemm.mma_finish %x : !acc
    gemm.store_tile %y, %D[%n, %n] within [%n, %n] : !acc, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0), 16:(0, 8), 2:(64, 0)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0)]>
!acc = !gemm.frag<128x128xf32, #acc>
!t = !gemm.shared<128x32xf16, col, <panel = 64, pitch = 128, xor_bits = 3>>

// Contiguous along m and n. A panel is 64 rows wide and as long as k, 32 lines of 128 bytes:
// leading 4096 >> 4 = 256, from one panel to the next; stride 64 as before.
// 1 << 62 | 64 << 32 | 256 << 16 = 4611686293322072064. A k-step of 16 is 16 lines, 2048 >> 4 =
// 128; the second block of 64 rows is A's next panel, 256. The instruction transposes both.
// CHECK-LABEL: llvm.func @along_m_and_n(
// CHECK: %[[FIXED:.*]] = arith.constant 4611686293322072064 : i64
// CHECK: %[[DA:.*]] = arith.ori %{{.*}}, %[[FIXED]] : i64
// CHECK: %[[FIXED:.*]] = arith.constant 4611686293322072064 : i64
// CHECK: %[[DB:.*]] = arith.ori %{{.*}}, %[[FIXED]] : i64
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-NEXT: %[[TOP0:.*]] = nvvm.wgmma.mma_async %[[DA]], %[[DB]], %{{.*}}, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <col>], B[<f16>, <one>, <row>]
// CHECK: %[[C256:.*]] = arith.constant 256 : i64
// CHECK-NEXT: %[[BLOCK:.*]] = arith.addi %[[DA]], %[[C256]]
// CHECK-NEXT: %[[BOTTOM0:.*]] = nvvm.wgmma.mma_async %[[BLOCK]], %[[DB]],
// CHECK: %[[C128:.*]] = arith.constant 128 : i64
// CHECK-NEXT: %[[KA:.*]] = arith.addi %[[DA]], %[[C128]]
// CHECK-NEXT: %[[C128:.*]] = arith.constant 128 : i64
// CHECK-NEXT: %[[KB:.*]] = arith.addi %[[DB]], %[[C128]]
// CHECK-NEXT: %{{.*}} = nvvm.wgmma.mma_async %[[KA]], %[[KB]], %[[TOP0]],
// CHECK: %[[C384:.*]] = arith.constant 384 : i64
// CHECK-NEXT: %[[KA:.*]] = arith.addi %[[DA]], %[[C384]]
// CHECK: %{{.*}} = nvvm.wgmma.mma_async %[[KA]], %{{.*}}, %[[BOTTOM0]],
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
gpu.module @kernels {
  gemm.kernel @along_m_and_n() attributes {block = 128 : i32, target = #gemm.target<"sm_90a">} {
    %sa = gemm.alloc_shared "a" : !t
    %sb = gemm.alloc_shared "b" : !t
    %zero = gemm.zero : !acc
    %x = gemm.mma %sa, %sb, %zero by <wgmma 64x128x16, warps = 4x1> : !t, !t, !acc
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0)]>
!acc = !gemm.frag<64x8xf32, #acc>
!a = !gemm.shared<64x32xbf16, row, <panel = 32, pitch = 64, xor_bits = 2>>
!b = !gemm.shared<8x32xbf16, row, <panel = 16, pitch = 32, xor_bits = 1>>

// Narrower swizzles: eight lines of 64 bytes, 512 >> 4 = 32, mode 2; of 32 bytes, 16, mode 3.
//   2 << 62 | 32 << 32 | 1 << 16 = 0x8000002000010000
//   3 << 62 | 16 << 32 | 1 << 16 = 0xC000001000010000
// as signed numbers below. The second k-step is 32 bytes further on in A, and the next panel of
// B: 8 lines of 32 bytes, 256 >> 4 = 16.
// CHECK-LABEL: llvm.func @narrow(
// CHECK: %[[FIXED:.*]] = arith.constant -9223371899415756800 : i64
// CHECK: %[[DA:.*]] = arith.ori %{{.*}}, %[[FIXED]] : i64
// CHECK: %[[FIXED:.*]] = arith.constant -4611685949707845632 : i64
// CHECK: %[[DB:.*]] = arith.ori %{{.*}}, %[[FIXED]] : i64
// CHECK: = nvvm.wgmma.mma_async %[[DA]], %[[DB]],
// CHECK: %[[C2:.*]] = arith.constant 2 : i64
// CHECK-NEXT: %[[KA:.*]] = arith.addi %[[DA]], %[[C2]]
// CHECK: %[[C16:.*]] = arith.constant 16 : i64
// CHECK-NEXT: %[[KB:.*]] = arith.addi %[[DB]], %[[C16]]
// CHECK-NEXT: = nvvm.wgmma.mma_async %[[KA]], %[[KB]],
gpu.module @kernels {
  gemm.kernel @narrow() attributes {block = 128 : i32, target = #gemm.target<"sm_90a">} {
    %sa = gemm.alloc_shared "a" : !a
    %sb = gemm.alloc_shared "b" : !b
    %zero = gemm.zero : !acc
    %x = gemm.mma %sa, %sb, %zero by <wgmma 64x8x16, warps = 4x1> : !a, !b, !acc
    gemm.return
  }
}
