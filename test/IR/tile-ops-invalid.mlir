// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --split-input-file --verify-diagnostics
//
// Tiles (load, store, multiply, map): one case per message. What the custom syntax cannot
// say is in generic form.

gpu.module @kernels {
  gemm.kernel @k(%v: !gemm.view<?xf16> {gemm.role = #gemm.role<operand 1>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    // expected-error @+1 {{'gemm.load_tile' op needs a matrix, not a vector}}
    %t = gemm.load_tile %v[%n] within [%n, %n] : !gemm.view<?xf16> -> !gemm.tile<16x16xf16>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%B: !gemm.view<?x?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    // expected-error @+1 {{'gemm.load_tile' op needs 3 indices for a view of rank 3, has 2}}
    %t = gemm.load_tile %B[%n, %n] within [%n, %n] : !gemm.view<?x?x?xf16, row> -> !gemm.tile<16x16xf16>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    // expected-error @+1 {{'gemm.load_tile' op moves elements of type 'f16' to or from a tile of 'f32'; convert with gemm.map}}
    %t = gemm.load_tile %A[%n, %n] within [%n, %n] : !gemm.view<?x?xf16, row> -> !gemm.tile<16x16xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x16xf16>
    // expected-error @+1 {{'gemm.store_tile' op cannot store 3 bytes at a time of 'f16'; use a power of two up to 16 that holds whole elements}}
    gemm.store_tile %t, %A[%n, %n] within [%n, %n] {bytes = 3 : i64} : !gemm.tile<16x16xf16>, !gemm.view<?x?xf16, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x16xf16>
    // expected-error @+1 {{'gemm.store_tile' op cannot store 32 bytes at a time of 'f16'; use a power of two up to 16 that holds whole elements}}
    gemm.store_tile %t, %A[%n, %n] within [%n, %n] {bytes = 32 : i64} : !gemm.tile<16x16xf16>, !gemm.view<?x?xf16, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x16xf16>
    // expected-error @+1 {{'gemm.store_tile' op cannot store 1 bytes at a time of 'f16'; use a power of two up to 16 that holds whole elements}}
    gemm.store_tile %t, %A[%n, %n] within [%n, %n] {bytes = 1 : i64} : !gemm.tile<16x16xf16>, !gemm.view<?x?xf16, row>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%v: !gemm.view<?xf16> {gemm.role = #gemm.role<operand 1>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x16xf16>
    // expected-error @+1 {{'gemm.store_tile' op needs a matrix, not a vector}}
    gemm.store_tile %t, %v[%n] within [%n, %n] : !gemm.tile<16x16xf16>, !gemm.view<?xf16>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %a = gemm.zero : !gemm.tile<16x16xf16>
    %b = gemm.zero : !gemm.tile<8x32xf16>
    %c = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.mma' op sums over k, which is 16 in A and 32 in B (B is n x k)}}
    %d = gemm.mma %a, %b, %c : !gemm.tile<16x16xf16>, !gemm.tile<8x32xf16>, !gemm.tile<16x8xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %a = gemm.zero : !gemm.tile<16x16xf16>
    %b = gemm.zero : !gemm.tile<8x16xf16>
    %c = gemm.zero : !gemm.tile<16x16xf32>
    // expected-error @+1 {{'gemm.mma' op accumulator is 16x16, A and B make 16x8}}
    %d = gemm.mma %a, %b, %c : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x16xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %a = gemm.zero : !gemm.tile<16x16xf16>
    %b = gemm.zero : !gemm.tile<8x16xf16>
    %c = gemm.zero : !gemm.tile<8x8xf32>
    // expected-error @+1 {{'gemm.mma' op accumulator is 8x8, A and B make 16x8}}
    %d = gemm.mma %a, %b, %c : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<8x8xf32>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %a = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row>
    %b = gemm.zero : !gemm.tile<8x16xf16>
    %c = gemm.zero : !gemm.frag<16x8xf32, #acc>
    // expected-error @+1 {{'gemm.mma' op mixes tiles with and without a home}}
    %d = gemm.mma %a, %b, %c : !gemm.shared<16x16xf16, row>, !gemm.tile<8x16xf16>, !gemm.frag<16x8xf32, #acc>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %a = gemm.zero : !gemm.frag<16x16xf16, #a>
    %b = gemm.zero : !gemm.frag<8x16xf16, #b>
    %c = gemm.zero : !gemm.frag<16x8xf32, #acc>
    // expected-error @+1 {{'gemm.mma' op needs an instruction once its operands have a home}}
    %d = gemm.mma %a, %b, %c : !gemm.frag<16x16xf16, #a>, !gemm.frag<8x16xf16, #b>, !gemm.frag<16x8xf32, #acc>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %a = gemm.zero : !gemm.tile<16x16xf16>
    %b = gemm.zero : !gemm.tile<8x16xf16>
    %c = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.mma' op has an instruction before its operands have a home}}
    %d = gemm.mma %a, %b, %c by <mma_sync 16x8x16, warps = 1x1> : !gemm.tile<16x16xf16>, !gemm.tile<8x16xf16>, !gemm.tile<16x8xf32>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %a = gemm.alloc_shared "a" : !gemm.shared<16x16xf16, row>
    %b = gemm.alloc_shared "b" : !gemm.shared<8x16xf16, row>
    %c = gemm.zero : !gemm.frag<16x8xf32, #acc>
    // expected-error @+1 {{'gemm.mma' op by mma_sync reads fragments, not '!gemm.shared<16x16xf16, row>'}}
    %d = gemm.mma %a, %b, %c by <mma_sync 16x8x16, warps = 1x1>
        : !gemm.shared<16x16xf16, row>, !gemm.shared<8x16xf16, row>, !gemm.frag<16x8xf32, #acc>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %a = gemm.zero : !gemm.frag<16x16xf16, #a>
    %b = gemm.zero : !gemm.frag<8x16xf16, #b>
    %c = gemm.zero : !gemm.frag<16x8xf32, #acc>
    // expected-error @+1 {{'gemm.mma' op by wgmma reads shared tiles, not '!gemm.frag<16x16xf16, }}
    %d = gemm.mma %a, %b, %c by <wgmma 64x8x16, warps = 4x1>
        : !gemm.frag<16x16xf16, #a>, !gemm.frag<8x16xf16, #b>, !gemm.frag<16x8xf32, #acc>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>
#a = #gemm.layout<register[2:(0, 1), 2:(8, 0), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
#b = #gemm.layout<register[2:(0, 1), 2:(0, 8)], lane[4:(0, 2), 8:(1, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    // Two k-steps of mma.m16n8k8.
    %a = gemm.zero : !gemm.frag<16x16xf16, #a>
    %b = gemm.zero : !gemm.frag<8x16xf16, #b>
    %c = gemm.zero : !gemm.frag<16x8xf32, #acc>
    // expected-error @+1 {{'gemm.mma' op of 16x8x16 is not a whole number of #gemm.mma<mma_sync 16x8x8, warps = 1x1> in one k-step}}
    %d = gemm.mma %a, %b, %c by <mma_sync 16x8x8, warps = 1x1>
        : !gemm.frag<16x16xf16, #a>, !gemm.frag<8x16xf16, #b>, !gemm.frag<16x8xf32, #acc>
    gemm.return
  }
}

// -----

#acc = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[4:(16, 0)]>
gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %a = gemm.alloc_shared "a" : !gemm.shared<64x24xf16, row>
    %b = gemm.alloc_shared "b" : !gemm.shared<8x24xf16, row>
    %c = gemm.zero : !gemm.frag<64x8xf32, #acc>
    // expected-error @+1 {{'gemm.mma' op of 64x8x24 is not a whole number of #gemm.mma<wgmma 64x8x16, warps = 4x1>}}
    %d = gemm.mma %a, %b, %c by <wgmma 64x8x16, warps = 4x1>
        : !gemm.shared<64x24xf16, row>, !gemm.shared<8x24xf16, row>, !gemm.frag<64x8xf32, #acc>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.map' op keeps the shape: source is 16x8, result is 8x16}}
    %r = gemm.map %t at [%n, %n] within [%n, %n] : !gemm.tile<16x8xf32> -> !gemm.tile<8x16xf32> {
      ^bb0(%x: f32):
        gemm.yield %x : f32
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.map' op needs the position as [row, col] or [batch, row, col]}}
    %r = gemm.map %t at [%n] within [%n, %n] : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf32> {
      ^bb0(%x: f32):
        gemm.yield %x : f32
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%w: !gemm.view<?xf32> {gemm.role = #gemm.role<operand 1>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.map' op needs one access per view}}
    %r = "gemm.map"(%t, %n, %n, %n, %n, %w) <{accesses = [], operandSegmentSizes = array<i32: 1, 2, 1, 1, 1>}> ({
    ^bb0(%x: f32, %y: f32):
      gemm.yield %x : f32
    }) : (!gemm.tile<16x8xf32>, i32, i32, i32, i32, !gemm.view<?xf32>) -> !gemm.tile<16x8xf32>
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.map' op body takes the element and one value per view}}
    %r = gemm.map %t at [%n, %n] within [%n, %n] : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf32> {
      ^bb0(%x: f32, %y: f32):
        gemm.yield %x : f32
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.map' op body's first argument must be the element, 'f32'}}
    %r = gemm.map %t at [%n, %n] within [%n, %n] : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf16> {
      ^bb0(%x: f16):
        gemm.yield %x : f16
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%w: !gemm.view<?xf32> {gemm.role = #gemm.role<operand 1>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.map' op body argument of type 'f16' reads a view of 'f32'}}
    %r = gemm.map %t at [%n, %n] within [%n, %n] ins(%w[rows] : !gemm.view<?xf32>) : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf32> {
      ^bb0(%x: f32, %y: f16):
        gemm.yield %x : f32
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%w: !gemm.view<?xf32> {gemm.role = #gemm.role<operand 1>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.map' op access must be full, rows or cols, not diagonal}}
    %r = gemm.map %t at [%n, %n] within [%n, %n] ins(%w[diagonal] : !gemm.view<?xf32>) : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf32> {
      ^bb0(%x: f32, %y: f32):
        gemm.yield %x : f32
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%w: !gemm.view<?xf32> {gemm.role = #gemm.role<operand 1>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.map' op access full does not fit a view of rank 1}}
    %r = gemm.map %t at [%n, %n] within [%n, %n] ins(%w[full] : !gemm.view<?xf32>) : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf32> {
      ^bb0(%x: f32, %y: f32):
        gemm.yield %x : f32
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.map' op access rows does not fit a view of rank 2}}
    %r = gemm.map %t at [%n, %n] within [%n, %n] ins(%A[rows] : !gemm.view<?x?xf16, row>) : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf32> {
      ^bb0(%x: f32, %y: f16):
        gemm.yield %x : f32
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%B: !gemm.view<?x?x?xf16, row> {gemm.role = #gemm.role<operand 1>},
                 %n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.map' op needs a batch index for '!gemm.view<?x?x?xf16, row>'}}
    %r = gemm.map %t at [%n, %n] within [%n, %n] ins(%B[full] : !gemm.view<?x?x?xf16, row>) : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf32> {
      ^bb0(%x: f32, %y: f16):
        gemm.yield %x : f32
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.map' op body must yield one 'f16'}}
    %r = gemm.map %t at [%n, %n] within [%n, %n] : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf16> {
      ^bb0(%x: f32):
        gemm.yield %x : f32
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+1 {{'gemm.map' op body must yield one 'f32'}}
    %r = gemm.map %t at [%n, %n] within [%n, %n] : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf32> {
      ^bb0(%x: f32):
        gemm.yield %x, %x : f32, f32
    }
    gemm.return
  }
}

// -----

gpu.module @kernels {
  gemm.kernel @k(%n: i32 {gemm.role = #gemm.role<extent "n">}) {
    %t = gemm.zero : !gemm.tile<16x8xf32>
    // expected-error @+2 {{'gemm.map' op expects regions to end with 'gemm.yield', found 'llvm.unreachable'}}
    // expected-note @+1 {{in custom textual format, the absence of terminator implies 'gemm.yield'}}
    %r = gemm.map %t at [%n, %n] within [%n, %n] : !gemm.tile<16x8xf32> -> !gemm.tile<16x8xf32> {
      ^bb0(%x: f32):
        llvm.unreachable
    }
    gemm.return
  }
}
