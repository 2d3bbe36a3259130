// gpu.dynamic_shared_memory is a static, 16-byte aligned global in MLIR 22, where
// the 128-byte swizzle of TMA needs 1024 bytes: the reason why our kernels declare
// their own external shared array. When this test fails, upstream has mended it.
//
// RUN: mlir-opt %s --pass-pipeline='builtin.module(gpu.module(convert-gpu-to-nvvm))' \
// RUN:   | FileCheck %s

// CHECK: llvm.mlir.global internal @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 16 : i64}
gpu.module @kernels {
  gpu.func @kernel(%offset: index, %value: i8) kernel {
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    memref.store %value, %shared[%offset] : memref<?xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}
