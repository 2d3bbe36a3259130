// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the TensorCore*.cpp files only.

#ifndef GEMM_EMULATOR_TENSOR_CORE_DETAIL_H
#define GEMM_EMULATOR_TENSOR_CORE_DETAIL_H

#include "TensorCore.h"

namespace gemm::emulator::detail {

/// The float format of a floating-point element type.
inline FloatFormat floatFormat(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return FloatFormat::F16;
  case ElementType::BF16:
    return FloatFormat::BF16;
  case ElementType::TF32:
    return FloatFormat::TF32;
  case ElementType::E4M3:
    return FloatFormat::E4M3;
  case ElementType::E5M2:
    return FloatFormat::E5M2;
  case ElementType::F64:
    return FloatFormat::F64;
  default:
    return FloatFormat::F32;
  }
}

/// The least exponent that a step aligns to: 7 below the accumulator format's
/// smallest, 2^-133 for f32 and 2^-21 for f16, as if a zero accumulator had it
/// (H200, measured: mma.sync tf32, wgmma bf16, tf32 and f16; no other
/// accumulator is as small, and few products are).
inline int zeroExponent(FloatFormat accumulator) {
  return 1 - formatInfo(accumulator).bias - 7;
}

inline bool isFp8(ElementType type) {
  return type == ElementType::E4M3 || type == ElementType::E5M2;
}

/// The IEEE addition, to nearest even, that ends an expanded instruction:
/// FADD for f32, HADD2 for f16. `type` is F16 or F32.
uint32_t addAccumulator(uint32_t sum, uint32_t c, ElementType cType,
                        ElementType type);

/// Floating-point tile by fused steps; arguments as TensorOperation::run.
void runFused(const TensorOperationSpec &spec, const TensorCoreModel &model,
              const uint32_t *a, const uint32_t *b, const uint32_t *c,
              uint32_t *d);

/// Tile of TensorExpansion::MultiplyAdds (f16, K = 4).
void runMultiplyAdds(const TensorOperationSpec &spec, const uint32_t *a,
                     const uint32_t *b, const uint32_t *c, uint32_t *d);

/// Integer tile (s8, u8, s4, u4 and single-bit).
void runInteger(const TensorOperationSpec &spec, const uint32_t *a,
                const uint32_t *b, const uint32_t *c, uint32_t *d);

/// f64 tile: per element a chain of fused multiply-adds in increasing k.
void runDouble(const TensorOperationSpec &spec, const uint64_t *a,
               const uint64_t *b, const uint64_t *c, uint64_t *d);

} // namespace gemm::emulator::detail

#endif // GEMM_EMULATOR_TENSOR_CORE_DETAIL_H
