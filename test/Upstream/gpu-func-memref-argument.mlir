// A rank-2 memref with run-time sizes becomes seven parameters of a gpu.func: the
// reason why no memref crosses the boundary of our kernels, which take a pointer
// and the extents and strides they use.
//
// RUN: mlir-opt %s --pass-pipeline='builtin.module(gpu.module(convert-gpu-to-nvvm))' \
// RUN:   | FileCheck %s

// CHECK: llvm.func @kernel(%{{[^,]*}}: !llvm.ptr, %{{[^,]*}}: !llvm.ptr, %{{[^,]*}}: i64,
// CHECK-SAME: %{{[^,]*}}: i64, %{{[^,]*}}: i64, %{{[^,]*}}: i64, %{{[^,]*}}: i64)
gpu.module @kernels {
  gpu.func @kernel(%a: memref<?x?xf32>) kernel {
    gpu.return
  }
}
