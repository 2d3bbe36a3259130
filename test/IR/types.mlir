// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s | gemm-opt | FileCheck %s

// CHECK-LABEL: @global(
// CHECK-SAME: !gemm.view<?x?xf16, row>, !gemm.view<?x?xf16, col>, !gemm.view<?xf32>, !gemm.view<?x?x?xbf16, row>
// CHECK-SAME: !gemm.tensor_map<?x?xbf16, row>, !gemm.tensor_map<?x?x?xi8, col>
func.func private @global(!gemm.view<?x?xf16, row>, !gemm.view<?x?xf16, col>, !gemm.view<?xf32>,
    !gemm.view<?x?x?xbf16, row>, !gemm.tensor_map<?x?xbf16, row>, !gemm.tensor_map<?x?x?xi8, col>)

// CHECK-LABEL: @tiles(
// CHECK-SAME: !gemm.tile<128x64xf16>, !gemm.tile<1x1xf64>
func.func private @tiles(!gemm.tile<128x64xf16>, !gemm.tile<1x1xf64>)

// CHECK-LABEL: @shared(
// CHECK-SAME: !gemm.shared<128x64xbf16, row>, !gemm.shared<64x128xbf16, col>, !gemm.shared<128x64xbf16, row, stages = 2>
// CHECK-SAME: !gemm.shared<128x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
// CHECK-SAME: !gemm.shared<128x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>, stages = 4>
// CHECK-SAME: !gemm.shared<32x32xf32, row, <panel = 32, pitch = 132>>
func.func private @shared(!gemm.shared<128x64xbf16, row>, !gemm.shared<64x128xbf16, col>,
    !gemm.shared<128x64xbf16, row, stages = 2>,
    !gemm.shared<128x64xbf16, row, <xor_bits = 3, panel = 64, pitch = 128>, stages = 1>,
    !gemm.shared<128x64xbf16, row, #gemm.shared_layout<panel = 64, pitch = 128, xor_bits = 3>, stages = 4>,
    !gemm.shared<32x32xf32, row, <panel = 32, pitch = 132>>)

// A warp's accumulator of one mma, and the same value under a broadcast digit: both
// warps hold it.
// CHECK-LABEL: @frag(
// CHECK-SAME: !gemm.frag<16x8xf32, #[[ONE:layout.*]]>, !gemm.frag<16x8xf32, #[[TWO:layout.*]]>
func.func private @frag(
    !gemm.frag<16x8xf32, #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)]>>,
    !gemm.frag<16x8xf32, #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)],
                                      warp[2:(0, 0)]>>)

// CHECK-LABEL: @tokens(
// CHECK-SAME: !gemm.token, !gemm.ring<4>
func.func private @tokens(!gemm.token, !gemm.ring<4>)
