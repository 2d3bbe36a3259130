// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of accesses whose cost is known: shared memory has 32 banks of four
// bytes and serves a warp's access of up to four bytes a lane at once, of eight
// in halves, of sixteen in quarters (CUDA C++ Programming Guide, "Shared
// Memory"); global memory moves sectors of 32 bytes (CUDA C++ Best Practices
// Guide, "Coalesced Access to Global Memory").
#include "EmulatorTestSupport.h"

using namespace gemm::emulator;
using namespace gemm::emulator::test;

namespace {

const SiteCounters *siteOf(const Counters &c, const std::string &opcode) {
  for (const SiteCounters &s : c.sites)
    if (s.opcode.rfind(opcode, 0) == 0)
      return &s;
  ADD_FAILURE() << "no instruction " << opcode;
  static const SiteCounters none;
  return &none;
}

ClassCounters classOf(const Counters &c, const std::string &name) {
  for (const ClassCounters &cls : c.classes)
    if (cls.name == name)
      return cls;
  return {};
}

/// One warp of which lane t accesses `stride` * t bytes into 4 KiB of shared
/// (or global) memory.
Counters access(const std::string &instruction, unsigned stride,
                bool global = false) {
  LaunchOptions options;
  options.counters = true;
  options.sanitize = SanitizeMode::Off; // what is read was never written
  RunResult<uint32_t> r = runBody<uint32_t>(
      ".shared .align 128 .b8 tile[8192];\nmov.u32 %r0, %tid.x;\n"
      "mul.lo.u32 %r1, %r0, " +
          std::to_string(stride) +
          ";\ncvt.u64.u32 %rd2, %r1;\nadd.u64 %rd3, %rd0, %rd2;\n"
          "mov.u32 %r2, tile;\nadd.u32 %r2, %r2, %r1;\n" +
          instruction + (global ? ", %r0;" : ""),
      2048, {}, 32, options);
  EXPECT_TRUE(r.launch.ok) << r.launch.summary();
  return r.launch.counters;
}

struct SharedCase {
  const char *what, *instruction, *opcode;
  unsigned stride;
  uint64_t wavefronts, ideal;
};

TEST(Counters, SharedMemoryWavefronts) {
  const char *ld = "ld.shared.f32 %f0, [%r2];",
             *ld2 = "ld.shared.v2.f32 {%f0, %f1}, [%r2];",
             *ld4 = "ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r2];",
             *st = "st.shared.f32 [%r2], %f0;",
             *over = "ld.shared.u32 %r2, [%r2];",
             *half = "ld.shared.u16 %h0, [%r2];";
  const SharedCase cases[] = {
      {"a row", ld, "ld.shared", 4, 1, 1},
      {"a column of 32 floats a row", ld, "ld.shared", 128, 32, 1},
      {"the same, stored", st, "st.shared", 128, 32, 1},
      {"the same, read into the address", over, "ld.shared", 128, 32, 1},
      {"a column with rows padded by one", ld, "ld.shared", 132, 1, 1},
      {"every other word", ld, "ld.shared", 8, 2, 1},
      {"one word for all", ld, "ld.shared", 0, 1, 1},
      {"halves of 16 words", half, "ld.shared", 2, 1, 1},
      {"pairs", ld2, "ld.shared", 8, 2, 2},
      {"quadruples", ld4, "ld.shared", 16, 4, 4},
      {"quadruples, eight lanes on four banks", ld4, "ld.shared", 128, 32, 4},
  };
  for (const SharedCase &c : cases) {
    SCOPED_TRACE(c.what);
    Counters counted = access(c.instruction, c.stride);
    const SiteCounters &s = *siteOf(counted, c.opcode);
    EXPECT_EQ(s.sharedRequests, 1u);
    EXPECT_EQ(s.sharedWavefronts, c.wavefronts);
    EXPECT_EQ(s.sharedIdealWavefronts, c.ideal);
  }
}

TEST(Counters, GlobalSectors) {
  const char *st = "st.global.u32 [%rd3]", *shifted = "st.global.u32 [%rd3+4]",
             *generic = "st.u32 [%rd3]";
  struct {
    const char *what, *instruction;
    unsigned stride;
    uint64_t sectors;
  } cases[] = {{"32 words in a row", st, 4, 4},
               {"the same, through a generic address", generic, 4, 4},
               {"across a sector's border", shifted, 4, 5},
               {"every other word", st, 8, 8},
               {"a column", st, 128, 32},
               {"one word", st, 0, 1}};
  for (const auto &c : cases) {
    SCOPED_TRACE(c.what);
    Counters counted = access(c.instruction, c.stride, true);
    const SiteCounters &s =
        *siteOf(counted, std::string(c.instruction).substr(0, 4));
    EXPECT_EQ(s.globalRequests, 1u);
    EXPECT_EQ(s.globalSectors, c.sectors);
    EXPECT_EQ(counted.globalSectors, c.sectors);
    EXPECT_EQ(counted.globalBytesWritten, 128u);
    EXPECT_EQ(counted.globalBytesRead, 0u);
  }
}

/// Eight rows of 16 bytes a matrix. At a pitch of 128 bytes all of them lie in
/// the same four banks; with the 16-byte chunks of a row exchanged by (row mod
/// 8), in all 32.
TEST(Counters, LdmatrixWithAndWithoutSwizzle) {
  const std::string ldmatrix =
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r2];";
  // %r0 is the row, the pitch 128: 32 rows.
  Counters plain = access(ldmatrix, 128);
  EXPECT_EQ(siteOf(plain, "ldmatrix")->sharedRequests, 1u);
  EXPECT_EQ(siteOf(plain, "ldmatrix")->sharedWavefronts, 32u);
  EXPECT_EQ(siteOf(plain, "ldmatrix")->sharedIdealWavefronts, 4u);
  Counters swizzled = access("and.b32 %r3, %r0, 7;\nshl.b32 %r3, %r3, 4;\n"
                             "xor.b32 %r2, %r2, %r3;\n" +
                                 ldmatrix,
                             128);
  EXPECT_EQ(siteOf(swizzled, "ldmatrix")->sharedWavefronts, 4u);
  EXPECT_EQ(siteOf(swizzled, "ldmatrix")->sharedIdealWavefronts, 4u);
}

TEST(Counters, CpAsyncReadsGlobalAndWritesShared) {
  const std::string copy = "cp.async.cg.shared.global [%r2], [%rd3], 16;\n"
                           "cp.async.wait_all;";
  Counters row = access(copy, 16), column = access(copy, 128);
  EXPECT_EQ(siteOf(row, "cp.async.cg")->sharedWavefronts, 4u);
  EXPECT_EQ(siteOf(column, "cp.async.cg")->sharedWavefronts, 32u);
  for (const Counters &c : {row, column}) {
    EXPECT_EQ(siteOf(c, "cp.async.cg")->sharedIdealWavefronts, 4u);
    EXPECT_EQ(c.globalBytesRead, 512u);
    EXPECT_EQ(classOf(c, "async copy").warpInstructions, 1u);
    EXPECT_EQ(classOf(c, "synchronization").warpInstructions, 1u);
  }
  EXPECT_EQ(row.globalSectors, 16u);
  EXPECT_EQ(column.globalSectors, 32u);
}

TEST(Counters, BulkCopiesAndMulticast) {
  LaunchOptions options;
  options.counters = true;
  // Both CTAs of a cluster receive 512 bytes that the first one asks for once,
  // and each writes them out.
  auto r = runBody<uint32_t>(
      ".shared .align 128 .b8 s[512];\n.shared .align 8 .b64 bar;\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r3, s;\nmov.u32 %r9, bar;\n"
      "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [%r9], 1;\n"
      "@%p1 fence.mbarrier_init.release.cluster;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd8, [%r9], 512;\n"
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
      "mov.u32 %r5, %cluster_ctarank;\nsetp.eq.and.u32 %p2, %r5, 0, %p1;\n"
      "mov.u16 %h0, 3;\n"
      "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%r3], [%rd1], 512, [%r9], %h0;\n"
      "AGAIN:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r9], 0;\n"
      "@!%p3 bra AGAIN;\nmul.wide.u32 %rd2, %r5, 512;\n"
      "add.u64 %rd3, %rd0, %rd2;\n@!%p1 bra END;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r3], 512;\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nEND:",
      256, std::vector<uint32_t>(128, 7), 32, options, "sm_90a", {2, 1, 1},
      {2, 1, 1});
  ASSERT_TRUE(r.launch.ok) << r.launch.refusal << r.launch.summary();
  EXPECT_EQ(r.out, std::vector<uint32_t>(256, 7));
  const Counters &c = r.launch.counters;
  EXPECT_EQ(c.globalBytesRead, 512u);
  EXPECT_EQ(c.globalBytesWritten, 1024u);
  EXPECT_EQ(c.globalSectors, 16u + 32);
  EXPECT_EQ(siteOf(c, "cp.async.bulk.shared::cluster")->globalRequests, 1u);
  EXPECT_EQ(siteOf(c, "cp.async.bulk.global")->globalRequests, 2u);
  EXPECT_EQ(classOf(c, "async copy").laneInstructions, 1u + 2);
}

TEST(Counters, InstructionsByClass) {
  LaunchOptions options;
  options.counters = true;
  LaunchResult r =
      runBody<uint32_t>("mov.u32 %r0, %tid.x;\nadd.u32 %r1, %r0, 1;\n"
                        "mul.lo.u32 %r1, %r1, %r1;\nsetp.lt.u32 %p1, %r0, 8;\n"
                        "cvt.rn.f32.u32 %f0, %r1;\n"
                        "@%p1 fma.rn.f32 %f0, %f0, %f0, %f0;\n"
                        "add.f32 %f0, %f0, %f0;\nbar.sync 0;\n"
                        "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\n"
                        "st.global.u32 [%rd0], %r2;",
                        1, std::vector<uint32_t>(1), 64, options)
          .launch;
  ASSERT_TRUE(r.refusal.empty());
  const Counters &c = r.counters;
  const std::pair<const char *, uint64_t> warps[] = {
      {"integer", 4},         {"float", 4}, {"conversion", 2},
      {"comparison", 2},      {"move", 2},  {"parameter load", 4},
      {"synchronization", 2}, {"warp", 2},  {"global store", 2},
      {"control", 2}};
  uint64_t total = 0;
  for (const auto &[name, count] : warps) {
    EXPECT_EQ(classOf(c, name).warpInstructions, count) << name;
    total += count;
  }
  EXPECT_EQ(c.warpInstructions, total);
  EXPECT_EQ(c.classes.size(), std::size(warps));
  // Only 8 of 64 lanes do the fma.
  EXPECT_EQ(classOf(c, "float").laneInstructions, 8u + 64);
  EXPECT_EQ(c.floatOps, 2 * 8u + 64);
}

struct Gemm {
  const char *file, *entry;
  Dim3 block;
  int tileM, tileN;
  size_t shared;
};

Counters runGemm(const Gemm &g, int m, int n, int k, unsigned elementBytes) {
  auto module = parsed(readText(g.file));
  auto d = device("sm_90a");
  uint64_t a = *d->allocate(size_t(m) * k * elementBytes),
           b = *d->allocate(size_t(n) * k * elementBytes),
           out = *d->allocate(size_t(m) * n * 4);
  EXPECT_EQ(d->fill(a, 0, size_t(m) * k * elementBytes), "");
  EXPECT_EQ(d->fill(b, 0, size_t(n) * k * elementBytes), "");
  alignas(64) uint8_t mapA[128], mapB[128];
  std::vector<void *> params = {&a, &b, &out, &m, &n, &k};
  if (std::string(g.entry) == "wgmmaTma") {
    auto encode = [&](void *map, uint64_t address, int rows) {
      TiledMapArguments t;
      t.dataType = 9; // BFLOAT16
      t.rank = 2;
      t.globalAddress = address;
      t.globalDim = {uint64_t(k), uint64_t(rows)};
      t.globalStrides = {uint64_t(k) * 2};
      t.boxDim = {64, 64};
      t.elementStrides = {1, 1};
      t.swizzle = 3; // 128 bytes
      EXPECT_EQ(encodeTiledMap(t, map), "");
    };
    encode(mapA, a, m);
    encode(mapB, b, n);
    params = {mapA, mapB, &out, &m, &n, &k};
  }
  LaunchOptions options;
  options.counters = true;
  LaunchResult r = d->launch(*module, g.entry,
                             {unsigned((n + g.tileN - 1) / g.tileN),
                              unsigned((m + g.tileM - 1) / g.tileM), 1},
                             g.block, {}, g.shared, params.data(), options);
  EXPECT_TRUE(r.ok) << r.refusal << r.summary();
  return r.counters;
}

TEST(Counters, NaiveGemm) {
  // Every thread reads a row of A and a column of B from global memory. A warp
  // is 2 rows of 16 columns: its words of A are broadcast (2 sectors), those of
  // B two sectors of a row.
  Counters c = runGemm({"kernels/simt.ptx", "naive", {16, 8, 1}, 8, 16, 0}, 16,
                       32, 24, 4);
  EXPECT_EQ(c.floatOps, 2u * 16 * 32 * 24);
  EXPECT_EQ(c.tensorOps, 0u);
  EXPECT_EQ(c.globalBytesRead, 16u * 32 * 24 * 2 * 4);
  EXPECT_EQ(c.globalBytesWritten, 16u * 32 * 4);
  EXPECT_EQ(c.globalSectors, (2u + 2) * 24 * 16 + 4 * 16);
}

TEST(Counters, MmaSyncGemm) {
  Counters c =
      runGemm({"kernels/mma_sync.ptx", "mmaSync", {128, 1, 1}, 64, 64, 0}, 128,
              64, 96, 2);
  EXPECT_EQ(c.tensorOps, 2u * 128 * 64 * 96);
  // Each of the two CTAs reads its 64 rows of A and all of B.
  EXPECT_EQ(c.globalBytesRead, (128u * 96 + 2 * 64 * 96) * 2);
  EXPECT_EQ(c.globalBytesWritten, 128u * 64 * 4);
}

TEST(Counters, WgmmaTmaGemm) {
  const Gemm kernel = {
      "kernels/wgmma.ptx", "wgmmaTma", {160, 1, 1}, 64, 64, 49152};
  Counters c = runGemm(kernel, 128, 64, 192, 2);
  EXPECT_EQ(c.tensorOps, 2u * 128 * 64 * 192);
  EXPECT_EQ(c.globalBytesRead, (128u * 192 + 2 * 64 * 192) * 2);
  EXPECT_EQ(c.globalBytesWritten, 128u * 64 * 4);
  // Rows of a box are 128 bytes, 4 whole sectors. One request a box of 64 rows.
  uint64_t requests = 0, sectors = 0;
  for (const SiteCounters &s : c.sites)
    if (s.className == std::string("async copy")) {
      requests += s.globalRequests;
      sectors += s.globalSectors;
    }
  EXPECT_EQ(requests, 2u * 3 * 2);
  EXPECT_EQ(sectors, c.globalBytesRead / 32);
  // At the edge the tensor map fills: those bytes are not read.
  c = runGemm(kernel, 65, 100, 72, 2);
  EXPECT_EQ(c.tensorOps, 2u * 128 * 128 * 128);
  EXPECT_EQ(c.globalBytesRead, (2u * 65 * 72 + 2 * 100 * 72) * 2);
  EXPECT_EQ(c.globalBytesWritten, 65u * 100 * 4);
}

} // namespace
