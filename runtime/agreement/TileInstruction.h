// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensor instructions of sm_75 .. sm_90 as a list, and a kernel for each:
// a warp (a warpgroup for wgmma) loads the operands of one tile, executes the
// instruction once and stores D.
#ifndef GEMM_AGREEMENT_TILEINSTRUCTION_H
#define GEMM_AGREEMENT_TILEINSTRUCTION_H

#include "MatrixDescriptor.h"
#include "TensorCore.h"

#include <string>
#include <vector>

namespace gemm::agreement {

/// One instruction with all its qualifiers.
struct TileInstruction {
  emulator::FragmentFamily family = emulator::FragmentFamily::MmaSync;
  emulator::MmaShape shape;
  emulator::ElementType a, b, c, d;
  bool saturate = false; ///< .satfinite
  emulator::BitOperation bitOperation = emulator::BitOperation::Xor;
  std::string rounding;      ///< wmma f64: "rn" ..., or empty
  bool columnMajorA = false; ///< mma.m8n8k4 with f16 multiplicands only
  bool columnMajorB = false;
  // wgmma
  bool registersA = false; ///< A from registers
  bool negateA = false, negateB = false;
  bool accumulate = true; ///< scale-d
  emulator::MajorMode majorA = emulator::MajorMode::K;
  emulator::MajorMode majorB = emulator::MajorMode::K;
  emulator::DescriptorSwizzle swizzle = emulator::DescriptorSwizzle::None;
  /// Bytes from a 1024-byte boundary to the start of both operands.
  unsigned startOffset = 0;
  /// Whether the descriptors' base offset makes the swizzle pattern start
  /// there.
  bool baseOffset = false;

  /// mma.m8n8k4 on f16: four products in one instruction.
  bool isQuad() const;
  bool isWgmma() const { return family == emulator::FragmentFamily::Wgmma; }
  /// The opcode as PTX writes it.
  std::string opcode() const;
  /// The opcode and whatever else distinguishes it in the list.
  std::string name() const;

  /// Fragments; for wgmma `aFragment` only with A in registers. Null for an
  /// operand that comes from memory.
  const emulator::FragmentMap *aFragment() const;
  const emulator::FragmentMap *bFragment() const;
  const emulator::FragmentMap *accumulator(emulator::ElementType type) const;

  /// Extents of the matrices of a tile: those of the shape, except that a quad
  /// stacks its four products (see quadPairFragment).
  unsigned rows() const { return isQuad() ? 32 : shape.m; }
  unsigned columns() const { return isQuad() ? 32 : shape.n; }
  unsigned accumulatorColumns() const { return shape.n; }
};

/// All instructions, the most important first.
std::vector<TileInstruction> tileInstructions();

/// Where the operands of one tile lie in its four blocks of global memory.
struct TileLayout {
  size_t aBytes = 0, bBytes = 0, cBytes = 0, dBytes = 0;
  unsigned threads = 32; ///< per tile
  size_t sharedBytes = 0;
  /// wgmma: descriptors without the start address.
  uint64_t descriptorA = 0, descriptorB = 0;
};
TileLayout tileLayout(const TileInstruction &instruction);

/// PTX with the entry "tiles"(u64 a, u64 b, u64 c, u64 d, u32 count).
std::string tilePtx(const TileInstruction &instruction);

/// CTAs of 128 threads for `count` tiles.
unsigned tileCtas(const TileInstruction &instruction, unsigned count);

} // namespace gemm::agreement

#endif // GEMM_AGREEMENT_TILEINSTRUCTION_H
