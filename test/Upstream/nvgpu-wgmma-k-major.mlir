// nvgpu.warpgroup.mma steps through B as if B were stored [K][N], whether or not it
// is: in both functions below the descriptor of B advances by 128 (16 lines of 128
// bytes, in units of 16 bytes) per k-step, which is wrong for the first, whose 16
// k-elements are 32 bytes apart (2 units). The reason why gemm.mma becomes
// nvvm.wgmma.mma_async with descriptors derived from the shared tile's type. When
// this test fails, upstream has mended it.
//
// RUN: mlir-opt %s --convert-nvgpu-to-nvvm --canonicalize --cse | FileCheck %s

!a = !nvgpu.warpgroup.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>>
!b = !nvgpu.warpgroup.descriptor<tensor = memref<64x128xf16, #gpu.address_space<workgroup>>>
!c = !nvgpu.warpgroup.accumulator<fragmented = vector<64x128xf32>>

// CHECK-LABEL: func.func @k_major(
// CHECK: %[[STEP:.*]] = llvm.mlir.constant(128 : i32) : i64
// CHECK: %[[B:.*]] = builtin.unrealized_conversion_cast %arg1 : {{.*}} to i64
// CHECK: nvvm.wgmma.mma_async %{{.*}}, %[[B]], {{.*}}, B[<f16>, <one>, <col>]
// CHECK: %[[NEXT:.*]] = llvm.add %[[B]], %[[STEP]] : i64
// CHECK: nvvm.wgmma.mma_async %{{.*}}, %[[NEXT]], {{.*}}, B[<f16>, <one>, <col>]
func.func @k_major(%a: !a, %b: !b, %c: !c) -> !c {
  %d = nvgpu.warpgroup.mma %a, %b, %c : !a, !b, !c -> !c
  return %d : !c
}

// CHECK-LABEL: func.func @n_major(
// CHECK: %[[STEP:.*]] = llvm.mlir.constant(128 : i32) : i64
// CHECK: %[[B:.*]] = builtin.unrealized_conversion_cast %arg1 : {{.*}} to i64
// CHECK: nvvm.wgmma.mma_async %{{.*}}, %[[B]], {{.*}}, B[<f16>, <one>, <row>]
// CHECK: %[[NEXT:.*]] = llvm.add %[[B]], %[[STEP]] : i64
// CHECK: nvvm.wgmma.mma_async %{{.*}}, %[[NEXT]], {{.*}}, B[<f16>, <one>, <row>]
func.func @n_major(%a: !a, %b: !b, %c: !c) -> !c {
  %d = nvgpu.warpgroup.mma %a, %b, %c {transposeB} : !a, !b, !c -> !c
  return %d : !c
}
