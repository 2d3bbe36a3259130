// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --split-input-file --verify-diagnostics
//
// Shared tiles (stages, copies, fragments): one case per message. What the custom syntax
// cannot say is in generic form.

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row, stages = 2>
    // expected-error @+1 {{'gemm.slot' op result must be one stage of '!gemm.shared<16x16xf16, row, stages = 2>'}}
    %t = gemm.slot %s[%n] : !gemm.shared<16x16xf16, row, stages = 2> -> !gemm.shared<16x16xf16, col>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%v: !gemm.view<?xf16> {gemm.role = #gemm.role<operand 1>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row>
    // expected-error @+1 {{'gemm.copy_start' op needs a matrix, not a vector}}
    %t = gemm.copy_start %v[%n] within [%n, %n] to %s <registers 2> : !gemm.view<?xf16> -> !gemm.shared<16x16xf16, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%B: !gemm.view<?x?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row>
    // expected-error @+1 {{'gemm.copy_start' op needs 3 indices for a view of rank 3, has 2}}
    %t = gemm.copy_start %B[%n, %n] within [%n, %n] to %s <registers 2> : !gemm.view<?x?x?xf16, row> -> !gemm.shared<16x16xf16, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<16x16xf32, row>
    // expected-error @+1 {{'gemm.copy_start' op moves elements of type 'f16' to or from a tile of 'f32'; convert with gemm.map}}
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <registers 2> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x16xf32, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, col>
    // expected-error @+1 {{'gemm.copy_start' op keeps the order: source is row, destination is col}}
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <registers 2> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x16xf16, col>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row, stages = 2>
    // expected-error @+1 {{'gemm.copy_start' op writes one stage; take a gemm.slot of the destination}}
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <registers 2> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x16xf16, row, stages = 2>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row>
    // expected-error @+1 {{'gemm.copy_start' op copies by TMA through a tensor map, not from '!gemm.view<?x?xf16, row>'}}
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <tma> : !gemm.view<?x?xf16, row> -> !gemm.shared<16x16xf16, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%T: !gemm.tensor_map<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row>
    // expected-error @+1 {{'gemm.copy_start' op copies without TMA from a view, not from '!gemm.tensor_map<?x?xf16, row>'}}
    %t = gemm.copy_start %T[%n, %n] within [%n, %n] to %s <cp_async 16> : !gemm.tensor_map<?x?xf16, row> -> !gemm.shared<16x16xf16, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%T: !gemm.tensor_map<?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row>
    %ring = gemm.ring_init : !gemm.ring<2>
    // expected-error @+1 {{'gemm.copy_start' op needs a stage for its ring}}
    %t = "gemm.copy_start"(%T, %n, %n, %n, %n, %s, %ring)
        <{copy = #gemm.copy<tma>, operandSegmentSizes = array<i32: 1, 2, 1, 1, 1, 1, 0>}>
        : (!gemm.tensor_map<?x?xf16, row>, i32, i32, i32, i32, !gemm.shared<16x16xf16, row>, !gemm.ring<2>) -> !gemm.token
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row>
    %ring = gemm.ring_init : !gemm.ring<2>
    // expected-error @+1 {{'gemm.copy_start' op arrives on a ring only by TMA}}
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <cp_async 16> on %ring[%n]
        : !gemm.view<?x?xf16, row> -> !gemm.shared<16x16xf16, row>, !gemm.ring<2>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row>
    // expected-error @+1 {{'gemm.read_frag' op reads 'f32' from a tile of 'f16'}}
    %f = gemm.read_frag %s[%n, %n] : !gemm.shared<16x16xf16, row> -> !gemm.frag<16x8xf32, #acc>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<8x16xf16, row>
    // expected-error @+1 {{'gemm.read_frag' op reads 16x8 from a tile of 8x16}}
    %f = gemm.read_frag %s[%n, %n] : !gemm.shared<8x16xf16, row> -> !gemm.frag<16x8xf16, #acc>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row, stages = 2>
    // expected-error @+1 {{'gemm.read_frag' op reads one stage; take a gemm.slot of the source}}
    %f = gemm.read_frag %s[%n, %n] : !gemm.shared<16x16xf16, row, stages = 2> -> !gemm.frag<16x8xf16, #acc>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %s = gemm.alloc_shared "result" : !gemm.shared<16x16xf16, row>
    %f = gemm.zero : !gemm.frag<16x8xf32, #acc>
    // expected-error @+1 {{'gemm.write_frag' op writes 16x8 of 'f32' to a tile of 16x16 of 'f16'}}
    gemm.write_frag %f, %s : !gemm.frag<16x8xf32, #acc>, !gemm.shared<16x16xf16, row>
    gemm.return
  }
}
