// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers to and from shared tiles.
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gpu.module(convert-gemm-to-nvvm))' --split-input-file
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)], warp[2:(16, 0)]>
!s = !gemm.shared<32x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>

// A of mma.m16n8k16: its four registers are the 8x8 matrices at (0, 0), (8, 0), (0, 8), (8, 8)
// (PTX ISA, "Matrix Fragments for mma.m16n8k16"). ldmatrix.x4 takes the addresses of their rows
// from lanes 0-7, 8-15, 16-23 and 24-31, so that lane l points to
//   row l % 8 + 8 ((l / 8) % 2), column 8 (l / 16),
// 16 rows further down for the second warp.
// CHECK-LABEL: llvm.func @ldmatrix(
// CHECK-DAG: %[[LANE:.*]] = arith.andi %{{.*}}, %{{.*}} : i32
// CHECK-DAG: %[[WARP:.*]] = nvvm.shfl.sync
// CHECK: %[[TILE:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: %[[R8:.*]] = arith.andi %[[LANE]],
// CHECK: %[[OCT:.*]] = arith.shrui %[[LANE]],
// CHECK: %[[ODD:.*]] = arith.andi %[[OCT]],
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[DOWN:.*]] = arith.muli %[[ODD]], %[[C8]]
// CHECK: %[[ROW:.*]] = arith.addi %[[R8]], %[[DOWN]]
// CHECK: %[[C4:.*]] = arith.constant 4 : i32
// CHECK: %[[HALF:.*]] = arith.shrui %[[LANE]], %[[C4]]
// CHECK: %[[COL:.*]] = arith.muli %[[HALF]], %{{.*}} : i32
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[OFWARP:.*]] = arith.muli %[[WARP]], %[[C16]]
// CHECK: %[[LINE:.*]] = arith.addi %[[ROW]], %[[OFWARP]]
// The lane's offset is swizzled once. The step to k = 16, 32 bytes, changes a chunk number: it
// is an XOR of the result.
// CHECK: arith.muli %[[LINE]], %{{.*}} : i32
// CHECK: arith.muli %[[COL]], %{{.*}} : i32
// CHECK: arith.xori
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK-NEXT: %[[STEPPED:.*]] = arith.xori %{{.*}}, %[[C32]]
// CHECK: %[[ADDRESS:.*]] = arith.addi %[[TILE]], %[[STEPPED]]
// CHECK: %[[P:.*]] = llvm.inttoptr %[[ADDRESS]] : i32 to !llvm.ptr<3>
// CHECK: nvvm.ldmatrix %[[P]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
// CHECK-NOT: nvvm.ldmatrix
// CHECK: llvm.return
gpu.module @kernels {
  gemm.kernel @ldmatrix(%D: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 64 : i32, target = #gemm.target<"sm_80">} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %s = gemm.alloc_shared "a" : !s
    %f = gemm.read_frag %s[%c0, %c16] : !s -> !gemm.frag<32x16xf16, #a>
    gemm.store_tile %f, %D[%n, %n] within [%n, %n] : !gemm.frag<32x16xf16, #a>, !gemm.view<?x?xf16, row>
    gemm.return
  }
}

// -----

#b = #gemm.layout<register[2:(0, 1), 2:(0, 8), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
!s = !gemm.shared<64x16xf16, col, <panel = 64, pitch = 128, xor_bits = 3>>

// B, n x k, of two instructions, contiguous along n: the matrices at (0, 0), (0, 8), (8, 0),
// (8, 8), whose lines in memory are columns of constant k. ldmatrix.trans reads those and
// exchanges rows and columns on the way: lane l points to
//   k = l % 8 + 8 ((l / 8) % 2), n = 8 (l / 16).
// CHECK-LABEL: llvm.func @ldmatrix_trans(
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %{{.*}} : i32
// CHECK: llvm.ptrtoint
// CHECK: %[[K8:.*]] = arith.andi %[[LANE]],
// CHECK: %[[OCT:.*]] = arith.shrui %[[LANE]],
// CHECK: %[[ODD:.*]] = arith.andi %[[OCT]],
// CHECK: %[[DOWN:.*]] = arith.muli %[[ODD]], %[[C8:.*]] : i32
// CHECK: %[[K:.*]] = arith.addi %[[K8]], %[[DOWN]]
// CHECK: %[[C4:.*]] = arith.constant 4 : i32
// CHECK: %[[HALF:.*]] = arith.shrui %[[LANE]], %[[C4]]
// CHECK: %[[N:.*]] = arith.muli %[[HALF]], %{{.*}} : i32
// CHECK: %[[C128:.*]] = arith.constant 128 : i32
// CHECK: arith.muli %[[K]], %[[C128]]
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: arith.muli %[[N]], %[[C2]]
// CHECK: nvvm.ldmatrix %{{.*}} layout = #nvvm.mma_layout<col>, num = 4 : i32
gpu.module @kernels {
  gemm.kernel @ldmatrix_trans(%D: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %c0 = arith.constant 0 : i32
    %s = gemm.alloc_shared "b" : !s
    %f = gemm.read_frag %s[%c0, %c0] : !s -> !gemm.frag<16x16xf16, #b>
    gemm.store_tile %f, %D[%n, %n] within [%n, %n] : !gemm.frag<16x16xf16, #b>, !gemm.view<?x?xf16, row>
    gemm.return
  }
}

// -----

#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!s = !gemm.shared<16x16xf16, row, <panel = 16, pitch = 36>>

// Lines 36 bytes apart: a row of a matrix is not at a multiple of 16 bytes, which ldmatrix
// needs. A register is then a load of its own.
// CHECK-LABEL: llvm.func @misaligned(
// CHECK-NOT: nvvm.ldmatrix
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK-NOT: llvm.load
// CHECK: llvm.return
gpu.module @kernels {
  gemm.kernel @misaligned(%D: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %c0 = arith.constant 0 : i32
    %s = gemm.alloc_shared "a" : !s
    %f = gemm.read_frag %s[%c0, %c0] : !s -> !gemm.frag<16x16xf16, #a>
    gemm.store_tile %f, %D[%n, %n] within [%n, %n] : !gemm.frag<16x16xf16, #a>, !gemm.view<?x?xf16, row>
    gemm.return
  }
}

// -----

#vector = #gemm.layout<register[8:(0, 1)], lane[32:(1, 0)]>
#rows = #gemm.layout<register[2:(1, 0)], lane[16:(0, 0), 2:(2, 0)]>

// As wide as the run of contiguous elements: 8 f32 are two loads of 16 bytes.
// CHECK-LABEL: llvm.func @vectors(
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: llvm.load
//
// Two f16 that are not neighbours: each is loaded alone, and they share a register, low first.
// CHECK-LABEL: llvm.func @gathered(
// CHECK: %[[LOAD:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> i16
// CHECK: %[[LOW:.*]] = llvm.zext %[[LOAD]] : i16 to i32
// CHECK: %[[LOAD:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> i16
// CHECK: %[[HIGH:.*]] = llvm.zext %[[LOAD]] : i16 to i32
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED:.*]] = arith.shli %[[HIGH]], %[[C16]]
// CHECK: arith.ori %[[LOW]], %[[SHIFTED]]
// CHECK-NOT: llvm.load
gpu.module @kernels {
  gemm.kernel @vectors(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %c0 = arith.constant 0 : i32
    %s = gemm.alloc_shared "a" : !gemm.shared<32x8xf32, row, <panel = 8, pitch = 32>>
    %f = gemm.read_frag %s[%c0, %c0] : !gemm.shared<32x8xf32, row, <panel = 8, pitch = 32>> -> !gemm.frag<32x8xf32, #vector>
    gemm.store_tile %f, %D[%n, %n] within [%n, %n] : !gemm.frag<32x8xf32, #vector>, !gemm.view<?x?xf32, row>
    gemm.return
  }

  gemm.kernel @gathered(%D: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %c0 = arith.constant 0 : i32
    %s = gemm.alloc_shared "a" : !gemm.shared<4x8xf16, row, <panel = 8, pitch = 16>>
    %f = gemm.read_frag %s[%c0, %c0] : !gemm.shared<4x8xf16, row, <panel = 8, pitch = 16>> -> !gemm.frag<4x1xf16, #rows>
    gemm.store_tile %f, %D[%n, %n] within [%n, %n] : !gemm.frag<4x1xf16, #rows>, !gemm.view<?x?xf16, row>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#lines = #gemm.layout<register[4:(0, 1)], lane[2:(0, 4), 16:(1, 0)]>
!half = !gemm.shared<16x8xf16, row, <panel = 8, pitch = 16>>
!full = !gemm.shared<16x8xf32, row, <panel = 8, pitch = 32, xor_bits = 1>>

// An accumulator goes to shared memory in pairs: 4 bytes of f16, 8 of f32. The second pair is
// 8 rows further down, which 16-byte lines make 128 bytes.
// CHECK-LABEL: llvm.func @write(
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %{{.*}}[128]
// CHECK: llvm.store %{{.*}}, %[[P]] {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
//
// A staged tile is read back in a loop over rows: the row is added to the thread's, and the
// XOR follows it.
// CHECK-LABEL: llvm.func @slab(
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[ROW]]
// CHECK: %[[OFLINE:.*]] = arith.muli %[[AT]], %{{.*}} : i32
// CHECK: arith.addi %[[OFLINE]],
// CHECK: arith.xori
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
gpu.module @kernels {
  gemm.kernel @write(%n: i32 {gemm.role = #gemm.role<extent "n">}) attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %h = gemm.alloc_shared "result" : !half
    %f = gemm.alloc_shared "result" : !full
    %x = gemm.zero : !gemm.frag<16x8xf16, #acc>
    %y = gemm.zero : !gemm.frag<16x8xf32, #acc>
    gemm.write_frag %x, %h : !gemm.frag<16x8xf16, #acc>, !half
    gemm.write_frag %y, %f : !gemm.frag<16x8xf32, #acc>, !full
    gemm.return
  }

  gemm.kernel @slab(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %s = gemm.alloc_shared "result" : !gemm.shared<32x8xf32, row, <panel = 8, pitch = 32, xor_bits = 1>>
    scf.for %row = %c0 to %c32 step %c16 : i32 {
      %x = gemm.read_frag %s[%row, %c0] : !gemm.shared<32x8xf32, row, <panel = 8, pitch = 32, xor_bits = 1>> -> !gemm.frag<16x8xf32, #lines>
      gemm.store_tile %x, %D[%n, %n] within [%n, %n] : !gemm.frag<16x8xf32, #lines>, !gemm.view<?x?xf32, row>
    }
    gemm.return
  }
}
