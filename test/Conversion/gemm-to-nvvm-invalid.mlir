// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --pass-pipeline='builtin.module(gpu.module(convert-gemm-to-nvvm))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op needs a block size and a target; run gemm-promote-operands first}}
  gemm.kernel @k() attributes {target = #gemm.target<"sm_80">} {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op needs a block size and a target; run gemm-promote-operands first}}
  gemm.kernel @k() attributes {block = 32 : i32} {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{unknown target 'sm_91'; the known ones are sm_70, }}
  gemm.kernel @k() attributes {block = 32 : i32, target = #gemm.target<"sm_91">} {
    gemm.return
  }
}

// -----

// 64 KiB a stage, and 96 KiB in all.
gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op needs 131072 bytes of shared memory, 32768 more than a CTA has on sm_70; use fewer stages or a smaller tile}}
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) attributes {block = 32 : i32, target = #gemm.target<"sm_70">} {
    %c0 = arith.constant 0 : i32
    %s = gemm.alloc_shared "a" : !gemm.shared<128x128xf32, row, stages = 2>
    %t = gemm.slot %s[%c0] : !gemm.shared<128x128xf32, row, stages = 2> -> !gemm.shared<128x128xf32, row>
    gemm.return
  }
}

// -----

gpu.module @kernels attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], scalars = [], static = {},
                                           operands = [{batched = false, dims = ["m", "k"], name = "A", order = "row", role = "a", type = "f16"},
                                                       {batched = false, dims = ["n", "k"], name = "B", order = "row", role = "b", type = "f16"},
                                                       {batched = false, dims = ["m", "n"], name = "D", order = "row", role = "d", type = "f16"}]}} {
  // expected-error @+1 {{'gemm.kernel' op guard names an operand that the problem does not have: E0}}
  gemm.kernel @k() attributes {block = 32 : i32, target = #gemm.target<"sm_80">, guard = #gemm.guard<[align(E0) 16]>} {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{'gemm.kernel' op argument 0 is a tensor map that no copy reads}}
  gemm.kernel @k(%A: !gemm.tensor_map<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.tensor_map<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %ring = gemm.ring_init : !gemm.ring<1>
    %s = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row, <panel = 64, pitch = 144>>
    // expected-error @+1 {{'gemm.copy_start' op cannot fill padded lines by TMA; use a panel or plain bank scheme}}
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <tma> on %ring[%n]
        : !gemm.tensor_map<?x?xf16, row> -> !gemm.shared<64x64xf16, row, <panel = 64, pitch = 144>>, !gemm.ring<1>
    gemm.return
  }
}

// -----

// A thread has one row of A and of B, and four accumulators.
#rows = #gemm.layout<lane[2:(1, 0), 16:(0, 0)]>
#acc = #gemm.layout<register[2:(0, 1), 2:(1, 0)], lane[32:(0, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %a = gemm.zero : !gemm.frag<2x1xf32, #rows>
    %b = gemm.zero : !gemm.frag<2x1xf32, #rows>
    %c = gemm.zero : !gemm.frag<2x2xf32, #acc>
    // expected-error @+1 {{'gemm.mma' op accumulator element (0, 1) has no operand in its thread}}
    %d = gemm.mma %a, %b, %c by <fma 1x1x1, warps = 1x1>
        : !gemm.frag<2x1xf32, #rows>, !gemm.frag<2x1xf32, #rows>, !gemm.frag<2x2xf32, #acc>
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] : !gemm.frag<2x2xf32, #acc>, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %a = gemm.zero : !gemm.frag<16x16xf16, #a>
    %b = gemm.zero : !gemm.frag<8x16xf16, #b>
    %c = gemm.zero : !gemm.frag<16x8xf16, #acc>
    // expected-error @+1 {{'gemm.mma' op by mma_sync takes f16 or bf16 operands, both the same, and an f32 accumulator, not f16 x f16 -> f16}}
    %d = gemm.mma %a, %b, %c by <mma_sync 16x8x16, warps = 1x1>
        : !gemm.frag<16x16xf16, #a>, !gemm.frag<8x16xf16, #b>, !gemm.frag<16x8xf16, #acc>
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] : !gemm.frag<16x8xf16, #acc>, !gemm.view<?x?xf16, row>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) attributes {block = 128 : i32, target = #gemm.target<"sm_90a">} {
    %a = gemm.alloc_shared "a" : !gemm.shared<64x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    %b = gemm.alloc_shared "b" : !gemm.shared<8x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    %c = gemm.zero : !gemm.frag<64x8xf32, #acc>
    // expected-error @+1 {{'gemm.mma' op by wgmma takes f16 or bf16 operands, both the same, and an f32 accumulator, not bf16 x f16 -> f32}}
    %d = gemm.mma %a, %b, %c by <wgmma 64x8x16, warps = 4x1>
        : !gemm.shared<64x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>, !gemm.shared<8x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>, !gemm.frag<64x8xf32, #acc>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) attributes {block = 128 : i32, target = #gemm.target<"sm_90a">} {
    %a = gemm.alloc_shared "a" : !gemm.shared<64x64xbf16, row, <panel = 64, pitch = 144>>
    %b = gemm.alloc_shared "b" : !gemm.shared<8x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    %c = gemm.zero : !gemm.frag<64x8xf32, #acc>
    // expected-error @+1 {{'gemm.mma' op by wgmma reads panels of 32, 64 or 128 bytes; operand A is laid out otherwise: use <panel N>}}
    %d = gemm.mma %a, %b, %c by <wgmma 64x8x16, warps = 4x1>
        : !gemm.shared<64x64xbf16, row, <panel = 64, pitch = 144>>, !gemm.shared<8x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>, !gemm.frag<64x8xf32, #acc>
    gemm.return
  }
}

// -----

// Swizzled like a panel, but of lines of 256 bytes.
#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) attributes {block = 128 : i32, target = #gemm.target<"sm_90a">} {
    %a = gemm.alloc_shared "a" : !gemm.shared<64x128xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    %b = gemm.alloc_shared "b" : !gemm.shared<8x128xbf16, row, <panel = 128, pitch = 256, xor_bits = 3, xor_source = 8>>
    %c = gemm.zero : !gemm.frag<64x8xf32, #acc>
    // expected-error @+1 {{'gemm.mma' op by wgmma reads panels of 32, 64 or 128 bytes; operand B is laid out otherwise: use <panel N>}}
    %d = gemm.mma %a, %b, %c by <wgmma 64x8x16, warps = 4x1>
        : !gemm.shared<64x128xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>, !gemm.shared<8x128xbf16, row, <panel = 128, pitch = 256, xor_bits = 3, xor_source = 8>>, !gemm.frag<64x8xf32, #acc>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %s = gemm.alloc_shared "a" : !gemm.shared<8x64xf16, row>
    // expected-error @+1 {{'gemm.copy_start' op cannot move 1 bytes at a time of 'f16'}}
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <registers 1> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x64xf16, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %s = gemm.alloc_shared "a" : !gemm.shared<8x48xf16, row>
    // expected-error @+1 {{'gemm.copy_start' op has no copy schedule: a 8x48 tile cannot be copied in runs of 8 by 32 threads: the runs of a row do not divide a warp}}
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<8x48xf16, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.tensor_map<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %s = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    // expected-error @+1 {{'gemm.copy_start' op by TMA needs a ring to arrive on; run gemm-pipeline-loads first}}
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %s <tma> : !gemm.tensor_map<?x?xf16, row> -> !gemm.shared<64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %c0 = arith.constant 0 : i32
    %s = gemm.alloc_shared "a" : !gemm.shared<32x16xf32, row>
    // expected-error @+1 {{'gemm.read_frag' op needs a position that is constant or counts up in a loop with constant bounds}}
    %f = gemm.read_frag %s[%n, %c0] : !gemm.shared<32x16xf32, row> -> !gemm.frag<16x8xf32, #acc>
    gemm.store_tile %f, %D[%n, %n] within [%n, %n] : !gemm.frag<16x8xf32, #acc>, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %c0 = arith.constant 0 : i32
    %s = gemm.alloc_shared "a" : !gemm.shared<32x16xf32, row>
    scf.for %i = %c0 to %n step %n : i32 {
      // expected-error @+1 {{'gemm.read_frag' op needs a position that is constant or counts up in a loop with constant bounds}}
      %f = gemm.read_frag %s[%i, %c0] : !gemm.shared<32x16xf32, row> -> !gemm.frag<16x8xf32, #acc>
      gemm.store_tile %f, %D[%n, %n] within [%n, %n] : !gemm.frag<16x8xf32, #acc>, !gemm.view<?x?xf32, row>
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %c0 = arith.constant 0 : i32
    %s = gemm.alloc_shared "a" : !gemm.shared<32x16xf32, row>
    %c16 = arith.constant 16 : i32
    scf.for %i = %c0 to %c16 step %c0 : i32 {
      // expected-error @+1 {{'gemm.read_frag' op needs a position that is constant or counts up in a loop with constant bounds}}
      %f = gemm.read_frag %s[%i, %c0] : !gemm.shared<32x16xf32, row> -> !gemm.frag<16x8xf32, #acc>
      gemm.store_tile %f, %D[%n, %n] within [%n, %n] : !gemm.frag<16x8xf32, #acc>, !gemm.view<?x?xf32, row>
    }
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %c0 = arith.constant 0 : i32
    %s = gemm.alloc_shared "a" : !gemm.shared<32x16xf32, row>
    %c9 = arith.constant 9 : i32
    // expected-error @+1 {{'gemm.read_frag' op starts at column 9; in its tile it can start at 0 to 8}}
    %f = gemm.read_frag %s[%c0, %c9] : !gemm.shared<32x16xf32, row> -> !gemm.frag<16x8xf32, #acc>
    gemm.store_tile %f, %D[%n, %n] within [%n, %n] : !gemm.frag<16x8xf32, #acc>, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %c0 = arith.constant 0 : i32
    %s = gemm.alloc_shared "a" : !gemm.shared<32x16xf32, row>
    %c16 = arith.constant 16 : i32
    %c48 = arith.constant 48 : i32
    scf.for %i = %c0 to %c48 step %c16 : i32 {
      // expected-error @+1 {{'gemm.read_frag' op starts at row 32; in its tile it can start at 0 to 16}}
      %f = gemm.read_frag %s[%i, %c0] : !gemm.shared<32x16xf32, row> -> !gemm.frag<16x8xf32, #acc>
      gemm.store_tile %f, %D[%n, %n] within [%n, %n] : !gemm.frag<16x8xf32, #acc>, !gemm.view<?x?xf32, row>
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    // expected-error @+1 {{'gemm.zero' op makes a tile without a home; run gemm-promote-operands first}}
    %c = gemm.zero : !gemm.tile<16x8xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    // expected-error @+1 {{'gemm.load_tile' op makes a tile without a home; run gemm-promote-operands first}}
    %t = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf16>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %x = gemm.zero : !gemm.frag<16x8xf32, #acc>
    %y = gemm.map %x at [%n, %n] within [%n, %n] : !gemm.frag<16x8xf32, #acc> -> !gemm.frag<16x8xf32, #acc> {
      ^bb0(%e: f32):
        // expected-error @+1 {{'math.tanh' op in an epilogue has no GPU lowering; use arith ops and math.absf, ceil, exp2, floor, fma, sqrt}}
        %t = math.tanh %e : f32
        gemm.yield %t : f32
    }
    gemm.store_tile %y, %D[%n, %n] within [%n, %n] : !gemm.frag<16x8xf32, #acc>, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf32, col> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_90a">} {
    %x = gemm.zero : !gemm.frag<16x8xf32, #acc>
    // expected-error @+1 {{'gemm.store_tile' op writes rows; the view's order must be row}}
    gemm.store_tile %x, %D[%n, %n] within [%n, %n] : !gemm.frag<16x8xf32, #acc>, !gemm.view<?x?xf32, col>
    gemm.return
  }
}

// -----

// Fragments that are not the instruction's (PTX ISA, "Matrix fragments for mma.m16n8k16"):
// lanes that go down the rows first,
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#c = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[8:(1, 0), 4:(0, 2)]>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
!c = !gemm.frag<16x8xf32, #c>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %a = gemm.zero : !a
    %b = gemm.zero : !b
    %c = gemm.zero : !c
    // expected-error @+1 {{'gemm.mma' op accumulator is not laid out as #gemm.mma<mma_sync 16x8x16, warps = 1x1> has it: lane 1 is at (1, 0) and must be at (0, 2)}}
    %d = gemm.mma %a, %b, %c by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !c
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] : !c, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

// registers of A that go along k first,
#a = #gemm.layout<register[2:(0, 1), 2:(0, 8), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#c = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
!a = !gemm.frag<16x16xf16, #a>
!b = !gemm.frag<8x16xf16, #b>
!c = !gemm.frag<16x8xf32, #c>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %a = gemm.zero : !a
    %b = gemm.zero : !b
    %c = gemm.zero : !c
    // expected-error @+1 {{'gemm.mma' op operand A is not laid out as #gemm.mma<mma_sync 16x8x16, warps = 1x1> has it: register 2 is at (0, 8) and must be at (8, 0)}}
    %d = gemm.mma %a, %b, %c by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !c
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] : !c, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

// and blocks of the accumulator that are not in the order of those of A and B.
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8), 2:(16, 0)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#c = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(16, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
!a = !gemm.frag<32x16xf16, #a>
!b = !gemm.frag<16x16xf16, #b>
!c = !gemm.frag<32x16xf32, #c>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %a = gemm.zero : !a
    %b = gemm.zero : !b
    %c = gemm.zero : !c
    // expected-error @+1 {{'gemm.mma' op accumulator of register 4 is at (16, 0), and its operands make (0, 8)}}
    %d = gemm.mma %a, %b, %c by <mma_sync 16x8x16, warps = 1x1> : !a, !b, !c
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] : !c, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

// Each lane of an fma multiplies its own rows and columns.
#a = #gemm.layout<lane[32:(1, 0)]>
#b = #gemm.layout<register[32:(1, 0)], lane[32:(0, 0)]>
#c = #gemm.layout<register[32:(0, 1)], lane[4:(8, 0), 8:(1, 0)]>
!a = !gemm.frag<32x1xf32, #a>
!b = !gemm.frag<32x1xf32, #b>
!c = !gemm.frag<32x32xf32, #c>
gpu.module @kernels {
  gemm.kernel @k(%D: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 2>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %a = gemm.zero : !a
    %b = gemm.zero : !b
    %c = gemm.zero : !c
    // expected-error @+1 {{'gemm.mma' op accumulator of lane 1 has other rows and columns than its operands}}
    %d = gemm.mma %a, %b, %c by <fma 1x1x1, warps = 1x1> : !a, !b, !c
    gemm.store_tile %d, %D[%n, %n] within [%n, %n] : !c, !gemm.view<?x?xf32, row>
    gemm.return
  }
}

// -----

// Which of them may share bytes is told by the order of their uses in one block.
gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf32, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">})
      attributes {block = 32 : i32, target = #gemm.target<"sm_80">} {
    %a = gemm.alloc_shared "a" : !gemm.shared<32x32xf32, row>
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %a <cp_async 4> : !gemm.view<?x?xf32, row> -> !gemm.shared<32x32xf32, row>
    gemm.for_work (%i, %m0, %n0, %kb, %ke) over [%n, %n, %n, %n] tile [32, 32] <tiles> {
      // expected-error @+1 {{'gemm.alloc_shared' op is in another block than the other shared tiles of its kernel; allocate all of them at the start of the work item}}
      %b = gemm.alloc_shared "b" : !gemm.shared<32x32xf32, row>
      %u = gemm.copy_start %A[%n, %n] within [%n, %n] to %b <cp_async 4> : !gemm.view<?x?xf32, row> -> !gemm.shared<32x32xf32, row>
    }
    gemm.return
  }
}
