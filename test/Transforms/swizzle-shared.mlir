// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(gpu.module(gemm.kernel(gemm-swizzle-shared)))'
// RUN: gemm-opt %s %{pipeline} | FileCheck %s
// RUN: %if plugin %{ %plugin-opt %s %{pipeline} | FileCheck %s %}

// An element is at line * pitch + position * its size; the XOR adds `xor_bits` bits from bit
// `xor_source` up to those from bit 4 up, that is, it exchanges the 16-byte chunks of a line.
// Shared memory has 32 banks of 4 bytes: a bank row is 128 bytes, or eight chunks.

#schedule_xor = #gemm.schedule<tile = 64x64x64, mma = <mma_sync 16x8x16, warps = 1x1>,
                               copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <padded 16>],
                               epilogue = <staged 16>>
#schedule_panel = #gemm.schedule<tile = 64x64x128, mma = <wgmma 64x64x16, warps = 4x1>,
                                 copy = [<tma>, <tma>], bank = [<panel 128>, <panel 64>],
                                 epilogue = <staged 16>>
#schedule_plain = #gemm.schedule<tile = 64x64x128, mma = <mma_sync 16x8x16, warps = 1x1>,
                                 copy = [<cp_async 16>, <cp_async 16>], bank = [<plain>, <xor>],
                                 epilogue = <staged 16>>

gpu.module @kernels {
  // CHECK-LABEL: gemm.kernel @xor_and_padded(
  gemm.kernel @xor_and_padded() attributes {schedule = #schedule_xor} {
    // Lines of 128 bytes are a bank row each: chunk ^= line & 7, so that eight lines of one
    // chunk column fall in different banks. Bits 7 to 9 of the offset are the line's low bits.
    // CHECK-NEXT: gemm.alloc_shared "a" : <64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    %a = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row>
    // Along the other dimension the lines are columns.
    // CHECK-NEXT: gemm.alloc_shared "a" : <64x16xf16, col, <panel = 64, pitch = 128, xor_bits = 3>>
    %col = gemm.alloc_shared "a" : !gemm.shared<64x16xf16, col>
    // Lines of 256 bytes: the line's low bits are bits 8 to 10.
    // CHECK-NEXT: gemm.alloc_shared "a" : <64x64xf32, row, <panel = 64, pitch = 256, xor_bits = 3, xor_source = 8>>
    %wide = gemm.alloc_shared "a" : !gemm.shared<64x64xf32, row>
    // Two lines of 64 bytes share a bank row, and exchange their four chunks alike: chunk ^=
    // (line / 2) & 3. Four lines of 32 bytes: chunk ^= (line / 4) & 1.
    // CHECK-NEXT: gemm.alloc_shared "a" : <64x32xf16, row, <panel = 32, pitch = 64, xor_bits = 2>>
    // CHECK-NEXT: gemm.alloc_shared "a" : <64x16xf16, row, <panel = 16, pitch = 32, xor_bits = 1>>
    %half = gemm.alloc_shared "a" : !gemm.shared<64x32xf16, row>
    %quarter = gemm.alloc_shared "a" : !gemm.shared<64x16xf16, row>
    // B's scheme is its own: 128 bytes of elements, 16 of padding.
    // CHECK-NEXT: gemm.alloc_shared "b" : <64x64xf16, row, <panel = 64, pitch = 144>>
    %b = gemm.alloc_shared "b" : !gemm.shared<64x64xf16, row>
    gemm.return
  }

  // What TMA writes and wgmma reads (PTX ISA, "Swizzling modes"): panels as wide as the
  // swizzle, one after the other. In SWIZZLE_128B chunk ^= line & 7, in SWIZZLE_64B chunk ^=
  // (line / 2) & 3: always from bit 7 up.
  // CHECK-LABEL: gemm.kernel @panels(
  // CHECK-NEXT: gemm.alloc_shared "a" : <64x128xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
  // CHECK-NEXT: gemm.alloc_shared "b" : <64x128xbf16, row, <panel = 32, pitch = 64, xor_bits = 2>>
  gemm.kernel @panels() attributes {schedule = #schedule_panel} {
    %a = gemm.alloc_shared "a" : !gemm.shared<64x128xbf16, row>
    %b = gemm.alloc_shared "b" : !gemm.shared<64x128xbf16, row>
    gemm.return
  }

  // CHECK-LABEL: gemm.kernel @plain(
  // CHECK-NEXT: gemm.alloc_shared "a" : <64x128xf16, row, <panel = 128, pitch = 256>>
  gemm.kernel @plain() attributes {schedule = #schedule_plain} {
    %a = gemm.alloc_shared "a" : !gemm.shared<64x128xf16, row>
    gemm.return
  }

  // A staged result follows no scheme of the schedule: XOR where its lines are a power of two,
  // 16 bytes of padding where they are not. Here 48 + 16 bytes.
  // CHECK-LABEL: gemm.kernel @staged(
  // CHECK-NEXT: gemm.alloc_shared "result" : <64x64xf32, row, <panel = 64, pitch = 256, xor_bits = 3, xor_source = 8>>
  // CHECK-NEXT: gemm.alloc_shared "result" : <64x24xf16, row, <panel = 24, pitch = 64>>
  gemm.kernel @staged() {
    %d = gemm.alloc_shared "result" : !gemm.shared<64x64xf32, row>
    %e = gemm.alloc_shared "result" : !gemm.shared<64x24xf16, row>
    gemm.return
  }

  // A layout that is already there wins; what is no allocation stays.
  // CHECK-LABEL: gemm.kernel @laid_out(
  // CHECK: gemm.alloc_shared "a" : <64x64xf16, row, <panel = 64, pitch = 160>, stages = 2>
  // CHECK-NEXT: gemm.zero : !gemm.tile<64x64xf32>
  gemm.kernel @laid_out() attributes {schedule = #schedule_xor} {
    %a = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row, <panel = 64, pitch = 160>, stages = 2>
    %t = gemm.zero : !gemm.tile<64x64xf32>
    gemm.return
  }

  // Everything that names the tile follows its layout.
  // CHECK-LABEL: gemm.kernel @users(
  // CHECK: %[[S:.*]] = gemm.alloc_shared
  // CHECK-NEXT: gemm.copy_start %{{.*}} to %[[S]] <cp_async 16> : !gemm.view<?x?xf16, row> -> <64x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
  gemm.kernel @users(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>},
                     %n: i32 {gemm.role = #gemm.role<extent "n">}) attributes {schedule = #schedule_xor} {
    %a = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row>
    %t = gemm.copy_start %A[%n, %n] within [%n, %n] to %a <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<64x64xf16, row>
    gemm.return
  }
}
