// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PTX type names and their sizes.
#include "Syntax.h"

#include <array>

namespace gemm::emulator {

namespace {
struct TypeRow {
  Type type;
  const char *name;
  unsigned bits;
  bool isSigned, isFloat;
};
constexpr TypeRow kTypes[] = {
    {Type::Pred, "pred", 1, false, false},
    {Type::B8, "b8", 8, false, false},
    {Type::U8, "u8", 8, false, false},
    {Type::S8, "s8", 8, true, false},
    {Type::E4M3, "e4m3", 8, false, true},
    {Type::E5M2, "e5m2", 8, false, true},
    {Type::B16, "b16", 16, false, false},
    {Type::U16, "u16", 16, false, false},
    {Type::S16, "s16", 16, true, false},
    {Type::F16, "f16", 16, false, true},
    {Type::BF16, "bf16", 16, false, true},
    {Type::E4M3x2, "e4m3x2", 16, false, true},
    {Type::E5M2x2, "e5m2x2", 16, false, true},
    {Type::B32, "b32", 32, false, false},
    {Type::U32, "u32", 32, false, false},
    {Type::S32, "s32", 32, true, false},
    {Type::F32, "f32", 32, false, true},
    {Type::TF32, "tf32", 32, false, true},
    {Type::F16x2, "f16x2", 32, false, true},
    {Type::BF16x2, "bf16x2", 32, false, true},
    {Type::U16x2, "u16x2", 32, false, false},
    {Type::S16x2, "s16x2", 32, true, false},
    {Type::U8x4, "u8x4", 32, false, false},
    {Type::S8x4, "s8x4", 32, true, false},
    {Type::B64, "b64", 64, false, false},
    {Type::U64, "u64", 64, false, false},
    {Type::S64, "s64", 64, true, false},
    {Type::F64, "f64", 64, false, true},
    {Type::B128, "b128", 128, false, false},
    {Type::B1, "b1", 1, false, false},
    {Type::B4, "b4", 4, false, false},
    {Type::U4, "u4", 4, false, false},
    {Type::S4, "s4", 4, true, false},
    {Type::E2M1, "e2m1", 4, false, true},
    {Type::E2M3, "e2m3", 6, false, true},
    {Type::E3M2, "e3m2", 6, false, true},
};
const TypeRow *row(Type t) {
  for (const TypeRow &r : kTypes)
    if (r.type == t)
      return &r;
  return nullptr;
}
} // namespace

unsigned bitsOf(Type t) {
  const TypeRow *r = row(t);
  return r ? r->bits : 0;
}
bool isSigned(Type t) {
  const TypeRow *r = row(t);
  return r && r->isSigned;
}
bool isFloat(Type t) {
  const TypeRow *r = row(t);
  return r && r->isFloat;
}
const char *nameOf(Type t) {
  const TypeRow *r = row(t);
  return r ? r->name : "?";
}
Type typeFromName(std::string_view name) {
  for (const TypeRow &r : kTypes)
    if (name == r.name)
      return r.type;
  return Type::None;
}

} // namespace gemm::emulator
