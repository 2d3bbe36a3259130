// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar instructions against values worked out from the PTX ISA.
#include "EmulatorTestSupport.h"

#include <cmath>
#include <limits>

using namespace gemm::emulator;
using namespace gemm::emulator::test;

namespace {

/// One instruction on %r1, %r2, %r3 with a 32-bit result %r0.
uint32_t op32(const std::string &inst, uint32_t a, uint32_t b = 0,
              uint32_t c = 0) {
  auto r =
      runBody<uint32_t>("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n" +
                            inst + "\nst.global.u32 [%rd0], %r0;",
                        1, std::vector<uint32_t>{a, b, c, 0});
  EXPECT_TRUE(r.launch.ok) << inst << "\n" << r.launch.summary();
  return r.out.empty() ? 0 : r.out[0];
}
uint64_t op64(const std::string &inst, uint64_t a, uint64_t b = 0) {
  auto r = runBody<uint64_t, uint64_t>(
      "ld.global.v2.u64 {%rd2, %rd3}, [%rd1];\ncvt.u32.u64 %r1, "
      "%rd2;\ncvt.u32.u64 %r2, %rd3;\n" +
          inst + "\nst.global.u64 [%rd0], %rd4;",
      1, std::vector<uint64_t>{a, b});
  EXPECT_TRUE(r.launch.ok) << inst << "\n" << r.launch.summary();
  return r.out.empty() ? 0 : r.out[0];
}

TEST(Scalar, IntegerArithmetic) {
  EXPECT_EQ(op32("add.s32 %r0, %r1, %r2;", 0x7fffffff, 1), 0x80000000u);
  EXPECT_EQ(op32("add.sat.s32 %r0, %r1, %r2;", 0x7fffffff, 1), 0x7fffffffu);
  EXPECT_EQ(op32("sub.sat.s32 %r0, %r1, %r2;", 0x80000000, 1), 0x80000000u);
  EXPECT_EQ(op32("mul.hi.u32 %r0, %r1, %r2;", 0xffffffff, 0xffffffff),
            0xfffffffeu);
  EXPECT_EQ(op32("mul.hi.s32 %r0, %r1, %r2;", 0xffffffff, 0xffffffff), 0u);
  EXPECT_EQ(op32("mad.lo.s32 %r0, %r1, %r2, %r3;", 7, uint32_t(-3), 5),
            uint32_t(-16));
  EXPECT_EQ(op32("mul24.lo.s32 %r0, %r1, %r2;", 0x01800000, 2),
            uint32_t(-0x01000000))
      << "bit 23 is the sign";
  EXPECT_EQ(op32("div.s32 %r0, %r1, %r2;", uint32_t(-7), 2), uint32_t(-3));
  EXPECT_EQ(op32("rem.s32 %r0, %r1, %r2;", uint32_t(-7), 2), uint32_t(-1));
  EXPECT_EQ(op32("sad.u32 %r0, %r1, %r2, %r3;", 3, 10, 100), 107u);
  EXPECT_EQ(op32("min.s32 %r0, %r1, %r2;", uint32_t(-1), 1), uint32_t(-1));
  EXPECT_EQ(op32("min.u32 %r0, %r1, %r2;", uint32_t(-1), 1), 1u);
  EXPECT_EQ(op32("add.u16x2 %r0, %r1, %r2;", 0xffff0001, 0x00010001),
            0x00000002u);
  EXPECT_EQ(op64("mul.wide.s32 %rd4, %r1, %r2;", uint32_t(-2), 3),
            uint64_t(-6));
  EXPECT_EQ(op64("mul.wide.u32 %rd4, %r1, %r2;", uint32_t(-2), 3),
            uint64_t(0xfffffffe) * 3);
  EXPECT_EQ(op64("mul.hi.u64 %rd4, %rd2, %rd3;", ~uint64_t(0), ~uint64_t(0)),
            ~uint64_t(1));
}

TEST(Scalar, CarryChain) {
  auto r = runBody<uint32_t>(
      "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\nadd.cc.u32 %r5, %r1, "
      "%r3;\naddc.u32 %r6, %r2, %r4;\n"
      "sub.cc.u32 %r7, %r1, %r3;\nsubc.u32 %r8, %r2, %r4;\nst.global.v4.u32 "
      "[%rd0], {%r5, %r6, %r7, %r8};",
      4, std::vector<uint32_t>{0xffffffff, 1, 2, 0});
  ASSERT_TRUE(r.launch.ok) << r.launch.summary();
  uint64_t a = 0x1ffffffffu, b = 2, sum = a + b, difference = a - b;
  EXPECT_EQ(r.out[0], uint32_t(sum));
  EXPECT_EQ(r.out[1], uint32_t(sum >> 32));
  EXPECT_EQ(r.out[2], uint32_t(difference));
  EXPECT_EQ(r.out[3], uint32_t(difference >> 32));
}

TEST(Scalar, Bits) {
  EXPECT_EQ(op32("lop3.b32 %r0, %r1, %r2, %r3, 0x96;", 0xff00ff00, 0x0f0f0f0f,
                 0x33333333),
            0xff00ff00u ^ 0x0f0f0f0fu ^ 0x33333333u);
  EXPECT_EQ(op32("lop3.b32 %r0, %r1, %r2, %r3, 0x80;", 0xff00ff00, 0x0f0f0f0f,
                 0x33333333),
            0xff00ff00u & 0x0f0f0f0fu & 0x33333333u);
  EXPECT_EQ(op32("lop3.b32 %r0, %r1, %r2, %r3, 0xe2;", 0xff00ff00, 0x0f0f0f0f,
                 0x33333333),
            (0x0f0f0f0fu & 0xff00ff00u) | (~0x0f0f0f0fu & 0x33333333u))
      << "0xe2 selects a or c by b";
  EXPECT_EQ(op32("prmt.b32 %r0, %r1, %r2, 0x7610;", 0x33221100, 0x77665544),
            0x77661100u);
  EXPECT_EQ(op32("prmt.b32 %r0, %r1, %r2, 0x9;", 0x0000ff00, 0) & 0xff, 0xffu)
      << "bit 3 replicates the sign";
  EXPECT_EQ(op32("bfe.u32 %r0, %r1, 4, 8;", 0x12345678), 0x67u);
  EXPECT_EQ(op32("bfe.s32 %r0, %r1, 4, 4;", 0x000000f0), 0xffffffffu);
  EXPECT_EQ(op32("bfe.s32 %r0, %r1, 28, 8;", 0x90000000), 0xfffffff9u)
      << "a field that reaches past bit 31 takes the sign of bit 31";
  EXPECT_EQ(op32("bfi.b32 %r0, %r1, %r2, 8, 4;", 0xa, 0xffffffff), 0xfffffaffu);
  EXPECT_EQ(op32("shl.b32 %r0, %r1, %r2;", 1, 32), 0u);
  EXPECT_EQ(op32("shr.s32 %r0, %r1, %r2;", 0x80000000, 40), 0xffffffffu);
  EXPECT_EQ(
      op32("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 0x89abcdef, 0x01234567, 4),
      0x12345678u);
  EXPECT_EQ(
      op32("shf.r.clamp.b32 %r0, %r1, %r2, %r3;", 0x89abcdef, 0x01234567, 40),
      0x01234567u);
  EXPECT_EQ(op32("popc.b32 %r0, %r1;", 0xf0f0), 8u);
  EXPECT_EQ(op32("clz.b32 %r0, %r1;", 0), 32u);
  EXPECT_EQ(op32("bfind.s32 %r0, %r1;", 0xfffffffe), 0u);
  EXPECT_EQ(op32("bfind.u32 %r0, %r1;", 0), 0xffffffffu);
  EXPECT_EQ(op32("brev.b32 %r0, %r1;", 1), 0x80000000u);
  EXPECT_EQ(
      op32("dp4a.s32.u32 %r0, %r1, %r2, %r3;", 0xff010203, 0x01010101, 10),
      15u);
  EXPECT_EQ(op32("fns.b32 %r0, %r1, %r2, 2;", 0b10110, 0), 2u);
}

TEST(Scalar, FloatArithmetic) {
  EXPECT_EQ(op32("add.f32 %r0, %r1, %r2;", bits(1.f), bits(2.f)), bits(3.f));
  EXPECT_EQ(op32("add.f32 %r0, %r1, %r2;", 0x7f800000, 0xff800000), 0x7fffffffu)
      << "the canonical NaN";
  EXPECT_EQ(op32("add.ftz.f32 %r0, %r1, %r2;", 0x00000001, 0), 0u);
  EXPECT_EQ(op32("add.f32 %r0, %r1, %r2;", 0x00000001, 0), 1u);
  EXPECT_EQ(op32("add.sat.f32 %r0, %r1, %r2;", bits(0.75f), bits(0.75f)),
            bits(1.f));
  EXPECT_EQ(op32("fma.rn.f32 %r0, %r1, %r2, %r3;", bits(1 + 0x1p-12f),
                 bits(1 + 0x1p-12f), bits(-1.f)),
            bits(0x1p-11f + 0x1p-24f))
      << "one rounding";
  EXPECT_EQ(op32("add.rz.f32 %r0, %r1, %r2;", bits(1.f), bits(0x1.8p-24f)),
            bits(1.f));
  EXPECT_EQ(op32("add.rp.f32 %r0, %r1, %r2;", bits(1.f), bits(0x1p-40f)),
            bits(1.f + 0x1p-23f));
  EXPECT_EQ(op32("mul.rm.f32 %r0, %r1, %r2;", bits(-1.f), bits(1 + 0x1p-23f)),
            bits(-1.f - 0x1p-23f));
  EXPECT_EQ(op32("div.rn.f32 %r0, %r1, %r2;", bits(1.f), bits(3.f)),
            bits(1.f / 3.f));
  EXPECT_EQ(op32("sqrt.rn.f32 %r0, %r1;", bits(2.f)), bits(std::sqrt(2.f)));
  EXPECT_EQ(op32("min.f32 %r0, %r1, %r2;", 0x7fc00000, bits(3.f)), bits(3.f))
      << "a NaN is ignored";
  EXPECT_EQ(op32("min.NaN.f32 %r0, %r1, %r2;", 0x7fc00000, bits(3.f)),
            0x7fffffffu);
  EXPECT_EQ(op32("max.f32 %r0, %r1, %r2;", bits(-0.f), bits(0.f)), bits(0.f))
      << "+0 > -0";
  EXPECT_EQ(op32("abs.f32 %r0, %r1;", bits(-2.f)), bits(2.f));
  EXPECT_EQ(op32("ex2.approx.f32 %r0, %r1;", bits(3.f)), bits(8.f));
  EXPECT_EQ(op32("lg2.approx.f32 %r0, %r1;", bits(8.f)), bits(3.f));
  double third = 1.0 / 3.0;
  uint64_t b;
  std::memcpy(&b, &third, 8);
  EXPECT_EQ(
      op64("mov.b64 %rd5, 0d4008000000000000;\nrcp.rn.f64 %rd4, %rd5;", 0), b);
}

TEST(Scalar, HalfArithmetic) {
  // f16: 1 + 2^-11 is a tie, to even.
  EXPECT_EQ(op32("add.f16x2 %r0, %r1, %r2;", 0x3c003c01, 0x10001000),
            0x3c003c02u);
  // fma f16 at a tie that a tiny addend breaks: (1+2^-10)*(1+2^-10)... + 2^-24.
  EXPECT_EQ(op32("mov.b32 {%h0, %h1}, %r1;\nmov.b32 {%h2, %h3}, "
                 "%r2;\nfma.rn.f16 %h4, %h0, %h1, %h2;\ncvt.u32.u16 %r0, %h4;",
                 0x3c003c01, 0x00001000) &
                0xffff,
            0x3c02u)
      << "1 + 2^-10 + 2^-11 is a tie: to even";
  EXPECT_EQ(
      op32("fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3;", 0xbf803f80, 0x3f803f80, 0),
      0x00003f80u);
  EXPECT_EQ(op32("min.NaN.bf16x2 %r0, %r1, %r2;", 0x7fc03f80, 0x3f804000),
            0x7fff3f80u);
  EXPECT_EQ(op32("neg.f16x2 %r0, %r1;", 0x3c00bc00), 0xbc003c00u);
}

TEST(Scalar, Conversions) {
  EXPECT_EQ(op32("cvt.rn.f16x2.f32 %r0, %r1, %r2;", bits(1.f), bits(2.f)),
            0x3c004000u)
      << "the first operand is the high half";
  EXPECT_EQ(op32("cvt.rn.bf16x2.f32 %r0, %r1, %r2;", bits(1.f), bits(-2.f)),
            0x3f80c000u);
  EXPECT_EQ(op32("cvt.rna.tf32.f32 %r0, %r1;", 0x3f801000), 0x3f802000u)
      << "ties away from zero";
  EXPECT_EQ(op32("cvt.rzi.s32.f32 %r0, %r1;", bits(-2.7f)), uint32_t(-2));
  EXPECT_EQ(op32("cvt.rni.s32.f32 %r0, %r1;", bits(2.5f)), 2u);
  EXPECT_EQ(op32("cvt.rzi.u32.f32 %r0, %r1;", bits(-1.f)), 0u) << "clamped";
  EXPECT_EQ(op32("cvt.rzi.s32.f32 %r0, %r1;", bits(1e20f)), 0x7fffffffu);
  EXPECT_EQ(op32("cvt.rn.f32.s32 %r0, %r1;", 0x7fffffff), bits(2147483648.f));
  EXPECT_EQ(op32("cvt.sat.u8.s32 %r0, %r1;", 300), 255u);
  EXPECT_EQ(op32("cvt.s8.s32 %r0, %r1;", 0x80), 0xffffff80u);
  EXPECT_EQ(
      op32("cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;\ncvt.u32.u16 %r0, %h0;",
           bits(1000.f), bits(1.f)),
      0x7e38u)
      << "448 and 1";
  EXPECT_EQ(op64("cvt.s64.s32 %rd4, %r1;", 0xffffffff), ~uint64_t(0));
  EXPECT_EQ(op64("cvt.u64.u32 %rd4, %r1;", 0xffffffff), uint64_t(0xffffffff));
}

TEST(Scalar, CompareAndSelect) {
  auto setp = [](const std::string &kind, uint32_t a, uint32_t b) {
    return op32("setp." + kind + " %p1, %r1, %r2;\nselp.u32 %r0, 1, 0, %p1;", a,
                b);
  };
  EXPECT_EQ(setp("lt.s32", uint32_t(-1), 0), 1u);
  EXPECT_EQ(setp("lo.u32", uint32_t(-1), 0), 0u);
  EXPECT_EQ(setp("eq.f32", 0x7fc00000, 0x7fc00000), 0u);
  EXPECT_EQ(setp("ne.f32", 0x7fc00000, 0x7fc00000), 0u)
      << "ordered: false for NaN";
  EXPECT_EQ(setp("neu.f32", 0x7fc00000, 0x7fc00000), 1u);
  EXPECT_EQ(setp("num.f32", 0x7fc00000, 0), 0u);
  EXPECT_EQ(setp("eq.f32", bits(-0.f), bits(0.f)), 1u);
  EXPECT_EQ(op32("setp.eq.u32 %p2, %r1, 5;\nsetp.lt.and.u32 %p1|%p3, %r1, %r2, "
                 "%p2;\nselp.u32 %r0, 1, 0, %p1;\nselp.u32 %r5, 2, 0, "
                 "%p3;\nadd.u32 %r0, %r0, %r5;",
                 5, 6),
            1u);
  EXPECT_EQ(op32("set.lt.u32.f32 %r0, %r1, %r2;", bits(1.f), bits(2.f)),
            0xffffffffu);
  EXPECT_EQ(op32("slct.u32.s32 %r0, %r1, %r2, %r3;", 11, 22, uint32_t(-1)),
            22u);
}

TEST(Scalar, PacksAndUnpacks) {
  EXPECT_EQ(op64("mov.b64 %rd4, {%r2, %r1};", 0x11111111, 0x22222222),
            0x1111111122222222u);
  EXPECT_EQ(
      op32("mov.b32 {%h0, %h1}, %r1;\nmov.b32 %r0, {%h1, %h0};", 0x12345678),
      0x56781234u);
}

TEST(Scalar, ImmediateFloatsKeepTheirBits) {
  EXPECT_EQ(op32("mov.f32 %f0, 0f3F9D70A4;\nmov.b32 %r0, %f0;", 0),
            0x3F9D70A4u);
  EXPECT_EQ(op32("add.f32 %r0, %r1, 0fBF800000;", bits(3.f)), bits(2.f));
}

} // namespace
