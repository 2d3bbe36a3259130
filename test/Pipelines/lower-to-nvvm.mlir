// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the phases, each with the ops that it may have and none of the phase before.
//
// DEFINE: %{schedule} = wgmma
// DEFINE: %{to} = --gemm-lower-to-nvvm-pipeline="target=sm_90a schedule=%{schedule} to=
// RUN: gemm-opt %s %{to}problem" | FileCheck %s --check-prefix=PROBLEM
// RUN: gemm-opt %s %{to}scheduled" | FileCheck %s --check-prefix=SCHEDULED
// RUN: gemm-opt %s %{to}tiled" | FileCheck %s --check-prefix=TILED
// RUN: gemm-opt %s %{to}placed" | FileCheck %s --check-prefix=PLACED
// RUN: gemm-opt %s %{to}swizzled" | FileCheck %s --check-prefix=SWIZZLED
// RUN: gemm-opt %s %{to}pipelined" | FileCheck %s --check-prefix=PIPELINED
// RUN: gemm-opt %s %{to}thread" | FileCheck %s --check-prefix=THREAD
// RUN: gemm-opt %s %{to}nvvm" | FileCheck %s --check-prefix=NVVM
//
// REDEFINE: %{schedule} = mma-sync
// RUN: gemm-opt %s %{to}scheduled" | FileCheck %s --check-prefix=SCHEDULED
// RUN: gemm-opt %s %{to}tiled" | FileCheck %s --check-prefix=TILED
// RUN: gemm-opt %s %{to}placed" | FileCheck %s --check-prefix=PLACED
// RUN: gemm-opt %s %{to}swizzled" | FileCheck %s --check-prefix=SWIZZLED
// RUN: gemm-opt %s %{to}pipelined" | FileCheck %s --check-prefix=PIPELINED
// RUN: gemm-opt %s %{to}thread" | FileCheck %s --check-prefix=THREAD
// RUN: gemm-opt %s %{to}nvvm" | FileCheck %s --check-prefix=NVVM
//
// One stage: there is nothing to pipeline.
// REDEFINE: %{schedule} = smem
// RUN: gemm-opt %s %{to}scheduled" | FileCheck %s --check-prefix=SCHEDULED
// RUN: gemm-opt %s %{to}tiled" | FileCheck %s --check-prefix=TILED
// RUN: gemm-opt %s %{to}placed" | FileCheck %s --check-prefix=PLACED
// RUN: gemm-opt %s %{to}swizzled" | FileCheck %s --check-prefix=SWIZZLED
// RUN: gemm-opt %s %{to}thread" | FileCheck %s --check-prefix=THREAD
// RUN: gemm-opt %s %{to}nvvm" | FileCheck %s --check-prefix=NVVM
//
// The default is the last phase, and the plugin has the pipeline too.
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline | FileCheck %s --check-prefix=NVVM
// RUN: %if plugin %{ %plugin-opt %s --pass-pipeline='builtin.module(gemm-lower-to-nvvm-pipeline{schedule=smem to=tiled})' | FileCheck %s --check-prefix=TILED %}
// RUN: not gemm-opt %s --gemm-lower-to-nvvm-pipeline=to=threads 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN-NOT: LLVM ERROR
// UNKNOWN: error: unknown phase 'threads'; use problem, scheduled, tiled, placed, swizzled, pipelined, thread or nvvm

// Tensors stay tensors until a schedule needs their types.
// PROBLEM-NOT: linalg
// PROBLEM-LABEL: func.func @from_linalg(
// PROBLEM: gemm.matmul ins({{.*}} : tensor<?x?xbf16>, tensor<?x?xbf16>) outs({{.*}} : tensor<?x?xf32>) accumulate(f32) -> tensor<?x?xf32>
// PROBLEM-LABEL: func.func @from_matmul(
// PROBLEM: gemm.matmul ins(
// PROBLEM-NOT: family

// Kernels need addresses.
// SCHEDULED-NOT: tensor<
// SCHEDULED-LABEL: func.func @from_linalg(
// SCHEDULED: gemm.matmul ins({{.*}} : memref<?x?xbf16>, memref<?x?xbf16>) outs({{.*}} : memref<?x?xf32>)
// SCHEDULED-SAME: family = [#gemm.entry<when <[align(A) {{.*}}]> run {{.*}}, #gemm.entry<when <> run
// SCHEDULED-SAME: target = #gemm.target<"sm_90a">
// SCHEDULED-LABEL: func.func @from_matmul(
// SCHEDULED: family =

// TILED-NOT: gemm.matmul
// TILED-LABEL: func.func @from_linalg(
// TILED: gemm.launch @[[FAMILY:.*]](
// TILED-LABEL: func.func @from_matmul(
// TILED: gemm.launch @
// TILED: gpu.module @[[FAMILY]]
// TILED: gemm.kernel @from_linalg_0(
// TILED: gemm.for_work
// TILED: gemm.load_tile
// TILED: gemm.mma {{.*}} : !gemm.tile<
// TILED: gemm.map
// TILED: gemm.store_tile
// TILED: gemm.kernel @from_linalg_1(
// TILED-NOT: gemm.alloc_shared

// PLACED-NOT: !gemm.tile
// PLACED: gemm.kernel @from_linalg_0({{.*}} attributes {block = {{[0-9]+}} : i32
// PLACED: gemm.alloc_shared "{{.*}}" : <{{[0-9x]*bf16}}, row>
// PLACED: gemm.copy_start
// PLACED: gemm.copy_finish
// PLACED: gemm.barrier
// PLACED: gemm.mma {{.*}} by <
// PLACED-NOT: panel =

// SWIZZLED: gemm.kernel @from_linalg_0(
// SWIZZLED: gemm.alloc_shared "b" : <{{[0-9x]*bf16}}, {{row|col}}, <panel =
// SWIZZLED: gemm.alloc_shared "a" : <{{[0-9x]*bf16}}, row, <panel =
// SWIZZLED: gemm.copy_finish
// SWIZZLED-NOT: stages = {{[0-9]}}>{{$}}

// PIPELINED-NOT: gemm.copy_finish
// PIPELINED: gemm.kernel @from_linalg_0(
// PIPELINED: gemm.alloc_shared "a" : <{{.*}}, stages = 4>
// PIPELINED: gemm.slot

// Host code stays. Kernels are functions of one thread.
// THREAD-NOT: gemm.kernel
// THREAD: func.func @from_linalg(
// THREAD: gemm.launch
// THREAD: gpu.module @{{.*}} [#nvvm.target<
// THREAD-NOT: {{ (%.* = )?gemm\.}}
// THREAD: llvm.func @from_linalg_0({{.*}} nvvm.kernel
// THREAD: scf.for
// THREAD: llvm.func @from_linalg_1(

// NVVM: gpu.module
// NVVM-NOT: {{ (%.* = )?(arith|cf|gemm|math|scf|vector)\.}}
// NVVM: llvm.func @from_linalg_0({{.*}} nvvm.kernel
// NVVM-NOT: {{ (%.* = )?(arith|cf|gemm|math|scf|vector)\.}}
// NVVM: llvm.func @from_matmul_1({{.*}} nvvm.kernel
// NVVM-NOT: {{ (%.* = )?(arith|cf|gemm|math|scf|vector)\.}}
// NVVM: llvm.return
func.func @from_linalg(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @from_matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xbf16>, memref<?x?xbf16>)
              outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
  return
}
