// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules: CUDA driver API, cuTensorMapEncodeTiled. Patterns: the tables of PTX
// ISA 8.8, 5.5.7. Box copies: an element-by-element reference.

#include "TensorMap.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <vector>

using namespace gemm::emulator;

namespace {

TensorMapFields validFields() {
  TensorMapFields fields;
  fields.type = TensorMapType::Float16;
  fields.rank = 3;
  fields.globalAddress = 0x7F0000001000;
  fields.globalDim[0] = 100;
  fields.globalDim[1] = 33;
  fields.globalDim[2] = 7;
  fields.globalStrides[0] = 208;
  fields.globalStrides[1] = 208 * 40;
  fields.boxDim[0] = 64;
  fields.boxDim[1] = 16;
  fields.boxDim[2] = 2;
  for (uint32_t &stride : fields.elementStrides)
    stride = 1;
  fields.swizzle = TensorMapSwizzle::B128;
  fields.l2Promotion = TensorMapL2Promotion::L2_256B;
  return fields;
}

TEST(TensorMap, RoundTrip) {
  TensorMapFields fields = validFields();
  fields.elementStrides[2] = 2;
  fields.fill = TensorMapFill::NaN;
  TensorMap map;
  std::string error;
  ASSERT_TRUE(encodeTensorMap(fields, map, error)) << error;
  static_assert(sizeof map == 128 && alignof(TensorMap) == 64);
  const auto back = decodeTensorMap(&map, error);
  ASSERT_TRUE(back) << error;
  EXPECT_EQ(back->type, fields.type);
  EXPECT_EQ(back->rank, 3u);
  EXPECT_EQ(back->globalAddress, fields.globalAddress);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(back->globalDim[i], fields.globalDim[i]);
    EXPECT_EQ(back->boxDim[i], fields.boxDim[i]);
    EXPECT_EQ(back->elementStrides[i], fields.elementStrides[i]);
  }
  EXPECT_EQ(back->globalStrides[0], 208u);
  EXPECT_EQ(back->globalStrides[1], 8320u);
  EXPECT_EQ(back->swizzle, TensorMapSwizzle::B128);
  EXPECT_EQ(back->l2Promotion, TensorMapL2Promotion::L2_256B);
  EXPECT_EQ(back->fill, TensorMapFill::NaN);
}

TEST(TensorMap, EveryRuleHasItsMessage) {
  const struct {
    std::function<void(TensorMapFields &)> violate;
    const char *message;
  } cases[] = {
      {[](auto &f) { f.rank = 0; }, "rank is 0"},
      {[](auto &f) { f.rank = 6; }, "rank is 6"},
      {[](auto &f) { f.type = TensorMapType(13); }, "data type 13"},
      {[](auto &f) { f.interleave = TensorMapInterleave::B16; }, "interleave"},
      {[](auto &f) { f.swizzle = TensorMapSwizzle::B128Atom32; }, "swizzle"},
      {[](auto &f) { f.globalAddress += 8; }, "multiple of 16 bytes"},
      {[](auto &f) { f.globalDim[1] = 0; }, "globalDim[1] is 0"},
      {[](auto &f) { f.globalDim[2] = (uint64_t(1) << 32) + 1; },
       "globalDim[2] is 4294967297"},
      {[](auto &f) { f.globalStrides[0] = 200; }, "globalStrides[0] is 200"},
      {[](auto &f) { f.globalStrides[1] = uint64_t(1) << 40; },
       "globalStrides[1]"},
      {[](auto &f) { f.boxDim[1] = 0; }, "boxDim[1] is 0"},
      {[](auto &f) { f.boxDim[1] = 257; }, "boxDim[1] is 257"},
      {[](auto &f) { f.boxDim[0] = 4; }, "inner dimension is 8 bytes"},
      {[](auto &f) { f.boxDim[0] = 72; }, "inner dimension is 144 bytes"},
      {[](auto &f) { f.swizzle = TensorMapSwizzle::B64; }, "64-byte span"},
      {[](auto &f) { f.swizzle = TensorMapSwizzle::B32; }, "32-byte span"},
      {[](auto &f) { f.elementStrides[2] = 9; }, "elementStrides[2] is 9"},
      {[](auto &f) { f.elementStrides[1] = 0; }, "elementStrides[1] is 0"},
      {[](auto &f) {
         f.type = TensorMapType::UInt16;
         f.fill = TensorMapFill::NaN;
       },
       "NaN fill"},
  };
  for (const auto &test : cases) {
    TensorMapFields fields = validFields();
    test.violate(fields);
    TensorMap map;
    std::string error;
    EXPECT_FALSE(encodeTensorMap(fields, map, error)) << test.message;
    EXPECT_NE(error.find(test.message), std::string::npos)
        << "got: " << error << "\nwant: " << test.message;
  }
}

TEST(TensorMap, LimitsThemselvesAreAllowed) {
  TensorMapFields fields = validFields();
  fields.globalDim[2] = uint64_t(1) << 32;
  fields.globalStrides[1] = (uint64_t(1) << 40) - 16;
  fields.boxDim[1] = 256;
  fields.elementStrides[1] = 8;
  TensorMap map;
  std::string error;
  EXPECT_TRUE(encodeTensorMap(fields, map, error)) << error;
  // Without a swizzle the inner dimension may take all 256 elements.
  fields.swizzle = TensorMapSwizzle::None;
  fields.type = TensorMapType::Float64;
  fields.boxDim[0] = 256;
  EXPECT_TRUE(encodeTensorMap(fields, map, error)) << error;
}

TEST(TensorMap, RefusesForeignAndChangedBytes) {
  std::string error;
  alignas(64) unsigned char zero[128] = {};
  EXPECT_FALSE(decodeTensorMap(zero, error));
  EXPECT_NE(error.find("not a tensor map of the emulator"), std::string::npos);
  TensorMap map;
  ASSERT_TRUE(encodeTensorMap(validFields(), map, error));
  for (unsigned byte = 8; byte < 128; ++byte) {
    TensorMap changed = map;
    reinterpret_cast<unsigned char *>(&changed)[byte] ^= 0x10;
    EXPECT_FALSE(decodeTensorMap(&changed, error)) << byte;
  }
}

TEST(TensorMap, SwizzleTablesOfTheIsa) {
  // Row r of a table lists which 16-byte chunk of the row's eight sits at each
  // place; the pattern starts at address 0.
  const unsigned b32[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                              {1, 0, 3, 2, 5, 4, 7, 6}};
  const unsigned b64[4][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                              {1, 0, 3, 2, 5, 4, 7, 6},
                              {2, 3, 0, 1, 6, 7, 4, 5},
                              {3, 2, 1, 0, 7, 6, 5, 4}};
  const unsigned b128[8][8] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
      {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
      {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
      {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
  for (uint32_t row = 0; row < 32; ++row)
    for (uint32_t place = 0; place < 8; ++place) {
      const uint32_t physical = row * 128 + place * 16;
      const auto logical = [&](unsigned chunk) {
        return row * 128 + chunk * 16;
      };
      EXPECT_EQ(
          swizzleAddress(TensorMapSwizzle::B32, logical(b32[row % 2][place])),
          physical);
      EXPECT_EQ(
          swizzleAddress(TensorMapSwizzle::B64, logical(b64[row % 4][place])),
          physical);
      EXPECT_EQ(
          swizzleAddress(TensorMapSwizzle::B128, logical(b128[row % 8][place])),
          physical);
      EXPECT_EQ(swizzleAddress(TensorMapSwizzle::None, physical), physical);
    }
}

/// What lies at each shared byte after a copy: a global address, or nullopt
/// for a filled byte.
using Placement = std::map<uint32_t, std::optional<uint64_t>>;

Placement reference(const TensorMapFields &f, const int32_t *coordinates,
                    uint32_t shared) {
  Placement result;
  const unsigned size = f.elementBytes();
  uint64_t rows = 1;
  for (unsigned d = 1; d < f.rank; ++d)
    rows *= (f.boxDim[d] + f.elementStrides[d] - 1) / f.elementStrides[d];
  const uint32_t pitch = f.swizzle == TensorMapSwizzle::B128  ? 128
                         : f.swizzle == TensorMapSwizzle::B64 ? 64
                         : f.swizzle == TensorMapSwizzle::B32
                             ? 32
                             : f.boxDim[0] * size;
  for (uint64_t row = 0; row < rows; ++row)
    for (uint32_t x = 0; x < f.boxDim[0]; ++x) {
      int64_t position = int64_t(coordinates[0]) + x;
      bool inside = position >= 0 && uint64_t(position) < f.globalDim[0];
      uint64_t address = f.globalAddress + uint64_t(position) * size;
      uint64_t rest = row;
      for (unsigned d = 1; d < f.rank; ++d) {
        const uint64_t count =
            (f.boxDim[d] + f.elementStrides[d] - 1) / f.elementStrides[d];
        position = int64_t(coordinates[d]) +
                   int64_t(rest % count * f.elementStrides[d]);
        rest /= count;
        inside &= position >= 0 && uint64_t(position) < f.globalDim[d];
        address += uint64_t(position) * f.globalStrides[d - 1];
      }
      for (unsigned byte = 0; byte < size; ++byte) {
        uint32_t at = shared + uint32_t(row) * pitch + x * size + byte;
        const uint32_t line = at / 128 % 8;
        if (f.swizzle == TensorMapSwizzle::B128)
          at ^= line << 4;
        else if (f.swizzle == TensorMapSwizzle::B64)
          at ^= (line & 3) << 4;
        else if (f.swizzle == TensorMapSwizzle::B32)
          at ^= (line & 1) << 4;
        EXPECT_TRUE(result
                        .emplace(at, inside ? std::optional(address + byte)
                                            : std::nullopt)
                        .second);
      }
    }
  return result;
}

Placement planned(const TensorMapFields &f, const int32_t *coordinates,
                  uint32_t shared) {
  Placement result;
  forEachBoxPiece(f, coordinates, shared, [&](const BoxPiece &piece) {
    EXPECT_GT(piece.bytes, 0u);
    EXPECT_LE(piece.sharedAddress % 16 + piece.bytes, 16u);
    EXPECT_EQ(piece.bytes % f.elementBytes(), 0u);
    for (uint32_t i = 0; i < piece.bytes; ++i)
      EXPECT_TRUE(result
                      .emplace(piece.sharedAddress + i,
                               piece.inBounds
                                   ? std::optional(piece.globalAddress + i)
                                   : std::nullopt)
                      .second);
  });
  return result;
}

TEST(TensorMap, BoxesOfEveryRankMatchTheReference) {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return unsigned(random() % n); };
  for (unsigned trial = 0; trial < 300; ++trial) {
    TensorMapFields f;
    f.rank = 1 + trial % 5;
    f.type = (const TensorMapType[]){
        TensorMapType::UInt8, TensorMapType::Float16, TensorMapType::Float32,
        TensorMapType::Float64}[below(4)];
    f.swizzle = TensorMapSwizzle(below(4));
    f.globalAddress = 0x100000;
    const unsigned size = f.elementBytes();
    const unsigned span =
        f.swizzle == TensorMapSwizzle::None ? 128 : 16u << unsigned(f.swizzle);
    f.boxDim[0] = (1 + below(span / 16)) * 16 / size;
    f.globalDim[0] = 1 + below(200);
    uint64_t stride = (f.globalDim[0] * size + 15) / 16 * 16;
    int32_t coordinates[5] = {int32_t(below(220)) - 20};
    f.elementStrides[0] = 1;
    for (unsigned d = 1; d < f.rank; ++d) {
      f.boxDim[d] = 1 + below(4);
      f.elementStrides[d] = 1 + below(3);
      f.globalDim[d] = 1 + below(6);
      f.globalStrides[d - 1] = stride + below(2) * 16;
      stride = f.globalStrides[d - 1] * f.globalDim[d];
      coordinates[d] = int32_t(below(10)) - 3;
    }
    TensorMap map;
    std::string error;
    ASSERT_TRUE(encodeTensorMap(f, map, error)) << error;
    const uint32_t shared = 1024 + 128 * below(9);
    const Placement want = reference(f, coordinates, shared);
    EXPECT_EQ(planned(f, coordinates, shared), want);
    EXPECT_EQ(f.boxBytes(), want.size());
    EXPECT_LT(want.rbegin()->first, shared / 1024 * 1024 + 1024 +
                                        (f.sharedBytes() + 1023) / 1024 * 1024);
  }
}

TEST(TensorMap, EdgesSplitInsideAChunk) {
  // 100 f16 elements in a row, box of 64 from 64: 36 inside. 36 * 2 = 72 bytes
  // is half of the fifth 16-byte chunk.
  TensorMapFields f = validFields();
  f.rank = 1;
  f.swizzle = TensorMapSwizzle::None;
  const int32_t coordinates[5] = {64};
  std::vector<BoxPiece> pieces;
  forEachBoxPiece(f, coordinates, 0,
                  [&](const BoxPiece &piece) { pieces.push_back(piece); });
  ASSERT_EQ(pieces.size(), 9u);
  EXPECT_TRUE(pieces[4].inBounds);
  EXPECT_EQ(pieces[4].bytes, 8u);
  EXPECT_EQ(pieces[4].globalAddress, f.globalAddress + 64 * 2 + 64);
  EXPECT_FALSE(pieces[5].inBounds);
  EXPECT_EQ(pieces[5].bytes, 8u);
  EXPECT_EQ(pieces[5].sharedAddress, 72u);
  EXPECT_FALSE(pieces[8].inBounds);
}

TEST(TensorMap, ElementStridesThinTheBox) {
  // PTX: ceil(boxDim / elementStrides) elements along a dimension.
  TensorMapFields f = validFields();
  f.boxDim[1] = 7;
  f.elementStrides[1] = 3;
  EXPECT_EQ(f.boxCount(1), 3u);
  EXPECT_EQ(f.boxBytes(), 64u * 2 * 3 * 2);
  f.elementStrides[0] = 4; // no effect without interleave
  EXPECT_EQ(f.boxCount(0), 64u);
}

TEST(TensorMap, FarCoordinatesAreOutOfBounds) {
  const TensorMapFields f = validFields();
  for (int32_t far : {INT32_MIN, INT32_MAX, -1000}) {
    const int32_t coordinates[] = {0, far, 0};
    uint32_t bytes = 0;
    forEachBoxPiece(f, coordinates, 0, [&](const BoxPiece &piece) {
      EXPECT_FALSE(piece.inBounds);
      bytes += piece.bytes;
    });
    EXPECT_EQ(bytes, f.boxBytes());
    const int32_t inner[] = {far, 0, 0};
    forEachBoxPiece(f, inner, 0, [&](const BoxPiece &piece) {
      EXPECT_FALSE(piece.inBounds);
    });
  }
}

TEST(TensorMap, FillsAndTransforms) {
  TensorMapFields f = validFields();
  uint8_t bytes[16];
  std::memset(bytes, 0xAB, sizeof bytes);
  fillOutOfBounds(f, bytes, 16);
  for (uint8_t byte : bytes)
    EXPECT_EQ(byte, 0);
  f.fill = TensorMapFill::NaN;
  fillOutOfBounds(f, bytes, 6);
  uint16_t halves[8];
  std::memcpy(halves, bytes, sizeof halves);
  EXPECT_EQ(halves[2], 0x7FF7); // H200, measured
  EXPECT_EQ(halves[3], 0);

  uint32_t words[4] = {0x80000001u, 0x3F801001u, 0x007FFFFFu, 0x7F800000u};
  uint8_t *data = reinterpret_cast<uint8_t *>(words);
  f.type = TensorMapType::Float32;
  transformLoaded(f, data, sizeof words);
  EXPECT_EQ(words[0], 0x80000001u);
  f.type = TensorMapType::Float32Ftz;
  transformLoaded(f, data, sizeof words);
  EXPECT_EQ(words[0], 0x80000001u); // not flushed: H200, measured
  EXPECT_EQ(words[1], 0x3F801001u);
  EXPECT_EQ(words[2], 0x007FFFFFu);
  f.type = TensorMapType::TFloat32;
  transformLoaded(f, data, sizeof words);
  EXPECT_EQ(words[1], 0x3F802000u); // above the tie: up
  EXPECT_EQ(words[3], 0x7F800000u);
  // A subnormal is rounded and not flushed: H200, measured.
  f.type = TensorMapType::TFloat32Ftz;
  words[0] = 0x00096000u;
  transformLoaded(f, data, sizeof words);
  EXPECT_EQ(words[0], 0x00096000u);
}

} // namespace
