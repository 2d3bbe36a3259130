// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixDescriptor.h"

#include <cstdio>

namespace gemm::emulator {

namespace {

constexpr uint64_t field(uint64_t bits, unsigned first, unsigned width) {
  return bits >> first & ((uint64_t(1) << width) - 1);
}

/// Bits that the format leaves reserved: 14-15, 30-31, 46-48, 52-61.
constexpr uint64_t reserved = uint64_t(3) << 14 | uint64_t(3) << 30 |
                              uint64_t(7) << 46 | uint64_t(0x3FF) << 52;

} // namespace

MatrixDescriptor MatrixDescriptor::decode(uint64_t bits) {
  MatrixDescriptor result;
  result.startAddress = uint32_t(field(bits, 0, 14)) << 4;
  result.leadingByteOffset = uint32_t(field(bits, 16, 14)) << 4;
  result.strideByteOffset = uint32_t(field(bits, 32, 14)) << 4;
  result.baseOffset = uint8_t(field(bits, 49, 3));
  result.swizzle = DescriptorSwizzle(field(bits, 62, 2));
  return result;
}

std::string checkMatrixDescriptor(uint64_t bits, MajorMode major,
                                  unsigned elementBits) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%016llx", (unsigned long long)bits);
  const std::string name = std::string("matrix descriptor ") + text;
  if (bits & reserved)
    return name + " has reserved bits set (14-15, 30-31, 46-48 and 52-61 must "
                  "be zero on sm_90)";
  const MatrixDescriptor descriptor = MatrixDescriptor::decode(bits);
  if (descriptor.swizzle == DescriptorSwizzle::None &&
      descriptor.baseOffset != 0)
    return name + " has a base offset, which needs a swizzling mode";
  if (major == MajorMode::MN && elementBits != 16)
    return name + " is MN-major with " + std::to_string(elementBits) +
           "-bit elements; wgmma transposes only f16 and bf16";
  return {};
}

} // namespace gemm::emulator
