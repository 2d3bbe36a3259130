// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --pass-pipeline='builtin.module(gpu.module(gemm.kernel(gemm-pipeline-loads)))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op has no schedule}}
  gemm.kernel @k() {
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    // expected-error @+1 {{a K loop to be pipelined needs a constant step}}
    %r = scf.for %k0 = %m to %m step %m iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c32 step %c16 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    // expected-error @+1 {{a K loop to be pipelined carries one accumulator}}
    %r:2 = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero, %i = %c0) -> (!acc, i32) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c32 step %c16 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s, %i : !acc, i32
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    // expected-error @+1 {{a K loop to be pipelined has one gemm.mma, not 0}}
    %r = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      scf.yield %x : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    // expected-error @+1 {{a K loop to be pipelined has one gemm.mma, not 2}}
    %r = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c32 step %c16 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        %w = gemm.mma %fa, %fb, %z by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %w : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    %slot = gemm.slot %sa[%c0] : !gemm.shared<16x32xf16, row> -> !gemm.shared<16x32xf16, row>
    %r = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      // expected-error @+1 {{'gemm.copy_start' op in a K loop to be pipelined fills a gemm.alloc_shared}}
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %slot <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c32 step %c16 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    // A second loop: its k-steps are not those of the product.
    %r = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      // expected-error @+1 {{does not belong in a K loop to be pipelined}}
      scf.for %i = %c0 to %c32 step %c16 : i32 {
        gemm.barrier
      }
      %s = scf.for %kk = %c0 to %c32 step %c16 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    %r = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c32 step %c16 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.zero : !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        // expected-error @+1 {{'gemm.mma' op operands must be read by gemm.read_frag}}
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    %r = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      // expected-error @+1 {{a loop over k-steps to be pipelined counts from 0 to 32 by 16 and carries the accumulator}}
      %s = scf.for %kk = %c16 to %c32 step %c16 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    %r = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      // expected-error @+1 {{a loop over k-steps to be pipelined counts from 0 to 32 by 16 and carries the accumulator}}
      %s = scf.for %kk = %c0 to %c32 step %c32 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    %other = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %r = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c32 step %c16 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %other[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        // expected-error @+1 {{'gemm.mma' op multiplies a tile that no copy of its K loop fills}}
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    %fa = gemm.zero : !a
    %fb = gemm.zero : !b
    %r = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      // expected-error @+1 {{'gemm.mma' op multiplies a tile that no copy of its K loop fills}}
      %z = gemm.mma %fa, %fb, %x by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
      scf.yield %z : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 64x8x32, mma = <wgmma 64x8x16, warps = 4x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            bank = [<panel 64>, <panel 64>],
                                            pipeline = <stages = 2, in_flight = 1>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    // The schedule is of another instruction than the loop.
    %r = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c32 step %c16 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        // expected-error @+1 {{'gemm.mma' op is finished when it completes: in_flight = 1 needs an asynchronous instruction (wgmma)}}
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0)]>
!acc = !gemm.frag<64x8xf32, #acc>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 64x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2, fragments = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<64x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    // The same, the other way round.
    %r = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<64x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      // expected-error @+1 {{'gemm.mma' op reads shared memory itself: fragments = 2 needs an instruction that reads registers}}
      %y = gemm.mma %sa, %sb, %x by <wgmma 64x8x16, warps = 4x1> : !gemm.shared<64x32xf16, row>, !gemm.shared<8x32xf16, row>, !acc
      %s = gemm.mma_finish %y : !acc
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!acc = !gemm.frag<16x8xf32, #acc>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.tensor_map<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %m: i32 {gemm.role = #gemm.role<extent "m">})
      attributes {schedule = #gemm.schedule<tile = 16x8x32, mma = <mma_sync 16x8x16, warps = 1x1>, copy = [<cp_async 16>, <cp_async 16>],
                                            pipeline = <stages = 2, fragments = 2>, epilogue = <registers 8>>} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %sa = gemm.alloc_shared "a" : !gemm.shared<16x32xf16, row>
    %sb = gemm.alloc_shared "b" : !gemm.shared<8x32xf16, row>
    %zero = gemm.zero : !acc
    // Copies that are not the schedule's.
    %r = scf.for %k0 = %m to %m step %c32 iter_args(%x = %zero) -> (!acc) : i32 {
      %ca = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sa <tma> : !gemm.tensor_map<?x?xf16, row> -> !gemm.shared<16x32xf16, row>
      %cb = gemm.copy_start %A[%m, %k0] within [%m, %m] to %sb <tma> : !gemm.tensor_map<?x?xf16, row> -> !gemm.shared<8x32xf16, row>
      gemm.copy_finish %ca, %cb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c32 step %c16 iter_args(%y = %x) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : !gemm.shared<16x32xf16, row> -> !a
        %fb = gemm.read_frag %sb[%c0, %kk] : !gemm.shared<8x32xf16, row> -> !b
        // expected-error @+1 {{'gemm.mma' op needs cp_async or registers copies for fragments = 2}}
        %z = gemm.mma %fa, %fb, %y by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !acc
        scf.yield %z : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    gemm.return
  }
}
