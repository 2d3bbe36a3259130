// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s | gemm-opt | FileCheck %s
// RUN: gemm-opt %s --mlir-print-op-generic | gemm-opt | FileCheck %s

// Layouts are named once, whatever the name that the reader gave them.
// CHECK: #[[LAYOUT:layout.*]] = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)], warp[2:(16, 0), 4:(0, 8)]>
#accumulator = #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)],
                            warp[2:(16, 0), 4:(0, 8)]>

// CHECK-LABEL: @layouts
// CHECK-SAME: test.keys_in_any_order = #[[LAYOUT]]
// CHECK-SAME: test.named = #[[LAYOUT]]
// CHECK-SAME: test.shared = #gemm.shared_layout<panel = 64, pitch = 128, xor_bits = 3>
// CHECK-SAME: test.wide = #gemm.shared_layout<panel = 128, pitch = 256, xor_bits = 3, xor_source = 8>
func.func private @layouts() attributes {
  test.named = #accumulator,
  test.keys_in_any_order = #gemm.layout<warp[2:(16, 0), 4:(0, 8)],
      lane[4:(0, 2), 8:(1, 0)], register[2:(0, 1), 2:(8, 0)]>,
  test.shared = #gemm.shared_layout<xor_bits = 3, pitch = 128, panel = 64>,
  test.wide = #gemm.shared_layout<panel = 128, pitch = 256, xor_bits = 3, xor_source = 8>
}

// CHECK-LABEL: @parts
// CHECK-SAME: test.bank_padded = #gemm.bank<padded 16>
// CHECK-SAME: test.bank_panel = #gemm.bank<panel 128>
// CHECK-SAME: test.bank_plain = #gemm.bank<plain>
// CHECK-SAME: test.bank_xor = #gemm.bank<xor>
// CHECK-SAME: test.copy_async = #gemm.copy<cp_async 8>
// CHECK-SAME: test.copy_registers = #gemm.copy<registers 2>
// CHECK-SAME: test.copy_tma = #gemm.copy<tma>
// CHECK-SAME: test.epilogue_registers = #gemm.epilogue<registers 4>
// CHECK-SAME: test.epilogue_staged = #gemm.epilogue<staged 16>
// CHECK-SAME: test.fma = #gemm.mma<fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>
// CHECK-SAME: test.mma_sync = #gemm.mma<mma_sync 16x8x16, warps = 2x4>
// CHECK-SAME: test.pipeline = #gemm.pipeline<stages = 4, fragments = 2>
// CHECK-SAME: test.pipeline_in_flight = #gemm.pipeline<stages = 4, in_flight = 1>
// CHECK-SAME: test.pipeline_none = #gemm.pipeline<stages = 1>
// CHECK-SAME: test.tile = #gemm.tile<128x256x64>
// CHECK-SAME: test.wgmma = #gemm.mma<wgmma 64x256x16, warps = 8x1>
// CHECK-SAME: test.work = #gemm.work<tiles, raster = 8>
// CHECK-SAME: test.work_rows = #gemm.work<tiles>
func.func private @parts() attributes {
  test.tile = #gemm.tile<128x256x64>,
  test.fma = #gemm.mma<fma 1x1x1, warps = 32x1>,
  test.mma_sync = #gemm.mma<mma_sync 16x8x16, warps = 2x4>,
  test.wgmma = #gemm.mma<wgmma 64x256x16, warps = 8x1>,
  test.copy_registers = #gemm.copy<registers 2>,
  test.copy_async = #gemm.copy<cp_async 8>,
  test.copy_tma = #gemm.copy<tma 16>,
  test.bank_plain = #gemm.bank<plain>,
  test.bank_padded = #gemm.bank<padded 16>,
  test.bank_xor = #gemm.bank<xor>,
  test.bank_panel = #gemm.bank<panel 128>,
  test.pipeline = #gemm.pipeline<fragments = 2, stages = 4>,
  test.pipeline_in_flight = #gemm.pipeline<stages = 4, in_flight = 1>,
  test.pipeline_none = #gemm.pipeline<>,
  test.epilogue_registers = #gemm.epilogue<registers 4>,
  test.epilogue_staged = #gemm.epilogue<staged 16>,
  test.work = #gemm.work<tiles, raster = 8>,
  test.work_rows = #gemm.work<tiles>
}

// Parts that say nothing new are not printed; the others come in one order.
// CHECK-LABEL: @schedules
// CHECK-SAME: test.full = #gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>, copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], pipeline = <stages = 4, fragments = 2>, epilogue = <staged 16>, work = <tiles, raster = 8>>
// CHECK-SAME: test.least = #gemm.schedule<tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>, copy = [<registers 16>, <registers 4>], epilogue = <registers 4>>
// CHECK-SAME: test.named_parts = #gemm.schedule<tile = 128x256x64, mma = <wgmma 64x256x16, warps = 8x1>, copy = [<tma>, <registers 2>], bank = [<panel 128>, <panel 128>], pipeline = <stages = 4, in_flight = 1>, epilogue = <staged 16>>
func.func private @schedules() attributes {
  test.full = #gemm.schedule<work = <tiles, raster = 8>, epilogue = <staged 16>,
      pipeline = <stages = 4, fragments = 2>, bank = [<xor>, <xor>],
      copy = [<cp_async 16>, <cp_async 16>], mma = <mma_sync 16x8x16, warps = 2x4>,
      tile = 128x256x64>,
  test.least = #gemm.schedule<tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1>,
      copy = [<registers 16>, <registers 4>], bank = [<plain>, <plain>], pipeline = <stages = 1>,
      epilogue = <registers 4>, work = <tiles, raster = 1>>,
  test.named_parts = #gemm.schedule<tile = 128x256x64, mma = #gemm.mma<wgmma 64x256x16, warps = 8x1>,
      copy = [#gemm.copy<tma>, <registers 2>], bank = [<panel 128>, #gemm.bank<panel 128>],
      pipeline = #gemm.pipeline<stages = 4, in_flight = 1>, epilogue = #gemm.epilogue<staged 16>>
}

// CHECK-LABEL: @families
// CHECK-SAME: test.always = #gemm.guard<>
// CHECK-SAME: test.conditions = [#gemm.condition<align(B1) 4>, #gemm.condition<at_most(batch) 1>]
// CHECK-SAME: test.entry = #gemm.entry<when <[align(A) 16]> run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>, copy = [<registers 16>, <registers 4>], epilogue = <registers 4>>>
// CHECK-SAME: test.guard = #gemm.guard<[align(A) 16, pitch(D) 8, divisible(k) 8, at_most(m) 64, align(E0) 4]>
// CHECK-SAME: test.no_conditions = #gemm.guard<>
// CHECK-SAME: test.target = #gemm.target<"sm_90a">
func.func private @families() attributes {
  test.guard = #gemm.guard<[align(A) 16, pitch(D) 8, divisible(k) 8, at_most(m) 64, align(E0) 4]>,
  test.always = #gemm.guard<>,
  test.no_conditions = #gemm.guard<[]>,
  test.conditions = [#gemm.condition<align(B1) 4>, #gemm.condition<at_most(batch) 1>],
  test.entry = #gemm.entry<when <[align(A) 16]> run <tile = 32x32x32,
      mma = <fma 1x1x1, warps = 32x1>, copy = [<registers 16>, <registers 4>],
      epilogue = <registers 4>>>,
  test.target = #gemm.target<"sm_90a">
}

// CHECK-LABEL: @roles
// CHECK-SAME: test.roles = [#gemm.role<operand 0>, #gemm.role<extent "m">, #gemm.role<extent "batch">, #gemm.role<scalar 1>]
func.func private @roles() attributes {
  test.roles = [#gemm.role<operand 0>, #gemm.role<extent "m">, #gemm.role<extent "batch">,
                #gemm.role<scalar 1>]
}
