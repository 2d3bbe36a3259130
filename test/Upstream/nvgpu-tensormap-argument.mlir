// A tensor map cannot be an argument of a gpu.func, and as a pointer it is not a
// grid constant: the reason why our kernels take it by value as llvm.func does.
// When this test fails, upstream has mended it.
//
// RUN: not mlir-opt %s --pass-pipeline='builtin.module(gpu.module(convert-nvgpu-to-nvvm,convert-gpu-to-nvvm))' \
// RUN:   2>&1 | FileCheck %s

// CHECK: error: failed to legalize operation 'gpu.func'
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>,
    swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
gpu.module @kernels {
  gpu.func @kernel(%map: !map) kernel {
    gpu.return
  }
}
