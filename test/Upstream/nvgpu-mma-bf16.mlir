// nvgpu.mma.sync cannot lower bf16 in MLIR 22: the reason why gemm.mma becomes
// nvvm.mma.sync instead. When this test fails, upstream has mended it.
//
// RUN: mlir-opt %s --convert-nvgpu-to-nvvm 2>&1 | FileCheck %s

// CHECK: error: 'nvgpu.mma.sync' op failed to deduce operand PTX types
func.func @bf16(%a: vector<4x2xbf16>, %b: vector<2x2xbf16>, %c: vector<2x2xf32>)
    -> vector<2x2xf32> {
  %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]}
      : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
  return %d : vector<2x2xf32>
}
