// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The epilogue of one thread.
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gpu.module(convert-gemm-to-nvvm))' --split-input-file
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!half = !gemm.frag<16x8xf16, #acc>

// Four elements of a thread, in pairs that f16 conversion packs into a word. The bias of a
// column is read once for the two rows that the thread holds; coordinates past the matrix read
// its last. Captured scalars and constants are the same for both elements.
// CHECK-LABEL: llvm.func @pairs(
// CHECK-SAME: %[[BIAS:[a-z0-9]*]]: !llvm.ptr<1>,
// CHECK-SAME: %[[N:[a-z0-9]*]]: i32, %[[N0:[a-z0-9]*]]: i32, %[[ALPHA:[a-z0-9]*]]: f32)
// CHECK: %[[AT:.*]] = arith.addi %[[N0]], %{{.*}} : i32
// CHECK: %[[LAST:.*]] = arith.addi %[[N]], %{{.*}} : i32
// CHECK: %[[COL:.*]] = arith.minsi %[[AT]], %[[LAST]]
// CHECK: %[[COLL:.*]] = arith.extui %[[COL]] : i32 to i64
// CHECK: %[[BYTES:.*]] = arith.muli %[[COLL]], %{{.*}} : i64
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %[[BIAS]][%[[BYTES]]]
// CHECK: %[[FIRST:.*]] = llvm.load %[[P]] {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK: %[[SECOND:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK: %[[HALF:.*]] = llvm.insertelement %[[FIRST]], %{{.*}} : vector<2xf32>
// CHECK: %[[PAIR:.*]] = llvm.insertelement %[[SECOND]], %[[HALF]]
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<2xf32>
// CHECK-DAG: %[[HALF:.*]] = llvm.insertelement %[[ALPHA]], %{{.*}} : vector<2xf32>
// CHECK: %[[ALPHAS:.*]] = llvm.insertelement %[[ALPHA]], %[[HALF]]
// CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[ALPHAS]] : vector<2xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[SCALED]], %[[PAIR]] : vector<2xf32>
// CHECK: %[[RELU:.*]] = arith.maximumf %[[SUM]], %[[ZERO]] : vector<2xf32>
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[RELU]] : vector<2xf32> to vector<2xf16>
// CHECK: %[[WORD:.*]] = llvm.bitcast %[[ROUNDED]] : vector<2xf16> to i32
// CHECK-NOT: llvm.load
// CHECK: arith.mulf %{{.*}}, %[[ALPHAS]] : vector<2xf32>
// CHECK: llvm.bitcast %{{.*}} : vector<2xf16> to i32
// CHECK: llvm.store %[[WORD]],
gpu.module @kernels {
  gemm.kernel @pairs(%bias: !gemm.view<?xf32> {gemm.role = #gemm.role<operand 2>},
                     %D: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 3>},
                     %n: i32 {gemm.role = #gemm.role<extent "n">}, %n0: i32 {gemm.role = #gemm.role<extent "k">},
                     %alpha: f32 {gemm.role = #gemm.role<scalar 0>})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %x = gemm.zero : !acc
    %r = gemm.map %x at [%n, %n0] within [%n, %n] ins(%bias[cols] : !gemm.view<?xf32>) : !acc -> !half {
      ^bb0(%e: f32, %y: f32):
        %zero = arith.constant 0.0 : f32
        %0 = arith.mulf %e, %alpha : f32
        %1 = arith.addf %0, %y : f32
        %2 = arith.maximumf %1, %zero : f32
        %3 = arith.truncf %2 : f32 to f16
        gemm.yield %3 : f16
    }
    gemm.store_tile %r, %D[%n, %n0] within [%n, %n] {bytes = 4 : i64} : !half, !gemm.view<?x?xf16, row>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>

// By row, two loads too, 8 rows apart; a full matrix, here batched and contiguous along its
// rows, at (row, column) of each element. The result has f32's width: its words are elements.
// CHECK-LABEL: llvm.func @views(
// CHECK-SAME: %[[BIAS:[a-z0-9]*]]: !llvm.ptr<1>, %[[C:[a-z0-9]*]]: !llvm.ptr<1>, %[[LD:[a-z0-9]*]]: i64, %[[STRIDE:[a-z0-9]*]]: i64,
// CHECK-SAME: %[[BATCH:[a-z0-9]*]]: i32, %[[M0:[a-z0-9]*]]: i32, %[[N0:[a-z0-9]*]]: i32,
// CHECK: llvm.getelementptr inbounds %[[BIAS]][
// CHECK: %[[COLL:.*]] = arith.extui %[[COL:.*]] : i32 to i64
// CHECK: %[[LINES:.*]] = arith.muli %[[COLL]], %[[LD]] : i64
// CHECK: %[[ROWL:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: %[[FLAT:.*]] = arith.addi %[[LINES]], %[[ROWL]] : i64
// CHECK: %[[BATCHL:.*]] = arith.extui %[[BATCH]] : i32 to i64
// CHECK: %[[OFBATCH:.*]] = arith.muli %[[BATCHL]], %[[STRIDE]] : i64
// CHECK: %[[ELEMENT:.*]] = arith.addi %[[FLAT]], %[[OFBATCH]] : i64
// CHECK: %[[C2:.*]] = arith.constant 2 : i64
// CHECK: %[[BYTES:.*]] = arith.muli %[[ELEMENT]], %[[C2]] : i64
// CHECK: llvm.getelementptr inbounds %[[C]][%[[BYTES]]]
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> f16
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> f16
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: llvm.extractelement %[[SUM]]
// CHECK: llvm.extractelement %[[SUM]]
// CHECK: llvm.getelementptr inbounds %[[BIAS]][
// CHECK: llvm.getelementptr inbounds %[[C]][
// CHECK: llvm.getelementptr inbounds %[[C]][
// CHECK-NEXT: llvm.load
// CHECK-NOT: llvm.load
// CHECK: llvm.return
gpu.module @kernels {
  gemm.kernel @views(%bias: !gemm.view<?xf32> {gemm.role = #gemm.role<operand 2>},
                     %C: !gemm.view<?x?x?xf16, col> {gemm.role = #gemm.role<operand 3>},
                     %b: i32 {gemm.role = #gemm.role<extent "batch">}, %m0: i32 {gemm.role = #gemm.role<extent "m">},
                     %n0: i32 {gemm.role = #gemm.role<extent "n">}, %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 4>})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %x = gemm.zero : !acc
    %r = gemm.map %x at [%b, %m0, %n0] within [%m0, %n0]
             ins(%bias[rows], %C[full] : !gemm.view<?xf32>, !gemm.view<?x?x?xf16, col>) : !acc -> !acc {
      ^bb0(%e: f32, %y: f32, %c: f16):
        %0 = arith.extf %c : f16 to f32
        %1 = arith.addf %y, %0 : f32
        gemm.yield %1 : f32
    }
    gemm.store_tile %r, %D[%m0, %n0] within [%m0, %n0] : !acc, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

#one = #gemm.layout<lane[32:(0, 1)]>
#two = #gemm.layout<register[2:(1, 0)], lane[32:(0, 1)]>
#three = #gemm.layout<register[3:(1, 0)], lane[32:(0, 1)]>

// Elements that do not fill a word, or are left over, are computed one by one.
// CHECK-LABEL: llvm.func @one(
// CHECK: %[[X:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[X]] : f16 to i16
// CHECK: llvm.zext %[[BITS]] : i16 to i32
// CHECK-NOT: arith.truncf
//
// CHECK-LABEL: llvm.func @two_bytes(
// CHECK: %[[X:.*]] = arith.fptosi %{{.*}} : f32 to i8
// CHECK: %[[LOW:.*]] = llvm.zext %{{.*}} : i8 to i32
// CHECK: %[[Y:.*]] = arith.fptosi %{{.*}} : f32 to i8
// CHECK: %[[HIGH:.*]] = llvm.zext %{{.*}} : i8 to i32
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[SHIFTED:.*]] = arith.shli %[[HIGH]], %[[C8]]
// CHECK: arith.ori %[[LOW]], %[[SHIFTED]]
//
// CHECK-LABEL: llvm.func @three(
// CHECK: arith.truncf %{{.*}} : vector<2xf32> to vector<2xf16>
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NOT: arith.truncf
//
// What is yielded may come from outside.
// CHECK-LABEL: llvm.func @constant(
// CHECK-SAME: %[[ALPHA:[a-z0-9]*]]: f32)
// CHECK: llvm.store %[[ALPHA]],
gpu.module @kernels {
  gemm.kernel @one(%D: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %x = gemm.zero : !gemm.frag<1x32xf32, #one>
    %r = gemm.map %x at [%n, %n] within [%n, %n] : !gemm.frag<1x32xf32, #one> -> !gemm.frag<1x32xf16, #one> {
      ^bb0(%e: f32):
        %0 = arith.truncf %e : f32 to f16
        gemm.yield %0 : f16
    }
    gemm.store_tile %r, %D[%n, %n] within [%n, %n] : !gemm.frag<1x32xf16, #one>, !gemm.view<?x?xf16, row>
    gemm.return
  }

  gemm.kernel @two_bytes(%D: !gemm.view<?x?xi8, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %x = gemm.zero : !gemm.frag<2x32xf32, #two>
    %r = gemm.map %x at [%n, %n] within [%n, %n] : !gemm.frag<2x32xf32, #two> -> !gemm.frag<2x32xi8, #two> {
      ^bb0(%e: f32):
        %0 = arith.fptosi %e : f32 to i8
        gemm.yield %0 : i8
    }
    gemm.store_tile %r, %D[%n, %n] within [%n, %n] : !gemm.frag<2x32xi8, #two>, !gemm.view<?x?xi8, row>
    gemm.return
  }

  gemm.kernel @three(%D: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %x = gemm.zero : !gemm.frag<3x32xf32, #three>
    %r = gemm.map %x at [%n, %n] within [%n, %n] : !gemm.frag<3x32xf32, #three> -> !gemm.frag<3x32xf16, #three> {
      ^bb0(%e: f32):
        %0 = arith.truncf %e : f32 to f16
        gemm.yield %0 : f16
    }
    gemm.store_tile %r, %D[%n, %n] within [%n, %n] : !gemm.frag<3x32xf16, #three>, !gemm.view<?x?xf16, row>
    gemm.return
  }

  gemm.kernel @constant(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">},
                        %alpha: f32 {gemm.role = #gemm.role<scalar 0>})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %x = gemm.zero : !gemm.frag<1x32xf32, #one>
    %r = gemm.map %x at [%n, %n] within [%n, %n] : !gemm.frag<1x32xf32, #one> -> !gemm.frag<1x32xf32, #one> {
      ^bb0(%e: f32):
        gemm.yield %alpha : f32
    }
    gemm.store_tile %r, %D[%n, %n] within [%n, %n] : !gemm.frag<1x32xf32, #one>, !gemm.view<?x?xf32, row>
    gemm.return
  }
}
