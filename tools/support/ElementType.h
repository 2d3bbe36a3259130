// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of matrices on the host: their names, sizes and conversions.
// Formats: IEEE 754-2019 (f16, f32, f64), bfloat16 and tf32 of the PTX ISA
// ("Alternate Floating-Point Data Formats"), OCP 8-bit Floating Point
// Specification 1.0 (e4m3, e5m2).
#ifndef GEMM_TOOLS_SUPPORT_ELEMENTTYPE_H
#define GEMM_TOOLS_SUPPORT_ELEMENTTYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gemm::tools {

// TF32 is stored as an f32 whose low 13 fraction bits are zero.
enum class ElementType : uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  S8,
  S32
};

// Shape of a floating-point format. A value is
// (-1)^s * 1.f * 2^(e - bias) with bias = 2^(exponentBits - 1) - 1.
struct FloatFormat {
  int exponentBits;
  int fractionBits;
  // e4m3 has no infinities and one NaN per sign: all ones.
  bool infinities;
  double largest;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int smallestExponent() const { return 1 - bias(); }
};

// The type that `name` spells: ours ("e4m3", "s8", "tf32") or MLIR's
// ("f8E4M3FN", "i8").
std::optional<ElementType> parseElementType(std::string_view name);
// Our spelling.
std::string_view elementTypeName(ElementType type);
// All names, for messages: "f16, bf16, ...".
std::string elementTypeNames();

// Bytes in memory.
size_t elementSize(ElementType type);
bool isFloat(ElementType type);
// Only for floating-point types.
const FloatFormat &floatFormat(ElementType type);

// Value of the lowest elementSize(type) bytes of `bits`.
double decodeElement(ElementType type, uint64_t bits);
// Nearest value of the type, ties to even. Beyond the largest finite value:
// infinity, or NaN for e4m3. Integers: nearest, saturated.
uint64_t encodeElement(ElementType type, double value);
// decodeElement(encodeElement(value)).
double roundToElement(ElementType type, double value);

// Half the distance between neighbours of the format around `value`: the
// largest error of rounding it. 0 for integer types.
double halfUlp(ElementType type, double value);
// The smallest magnitude that rounds beyond the largest finite value.
double overflowThreshold(ElementType type);

// What results are filled with before a run: NaN where the type has one,
// otherwise an unlikely number. Negative, so that no device's canonical NaN and
// no NaN of an input is taken for it.
uint64_t poisonBits(ElementType type);
// The same for the surroundings of inputs: different bits.
uint64_t inputPoisonBits(ElementType type);

uint64_t loadBits(ElementType type, const std::byte *address);
void storeBits(ElementType type, std::byte *address, uint64_t bits);

// Decodes `count` elements, `stride` elements apart.
void decodeElements(ElementType type, const std::byte *source, int64_t stride,
                    int64_t count, double *result);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_ELEMENTTYPE_H
