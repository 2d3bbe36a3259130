// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before, proxies and asynchronous operations: what must be reported
// and what must not, under every timing of asynchronous operations.
#include "EmulatorTestSupport.h"

using namespace gemm::emulator;
using namespace gemm::emulator::test;

namespace {

const AsyncMode kModes[] = {AsyncMode::Late, AsyncMode::Early,
                            AsyncMode::Random};

std::vector<uint32_t> ramp(unsigned n) {
  std::vector<uint32_t> v(n);
  for (unsigned i = 0; i < n; ++i)
    v[i] = i * 3 + 1;
  return v;
}

LaunchResult run(const std::string &body, unsigned threads, AsyncMode mode,
                 std::vector<uint32_t> *out = nullptr, uint64_t seed = 1) {
  LaunchOptions o;
  o.async = mode;
  o.seed = seed;
  auto r = runBody<uint32_t>(body, 256, ramp(256), threads, o);
  if (out)
    *out = r.out;
  return r.launch;
}

std::string exchange(const char *barrier) {
  return std::string(
             ".shared .align 16 .b8 s[1024];\nmov.u32 %r1, %tid.x;\nshl.b32 "
             "%r2, %r1, 2;\nmov.u32 %r3, s;\nadd.u32 %r4, %r3, %r2;\n"
             "st.shared.u32 [%r4], %r1;\n") +
         barrier +
         "xor.b32 %r5, %r2, 128;\nadd.u32 %r5, %r3, %r5;\nld.shared.u32 %r6, "
         "[%r5];\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd0, %rd0, "
         "%rd2;\nst.global.u32 [%rd0], %r6;";
}

TEST(Race, BarrierOrdersSharedMemory) {
  for (AsyncMode mode : kModes) {
    LaunchResult with = run(exchange("bar.sync 0;\n"), 64, mode);
    EXPECT_TRUE(with.reports.empty()) << with.summary();
    // The other warp may have read in time or not: reported either way, as a
    // race or as the undefined data it then finds.
    bool found = false;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      LaunchOptions o;
      o.seed = seed;
      LaunchResult without = run(exchange(""), 64, mode, nullptr, seed);
      EXPECT_FALSE(without.ok);
      found |= hasReport(without, ReportKind::Race);
    }
    EXPECT_TRUE(found);
  }
}

std::string copyIn(const char *commit, const char *wait) {
  return std::string(".shared .align 16 .b8 s[512];\nmov.u32 %r1, "
                     "%tid.x;\nshl.b32 %r2, %r1, 4;\nmov.u32 %r3, s;\nadd.u32 "
                     "%r4, %r3, %r2;\ncvt.u64.u32 %rd2, %r2;\n"
                     "add.u64 %rd3, %rd1, %rd2;\ncp.async.cg.shared.global "
                     "[%r4], [%rd3], 16;\n") +
         commit + wait +
         "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r4];\nadd.u64 %rd4, %rd0, "
         "%rd2;\nst.global.v4.u32 [%rd4], {%r5, %r6, %r7, %r8};";
}

TEST(Async, CopyIsVisibleAfterItsWait) {
  for (AsyncMode mode : kModes) {
    std::vector<uint32_t> out;
    LaunchResult ok =
        run(copyIn("cp.async.commit_group;\n", "cp.async.wait_group 0;\n"), 32,
            mode, &out);
    EXPECT_TRUE(ok.reports.empty()) << ok.summary();
    for (unsigned i = 0; i < 128; ++i)
      EXPECT_EQ(out[i], i * 3 + 1);
    EXPECT_FALSE(run(copyIn("cp.async.commit_group;\n", ""), 32, mode).ok)
        << "no wait";
    EXPECT_FALSE(
        run(copyIn("cp.async.commit_group;\n", "cp.async.wait_group 1;\n"), 32,
            mode)
            .ok)
        << "one group may stay";
    EXPECT_FALSE(run(copyIn("", "cp.async.wait_group 0;\n"), 32, mode).ok)
        << "never committed";
  }
}

// Found by ptx-fuzz: waits where no warpgroup is, and counts of groups that no
// thread can commit.
TEST(Async, WaitsForGroups) {
  auto alone = run("wgmma.fence.sync.aligned;\nwgmma.wait_group.sync.aligned "
                   "0;\n",
                   32, AsyncMode::Late);
  EXPECT_TRUE(alone.ok) << alone.summary();
  for (const char *wait :
       {"cp.async.wait_group", "cp.async.bulk.wait_group",
        "cp.async.bulk.wait_group.read", "wgmma.wait_group.sync.aligned"})
    for (const char *count :
         {"-1", "-9223372036854775808", "9223372036854775807", "4294967296"}) {
      auto m = Module::parse(kernel(std::string(wait) + " " + count + ";\n"));
      ASSERT_FALSE(bool(m)) << wait << " " << count;
      EXPECT_NE(m.error().find("groups"), std::string::npos) << m.error();
    }
}

// A bulk copy into shared memory and its mbarrier.
std::string bulkIn(const char *wait, unsigned expected = 512) {
  return ".shared .align 128 .b8 s[512];\n.shared .align 8 .b64 bar;\nmov.u32 "
         "%r1, %tid.x;\nmov.u32 %r3, s;\nmov.u32 %r9, bar;\nsetp.eq.u32 %p1, "
         "%r1, 0;\n"
         "@%p1 mbarrier.init.shared.b64 [%r9], 1;\n@%p1 "
         "fence.mbarrier_init.release.cluster;\nbar.sync 0;\n@!%p1 bra WAIT;\n"
         "mbarrier.arrive.expect_tx.shared.b64 %rd8, [%r9], " +
         std::to_string(expected) +
         ";\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
         "[%r3], [%rd1], 512, [%r9];\nWAIT:\n" +
         wait +
         "shl.b32 %r2, %r1, 3;\nadd.u32 %r4, %r3, %r2;\ncvt.u64.u32 %rd2, "
         "%r2;\nld.shared.v2.u32 {%r5, %r6}, [%r4];\nadd.u64 %rd4, %rd0, "
         "%rd2;\nst.global.v2.u32 [%rd4], {%r5, %r6};";
}
const char *kTryWait = "AGAIN:\nmbarrier.try_wait.parity.shared.b64 %p2, "
                       "[%r9], 0;\n@!%p2 bra AGAIN;\n";

TEST(Race, MbarrierInitialisationIsOrderedAndFenced) {
  std::string whole = bulkIn(kTryWait), unfenced = whole, unordered = whole;
  const std::string fence = "@%p1 fence.mbarrier_init.release.cluster;\n",
                    barrier = "bar.sync 0;\n";
  unfenced.erase(unfenced.find(fence), fence.size());
  unordered.erase(unordered.find(barrier), barrier.size());
  EXPECT_TRUE(
      hasReport(run(unfenced, 64, AsyncMode::Late), ReportKind::ProxyRace));
  for (uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_FALSE(run(unordered, 64, AsyncMode::Late, nullptr, seed).ok);
}

TEST(Async, BulkCopyCompletesOnItsMbarrier) {
  for (AsyncMode mode : kModes) {
    std::vector<uint32_t> out;
    LaunchResult ok = run(bulkIn(kTryWait), 64, mode, &out);
    EXPECT_TRUE(ok.reports.empty()) << ok.summary();
    for (unsigned i = 0; i < 128; ++i)
      EXPECT_EQ(out[i], i * 3 + 1);
    EXPECT_FALSE(run(bulkIn(""), 64, mode).ok) << "nobody waits";
    LaunchResult stuck = run(bulkIn(kTryWait, 528), 64, mode);
    EXPECT_TRUE(hasReport(stuck, ReportKind::Deadlock))
        << "16 bytes never come: " << stuck.summary();
  }
}

// Generic writes, then a bulk store: needs a proxy fence and a wait before
// exit.
std::string bulkOut(const char *fence, const char *wait) {
  return std::string(".shared .align 128 .b8 s[512];\nmov.u32 %r1, "
                     "%tid.x;\nshl.b32 %r2, %r1, 3;\nmov.u32 %r3, s;\nadd.u32 "
                     "%r4, %r3, %r2;\nst.shared.v2.u32 [%r4], {%r1, %r2};\n") +
         fence +
         "bar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n@!%p1 bra "
         "END;\ncp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], "
         "512;\ncp.async.bulk.commit_group;\n" +
         wait + "END:\n";
}

TEST(Async, BulkStoreNeedsAProxyFence) {
  for (AsyncMode mode : kModes) {
    std::vector<uint32_t> out;
    LaunchResult ok = run(bulkOut("fence.proxy.async.shared::cta;\n",
                                  "cp.async.bulk.wait_group.read 0;\n"),
                          64, mode, &out);
    EXPECT_TRUE(ok.reports.empty()) << ok.summary();
    for (unsigned i = 0; i < 64; ++i)
      EXPECT_EQ(out[2 * i], i);
    EXPECT_TRUE(hasReport(
        run(bulkOut("", "cp.async.bulk.wait_group.read 0;\n"), 64, mode),
        ReportKind::ProxyRace));
  }
  for (AsyncMode mode : kModes)
    for (const char *wait : {"", "cp.async.bulk.wait_group.read 1;\n"})
      EXPECT_TRUE(hasReport(
          run(bulkOut("fence.proxy.async.shared::cta;\n", wait), 64, mode),
          ReportKind::AsyncMisuse))
          << "the CTA exits under the copy";
}

// cp.async is of the generic proxy: the "Async proxy" sections name only bulk
// copies and wgmma. Its completion does not order it before a bulk store.
TEST(Async, NonBulkCopyNeedsAProxyFence) {
  auto body = [](const char *fence) {
    return std::string(
               ".shared .align 128 .b8 s[512];\nmov.u32 %r1, "
               "%tid.x;\nshl.b32 %r2, %r1, 4;\nmov.u32 %r3, s;\nadd.u32 "
               "%r4, %r3, %r2;\ncvt.u64.u32 %rd2, %r2;\nadd.u64 %rd3, "
               "%rd1, %rd2;\ncp.async.cg.shared.global [%r4], [%rd3], "
               "16;\ncp.async.commit_group;\ncp.async.wait_group 0;\n") +
           fence +
           "bar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n@!%p1 bra "
           "END;\ncp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], "
           "512;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read "
           "0;\nEND:\n";
  };
  for (AsyncMode mode : kModes) {
    auto fenced = run(body("fence.proxy.async.shared::cta;\n"), 32, mode);
    EXPECT_TRUE(fenced.reports.empty()) << fenced.summary();
    EXPECT_TRUE(hasReport(run(body(""), 32, mode), ReportKind::ProxyRace));
  }
}

// "wgmma.fence": between any access to a register and a wgmma that uses it,
// except that wgmma of one shape follow each other on an accumulator.
TEST(Async, WgmmaFenceOrdersReadsToo) {
  auto body = [](const char *between) {
    const std::string multiply =
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, "
        "%f3}, %rd5, %rd5, %p1, 1, 1, 0, 0;\n";
    const std::string join = "wgmma.commit_group.sync.aligned;\n"
                             "wgmma.wait_group.sync.aligned 0;\n";
    return ".shared .align 1024 .b8 s[2048];\nmov.u32 %r1, %tid.x;\nshl.b32 "
           "%r2, %r1, 4;\nmov.u32 %r3, s;\nadd.u32 %r4, %r3, %r2;\nmov.u32 "
           "%r5, 0;\nst.shared.v4.u32 [%r4], {%r5, %r5, %r5, "
           "%r5};\nfence.proxy.async.shared::cta;\nbar.sync 0;\nshr.u32 %r6, "
           "%r3, 4;\nor.b32 %r6, %r6, 524288;\nmov.u32 %r7, 16;\nmov.b64 "
           "%rd5, {%r6, %r7};\nsetp.ne.u32 %p1, %r5, "
           "0;\nwgmma.fence.sync.aligned;\n" +
           multiply + join + between + multiply + join;
  };
  for (AsyncMode mode : kModes) {
    auto direct = run(body(""), 128, mode);
    EXPECT_TRUE(direct.reports.empty()) << direct.summary();
    EXPECT_TRUE(hasReport(run(body("add.f32 %f5, %f0, %f1;\n"), 128, mode),
                          ReportKind::AsyncMisuse));
    auto fenced = run(
        body("add.f32 %f5, %f0, %f1;\nwgmma.fence.sync.aligned;\n"), 128, mode);
    EXPECT_TRUE(fenced.reports.empty()) << fenced.summary();
  }
}

TEST(Race, ReleaseAndAcquireOrderGlobalMemory) {
  auto body = [](const char *store, const char *load) {
    return std::string("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, "
                       "0;\nsetp.eq.u32 %p2, %r1, 32;\n@!%p1 bra "
                       "SECOND;\nst.global.u32 [%rd0], 77;\n") +
           store + "bra END;\nSECOND:\n@!%p2 bra END;\nAGAIN:\n" + load +
           "setp.ne.u32 %p3, %r2, 5;\n@%p3 bra AGAIN;\nld.global.u32 %r3, "
           "[%rd0];\nst.global.u32 [%rd0+4], %r3;\nEND:\n";
  };
  auto ok = run(body("st.release.gpu.global.u32 [%rd1], 5;\n",
                     "ld.acquire.gpu.global.u32 %r2, [%rd1];\n"),
                64, AsyncMode::Random);
  EXPECT_TRUE(ok.reports.empty()) << ok.summary();
  ok = run(body("membar.gl;\nst.volatile.global.u32 [%rd1], 5;\n",
                "ld.volatile.global.u32 %r2, [%rd1];\nmembar.gl;\n"),
           64, AsyncMode::Random);
  EXPECT_TRUE(ok.reports.empty()) << ok.summary();
  auto bad = run(body("st.relaxed.gpu.global.u32 [%rd1], 5;\n",
                      "ld.relaxed.gpu.global.u32 %r2, [%rd1];\n"),
                 64, AsyncMode::Random);
  EXPECT_TRUE(hasReport(bad, ReportKind::Race)) << bad.summary();
}

// A split-K kernel's last CTA reads the partial sums of the others after
// counting with an atomic. "atom": without .sem it is .relaxed, which orders
// nothing.
TEST(Race, RelaxedCounterOrdersNoPartialSums) {
  auto body = [](const char *atom) {
    return std::string(
               "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 31;\nsetp.ne.u32 "
               "%p1, %r2, 0;\n@%p1 bra END;\nshr.u32 %r3, %r1, "
               "5;\nmul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd3, %rd0, "
               "%rd2;\nst.global.u32 [%rd3], %r1;\n") +
           atom +
           " %r4, [%rd1], 1;\nsetp.ne.u32 %p2, %r4, 2;\n@%p2 bra "
           "END;\nld.global.u32 %r5, [%rd0];\nld.global.u32 %r6, "
           "[%rd0+4];\nadd.u32 %r5, %r5, %r6;\nst.global.u32 [%rd0+8], "
           "%r5;\nEND:\n";
  };
  // in[0] is 1: the second of two warps sees 2.
  for (uint64_t seed = 0; seed < 4; ++seed) {
    auto ordered = run(body("atom.acq_rel.gpu.global.add.u32"), 64,
                       AsyncMode::Random, nullptr, seed);
    EXPECT_TRUE(ordered.reports.empty()) << ordered.summary();
    auto relaxed =
        run(body("atom.global.add.u32"), 64, AsyncMode::Random, nullptr, seed);
    EXPECT_TRUE(hasReport(relaxed, ReportKind::Race)) << relaxed.summary();
  }
}

// A copy of no bytes fills with zeros: it writes what others may still read.
TEST(Race, EmptyCopyWrites) {
  const std::string body =
      ".shared .align 16 .b8 s[1024];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, "
      "4;\nmov.u32 %r3, s;\nadd.u32 %r4, %r3, %r2;\nst.shared.u32 [%r4], "
      "%r1;\nbar.sync 0;\nxor.b32 %r5, %r2, 512;\nadd.u32 %r5, %r3, "
      "%r5;\nld.shared.u32 %r6, [%r5];\n";
  const std::string copy =
      "cp.async.cg.shared.global [%r4], [%rd1], 16, "
      "0;\ncp.async.commit_group;\ncp.async.wait_group 0;\n";
  for (AsyncMode mode : kModes) {
    EXPECT_TRUE(hasReport(run(body + copy, 64, mode), ReportKind::Race));
    auto apart = run(body + "bar.sync 0;\n" + copy, 64, mode);
    EXPECT_TRUE(apart.reports.empty()) << apart.summary();
  }
}

// Two copies of a thread to one address, the first of no bytes: nothing orders
// them ("cp.async") but a wait.
TEST(Race, CopiesOfOneThreadAreNotOrdered) {
  auto body = [](const char *between) {
    return std::string(
               ".shared .align 16 .b8 s[512];\nmov.u32 %r1, "
               "%tid.x;\nshl.b32 %r2, %r1, 4;\nmov.u32 %r3, s;\nadd.u32 "
               "%r4, %r3, %r2;\ncp.async.cg.shared.global [%r4], [%rd1], "
               "16, 0;\ncp.async.commit_group;\n") +
           between +
           "cp.async.cg.shared.global [%r4], [%rd1], "
           "16;\ncp.async.commit_group;\ncp.async.wait_group 0;\n";
  };
  for (AsyncMode mode : kModes) {
    EXPECT_TRUE(hasReport(run(body(""), 32, mode), ReportKind::Race));
    auto waited = run(body("cp.async.wait_group 0;\n"), 32, mode);
    EXPECT_TRUE(waited.reports.empty()) << waited.summary();
  }
}

// A wait by parity cannot say that it was overrun ("mbarrier.try_wait": a
// parity names the current or the preceding phase). What follows is seen: the
// copy into a slot that is still being read.
TEST(Race, OverrunSlotIsARace) {
  auto body = [](const char *release) {
    return std::string(
               ".shared .align 128 .b8 s[512];\n.shared .align 8 .b64 "
               "full;\n.shared .align 8 .b64 empty;\nmov.u32 %r1, "
               "%tid.x;\nmov.u32 %r3, s;\nmov.u32 %r9, full;\nmov.u32 %r10, "
               "empty;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 "
               "mbarrier.init.shared.b64 "
               "[%r9], 1;\n@%p1 mbarrier.init.shared.b64 [%r10], 1;\n@%p1 "
               "fence.mbarrier_init.release.cluster;\nbar.sync 0;\nmov.u32 "
               "%r11, 0;\nsetp.ge.u32 %p3, %r1, 32;\n@%p3 bra "
               "READ;\nsetp.ne.u32 "
               "%p4, %r1, 0;\n@%p4 bra END;\nFILL:\n"
               "mbarrier.arrive.expect_tx.shared.b64 %rd8, [%r9], 512;\n"
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
               "bytes [%r3], [%rd1], 512, [%r9];\n") +
           release +
           "xor.b32 %r11, %r11, 1;\nsetp.ne.u32 %p5, %r11, 0;\n@%p5 bra "
           "FILL;\nbra END;\nREAD:\nWAIT:\nmbarrier.try_wait.parity.shared.b64 "
           "%p2, [%r9], %r11;\n@!%p2 bra WAIT;\nld.shared.u32 %r6, "
           "[%r3+128];\nsetp.eq.u32 %p6, %r1, 32;\nbar.warp.sync -1;\n@%p6 "
           "mbarrier.arrive.shared.b64 %rd9, [%r10];\nxor.b32 %r11, %r11, "
           "1;\nsetp.ne.u32 %p5, %r11, 0;\n@%p5 bra READ;\nEND:\n";
  };
  const char *wait = "FREE:\nmbarrier.try_wait.parity.shared.b64 %p7, [%r10], "
                     "%r11;\n@!%p7 bra FREE;\n";
  for (AsyncMode mode : kModes)
    for (uint64_t seed = 0; seed < 4; ++seed) {
      auto ordered = run(body(wait), 64, mode, nullptr, seed);
      EXPECT_TRUE(ordered.ok) << ordered.summary();
      EXPECT_FALSE(run(body(""), 64, mode, nullptr, seed).ok);
    }
}

TEST(Race, SameValueIsANote) {
  auto r =
      run("mov.u32 %r1, 9;\nst.global.u32 [%rd0], %r1;", 64, AsyncMode::Late);
  EXPECT_TRUE(r.ok) << r.summary();
  EXPECT_TRUE(hasReport(r, ReportKind::Race, Severity::Note)) << r.summary();
  auto different = run(
      "mov.u32 %r1, %tid.x;\nshr.u32 %r1, %r1, 5;\nst.global.u32 [%rd0], %r1;",
      64, AsyncMode::Late);
  EXPECT_TRUE(hasReport(different, ReportKind::Race)) << different.summary();
}

} // namespace
