// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every formula here is typed from its section of the PTX ISA 8.8, 9.7.14.5
// and 9.7.15.5, with i the element index over the fragment's registers.

#include "Fragments.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

using namespace gemm::emulator;

namespace {

using enum ElementType;
using Formula = std::function<MatrixCoordinate(unsigned groupId,
                                               unsigned thread, unsigned i)>;

MatrixCoordinate at(unsigned row, unsigned column) {
  return {uint16_t(row), uint16_t(column)};
}

std::string shapeName(MmaShape shape) {
  std::string name = "m";
  name += std::to_string(shape.m);
  name += 'n';
  name += std::to_string(shape.n);
  name += 'k';
  return name += std::to_string(shape.k);
}

/// Compares a warp-level map with a formula on (groupID, threadID_in_group, i).
void expectFormula(MmaShape shape, ElementType type, MatrixRole role,
                   unsigned elements, const Formula &formula) {
  std::string error;
  const FragmentMap *map =
      fragmentMap(FragmentFamily::MmaSync, shape, type, role, &error);
  ASSERT_TRUE(map) << error;
  ASSERT_EQ(map->registers * map->perRegister, elements) << shapeName(shape);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < elements; ++i)
      ASSERT_EQ(map->at(i / map->perRegister, lane, i % map->perRegister),
                formula(lane >> 2, lane % 4, i))
          << shapeName(shape) << " " << elementName(type) << " lane " << lane
          << " i " << i;
}

constexpr auto A = MatrixRole::A, B = MatrixRole::B,
               C = MatrixRole::Accumulator;

TEST(Fragments, DoubleM8N8K4) { // 9.7.14.5.2
  expectFormula({8, 8, 4}, F64, A, 1,
                [](auto g, auto t, auto) { return at(g, t); });
  expectFormula({8, 8, 4}, F64, B, 1,
                [](auto g, auto t, auto) { return at(t, g); });
  expectFormula({8, 8, 4}, F64, C, 2,
                [](auto g, auto t, auto i) { return at(g, t * 2 + (i & 1)); });
}

TEST(Fragments, IntegerM8) { // 9.7.14.5.3 - 9.7.14.5.5
  expectFormula({8, 8, 16}, S8, A, 4,
                [](auto g, auto t, auto i) { return at(g, t * 4 + i); });
  expectFormula({8, 8, 16}, U8, B, 4,
                [](auto g, auto t, auto i) { return at(t * 4 + i, g); });
  expectFormula({8, 8, 32}, S4, A, 8,
                [](auto g, auto t, auto i) { return at(g, t * 8 + i); });
  expectFormula({8, 8, 32}, U4, B, 8,
                [](auto g, auto t, auto i) { return at(t * 8 + i, g); });
  expectFormula({8, 8, 128}, B1, A, 32,
                [](auto g, auto t, auto i) { return at(g, t * 32 + i); });
  expectFormula({8, 8, 128}, B1, B, 32,
                [](auto g, auto t, auto i) { return at(t * 32 + i, g); });
  for (unsigned k : {16u, 32u, 128u})
    expectFormula({8, 8, k}, S32, C, 2,
                  [](auto g, auto t, auto i) { return at(g, t * 2 + i); });
}

TEST(Fragments, M16N8K4) { // 9.7.14.5.6
  for (ElementType type : {TF32, F64}) {
    expectFormula({16, 8, 4}, type, A, 2, [](auto g, auto t, auto i) {
      return at(i == 0 ? g : g + 8, t);
    });
    expectFormula({16, 8, 4}, type, B, 1,
                  [](auto g, auto t, auto) { return at(t, g); });
  }
  for (ElementType type : {F32, F64})
    expectFormula({16, 8, 4}, type, C, 4, [](auto g, auto t, auto i) {
      return at(i < 2 ? g : g + 8, t * 2 + (i & 1));
    });
}

TEST(Fragments, M16N8K8) { // 9.7.14.5.7
  for (ElementType type : {F16, BF16}) {
    expectFormula({16, 8, 8}, type, A, 4, [](auto g, auto t, auto i) {
      return at(i < 2 ? g : g + 8, t * 2 + (i & 1));
    });
    expectFormula({16, 8, 8}, type, B, 2,
                  [](auto g, auto t, auto i) { return at(t * 2 + i, g); });
  }
  for (ElementType type : {TF32, F64}) {
    expectFormula({16, 8, 8}, type, A, 4, [](auto g, auto t, auto i) {
      return at(i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4);
    });
    expectFormula({16, 8, 8}, type, B, 2, [](auto g, auto t, auto i) {
      return at(i == 0 ? t : t + 4, g);
    });
  }
  for (ElementType type : {F16, F32, F64})
    expectFormula({16, 8, 8}, type, C, 4, [](auto g, auto t, auto i) {
      return at(i < 2 ? g : g + 8, t * 2 + (i & 1));
    });
}

TEST(Fragments, FloatM16N8K16) { // 9.7.14.5.8
  for (ElementType type : {F16, BF16}) {
    expectFormula({16, 8, 16}, type, A, 8, [](auto g, auto t, auto i) {
      return at(i < 2 || (4 <= i && i < 6) ? g : g + 8,
                t * 2 + (i & 1) + (i < 4 ? 0 : 8));
    });
    expectFormula({16, 8, 16}, type, B, 4, [](auto g, auto t, auto i) {
      return at(t * 2 + (i & 1) + (i < 2 ? 0 : 8), g);
    });
  }
  expectFormula({16, 8, 16}, F64, A, 8, [](auto g, auto t, auto i) {
    return i % 2 == 0 ? at(g, i * 2 + t) : at(g + 8, i * 2 - 2 + t);
  });
  expectFormula({16, 8, 16}, F64, B, 4,
                [](auto g, auto t, auto i) { return at(t + i * 4, g); });
  for (ElementType type : {F16, F32, F64})
    expectFormula({16, 8, 16}, type, C, 4, [](auto g, auto t, auto i) {
      return at(i < 2 ? g : g + 8, t * 2 + (i & 1));
    });
}

TEST(Fragments, ByteM16N8K16) { // 9.7.14.5.9
  for (ElementType type : {S8, U8, E4M3, E5M2}) {
    expectFormula({16, 8, 16}, type, A, 8, [](auto g, auto t, auto i) {
      return at(i < 4 ? g : g + 8, t * 4 + (i & 3));
    });
    expectFormula({16, 8, 16}, type, B, 4,
                  [](auto g, auto t, auto i) { return at(t * 4 + i, g); });
  }
}

TEST(Fragments, M16N8K32) { // 9.7.14.5.10
  for (ElementType type : {S4, U4}) {
    expectFormula({16, 8, 32}, type, A, 16, [](auto g, auto t, auto i) {
      return at(i < 8 ? g : g + 8, t * 8 + (i & 7));
    });
    expectFormula({16, 8, 32}, type, B, 8, [](auto g, auto t, auto i) {
      return at(t * 8 + (i & 7), g);
    });
  }
  for (ElementType type : {S8, U8, E4M3, E5M2}) {
    expectFormula({16, 8, 32}, type, A, 16, [](auto g, auto t, auto i) {
      return at(i < 4 || (8 <= i && i < 12) ? g : g + 8,
                t * 4 + (i & 3) + (i < 8 ? 0 : 16));
    });
    expectFormula({16, 8, 32}, type, B, 8, [](auto g, auto t, auto i) {
      return at(t * 4 + (i & 3) + (i < 4 ? 0 : 16), g);
    });
  }
  for (ElementType type : {S32, F32, F16})
    expectFormula({16, 8, 32}, type, C, 4, [](auto g, auto t, auto i) {
      return at(i < 2 ? g : g + 8, t * 2 + (i & 1));
    });
}

TEST(Fragments, NibblesAndBits) { // 9.7.14.5.11 - 9.7.14.5.13
  for (ElementType type : {S4, U4}) {
    expectFormula({16, 8, 64}, type, A, 32, [](auto g, auto t, auto i) {
      return at(i < 8 || (16 <= i && i < 24) ? g : g + 8,
                t * 8 + (i & 7) + (i < 16 ? 0 : 32));
    });
    expectFormula({16, 8, 64}, type, B, 16, [](auto g, auto t, auto i) {
      return at(t * 8 + (i & 7) + (i < 8 ? 0 : 32), g);
    });
  }
  expectFormula({16, 8, 128}, B1, A, 64, [](auto g, auto t, auto i) {
    return at(i < 32 ? g : g + 8, t * 32 + (i & 0x1F));
  });
  expectFormula({16, 8, 128}, B1, B, 32,
                [](auto g, auto t, auto i) { return at(t * 32 + i, g); });
  expectFormula({16, 8, 256}, B1, A, 128, [](auto g, auto t, auto i) {
    return at(i < 32 || (64 <= i && i < 96) ? g : g + 8,
              t * 32 + (i & 0x1F) + (i < 64 ? 0 : 128));
  });
  expectFormula({16, 8, 256}, B1, B, 64, [](auto g, auto t, auto i) {
    return at(t * 32 + (i & 0x1F) + (i < 32 ? 0 : 128), g);
  });
}

TEST(Fragments, QuadPairM8N8K4) { // 9.7.14.5.1
  for (bool columnMajor : {false, true}) {
    const FragmentMap *a = quadPairFragment(F16, A, columnMajor);
    const FragmentMap *b = quadPairFragment(F16, B, columnMajor);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->registers, 2u);
    EXPECT_EQ(b->registers, 2u);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned product = lane % 16 / 4, high = lane < 16 ? 0 : 4;
        MatrixCoordinate wantA =
            columnMajor ? at(i % 4 + high, lane % 4) : at(lane % 4 + high, i);
        MatrixCoordinate wantB =
            columnMajor ? at(i, lane % 4 + high) : at(lane % 4, i + high);
        wantA.row += uint16_t(8 * product);
        wantB.column += uint16_t(8 * product);
        EXPECT_EQ(a->at(i / 2, lane, i % 2), wantA);
        EXPECT_EQ(b->at(i / 2, lane, i % 2), wantB);
      }
  }
  const FragmentMap *c = quadPairFragment(F32, C, false);
  ASSERT_TRUE(c);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned x = (lane & 1) + (i & 2);
      EXPECT_EQ(c->at(i, lane), at(lane % 16 / 4 * 8 + (lane < 16 ? x : x + 4),
                                   (i & 4) + (lane & 2) + (i & 1)));
    }
  const FragmentMap *half = quadPairFragment(F16, C, false);
  ASSERT_TRUE(half);
  EXPECT_EQ(half->registers, 4u);
  EXPECT_EQ(half->at(3, 17, 1), at(5, 7)); // lane 17: product 0, row 1 + 4
  EXPECT_FALSE(quadPairFragment(BF16, A, false));
}

TEST(Fragments, WgmmaAccumulator) { // 9.7.15.5.1.1, figures of D
  for (unsigned n : {8u, 24u, 168u, 256u}) {
    const FragmentMap *map =
        fragmentMap(FragmentFamily::Wgmma, {64, n, 16}, F32, C);
    ASSERT_TRUE(map);
    ASSERT_EQ(map->registers, n / 2);
    ASSERT_EQ(map->lanes, 128u);
    for (unsigned lane = 0; lane < 128; ++lane)
      for (unsigned i = 0; i < n / 2; ++i)
        ASSERT_EQ(map->at(i, lane),
                  at(16 * (lane / 32) + lane % 32 / 4 + 8 * (i / 2 % 2),
                     8 * (i / 4) + 2 * (lane % 4) + i % 2));
    const FragmentMap *half =
        fragmentMap(FragmentFamily::Wgmma, {64, n, 16}, F16, C);
    ASSERT_TRUE(half);
    ASSERT_EQ(half->registers, n / 4);
    for (unsigned lane = 0; lane < 128; ++lane)
      for (unsigned i = 0; i < n / 2; ++i)
        ASSERT_EQ(half->at(i / 2, lane, i % 2), map->at(i, lane));
  }
}

TEST(Fragments, WgmmaMultiplicandIsFourWarpLevelOnes) {
  // Figures of A: warp w holds rows 16w .. 16w+15 as mma.sync m16 holds them.
  const struct {
    ElementType type;
    unsigned k;
  } cases[] = {{F16, 16},  {BF16, 16}, {TF32, 8}, {E4M3, 32},
               {E5M2, 32}, {S8, 32},   {U8, 32},  {B1, 256}};
  for (auto [type, k] : cases) {
    const FragmentMap *whole =
        fragmentMap(FragmentFamily::Wgmma, {64, 8, k}, type, A);
    const FragmentMap *warp =
        fragmentMap(FragmentFamily::MmaSync, {16, 8, k}, type, A);
    ASSERT_TRUE(whole && warp) << elementName(type);
    ASSERT_EQ(whole->registers, 4u);
    for (unsigned reg = 0; reg < 4; ++reg)
      for (unsigned lane = 0; lane < 128; ++lane)
        for (unsigned sub = 0; sub < whole->perRegister; ++sub) {
          MatrixCoordinate want = warp->at(reg, lane % 32, sub);
          want.row += uint16_t(lane / 32 * 16);
          ASSERT_EQ(whole->at(reg, lane, sub), want);
        }
  }
}

TEST(Fragments, EveryMapCoversItsMatrix) {
  struct Case {
    FragmentFamily family;
    MmaShape shape;
    ElementType type;
    MatrixRole role;
    unsigned registers; // from the ISA's fragment tables
  };
  const Case cases[] = {
      // 9.7.14.4.1, wmma.
      {FragmentFamily::Wmma, {16, 16, 16}, F16, A, 8},
      {FragmentFamily::Wmma, {8, 32, 16}, F16, A, 8},
      {FragmentFamily::Wmma, {8, 32, 16}, F16, B, 8},
      {FragmentFamily::Wmma, {32, 8, 16}, F16, B, 8},
      {FragmentFamily::Wmma, {16, 16, 16}, F16, C, 4},
      {FragmentFamily::Wmma, {32, 8, 16}, F32, C, 8},
      {FragmentFamily::Wmma, {8, 32, 16}, F32, C, 8},
      {FragmentFamily::Wmma, {16, 16, 16}, BF16, A, 4},
      {FragmentFamily::Wmma, {8, 32, 16}, BF16, A, 2},
      {FragmentFamily::Wmma, {8, 32, 16}, BF16, B, 8},
      {FragmentFamily::Wmma, {32, 8, 16}, BF16, A, 8},
      {FragmentFamily::Wmma, {32, 8, 16}, BF16, B, 2},
      {FragmentFamily::Wmma, {16, 16, 8}, TF32, A, 4},
      {FragmentFamily::Wmma, {16, 16, 8}, TF32, B, 4},
      {FragmentFamily::Wmma, {16, 16, 16}, S8, A, 2},
      {FragmentFamily::Wmma, {8, 32, 16}, U8, A, 1},
      {FragmentFamily::Wmma, {8, 32, 16}, U8, B, 4},
      {FragmentFamily::Wmma, {32, 8, 16}, S8, A, 4},
      {FragmentFamily::Wmma, {32, 8, 16}, S8, B, 1},
      {FragmentFamily::Wmma, {16, 16, 16}, S32, C, 8},
      {FragmentFamily::Wmma, {8, 8, 4}, F64, A, 1},
      {FragmentFamily::Wmma, {8, 8, 4}, F64, C, 2},
      {FragmentFamily::Wmma, {8, 8, 32}, S4, A, 1},
      {FragmentFamily::Wmma, {8, 8, 32}, S32, C, 2},
      {FragmentFamily::Wmma, {8, 8, 128}, B1, B, 1},
      // Some of mma.sync and wgmma.
      {FragmentFamily::MmaSync, {16, 8, 16}, F16, A, 4},
      {FragmentFamily::MmaSync, {16, 8, 64}, S4, B, 2},
      {FragmentFamily::Wgmma, {64, 256, 16}, F32, C, 128},
      {FragmentFamily::Wgmma, {64, 256, 256}, S32, C, 128},
  };
  for (const Case &c : cases) {
    std::string error;
    const FragmentMap *map =
        fragmentMap(c.family, c.shape, c.type, c.role, &error);
    ASSERT_TRUE(map) << error;
    EXPECT_EQ(map->registers, c.registers)
        << shapeName(c.shape) << elementName(c.type);
    const std::set<uint16_t> seen(map->linear.begin(), map->linear.end());
    EXPECT_EQ(seen.size(), map->rows * map->columns);
    EXPECT_LT(*seen.rbegin(), map->rows * map->columns);
    EXPECT_EQ(map->linear.size() % seen.size(), 0u);
  }
}

TEST(Fragments, GatherAndScatterAreInverse) {
  const FragmentMap *map =
      fragmentMap(FragmentFamily::MmaSync, {16, 8, 64}, S4, A);
  ASSERT_TRUE(map);
  std::vector<uint32_t> tile(map->rows * map->columns);
  for (unsigned i = 0; i < tile.size(); ++i)
    tile[i] = (i * 7 + i / 64) % 16;
  std::vector<uint32_t> registers(map->registers * 32), back(tile.size());
  map->scatter(tile.data(), [&](unsigned reg, unsigned lane, uint32_t value) {
    registers[reg * 32 + lane] = value;
  });
  // Row 8 + lane/4, columns 32 + 8*(lane%4) + 0..7 sit in register 3.
  EXPECT_EQ(registers[3 * 32 + 5] >> 8 & 0xF, tile[9 * 64 + 32 + 8 + 2]);
  map->gather(
      [&](unsigned reg, unsigned lane) { return registers[reg * 32 + lane]; },
      back.data());
  EXPECT_EQ(tile, back);
}

TEST(Fragments, DoublesKeepSixtyFourBits) {
  const FragmentMap *map =
      fragmentMap(FragmentFamily::MmaSync, {16, 8, 16}, F64, B);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->registerBits, 64u);
  std::vector<uint64_t> tile(16 * 8);
  map->gather(
      [](unsigned reg, unsigned lane) {
        return uint64_t(reg) << 60 | uint64_t(lane);
      },
      tile.data());
  EXPECT_EQ(tile[(3 * 4 + 2) * 8 + 7], uint64_t(3) << 60 | 30);
}

TEST(Fragments, LdmatrixLoadsTheFragmentsOfMma) {
  // Four 8x8 matrices in the order (rows 0-7, k 0-7), (8-15, 0-7), (0-7, 8-15),
  // (8-15, 8-15) are the A operand of m16n8k16; B from a K x N array needs
  // .trans (the usage that the ISA's shapes are made for).
  const FragmentMap *a =
      fragmentMap(FragmentFamily::MmaSync, {16, 8, 16}, F16, A);
  const FragmentMap *b =
      fragmentMap(FragmentFamily::MmaSync, {16, 8, 16}, F16, B);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned sub = 0; sub < 2; ++sub) {
      const MatrixCoordinate plain = matrix8x8Element(lane, sub, false);
      EXPECT_EQ(plain, at(lane / 4, lane % 4 * 2 + sub));
      const MatrixCoordinate flipped = matrix8x8Element(lane, sub, true);
      EXPECT_EQ(flipped, at(plain.column, plain.row));
      for (unsigned reg = 0; reg < 4; ++reg)
        EXPECT_EQ(a->at(reg, lane, sub),
                  at(plain.row + reg % 2 * 8, plain.column + reg / 2 * 8));
      for (unsigned reg = 0; reg < 2; ++reg)
        EXPECT_EQ(b->at(reg, lane, sub),
                  at(flipped.row + reg * 8, flipped.column));
    }
  EXPECT_EQ(matrix8x8AddressLane(0, 7), 7u);
  EXPECT_EQ(matrix8x8AddressLane(3, 0), 24u);
}

TEST(Fragments, RefusesWhatDoesNotExist) {
  std::string error;
  EXPECT_FALSE(
      fragmentMap(FragmentFamily::MmaSync, {16, 8, 4}, F16, A, &error));
  EXPECT_NE(error.find("mma.sync has no shape m16n8k4"), std::string::npos);
  EXPECT_FALSE(fragmentMap(FragmentFamily::MmaSync, {16, 8, 8}, S32, C));
  EXPECT_FALSE(fragmentMap(FragmentFamily::Wgmma, {64, 12, 16}, F32, C));
  EXPECT_FALSE(fragmentMap(FragmentFamily::Wgmma, {64, 40, 32}, S32, C));
  EXPECT_TRUE(fragmentMap(FragmentFamily::Wgmma, {64, 40, 32}, F32, C));
  EXPECT_FALSE(fragmentMap(FragmentFamily::Wgmma, {64, 64, 16}, F16, B));
  EXPECT_FALSE(fragmentMap(FragmentFamily::Wmma, {16, 16, 16}, TF32, A));
}

} // namespace
