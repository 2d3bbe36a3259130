// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar and warp instructions whose results the ISA defines: conversions,
// arithmetic, bit operations, shuffles and reductions; and the approximate
// ones with their documented error.
#ifndef GEMM_AGREEMENT_SCALARINSTRUCTION_H
#define GEMM_AGREEMENT_SCALARINSTRUCTION_H

#include "Outcome.h"

#include <string>
#include <vector>

namespace gemm::agreement {

/// How an operand is drawn and read.
struct ScalarOperand {
  enum Kind : uint8_t {
    Float,   ///< a value of `format`
    Packed,  ///< several values of `format` in one register
    Integer, ///< any bits, often small or extreme
    NonZero, ///< a divisor
    Lane     ///< 0 to 31
  } kind = Integer;
  emulator::FloatFormat format = emulator::FloatFormat::F32;
  unsigned bits = 32; ///< of the register
};

struct ScalarInstruction {
  /// PTX with $d for the result and $a, $b, $c for the operands.
  std::string text;
  ScalarOperand result;
  std::vector<ScalarOperand> operands;
  /// Documented error of an approximate instruction, doubled where both sides
  /// may err: ulps of the result, or an absolute difference.
  uint64_t allowedUlps = 0;
  double allowedDifference = 0;
};

std::vector<ScalarInstruction> conversionInstructions();
std::vector<ScalarInstruction> arithmeticInstructions();
std::vector<ScalarInstruction> bitInstructions();

// Operands by their PTX types.
inline ScalarOperand floatOperand(emulator::FloatFormat format) {
  const unsigned bits = emulator::formatInfo(format).storageBits;
  return {ScalarOperand::Float, format, bits};
}
inline ScalarOperand packedOperand(emulator::FloatFormat format) {
  const unsigned bits = emulator::formatInfo(format).storageBits;
  return {ScalarOperand::Packed, format, 2 * bits};
}
inline ScalarOperand integerOperand(unsigned bits) {
  return {ScalarOperand::Integer, emulator::FloatFormat::F32, bits};
}

} // namespace gemm::agreement

#endif // GEMM_AGREEMENT_SCALARINSTRUCTION_H
