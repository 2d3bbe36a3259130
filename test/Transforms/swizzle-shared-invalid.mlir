// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --pass-pipeline='builtin.module(gpu.module(gemm.kernel(gemm-swizzle-shared)))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op has no schedule}}
  gemm.kernel @k() {
    %a = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row>
    gemm.return
  }
}

// -----

// Lines of 48 f16.
gpu.module @kernels {
  gemm.kernel @k() attributes {schedule = #gemm.schedule<tile = 64x64x48, mma = <mma_sync 16x8x16, warps = 1x1>,
                                                         copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>],
                                                         epilogue = <staged 16>>} {
    // expected-error @+1 {{'gemm.alloc_shared' op cannot be laid out as #gemm.bank<xor>: an XOR swizzle needs lines of a power of two of at least 32 bytes, and these are 96 bytes}}
    %a = gemm.alloc_shared "a" : !gemm.shared<64x48xf16, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k() attributes {schedule = #gemm.schedule<tile = 64x64x48, mma = <wgmma 64x64x16, warps = 4x1>,
                                                         copy = [<tma>, <tma>], bank = [<panel 32>, <panel 128>],
                                                         epilogue = <staged 16>>} {
    // expected-error @+1 {{'gemm.alloc_shared' op cannot be laid out as #gemm.bank<panel 128>: lines of 96 bytes are not a whole number of 128-byte panels}}
    %b = gemm.alloc_shared "b" : !gemm.shared<64x48xbf16, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k() {
    // expected-error @+1 {{'gemm.alloc_shared' op holds 'c'; a shared tile holds a, b or result}}
    %c = gemm.alloc_shared "c" : !gemm.shared<64x64xf16, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%i: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 64x64x64, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>],
                                            epilogue = <staged 16>>} {
    // expected-error @+1 {{'gemm.alloc_shared' op has slots and no layout yet; run gemm-swizzle-shared before gemm-pipeline-loads}}
    %a = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row, stages = 2>
    %s = gemm.slot %a[%i] : !gemm.shared<64x64xf16, row, stages = 2> -> !gemm.shared<64x64xf16, row>
    gemm.return
  }
}
