// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel artifact (docs/Artifact.md): PTX with a description in comments at its top.
//
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_80 schedule=mma-sync" | gemm-translate --gemm-to-artifact | FileCheck %s
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_75 schedule=smem" | gemm-translate --gemm-to-artifact | FileCheck %s --check-prefix=SM75
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_75 schedule=mma-sync" | gemm-translate --gemm-to-artifact | FileCheck %s --check-prefix=MMA75
// RUN: gemm-opt %s --gemm-lower-to-nvvm-pipeline="target=sm_90a schedule=wgmma" | gemm-translate --gemm-to-artifact | FileCheck %s --check-prefix=SM90
//
// In one step, for the default target and schedule.
// RUN: gemm-translate %s --compile-gemm | FileCheck %s --check-prefix=SM90

// CHECK: {{^}}// gemm-artifact-begin
// CHECK-NEXT: {{^}}// {
// CHECK-NEXT: "compiler": "gemm-mlir {{[0-9.]+}}"
//
// The entries, in the order in which the host tries them. k = 64 fixes the pitches of A and B,
// so that their guards fall away; the second asks nothing of D, the last has no guard.
// CHECK: "entries": [
// CHECK: "block": 256
// CHECK: "grid": {
// CHECK: "cols": "n"
// CHECK-NEXT: "kind": "tiles"
// CHECK-NEXT: "raster": 8
// CHECK-NEXT: "rows": "m"
// CHECK-NEXT: "tile": [
// CHECK-NEXT: 128,
// CHECK-NEXT: 256
// CHECK: "guard": [
// CHECK: "kind": "align"
// CHECK-NEXT: "operand": 0
// CHECK-NEXT: "value": 16
// CHECK: "name": "scaled_0"
// CHECK: "params": [
// CHECK: "kind": "pointer"
// CHECK-NEXT: "operand": 0
// CHECK: "kind": "stride"
// CHECK-NEXT: "operand": 0
// CHECK: "dim": "m"
// CHECK-NEXT: "kind": "extent"
// CHECK: "index": 0
// CHECK-NEXT: "kind": "scalar"
// CHECK: "schedule": "#gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>]
// CHECK-NEXT: "shared_bytes": {{[0-9]+}}
// CHECK: "name": "scaled_1"
// CHECK: copy = [<cp_async 16>, <cp_async 16>]{{.*}} epilogue = <staged 2>
// CHECK: "guard": []
// CHECK-NEXT: "name": "scaled_2"
// CHECK: copy = [<registers 2>, <registers 2>]
//
// CHECK: "format": 1
// CHECK-NEXT: "name": "scaled_kernels"
//
// The problem. JSON has no infinities; they are words.
// CHECK-NEXT: "problem": {
// CHECK-NEXT: "accumulator": "f32"
// CHECK-NEXT: "batched": false
// CHECK: "op": "constant"
// CHECK-NEXT: "type": "f32"
// CHECK-NEXT: "value": "-inf"
// CHECK: "op": "arith.maximumf"
// CHECK: "op": "yield"
// CHECK: "name": "A"
// CHECK-NEXT: "order": "row"
// CHECK-NEXT: "role": "a"
// CHECK-NEXT: "type": "f16"
// CHECK: "static": {
// CHECK-NEXT: "k": 64
// CHECK-NEXT: }
//
// The lowest PTX version that has what the kernels use (PTX ISA, "Release Notes"): cp.async and
// mma.m16n8k16 came with 7.0, as sm_80 did.
// CHECK: "ptx": "7.0"
// CHECK-NEXT: "target": "sm_80"
// CHECK-NEXT: {{^}}// }
// CHECK-NEXT: {{^}}// gemm-artifact-end
// CHECK: {{^}}.version 7.0
// CHECK-NEXT: {{^}}.target sm_80
// CHECK-NEXT: {{^}}.address_size 64
// CHECK: .extern .shared .align 1024 .b8 gemm_shared[]
// The parameters are those of the description, in its order: A, its stride, B, its stride, the
// bias, D, its stride, m, n, k, the batch and the scalar.
// CHECK: .visible .entry scaled_0(
// CHECK-NEXT: .param .u64 .ptr .global .align 1 scaled_0_param_0,
// CHECK-NEXT: .param .u64 scaled_0_param_1,
// CHECK-NEXT: .param .u64 .ptr .global .align 1 scaled_0_param_2,
// CHECK-NEXT: .param .u64 scaled_0_param_3,
// CHECK-NEXT: .param .u64 .ptr .global .align 1 scaled_0_param_4,
// CHECK-NEXT: .param .u64 .ptr .global .align 1 scaled_0_param_5,
// CHECK-NEXT: .param .u64 scaled_0_param_6,
// CHECK-NEXT: .param .u32 scaled_0_param_7,
// CHECK-NEXT: .param .u32 scaled_0_param_8,
// CHECK-NEXT: .param .u32 scaled_0_param_9,
// CHECK-NEXT: .param .u32 scaled_0_param_10,
// CHECK-NEXT: .param .f32 scaled_0_param_11
// CHECK: .reqntid 256
// CHECK: .visible .entry scaled_1(

// sm_75 came with 6.3, its mma with 6.5; sm_90a, TMA and wgmma with 8.0.
// SM75: "ptx": "6.3"
// SM75: {{^}}.version 6.3
// SM75-NEXT: {{^}}.target sm_75
// MMA75: {{^}}.version 6.5
// MMA75-NEXT: {{^}}.target sm_75
//
// A tensor map is a parameter of 128 bytes, in place of a pointer and a stride.
// SM90: "box": [
// SM90-NEXT: 64,
// SM90: "kind": "tensor_map"
// SM90: "swizzle": 128
// SM90: {{^}}.version 8.0
// SM90-NEXT: {{^}}.target sm_90a
// SM90: .visible .entry scaled_0(
// SM90-NEXT: .param .align 64 .b8 scaled_0_param_0[128],
// SM90-NEXT: .param .align 64 .b8 scaled_0_param_1[128],
func.func @scaled(%a: memref<?x64xf16>, %b: memref<?x64xf16>, %bias: memref<?xf32>, %alpha: f32,
                  %d: memref<?x?xf16>) {
  gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x64xf16>, memref<?x64xf16>)
              epilogue(%bias[n], %alpha[] : memref<?xf32>, f32)
              outs(%d[m, n] : memref<?x?xf16>) accumulate(f32) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %least = arith.constant 0xFF800000 : f32
      %0 = arith.mulf %x, %s : f32
      %1 = arith.addf %0, %y : f32
      %2 = arith.maximumf %1, %least : f32
      %3 = arith.truncf %2 : f32 to f16
      gemm.yield %3 : f16
  }
  return
}
