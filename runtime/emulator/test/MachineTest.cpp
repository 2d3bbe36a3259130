// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps, divergence, barriers, memory errors, launch refusals.
#include "EmulatorTestSupport.h"

using namespace gemm::emulator;
using namespace gemm::emulator::test;

namespace {

const char *kThreadOut = "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, "
                         "4;\nadd.u64 %rd3, %rd0, %rd2;\n";

TEST(Divergence, LanesMeetAtThePostDominator) {
  // The .aligned barrier after the loop needs all lanes together again.
  auto r = runBody<uint32_t>(
      std::string(kThreadOut) +
          "mov.u32 %r2, 0;\nLOOP:\nadd.u32 %r2, %r2, 1;\nsetp.le.u32 %p1, %r2, "
          "%r1;\n@%p1 bra LOOP;\nbar.sync 0;\nst.global.u32 [%rd3], %r2;",
      64, std::vector<uint32_t>(1), 64);
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(r.out[i], i + 1);
}

TEST(Divergence, AlignedUnderAPartialMaskIsAnError) {
  auto r = runBody<uint32_t>(std::string(kThreadOut) +
                                 "setp.lt.u32 %p1, %r1, 16;\n@%p1 bar.sync 0;",
                             1);
  EXPECT_TRUE(hasReport(r.launch, ReportKind::Divergence))
      << r.launch.summary();
}

TEST(Divergence, SyncShuffleGathersItsMembers) {
  // Both sides run to the same shuffle after the join.
  auto r = runBody<uint32_t>(
      std::string(kThreadOut) +
          "setp.lt.u32 %p1, %r1, 7;\nmov.u32 %r2, 1;\n@%p1 bra A;\nmov.u32 "
          "%r2, 100;\nbra B;\nA:\nmov.u32 %r2, 5;\nB:\n"
          "shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1;\nst.global.u32 [%rd3], "
          "%r3;",
      32);
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r.out[i], (i ^ 16) < 7 ? 5u : 100u);
}

TEST(Divergence, SplitsOfOneWarpWaitForEachOther) {
  // Lane 0 spins on a flag that lane 1 of the same warp sets afterwards.
  auto r = runBody<uint32_t>(
      std::string(".shared .u32 flag;\n") + kThreadOut +
          "setp.eq.u32 %p1, %r1, 0;\n@!%p1 bra "
          "OTHER;\nSPIN:\nld.volatile.shared.u32 %r2, [flag];\nsetp.ne.u32 "
          "%p2, %r2, 7;\n@%p2 bra SPIN;\nbra END;\n"
          "OTHER:\nsetp.eq.u32 %p3, %r1, 1;\nmov.u32 %r2, 7;\n@%p3 "
          "st.volatile.shared.u32 [flag], %r2;\nEND:\nst.global.u32 [%rd3], "
          "%r2;",
      32, std::vector<uint32_t>(1), 32, [] {
        LaunchOptions o;
        o.sanitize = SanitizeMode::Off;
        return o;
      }());
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  EXPECT_EQ(r.out[0], 7u);
}

TEST(Warp, VotesAndReductions) {
  auto r = runBody<uint32_t>(
      std::string(kThreadOut) +
          "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, "
          "0;\nvote.sync.ballot.b32 %r3, %p1, -1;\nredux.sync.add.u32 %r4, "
          "%r1, -1;\n"
          "match.any.sync.b32 %r5, %r2, -1;\nadd.u32 %r6, %r3, %r4;\nxor.b32 "
          "%r6, %r6, %r5;\nst.global.u32 [%rd3], %r6;",
      32);
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r.out[i],
              (0x55555555u + 496) ^ (i % 2 ? 0xaaaaaaaau : 0x55555555u));
}

TEST(Barrier, CountMismatchIsAnError) {
  auto r = runBody<uint32_t>(
      "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\nbar.sync "
      "1, 64;\nbra END;\nA:\nbar.sync 1, 96;\nEND:\n",
      1, std::vector<uint32_t>(1), 64);
  EXPECT_TRUE(hasReport(r.launch, ReportKind::Barrier)) << r.launch.summary();
}

TEST(Barrier, DeadlockNamesWhoWaitsForWhat) {
  auto r = runBody<uint32_t>(
      "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\nbar.sync "
      "1, 64;\nbra END;\nA:\nbar.sync 2, 64;\nEND:\n",
      1, std::vector<uint32_t>(1), 64);
  ASSERT_TRUE(hasReport(r.launch, ReportKind::Deadlock)) << r.launch.summary();
  EXPECT_NE(r.launch.summary().find("barrier 1 (32 of 64 threads arrived)"),
            std::string::npos)
      << r.launch.summary();
}

TEST(Barrier, SpinWithoutEndIsALivelock) {
  auto r =
      runBody<uint32_t>("SPIN:\nld.volatile.global.u32 %r1, "
                        "[%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra SPIN;",
                        1, std::vector<uint32_t>{0});
  ASSERT_TRUE(hasReport(r.launch, ReportKind::Deadlock)) << r.launch.summary();
  EXPECT_NE(r.launch.summary().find("livelock"), std::string::npos);
}

TEST(Barrier, ReductionReachesEveryThread) {
  auto r = runBody<uint32_t>(std::string(kThreadOut) +
                                 "setp.lt.u32 %p1, %r1, 70;\nbar.red.popc.u32 "
                                 "%r2, 0, %p1;\nst.global.u32 [%rd3], %r2;",
                             128, std::vector<uint32_t>(1), 128);
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(r.out[i], 70u);
}

TEST(Memory, OutOfBoundsSaysWhere) {
  auto r = runBody<uint32_t>(
      std::string(kThreadOut) + "st.global.u32 [%rd3], %r1;", 31);
  ASSERT_TRUE(hasReport(r.launch, ReportKind::OutOfBounds))
      << r.launch.summary();
  EXPECT_NE(r.launch.summary().find("lane 31"), std::string::npos)
      << r.launch.summary();
  EXPECT_NE(r.launch.summary().find(
                "0 bytes past the end of the 124-byte allocation"),
            std::string::npos)
      << r.launch.summary();
}

TEST(Memory, MisalignedAndNullAndShared) {
  EXPECT_TRUE(
      hasReport(runBody<uint32_t>("st.global.u32 [%rd0+2], 0;", 4).launch,
                ReportKind::Misaligned));
  EXPECT_TRUE(hasReport(
      runBody<uint32_t>("mov.u64 %rd2, 0;\nld.global.u32 %r1, [%rd2];", 4)
          .launch,
      ReportKind::OutOfBounds));
  EXPECT_TRUE(
      hasReport(runBody<uint32_t>(".shared .align 4 .b8 s[64];\nmov.u32 %r1, "
                                  "s;\nst.shared.u32 [%r1+64], 0;",
                                  4)
                    .launch,
                ReportKind::OutOfBounds));
}

TEST(Memory, UndefinedDataIsReportedWhereItMatters) {
  // Loading and moving undefined bytes is fine; storing them to global memory,
  // or using them as a predicate or an address, is not.
  EXPECT_TRUE(
      runBody<uint32_t>("ld.global.u32 %r1, [%rd0];\nadd.u32 %r2, %r1, 1;", 4)
          .launch.ok);
  EXPECT_TRUE(
      hasReport(runBody<uint32_t>("ld.global.u32 %r1, [%rd0];\nadd.u32 %r2, "
                                  "%r1, 1;\nst.global.u32 [%rd0+4], %r2;",
                                  4)
                    .launch,
                ReportKind::Undefined));
  EXPECT_TRUE(
      hasReport(runBody<uint32_t>("ld.global.u32 %r1, [%rd0];\nsetp.eq.u32 "
                                  "%p1, %r1, 0;\n@%p1 mov.u32 %r2, 0;",
                                  4)
                    .launch,
                ReportKind::Undefined));
  EXPECT_TRUE(
      hasReport(runBody<uint32_t>("st.global.u32 [%rd0], %r9;", 4).launch,
                ReportKind::Undefined))
      << "a register never written";
}

// A vector or a packed register may hold padding beside what counts.
TEST(Memory, PaddingBesideDefinedData) {
  auto body = [](const char *rest) {
    return std::string(".shared .align 16 .b8 s[16];\nmov.u32 %r9, s;\nmov.u32 "
                       "%r1, 7;\nmov.u16 %h1, 5;\nst.shared.u32 [%r9], "
                       "%r1;\nst.shared.u16 [%r9+4], %h1;\n"
                       "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r9];\n") +
           rest;
  };
  auto clean = [&](const char *rest) {
    auto r = runBody<uint32_t>(body(rest), 4, {0}, 1);
    EXPECT_TRUE(r.launch.reports.empty()) << rest << r.launch.summary();
    return r.out[0];
  };
  auto reported = [&](const char *rest) {
    auto r = runBody<uint32_t>(body(rest), 4, {0}, 1);
    EXPECT_TRUE(hasReport(r.launch, ReportKind::Undefined)) << rest;
  };
  EXPECT_EQ(clean("st.global.u32 [%rd0], %r2;\n"), 7u);
  reported("st.global.u32 [%rd0], %r3;\n");
  reported("st.global.u32 [%rd0], %r4;\n");
  // Halves.
  EXPECT_EQ(clean("mov.b32 {%h2, %h3}, %r3;\nst.global.u16 [%rd0], "
                  "%h2;\nst.global.u16 [%rd0+2], %h1;\n"),
            0x50005u);
  reported("mov.b32 {%h2, %h3}, %r3;\nst.global.u16 [%rd0], %h3;\n");
  EXPECT_EQ(clean("mov.b32 {%h2, %h3}, %r3;\nmov.b32 %r6, {%h3, %h2};\nmov.b64 "
                  "%rd2, {%r6, %r2};\nmov.b64 {%r7, %r8}, %rd2;\nmov.b32 {%h4, "
                  "%h5}, %r7;\nst.global.u16 [%rd0], %h5;\nst.global.u16 "
                  "[%rd0+2], %h5;\n"),
            0x50005u);
  // By way of memory, and back.
  EXPECT_EQ(clean("st.shared.v2.u32 [%r9+8], {%r3, %r2};\nld.shared.u32 %r6, "
                  "[%r9+12];\nst.global.u32 [%rd0], %r6;\n"),
            7u);
  reported("st.shared.u32 [%r9+8], %r3;\nld.shared.u16 %h2, "
           "[%r9+10];\nst.global.u16 [%rd0], %h2;\n");
  // Any other instruction makes it undefined as a whole.
  reported("add.u32 %r6, %r3, 1;\nmov.b32 {%h2, %h3}, %r6;\nst.global.u16 "
           "[%rd0], %h2;\n");
}

TEST(Memory, SharedAndLocalGenericAddresses) {
  auto r = runBody<uint32_t>(
      std::string(".shared .align 4 .b8 s[128];\n.local .align 4 .b8 l[8];\n") +
          kThreadOut +
          "mov.u64 %rd4, s;\ncvta.shared.u64 %rd4, %rd4;\nadd.u64 %rd4, %rd4, "
          "%rd2;\nst.u32 [%rd4], %r1;\nld.u32 %r2, [%rd4];\n"
          "mov.u64 %rd5, l;\ncvta.local.u64 %rd5, %rd5;\nst.u32 [%rd5+4], "
          "%r2;\nld.local.u32 %r3, [l+4];\nst.global.u32 [%rd3], %r3;",
      32);
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r.out[i], i);
}

TEST(Memory, Atomics) {
  auto r = runBody<uint32_t>(
      "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.v4.u32 "
      "[%rd0], {0, 0, 0, 0};\nbar.sync 0;\n"
      "red.global.add.u32 [%rd0], 1;\natom.global.max.u32 %r2, [%rd0+4], "
      "%r1;\natom.global.inc.u32 %r3, [%rd0+8], 9;\n"
      "mov.f32 %f1, 0f3F800000;\nred.global.add.f32 [%rd0+12], %f1;",
      4, std::vector<uint32_t>(1), 64);
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  EXPECT_EQ(r.out[0], 64u);
  EXPECT_EQ(r.out[1], 63u);
  EXPECT_EQ(r.out[2], 64u % 10);
  EXPECT_EQ(r.out[3], bits(64.f));
}

TEST(Launch, RefusalsOfTheDriver) {
  auto m =
      parsed(header() +
             ".visible .entry k()\n.reqntid 64\n{\nret;\n}\n.visible .entry "
             "c()\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n{\nret;\n}\n");
  auto d = device();
  auto refusal = [&](const char *entry, Dim3 grid, Dim3 block, Dim3 cluster,
                     size_t shared) {
    return d
        ->launch(*m, entry, grid, block, cluster, shared,
                 static_cast<void *const *>(nullptr))
        .refusal;
  };
  EXPECT_NE(refusal("missing", {}, {64, 1, 1}, {}, 0), "");
  EXPECT_NE(refusal("k", {}, {32, 1, 1}, {}, 0), "") << ".reqntid";
  EXPECT_NE(refusal("k", {0, 1, 1}, {64, 1, 1}, {}, 0), "");
  EXPECT_NE(refusal("k", {}, {64, 1, 1}, {}, 232449), "")
      << "more than 227 KiB";
  EXPECT_EQ(refusal("k", {}, {64, 1, 1}, {}, 232448), "");
  EXPECT_NE(refusal("c", {3, 1, 1}, {64, 1, 1}, {2, 1, 1}, 0), "")
      << "the grid is no multiple of the cluster";
  EXPECT_NE(refusal("c", {4, 1, 1}, {64, 1, 1}, {4, 1, 1}, 0), "")
      << ".reqnctapercluster";
  EXPECT_NE(refusal("c", {2, 1, 1}, {1025, 1, 1}, {2, 1, 1}, 0), "");
  EXPECT_FALSE(bool(Device::create("sm_12345")));
  auto old = device("sm_80");
  EXPECT_NE(old->launch(*m, "k", {}, {64, 1, 1}, {}, 0,
                        static_cast<void *const *>(nullptr))
                .refusal,
            "")
      << "sm_90a PTX on sm_80";
}

TEST(Launch, SeveralWavesOfClusters) {
  // 24 clusters of 2 on a chip with room for few: each CTA adds its rank + 1.
  LaunchOptions o;
  o.sms = 2;
  auto r = runBody<uint32_t>(
      "mov.u32 %r1, %cluster_ctarank;\nadd.u32 %r1, %r1, 1;\nmov.u32 %r2, "
      "%ctaid.x;\nmul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd0, %rd0, %rd2;\n"
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nst."
      "global.u32 [%rd0], %r1;",
      48, std::vector<uint32_t>(1), 32, o, "sm_90a", {48, 1, 1}, {2, 1, 1},
      200 << 10);
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  for (uint32_t i = 0; i < 48; ++i)
    EXPECT_EQ(r.out[i], i % 2 + 1);
}

TEST(Launch, DistributedSharedMemory) {
  auto r = runBody<uint32_t>(
      ".shared .align 4 .u32 s;\nmov.u32 %r1, %cluster_ctarank;\nmov.u32 %r2, "
      "%tid.x;\nsetp.eq.u32 %p1, %r2, 0;\nadd.u32 %r3, %r1, 40;\n"
      "@%p1 st.shared.u32 [s], "
      "%r3;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nxor.b32 %r4, %r1, "
      "1;\nmov.u32 %r5, s;\n"
      "mapa.shared::cluster.u32 %r6, %r5, %r4;\nld.shared::cluster.u32 %r7, "
      "[%r6];\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
      "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd0, %rd0, %rd2;\n@%p1 "
      "st.global.u32 [%rd0], %r7;",
      2, std::vector<uint32_t>(1), 32, {}, "sm_90a", {2, 1, 1}, {2, 1, 1});
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  EXPECT_EQ(r.out[0], 41u);
  EXPECT_EQ(r.out[1], 40u);
}

} // namespace
