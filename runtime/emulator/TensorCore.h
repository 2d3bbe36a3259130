// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit-accurate model of the arithmetic of NVIDIA tensor cores: D = A * B + C
// for the tile of one instruction.
//
// A fused step over L products keeps every product exact, aligns all terms
// (the products and the accumulator) to the largest exponent among them,
// truncates each toward zero to F fractional bits, adds them exactly, and
// normalises the sum to the output type. L and F depend on the device family,
// the instruction and the type; see tensorCoreModel(). Sources: "MMA-Sim:
// Bit-Accurate Reference Model of Tensor Cores and Matrix Cores" (arXiv
// 2511.10909), "Accurate Models of NVIDIA Tensor Cores" (arXiv 2512.07004),
// "Numerical behavior of NVIDIA tensor cores" (PeerJ CS 7:e330).

#ifndef GEMM_EMULATOR_TENSOR_CORE_H
#define GEMM_EMULATOR_TENSOR_CORE_H

#include "FloatFormats.h"
#include "Fragments.h"

#include <optional>
#include <string>

namespace gemm::emulator {

/// Generation of the tensor core.
enum class TensorCoreFamily : uint8_t {
  Volta,    ///< sm_70, sm_72
  Turing,   ///< sm_75
  Ampere,   ///< sm_80 .. sm_88
  Ada,      ///< sm_89
  Hopper,   ///< sm_90
  Blackwell ///< sm_100 and above
};

/// The family of compute capability sm_`architecture` (90 for sm_90a).
TensorCoreFamily tensorCoreFamily(unsigned architecture);

/// wmma.mma counts as MmaSync: it is the same unit.
enum class TensorInstruction : uint8_t { MmaSync, Wgmma };

/// What the assembler makes of an instruction that the unit does not have.
enum class TensorExpansion : uint8_t {
  None,
  /// An fp8 mma.sync on sm_90: operands are widened to f16, the
  /// products with k mod 4 in {0, 1} form the first fused step and those in
  /// {2, 3} the second, the first starts from zero, and C is added at the end
  /// by an IEEE addition of the accumulator's type (FADD or HADD2).
  Fp8ToF16,
  /// mma.m8n8k4 with f16 multiplicands from sm_80 on: f32 arithmetic rounded
  /// to nearest. With an f32 result, fma(a3, b3, fma(a2, b2, fma(a1, b1,
  /// a0*b0))) + C; with f16 accumulators, (C + fma(a1, b1, a0*b0)) + fma(a3,
  /// b3, a2*b2), rounded to f16 once.
  MultiplyAdds
};

/// How one (device family, instruction, type) adds.
struct TensorCoreModel {
  unsigned fractionBits = 0; ///< F: bits kept below the largest exponent
  unsigned stepLength = 0;   ///< L: products per fused step
  TensorExpansion expansion = TensorExpansion::None;
  /// Fraction bits of an f32 result: 23, or 13 for the fp8 accumulators.
  unsigned resultFractionBits = 23;
  /// Where the row comes from: a paper, or the assembler's expansion.
  const char *source = "";
};

/// The model for an instruction on floating-point multiplicands other than f64.
/// Empty, with `error` set, for a type that the family does not have.
std::optional<TensorCoreModel>
tensorCoreModel(TensorCoreFamily family, TensorInstruction instruction,
                ElementType multiplicand, MmaShape shape, std::string *error);

/// Logic operation of a single-bit product.
enum class BitOperation : uint8_t { Xor, And };

/// One tensor instruction, as PTX states it.
struct TensorOperationSpec {
  TensorCoreFamily family = TensorCoreFamily::Hopper;
  TensorInstruction instruction = TensorInstruction::MmaSync;
  MmaShape shape;
  ElementType aType = ElementType::F16;
  ElementType bType = ElementType::F16;
  ElementType cType = ElementType::F32;
  ElementType dType = ElementType::F32;
  bool saturate = false; ///< .satfinite of an integer accumulator
  BitOperation bitOperation = BitOperation::Xor; ///< b1 only
  Rounding rounding = Rounding::NearestEven;     ///< f64 only
  bool negateA = false;                          ///< imm-scale-a = -1 of wgmma
  bool negateB = false;                          ///< imm-scale-b = -1 of wgmma
};

/// A tensor instruction ready to run. Immutable and cheap to copy; run() may be
/// called from several threads at once.
class TensorOperation {
public:
  /// Checks the combination of types and looks up the model. Empty, with
  /// `error` set, for a combination that the hardware does not have.
  static std::optional<TensorOperation> create(const TensorOperationSpec &spec,
                                               std::string *error);

  /// D = A * B + C on raw element bits, one element per entry: `a` is M x K
  /// and `b` is K x N, `c` and `d` are M x N, all row-major (b: n varies
  /// fastest). Without `c` the accumulator is zero (wgmma scale-d = false).
  /// `d` may be `c`. Not for f64.
  void run(const uint32_t *a, const uint32_t *b, const uint32_t *c,
           uint32_t *d) const;

  /// The same for f64 multiplicands and accumulators.
  void run(const uint64_t *a, const uint64_t *b, const uint64_t *c,
           uint64_t *d) const;

  const TensorOperationSpec &spec() const { return operation; }
  /// The model used; meaningless for integer and f64 operations.
  const TensorCoreModel &model() const { return arithmetic; }

private:
  TensorOperation() = default;

  TensorOperationSpec operation;
  TensorCoreModel arithmetic;
};

/// One fused step on exact integers, written as the definition reads: the slow
/// path for special values, and what the fast path is tested against. `a` and
/// `b` are `length` raw elements; returns the bits of a `dType` (F16 or F32).
uint32_t fusedStepReference(const TensorCoreModel &model, ElementType aType,
                            ElementType bType, ElementType cType,
                            ElementType dType, const uint32_t *a,
                            const uint32_t *b, unsigned length, uint32_t c);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_TENSOR_CORE_H
