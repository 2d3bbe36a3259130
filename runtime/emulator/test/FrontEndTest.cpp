// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grammar of real producers (PTX ISA "Syntax", "Directives").
#include "EmulatorTestSupport.h"

using namespace gemm::emulator;
using namespace gemm::emulator::test;

namespace {

std::string errorOf(const std::string &ptx) {
  auto m = Module::parse(ptx);
  EXPECT_FALSE(bool(m));
  return m.error();
}

TEST(FrontEnd, UnknownInstructionNamesItselfAndItsLine) {
  std::string e = errorOf(
      header() +
      ".entry k()\n{\n.reg .b32 %r<2>;\nfrobnicate.u32 %r0, %r1;\nret;\n}\n");
  EXPECT_NE(e.find("line 7"), std::string::npos) << e;
  EXPECT_NE(e.find("frobnicate.u32"), std::string::npos) << e;
}

TEST(FrontEnd, UnknownModifierIsAnError) {
  std::string e = errorOf(kernel("add.nearly.u32 %r0, %r1, %r2;"));
  EXPECT_NE(e.find("nearly"), std::string::npos) << e;
}

TEST(FrontEnd, RegisterWidthIsChecked) {
  EXPECT_NE(errorOf(kernel("add.u32 %rd0, %r1, %r2;")), "");
  EXPECT_NE(errorOf(kernel("add.u64 %rd0, %rd1, %r2;")), "");
}

TEST(FrontEnd, MissingHeaderIsAnError) {
  EXPECT_NE(errorOf(""), "");
  EXPECT_NE(errorOf("int main() { return 0; }"), "");
  EXPECT_NE(errorOf(".version 8.0\n"), "");
}

TEST(FrontEnd, ParametersAreLaidOutNaturally) {
  auto m = parsed(header() + ".visible .entry k(.param .u32 a, .param .u64 "
                             ".ptr .global .align 16 b, .param .u8 c,"
                             " .param .align 64 .b8 map[128], .param .u16 "
                             "e)\n.reqntid 128\n.minnctapersm 1\n{\nret;\n}\n");
  ASSERT_TRUE(m);
  const EntryInfo *e = m->entry("k");
  ASSERT_TRUE(e);
  ASSERT_EQ(e->params.size(), 5u);
  EXPECT_EQ(e->params[0].offset, 0u);
  EXPECT_EQ(e->params[1].offset, 8u);
  EXPECT_EQ(e->params[2].offset, 16u);
  EXPECT_EQ(e->params[3].offset, 64u);
  EXPECT_EQ(e->params[3].size, 128u);
  EXPECT_TRUE(e->params[3].aggregate);
  EXPECT_EQ(e->params[4].offset, 192u);
  EXPECT_EQ(e->paramBytes, 194u);
  EXPECT_EQ(e->reqntid.x, 128u);
}

// LLVM's inline assembly: every copy has its own scope with the same names.
TEST(FrontEnd, ScopesHaveTheirOwnRegistersAndLabels) {
  std::string scope =
      "{\n.reg .pred p;\n.reg .b32 t;\nsetp.eq.u32 p, %r1, 0;\n@p bra "
      "DONE;\nmov.u32 t, 5;\nadd.u32 %r2, %r2, t;\nDONE:\n}\n";
  auto r = runBody<uint32_t>("mov.u32 %r1, 1;\nmov.u32 %r2, 0;\n" + scope +
                                 scope + "st.global.u32 [%rd0], %r2;",
                             1);
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  EXPECT_EQ(r.out[0], 10u);
}

TEST(FrontEnd, BranchToALabelOfAnOuterScope) {
  auto r = runBody<uint32_t>("mov.u32 %r2, 1;\n{\n{\nbra OUT;\n}\nmov.u32 %r2, "
                             "2;\n}\nOUT:\nst.global.u32 [%rd0], %r2;",
                             1);
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  EXPECT_EQ(r.out[0], 1u);
}

TEST(FrontEnd, UndefinedAndDoubleLabelsAreErrors) {
  EXPECT_NE(errorOf(kernel("bra NOWHERE;")).find("NOWHERE"), std::string::npos);
  EXPECT_NE(errorOf(kernel("L:\nL:\n")).find("twice"), std::string::npos);
  EXPECT_NE(errorOf(kernel("{\nL:\n}\nbra L;")).find("L"), std::string::npos);
}

TEST(FrontEnd, CallWithParameterStacks) {
  std::string ptx =
      header() +
      ".func (.param .b32 result) twice(.param .b32 x)\n{\n.reg .b32 "
      "%r<4>;\nld.param.b32 %r1, [x];\nadd.u32 %r2, %r1, %r1;\nst.param.b32 "
      "[result], %r2;\nret;\n}\n"
      ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n.reg .b64 "
      "%rd<4>;\nld.param.u64 %rd0, [out];\nmov.u32 %r1, %tid.x;\n"
      "{\n.param .b32 p0;\n.param .b32 retval0;\nst.param.b32 [p0], "
      "%r1;\ncall.uni (retval0), twice, (p0);\nld.param.b32 %r2, "
      "[retval0];\n}\n"
      "mul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd0, %rd0, %rd1;\nst.global.u32 "
      "[%rd0], %r2;\nret;\n}\n";
  auto m = parsed(ptx);
  ASSERT_TRUE(m);
  auto d = device();
  uint64_t out = *d->allocate(128);
  void *params[] = {&out};
  LaunchResult r = d->launch(*m, "k", {}, {32, 1, 1}, {}, 0, params);
  EXPECT_TRUE(r.ok) << r.summary();
  auto v = download<uint32_t>(*d, out, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(v[i], 2 * i);
}

TEST(FrontEnd, BranchTargets) {
  auto r = runBody<uint32_t>(
      "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 3;\nmul.wide.u32 %rd2, %r1, "
      "4;\nadd.u64 %rd0, %rd0, %rd2;\n"
      "TABLE: .branchtargets A, B, C, D;\nbrx.idx %r2, TABLE;\n"
      "A: mov.u32 %r3, 10;\nbra END;\nB: mov.u32 %r3, 20;\nbra END;\nC: "
      "mov.u32 %r3, 30;\nbra END;\nD: mov.u32 %r3, 40;\n"
      "END:\nbar.warp.sync -1;\nst.global.u32 [%rd0], %r3;",
      32);
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r.out[i], 10 * (i % 4 + 1));
}

TEST(FrontEnd, SectionsPragmasAndLocations) {
  auto m =
      parsed(header() + ".file 1 \"gemm.cu\"\n.visible .entry k()\n{\n.loc 1 7 "
                        "3, function_name $L__info, inlined_at 1 9 2\n"
                        ".pragma \"nounroll\";\nret;\n}\n.section .debug_str "
                        "{\n$L__info:\n.b8 103\n.b8 0\n}\n");
  EXPECT_TRUE(m);
}

TEST(FrontEnd, ModuleVariablesWithInitialisers) {
  std::string ptx = header() +
                    ".visible .global .align 4 .u32 table[4] = {7, 8, 9, "
                    "-1};\n.global .u64 pointer = generic(table)+8;\n"
                    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 "
                    "%r<4>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd0, [out];\n"
                    "ld.global.u64 %rd1, [pointer];\nld.global.u32 %r1, "
                    "[%rd1];\nld.global.u32 %r2, [table+12];\nst.global.v2.u32 "
                    "[%rd0], {%r1, %r2};\nret;\n}\n";
  auto m = parsed(ptx);
  ASSERT_TRUE(m);
  auto d = device();
  uint64_t out = *d->allocate(8);
  void *params[] = {&out};
  LaunchResult r = d->launch(*m, "k", {}, {1, 1, 1}, {}, 0, params);
  EXPECT_TRUE(r.ok) << r.summary();
  auto v = download<uint32_t>(*d, out, 2);
  EXPECT_EQ(v[0], 9u);
  EXPECT_EQ(v[1], 0xffffffffu);
}

} // namespace
