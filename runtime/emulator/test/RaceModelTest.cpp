// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels whose only synchronisation is bar.sync, against a model that
// needs no clocks: two warps race if between the same two barriers both touch a
// byte and one of them writes it. Every width and shape of access, so that the
// detector's ways for coalesced, uniform, scattered and masked ones must agree.
#include "EmulatorTestSupport.h"
#include "RaceHistory.h"

#include <array>
#include <random>

using namespace gemm::emulator;
using namespace gemm::emulator::test;

namespace {

constexpr unsigned kBytes = 2048;

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

Program draw(unsigned seed, bool global, unsigned warps) {
  const unsigned threads = warps * 32; // 128 or 512
  std::mt19937 rng(seed);
  auto below = [&](unsigned n) { return unsigned(rng() % n); };
  // Warps that read and wrote each byte since the last barrier, a bit each.
  std::vector<uint32_t> readers(kBytes), writers(kBytes);
  Program p;
  const std::string space = global ? "global" : "shared";
  // %rd4: base of the memory; %rd5: lane; %r2: warp.
  p.body = "mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nand.b32 %r3, %r1, 31;\n"
           "cvt.u64.u32 %rd5, %r3;\n.shared .align 16 .b8 s[" +
           std::to_string(kBytes) + "];\n" +
           (global ? "mov.u64 %rd4, %rd1;\n" : "mov.u64 %rd4, s;\n") +
           "mul.wide.u32 %rd6, %r1, " + std::to_string(kBytes / threads) +
           ";\nadd.u64 %rd6, %rd4, %rd6;\n"
           "mov.u32 %r20, 1;\nmov.u32 %r21, 2;\nmov.u32 %r22, 3;\n"
           "mov.u32 %r23, 4;\nmov.u16 %h1, 5;\n"
           "st." +
           space +
           (threads == 128 ? ".v4.b32 [%rd6], {%r20, %r21, %r22, %r23};\n"
                           : ".b32 [%rd6], %r20;\n") +
           "bar.sync 0;\n";
  std::vector<unsigned> touched; // bytes, since the last barrier
  auto endInterval = [&] {
    touched.clear();
    for (unsigned b = 0; b < kBytes; ++b) {
      const uint32_t all = readers[b] | writers[b];
      p.races |= writers[b] && (all & (all - 1));
      readers[b] = writers[b] = 0;
    }
  };
  unsigned label = 0;
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned warp = 0; warp < warps; ++warp) {
      const std::string skip = "L" + std::to_string(label++);
      p.body += "setp.ne.u32 %p1, %r2, " + std::to_string(warp) +
                ";\n@%p1 bra " + skip + ";\n";
      for (unsigned k = below(3); k-- > 0;) {
        // Four warps keep to a quarter of the memory each, sixteen read all of
        // it; what races is a needle, a few bytes anywhere by one lane.
        const bool needle = below(warps == 4 ? 5 : 24) == 0;
        const Width &width = kWidths[below(needle ? 3 : 5)];
        const unsigned strides[] = {0, width.bytes, 2 * width.bytes, 16};
        const unsigned stride = needle ? 0 : std::min(strides[below(4)], 16u);
        const unsigned span = stride * 31 + width.bytes;
        const bool own = !needle && warps == 4;
        const unsigned first = own ? warp * (kBytes / warps) : 0,
                       room = own ? kBytes / warps : kBytes;
        unsigned base = first + below(room - span + 1);
        if (needle && !touched.empty() && below(4))
          base = touched[below(unsigned(touched.size()))];
        base = base / width.bytes * width.bytes;
        const bool write = needle ? below(2) : own && below(2);
        uint32_t mask = ~0u;
        std::string guard;
        const unsigned shape = below(4);
        if (needle)
          mask = 1u << below(32);
        else if (shape == 0)
          mask = (1u << (1 + below(31))) - 1;
        else if (shape == 1)
          mask = rng() | 1;
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
          for (unsigned b = 0; (mask >> l & 1) && b < width.bytes; ++b) {
            touched.push_back(base + l * stride + b);
            (write ? writers : readers)[base + l * stride + b] |= 1u << warp;
          }
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

void compare(bool global, unsigned warps, unsigned programs) {
  unsigned racing = 0, clean = 0;
  for (unsigned seed = 0; seed < programs; ++seed) {
    const Program p = draw(seed, global, warps);
    LaunchOptions o;
    o.seed = seed;
    o.sanitize = SanitizeMode::Strict; // the same value is a race too
    auto r = runBody<uint32_t>(p.body, 1, std::vector<uint32_t>(kBytes / 4),
                               warps * 32, o);
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

TEST(RaceModel, Shared) { compare(false, 4, 1500); }
TEST(RaceModel, Global) { compare(true, 4, 1500); }
TEST(RaceModel, SharedByManyReaders) { compare(false, 16, 500); }

/// Forgetting the records that no cell names changes nothing of the others.
TEST(RaceModel, CollectingKeepsWhatIsNamed) {
  using Record = std::array<uint32_t, 5>;
  RaceHistory h;
  std::mt19937 rng(3);
  std::vector<RaceCell> cells(500);
  uint64_t left;
  RaceCell *page = h.globalCells(3 * 4096 + 5, left);
  ASSERT_EQ(left, 4096u - 5);
  auto cell = [&](size_t k) -> RaceCell & {
    return k < cells.size() ? cells[k] : page[k - cells.size()];
  };
  auto past = [&](const RaceCell &c) {
    std::vector<Record> all;
    for (uint32_t k = c.write; k; k = h.write(k).next)
      all.push_back({0, h.write(k).clock, h.write(k).line, h.write(k).slot,
                     h.write(k).mask});
    for (uint32_t k = c.read; k; k = h.read(k).next)
      all.push_back(
          {1, h.read(k).clock, h.read(k).line, h.read(k).slot, h.read(k).mask});
    return all;
  };
  unsigned collections = 0;
  for (uint32_t step = 1; collections < 3; ++step) {
    ASSERT_LT(step, 10000000u) << "never full";
    RaceCell &c = cell(rng() % 600);
    if (rng() % 4 == 0) {
      RaceHistory::Write w;
      w.clock = step;
      w.line = step % 97;
      w.next = rng() % 2 ? c.write : 0;
      w.slot = uint16_t(rng() % 40);
      w.mask = uint8_t(1 + rng() % 15);
      c = {h.add(w), 0};
    } else {
      RaceHistory::Read r;
      r.clock = step;
      r.line = step % 89;
      r.slot = uint16_t(rng() % 40);
      r.mask = 15;
      c.read = h.add(r, c.read);
    }
    if (!h.full())
      continue;
    std::vector<std::vector<Record>> before;
    for (size_t k = 0; k < 600; ++k)
      before.push_back(past(cell(k)));
    h.collect({&cells});
    EXPECT_FALSE(h.full());
    while (!h.full()) { // what was forgotten is overwritten
      h.add(RaceHistory::Write{++step, 0, 0, 0, 0, false, false});
      h.add(RaceHistory::Read(), 0);
    }
    for (size_t k = 0; k < 600; ++k)
      ASSERT_EQ(past(cell(k)), before[k]) << k;
    ++collections;
  }
}

} // namespace
