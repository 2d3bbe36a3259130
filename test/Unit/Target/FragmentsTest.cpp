//===- FragmentsTest.cpp - Fragments against the formulas of the PTX ISA --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each formula is written as the PTX ISA's section of that shape states it: the
// row and column of element i of a lane's fragment, with groupID = lane >> 2
// and threadID_in_group = lane % 4. B's row is k and its column n; our B is (n,
// k).
//
//===----------------------------------------------------------------------===//

#include "Gemm/Target/Target.h"

#include <gtest/gtest.h>

using namespace gemm;
using layout::Coord;
using layout::Distribution;
using layout::Level;

namespace {

/// Row and column of element i of lane (g, t); w is the warp of a warpgroup.
using Formula = Coord (*)(int64_t i, int64_t g, int64_t t, int64_t w);

void expectFragment(const Distribution &actual, Formula formula,
                    int64_t elements, int64_t warps, Coord shape,
                    bool transposed = false) {
  EXPECT_EQ(actual.size(Level::Register), elements);
  EXPECT_EQ(actual.size(Level::Lane), 32);
  EXPECT_EQ(actual.size(Level::Warp), warps);
  EXPECT_EQ(actual.shape(), shape);
  EXPECT_TRUE(actual.isPartition());
  for (int64_t w = 0; w < warps; ++w)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < elements; ++i) {
        Coord expected = formula(i, lane >> 2, lane % 4, w);
        if (transposed)
          expected = expected.transposed();
        EXPECT_EQ(actual.at(i, lane, w), expected)
            << "element " << i << ", lane " << lane << ", warp " << w;
      }
}

struct Shape {
  const char *name;
  int64_t m, n, k, bits;
  Formula a;
  int64_t aElements;
  Formula b;
  int64_t bElements;
  Formula c;
};

// c0, c1 of row groupID, c2, c3 of row groupID + 8.
Coord c16x8(int64_t i, int64_t g, int64_t t, int64_t) {
  return {i < 2 ? g : g + 8, t * 2 + (i & 1)};
}
Coord c8x8(int64_t i, int64_t g, int64_t t, int64_t) {
  return {g, t * 2 + (i & 1)};
}

const Shape shapes[] = {
    // "Matrix Fragments for mma.m8n8k4 with .f64"
    {"m8n8k4 f64", 8, 8, 4, 64,
     [](int64_t, int64_t g, int64_t t, int64_t) { return Coord{g, t}; }, 1,
     [](int64_t, int64_t g, int64_t t, int64_t) { return Coord{t, g}; }, 1,
     c8x8},
    // "... mma.m8n8k16", .s8
    {"m8n8k16 i8", 8, 8, 16, 8,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{g, t * 4 + (i & 3)};
     },
     4,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{t * 4 + i, g};
     },
     4, c8x8},
    // "... mma.m16n8k4", .tf32 and .f64
    {"m16n8k4 tf32", 16, 8, 4, 19,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i == 0 ? g : g + 8, t};
     },
     2, [](int64_t, int64_t g, int64_t t, int64_t) { return Coord{t, g}; }, 1,
     c16x8},
    {"m16n8k4 f64", 16, 8, 4, 64,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i == 0 ? g : g + 8, t};
     },
     2, [](int64_t, int64_t g, int64_t t, int64_t) { return Coord{t, g}; }, 1,
     c16x8},
    // "... mma.m16n8k8", .f16 and .bf16
    {"m16n8k8 f16", 16, 8, 8, 16,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i < 2 ? g : g + 8, t * 2 + (i & 1)};
     },
     4,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{t * 2 + i, g};
     },
     2, c16x8},
    // "... mma.m16n8k8", .tf32
    {"m16n8k8 tf32", 16, 8, 8, 19,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
     },
     4,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i == 0 ? t : t + 4, g};
     },
     2, c16x8},
    // "... mma.m16n8k8", .f64
    {"m16n8k8 f64", 16, 8, 8, 64,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
     },
     4,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i == 0 ? t : t + 4, g};
     },
     2, c16x8},
    // "... mma.m16n8k16", .f16 and .bf16
    {"m16n8k16 f16", 16, 8, 16, 16,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i < 2 || (i >= 4 && i < 6) ? g : g + 8,
                    i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
     },
     8,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
     },
     4, c16x8},
    // "... mma.m16n8k16", .f64
    {"m16n8k16 f64", 16, 8, 16, 64,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i % 2 == 0 ? g : g + 8,
                    i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
     },
     8,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{t + i * 4, g};
     },
     4, c16x8},
    // "... mma.m16n8k16", .s8
    {"m16n8k16 i8", 16, 8, 16, 8,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i < 4 ? g : g + 8, t * 4 + (i & 3)};
     },
     8,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{t * 4 + i, g};
     },
     4, c16x8},
    // "... mma.m16n8k32", .s8, .e4m3, .e5m2
    {"m16n8k32 8-bit", 16, 8, 32, 8,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i < 4 || (i >= 8 && i < 12) ? g : g + 8,
                    i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
     },
     16,
     [](int64_t i, int64_t g, int64_t t, int64_t) {
       return Coord{i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
     },
     8, c16x8},
};

TEST(Fragments, MmaSyncFollowsThePtxIsa) {
  for (const Shape &s : shapes) {
    SCOPED_TRACE(s.name);
    FragmentLayouts f =
        getFragments(InstructionKind::MmaSync, s.m, s.n, s.k, s.bits);
    expectFragment(f.a, s.a, s.aElements, 1, {s.m, s.k});
    expectFragment(f.b, s.b, s.bElements, 1, {s.n, s.k}, /*transposed=*/true);
    expectFragment(f.c, s.c, s.m == 8 ? 2 : 4, 1, {s.m, s.n});
  }
}

// "Register Fragments and Shared Memory Matrix Layouts", matrix D of m64nN:
// warp w of the warpgroup has rows 16w to 16w + 15.
TEST(Fragments, WgmmaAccumulatorsFollowThePtxIsa) {
  for (int64_t n : {8, 16, 24, 128, 168, 192, 256})
    for (int64_t k : {8, 16, 32}) {
      FragmentLayouts f = getFragments(InstructionKind::Wgmma, 64, n, k, 16);
      expectFragment(f.c,
                     [](int64_t i, int64_t g, int64_t t, int64_t w) {
                       return Coord{16 * w + g + (i % 4 < 2 ? 0 : 8),
                                    8 * (i / 4) + 2 * t + i % 2};
                     },
                     n / 2, 4, {64, n});
      // A and B are read from shared memory.
      EXPECT_EQ(f.a, Distribution());
      EXPECT_EQ(f.b, Distribution());
    }
}

TEST(Fragments, FmaIsOneThreadsOwn) {
  FragmentLayouts f = getFragments(InstructionKind::Fma, 1, 1, 1, 32);
  EXPECT_EQ(f.a, Distribution());
  EXPECT_EQ(f.b, Distribution());
  EXPECT_EQ(f.c, Distribution());
}

// Every instruction of every row has fragments of its shape.
TEST(Fragments, CoverTheTable) {
  for (const char *name : {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89",
                           "sm_90a", "sm_100a", "sm_120a"})
    for (const Instruction &i : lookupTarget(name)->instructions) {
      if (i.kind == InstructionKind::Fma)
        continue;
      int64_t bits = i.a == "f64"                    ? 64
                     : i.a == "tf32"                 ? 19
                     : i.a == "f16" || i.a == "bf16" ? 16
                                                     : 8;
      FragmentLayouts f = getFragments(i.kind, i.m, i.n, i.k, bits);
      EXPECT_EQ(f.c.shape(), (Coord{i.m, i.n})) << name;
      if (i.kind == InstructionKind::MmaSync) {
        EXPECT_EQ(f.a.shape(), (Coord{i.m, i.k})) << name;
        EXPECT_EQ(f.b.shape(), (Coord{i.n, i.k})) << name;
      }
    }
}

TEST(Fragments, WhatNoRowHasIsEmpty) {
  EXPECT_EQ(getFragments(InstructionKind::MmaSync, 32, 8, 16, 16).c,
            Distribution());
  EXPECT_EQ(getFragments(InstructionKind::MmaSync, 16, 8, 4, 16).a,
            Distribution());
  EXPECT_EQ(getFragments(InstructionKind::Wgmma, 64, 12, 16, 16).c,
            Distribution());
}

} // namespace
