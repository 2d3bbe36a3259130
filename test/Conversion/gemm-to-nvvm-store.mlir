// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result to global memory.
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gpu.module(convert-gemm-to-nvvm))' --split-input-file
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

#lines = #gemm.layout<register[4:(0, 1), 2:(8, 0)], lane[4:(0, 4), 8:(1, 0)]>
!tile = !gemm.frag<16x16xf32, #lines>

// A tile that is whole, as most are, is stored without a question for each run. At the edges
// rows past the bound are skipped, and a run that the bound cuts is stored element by element.
// CHECK-LABEL: llvm.func @runs(
// CHECK-SAME: %[[D:[a-z0-9]*]]: !llvm.ptr<1>, %[[LD:[a-z0-9]*]]: i64, %[[M:[a-z0-9]*]]: i32, %[[N:[a-z0-9]*]]: i32, %[[M0:[a-z0-9]*]]: i32, %[[N0:[a-z0-9]*]]: i32)
// The thread's own row and column, of the matrix in 64 bits.
// CHECK: %[[ROW:.*]] = arith.addi %[[M0]], %{{.*}} : i32
// CHECK: %[[COL:.*]] = arith.addi %[[N0]], %{{.*}} : i32
// CHECK: %[[ROWL:.*]] = arith.extui %[[ROW]] : i32 to i64
// CHECK: %[[LINES:.*]] = arith.muli %[[ROWL]], %[[LD]] : i64
// CHECK: %[[COLL:.*]] = arith.extui %[[COL]] : i32 to i64
// CHECK: %[[FLAT:.*]] = arith.addi %[[LINES]], %[[COLL]] : i64
// CHECK: %[[BYTES:.*]] = arith.muli %[[FLAT]], %{{.*}} : i64
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %[[D]][%[[BYTES]]]
// CHECK: %[[PITCH:.*]] = arith.muli %[[LD]], %{{.*}} : i64
// Whole: m0 + 16 <= m and n0 + 16 <= n.
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[BELOW:.*]] = arith.addi %[[M0]], %[[C16]]
// CHECK: %[[INROWS:.*]] = arith.cmpi sle, %[[BELOW]], %[[M]]
// CHECK: %[[RIGHT:.*]] = arith.addi %[[N0]], %{{.*}} : i32
// CHECK: %[[INCOLS:.*]] = arith.cmpi sle, %[[RIGHT]], %[[N]]
// CHECK: %[[WHOLE:.*]] = arith.andi %[[INROWS]], %[[INCOLS]]
// CHECK: scf.if %[[WHOLE]] {
// CHECK-NOT: scf.if
// CHECK: llvm.store %{{.*}}, %[[P]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: %[[DOWN:.*]] = arith.muli %[[PITCH]], %{{.*}} : i64
// CHECK: %[[Q:.*]] = llvm.getelementptr inbounds %[[P]][%[[DOWN]]]
// CHECK: llvm.store %{{.*}}, %[[Q]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NEXT: } else {
// CHECK: %[[INROW:.*]] = arith.cmpi slt, %[[ROW]], %[[M]]
// CHECK-NEXT: scf.if %[[INROW]] {
// CHECK: %[[END:.*]] = arith.addi %[[COL]], %[[C4:.*]] : i32
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[END]], %[[N]]
// CHECK-NEXT: scf.if %[[FITS]] {
// CHECK: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NEXT: } else {
// CHECK: %[[END:.*]] = arith.addi %[[COL]], %[[C1:.*]] : i32
// CHECK: %[[IN:.*]] = arith.cmpi sle, %[[END]], %[[N]]
// CHECK: scf.if %[[IN]] {
// CHECK-NEXT: llvm.store %{{.*}}, %[[P]] {alignment = 4 : i64} : f32, !llvm.ptr<1>
// CHECK-COUNT-3: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<1>
// The second run, 8 rows down, in the same way.
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[LOWER:.*]] = arith.addi %[[ROW]], %[[C8]]
// CHECK: %[[INROW:.*]] = arith.cmpi slt, %[[LOWER]], %[[M]]
// CHECK-NEXT: scf.if %[[INROW]] {
// CHECK: llvm.return
gpu.module @kernels {
  gemm.kernel @runs(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                    %m: i32 {gemm.role = #gemm.role<extent "m">}, %n: i32 {gemm.role = #gemm.role<extent "n">},
                    %m0: i32 {gemm.role = #gemm.role<extent "k">}, %n0: i32 {gemm.role = #gemm.role<extent "batch">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %x = gemm.zero : !tile
    gemm.store_tile %x, %D[%m0, %n0] within [%m, %n] {bytes = 16 : i64} : !tile, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#bytes = #gemm.layout<register[4:(0, 1)], lane[8:(0, 4), 4:(1, 0)]>

// Runs are no longer than the fragment's: pairs of f16 here, 4 bytes, though 16 were asked for.
// The batch adds its stride.
// CHECK-LABEL: llvm.func @pairs(
// CHECK-SAME: %[[STRIDE:[a-z0-9]*]]: i64, %[[N:[a-z0-9]*]]: i32)
// CHECK: arith.muli %{{.*}}, %[[STRIDE]] : i64
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK-NEXT: } else {
//
// Without a width, one element at a time: the lower half of the word, then the upper.
// CHECK-LABEL: llvm.func @elements(
// CHECK: scf.if
// CHECK: %[[LOW:.*]] = llvm.trunc %[[WORD:.*]] : i32 to i16
// CHECK-NEXT: llvm.store %[[LOW]], %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK: %[[UPPER:.*]] = arith.shrui %[[WORD]],
// CHECK-NEXT: %[[HIGH:.*]] = llvm.trunc %[[UPPER]] : i32 to i16
// CHECK: llvm.store %[[HIGH]], %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
//
// Two of a word's four bytes: no more than they are written.
// CHECK-LABEL: llvm.func @part_of_a_word(
// CHECK: scf.if
// CHECK: %[[LOW:.*]] = llvm.trunc %[[WORD:.*]] : i32 to i16
// CHECK-NEXT: llvm.store %[[LOW]], %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[UPPER:.*]] = arith.shrui %[[WORD]], %[[C16]]
// CHECK-NEXT: %[[HIGH:.*]] = llvm.trunc %[[UPPER]] : i32 to i16
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %{{.*}}[2]
// CHECK-NEXT: llvm.store %[[HIGH]], %[[P]] {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK-NEXT: } else {
gpu.module @kernels {
  gemm.kernel @pairs(%D: !gemm.view<?x?x?xf16, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %x = gemm.zero : !gemm.frag<16x8xf16, #acc>
    gemm.store_tile %x, %D[%n, %n, %n] within [%n, %n] {bytes = 16 : i64} : !gemm.frag<16x8xf16, #acc>, !gemm.view<?x?x?xf16, row>
    gemm.return
  }

  gemm.kernel @elements(%D: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %c0 = arith.constant 0 : i32
    %s = gemm.alloc_shared "result" : !gemm.shared<16x8xf16, row>
    %x = gemm.read_frag %s[%c0, %c0] : !gemm.shared<16x8xf16, row> -> !gemm.frag<16x8xf16, #acc>
    gemm.store_tile %x, %D[%n, %n] within [%n, %n] : !gemm.frag<16x8xf16, #acc>, !gemm.view<?x?xf16, row>
    gemm.return
  }

  gemm.kernel @part_of_a_word(%D: !gemm.view<?x?xi8, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %c0 = arith.constant 0 : i32
    %s = gemm.alloc_shared "result" : !gemm.shared<4x32xi8, row>
    %x = gemm.read_frag %s[%c0, %c0] : !gemm.shared<4x32xi8, row> -> !gemm.frag<4x32xi8, #bytes>
    gemm.store_tile %x, %D[%n, %n] within [%n, %n] {bytes = 2 : i64} : !gemm.frag<4x32xi8, #bytes>, !gemm.view<?x?xi8, row>
    gemm.return
  }
}
