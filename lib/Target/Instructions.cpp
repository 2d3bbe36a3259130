//===- Instructions.cpp - Multiply-accumulate instructions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources, by column. Shapes and types: PTX ISA, "Warp Level Matrix
// Multiply-Accumulate Instructions" (table "Matrix shapes"; mma.sync: row A,
// column B) and "Asynchronous Warpgroup Level Matrix Instructions" (table
// "Shape"). PTX version: the "PTX ISA Notes" of mma.sync, wgmma.mma_async and
// fma.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

namespace gemm::detail {

using enum InstructionKind;

llvm::ArrayRef<Instruction> getFmaInstructions() {
  static const Instruction table[] = {
      {Fma, 1, 1, 1, "f32", "f32", "f32", 20},
      {Fma, 1, 1, 1, "f32", "f16", "f32", 20},
      {Fma, 1, 1, 1, "f32", "bf16", "f32", 20},
      {Fma, 1, 1, 1, "f16", "f32", "f32", 20},
      {Fma, 1, 1, 1, "f16", "f16", "f32", 20},
      {Fma, 1, 1, 1, "f16", "bf16", "f32", 20},
      {Fma, 1, 1, 1, "bf16", "f32", "f32", 20},
      {Fma, 1, 1, 1, "bf16", "f16", "f32", 20},
      {Fma, 1, 1, 1, "bf16", "bf16", "f32", 20},
      {Fma, 1, 1, 1, "f64", "f64", "f64", 14},
  };
  return table;
}

llvm::ArrayRef<Instruction> getMmaSync75() {
  static const Instruction table[] = {
      {MmaSync, 16, 8, 8, "f16", "f16", "f32", 65},
      {MmaSync, 16, 8, 8, "f16", "f16", "f16", 65},
      {MmaSync, 8, 8, 16, "i8", "i8", "i32", 65},
  };
  return table;
}

llvm::ArrayRef<Instruction> getMmaSync80() {
  static const Instruction table[] = {
      {MmaSync, 16, 8, 16, "f16", "f16", "f32", 70},
      {MmaSync, 16, 8, 16, "f16", "f16", "f16", 70},
      {MmaSync, 16, 8, 16, "bf16", "bf16", "f32", 70},
      {MmaSync, 16, 8, 8, "bf16", "bf16", "f32", 70},
      {MmaSync, 16, 8, 8, "tf32", "tf32", "f32", 70},
      {MmaSync, 16, 8, 4, "tf32", "tf32", "f32", 70},
      {MmaSync, 16, 8, 32, "i8", "i8", "i32", 70},
      {MmaSync, 16, 8, 16, "i8", "i8", "i32", 70},
      {MmaSync, 8, 8, 4, "f64", "f64", "f64", 70},
  };
  return table;
}

llvm::ArrayRef<Instruction> getMmaSync89() {
  static const Instruction table[] = {
      {MmaSync, 16, 8, 32, "f8E4M3FN", "f8E4M3FN", "f32", 84},
      {MmaSync, 16, 8, 32, "f8E4M3FN", "f8E5M2", "f32", 84},
      {MmaSync, 16, 8, 32, "f8E5M2", "f8E4M3FN", "f32", 84},
      {MmaSync, 16, 8, 32, "f8E5M2", "f8E5M2", "f32", 84},
      {MmaSync, 16, 8, 32, "f8E4M3FN", "f8E4M3FN", "f16", 87},
      {MmaSync, 16, 8, 32, "f8E4M3FN", "f8E5M2", "f16", 87},
      {MmaSync, 16, 8, 32, "f8E5M2", "f8E4M3FN", "f16", 87},
      {MmaSync, 16, 8, 32, "f8E5M2", "f8E5M2", "f16", 87},
  };
  return table;
}

llvm::ArrayRef<Instruction> getMmaSync90() {
  static const Instruction table[] = {
      {MmaSync, 16, 8, 4, "f64", "f64", "f64", 78},
      {MmaSync, 16, 8, 8, "f64", "f64", "f64", 78},
      {MmaSync, 16, 8, 16, "f64", "f64", "f64", 78},
  };
  return table;
}

llvm::ArrayRef<Instruction> getWgmma90() {
  static const Instruction table[] = {
      {Wgmma, 64, 256, 16, "f16", "f16", "f32", 80},
      {Wgmma, 64, 256, 16, "f16", "f16", "f16", 80},
      {Wgmma, 64, 256, 16, "bf16", "bf16", "f32", 80},
      {Wgmma, 64, 256, 8, "tf32", "tf32", "f32", 80},
      {Wgmma, 64, 256, 32, "f8E4M3FN", "f8E4M3FN", "f32", 80},
      {Wgmma, 64, 256, 32, "f8E4M3FN", "f8E5M2", "f32", 80},
      {Wgmma, 64, 256, 32, "f8E5M2", "f8E4M3FN", "f32", 80},
      {Wgmma, 64, 256, 32, "f8E5M2", "f8E5M2", "f32", 80},
      {Wgmma, 64, 256, 32, "f8E4M3FN", "f8E4M3FN", "f16", 80},
      {Wgmma, 64, 256, 32, "f8E4M3FN", "f8E5M2", "f16", 80},
      {Wgmma, 64, 256, 32, "f8E5M2", "f8E4M3FN", "f16", 80},
      {Wgmma, 64, 256, 32, "f8E5M2", "f8E5M2", "f16", 80},
      {Wgmma, 64, 256, 32, "i8", "i8", "i32", 80},
  };
  return table;
}

} // namespace gemm::detail
