// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of tensor instructions as an H200 (driver API 13000) computes them,
// where the published models are silent: what a zero accumulator aligns to, an
// f16 accumulator of an f32 result, and the NaNs of f64.
#include "TensorCore.h"

#include <gtest/gtest.h>

#include <vector>

using namespace gemm::emulator;

namespace {

using enum ElementType;
constexpr TensorInstruction Mma = TensorInstruction::MmaSync;
constexpr TensorInstruction Wgmma = TensorInstruction::Wgmma;

/// The element whose row of A and column of B are given; the rest of the tile
/// is zero. Every element of the tile goes through the same steps.
template <class T>
T element(const TensorOperationSpec &spec, const std::vector<T> &a,
          const std::vector<T> &b, T c) {
  std::string error;
  const auto op = TensorOperation::create(spec, &error);
  EXPECT_TRUE(op) << error;
  const auto [m, n, k] = spec.shape;
  const unsigned row = m - 3, column = n - 2;
  std::vector<T> left(m * k), right(k * n), sums(m * n);
  for (unsigned i = 0; i < k; ++i) {
    left[row * k + i] = a[i];
    right[i * n + column] = b[i];
  }
  sums[row * n + column] = c;
  op->run(left.data(), right.data(), sums.data(), sums.data());
  return sums[row * n + column];
}

struct Instruction {
  TensorInstruction instruction;
  MmaShape shape;
  ElementType a, b, c, d;
  bool negateA = false;
};

struct Measured {
  Instruction instruction;
  std::vector<uint32_t> a, b;
  uint32_t c, d;
};

const Measured measured[] = {
    // mma.m16n8k4.row.col.f32.tf32.tf32.f32
    {{Mma, {16, 8, 4}, TF32, TF32, F32, F32},
     {0x1f05f46e, 0x93000000, 0x80200000, 0x0f000000},
     {0x1064a0b8, 0x8e466000, 0x3b5a77a9, 0x9a800000},
     0x00000000,
     0x80001b4c},
    {{Mma, {16, 8, 4}, TF32, TF32, F32, F32},
     {0x852ef0f0, 0xaeffffff, 0x17ffffff, 0x207fffff},
     {0x2aa61eba, 0x8c000000, 0x13ffffff, 0x8b36f4a0},
     0x00000000,
     0x00001ffc},
    {{Mma, {16, 8, 4}, TF32, TF32, F32, F32},
     {0x90388f3d, 0x0e7be7ac, 0x8c800000, 0x83800001},
     {0x9523ac9f, 0x1c000000, 0xa9800000, 0x2c000000},
     0x80000000,
     0x00000008},
    // wgmma.m64n8k8.f32.tf32.tf32 ss scale-d=0
    {{Wgmma, {64, 8, 8}, TF32, TF32, F32, F32},
     {0x81f8a6ec, 0x80008080, 0x80006cd0, 0x801daeb0, 0x01fd5d2a, 0x001da7ca,
      0x80002000, 0x003fffff},
     {0xb62a162c, 0x383af0dc, 0x390938ee, 0xb6bc8ca1, 0x36800000, 0xb9551ab5,
      0xbb066000, 0x3a800100},
     0x0,
     0x00001027},
    {{Wgmma, {64, 8, 8}, TF32, TF32, F32, F32},
     {0x0000325a, 0x00d9b0e2, 0x800042d3, 0x80007620, 0x0031860e, 0x001f2400,
      0x80ffffff, 0x80061900},
     {0xb8a2a000, 0x3628e2fa, 0xbb7fffff, 0xb97fffff, 0xb62ca000, 0x37800400,
      0x3a800000, 0x3a400000},
     0x0,
     0x80004098},
    // wgmma.m64n8k16.f32.bf16.bf16 ss scale-d=0
    {{Wgmma, {64, 8, 16}, BF16, BF16, F32, F32},
     {0x8001, 0x0001, 0x0180, 0x0037, 0x8003, 0x0000, 0x8014, 0x001f, 0x0001,
      0x8001, 0x807f, 0x8000, 0x0014, 0x0005, 0x0000, 0x0002},
     {0xba80, 0xb93f, 0xb606, 0xbb20, 0x37ae, 0x3b7f, 0x3a40, 0x3665, 0xb6bd,
      0xb5a0, 0xba04, 0xba93, 0x39aa, 0xb8a4, 0x3732, 0xbbda},
     0x0,
     0x800017a6},
    {{Wgmma, {64, 8, 16}, BF16, BF16, F32, F32},
     {0x003f, 0x8000, 0x007f, 0x8001, 0x0075, 0x8005, 0x8000, 0x8180, 0x8024,
      0x8000, 0x80bb, 0x01c1, 0x800b, 0x0005, 0x0111, 0x0166},
     {0x3808, 0xb922, 0xb83f, 0x3896, 0xb5e2, 0xb686, 0x399c, 0x3766, 0xb700,
      0xb7df, 0xb6a4, 0x367f, 0xb580, 0x368a, 0x3780, 0x397f},
     0x0,
     0x00001c04},
    // wgmma.m64n8k16.f16.f16.f16 ss -a
    {{Wgmma, {64, 8, 16}, F16, F16, F16, F16, true},
     {0x01dd, 0x0008, 0x8400, 0x00a4, 0x0001, 0x8010, 0x040c, 0x8021, 0x8349,
      0x0912, 0x0007, 0x8001, 0x0004, 0x8bff, 0x0001, 0x8b7b},
     {0x0007, 0x0184, 0x803f, 0x8e3b, 0x8008, 0x8019, 0x93ff, 0x00c0, 0x807f,
      0x8fff, 0x9000, 0x8100, 0x001f, 0x0100, 0x0fff, 0x900e},
     0x8000,
     0x0001},
    // wmma.mma.row.col.m16n16k16.f32.f16
    {{Mma, {16, 16, 16}, F16, F16, F16, F32},
     {0x802c, 0x072d, 0x0ec4, 0x8173, 0x8140, 0x8020, 0x0001, 0x800a, 0x0006,
      0x00ea, 0x00f3, 0x8008, 0x0080, 0x8001, 0x8075, 0x8800},
     {0x8005, 0x80a2, 0x0020, 0x803f, 0x801e, 0x0ddc, 0x0010, 0x006b, 0x000f,
      0x8005, 0x8007, 0x850d, 0x000e, 0x0006, 0x012b, 0x000f},
     0x8001,
     0xb3823a88},
    {{Mma, {16, 16, 16}, F16, F16, F16, F32},
     {0x09f2, 0x800e, 0x001b, 0x801f, 0x8002, 0x8012, 0x0240, 0x016c, 0x009c,
      0x8006, 0x8040, 0x09ef, 0x0010, 0x0400, 0x8008, 0x000f},
     {0x960d, 0x807e, 0x118f, 0x89ad, 0x9bb7, 0x1781, 0xa233, 0x2900, 0x802d,
      0x1db7, 0x9bff, 0x0010, 0x1c08, 0x0080, 0x8200, 0x8050},
     0x8003,
     0x3113e100},
    // wmma.mma.row.col.m8n32k16.f32.f16
    {{Mma, {8, 32, 16}, F16, F16, F16, F32},
     {0x8036, 0x09f3, 0x8df9, 0x0c00, 0x0027, 0x8011, 0x8001, 0x8003, 0x0080,
      0x0010, 0x000a, 0x0104, 0x8c4f, 0x8040, 0x8100, 0x0ab0},
     {0x0032, 0xa400, 0x0080, 0x0020, 0x805a, 0x87ff, 0x8669, 0xad84, 0xaf9a,
      0x8077, 0x9000, 0x005f, 0xafff, 0x0120, 0x01e3, 0x8080},
     0x800f,
     0x37eccf00},
    // wmma.mma.row.col.m32n8k16.f32.f16
    {{Mma, {32, 8, 16}, F16, F16, F16, F32},
     {0x8e37, 0x0241, 0x0008, 0x8fff, 0x0008, 0x8a68, 0x0420, 0x0018, 0x8023,
      0x8001, 0x8fff, 0x003f, 0x01f1, 0x8100, 0x8c00, 0x0a22},
     {0x81e7, 0x2000, 0x01ff, 0x0014, 0x2000, 0x8020, 0x840d, 0x2800, 0x80fc,
      0x1f18, 0x8c6a, 0x0034, 0x8400, 0x1000, 0x823b, 0x01ff},
     0x803c,
     0xb65122da},
};

TEST(HardwareTensorCore, SameBitsAsTheH200) {
  for (const Measured &x : measured) {
    TensorOperationSpec spec;
    spec.instruction = x.instruction.instruction;
    spec.shape = x.instruction.shape;
    spec.aType = x.instruction.a;
    spec.bType = x.instruction.b;
    spec.cType = x.instruction.c;
    spec.dType = x.instruction.d;
    spec.negateA = x.instruction.negateA;
    EXPECT_EQ(element(spec, x.a, x.b, x.c), x.d)
        << elementName(spec.aType) << " into " << elementName(spec.dType)
        << ", row of " << std::hex << x.a[0];
    // The definition, step by step, says the same where one step is all.
    if (spec.aType != BF16 && spec.aType != TF32)
      continue;
    const TensorCoreModel model =
        TensorOperation::create(spec, nullptr)->model();
    ASSERT_EQ(model.stepLength, x.a.size());
    EXPECT_EQ(fusedStepReference(model, spec.aType, spec.bType, spec.cType,
                                 spec.dType, x.a.data(), x.b.data(),
                                 unsigned(x.a.size()), x.c),
              x.d);
  }
}

struct MeasuredDouble {
  MmaShape shape;
  std::vector<uint64_t> a, b;
  uint64_t c, d;
};

const MeasuredDouble doubles[] = {
    {{8, 8, 4},
     {0x5702f0375d97c0dc, 0x5da8c79e6a17d0fb, 0xc58f2af012ac1485,
      0xb035bf09b6fb9182},
     {0x51ea49581f1a3184, 0xe602b383cc49b7f7, 0xe4a6103d9f025c92,
      0xd5b37824a975e86a},
     0xfff1f0d945ac19e8,
     0xfff9f0d945ac19e8},
    {{8, 8, 4},
     {0x5aade023cb2e8b20, 0x6db5b38f4cbd94e2, 0xe9336d4de37b51a0,
      0x2610d4fc80a5eeaa},
     {0x6a929bfbced2e75b, 0x58b05c800fc9a928, 0x7ff9f16d606227b4,
      0x6dabb4f1438a4a91},
     0x120337d18e9bb069,
     0x7ff9f16d606227b4},
    {{8, 8, 4},
     {0x5fca80e01defc216, 0xfffcac1fb0a4bc96, 0x1a8d4a66726137a1,
      0x4b7cad1ba990cb89},
     {0x87323ac7d6bcf288, 0x5c8220473a6eeeeb, 0x73a62391c0befa95,
      0x256e19bf4dde34ae},
     0x05271dc1687c3693,
     0xfffcac1fb0a4bc96},
    {{8, 8, 4},
     {0xbff0000000000000, 0xc000000000000001, 0x3fb0000000000000,
      0xbfc0000000000200},
     {0xbfc0dd4d6080d1f8, 0x3fffffffffffffff, 0xfff0010000000000,
      0xc00ab43d5eadab09},
     0xfff0000000000000,
     0xfff8010000000000},
    {{16, 8, 8},
     {0x90ae9d9f88b96a0f, 0x586e370067303c91, 0xb89f54b5b9b98f76,
      0x1bceff34912b5864, 0x39c4a1397d0eca2c, 0x0aa1e46ca17afa10,
      0x10d32db3b78d0d99, 0x7ff018a84cae0a2d},
     {0xefa7953c394e181c, 0x331234de8b806a34, 0x2fafe65e7440db32,
      0x61c48129ecbf1581, 0x076dd7aaeebff6fd, 0xe12a9eae2d45285e,
      0xced2f842229814dd, 0x0f5151a54786defd},
     0xec6d9325c67fa5b6,
     0x7ff818a84cae0a2d},
};

TEST(HardwareTensorCore, DoubleNaNsKeepTheirPayload) {
  for (const MeasuredDouble &x : doubles) {
    TensorOperationSpec spec;
    spec.shape = x.shape;
    spec.aType = spec.bType = spec.cType = spec.dType = F64;
    EXPECT_EQ(element(spec, x.a, x.b, x.c), x.d) << std::hex << x.d;
  }
}

TEST(HardwareTensorCore, DoubleNaNsWinInTheOrderOfFma) {
  // As measured of fma.f64: b before the sum so far, that before a.
  TensorOperationSpec spec;
  spec.shape = {8, 8, 4};
  spec.aType = spec.bType = spec.cType = spec.dType = F64;
  const uint64_t one = 0x3FF0000000000000, x = 0x7FF8000000000001,
                 y = 0x7FF8000000000002, z = 0xFFF8000000000003,
                 infinity = 0x7FF0000000000000;
  EXPECT_EQ(element<uint64_t>(spec, {x, 0, 0, 0}, {y, 0, 0, 0}, z), y);
  EXPECT_EQ(element<uint64_t>(spec, {x, 0, 0, 0}, {one, 0, 0, 0}, z), z);
  EXPECT_EQ(element<uint64_t>(spec, {0, x, 0, 0}, {0, one, 0, 0}, one), x);
  EXPECT_EQ(element<uint64_t>(spec, {0, 0, infinity, 0}, {0, 0, 0, 0}, one),
            0xFFF8000000000000u);
}

} // namespace
