// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementType.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace gemm::tools {
namespace {

struct TypeRow {
  ElementType type;
  std::string_view name;
  std::string_view mlirName;
  size_t size;
  uint64_t poison;
};

constexpr std::array<TypeRow, 9> typeTable = {{
    {ElementType::F16, "f16", "f16", 2, 0xfe5a},
    {ElementType::BF16, "bf16", "bf16", 2, 0xffda},
    {ElementType::TF32, "tf32", "tf32", 4, 0xffda6000},
    {ElementType::F32, "f32", "f32", 4, 0xffda5a5a},
    {ElementType::F64, "f64", "f64", 8, 0xfffa5a5a5a5a5a5a},
    {ElementType::E4M3, "e4m3", "f8E4M3FN", 1, 0xff},
    {ElementType::E5M2, "e5m2", "f8E5M2", 1, 0xfe},
    {ElementType::S8, "s8", "i8", 1, 0xa5},
    {ElementType::S32, "s32", "i32", 4, 0xa5a5a5a5},
}};

const TypeRow &row(ElementType type) {
  return typeTable[static_cast<size_t>(type)];
}

constexpr FloatFormat f16Format{5, 10, true, 65504.0};
constexpr FloatFormat bf16Format{8, 7, true, 0x1.fep127};
constexpr FloatFormat tf32Format{8, 10, true, 0x1.ffcp127};
constexpr FloatFormat f32Format{8, 23, true, 0x1.fffffep127};
constexpr FloatFormat f64Format{11, 52, true,
                                std::numeric_limits<double>::max()};
constexpr FloatFormat e4m3Format{4, 3, false, 448.0};
constexpr FloatFormat e5m2Format{5, 2, true, 57344.0};

// Bits of a format narrower than double.
double decodeFloat(const FloatFormat &format, uint64_t bits) {
  int fractionBits = format.fractionBits;
  uint64_t fraction = bits & ((uint64_t{1} << fractionBits) - 1);
  uint64_t exponentMask = (uint64_t{1} << format.exponentBits) - 1;
  uint64_t exponent = (bits >> fractionBits) & exponentMask;
  bool negative = (bits >> (fractionBits + format.exponentBits)) & 1;
  double magnitude;
  if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction),
                           format.smallestExponent() - fractionBits);
  } else if (exponent == exponentMask && format.infinities) {
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  } else if (exponent == exponentMask && !format.infinities &&
             fraction == (uint64_t{1} << fractionBits) - 1) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else {
    uint64_t wide = (exponent - format.bias() + 1023) << 52 |
                    fraction << (52 - fractionBits);
    magnitude = std::bit_cast<double>(wide);
  }
  return negative ? -magnitude : magnitude;
}

// The format's bits, right-aligned; `value` may be anything.
uint64_t encodeFloat(const FloatFormat &format, double value) {
  int fractionBits = format.fractionBits;
  uint64_t wide = std::bit_cast<uint64_t>(value);
  uint64_t sign = (wide >> 63) << (fractionBits + format.exponentBits);
  uint64_t allOnes = ((uint64_t{1} << format.exponentBits) - 1) << fractionBits;
  uint64_t nan =
      allOnes | (format.infinities ? uint64_t{1} << (fractionBits - 1)
                                   : (uint64_t{1} << fractionBits) - 1);
  uint64_t beyond = format.infinities ? allOnes : nan;
  if (std::isnan(value))
    return sign | nan;
  if (std::isinf(value))
    return sign | beyond;

  int exponent = static_cast<int>((wide >> 52) & 0x7ff) - 1023;
  uint64_t significand = wide & ((uint64_t{1} << 52) - 1);
  if (exponent == -1023) // Zero or a subnormal double.
    exponent = -1022;
  else
    significand |= uint64_t{1} << 52;
  int shift = 52 - fractionBits;
  if (exponent < format.smallestExponent()) {
    shift += format.smallestExponent() - exponent;
    exponent = format.smallestExponent();
  }
  if (shift > 54)
    return sign;
  if (shift > 0) {
    uint64_t odd = (significand >> shift) & 1;
    significand =
        (significand + (uint64_t{1} << (shift - 1)) - 1 + odd) >> shift;
  }
  // A carry out of the fraction increments the exponent field, as it should.
  uint64_t hidden = uint64_t{1} << fractionBits;
  uint64_t result =
      significand < hidden
          ? significand
          : (static_cast<uint64_t>(exponent + format.bias()) << fractionBits) +
                (significand - hidden);
  uint64_t largest = format.infinities ? allOnes - 1 : nan - 1;
  return sign | (result > largest ? beyond : result);
}

template <typename Int> uint64_t encodeInteger(double value) {
  if (std::isnan(value))
    return 0;
  double lowest = std::numeric_limits<Int>::min();
  double highest = std::numeric_limits<Int>::max();
  double rounded = std::nearbyint(std::clamp(value, lowest, highest));
  using Unsigned = std::make_unsigned_t<Int>;
  return static_cast<Unsigned>(static_cast<Int>(rounded));
}

template <typename T, typename Decode>
void decodeStrided(const std::byte *source, int64_t stride, int64_t count,
                   double *result, Decode decode) {
  for (int64_t i = 0; i < count; ++i) {
    T raw;
    std::memcpy(&raw, source + i * stride * static_cast<int64_t>(sizeof(T)),
                sizeof(T));
    result[i] = decode(raw);
  }
}

double bf16ToDouble(uint16_t raw) {
  return std::bit_cast<float>(static_cast<uint32_t>(raw) << 16);
}

// f16 through an f32 whose exponent is rescaled: exact, and free of branches
// except for the specials.
double f16ToDouble(uint16_t raw) {
  uint32_t shifted = static_cast<uint32_t>(raw & 0x7fff) << 13;
  if ((raw & 0x7c00) == 0x7c00)
    return decodeFloat(f16Format, raw);
  float magnitude = std::bit_cast<float>(shifted) * 0x1p112f;
  return raw & 0x8000 ? -magnitude : magnitude;
}

} // namespace

std::optional<ElementType> parseElementType(std::string_view name) {
  for (const TypeRow &candidate : typeTable)
    if (name == candidate.name || name == candidate.mlirName)
      return candidate.type;
  if (name == "si8")
    return ElementType::S8;
  if (name == "si32")
    return ElementType::S32;
  return std::nullopt;
}

std::string_view elementTypeName(ElementType type) { return row(type).name; }

std::string elementTypeNames() {
  std::string names;
  for (const TypeRow &candidate : typeTable) {
    if (!names.empty())
      names += ", ";
    names += candidate.name;
  }
  return names;
}

size_t elementSize(ElementType type) { return row(type).size; }

bool isFloat(ElementType type) {
  return type != ElementType::S8 && type != ElementType::S32;
}

const FloatFormat &floatFormat(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return f16Format;
  case ElementType::BF16:
    return bf16Format;
  case ElementType::TF32:
    return tf32Format;
  case ElementType::F64:
    return f64Format;
  case ElementType::E4M3:
    return e4m3Format;
  case ElementType::E5M2:
    return e5m2Format;
  default:
    return f32Format;
  }
}

double decodeElement(ElementType type, uint64_t bits) {
  switch (type) {
  case ElementType::F64:
    return std::bit_cast<double>(bits);
  case ElementType::F32:
  case ElementType::TF32:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  case ElementType::F16:
    return f16ToDouble(static_cast<uint16_t>(bits));
  case ElementType::BF16:
    return bf16ToDouble(static_cast<uint16_t>(bits));
  case ElementType::E4M3:
  case ElementType::E5M2:
    return decodeFloat(floatFormat(type), bits & 0xff);
  case ElementType::S8:
    return static_cast<int8_t>(bits);
  case ElementType::S32:
    return static_cast<int32_t>(bits);
  }
  return 0;
}

uint64_t encodeElement(ElementType type, double value) {
  switch (type) {
  case ElementType::F64:
    return std::bit_cast<uint64_t>(value);
  case ElementType::F32:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  case ElementType::TF32:
    return encodeFloat(tf32Format, value) << 13;
  case ElementType::S8:
    return encodeInteger<int8_t>(value);
  case ElementType::S32:
    return encodeInteger<int32_t>(value);
  default:
    return encodeFloat(floatFormat(type), value);
  }
}

double roundToElement(ElementType type, double value) {
  return decodeElement(type, encodeElement(type, value));
}

double halfUlp(ElementType type, double value) {
  if (!isFloat(type))
    return 0;
  const FloatFormat &format = floatFormat(type);
  double magnitude = std::abs(value);
  int exponent = format.smallestExponent();
  if (std::isfinite(magnitude) && magnitude > 0)
    exponent = std::max(exponent, std::ilogb(magnitude));
  return std::ldexp(1.0, exponent - format.fractionBits - 1);
}

double overflowThreshold(ElementType type) {
  switch (type) {
  case ElementType::S8:
    return 127.5;
  case ElementType::S32:
    return 2147483647.5;
  case ElementType::F64:
    return std::numeric_limits<double>::infinity();
  default:
    return floatFormat(type).largest + halfUlp(type, floatFormat(type).largest);
  }
}

uint64_t poisonBits(ElementType type) { return row(type).poison; }

uint64_t inputPoisonBits(ElementType type) {
  return row(type).poison ^ (uint64_t{1} << (8 * row(type).size - 1));
}

uint64_t loadBits(ElementType type, const std::byte *address) {
  uint64_t bits = 0;
  static_assert(std::endian::native == std::endian::little);
  switch (elementSize(type)) {
  case 1:
    std::memcpy(&bits, address, 1);
    break;
  case 2:
    std::memcpy(&bits, address, 2);
    break;
  case 4:
    std::memcpy(&bits, address, 4);
    break;
  default:
    std::memcpy(&bits, address, 8);
    break;
  }
  return bits;
}

void storeBits(ElementType type, std::byte *address, uint64_t bits) {
  switch (elementSize(type)) {
  case 1:
    std::memcpy(address, &bits, 1);
    break;
  case 2:
    std::memcpy(address, &bits, 2);
    break;
  case 4:
    std::memcpy(address, &bits, 4);
    break;
  default:
    std::memcpy(address, &bits, 8);
    break;
  }
}

void decodeElements(ElementType type, const std::byte *source, int64_t stride,
                    int64_t count, double *result) {
  switch (type) {
  case ElementType::F16:
    return decodeStrided<uint16_t>(source, stride, count, result, f16ToDouble);
  case ElementType::BF16:
    return decodeStrided<uint16_t>(source, stride, count, result, bf16ToDouble);
  case ElementType::F32:
  case ElementType::TF32:
    return decodeStrided<float>(source, stride, count, result,
                                [](float raw) { return double{raw}; });
  case ElementType::F64:
    return decodeStrided<double>(source, stride, count, result,
                                 [](double raw) { return raw; });
  case ElementType::S8:
    return decodeStrided<int8_t>(source, stride, count, result,
                                 [](int8_t raw) { return double(raw); });
  case ElementType::S32:
    return decodeStrided<int32_t>(source, stride, count, result,
                                  [](int32_t raw) { return double(raw); });
  case ElementType::E4M3:
  case ElementType::E5M2: {
    const FloatFormat &format = floatFormat(type);
    return decodeStrided<uint8_t>(
        source, stride, count, result,
        [&format](uint8_t raw) { return decodeFloat(format, raw); });
  }
  }
}

} // namespace gemm::tools
