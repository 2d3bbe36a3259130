// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TileInstruction.h"

namespace gemm::agreement {

using namespace emulator;
using enum ElementType;

namespace {

std::string text(size_t n) { return std::to_string(n); }

/// The type of the registers that hold elements of `type`.
const char *registerType(ElementType type) {
  switch (type) {
  case F64:
    return ".f64";
  case F32:
    return ".f32";
  default:
    return ".b32";
  }
}

bool isFp8(ElementType type) { return type == E4M3 || type == E5M2; }

unsigned registerBytes(ElementType type) { return type == F64 ? 8 : 4; }

unsigned registersOf(const TileInstruction &t, ElementType type,
                     MatrixRole role) {
  if (t.family == FragmentFamily::Wmma)
    return fragmentMap(t.family, t.shape, type, role)->registers;
  const FragmentMap *map = role == MatrixRole::A   ? t.aFragment()
                           : role == MatrixRole::B ? t.bFragment()
                                                   : t.accumulator(type);
  return map ? map->registers : 0;
}

size_t matrixBytes(unsigned rows, unsigned columns, ElementType type) {
  return size_t(rows) * columns * elementBits(type) / 8;
}

/// One operand: declared, addressed, loaded or stored.
struct Operand {
  std::string prefix; ///< "a": registers %a0 ..., pointer %pa
  ElementType type;
  unsigned count;

  std::string name(unsigned r) const { return "%" + prefix + text(r); }
  std::string list() const {
    std::string result = "{";
    for (unsigned r = 0; r < count; ++r)
      result += (r ? ", " : "") + name(r);
    return result + "}";
  }
  std::string declare() const {
    return std::string("  .reg ") + registerType(type) + " %" + prefix + "<" +
           text(count) + ">;\n";
  }
  /// Register r of all the tile's threads is one row of memory.
  std::string move(unsigned threads, bool load) const {
    std::string result;
    for (unsigned r = 0; r < count; ++r) {
      const std::string place =
          "[%p" + prefix + "+" +
          text(size_t(r) * threads * registerBytes(type)) + "]";
      result += load ? std::string("  ld.global") + registerType(type) + " " +
                           name(r) + ", " + place + ";\n"
                     : std::string("  st.global") + registerType(type) + " " +
                           place + ", " + name(r) + ";\n";
    }
    return result;
  }
};

/// %p<prefix> = parameter + tile * bytes + thread * threadBytes
std::string pointer(const std::string &prefix, size_t bytes,
                    unsigned threadBytes) {
  std::string result = "  ld.param.u64 %p" + prefix + ", [" + prefix + "];\n" +
                       "  mad.wide.u32 %p" + prefix + ", %tile, " +
                       text(bytes) + ", %p" + prefix + ";\n";
  if (threadBytes)
    result += "  mad.wide.u32 %p" + prefix + ", %thread, " + text(threadBytes) +
              ", %p" + prefix + ";\n";
  return result;
}

/// Copies a block of memory to shared memory, 16 bytes a thread at a time.
std::string copyToShared(const std::string &prefix, size_t bytes,
                         size_t offset) {
  std::string result;
  for (size_t done = 0; done < bytes; done += 128 * 16) {
    const bool partly = bytes - done < 128 * 16;
    if (partly)
      result +=
          "  setp.lt.u32 %part, %thread, " + text((bytes - done) / 16) + ";\n";
    const std::string guard = partly ? "  @%part " : "  ";
    result += guard + "ld.global.v4.b32 {%t0, %t1, %t2, %t3}, [%p" + prefix +
              "+" + text(done) + "];\n" + guard + "st.shared.v4.b32 [%here+" +
              text(offset + done) + "], {%t0, %t1, %t2, %t3};\n";
  }
  return result;
}

/// PTX ISA "mma": the least target of an instruction.
std::string target(const TileInstruction &t) {
  if (t.a == ElementType::F64 && t.shape.m == 16)
    return "sm_90";
  return isFp8(t.a) || isFp8(t.b) ? "sm_89" : "sm_80";
}

std::string frame(const std::string &target, const std::string &shared,
                  const std::string &registers, const std::string &body,
                  unsigned perCta) {
  return ".version 8.7\n.target " + target + "\n.address_size 64\n" + shared +
         ".visible .entry tiles(.param .u64 a, .param .u64 b, .param .u64 c,\n"
         "  .param .u64 d, .param .u32 count)\n{\n"
         "  .reg .pred %done, %part, %scale;\n"
         "  .reg .b32 %tile, %thread, %step, %count, %here, %t<4>;\n"
         "  .reg .b64 %pa, %pb, %pc, %pd, %da, %db;\n" +
         registers +
         "  mov.u32 %thread, %tid.x;\n"
         "  mov.u32 %tile, %ctaid.x;\n"
         "  mov.u32 %step, %nctaid.x;\n"
         "  ld.param.u32 %count, [count];\n" +
         (perCta == 1 ? ""
                      : "  shr.u32 %t0, %thread, 5;\n"
                        "  mad.lo.u32 %tile, %tile, " +
                            text(perCta) +
                            ", %t0;\n"
                            "  mul.lo.u32 %step, %step, " +
                            text(perCta) +
                            ";\n"
                            "  and.b32 %thread, %thread, 31;\n") +
         "NEXT:\n"
         "  setp.ge.u32 %done, %tile, %count;\n"
         "  @%done bra DONE;\n" +
         body +
         "  add.u32 %tile, %tile, %step;\n"
         "  bra NEXT;\n"
         "DONE:\n  ret;\n}\n";
}

std::string warpPtx(const TileInstruction &t, const TileLayout &layout) {
  const Operand a{"a", t.a, registersOf(t, t.a, MatrixRole::A)};
  const Operand b{"b", t.b, registersOf(t, t.b, MatrixRole::B)};
  const Operand c{"c", t.c, registersOf(t, t.c, MatrixRole::Accumulator)};
  const Operand d{"d", t.d, registersOf(t, t.d, MatrixRole::Accumulator)};
  const std::string instruction = "  " + t.opcode() + " " + d.list() + ", " +
                                  a.list() + ", " + b.list() + ", " + c.list() +
                                  ";\n";
  std::string body;
  if (t.family == FragmentFamily::MmaSync) {
    for (const auto &[operand, bytes] : {std::pair{&a, layout.aBytes},
                                         {&b, layout.bBytes},
                                         {&c, layout.cBytes}})
      body += pointer(operand->prefix, bytes, registerBytes(operand->type)) +
              operand->move(32, true);
    body += instruction + pointer("d", layout.dBytes, registerBytes(t.d)) +
            d.move(32, false);
  } else {
    const std::string shape =
        "m" + text(t.shape.m) + "n" + text(t.shape.n) + "k" + text(t.shape.k);
    const auto transfer = [&](const char *what, const char *order,
                              ElementType type) {
      return std::string("  wmma.") + what + ".sync.aligned." + order + "." +
             shape + ".global." + elementName(type) + " ";
    };
    body = pointer("a", layout.aBytes, 0) + transfer("load.a", "row", t.a) +
           a.list() + ", [%pa], " + text(t.shape.k) + ";\n" +
           pointer("b", layout.bBytes, 0) + transfer("load.b", "col", t.b) +
           b.list() + ", [%pb], " + text(t.shape.k) + ";\n" +
           pointer("c", layout.cBytes, 0) + transfer("load.c", "row", t.c) +
           c.list() + ", [%pc], " + text(t.shape.n) + ";\n" + instruction +
           pointer("d", layout.dBytes, 0) + transfer("store.d", "row", t.d) +
           "[%pd], " + d.list() + ", " + text(t.shape.n) + ";\n";
  }
  return frame(target(t), "",
               a.declare() + b.declare() + c.declare() + d.declare(), body, 4);
}

std::string wgmmaPtx(const TileInstruction &t, const TileLayout &layout) {
  const Operand a{"a", t.a, registersOf(t, t.a, MatrixRole::A)};
  const Operand c{"c", t.c, registersOf(t, t.c, MatrixRole::Accumulator)};
  const size_t bOffset =
      t.registersA ? 0 : (layout.aBytes + 1023) / 1024 * 1024;
  std::string body = "  bar.sync 0;\n"
                     "  mov.u32 %here, image;\n"
                     "  shr.u32 %t0, %here, 4;\n"
                     "  cvt.u64.u32 %da, %t0;\n"
                     "  add.u64 %db, %da, " +
                     text(bOffset / 16) +
                     ";\n"
                     "  or.b64 %da, %da, " +
                     text(layout.descriptorA) +
                     ";\n"
                     "  or.b64 %db, %db, " +
                     text(layout.descriptorB) +
                     ";\n"
                     "  mad.lo.u32 %here, %thread, 16, %here;\n";
  if (t.registersA)
    body += pointer("a", layout.aBytes, 4) + a.move(128, true);
  else
    body +=
        pointer("a", layout.aBytes, 16) + copyToShared("a", layout.aBytes, 0);
  body += pointer("b", layout.bBytes, 16) +
          copyToShared("b", layout.bBytes, bOffset) +
          pointer("c", layout.cBytes, 4) + c.move(128, true) +
          "  fence.proxy.async.shared::cta;\n"
          "  bar.sync 0;\n"
          "  setp." +
          (t.accumulate ? "eq" : "ne") +
          ".u32 %scale, %step, %step;\n"
          "  wgmma.fence.sync.aligned;\n  " +
          t.opcode() + " " + c.list() + ", " +
          (t.registersA ? a.list() : std::string("%da")) + ", %db, %scale";
  const bool floating = t.d != S32;
  if (floating)
    body +=
        std::string(t.negateA ? ", -1" : ", 1") + (t.negateB ? ", -1" : ", 1");
  if (t.a == F16 || t.a == BF16) {
    if (!t.registersA)
      body += t.majorA == MajorMode::MN ? ", 1" : ", 0";
    body += t.majorB == MajorMode::MN ? ", 1" : ", 0";
  }
  body += ";\n"
          "  wgmma.commit_group.sync.aligned;\n"
          "  wgmma.wait_group.sync.aligned 0;\n" +
          pointer("d", layout.dBytes, 4);
  Operand d = c;
  // The same registers, stored through D's pointer.
  std::string store = d.move(128, false);
  for (size_t at = 0; (at = store.find("[%pc", at)) != std::string::npos;)
    store.replace(at, 4, "[%pd");
  body += store;
  return frame("sm_90a", ".extern .shared .align 1024 .b8 image[];\n",
               (t.registersA ? a.declare() : std::string()) + c.declare(), body,
               1);
}

/// Strides of an operand packed tightly in its canonical layout, and the bytes
/// that it takes.
size_t describeOperand(const TileInstruction &t, MajorMode major, unsigned mn,
                       unsigned kBytes, uint64_t &descriptor) {
  MatrixDescriptor d;
  d.swizzle = t.swizzle;
  const size_t width = d.span();
  const bool plain = t.swizzle == DescriptorSwizzle::None;
  size_t leading, stride, bytes;
  if (major == MajorMode::K) {
    leading = plain ? 128 : 16;
    stride = plain ? kBytes / 16 * 128 : 8 * width;
    bytes = mn / 8 * stride;
  } else { // 16-bit elements: kBytes / 2 rows of 2 * mn bytes
    const size_t groups = kBytes / 2 / 8;
    leading = plain ? 128 : groups * 8 * width;
    stride = plain ? groups * 128 : 8 * width;
    bytes = plain ? mn * 2 / 16 * stride : mn * 2 / width * leading;
  }
  const uint64_t base = t.baseOffset ? t.startOffset / 128 % 8 : 0;
  descriptor = uint64_t(t.startOffset / 16) | base << 49 |
               uint64_t(leading / 16) << 16 | uint64_t(stride / 16) << 32 |
               uint64_t(t.swizzle) << 62;
  return bytes + t.startOffset;
}

} // namespace

TileLayout tileLayout(const TileInstruction &t) {
  TileLayout layout;
  const auto registers = [&](ElementType type, MatrixRole role) {
    return size_t(registersOf(t, type, role)) * layout.threads *
           registerBytes(type);
  };
  const auto [m, n, k] = t.shape;
  if (t.isWgmma())
    layout.threads = 128;
  if (t.family == FragmentFamily::Wmma) {
    layout.aBytes = matrixBytes(m, k, t.a);
    layout.bBytes = matrixBytes(k, n, t.b);
    layout.cBytes = matrixBytes(m, n, t.c);
    layout.dBytes = matrixBytes(m, n, t.d);
    return layout;
  }
  layout.aBytes = registers(t.a, MatrixRole::A);
  layout.bBytes = registers(t.b, MatrixRole::B);
  layout.cBytes = registers(t.c, MatrixRole::Accumulator);
  layout.dBytes = registers(t.d, MatrixRole::Accumulator);
  if (t.isWgmma()) {
    const unsigned kBytes = k * elementBits(t.a) / 8;
    layout.bBytes = describeOperand(t, t.majorB, n, kBytes, layout.descriptorB);
    layout.sharedBytes = layout.bBytes;
    if (!t.registersA) {
      layout.aBytes =
          describeOperand(t, t.majorA, m, kBytes, layout.descriptorA);
      layout.sharedBytes += (layout.aBytes + 1023) / 1024 * 1024;
    }
  }
  return layout;
}

std::string tilePtx(const TileInstruction &t) {
  const TileLayout layout = tileLayout(t);
  return t.isWgmma() ? wgmmaPtx(t, layout) : warpPtx(t, layout);
}

unsigned tileCtas(const TileInstruction &t, unsigned count) {
  const unsigned perCta = t.isWgmma() ? 1 : 4;
  const unsigned ctas = (count + perCta - 1) / perCta;
  return ctas < 64 ? ctas : 64;
}

} // namespace gemm::agreement
