// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --pass-pipeline='builtin.module(gpu.module(gemm.kernel(gemm-promote-operands)))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op has no schedule}}
  gemm.kernel @k() {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{has no target; the known ones are sm_70, sm_75, }}
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {schedule = #gemm.schedule<tile = 16x8x16, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<cp_async 16>, <cp_async 16>], epilogue = <registers 4>>} {
    %zero = gemm.zero : !gemm.tile<16x8xf32>
    %a = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf16>
    %b = gemm.load_tile %B[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<8x16xf16>
    %d = gemm.mma %a, %b, %zero : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x8xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{unknown target 'sm_91'; the known ones are sm_70, sm_75, }}
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_91">,
                  schedule = #gemm.schedule<tile = 16x8x16, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<cp_async 16>, <cp_async 16>], epilogue = <registers 4>>} {
    %zero = gemm.zero : !gemm.tile<16x8xf32>
    %a = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf16>
    %b = gemm.load_tile %B[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<8x16xf16>
    %d = gemm.mma %a, %b, %zero : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x8xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_75">,
                  schedule = #gemm.schedule<tile = 16x8x16, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<registers 2>, <registers 2>], epilogue = <registers 4>>} {
    %zero = gemm.zero : !gemm.tile<16x8xf32>
    %a = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf16>
    %b = gemm.load_tile %B[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<8x16xf16>
    // expected-error @+1 {{'gemm.mma' op cannot be #gemm.mma<mma_sync 16x8x16, warps = 1x1> on sm_75 for 'f16' x 'f16' -> 'f32': the target table has no such instruction}}
    %d = gemm.mma %a, %b, %zero : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x8xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_75">,
                  schedule = #gemm.schedule<tile = 32x32x16, mma = <fma 1x1x1, warps = 4x1, lanes = 1x32>,
                                            copy = [<cp_async 16>, <cp_async 16>], epilogue = <registers 4>>} {
    %zero = gemm.zero : !gemm.tile<32x32xf32>
    %a = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<32x16xf16>
    %b = gemm.load_tile %B[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<32x16xf16>
    // expected-error @+1 {{'gemm.mma' op operand cannot be copied by cp_async on sm_75; use <registers N>}}
    %d = gemm.mma %a, %b, %zero : !gemm.tile<32x16xf16>, !gemm.tile<32x16xf16>, !gemm.tile<32x32xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_80">,
                  schedule = #gemm.schedule<tile = 32x8x16, mma = <mma_sync 16x8x16, warps = 2x1>,
                                            copy = [<cp_async 16>, <cp_async 16>], epilogue = <registers 4>>} {
    // The two warps of the schedule compute 32 rows at once.
    %zero = gemm.zero : !gemm.tile<16x8xf32>
    %a = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf16>
    %b = gemm.load_tile %B[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<8x16xf16>
    // expected-error @+1 {{'gemm.mma' op of 16x8x16 is not a whole number of what all warps compute at once by #gemm.mma<mma_sync 16x8x16, warps = 2x1>}}
    %d = gemm.mma %a, %b, %zero : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x8xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_80">,
                  schedule = #gemm.schedule<tile = 16x8x16, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<cp_async 16>, <cp_async 16>], epilogue = <registers 4>>} {
    // Half a k-step.
    %zero = gemm.zero : !gemm.tile<16x8xf32>
    %a = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x8xf16>
    %b = gemm.load_tile %B[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<8x8xf16>
    // expected-error @+1 {{'gemm.mma' op of 16x8x8 is not a whole number of what all warps compute at once by #gemm.mma<mma_sync 16x8x16, warps = 1x1>}}
    %d = gemm.mma %a, %b, %zero : !gemm.tile<16x8xf16>, !gemm.tile<8x8xf16>, !gemm.tile<16x8xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_90a">,
                  schedule = #gemm.schedule<tile = 16x8x16, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<tma>, <registers 2>], bank = [<panel 32>, <plain>], epilogue = <registers 4>>} {
    // One matrix as both operands: it has one tensor map, and two boxes.
    %zero = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.load_tile' op by TMA must be the only use of a kernel argument}}
    %a = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf16>
    %b = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<8x16xf16>
    %d = gemm.mma %a, %b, %zero : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x8xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_80">,
                  schedule = #gemm.schedule<tile = 16x8x16, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<cp_async 16>, <cp_async 16>], epilogue = <registers 4>>} {
    %zero = gemm.zero : !gemm.tile<16x8xf32>
    %a = gemm.zero : !gemm.tile<16x16xf16>
    %b = gemm.load_tile %B[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<8x16xf16>
    // expected-error @+1 {{'gemm.mma' op operands must each be a gemm.load_tile used only here}}
    %d = gemm.mma %a, %b, %zero : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x8xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_80">,
                  schedule = #gemm.schedule<tile = 16x16x16, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<cp_async 16>, <cp_async 16>], epilogue = <registers 4>>} {
    %zero = gemm.zero : !gemm.tile<16x16xf32>
    %a = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf16>
    // expected-error @+1 {{'gemm.mma' op operands must each be a gemm.load_tile used only here}}
    %d = gemm.mma %a, %a, %zero : !gemm.tile<16x16xf16>, !gemm.tile<16x16xf16>, !gemm.tile<16x16xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_80">,
                  schedule = #gemm.schedule<tile = 16x8x16, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<cp_async 16>, <cp_async 16>], epilogue = <registers 4>>} {
    %zero = gemm.zero : !gemm.tile<16x8xf32>
    %a = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf16>
    %b = gemm.load_tile %B[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<8x16xf16>
    %d = gemm.mma %a, %b, %zero : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x8xf32>
    %a2 = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf16>
    %b2 = gemm.load_tile %B[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<8x16xf16>
    // expected-error @+1 {{'gemm.mma' op is the second of its kernel; one is promoted}}
    %d2 = gemm.mma %a2, %b2, %d : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x8xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_80">,
                  schedule = #gemm.schedule<tile = 16x24x16, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<cp_async 16>, <cp_async 16>], epilogue = <staged 16>>} {
    // 24 f32 are six runs of 16 bytes.
    %zero = gemm.zero : !gemm.tile<16x24xf32>
    %a = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf16>
    %b = gemm.load_tile %B[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<24x16xf16>
    %d = gemm.mma %a, %b, %zero : !gemm.tile<16x16xf16>, !gemm.tile<24x16xf16>, !gemm.tile<16x24xf32>
    // expected-error @+1 {{'gemm.store_tile' op cannot be staged: a 16x24 tile cannot be copied in runs of 4 by 32 threads: the runs of a row do not divide a warp}}
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] : !gemm.tile<16x24xf32>, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {target = #gemm.target<"sm_80">,
                  schedule = #gemm.schedule<tile = 16x8x16, mma = <mma_sync 16x8x16, warps = 1x1>,
                                            copy = [<cp_async 16>, <cp_async 16>], epilogue = <registers 4>>} {
    // A copy in global memory: nothing says where the tile passes through.
    %zero = gemm.zero : !gemm.tile<16x8xf32>
    %a = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf16>
    %b = gemm.load_tile %B[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<8x16xf16>
    %d = gemm.mma %a, %b, %zero : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x8xf32>
    %c = gemm.load_tile %D[%n, %n] within [%n, %n] : !gemm.view<?x?xf32, row> -> !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.store_tile' op writes '!gemm.tile<16x8xf32>', which is not made of the kernel's gemm.mma; nothing gives it a home}}
    gemm.store_tile %c, %D[%n, %n] within [%n, %n] : !gemm.tile<16x8xf32>, !gemm.view<?x?xf32, row>
    gemm.return
  }
}
