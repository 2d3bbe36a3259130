// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that do nothing but multiply-adds. Sources: PTX ISA, "Asynchronous
// Warpgroup Level Matrix Instructions" (wgmma), "Warp Level Matrix
// Instructions" (mma).
#include "DevicePtx.h"

namespace gemm::bench {
namespace {

using std::to_string;

// What surrounds every loop: reads the parameters, measures the time of block
// 0, writes a result. `body` runs %iterations times.
std::string kernel(const std::string &declarations, const std::string &prologue,
                   const std::string &body, const std::string &epilogue,
                   const std::string &result, unsigned threads) {
  return R"(
.extern .shared .align 1024 .b8 tile[];

.visible .entry multiply(.param .u64 data, .param .u32 iterations,
  .param .u64 out)
.maxntid )" +
         to_string(threads) + R"(, 1, 1
{
  .reg .pred %more, %other, %on;
  .reg .b32 %iterations, %me, %block, %t, %u;
  .reg .b64 %data, %out, %start, %end, %begun, %ended, %w;
)" + declarations +
         R"(  ld.param.u64 %data, [data];
  ld.param.u64 %out, [out];
  ld.param.u32 %iterations, [iterations];
  cvta.to.global.u64 %data, %data;
  cvta.to.global.u64 %out, %out;
  mov.u32 %me, %tid.x;
  mov.u32 %block, %ctaid.x;
  setp.ne.b32 %on, %me, %me;
)" + prologue +
         R"(  mov.u64 %start, %clock64;
  mov.u64 %begun, %globaltimer;
loop:
)" + body +
         R"(  sub.u32 %iterations, %iterations, 1;
  setp.ne.u32 %more, %iterations, 0;
  @%more bra loop;
)" + epilogue +
         R"(  mov.u64 %ended, %globaltimer;
  mov.u64 %end, %clock64;
  or.b32 %t, %me, %block;
  setp.ne.u32 %other, %t, 0;
  @%other bra results;
  sub.u64 %w, %end, %start;
  st.global.u64 [%out], %w;
  sub.u64 %w, %ended, %begun;
  st.global.u64 [%out + 8], %w;
results:
  mad.lo.u32 %t, %block, )" +
         to_string(threads) + R"(, %me;
  mad.wide.u32 %out, %t, 8, %out;
)" + result +
         R"(  ret;
}
)";
}

std::string list(const std::string &prefix, int count, int first = 0) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += (i ? ", " : "") + prefix + to_string(first + i);
  return text + "}";
}

// Sum of registers into `to`, so that none is dead.
std::string sum(const std::string &to, const std::string &prefix, int count,
                const std::string &add) {
  std::string text;
  for (int i = 1; i < count; ++i)
    text += "  " + add + " " + to + ", " + to + ", " + prefix + to_string(i) +
            ";\n";
  return text;
}

//===----------------------------------------------------------------------===//
// wgmma: two warpgroups, A (64 x 128 bytes each) and B (256 x 128 bytes) in
// shared memory, four k-steps an iteration
//===----------------------------------------------------------------------===//

RatePtx warpgroupRate(const std::string &types, int depth, bool integer,
                      const std::string &modifiers) {
  constexpr int rows = 64, cols = 256, steps = 4, accumulators = 128;
  RatePtx rate;
  std::string shape = "m64n256k" + to_string(depth);
  rate.instruction = "wgmma " + shape + types;
  rate.threads = 256;
  rate.sharedBytes = rateOperandBytes;
  rate.operationsPerIteration = 2.0 * rows * cols * depth * steps * 2;

  std::string declarations = "  .reg .b64 %a<4>, %b<4>;\n";
  declarations += integer ? "  .reg .b32 %d<128>;\n" : "  .reg .f32 %d<128>;\n";

  // Fill the tile with data, 16 bytes per thread at a time.
  std::string prologue = R"(  .reg .b32 %q<4>;
  .reg .b64 %from;
  mov.u32 %t, tile;
  mad.lo.u32 %u, %me, 16, %t;
  mad.wide.u32 %from, %me, 16, %data;
)";
  for (unsigned at = 0; at < rateOperandBytes; at += 16 * rate.threads)
    prologue += "  ld.global.v4.u32 {%q0, %q1, %q2, %q3}, [%from + " +
                to_string(at) + "];\n  st.shared.v4.u32 [%u + " +
                to_string(at) + "], {%q0, %q1, %q2, %q3};\n";
  prologue += R"(  fence.proxy.async.shared::cta;
  bar.sync 0;
  // Matrix descriptors: start address / 16; swizzle of 128 bytes, 1024 bytes
  // from one group of eight rows to the next. A of the second warpgroup lies
  // 8192 bytes on, B behind both.
  shr.u32 %u, %me, 7;
  shfl.sync.idx.b32 %u, %u, 0, 31, 0xffffffff;
  mad.lo.u32 %u, %u, 8192, %t;
  and.b32 %u, %u, 0x3ffff;
  shr.u32 %u, %u, 4;
  cvt.u64.u32 %a0, %u;
  or.b64 %a0, %a0, 0x4000004000010000;
  add.u32 %u, %t, 16384;
  and.b32 %u, %u, 0x3ffff;
  shr.u32 %u, %u, 4;
  cvt.u64.u32 %b0, %u;
  or.b64 %b0, %b0, 0x4000004000010000;
)";
  for (int i = 1; i < steps; ++i) {
    // 32 bytes along K.
    std::string advance = ", " + to_string(2 * i) + ";\n";
    prologue += "  add.u64 %a" + to_string(i) + ", %a0" + advance;
    prologue += "  add.u64 %b" + to_string(i) + ", %b0" + advance;
  }
  for (int i = 0; i < accumulators; ++i)
    prologue += (integer ? "  mov.b32 %d" : "  mov.f32 %d") + to_string(i) +
                (integer ? ", 0;\n" : ", 0f00000000;\n");
  prologue += "  setp.eq.u32 %on, %me, %me;\n";

  std::string body = "  wgmma.fence.sync.aligned;\n";
  for (int i = 0; i < steps; ++i)
    body += "  wgmma.mma_async.sync.aligned." + shape + types + "\n    " +
            list("%d", accumulators) + ",\n    %a" + to_string(i) + ", %b" +
            to_string(i) + ", %on" + modifiers + ";\n";
  body += "  wgmma.commit_group.sync.aligned;\n"
          "  wgmma.wait_group.sync.aligned 1;\n";
  std::string epilogue = "  wgmma.wait_group.sync.aligned 0;\n";
  std::string result =
      sum("%d0", "%d", accumulators, integer ? "add.u32" : "add.f32") +
      "  st.global.b32 [%out + 16], %d0;\n";
  rate.text =
      kernel(declarations, prologue, body, epilogue, result, rate.threads);
  return rate;
}

//===----------------------------------------------------------------------===//
// mma.sync: operands in registers, independent accumulators
//===----------------------------------------------------------------------===//

struct WarpShape {
  int m, n, k;
  // Registers of a thread.
  int a, b, d;
};

RatePtx warpRate(const std::string &types, const WarpShape &shape,
                 const std::string &inputType, const std::string &sumType) {
  constexpr int chains = 8;
  RatePtx rate;
  std::string name = "m" + to_string(shape.m) + "n" + to_string(shape.n) + "k" +
                     to_string(shape.k);
  rate.instruction = "mma.sync " + name + types;
  rate.threads = 256;
  rate.blocksPerMultiprocessor = 2;
  rate.operationsPerIteration =
      2.0 * shape.m * shape.n * shape.k * chains * (rate.threads / 32);
  bool wide = inputType == "f64";
  std::string loadType = wide ? "f64" : "b32";
  std::string reg = wide ? ".f64" : ".b32";
  std::string declarations = "  .reg " + reg + " %a<" + to_string(shape.a) +
                             ">, %b<" + to_string(shape.b) + ">;\n  .reg ." +
                             sumType + " %d<" + to_string(chains * shape.d) +
                             ">;\n  .reg .b64 %from;\n";
  int size = wide ? 8 : 4;
  std::string prologue =
      "  mad.wide.u32 %from, %me, " + to_string(size) + ", %data;\n";
  int at = 0;
  auto load = [&](const std::string &name) {
    prologue += "  ld.global." + loadType + " " + name + ", [%from + " +
                to_string(at) + "];\n";
    at += 256 * size;
  };
  for (int i = 0; i < shape.a; ++i)
    load("%a" + to_string(i));
  for (int i = 0; i < shape.b; ++i)
    load("%b" + to_string(i));
  std::string zero = sumType == "f64"   ? "0d0000000000000000"
                     : sumType == "f32" ? "0f00000000"
                                        : "0";
  for (int i = 0; i < chains * shape.d; ++i)
    prologue += "  mov." + sumType + " %d" + to_string(i) + ", " + zero + ";\n";
  std::string body;
  for (int i = 0; i < chains; ++i) {
    std::string d = list("%d", shape.d, i * shape.d);
    body += "  mma.sync.aligned." + name + ".row.col" + types + " " + d + ", " +
            list("%a", shape.a) + ", " + list("%b", shape.b) + ", " + d + ";\n";
  }
  std::string add = sumType == "s32" ? "add.s32" : "add." + sumType;
  std::string result = sum("%d0", "%d", chains * shape.d, add) +
                       "  st.global." + sumType + " [%out + 16], %d0;\n";
  rate.text = kernel(declarations, prologue, body, "", result, rate.threads);
  return rate;
}

//===----------------------------------------------------------------------===//
// fma: what a thread does
//===----------------------------------------------------------------------===//

RatePtx threadRate() {
  constexpr int chains = 16, factors = 8;
  RatePtx rate;
  rate.instruction = "fma.rn.f32";
  rate.threads = 256;
  rate.blocksPerMultiprocessor = 4;
  rate.operationsPerIteration = 2.0 * chains * factors * rate.threads;
  std::string declarations = "  .reg .f32 %a<" + to_string(factors) + ">, %d<" +
                             to_string(chains) + ">;\n  .reg .b64 %from;\n";
  std::string prologue = "  mad.wide.u32 %from, %me, 4, %data;\n";
  for (int i = 0; i < factors; ++i)
    prologue += "  ld.global.f32 %a" + to_string(i) + ", [%from + " +
                to_string(1024 * i) + "];\n";
  for (int i = 0; i < chains; ++i)
    prologue += "  mov.f32 %d" + to_string(i) + ", 0f00000000;\n";
  std::string body;
  for (int f = 0; f < factors; ++f)
    for (int i = 0; i < chains; ++i) {
      std::string d = "%d" + to_string(i);
      body += "  fma.rn.f32 " + d + ", %a" + to_string(f) + ", %a" +
              to_string((f + i) % factors) + ", " + d + ";\n";
    }
  std::string result = sum("%d0", "%d", chains, "add.f32") +
                       "  st.global.f32 [%out + 16], %d0;\n";
  rate.text = kernel(declarations, prologue, body, "", result, rate.threads);
  return rate;
}

} // namespace

std::vector<RatePtx> ratePtx(ElementType type) {
  const std::string scales = ", 1, 1", transposes = ", 0, 0";
  constexpr WarpShape sixteen = {16, 8, 16, 4, 2, 4};
  constexpr WarpShape eight = {16, 8, 8, 4, 2, 4};
  constexpr WarpShape thirtyTwo = {16, 8, 32, 4, 2, 4};
  switch (type) {
  case ElementType::F16:
    return {warpgroupRate(".f32.f16.f16", 16, false, scales + transposes),
            warpRate(".f32.f16.f16.f32", sixteen, "f16", "f32"),
            warpRate(".f32.f16.f16.f32", {16, 8, 8, 2, 1, 4}, "f16", "f32")};
  case ElementType::BF16:
    return {warpgroupRate(".f32.bf16.bf16", 16, false, scales + transposes),
            warpRate(".f32.bf16.bf16.f32", sixteen, "bf16", "f32")};
  case ElementType::TF32:
    return {warpgroupRate(".f32.tf32.tf32", 8, false, scales),
            warpRate(".f32.tf32.tf32.f32", eight, "tf32", "f32")};
  case ElementType::E4M3:
    return {warpgroupRate(".f32.e4m3.e4m3", 32, false, scales),
            warpRate(".f32.e4m3.e4m3.f32", thirtyTwo, "e4m3", "f32")};
  case ElementType::E5M2:
    return {warpgroupRate(".f32.e5m2.e5m2", 32, false, scales),
            warpRate(".f32.e5m2.e5m2.f32", thirtyTwo, "e5m2", "f32")};
  case ElementType::S8:
    return {warpgroupRate(".s32.s8.s8", 32, true, ""),
            warpRate(".s32.s8.s8.s32", thirtyTwo, "s8", "s32")};
  case ElementType::F64:
    return {warpRate(".f64.f64.f64.f64", {16, 8, 16, 8, 4, 4}, "f64", "f64"),
            warpRate(".f64.f64.f64.f64", {8, 8, 4, 1, 1, 2}, "f64", "f64")};
  case ElementType::F32:
    return {threadRate()};
  case ElementType::S32:
    return {};
  }
  return {};
}

} // namespace gemm::bench
