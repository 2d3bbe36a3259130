// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole GEMM kernels made by nvcc (kernels/*.cu), at sizes with edges, under
// every timing of asynchronous operations, against a float64 reference.
#include "EmulatorTestSupport.h"
#include "FloatFormats.h"

#include <cmath>
#include <numeric>
#include <random>

using namespace gemm::emulator;
using namespace gemm::emulator::test;

namespace {

enum class In { F32, F16, BF16 };

struct Problem {
  int m, n, k;
  bool bTransposed; ///< B is [N,K]
  In type;
  std::vector<double> a, b;
  std::vector<uint16_t> a16, b16;
  std::vector<float> a32, b32;

  Problem(int m, int n, int k, bool bTransposed, In type)
      : m(m), n(n), k(k), bTransposed(bTransposed), type(type) {
    std::mt19937 rng(unsigned(m * 7919 + n * 31 + k));
    std::normal_distribution<float> normal;
    auto fill = [&](size_t count, std::vector<double> &v,
                    std::vector<uint16_t> &v16, std::vector<float> &v32) {
      for (size_t i = 0; i < count; ++i) {
        float f = normal(rng);
        if (type == In::F32) {
          v32.push_back(f);
        } else {
          uint16_t h = type == In::F16 ? f32BitsToF16(floatToBits(f))
                                       : f32BitsToBF16(floatToBits(f));
          v16.push_back(h);
          f = bitsToFloat(type == In::F16 ? f16ToF32Bits(h) : bf16ToF32Bits(h));
        }
        v.push_back(f);
      }
    };
    fill(size_t(m) * k, a, a16, a32);
    fill(size_t(n) * k, b, b16, b32);
  }

  /// Largest error over the bound (terms + 1) * 2^-22 * sum |a b| of an f32 sum
  /// in any order with truncation.
  void check(const std::vector<float> &d, const std::string &what) const {
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < n; ++c) {
        double exact = 0, magnitude = 0;
        for (int i = 0; i < k; ++i) {
          double p =
              a[size_t(r) * k + i] *
              (bTransposed ? b[size_t(c) * k + i] : b[size_t(i) * n + c]);
          exact += p;
          magnitude += std::fabs(p);
        }
        double bound = (k + 1) * std::ldexp(magnitude, -22);
        ASSERT_LE(std::fabs(d[size_t(r) * n + c] - exact), bound)
            << what << " at (" << r << ", " << c << ")";
      }
  }
};

struct Case {
  const char *file, *entry;
  Dim3 block;
  int tileM, tileN;
  size_t shared;
  bool bTransposed;
  In type;
};

void runCase(const Case &c, int m, int n, int k, const LaunchOptions &o,
             const std::string &target) {
  SCOPED_TRACE(std::string(c.entry) + " " + std::to_string(m) + "x" +
               std::to_string(n) + "x" + std::to_string(k) + " seed " +
               std::to_string(o.seed) + " mode " +
               std::to_string(int(o.async)));
  auto module = parsed(readText(c.file));
  ASSERT_TRUE(module);
  auto d = device(target);
  Problem p(m, n, k, c.bTransposed, c.type);
  uint64_t a = c.type == In::F32 ? upload(*d, p.a32) : upload(*d, p.a16),
           b = c.type == In::F32 ? upload(*d, p.b32) : upload(*d, p.b16);
  uint64_t out = *d->allocate(size_t(m) * n * 4);
  Dim3 grid{unsigned((n + c.tileN - 1) / c.tileN),
            unsigned((m + c.tileM - 1) / c.tileM), 1};
  alignas(64) uint8_t mapA[128], mapB[128];
  std::vector<void *> params = {&a, &b, &out, &m, &n, &k};
  if (std::string(c.entry) == "wgmmaTma") {
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
      ASSERT_EQ(encodeTiledMap(t, map), "");
    };
    encode(mapA, a, m);
    encode(mapB, b, n);
    params = {mapA, mapB, &out, &m, &n, &k};
  }
  LaunchResult r = d->launch(*module, c.entry, grid, c.block, {}, c.shared,
                             params.data(), o);
  ASSERT_TRUE(r.ok && r.refusal.empty()) << r.summary();
  for (const Report &x : r.reports)
    EXPECT_EQ(x.severity, Severity::Note) << x.message;
  p.check(download<float>(*d, out, size_t(m) * n), c.entry);
}

void runModes(const Case &c, std::initializer_list<std::array<int, 3>> sizes,
              const std::string &target) {
  for (auto &s : sizes)
    for (AsyncMode mode :
         {AsyncMode::Late, AsyncMode::Early, AsyncMode::Random}) {
      LaunchOptions o;
      o.async = mode;
      o.seed = uint64_t(s[0] + int(mode));
      runCase(c, s[0], s[1], s[2], o, target);
    }
}

TEST(Kernel, Naive) {
  runModes({"kernels/simt.ptx", "naive", {16, 8, 1}, 8, 16, 0, false, In::F32},
           {{1, 1, 1}, {33, 17, 5}, {16, 16, 0}}, "sm_80");
}
TEST(Kernel, Shared) {
  runModes(
      {"kernels/simt.ptx", "shared16", {16, 16, 1}, 16, 16, 0, false, In::F32},
      {{33, 49, 17}, {16, 16, 64}}, "sm_80");
}
TEST(Kernel, Wmma) {
  runModes(
      {"kernels/wmma.ptx", "wmma16", {128, 1, 1}, 16, 64, 0, false, In::F16},
      {{32, 128, 48}}, "sm_80");
  runModes(
      {"kernels/wmma.ptx", "wmma16", {128, 1, 1}, 16, 64, 0, false, In::F16},
      {{16, 64, 32}}, "sm_90a");
}
TEST(Kernel, MmaSync) {
  runModes({"kernels/mma_sync.ptx",
            "mmaSync",
            {128, 1, 1},
            64,
            64,
            0,
            true,
            In::F16},
           {{64, 64, 64}, {65, 130, 72}, {1, 7, 8}}, "sm_90");
  runModes({"kernels/mma_sync.ptx",
            "mmaSync",
            {128, 1, 1},
            64,
            64,
            0,
            true,
            In::F16},
           {{63, 64, 40}}, "sm_80");
}
TEST(Kernel, WgmmaTma) {
  runModes({"kernels/wgmma.ptx",
            "wgmmaTma",
            {160, 1, 1},
            64,
            64,
            49152,
            true,
            In::BF16},
           {{64, 64, 64}, {65, 100, 328}, {3, 5, 8}}, "sm_90a");
}

/// What a one-dimensional tensor load of 16 f16 elements from `start` reports.
LaunchResult loadFrom(int start) {
  auto module = parsed(header() + R"(
.extern .shared .align 1024 .b8 box[];
.visible .entry k(.param .align 64 .b8 map[128], .param .u32 start)
{
  .shared .align 8 .b64 barrier;
  .reg .b32 %at, %box;
  .reg .b64 %map, %state;
  mov.u64 %map, map;
  cvta.param.u64 %map, %map;
  ld.param.u32 %at, [start];
  mov.u32 %box, box;
  mbarrier.init.shared::cta.b64 [barrier], 1;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared::cta.b64 %state, [barrier], 32;
  cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%box], [%map, {%at}], [barrier];
WAIT:
  .reg .pred %p;
  mbarrier.try_wait.parity.shared::cta.b64 %p, [barrier], 0;
  @!%p bra WAIT;
  ret;
}
)");
  auto d = device();
  alignas(64) uint8_t map[128];
  TiledMapArguments t;
  t.dataType = 6; // f16
  t.rank = 1;
  t.globalAddress = upload(*d, std::vector<uint16_t>(64));
  t.globalDim = {64};
  t.boxDim = {16};
  t.elementStrides = {1};
  EXPECT_EQ(encodeTiledMap(t, map), "");
  void *parameters[] = {map, &start};
  return d->launch(*module, "k", Dim3{}, {1, 1, 1}, {}, 32, parameters,
                   LaunchOptions());
}

TEST(Kernel, TensorCopiesStartAtSixteenBytes) {
  // Measured on an H200 with 2-byte elements: from 1, 2, 3, 4, 5 and -3 the
  // launch ends with "an illegal instruction was encountered", from 0, 8, 16
  // and 2104 it is right.
  for (int start : {0, 8, 16, 2104, -8})
    EXPECT_TRUE(loadFrom(start).ok) << start << loadFrom(start).summary();
  for (int start : {1, 2, 3, 4, 5, -3}) {
    const LaunchResult r = loadFrom(start);
    EXPECT_FALSE(r.ok) << start;
    EXPECT_TRUE(hasReport(r, ReportKind::Misaligned)) << r.summary();
  }
}

/// Applies an operation with sixteen sevens from shared memory to elements 16
/// to 31 of `old`, a tensor of 24 elements of `dataType`.
template <class T>
std::pair<LaunchResult, std::vector<T>>
reduceTensor(const std::string &operation, unsigned dataType,
             const std::vector<T> &old, T seven) {
  auto module =
      parsed(header() + R"(
.visible .entry k(.param .align 64 .b8 map[128])
{
  .shared .align 128 .b8 box[64];
  .reg .b64 %map;
  .reg .b32 %i, %at, %v;
  .reg .pred %p;
  mov.u64 %map, map;
  cvta.param.u64 %map, %map;
  mov.u32 %i, 0;
  mov.u32 %v, )" +
             std::to_string(sizeof(T) == 2 ? uint32_t(seven) * 0x10001u
                                           : uint32_t(seven)) +
             R"(;
  mov.u32 %at, box;
FILL:
  st.shared.u32 [%at], %v;
  add.u32 %at, %at, 4;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, 16;
  @%p bra FILL;
  mov.u32 %at, box;
  mov.u32 %i, 16;
  fence.proxy.async;
  cp.reduce.async.bulk.tensor.1d.global.shared::cta.)" +
             operation + R"(.tile.bulk_group [%map, {%i}], [%at];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
}
)");
  auto d = device();
  alignas(64) uint8_t map[128];
  TiledMapArguments t;
  t.dataType = dataType;
  t.rank = 1;
  t.globalAddress = upload(*d, old);
  t.globalDim = {24};
  t.boxDim = {16};
  t.elementStrides = {1};
  EXPECT_EQ(encodeTiledMap(t, map), "");
  void *parameters[] = {map};
  LaunchResult result = d->launch(*module, "k", Dim3{}, {1, 1, 1}, {}, 0,
                                  parameters, LaunchOptions());
  std::vector<T> now(old.size());
  EXPECT_EQ(d->read(t.globalAddress, now.data(), now.size() * sizeof(T)), "");
  return {result, now};
}

TEST(Kernel, TensorReductionsFollowTheMapsType) {
  // PTX ISA "cp.reduce.async.bulk.tensor": elements outside the tensor stay.
  std::vector<uint32_t> words(32);
  std::iota(words.begin(), words.end(), 0u);
  for (const char *operation : {"add", "min", "xor", "inc"}) {
    auto [result, now] = reduceTensor<uint32_t>(operation, 2, words, 7);
    EXPECT_TRUE(result.ok) << result.summary();
    for (uint32_t i = 0; i < 32; ++i) {
      uint32_t expected = i;
      if (i >= 16 && i < 24)
        expected = operation[0] == 'a'   ? i + 7
                   : operation[0] == 'm' ? std::min(i, 7u)
                   : operation[0] == 'x' ? i ^ 7
                                         : 0; // "inc" beyond its limit
      EXPECT_EQ(now[i], expected) << operation << " " << i;
    }
  }
  // f16: 1.5 + 7 = 8.5.
  auto [result, halves] = reduceTensor<uint16_t>(
      "add", 6, std::vector<uint16_t>(32, 0x3E00), 0x4700);
  EXPECT_TRUE(result.ok) << result.summary();
  EXPECT_EQ(halves[15], 0x3E00);
  EXPECT_EQ(halves[16], 0x4840);
  EXPECT_EQ(halves[23], 0x4840);
  EXPECT_EQ(halves[24], 0x3E00);
  // There is no bitwise operation on floating-point elements.
  EXPECT_TRUE(hasReport(
      reduceTensor<uint16_t>("xor", 6, std::vector<uint16_t>(32), 0x4700).first,
      ReportKind::InvalidArgument));
}

TEST(Kernel, DoubleMatricesOf16RowsNeedHopper) {
  // PTX ISA "mma", target notes: .m16n8k4 with .f64 needs sm_90, .m8n8k4 sm_80.
  const auto parse = [](const char *target, const char *operands) {
    return Module::parse(
        kernel(std::string("mma.sync.aligned.") + operands, target));
  };
  const char *small = "m8n8k4.row.col.f64.f64.f64.f64 "
                      "{%d0, %d1}, {%d2}, {%d3}, {%d4, %d5};";
  const char *large = "m16n8k4.row.col.f64.f64.f64.f64 {%d0, %d1, %d2, %d3}, "
                      "{%d4, %d5}, {%d6}, {%d7, %d8, %d9, %d10};";
  EXPECT_TRUE(parse("sm_80", small));
  EXPECT_TRUE(parse("sm_90", large));
  auto refused = parse("sm_80", large);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("needs .target sm_90 or newer, found sm_80"),
            std::string::npos)
      << refused.error();
}

} // namespace
