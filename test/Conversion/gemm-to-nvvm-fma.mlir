// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fma: the outer product of one thread.
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gpu.module(convert-gemm-to-nvvm))' --split-input-file
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

#acc = #gemm.layout<register[2:(0, 1), 2:(1, 0)], lane[8:(0, 2), 4:(2, 0)]>
#a = #gemm.layout<register[2:(1, 0)], lane[8:(0, 0), 4:(2, 0)]>
#b = #gemm.layout<register[2:(1, 0)], lane[8:(2, 0), 4:(0, 0)]>
!acc = !gemm.frag<8x16xf32, #acc>
!a = !gemm.frag<8x1xf32, #a>
!b = !gemm.frag<16x1xf32, #b>

// Two rows by two columns: register (i, j) of the accumulator gets a(i) * b(j), rounded once.
// CHECK-LABEL: llvm.func @outer_product(
// CHECK: %[[A0:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: %[[A1:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: %[[B0:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: %[[B1:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: llvm.intr.fma(%[[A0]], %[[B0]], %{{.*}}) : (f32, f32, f32) -> f32
// CHECK: llvm.intr.fma(%[[A0]], %[[B1]], %{{.*}}) : (f32, f32, f32) -> f32
// CHECK: llvm.intr.fma(%[[A1]], %[[B0]], %{{.*}}) : (f32, f32, f32) -> f32
// CHECK: llvm.intr.fma(%[[A1]], %[[B1]], %{{.*}}) : (f32, f32, f32) -> f32
// CHECK-NOT: llvm.intr.fma
// CHECK: llvm.return
gpu.module @kernels {
  gemm.kernel @outer_product(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %c0 = arith.constant 0 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<8x4xf32, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<16x4xf32, row>
    %a = gemm.read_frag %sa[%c0, %c0] : !gemm.shared<8x4xf32, row> -> !a
    %b = gemm.read_frag %sb[%c0, %c0] : !gemm.shared<16x4xf32, row> -> !b
    %zero = gemm.zero : !acc
    %d = gemm.mma %a, %b, %zero by <fma 1x1x1, warps = 1x1, lanes = 4x8, thread = 2x2> : !a, !b, !acc
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] : !acc, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1)], lane[32:(1, 0)]>
#a = #gemm.layout<lane[32:(1, 0)]>
#b = #gemm.layout<register[2:(1, 0)], lane[32:(0, 0)]>
!acc = !gemm.frag<32x2xf32, #acc>
!a = !gemm.frag<32x1xbf16, #a>
!b = !gemm.frag<2x1xf16, #b>

// Narrow operands are extended exactly, each from its own type, and multiplied in the
// accumulator's. Two f16 share a register: the upper one is shifted down.
// CHECK-LABEL: llvm.func @narrow(
// CHECK: %[[A16:.*]] = llvm.trunc %{{.*}} : i32 to i16
// CHECK: %[[A:.*]] = llvm.bitcast %[[A16]] : i16 to bf16
// CHECK: %[[AX:.*]] = llvm.fpext %[[A]] : bf16 to f32
// CHECK: %[[B16:.*]] = llvm.trunc %[[WORD:.*]] : i32 to i16
// CHECK: %[[B:.*]] = llvm.bitcast %[[B16]] : i16 to f16
// CHECK: %[[B0:.*]] = llvm.fpext %[[B]] : f16 to f32
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[UPPER:.*]] = arith.shrui %[[WORD]], %[[C16]]
// CHECK: %[[B16:.*]] = llvm.trunc %[[UPPER]] : i32 to i16
// CHECK: %[[B:.*]] = llvm.bitcast %[[B16]] : i16 to f16
// CHECK: %[[B1:.*]] = llvm.fpext %[[B]] : f16 to f32
// CHECK: llvm.intr.fma(%[[AX]], %[[B0]], %{{.*}}) : (f32, f32, f32) -> f32
// CHECK: llvm.intr.fma(%[[AX]], %[[B1]], %{{.*}}) : (f32, f32, f32) -> f32
gpu.module @kernels {
  gemm.kernel @narrow(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %c0 = arith.constant 0 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<32x8xbf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<2x8xf16, row>
    %a = gemm.read_frag %sa[%c0, %c0] : !gemm.shared<32x8xbf16, row> -> !a
    %b = gemm.read_frag %sb[%c0, %c0] : !gemm.shared<2x8xf16, row> -> !b
    %zero = gemm.zero : !acc
    %d = gemm.mma %a, %b, %zero by <fma 1x1x1, warps = 1x1, lanes = 32x1, thread = 1x2> : !a, !b, !acc
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] : !acc, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

#one = #gemm.layout<lane[32:(0, 1)]>
#a = #gemm.layout<lane[32:(0, 0)]>
#b = #gemm.layout<lane[32:(1, 0)]>
!acc = !gemm.frag<1x32xf64, #one>
!a = !gemm.frag<1x1xf64, #a>
!b = !gemm.frag<32x1xf64, #b>

// CHECK-LABEL: llvm.func @f64(
// CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}}) : (f64, f64, f64) -> f64
gpu.module @kernels {
  gemm.kernel @f64(%D: !gemm.view<?x?xf64, row> {gemm.role = #gemm.role<operand 2>}, %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %c0 = arith.constant 0 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<1x2xf64, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<32x2xf64, row>
    %a = gemm.read_frag %sa[%c0, %c0] : !gemm.shared<1x2xf64, row> -> !a
    %b = gemm.read_frag %sb[%c0, %c0] : !gemm.shared<32x2xf64, row> -> !b
    %zero = gemm.zero : !acc
    %d = gemm.mma %a, %b, %zero by <fma 1x1x1, warps = 1x1, lanes = 1x32> : !a, !b, !acc
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] : !acc, !gemm.view<?x?xf64, row>
    gemm.return
  }
}
