// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels whose only synchronisation is bar.sync, against a model that
// needs no clocks: two warps race if between the same two barriers both touch a
// byte and one of them writes it. Every width and shape of access, so that the
// detector's ways for coalesced, uniform, scattered and masked ones must agree.
#include "EmulatorTestSupport.h"

#include <random>
#include <set>

using namespace gemm::emulator;
using namespace gemm::emulator::test;

namespace {

constexpr unsigned kWarps = 4, kBytes = 2048;

struct Width {
  unsigned bytes;
  const char *suffix, *value;
};
constexpr Width kWidths[] = {{1, "u8", "%r20"},
                             {2, "u16", "%h1"},
                             {4, "b32", "%r20"},
                             {8, "v2.b32", "{%r20, %r21}"},
                             {16, "v4.b32", "{%r20, %r21, %r22, %r23}"}};

struct Program {
  std::string body;
  bool races = false;
};

Program draw(unsigned seed, bool global) {
  std::mt19937 rng(seed);
  auto below = [&](unsigned n) { return unsigned(rng() % n); };
  // readers[b], writers[b]: warps, since the last barrier.
  std::vector<std::set<unsigned>> readers(kBytes), writers(kBytes);
  Program p;
  const std::string space = global ? "global" : "shared";
  // %rd4: base of the memory; %rd5: lane; %r2: warp.
  p.body = "mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nand.b32 %r3, %r1, 31;\n"
           "cvt.u64.u32 %rd5, %r3;\n.shared .align 16 .b8 s[" +
           std::to_string(kBytes) + "];\n" +
           (global ? "mov.u64 %rd4, %rd1;\n" : "mov.u64 %rd4, s;\n") +
           "mul.wide.u32 %rd6, %r1, 16;\nadd.u64 %rd6, %rd4, %rd6;\n"
           "mov.u32 %r20, 1;\nmov.u32 %r21, 2;\nmov.u32 %r22, 3;\n"
           "mov.u32 %r23, 4;\nmov.u16 %h1, 5;\n"
           "st." +
           space + ".v4.b32 [%rd6], {%r20, %r21, %r22, %r23};\nbar.sync 0;\n";
  static_assert(kWarps * 32 * 16 == kBytes);
  auto endInterval = [&] {
    for (unsigned b = 0; b < kBytes; ++b) {
      std::set<unsigned> all = readers[b];
      all.insert(writers[b].begin(), writers[b].end());
      p.races |= !writers[b].empty() && all.size() > 1;
      readers[b].clear();
      writers[b].clear();
    }
  };
  unsigned label = 0;
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      const std::string skip = "L" + std::to_string(label++);
      p.body += "setp.ne.u32 %p1, %r2, " + std::to_string(warp) +
                ";\n@%p1 bra " + skip + ";\n";
      for (unsigned k = below(3); k-- > 0;) {
        const Width &width = kWidths[below(5)];
        const unsigned strides[] = {0, width.bytes, 2 * width.bytes, 16};
        const unsigned stride = std::min(strides[below(4)], 32u);
        // Mostly a quarter of the memory of its own, so that not all race.
        const unsigned span = stride * 31 + width.bytes;
        unsigned base =
            below(4) ? warp * (kBytes / kWarps) + below(64) : below(kBytes);
        base = std::min(base, kBytes - span) / width.bytes * width.bytes;
        const bool write = below(2);
        uint32_t mask = ~0u;
        std::string guard;
        switch (below(4)) {
        case 0:
          mask = (1u << (1 + below(31))) - 1;
          break;
        case 1:
          mask = rng() | 1;
          break;
        default:
          break;
        }
        if (mask != ~0u) {
          p.body += "mov.u32 %r10, " + std::to_string(mask) +
                    ";\nshr.u32 %r10, %r10, %r3;\nand.b32 %r10, %r10, 1;\n"
                    "setp.ne.u32 %p2, %r10, 0;\n";
          guard = "@%p2 ";
        }
        p.body += "mul.lo.u64 %rd6, %rd5, " + std::to_string(stride) +
                  ";\nadd.u64 %rd6, %rd6, %rd4;\n" + guard;
        const std::string address = "[%rd6+" + std::to_string(base) + "]";
        p.body += write ? "st." + space + "." + width.suffix + " " + address +
                              ", " + width.value + ";\n"
                        : "ld." + space + "." + width.suffix + " " +
                              width.value + ", " + address + ";\n";
        for (unsigned l = 0; l < 32; ++l)
          for (unsigned b = 0; (mask >> l & 1) && b < width.bytes; ++b)
            (write ? writers : readers)[base + l * stride + b].insert(warp);
      }
      p.body += skip + ":\n";
    }
    if (below(3) == 0)
      continue;
    p.body += "bar.sync 0;\n";
    endInterval();
  }
  endInterval();
  return p;
}

void compare(bool global) {
  unsigned racing = 0, clean = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Program p = draw(seed, global);
    LaunchOptions o;
    o.seed = seed;
    o.sanitize = SanitizeMode::Strict; // the same value is a race too
    auto r = runBody<uint32_t>(p.body, 1, std::vector<uint32_t>(kBytes / 4),
                               kWarps * 32, o);
    ASSERT_TRUE(r.launch.refusal.empty()) << r.launch.refusal << p.body;
    EXPECT_EQ(hasReport(r.launch, ReportKind::Race), p.races)
        << "seed " << seed << "\n"
        << p.body << r.launch.summary();
    ++(p.races ? racing : clean);
    if (testing::Test::HasFailure())
      return;
  }
  // The model must have been tried both ways.
  EXPECT_GT(racing, 50u);
  EXPECT_GT(clean, 50u);
}

/// Each warp does one thing to s[0..3], all at once.
LaunchResult halves(const std::vector<std::string> &perWarp, uint64_t seed) {
  std::string body = "mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\n.shared "
                     ".align 4 .b8 s[4];\nmov.u16 %h1, 5;\nmov.u16 %h2, 6;\n";
  for (size_t w = 0; w < perWarp.size(); ++w)
    body += "setp.eq.u32 %p" + std::to_string(w) + ", %r2, " +
            std::to_string(w) + ";\n@%p" + std::to_string(w) + " " +
            perWarp[w] + ";\n";
  LaunchOptions o;
  o.seed = seed;
  return runBody<uint32_t>(body, 1, {0u}, unsigned(perWarp.size()) * 32, o)
      .launch;
}

/// The write of one half of a word must not hide that of the other.
TEST(RaceModel, NeighbouringHalves) {
  const std::string low = "st.shared.u16 [s], %h1",
                    high = "st.shared.u16 [s+2], %h2",
                    readLow = "ld.shared.u16 %h3, [s]";
  for (uint64_t seed = 0; seed < 30; ++seed) {
    EXPECT_TRUE(hasReport(halves({low, high, readLow}, seed), ReportKind::Race))
        << seed;
    EXPECT_TRUE(hasReport(halves({readLow, high, low}, seed), ReportKind::Race))
        << seed;
    EXPECT_FALSE(hasReport(halves({low, high}, seed), ReportKind::Race));
    EXPECT_FALSE(hasReport(halves({high, readLow}, seed), ReportKind::Race));
  }
}

TEST(RaceModel, Shared) { compare(false); }
TEST(RaceModel, Global) { compare(true); }

} // namespace
