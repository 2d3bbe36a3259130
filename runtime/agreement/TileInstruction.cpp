// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TileInstruction.h"

#include <algorithm>

namespace gemm::agreement {

using namespace emulator;
using enum ElementType;

namespace {

std::string shapeText(MmaShape s) {
  return "m" + std::to_string(s.m) + "n" + std::to_string(s.n) + "k" +
         std::to_string(s.k);
}

std::string dotted(ElementType type) {
  return std::string(".") + elementName(type);
}

const char *bitText(BitOperation operation) {
  return operation == BitOperation::And ? ".and.popc" : ".xor.popc";
}

TileInstruction warpLevel(FragmentFamily family, MmaShape shape, ElementType d,
                          ElementType a, ElementType b, ElementType c) {
  TileInstruction result;
  result.family = family;
  result.shape = shape;
  result.a = a, result.b = b, result.c = c, result.d = d;
  return result;
}

using List = std::vector<TileInstruction>;

/// Integer rows: both signednesses of both operands, with and without
/// .satfinite.
void addIntegers(List &list, FragmentFamily family, ElementType s,
                 ElementType u, std::initializer_list<MmaShape> shapes) {
  const bool mixes = family != FragmentFamily::Wmma;
  for (MmaShape shape : shapes)
    for (ElementType a : {s, u})
      for (ElementType b : {s, u})
        for (bool saturate : {false, true})
          if (mixes || a == b) {
            list.push_back(warpLevel(family, shape, S32, a, b, S32));
            list.back().saturate = saturate;
          }
}

void addBits(List &list, FragmentFamily family,
             std::initializer_list<MmaShape> shapes) {
  for (MmaShape shape : shapes)
    for (BitOperation bit : {BitOperation::Xor, BitOperation::And}) {
      list.push_back(warpLevel(family, shape, S32, B1, B1, S32));
      list.back().bitOperation = bit;
    }
}

void addMmaSync(List &list) {
  const auto add = [&](MmaShape shape, ElementType d, ElementType a,
                       ElementType b) {
    list.push_back(warpLevel(FragmentFamily::MmaSync, shape, d, a, b, d));
  };
  for (unsigned k : {16u, 8u}) {
    add({16, 8, k}, F32, F16, F16);
    add({16, 8, k}, F16, F16, F16);
    add({16, 8, k}, F32, BF16, BF16);
    add({16, 8, k / 2}, F32, TF32, TF32);
  }
  for (unsigned k : {32u, 16u})
    for (ElementType d : {F32, F16})
      for (ElementType a : {E4M3, E5M2})
        for (ElementType b : {E4M3, E5M2})
          add({16, 8, k}, d, a, b);
  for (MmaShape shape :
       {MmaShape{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}})
    add(shape, F64, F64, F64);
}

void addMmaSyncRest(List &list) {
  addIntegers(list, FragmentFamily::MmaSync, S8, U8,
              {{16, 8, 32}, {16, 8, 16}, {8, 8, 16}});
  addIntegers(list, FragmentFamily::MmaSync, S4, U4,
              {{16, 8, 64}, {16, 8, 32}, {8, 8, 32}});
  addBits(list, FragmentFamily::MmaSync,
          {{16, 8, 256}, {16, 8, 128}, {8, 8, 128}});
  for (bool columnA : {false, true})
    for (auto [d, c] : {std::pair{F32, F32}, {F16, F16}}) {
      TileInstruction quad =
          warpLevel(FragmentFamily::MmaSync, {8, 8, 4}, d, F16, F16, c);
      quad.columnMajorA = columnA;
      quad.columnMajorB = !columnA;
      list.push_back(quad);
    }
}

void addWmma(List &list) {
  const auto add = [&](MmaShape shape, ElementType d, ElementType a,
                       ElementType c) {
    list.push_back(warpLevel(FragmentFamily::Wmma, shape, d, a, a, c));
  };
  const MmaShape shapes[] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};
  for (MmaShape shape : shapes) {
    for (ElementType d : {F32, F16})
      for (ElementType c : {F32, F16})
        add(shape, d, F16, c);
    add(shape, F32, BF16, F32);
  }
  add({16, 16, 8}, F32, TF32, F32);
  for (const char *rounding : {"", "rn", "rz", "rm", "rp"}) {
    add({8, 8, 4}, F64, F64, F64);
    list.back().rounding = rounding;
  }
  for (MmaShape shape : shapes)
    addIntegers(list, FragmentFamily::Wmma, S8, U8, {shape});
  addIntegers(list, FragmentFamily::Wmma, S4, U4, {{8, 8, 32}});
  addBits(list, FragmentFamily::Wmma, {{8, 8, 128}});
}

TileInstruction wgmma(unsigned n, unsigned k, ElementType d, ElementType a,
                      ElementType b) {
  return warpLevel(FragmentFamily::Wgmma, {64, n, k}, d, a, b, d);
}

/// Every pair of types with A from shared memory and from registers.
void addWgmma(List &list) {
  List types;
  for (ElementType d : {F32, F16})
    types.push_back(wgmma(8, 16, d, F16, F16));
  types.push_back(wgmma(8, 16, F32, BF16, BF16));
  types.push_back(wgmma(8, 8, F32, TF32, TF32));
  for (ElementType d : {F32, F16})
    for (ElementType a : {E4M3, E5M2})
      for (ElementType b : {E4M3, E5M2})
        types.push_back(wgmma(8, 32, d, a, b));
  for (TileInstruction t : types)
    for (bool registers : {false, true}) {
      t.registersA = registers;
      list.push_back(t);
    }
}

/// Negation, scale-d = 0, integers, bits, layouts, wide N.
void addWgmmaRest(List &list) {
  const TileInstruction floats[] = {
      wgmma(8, 16, F32, F16, F16),   wgmma(8, 16, F16, F16, F16),
      wgmma(8, 16, F32, BF16, BF16), wgmma(8, 8, F32, TF32, TF32),
      wgmma(8, 32, F32, E4M3, E5M2), wgmma(8, 32, F16, E5M2, E4M3)};
  for (TileInstruction t : floats) {
    t.negateA = true;
    list.push_back(t);
    t.negateA = false, t.negateB = true;
    list.push_back(t);
    t.negateB = false, t.accumulate = false;
    list.push_back(t);
  }
  for (ElementType a : {S8, U8})
    for (ElementType b : {S8, U8})
      for (bool saturate : {false, true}) {
        TileInstruction t = wgmma(8, 32, S32, a, b);
        t.saturate = saturate;
        t.registersA = saturate;
        list.push_back(t);
      }
  for (bool registers : {false, true}) {
    TileInstruction t = wgmma(8, 256, S32, B1, B1);
    t.bitOperation = BitOperation::And;
    t.registersA = registers;
    list.push_back(t);
  }
  for (unsigned n : {16u, 64u, 248u, 256u})
    list.push_back(wgmma(n, 16, F32, F16, F16));
  list.push_back(wgmma(256, 32, F32, E4M3, E4M3));
  list.push_back(wgmma(256, 32, S32, S8, S8));
  for (DescriptorSwizzle swizzle :
       {DescriptorSwizzle::B32, DescriptorSwizzle::B64, DescriptorSwizzle::B128,
        DescriptorSwizzle::None})
    for (MajorMode a : {MajorMode::K, MajorMode::MN})
      for (MajorMode b : {MajorMode::K, MajorMode::MN}) {
        TileInstruction t = wgmma(64, 16, F32, BF16, BF16);
        t.swizzle = swizzle;
        t.majorA = a, t.majorB = b;
        list.push_back(t);
      }
  // Steps along K inside a swizzle atom, and atoms that start elsewhere than
  // at the pattern's boundary.
  TileInstruction t = wgmma(8, 16, F32, BF16, BF16);
  t.swizzle = DescriptorSwizzle::B128;
  for (unsigned offset : {32u, 64u, 96u, 128u, 256u, 512u, 896u}) {
    t.startOffset = offset;
    for (bool base : {false, true}) {
      t.baseOffset = base;
      if (!base || offset % 128 == 0)
        list.push_back(t);
    }
  }
  for (DescriptorSwizzle swizzle :
       {DescriptorSwizzle::B32, DescriptorSwizzle::B64}) {
    t.swizzle = swizzle;
    for (unsigned offset : {128u, 256u})
      for (bool base : {false, true}) {
        t.startOffset = offset;
        t.baseOffset = base;
        list.push_back(t);
      }
  }
}

} // namespace

bool TileInstruction::isQuad() const {
  return family == FragmentFamily::MmaSync && shape == MmaShape{8, 8, 4} &&
         a == F16;
}

std::string TileInstruction::opcode() const {
  const std::string types = dotted(d) + dotted(a) + dotted(b) + dotted(c);
  const std::string ending = saturate ? ".satfinite" : "";
  switch (family) {
  case FragmentFamily::MmaSync:
    return "mma.sync.aligned." + shapeText(shape) +
           (columnMajorA ? ".col" : ".row") +
           (isQuad() && !columnMajorB ? ".row" : ".col") + ending + types +
           (a == B1 ? bitText(bitOperation) : "");
  case FragmentFamily::Wmma:
    return std::string("wmma.mma") + (a == B1 ? bitText(bitOperation) : "") +
           ".sync.aligned.row.col." + shapeText(shape) +
           (rounding.empty() ? "" : "." + rounding) +
           (a == F16 ? dotted(d) + dotted(c) : types) + ending;
  case FragmentFamily::Wgmma:
    break;
  }
  return "wgmma.mma_async.sync.aligned." + shapeText(shape) + ending +
         dotted(d) + dotted(a) + dotted(b) +
         (a == B1 ? bitText(bitOperation) : "");
}

std::string TileInstruction::name() const {
  std::string result = opcode();
  // The common middle says nothing.
  const size_t middle = result.find(".sync.aligned");
  result.erase(middle, 13);
  if (!isWgmma())
    return result;
  result.replace(0, 15, "wgmma");
  result += registersA ? " rs" : " ss";
  if (negateA)
    result += " -a";
  if (negateB)
    result += " -b";
  if (!accumulate)
    result += " scale-d=0";
  if (swizzle != DescriptorSwizzle::None) {
    MatrixDescriptor descriptor;
    descriptor.swizzle = swizzle;
    result += " swizzle" + std::to_string(descriptor.span());
  }
  if (startOffset)
    result += " +" + std::to_string(startOffset);
  if (baseOffset)
    result += " base-offset";
  if (majorA == MajorMode::MN)
    result += " trans-a";
  if (majorB == MajorMode::MN)
    result += " trans-b";
  return result;
}

const FragmentMap *TileInstruction::aFragment() const {
  if (isQuad())
    return quadPairFragment(a, MatrixRole::A, columnMajorA);
  if (family == FragmentFamily::Wmma || (isWgmma() && !registersA))
    return nullptr;
  return fragmentMap(family, shape, a, MatrixRole::A);
}

const FragmentMap *TileInstruction::bFragment() const {
  if (isQuad())
    return quadPairFragment(b, MatrixRole::B, columnMajorB);
  if (family != FragmentFamily::MmaSync)
    return nullptr;
  return fragmentMap(family, shape, b, MatrixRole::B);
}

const FragmentMap *TileInstruction::accumulator(ElementType type) const {
  if (isQuad())
    return quadPairFragment(type, MatrixRole::Accumulator, false);
  if (family == FragmentFamily::Wmma)
    return nullptr;
  return fragmentMap(family, shape, type, MatrixRole::Accumulator);
}

std::vector<TileInstruction> tileInstructions() {
  List list;
  addMmaSync(list);
  addWgmma(list);
  addWmma(list);
  addMmaSyncRest(list);
  addWgmmaRest(list);
  return list;
}

} // namespace gemm::agreement
