// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{the lane digits of a layout count to 16, and a warp has 32 lanes; lanes that hold the same element are a digit of stride (0, 0)}}
func.func private @f() attributes {test.a = #gemm.layout<register[2:(0, 1)], lane[4:(0, 2), 4:(1, 0)]>}

// -----

// expected-error @+1 {{digit 0:(0, 1) of register needs an extent of at least 1 and strides of at least 0}}
func.func private @f() attributes {test.a = #gemm.layout<register[0:(0, 1)], lane[32:(1, 0)]>}

// -----

// expected-error @+1 {{a layout's register digits go beyond 65536}}
func.func private @f() attributes {test.a = #gemm.layout<register[70000:(0, 1)], lane[32:(1, 0)]>}

// -----

// expected-error @+1 {{a layout has 'lane' twice}}
func.func private @f() attributes {test.a = #gemm.layout<lane[32:(1, 0)], lane[32:(1, 0)]>}

// -----

// expected-error @+1 {{a layout needs 'lane'}}
func.func private @f() attributes {test.a = #gemm.layout<register[2:(0, 1)]>}

// -----

// expected-error @+1 {{a layout has no 'thread'; it has register, lane, warp}}
func.func private @f() attributes {test.a = #gemm.layout<thread[32:(1, 0)]>}

// -----

// expected-error @+1 {{a shared layout's panel and pitch must be between 1 and 1048576, not 0 and 128}}
func.func private @f() attributes {test.a = #gemm.shared_layout<panel = 0, pitch = 128>}

// -----

// expected-error @+1 {{a swizzle has 0 to 8 bits from a source up to 20}}
func.func private @f() attributes {test.a = #gemm.shared_layout<panel = 64, pitch = 128, xor_bits = 9>}

// -----

// expected-error @+1 {{a swizzle of 3 bits must take them from bit 7 or above, not 6: below, two elements would share an address}}
func.func private @f() attributes {test.a = #gemm.shared_layout<panel = 64, pitch = 128, xor_bits = 3, xor_source = 6>}

// -----

// expected-error @+1 {{a tile is 3 numbers joined by 'x', not 2}}
func.func private @f() attributes {test.a = #gemm.tile<128x256>}

// -----

// expected-error @+1 {{tile 128x0x64: each side must be between 1 and 65536}}
func.func private @f() attributes {test.a = #gemm.tile<128x0x64>}

// -----

// expected-error @+1 {{expected one of [fma, mma_sync, wgmma] for family of multiply-accumulate instructions, got: wmma}}
func.func private @f() attributes {test.a = #gemm.mma<wmma 16x16x16, warps = 2x4>}

// -----

// expected-error @+1 {{the numbers of an mma part must be between 1 and 65536, and one is 0}}
func.func private @f() attributes {test.a = #gemm.mma<mma_sync 16x8x16, warps = 0x4>}

// -----

// expected-error @+1 {{an mma part of mma_sync has no 'lanes'; it has warps}}
func.func private @f() attributes {test.a = #gemm.mma<mma_sync 16x8x16, warps = 2x4, lanes = 4x8>}

// -----

// expected-error @+1 {{an mma part of mma_sync has no 'fragments'; it has warps}}
func.func private @f() attributes {test.a = #gemm.mma<mma_sync 16x8x16, fragments = 2>}

// -----

// expected-error @+1 {{fma is a 1x1x1 instruction, not 2x1x1}}
func.func private @f() attributes {test.a = #gemm.mma<fma 2x1x1, warps = 2x4>}

// -----

// expected-error @+1 {{lanes = 4x4 are 16 lanes, and a warp has 32}}
func.func private @f() attributes {test.a = #gemm.mma<fma 1x1x1, warps = 2x4, lanes = 4x4>}

// -----

// expected-error @+1 {{wgmma runs on warpgroups of four warps along m; warps = 2x1 is not a whole number of them (write 4x1, 8x1)}}
func.func private @f() attributes {test.a = #gemm.mma<wgmma 64x256x16, warps = 2x1>}

// -----

// expected-error @+1 {{a copy through registers moves 1, 2, 4, 8 or 16 bytes at a time, not 3}}
func.func private @f() attributes {test.a = #gemm.copy<registers 3>}

// -----

// expected-error @+1 {{cp_async copies 4, 8 or 16 bytes, not 2; narrower copies go through registers}}
func.func private @f() attributes {test.a = #gemm.copy<cp_async 2>}

// -----

// expected-error @+1 {{expected the bytes of one cp_async access, as in <cp_async 16>}}
func.func private @f() attributes {test.a = #gemm.copy<cp_async>}

// -----

// expected-error @+1 {{a tma copy needs 16-byte lines and has no other width, so not 8}}
func.func private @f() attributes {test.a = #gemm.copy<tma 8>}

// -----

// expected-error @+1 {{xor takes no bytes}}
func.func private @f() attributes {test.a = #gemm.bank<xor 3>}

// -----

// expected-error @+1 {{lines are padded by a multiple of 4 up to 128 bytes, not 6}}
func.func private @f() attributes {test.a = #gemm.bank<padded 6>}

// -----

// expected-error @+1 {{hardware panels are 32, 64 or 128 bytes wide, not 256}}
func.func private @f() attributes {test.a = #gemm.bank<panel 256>}

// -----

// expected-error @+1 {{a pipeline has 1 to 64 stages, not 0}}
func.func private @f() attributes {test.a = #gemm.pipeline<stages = 0>}

// -----

// expected-error @+1 {{a pipeline holds the fragments of 1 or 2 k-steps, not 3}}
func.func private @f() attributes {test.a = #gemm.pipeline<stages = 2, fragments = 3>}

// -----

// expected-error @+1 {{in_flight is 0 or 1, not 2}}
func.func private @f() attributes {test.a = #gemm.pipeline<stages = 3, in_flight = 2>}

// -----

// expected-error @+1 {{in_flight = 1 needs at least 2 stages, and there is 1: a stage that is still read cannot be refilled}}
func.func private @f() attributes {test.a = #gemm.pipeline<in_flight = 1>}

// -----

// expected-error @+1 {{a pipeline has no 'stage'; it has stages, fragments, in_flight}}
func.func private @f() attributes {test.a = #gemm.pipeline<stage = 2>}

// -----

// expected-error @+1 {{expected a part of a pipeline: one of stages, fragments, in_flight}}
func.func private @f() attributes {test.a = #gemm.pipeline<stages = 2,>}

// -----

// expected-error @+1 {{an epilogue stores 1, 2, 4, 8 or 16 bytes at a time, not 12}}
func.func private @f() attributes {test.a = #gemm.epilogue<staged 12>}

// -----

// expected-error @+1 {{tiles are walked in groups of 1 to 65536 tile rows, not 0}}
func.func private @f() attributes {test.a = #gemm.work<tiles, raster = 0>}

// -----

// expected-error @+1 {{a schedule has no 'swizzle'; it has tile, mma, copy, bank, pipeline, epilogue, work}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 32x32x32, swizzle = 3>}

// -----

// expected-error @+1 {{a schedule has 'tile' twice}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 32x32x32, tile = 32x32x32>}

// -----

// expected-error @+1 {{a schedule needs 'copy'}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>, epilogue = <registers 4>>}

// -----

// expected-error @+1 {{the tile's m = 120 is not a multiple of 32, the m that all warps compute at once}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 120x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>}

// -----

// expected-error @+1 {{the tile's n = 250 is not a multiple of 32, the n that all warps compute at once}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 128x250x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>}

// -----

// expected-error @+1 {{the tile's k = 40 is not a multiple of 16, the k that one instruction computes}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 128x256x40, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>}

// -----

// expected-error @+1 {{the tile's m = 192 is not a multiple of 128, the m that all warps compute at once}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 192x256x64, mma = <wgmma 64x256x16, warps = 8x1>, copy = [<cp_async 16>, <cp_async 16>], bank = [<panel 128>, <panel 128>], pipeline = <stages = 2>, epilogue = <staged 16>>}

// -----

// expected-error @+1 {{the tile's m = 32 is not a multiple of 64, the m that all warps compute at once}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 32x32x32, mma = <fma 1x1x1, warps = 8x1, lanes = 2x16, thread = 4x1>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>}

// -----

// expected-error @+1 {{wgmma reads B in hardware panels; its bank scheme is xor and must be panel 32, 64 or 128}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 128x256x64, mma = <wgmma 64x256x16, warps = 8x1>, copy = [<cp_async 16>, <cp_async 16>], bank = [<panel 128>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>}

// -----

// expected-error @+1 {{tma writes A in hardware panels; its bank scheme is xor and must be panel 32, 64 or 128}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<tma>, <tma>], bank = [<xor>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>}

// -----

// expected-error @+1 {{lines of A are padded by 8 bytes, and accesses to them are 16 bytes wide: pad by a multiple of 16}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<padded 8>, <xor>], pipeline = <stages = 2>, epilogue = <staged 16>>}

// -----

// expected-error @+1 {{in_flight is for asynchronous multiplication (wgmma); mma_sync has finished when it returns}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 2, in_flight = 1>, epilogue = <staged 16>>}

// -----

// expected-error @+1 {{wgmma reads shared memory and has no fragments to hold; fragments must be 1}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 128x256x64, mma = <wgmma 64x256x16, warps = 8x1>, copy = [<cp_async 16>, <cp_async 16>], bank = [<panel 128>, <panel 128>], pipeline = <stages = 2, fragments = 2>, epilogue = <staged 16>>}

// -----

// expected-error @+1 {{fragments = 2 reads from the next K tile while this one is multiplied, and needs at least 2 stages}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 1, fragments = 2>, epilogue = <staged 16>>}

// -----

// expected-error @+1 {{fragments = 2 is for operands that threads copy (cp_async, registers), not for tma}}
func.func private @f() attributes {test.a = #gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <tma>], bank = [<xor>, <panel 128>], pipeline = <stages = 2, fragments = 2>, epilogue = <staged 16>>}

// -----

// expected-error @+1 {{align(A) 12: an alignment is a power of two}}
func.func private @f() attributes {test.a = #gemm.guard<[align(A) 12]>}

// -----

// expected-error @+1 {{align asks about an operand: A, B, E0, D and so on, not 'm'}}
func.func private @f() attributes {test.a = #gemm.guard<[align(m) 16]>}

// -----

// expected-error @+1 {{pitch asks about an operand: A, B, E0, D and so on, not 'A1'}}
func.func private @f() attributes {test.a = #gemm.guard<[pitch(A1) 8]>}

// -----

// expected-error @+1 {{divisible asks about an extent: m, n, k, not 'batch'}}
func.func private @f() attributes {test.a = #gemm.guard<[divisible(batch) 8]>}

// -----

// expected-error @+1 {{at_most asks about an extent: m, n, k, batch, not 'A'}}
func.func private @f() attributes {test.a = #gemm.guard<[at_most(A) 8]>}

// -----

// expected-error @+1 {{divisible(k) 0: the number must be at least 1}}
func.func private @f() attributes {test.a = #gemm.guard<[divisible(k) 0]>}

// -----

// expected-error @+1 {{expected one of [align, pitch, divisible, at_most] for what a guard can ask, got: even}}
func.func private @f() attributes {test.a = #gemm.guard<[even(k) 2]>}

// -----

// expected-error @+1 {{an extent is "m", "n", "k" or "batch", not "M"}}
func.func private @f() attributes {test.a = #gemm.role<extent "M">}

// -----

// expected-error @+1 {{an argument's index must be at least 0, not -1}}
func.func private @f() attributes {test.a = #gemm.role<operand -1>}
