//===- TargetsTest.cpp - Facts of the target table ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers from the CUDA C++ Programming Guide ("Technical Specifications per
// Compute Capability", "Features and Technical Specifications") and the PTX
// ISA.
//
//===----------------------------------------------------------------------===//

#include "Gemm/Target/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace gemm;
using namespace mlir;

namespace {

class Targets : public testing::Test {
protected:
  Targets() : builder(&context) { context.loadDialect<GemmDialect>(); }

  const Instruction *find(StringRef target, InstructionKind kind, int64_t m,
                          int64_t n, int64_t k, Type ab, Type accumulator) {
    return lookupTarget(target)->find(kind, m, n, k, ab, ab, accumulator);
  }

  MLIRContext context;
  Builder builder;
  Type f16 = Float16Type::get(&context), bf16 = BFloat16Type::get(&context),
       f32 = Float32Type::get(&context), f64 = Float64Type::get(&context),
       tf32 = FloatTF32Type::get(&context),
       e4m3 = Float8E4M3FNType::get(&context),
       i8 = IntegerType::get(&context, 8), i32 = IntegerType::get(&context, 32);
};

TEST_F(Targets, LimitsAreThoseOfTheGuide) {
  struct {
    StringRef name;
    int ptx;
    int64_t perCta, perSm, threadsPerSm;
  } rows[] = {
      {"sm_70", 60, 98304, 98304, 2048},
      {"sm_75", 63, 65536, 65536, 1024},
      {"sm_80", 70, 166912, 167936, 2048},
      {"sm_86", 71, 101376, 102400, 1536},
      {"sm_89", 78, 101376, 102400, 1536},
      {"sm_90a", 80, 232448, 233472, 2048},
      {"sm_100a", 86, 232448, 233472, 2048},
      {"sm_120a", 87, 101376, 102400, 1536},
  };
  for (auto row : rows) {
    SCOPED_TRACE(row.name.str());
    const TargetInfo *target = lookupTarget(row.name);
    ASSERT_TRUE(target);
    EXPECT_EQ(target->name, row.name);
    EXPECT_EQ(target->ptx, row.ptx);
    EXPECT_EQ(target->sharedPerCta, row.perCta);
    EXPECT_EQ(target->sharedPerSm, row.perSm);
    EXPECT_EQ(target->threadsPerSm, row.threadsPerSm);
    EXPECT_EQ(target->registersPerSm, 65536);
    EXPECT_EQ(target->registersPerThread, 255);
    EXPECT_EQ(target->threadsPerCta, 1024);
  }
}

TEST_F(Targets, CopyEnginesAndTheirPtx) {
  for (StringRef name : {"sm_70", "sm_75"})
    EXPECT_FALSE(lookupTarget(name)->supports(CopyEngine::CpAsync));
  for (StringRef name : {"sm_80", "sm_86", "sm_89"}) {
    EXPECT_TRUE(lookupTarget(name)->supports(CopyEngine::CpAsync));
    EXPECT_FALSE(lookupTarget(name)->supports(CopyEngine::Tma));
  }
  for (StringRef name : {"sm_90a", "sm_100a", "sm_120a"})
    EXPECT_TRUE(lookupTarget(name)->supports(CopyEngine::Tma));
  EXPECT_TRUE(lookupTarget("sm_70")->supports(CopyEngine::Registers));
  EXPECT_EQ(lookupTarget("sm_80")->ptxFor(CopyEngine::CpAsync), 70);
  EXPECT_EQ(lookupTarget("sm_89")->ptxFor(CopyEngine::CpAsync), 78);
  EXPECT_EQ(lookupTarget("sm_90a")->ptxFor(CopyEngine::Tma), 80);
  EXPECT_EQ(lookupTarget("sm_75")->ptxFor(CopyEngine::Registers), 63);
}

TEST_F(Targets, MmaSyncByGeneration) {
  auto mma = InstructionKind::MmaSync;
  EXPECT_FALSE(find("sm_70", mma, 16, 8, 8, f16, f32));
  EXPECT_TRUE(find("sm_75", mma, 16, 8, 8, f16, f32));
  EXPECT_FALSE(find("sm_75", mma, 16, 8, 16, f16, f32));
  EXPECT_FALSE(find("sm_75", mma, 16, 8, 8, bf16, f32));
  for (StringRef name :
       {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"}) {
    SCOPED_TRACE(name.str());
    for (Type type : {f16, bf16}) {
      const Instruction *i = find(name, mma, 16, 8, 16, type, f32);
      ASSERT_TRUE(i);
      EXPECT_EQ(i->ptx, 70);
    }
    EXPECT_TRUE(find(name, mma, 16, 8, 16, f16, f16));
    EXPECT_FALSE(find(name, mma, 16, 8, 16, bf16, bf16));
    EXPECT_TRUE(find(name, mma, 16, 8, 8, tf32, f32));
    EXPECT_TRUE(find(name, mma, 8, 8, 4, f64, f64));
    EXPECT_TRUE(find(name, mma, 16, 8, 32, i8, i32));
    // Whatever the machine, f32 is not multiplied by tensor cores unasked.
    EXPECT_FALSE(find(name, mma, 16, 8, 8, f32, f32));
    EXPECT_EQ(find(name, mma, 16, 8, 16, f64, f64) != nullptr,
              name != "sm_80" && name != "sm_86" && name != "sm_89");
    EXPECT_EQ(find(name, mma, 16, 8, 32, e4m3, f32) != nullptr,
              name != "sm_80" && name != "sm_86");
  }
  EXPECT_EQ(find("sm_89", mma, 16, 8, 32, e4m3, f32)->ptx, 84);
}

TEST_F(Targets, MixedTypes) {
  const TargetInfo *target = lookupTarget("sm_90a");
  Type e5m2 = Float8E5M2Type::get(&context);
  EXPECT_TRUE(
      target->find(InstructionKind::MmaSync, 16, 8, 32, e4m3, e5m2, f32));
  EXPECT_FALSE(
      target->find(InstructionKind::MmaSync, 16, 8, 16, f16, bf16, f32));
  EXPECT_TRUE(target->find(InstructionKind::Fma, 1, 1, 1, f16, bf16, f32));
}

TEST_F(Targets, WgmmaIsOneArchitecturesOwn) {
  auto wgmma = InstructionKind::Wgmma;
  for (StringRef name :
       {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_100a", "sm_120a"})
    EXPECT_FALSE(find(name, wgmma, 64, 256, 16, bf16, f32)) << name.str();
  for (int64_t n = 8; n <= 256; n += 8)
    EXPECT_TRUE(find("sm_90a", wgmma, 64, n, 16, bf16, f32));
  EXPECT_FALSE(find("sm_90a", wgmma, 64, 264, 16, bf16, f32));
  EXPECT_FALSE(find("sm_90a", wgmma, 64, 12, 16, bf16, f32));
  EXPECT_FALSE(find("sm_90a", wgmma, 64, 0, 16, bf16, f32));
  EXPECT_FALSE(find("sm_90a", wgmma, 64, 256, 8, bf16, f32));
  EXPECT_EQ(find("sm_90a", wgmma, 64, 256, 16, f16, f32)->ptx, 80);
  // Integers have fewer widths.
  EXPECT_TRUE(find("sm_90a", wgmma, 64, 24, 32, i8, i32));
  EXPECT_TRUE(find("sm_90a", wgmma, 64, 48, 32, i8, i32));
  EXPECT_FALSE(find("sm_90a", wgmma, 64, 40, 32, i8, i32));
}

TEST_F(Targets, FmaIsEverywhere) {
  for (StringRef name : {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90a",
                         "sm_100a", "sm_120a"})
    for (Type type : {f32, f16, bf16})
      EXPECT_TRUE(find(name, InstructionKind::Fma, 1, 1, 1, type, f32));
}

TEST_F(Targets, UnknownNamesAreRefusedWithTheKnownOnes) {
  EXPECT_EQ(knownTargets(),
            "sm_70, sm_75, sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a");
  EXPECT_FALSE(lookupTarget("sm_90"));
  EXPECT_FALSE(lookupTarget(""));
  EXPECT_EQ(getDefaultTarget().name, "sm_90a");

  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  Location loc = UnknownLoc::get(&context);
  EXPECT_FALSE(requireTarget(loc, TargetAttr::get(&context, "sm_91")));
  EXPECT_EQ(message, "unknown target 'sm_91'; the known ones are sm_70, sm_75, "
                     "sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a");
  EXPECT_FALSE(requireTarget(loc, TargetAttr()));
  EXPECT_EQ(message, "has no target; the known ones are sm_70, sm_75, sm_80, "
                     "sm_86, sm_89, sm_90a, sm_100a, sm_120a");
  message.clear();
  EXPECT_EQ(requireTarget(loc, TargetAttr::get(&context, "sm_80")),
            lookupTarget("sm_80"));
  EXPECT_EQ(message, "");
}

} // namespace
