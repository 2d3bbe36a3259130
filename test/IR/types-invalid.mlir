// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{extents are run-time values: write '?'}}
func.func private @f(!gemm.view<?x128xf16, row>)

// -----

// expected-error @+1 {{a vector has no order}}
func.func private @f(!gemm.view<?xf32, row>)

// -----

// expected-error @+1 {{expected one of [row, col] for which coordinate is contiguous, got: diagonal}}
func.func private @f(!gemm.view<?x?xf32, diagonal>)

// -----

// expected-error @+1 {{expected ','}}
func.func private @f(!gemm.view<?x?xf32>)

// -----

// expected-error @+1 {{a view is a vector, a matrix or a batch of matrices (rank 1, 2 or 3), not rank 4}}
func.func private @f(!gemm.view<?x?x?x?xf32, row>)

// -----

// expected-error @+1 {{elements are integers or floats of 8, 16, 32 or 64 bits, not 'i4'}}
func.func private @f(!gemm.view<?x?xi4, row>)

// -----

// expected-error @+1 {{elements are integers or floats of 8, 16, 32 or 64 bits, not 'index'}}
func.func private @f(!gemm.view<?x?xindex, row>)

// -----

// expected-error @+1 {{a tensor map is a matrix or a batch of matrices (rank 2 or 3), not rank 1}}
func.func private @f(!gemm.tensor_map<?xf32>)

// -----

// expected-error @+1 {{a tile has rows and columns, as in 128x64xf16}}
func.func private @f(!gemm.tile<128xf16>)

// -----

// expected-error @+1 {{a tile has 1 to 65536 rows and columns, not 0x64}}
func.func private @f(!gemm.tile<0x64xf16>)

// -----

// expected-error @+1 {{elements are integers or floats of 8, 16, 32 or 64 bits, not 'i1'}}
func.func private @f(!gemm.tile<128x64xi1>)

// -----

// expected-error @+1 {{a shared tile has 1 to 64 stages, not 0}}
func.func private @f(!gemm.shared<128x64xf16, row, stages = 0>)

// -----

// expected-error @+1 {{lines are 120 bytes apart and 128 bytes long: they overlap}}
func.func private @f(!gemm.shared<128x64xf16, row, <panel = 64, pitch = 120>>)

// -----

// expected-error @+1 {{lines are 258 bytes apart, which is not a whole number of 'f32'}}
func.func private @f(!gemm.shared<128x64xf32, row, <panel = 64, pitch = 258>>)

// -----

// expected-error @+1 {{a panel of 576 bytes is not a whole number of the 128-byte blocks that its swizzle permutes}}
func.func private @f(!gemm.shared<4x64xf16, row, <panel = 64, pitch = 144, xor_bits = 3>>)

// -----

// expected-error @+1 {{the layout spans 16x8 elements, and the tile has 32x8}}
func.func private @f(!gemm.frag<32x8xf32, #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>>)

// -----

// expected-error @+1 {{the layout does not hold every element of the 8x9 tile exactly once (digits of stride (0, 0) aside)}}
func.func private @f(!gemm.frag<8x9xf32, #gemm.layout<register[2:(0, 1), 2:(0, 1)], lane[4:(0, 2), 8:(1, 0)]>>)

// -----

// expected-error @+1 {{a ring has 1 to 64 stages, not 0}}
func.func private @f(!gemm.ring<0>)

// -----

// expected-error @+1 {{a fragment has at most 1048576 elements, and 65536x32 are 2097152}}
func.func private @f(!gemm.frag<65536x32xf32, #gemm.layout<lane[32:(0, 1)], warp[65536:(1, 0)]>>)
