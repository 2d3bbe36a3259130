// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types that an artifact may name, by their MLIR spelling.
#ifndef GEMM_RUNTIME_ELEMENTTYPE_H
#define GEMM_RUNTIME_ELEMENTTYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gemm::runtime {

enum class ElementType : uint8_t {
  F64,
  F32,
  TF32,
  F16,
  BF16,
  F8E4M3FN,
  F8E5M2,
  I32,
  I8,
  SI8,
  UI8
};

std::optional<ElementType> parseElementType(std::string_view name);
const char *elementTypeName(ElementType type);
/// In memory: tf32 is stored as f32.
uint32_t elementBytes(ElementType type);
/// All names, for error messages.
std::string elementTypeNames();

/// Whether `convertScalar` can produce this type.
bool isScalarType(ElementType type);

/// The bits of `value` in a scalar type, rounded to nearest even. Throws Error
/// if an integer type cannot hold it.
uint64_t convertScalar(double value, ElementType type);

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_ELEMENTTYPE_H
