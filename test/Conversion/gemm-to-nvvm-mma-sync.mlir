// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync (PTX ISA, "Multiply-and-Accumulate Instruction: mma").
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gpu.module(convert-gemm-to-nvvm))' --split-input-file
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8), 2:(16, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8), 2:(16, 0)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<32x16xf32, #acc>
!a = !gemm.frag<32x16xbf16, #a>
!b = !gemm.frag<16x16xbf16, #b>

// Two by two instructions of m16n8k16: four registers of A, two of B, four accumulators each; A
// row major and B column major. The second row of instructions goes back along n, so that
// neighbours share B as well as A.
// CHECK-LABEL: llvm.func @bf16(
// CHECK: %[[LOAD:.*]] = nvvm.ldmatrix
// CHECK: %[[A0:.*]] = llvm.extractvalue %[[LOAD]][0]
// CHECK: %[[A1:.*]] = llvm.extractvalue %[[LOAD]][1]
// CHECK: %[[A2:.*]] = llvm.extractvalue %[[LOAD]][2]
// CHECK: %[[A3:.*]] = llvm.extractvalue %[[LOAD]][3]
// CHECK: %[[LOAD:.*]] = nvvm.ldmatrix
// CHECK: %[[A4:.*]] = llvm.extractvalue %[[LOAD]][0]
// CHECK: %[[A5:.*]] = llvm.extractvalue %[[LOAD]][1]
// CHECK: %[[A6:.*]] = llvm.extractvalue %[[LOAD]][2]
// CHECK: %[[A7:.*]] = llvm.extractvalue %[[LOAD]][3]
// CHECK: %[[LOAD:.*]] = nvvm.ldmatrix
// CHECK: %[[B0:.*]] = llvm.extractvalue %[[LOAD]][0]
// CHECK: %[[B1:.*]] = llvm.extractvalue %[[LOAD]][1]
// CHECK: %[[B2:.*]] = llvm.extractvalue %[[LOAD]][2]
// CHECK: %[[B3:.*]] = llvm.extractvalue %[[LOAD]][3]
// CHECK: %[[TOPLEFT:.*]] = nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B0]], %[[B1]]] C[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}]
// CHECK-SAME: layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK-SAME: (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK: %[[TL0:.*]] = llvm.extractvalue %[[TOPLEFT]][0]
// CHECK: %[[TOPRIGHT:.*]] = nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B2]], %[[B3]]]
// CHECK: %[[TR0:.*]] = llvm.extractvalue %[[TOPRIGHT]][0]
// CHECK: %[[BOTTOMRIGHT:.*]] = nvvm.mma.sync A[%[[A4]], %[[A5]], %[[A6]], %[[A7]]] B[%[[B2]], %[[B3]]]
// CHECK: %[[BR0:.*]] = llvm.extractvalue %[[BOTTOMRIGHT]][0]
// CHECK: %[[BOTTOMLEFT:.*]] = nvvm.mma.sync A[%[[A4]], %[[A5]], %[[A6]], %[[A7]]] B[%[[B0]], %[[B1]]]
// CHECK: %[[BL0:.*]] = llvm.extractvalue %[[BOTTOMLEFT]][0]
// CHECK-NOT: nvvm.mma.sync
// Each block's first accumulator lands at its corner: the top right one is 8 columns of 4 bytes
// to the right, the lower ones 16 rows down.
// CHECK: scf.if
// CHECK: llvm.store %[[TL0]], %[[CORNER:.*]] {alignment = 4 : i64} : f32
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %[[CORNER]][32]
// CHECK-NEXT: llvm.store %[[TR0]], %[[P]]
// CHECK: %[[C16:.*]] = arith.constant 16 : i64
// CHECK-NEXT: %[[DOWN:.*]] = arith.muli %{{.*}}, %[[C16]]
// CHECK-NEXT: %[[P:.*]] = llvm.getelementptr inbounds %[[CORNER]][%[[DOWN]]]
// CHECK-NEXT: llvm.store %[[BL0]], %[[P]]
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %{{.*}}[32]
// CHECK-NEXT: llvm.store %[[BR0]], %[[P]]
// CHECK: } else {
gpu.module @kernels {
  gemm.kernel @bf16(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %c0 = arith.constant 0 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<32x16xbf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<16x16xbf16, row>
    %a = gemm.read_frag %sa[%c0, %c0] : !gemm.shared<32x16xbf16, row> -> !a
    %b = gemm.read_frag %sb[%c0, %c0] : !gemm.shared<16x16xbf16, row> -> !b
    %zero = gemm.zero : !acc
    %d = gemm.mma %a, %b, %zero by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] : !acc, !gemm.view<?x?xf32, row>
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

// A loop over k-steps is written out: its steps' positions fold into addresses. Here two, the
// second 16 elements, that is 32 bytes, further on. The accumulator goes through. NVVM takes f16
// pairs as vectors. Only one instruction wide, B has two registers, less than ldmatrix.x4 reads.
// CHECK-LABEL: llvm.func @f16_steps(
// CHECK-NOT: scf.for
// CHECK: nvvm.ldmatrix
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK: %[[A0:.*]] = llvm.bitcast %{{.*}} : i32 to vector<2xf16>
// CHECK: %[[FIRST:.*]] = nvvm.mma.sync A[%[[A0]], %{{.*}}, %{{.*}}, %{{.*}}] B[%{{.*}}, %{{.*}}] C[
// CHECK-SAME: shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK-SAME: (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK: %[[X0:.*]] = llvm.extractvalue %[[FIRST]][0]
// CHECK: %[[X1:.*]] = llvm.extractvalue %[[FIRST]][1]
// CHECK: %[[X2:.*]] = llvm.extractvalue %[[FIRST]][2]
// CHECK: %[[X3:.*]] = llvm.extractvalue %[[FIRST]][3]
// CHECK: nvvm.ldmatrix
// CHECK: nvvm.mma.sync {{.*}} C[%[[X0]], %[[X1]], %[[X2]], %[[X3]]]
// CHECK-NOT: nvvm.mma.sync
// CHECK: llvm.return
gpu.module @kernels {
  gemm.kernel @f16_steps(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    %d = scf.for %kk = %c0 to %c32 step %c16 iter_args(%x = %zero) -> (!acc) : i32 {
      %a = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
      %b = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
      %y = gemm.mma %a, %b, %x by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
      scf.yield %y : !acc
    }
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] : !acc, !gemm.view<?x?xf32, row>
    gemm.return
  }
}
