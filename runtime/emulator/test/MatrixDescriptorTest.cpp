// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worked examples of PTX ISA 8.8, 9.7.15.5.1.2.1.3 ("Canonical Layouts":
// each gives the exact layout next to LBO and SBO), the swizzle patterns of
// 5.5.7, and the agreement with tiles that a tensor copy writes, in the
// configurations that are measured to work on an H200 (bit-exact GEMMs with
// 128-byte swizzle, both majors).

#include "MatrixDescriptor.h"
#include "TensorMap.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

using namespace gemm::emulator;

namespace {

constexpr uint64_t encode(uint32_t bytes) { return (bytes & 0x3FFFF) >> 4; }

uint64_t descriptor(uint32_t start, uint32_t lbo, uint32_t sbo,
                    DescriptorSwizzle swizzle, unsigned baseOffset = 0) {
  return encode(start) | encode(lbo) << 16 | encode(sbo) << 32 |
         uint64_t(baseOffset) << 49 | uint64_t(swizzle) << 62;
}

/// CuTe's Swizzle<bits, 4, 3> on a byte offset.
uint32_t cuteSwizzle(uint32_t offset, unsigned bits) {
  const uint32_t mask = ((1u << bits) - 1) << 7;
  return offset ^ ((offset & mask) >> 3);
}

TEST(MatrixDescriptor, DecodesItsFields) {
  // The constant of a measured kernel: 128B swizzle, SBO 1024, LBO field 1.
  const MatrixDescriptor d =
      MatrixDescriptor::decode(4611686293305360384u | 0x1234);
  EXPECT_EQ(d.startAddress, 0x12340u);
  EXPECT_EQ(d.leadingByteOffset, 16u);
  EXPECT_EQ(d.strideByteOffset, 1024u);
  EXPECT_EQ(d.baseOffset, 0u);
  EXPECT_EQ(d.swizzle, DescriptorSwizzle::B128);
  const MatrixDescriptor e = MatrixDescriptor::decode(
      descriptor(0x3FFF0, 0x100, 0x20000, DescriptorSwizzle::B32, 5));
  EXPECT_EQ(e.startAddress, 0x3FFF0u);
  EXPECT_EQ(e.leadingByteOffset, 0x100u);
  EXPECT_EQ(e.strideByteOffset, 0x20000u);
  EXPECT_EQ(e.baseOffset, 5u);
  EXPECT_EQ(e.swizzle, DescriptorSwizzle::B32);
}

TEST(MatrixDescriptor, KMajorNoSwizzleTf32) {
  // Swizzle<0,4,3> o ((8,2),(4,4)):((4,32),(1,64)), LBO 64, SBO 32 elements.
  const auto d = MatrixDescriptor::decode(
      descriptor(0x800, 64 * 4, 32 * 4, DescriptorSwizzle::None));
  for (unsigned m = 0; m < 16; ++m)
    for (unsigned k = 0; k < 8; ++k) // one instruction: half of the figure
      EXPECT_EQ(d.elementAddress(MajorMode::K, 4, m, k),
                0x800 + 4 * (m % 8 * 4 + m / 8 * 32 + k % 4 + k / 4 * 64));
}

TEST(MatrixDescriptor, KMajor32ByteSwizzleTf32) {
  // Swizzle<1,4,3> o ((8,2),(4,4)):((8,64),(1,4)), SBO 64 elements.
  const auto d = MatrixDescriptor::decode(
      descriptor(0x400, 16, 64 * 4, DescriptorSwizzle::B32));
  for (unsigned m = 0; m < 16; ++m)
    for (unsigned k = 0; k < 8; ++k)
      EXPECT_EQ(
          d.elementAddress(MajorMode::K, 4, m, k),
          0x400 +
              cuteSwizzle(4 * (m % 8 * 8 + m / 8 * 64 + k % 4 + k / 4 * 4), 1));
}

TEST(MatrixDescriptor, MNMajorNoSwizzleBf16) {
  // Swizzle<0,4,3> o ((8,1,2),(8,2)):((1,8,64),(8,128)), LBO 128, SBO 64.
  const auto d = MatrixDescriptor::decode(
      descriptor(0, 128 * 2, 64 * 2, DescriptorSwizzle::None));
  for (unsigned m = 0; m < 16; ++m)
    for (unsigned k = 0; k < 16; ++k)
      EXPECT_EQ(d.elementAddress(MajorMode::MN, 2, m, k),
                2 * (m % 8 + m / 8 * 64 + k % 8 * 8 + k / 8 * 128));
}

TEST(MatrixDescriptor, MNMajor32ByteSwizzleBf16) {
  // Swizzle<1,4,3> o ((8,2,2),(8,2)):((1,8,128),(16,256)), LBO 128, SBO 256.
  const auto d = MatrixDescriptor::decode(
      descriptor(0x2000, 128 * 2, 256 * 2, DescriptorSwizzle::B32));
  for (unsigned m = 0; m < 32; ++m)
    for (unsigned k = 0; k < 16; ++k)
      EXPECT_EQ(d.elementAddress(MajorMode::MN, 2, m, k),
                0x2000 + cuteSwizzle(2 * (m % 8 + m / 8 % 2 * 8 + m / 16 * 128 +
                                          k % 8 * 16 + k / 8 * 256),
                                     1));
}

TEST(MatrixDescriptor, MNMajor64ByteSwizzleBf16) {
  // Swizzle<2,4,3> o ((8,4,2),(8,2)):((1,8,256),(32,512)), LBO 256, SBO 512.
  const auto d = MatrixDescriptor::decode(
      descriptor(0x2000, 256 * 2, 512 * 2, DescriptorSwizzle::B64));
  for (unsigned m = 0; m < 64; ++m)
    for (unsigned k = 0; k < 16; ++k)
      EXPECT_EQ(d.elementAddress(MajorMode::MN, 2, m, k),
                0x2000 + cuteSwizzle(2 * (m % 8 + m / 8 % 4 * 8 + m / 32 * 256 +
                                          k % 8 * 32 + k / 8 * 512),
                                     2));
}

TEST(MatrixDescriptor, CanonicalKMajorLayoutsOfEveryWidth) {
  // ((8,m),(T,2k)) : ((S*T, SBO), (1, T)), Swizzle<log2 S, 4, 3>.
  const struct {
    DescriptorSwizzle swizzle;
    unsigned bits;
  } modes[] = {{DescriptorSwizzle::B32, 1},
               {DescriptorSwizzle::B64, 2},
               {DescriptorSwizzle::B128, 3}};
  for (auto mode : modes)
    for (unsigned size : {1u, 2u, 4u}) {
      const unsigned t = 16 / size, width = 1u << mode.bits;
      const uint32_t sbo = 8 * width * 16;
      const auto d =
          MatrixDescriptor::decode(descriptor(0x4000, 16, sbo, mode.swizzle));
      for (unsigned m = 0; m < 64; ++m)
        for (unsigned k = 0; k < 2 * t; ++k)
          EXPECT_EQ(d.elementAddress(MajorMode::K, size, m, k),
                    0x4000 +
                        cuteSwizzle(m % 8 * width * t * size + m / 8 * sbo +
                                        k % t * size + k / t * t * size,
                                    mode.bits));
    }
}

TEST(MatrixDescriptor, BaseOffsetMovesThePattern) {
  // A pattern that starts at 0x1180: base offset (0x1180 >> 7) & 7 = 3.
  const auto d = MatrixDescriptor::decode(
      descriptor(0x1180, 16, 1024, DescriptorSwizzle::B128, 3));
  // Row r of the pattern has its chunk 0 at place r of 16 bytes (5.5.7), with
  // rows counted from the start of the pattern.
  for (unsigned row = 0; row < 8; ++row) {
    const uint32_t line = 0x1180 + row * 128;
    const uint32_t chunk = (line >> 4 & 7) ^ row;
    EXPECT_EQ(d.chunkAddress(MajorMode::K, 2, row, 0),
              (line & ~0x7Fu) | chunk << 4);
  }
}

/// Loads a tile by a tensor copy into `shared`, row-major global data whose
/// elements are their linear index.
std::vector<uint16_t> loadTile(const TensorMapFields &fields,
                               const std::vector<uint16_t> &global,
                               const int32_t *coordinates, uint32_t address) {
  std::vector<uint16_t> shared(1 << 17);
  forEachBoxPiece(fields, coordinates, address, [&](const BoxPiece &piece) {
    ASSERT_TRUE(piece.inBounds);
    std::memcpy(reinterpret_cast<char *>(shared.data()) + piece.sharedAddress,
                reinterpret_cast<const char *>(global.data()) +
                    (piece.globalAddress - fields.globalAddress),
                piece.bytes);
  });
  return shared;
}

TensorMapFields tileFields(uint64_t inner, uint64_t outer, uint32_t boxInner,
                           uint32_t boxOuter, TensorMapSwizzle swizzle) {
  TensorMapFields fields;
  fields.type = TensorMapType::BFloat16;
  fields.rank = 2;
  fields.globalAddress = 0x10000;
  fields.globalDim[0] = inner;
  fields.globalDim[1] = outer;
  fields.globalStrides[0] = inner * 2;
  fields.boxDim[0] = boxInner;
  fields.boxDim[1] = boxOuter;
  fields.elementStrides[0] = fields.elementStrides[1] = 1;
  fields.swizzle = swizzle;
  return fields;
}

TEST(MatrixDescriptor, ReadsWhatATensorCopyWrites) {
  const struct {
    TensorMapSwizzle map;
    DescriptorSwizzle descriptor;
    uint32_t span;
  } modes[] = {
      {TensorMapSwizzle::B32, DescriptorSwizzle::B32, 32},
      {TensorMapSwizzle::B64, DescriptorSwizzle::B64, 64},
      {TensorMapSwizzle::B128, DescriptorSwizzle::B128, 128},
  };
  std::vector<uint16_t> global(128 * 256);
  for (unsigned i = 0; i < global.size(); ++i)
    global[i] = uint16_t(i);
  const int32_t origin[2] = {0, 0};

  for (auto mode : modes) {
    // K-major: one box of `span` bytes by 128 rows; the next k16 is 32 bytes
    // on, the next m64 block 64 rows on.
    const unsigned inner = mode.span / 2;
    const auto kFields = tileFields(128, 256, inner, 128, mode.map);
    const auto kShared = loadTile(kFields, global, origin, 0x2000);
    for (unsigned block = 0; block < 2; ++block)
      for (unsigned step = 0; step < inner / 16; ++step) {
        const auto d = MatrixDescriptor::decode(
            descriptor(0x2000 + block * 64 * mode.span + step * 32, 16,
                       8 * mode.span, mode.descriptor));
        for (unsigned m = 0; m < 64; ++m)
          for (unsigned k = 0; k < 16; ++k)
            ASSERT_EQ(kShared[d.elementAddress(MajorMode::K, 2, m, k) / 2],
                      (block * 64 + m) * 128 + step * 16 + k);
      }

    // MN-major: panels of `span` bytes of MN by 64 k; LBO is the panel stride.
    const auto mnFields = tileFields(128, 256, inner, 64, mode.map);
    std::vector<uint16_t> mnShared(1 << 17);
    const uint32_t panel = 64 * mode.span;
    for (unsigned p = 0; p < 128 / inner; ++p) {
      const int32_t at[2] = {int32_t(p * inner), 0};
      const auto loaded = loadTile(mnFields, global, at, 0x4000 + p * panel);
      std::copy_n(loaded.begin() + (0x4000 + p * panel) / 2, panel / 2,
                  mnShared.begin() + (0x4000 + p * panel) / 2);
    }
    for (unsigned step = 0; step < 4; ++step) {
      const auto d = MatrixDescriptor::decode(
          descriptor(0x4000 + step * 16 * mode.span, panel, 8 * mode.span,
                     mode.descriptor));
      for (unsigned n = 0; n < 128; ++n)
        for (unsigned k = 0; k < 16; ++k)
          ASSERT_EQ(mnShared[d.elementAddress(MajorMode::MN, 2, n, k) / 2],
                    (step * 16 + k) * 128 + n);
    }
  }
}

TEST(MatrixDescriptor, ChunksCoverTheOperandOnce) {
  for (MajorMode major : {MajorMode::K, MajorMode::MN}) {
    const auto d = MatrixDescriptor::decode(
        descriptor(0, 8192, 1024, DescriptorSwizzle::B128));
    std::set<uint32_t> addresses;
    unsigned chunks = 0;
    d.forEachChunk(
        major, 2, 128, 16, [&](uint32_t address, unsigned mn, unsigned k) {
          EXPECT_EQ(address % 16, 0u);
          EXPECT_EQ(address, d.elementAddress(major, 2, mn, k));
          // The last element of the chunk is 14 bytes on.
          EXPECT_EQ(d.elementAddress(major, 2,
                                     mn + (major == MajorMode::MN) * 7,
                                     k + (major == MajorMode::K) * 7),
                    address + 14);
          addresses.insert(address);
          ++chunks;
        });
    EXPECT_EQ(chunks, 128u * 16 * 2 / 16);
    EXPECT_EQ(addresses.size(), chunks);
  }
}

TEST(MatrixDescriptor, AddressesWrapAtEighteenBits) {
  const auto d = MatrixDescriptor::decode(
      descriptor(0x3FC00, 16, 1024, DescriptorSwizzle::B128));
  EXPECT_EQ(d.elementAddress(MajorMode::K, 2, 8, 0), 0u);
}

TEST(MatrixDescriptor, ChecksItsBits) {
  const uint64_t good = descriptor(0, 16, 1024, DescriptorSwizzle::B128);
  EXPECT_EQ(checkMatrixDescriptor(good, MajorMode::K, 8), "");
  EXPECT_EQ(checkMatrixDescriptor(good, MajorMode::MN, 16), "");
  EXPECT_NE(checkMatrixDescriptor(good, MajorMode::MN, 8).find("MN-major"),
            std::string::npos);
  EXPECT_NE(checkMatrixDescriptor(good | uint64_t(1) << 46, MajorMode::K, 16)
                .find("reserved"),
            std::string::npos);
  EXPECT_NE(
      checkMatrixDescriptor(descriptor(0, 128, 256, DescriptorSwizzle::None, 1),
                            MajorMode::K, 16)
          .find("base offset"),
      std::string::npos);
}

} // namespace
