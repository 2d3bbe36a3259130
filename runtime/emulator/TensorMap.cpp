// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TensorMap.h"
#include "FloatFormats.h"

#include <cstring>

namespace gemm::emulator {

namespace {

// "GEMMTMAP" in memory order.
constexpr uint64_t magic = 0x50414D544D4D4547u;

// Words of the 128 bytes; words 13 and 14 are zero.
enum Word {
  magicWord = 0,
  addressWord = 1,
  dimWord = 2,    // 2 .. 6
  strideWord = 7, // 7 .. 10
  boxWord = 11,   // five fields of 12 bits
  modeWord = 12,  // five element strides of 4 bits, then one byte per mode
  checkWord = 15,
};

uint64_t checksum(const TensorMap &map) {
  // FNV-1a over the words that precede it.
  uint64_t hash = 0xCBF29CE484222325u;
  for (unsigned i = 0; i < checkWord; ++i)
    hash = (hash ^ map.words[i]) * 0x100000001B3u;
  return hash;
}

struct TypeRow {
  uint8_t bytes;
  bool isFloat;
};

constexpr TypeRow types[] = {
    {1, false}, // UInt8
    {2, false}, // UInt16
    {4, false}, // UInt32
    {4, false}, // Int32
    {8, false}, // UInt64
    {8, false}, // Int64
    {2, true},  // Float16
    {4, true},  // Float32
    {8, true},  // Float64
    {2, true},  // BFloat16
    {4, true},  // Float32Ftz
    {4, true},  // TFloat32
    {4, true},  // TFloat32Ftz
};

const TypeRow &typeRow(TensorMapType type) { return types[unsigned(type)]; }

/// Bytes of a swizzle mode's span; 0 without one.
unsigned swizzleSpan(TensorMapSwizzle swizzle) {
  switch (swizzle) {
  case TensorMapSwizzle::B32:
    return 32;
  case TensorMapSwizzle::B64:
    return 64;
  case TensorMapSwizzle::None:
    return 0;
  default:
    return 128;
  }
}

std::string at(const char *name, unsigned index, uint64_t value) {
  return std::string(name) + "[" + std::to_string(index) + "] is " +
         std::to_string(value);
}

/// The first rule that `fields` break, or nothing.
std::string violatedRule(const TensorMapFields &fields) {
  if (unsigned(fields.type) > unsigned(TensorMapType::TFloat32Ftz))
    return "data type " + std::to_string(unsigned(fields.type)) +
           " is not a whole-byte type (the packed 4- and 6-bit types need "
           "Blackwell)";
  if (fields.rank < 1 || fields.rank > 5)
    return "rank is " + std::to_string(fields.rank) + ", must be 1 to 5";
  if (fields.interleave != TensorMapInterleave::None)
    return "interleaved layouts are not modelled, use interleave NONE";
  if (unsigned(fields.swizzle) > unsigned(TensorMapSwizzle::B128))
    return "swizzle mode " + std::to_string(unsigned(fields.swizzle)) +
           " (a 32- or 64-byte atom) needs Blackwell";
  if (unsigned(fields.l2Promotion) > unsigned(TensorMapL2Promotion::L2_256B))
    return "L2 promotion " + std::to_string(unsigned(fields.l2Promotion)) +
           " does not exist";
  if (unsigned(fields.fill) > unsigned(TensorMapFill::NaN))
    return "out-of-bounds fill " + std::to_string(unsigned(fields.fill)) +
           " does not exist";
  if (fields.globalAddress % 16 != 0)
    return "the global address must be a multiple of 16 bytes, its low bits "
           "are " +
           std::to_string(fields.globalAddress % 16);
  const unsigned bytes = fields.elementBytes();
  for (unsigned i = 0; i < fields.rank; ++i) {
    const uint64_t dim = fields.globalDim[i];
    if (dim == 0 || dim > uint64_t(1) << 32)
      return at("globalDim", i, dim) + ", must be 1 to 2^32 elements";
    const uint32_t box = fields.boxDim[i];
    if (box == 0 || box > 256)
      return at("boxDim", i, box) + ", must be 1 to 256 elements";
    const uint32_t step = fields.elementStrides[i];
    if (step == 0 || step > 8)
      return at("elementStrides", i, step) + ", must be 1 to 8";
  }
  for (unsigned i = 0; i + 1 < fields.rank; ++i) {
    const uint64_t stride = fields.globalStrides[i];
    if (stride % 16 != 0 || stride >= uint64_t(1) << 40)
      return at("globalStrides", i, stride) +
             ", must be a multiple of 16 bytes below 2^40";
  }
  const uint32_t inner = fields.boxDim[0] * bytes;
  if (inner % 16 != 0)
    return "the box's inner dimension is " + std::to_string(inner) +
           " bytes, must be a multiple of 16";
  const unsigned span = swizzleSpan(fields.swizzle);
  if (span != 0 && inner > span)
    return "the box's inner dimension is " + std::to_string(inner) +
           " bytes, must not exceed the " + std::to_string(span) +
           "-byte span of its swizzle";
  if (fields.fill == TensorMapFill::NaN && !typeRow(fields.type).isFloat)
    return "a NaN fill needs a floating-point data type";
  return {};
}

} // namespace

unsigned TensorMapFields::elementBytes() const { return typeRow(type).bytes; }

uint32_t TensorMapFields::boxCount(unsigned dim) const {
  // Without interleave dimension 0 has no element stride.
  if (dim == 0)
    return boxDim[0];
  return (boxDim[dim] + elementStrides[dim] - 1) / elementStrides[dim];
}

uint32_t TensorMapFields::boxBytes() const {
  uint32_t bytes = boxDim[0] * elementBytes();
  for (unsigned dim = 1; dim < rank; ++dim)
    bytes *= boxCount(dim);
  return bytes;
}

uint32_t TensorMapFields::rowPitch() const {
  return std::max(boxDim[0] * elementBytes(), swizzleSpan(swizzle));
}

uint32_t TensorMapFields::sharedBytes() const {
  uint32_t rows = 1;
  for (unsigned dim = 1; dim < rank; ++dim)
    rows *= boxCount(dim);
  return rows * rowPitch();
}

bool encodeTensorMap(const TensorMapFields &fields, TensorMap &map,
                     std::string &error) {
  if (std::string rule = violatedRule(fields); !rule.empty()) {
    error = "tensor map: " + rule;
    return false;
  }
  map = {};
  map.words[magicWord] = magic;
  map.words[addressWord] = fields.globalAddress;
  for (unsigned i = 0; i < fields.rank; ++i) {
    map.words[dimWord + i] = fields.globalDim[i];
    map.words[boxWord] |= uint64_t(fields.boxDim[i]) << (12 * i);
    map.words[modeWord] |= uint64_t(fields.elementStrides[i]) << (4 * i);
    if (i + 1 < fields.rank)
      map.words[strideWord + i] = fields.globalStrides[i];
  }
  map.words[modeWord] |=
      uint64_t(fields.rank) << 20 | uint64_t(fields.type) << 24 |
      uint64_t(fields.interleave) << 32 | uint64_t(fields.swizzle) << 40 |
      uint64_t(fields.l2Promotion) << 48 | uint64_t(fields.fill) << 56;
  map.words[checkWord] = checksum(map);
  return true;
}

std::optional<TensorMapFields> decodeTensorMap(const void *bytes,
                                               std::string &error) {
  TensorMap map;
  std::memcpy(&map, bytes, sizeof map);
  if (map.words[magicWord] != magic) {
    error = "these 128 bytes are not a tensor map of the emulator: encode the "
            "map with the emulator's device, not with the CUDA driver";
    return std::nullopt;
  }
  if (map.words[checkWord] != checksum(map)) {
    error = "the tensor map was changed after it was encoded";
    return std::nullopt;
  }
  const uint64_t mode = map.words[modeWord];
  TensorMapFields fields;
  fields.rank = uint32_t(mode >> 20 & 0xF);
  fields.type = TensorMapType(mode >> 24 & 0xFF);
  fields.interleave = TensorMapInterleave(mode >> 32 & 0xFF);
  fields.swizzle = TensorMapSwizzle(mode >> 40 & 0xFF);
  fields.l2Promotion = TensorMapL2Promotion(mode >> 48 & 0xFF);
  fields.fill = TensorMapFill(mode >> 56);
  fields.globalAddress = map.words[addressWord];
  for (unsigned i = 0; i < 5; ++i) {
    fields.globalDim[i] = map.words[dimWord + i];
    fields.boxDim[i] = uint32_t(map.words[boxWord] >> (12 * i) & 0xFFF);
    fields.elementStrides[i] = uint32_t(mode >> (4 * i) & 0xF);
    if (i < 4)
      fields.globalStrides[i] = map.words[strideWord + i];
  }
  if (std::string rule = violatedRule(fields); !rule.empty()) {
    error = "tensor map: " + rule;
    return std::nullopt;
  }
  return fields;
}

void fillOutOfBounds(const TensorMapFields &fields, uint8_t *destination,
                     uint32_t bytes) {
  if (fields.fill == TensorMapFill::Zero) {
    std::memset(destination, 0, bytes);
    return;
  }
  // The driver documents "a special NaN constant" without its bits: 0x7FF7 in
  // every two bytes, of all types (H200, measured).
  for (uint32_t i = 0; i < bytes; ++i)
    destination[i] = i % 2 ? 0x7F : 0xF7;
}

void transformLoaded(const TensorMapFields &fields, uint8_t *data,
                     uint32_t bytes) {
  if (fields.type != TensorMapType::TFloat32 &&
      fields.type != TensorMapType::TFloat32Ftz)
    return;
  for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t bits;
    std::memcpy(&bits, data + i, 4);
    bits = uint32_t(convertFloat(bits, FloatFormat::F32, FloatFormat::TF32));
    std::memcpy(data + i, &bits, 4);
  }
}

} // namespace gemm::emulator
