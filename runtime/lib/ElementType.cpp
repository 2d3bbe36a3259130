// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementType.h"
#include "Error.h"

#include <bit>
#include <cmath>

using namespace gemm::runtime;

namespace {
struct TypeRow {
  const char *name;
  uint32_t bytes;
};
} // namespace

// In the order of ElementType.
static constexpr TypeRow typeTable[] = {
    {"f64", 8},  {"f32", 4},      {"tf32", 4},   {"f16", 2},
    {"bf16", 2}, {"f8E4M3FN", 1}, {"f8E5M2", 1}, {"i32", 4},
    {"i8", 1},   {"si8", 1},      {"ui8", 1}};

std::optional<ElementType>
gemm::runtime::parseElementType(std::string_view name) {
  for (size_t i = 0; i < std::size(typeTable); ++i)
    if (name == typeTable[i].name)
      return static_cast<ElementType>(i);
  return std::nullopt;
}

const char *gemm::runtime::elementTypeName(ElementType type) {
  return typeTable[static_cast<size_t>(type)].name;
}

uint32_t gemm::runtime::elementBytes(ElementType type) {
  return typeTable[static_cast<size_t>(type)].bytes;
}

std::string gemm::runtime::elementTypeNames() {
  std::string names;
  for (const TypeRow &row : typeTable)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

bool gemm::runtime::isScalarType(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::F32:
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::I32:
    return true;
  default:
    return false;
  }
}

/// IEEE 754 binary format with the given fields, one rounding from double.
static uint64_t encodeFloat(double value, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  const uint64_t infinity = ((uint64_t(1) << exponentBits) - 1) << mantissaBits;
  const uint64_t sign = uint64_t(std::signbit(value))
                        << (exponentBits + mantissaBits);
  if (std::isnan(value))
    return sign | infinity | (uint64_t(1) << (mantissaBits - 1));
  if (std::isinf(value))
    return sign | infinity;
  if (value == 0)
    return sign;
  // value = fraction * 2^exponent with fraction in [1, 2); subnormals share the
  // smallest exponent.
  int exponent = std::max(std::ilogb(value), 1 - bias);
  // Units of the last place: an exact scaling, then one rounding (to even, the
  // default mode). Carries into the exponent field are what IEEE asks for.
  double units =
      std::nearbyint(std::ldexp(std::fabs(value), mantissaBits - exponent));
  uint64_t bits = static_cast<uint64_t>(units);
  if (bits >> mantissaBits)
    bits += uint64_t(exponent + bias - 1) << mantissaBits;
  return sign | std::min(bits, infinity);
}

uint64_t gemm::runtime::convertScalar(double value, ElementType type) {
  switch (type) {
  case ElementType::F64:
    return std::bit_cast<uint64_t>(value);
  case ElementType::F32:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  case ElementType::F16:
    return encodeFloat(value, 5, 10);
  case ElementType::BF16:
    return encodeFloat(value, 8, 7);
  case ElementType::I32:
    if (!(value >= INT32_MIN && value <= INT32_MAX) ||
        value != std::trunc(value))
      throw Error(GEMM_ERROR_INVALID_ARGUMENT,
                  std::to_string(value) + " is not a 32-bit integer");
    return static_cast<uint32_t>(static_cast<int32_t>(value));
  default:
    throw Error(GEMM_ERROR_INTERNAL,
                std::string(elementTypeName(type)) + " is no scalar type");
  }
}
