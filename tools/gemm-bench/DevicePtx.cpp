// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DevicePtx.h"

#include <map>

namespace gemm::bench {
namespace {

// `text` with every "@NAME@" replaced.
std::string expand(std::string text,
                   const std::map<std::string, std::string> &values) {
  for (const auto &[name, value] : values) {
    std::string mark = "@" + name + "@";
    for (size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

// Counter-based generator: SplitMix64's output function (Steele, Lea, Flood,
// OOPSLA 2014) on key + index * golden ratio; Box-Muller on its upper and lower
// 24 bits.
constexpr const char *fillText = R"(
.visible .entry fill(.param .u64 data, .param .u64 count, .param .u64 key)
{
  .reg .pred %done;
  .reg .b16 %half;
  .reg .b32 %a, %b, %c, %bits;
  .reg .b64 %i, %n, %step, %key, %z, %t, %out;
  .reg .f32 %u, %v, %x, %zero;
  .reg .f64 %wide;
  ld.param.u64 %out, [data];
  ld.param.u64 %n, [count];
  ld.param.u64 %key, [key];
  cvta.to.global.u64 %out, %out;
  mov.f32 %zero, 0f00000000;
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mov.u32 %c, %tid.x;
  mul.wide.u32 %i, %a, %b;
  cvt.u64.u32 %t, %c;
  add.u64 %i, %i, %t;
  mov.u32 %a, %nctaid.x;
  mul.wide.u32 %step, %a, %b;
  mad.lo.u64 %out, %i, @SIZE@, %out;
loop:
  setp.ge.u64 %done, %i, %n;
  @%done bra end;
  mad.lo.u64 %z, %i, 0x9e3779b97f4a7c15, %key;
  shr.u64 %t, %z, 30;
  xor.b64 %z, %z, %t;
  mul.lo.u64 %z, %z, 0xbf58476d1ce4e5b9;
  shr.u64 %t, %z, 27;
  xor.b64 %z, %z, %t;
  mul.lo.u64 %z, %z, 0x94d049bb133111eb;
  shr.u64 %t, %z, 31;
  xor.b64 %z, %z, %t;
  // Radius sqrt(-2 ln u), u = (upper 24 bits + 0.5) * 2^-24.
  shr.u64 %t, %z, 40;
  cvt.rn.f32.u64 %u, %t;
  add.f32 %u, %u, 0f3F000000;
  mul.f32 %u, %u, 0f33800000;
  lg2.approx.f32 %u, %u;
  mul.f32 %u, %u, 0fBFB17218;
  sqrt.approx.f32 %u, %u;
  // Angle 2 pi * lower 24 bits * 2^-24.
  and.b64 %t, %z, 0xffffff;
  cvt.rn.f32.u64 %v, %t;
  mul.f32 %v, %v, 0f34C90FDB;
  cos.approx.f32 %v, %v;
  mul.f32 %x, %u, %v;
@STORE@
  add.u64 %i, %i, %step;
  mad.lo.u64 %out, %step, @SIZE@, %out;
  bra loop;
end:
  ret;
}
)";

std::string storeNormal(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return "  cvt.rn.f16.f32 %half, %x;\n  st.global.b16 [%out], %half;";
  case ElementType::BF16:
    return "  cvt.rn.bf16.f32 %half, %x;\n  st.global.b16 [%out], %half;";
  case ElementType::TF32:
    return "  cvt.rna.tf32.f32 %bits, %x;\n  st.global.b32 [%out], %bits;";
  case ElementType::F32:
    return "  st.global.f32 [%out], %x;";
  case ElementType::F64:
    return "  cvt.f64.f32 %wide, %x;\n  st.global.f64 [%out], %wide;";
  case ElementType::E4M3:
    return "  cvt.rn.satfinite.e4m3x2.f32 %half, %zero, %x;\n"
           "  st.global.b8 [%out], %half;";
  case ElementType::E5M2:
    return "  cvt.rn.satfinite.e5m2x2.f32 %half, %zero, %x;\n"
           "  st.global.b8 [%out], %half;";
  case ElementType::S8:
    return "  mul.f32 %x, %x, 0f42000000;\n"
           "  cvt.rni.sat.s8.f32 %bits, %x;\n  st.global.b8 [%out], %bits;";
  case ElementType::S32:
    return "  mul.f32 %x, %x, 0f42000000;\n"
           "  cvt.rni.s32.f32 %bits, %x;\n  st.global.b32 [%out], %bits;";
  }
  return "";
}

constexpr const char *elementText = R"(
.visible .entry set_bits(.param .u64 data, .param .u64 count, .param .u64 bits)
{
  .reg .pred %done;
  .reg .b32 %a, %b, %c;
  .reg .b64 %i, %n, %step, %wide, %t, %out;
  .reg .b@REG@ %bits;
  ld.param.u64 %out, [data];
  ld.param.u64 %n, [count];
  ld.param.u64 %wide, [bits];
  cvta.to.global.u64 %out, %out;
  cvt.u@REG@.u64 %bits, %wide;
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mov.u32 %c, %tid.x;
  mul.wide.u32 %i, %a, %b;
  cvt.u64.u32 %t, %c;
  add.u64 %i, %i, %t;
  mov.u32 %a, %nctaid.x;
  mul.wide.u32 %step, %a, %b;
loop:
  setp.ge.u64 %done, %i, %n;
  @%done bra end;
  mad.lo.u64 %t, %i, @SIZE@, %out;
  st.global.b@BITS@ [%t], %bits;
  add.u64 %i, %i, %step;
  bra loop;
end:
  ret;
}

.visible .entry gather(.param .u64 to, .param .u64 from,
  .param .u64 rowOffsets, .param .u64 colOffsets, .param .u64 rows,
  .param .u64 cols)
{
  .reg .pred %done;
  .reg .b32 %a, %b, %c;
  .reg .b64 %i, %n, %step, %cols, %t, %to, %from, %row, %col, %rowOff, %colOff;
  .reg .b@REG@ %bits;
  ld.param.u64 %to, [to];
  ld.param.u64 %from, [from];
  ld.param.u64 %rowOff, [rowOffsets];
  ld.param.u64 %colOff, [colOffsets];
  ld.param.u64 %n, [rows];
  ld.param.u64 %cols, [cols];
  cvta.to.global.u64 %to, %to;
  cvta.to.global.u64 %from, %from;
  cvta.to.global.u64 %rowOff, %rowOff;
  cvta.to.global.u64 %colOff, %colOff;
  mul.lo.u64 %n, %n, %cols;
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mov.u32 %c, %tid.x;
  mul.wide.u32 %i, %a, %b;
  cvt.u64.u32 %t, %c;
  add.u64 %i, %i, %t;
  mov.u32 %a, %nctaid.x;
  mul.wide.u32 %step, %a, %b;
loop:
  setp.ge.u64 %done, %i, %n;
  @%done bra end;
  div.u64 %row, %i, %cols;
  rem.u64 %col, %i, %cols;
  mad.lo.u64 %t, %row, 8, %rowOff;
  ld.global.u64 %row, [%t];
  mad.lo.u64 %t, %col, 8, %colOff;
  ld.global.u64 %col, [%t];
  add.u64 %row, %row, %col;
  mad.lo.u64 %t, %row, @SIZE@, %from;
  ld.global.b@BITS@ %bits, [%t];
  mad.lo.u64 %t, %i, @SIZE@, %to;
  st.global.b@BITS@ [%t], %bits;
  add.u64 %i, %i, %step;
  bra loop;
end:
  ret;
}

.visible .entry count_equal(.param .u64 data, .param .u64 lines,
  .param .u64 length, .param .u64 pitch, .param .u64 batches,
  .param .u64 batchStride, .param .u64 bits, .param .u64 out)
{
  .reg .pred %done, %equal;
  .reg .b32 %a, %b, %c;
  .reg .b64 %i, %n, %step, %wide, %t, %data, %out, %lines, %length, %pitch;
  .reg .b64 %stride, %line, %batch, %at, %count, %first;
  .reg .b@REG@ %bits, %value;
  ld.param.u64 %data, [data];
  ld.param.u64 %lines, [lines];
  ld.param.u64 %length, [length];
  ld.param.u64 %pitch, [pitch];
  ld.param.u64 %n, [batches];
  ld.param.u64 %stride, [batchStride];
  ld.param.u64 %wide, [bits];
  ld.param.u64 %out, [out];
  cvta.to.global.u64 %data, %data;
  cvta.to.global.u64 %out, %out;
  cvt.u@REG@.u64 %bits, %wide;
  mul.lo.u64 %n, %n, %lines;
  mul.lo.u64 %n, %n, %length;
  mov.u64 %count, 0;
  mov.u64 %first, 0xffffffffffffffff;
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mov.u32 %c, %tid.x;
  mul.wide.u32 %i, %a, %b;
  cvt.u64.u32 %t, %c;
  add.u64 %i, %i, %t;
  mov.u32 %a, %nctaid.x;
  mul.wide.u32 %step, %a, %b;
loop:
  setp.ge.u64 %done, %i, %n;
  @%done bra end;
  div.u64 %line, %i, %length;
  mul.lo.u64 %t, %line, %length;
  sub.u64 %at, %i, %t;
  div.u64 %batch, %line, %lines;
  mul.lo.u64 %t, %batch, %lines;
  sub.u64 %line, %line, %t;
  mad.lo.u64 %at, %line, %pitch, %at;
  mad.lo.u64 %at, %batch, %stride, %at;
  mad.lo.u64 %t, %at, @SIZE@, %data;
  ld.global.b@BITS@ %value, [%t];
  setp.eq.u@REG@ %equal, %value, %bits;
  @%equal add.u64 %count, %count, 1;
  @%equal min.u64 %first, %first, %i;
  add.u64 %i, %i, %step;
  bra loop;
end:
  setp.eq.u64 %done, %count, 0;
  @%done ret;
  red.global.add.u64 [%out], %count;
  red.global.min.u64 [%out + 8], %first;
  ret;
}
)";

constexpr const char *memoryText = R"(
.visible .entry nothing()
{
  ret;
}

.visible .entry read(.param .u64 data, .param .u64 chunks, .param .u64 out)
{
  .reg .pred %done;
  .reg .b32 %a, %b, %c, %sum, %v<32>;
  .reg .b64 %n, %from, %out, %step, %t;
  ld.param.u64 %from, [data];
  ld.param.u64 %n, [chunks];
  ld.param.u64 %out, [out];
  cvta.to.global.u64 %from, %from;
  cvta.to.global.u64 %out, %out;
  mov.u32 %sum, 0;
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mov.u32 %c, %tid.x;
  mad.lo.u32 %c, %a, %b, %c;
  mad.wide.u32 %from, %c, 16, %from;
  mov.u32 %a, %nctaid.x;
  mul.lo.u32 %a, %a, %b;
  mul.wide.u32 %step, %a, 16;
loop:
  setp.eq.u64 %done, %n, 0;
  @%done bra end;
@LOADS@
  sub.u64 %n, %n, 1;
  bra loop;
end:
  // Never true, but only the GPU knows: keeps the loads.
  setp.ne.u32 %done, %sum, 0x5eed1234;
  @%done ret;
  st.global.u32 [%out], %sum;
  ret;
}

.visible .entry copy(.param .u64 to, .param .u64 from, .param .u64 chunks)
{
  .reg .pred %done;
  .reg .b32 %a, %b, %c, %v<32>;
  .reg .b64 %n, %from, %to, %step;
  ld.param.u64 %to, [to];
  ld.param.u64 %from, [from];
  ld.param.u64 %n, [chunks];
  cvta.to.global.u64 %to, %to;
  cvta.to.global.u64 %from, %from;
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mov.u32 %c, %tid.x;
  mad.lo.u32 %c, %a, %b, %c;
  mad.wide.u32 %from, %c, 16, %from;
  mad.wide.u32 %to, %c, 16, %to;
  mov.u32 %a, %nctaid.x;
  mul.lo.u32 %a, %a, %b;
  mul.wide.u32 %step, %a, 16;
loop:
  setp.eq.u64 %done, %n, 0;
  @%done bra end;
@MOVES@
  sub.u64 %n, %n, 1;
  bra loop;
end:
  ret;
}
)";

// Registers "%v0, %v1, %v2, %v3" of vector number `index`.
std::string vectorOf(int index) {
  std::string text = "{";
  for (int i = 0; i < 4; ++i)
    text += (i ? ", %v" : "%v") + std::to_string(4 * index + i);
  return text + "}";
}

} // namespace

std::string ptxHeader(const std::string &version, const std::string &target) {
  return ".version " + version + "\n.target " + target + "\n.address_size 64\n";
}

std::string fillPtx(ElementType type) {
  return expand(fillText, {{"STORE", storeNormal(type)},
                           {"SIZE", std::to_string(elementSize(type))}});
}

std::string elementPtx(size_t bytes) {
  // Registers have 16 bits at least.
  size_t bits = 8 * bytes;
  return expand(elementText, {{"SIZE", std::to_string(bytes)},
                              {"BITS", std::to_string(bits)},
                              {"REG", std::to_string(bits < 16 ? 16 : bits)}});
}

std::string memoryPtx() {
  constexpr int vectors = memoryChunk / 16;
  // All loads of a chunk are in flight together.
  std::string loads, sums, moves, stores;
  for (int i = 0; i < vectors; ++i) {
    std::string target = vectorOf(i);
    loads += "  ld.global.nc.v4.u32 " + target +
             ", [%from];\n  add.u64 %from, %from, %step;\n";
    stores += "  st.global.v4.u32 [%to], " + target +
              ";\n  add.u64 %to, %to, %step;\n";
    for (int k = 0; k < 4; ++k)
      sums += "  xor.b32 %sum, %sum, %v" + std::to_string(4 * i + k) + ";\n";
  }
  return expand(memoryText,
                {{"LOADS", loads + sums}, {"MOVES", loads + stores}});
}

} // namespace gemm::bench
