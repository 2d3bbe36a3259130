// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base words to families. Words that integers and floats share go by the type.
#include "Families.h"

#include <unordered_map>

namespace gemm::emulator {

namespace {
enum class Kind { Integer, Float, Half };
Kind kindOf(DecodeContext &c) {
  for (const char *t : {"f16", "f16x2", "bf16", "bf16x2"})
    if (c.has(t))
      return Kind::Half;
  return c.has("f32") || c.has("f64") ? Kind::Float : Kind::Integer;
}
template <DecodeFunction Integer, DecodeFunction Float, DecodeFunction Half>
void byKind(DecodeContext &c) {
  Kind k = kindOf(c);
  DecodeFunction f = k == Kind::Integer ? Integer
                     : k == Kind::Float ? Float
                                        : Half;
  if (!f)
    c.unknown();
  f(c);
}
void decodeApproximateAny(DecodeContext &c) {
  kindOf(c) == Kind::Half ? decodeHalf(c) : decodeApproximate(c);
}
} // namespace

DecodeFunction findDecoder(std::string_view base) {
  static const std::unordered_map<std::string_view, DecodeFunction> table = {
      {"add", byKind<decodeAddInteger, decodeArithmeticFloat, decodeHalf>},
      {"sub", byKind<decodeAddInteger, decodeArithmeticFloat, decodeHalf>},
      {"addc", decodeAddInteger},
      {"subc", decodeAddInteger},
      {"mul", byKind<decodeMulInteger, decodeArithmeticFloat, decodeHalf>},
      {"mad", byKind<decodeMadInteger, decodeArithmeticFloat, nullptr>},
      {"madc", decodeMadInteger},
      {"mul24", decodeMul24},
      {"mad24", decodeMul24},
      {"fma", byKind<nullptr, decodeArithmeticFloat, decodeHalf>},
      {"div", byKind<decodeDivInteger, decodeDivideFloat, nullptr>},
      {"rem", decodeDivInteger},
      {"sad", decodeSad},
      {"abs", byKind<decodeAbsNegInteger, decodeAbsNegFloat, decodeHalf>},
      {"neg", byKind<decodeAbsNegInteger, decodeAbsNegFloat, decodeHalf>},
      {"min", byKind<decodeMinMaxInteger, decodeMinMaxFloat, decodeHalf>},
      {"max", byKind<decodeMinMaxInteger, decodeMinMaxFloat, decodeHalf>},
      {"and", decodeLogic},
      {"or", decodeLogic},
      {"xor", decodeLogic},
      {"not", decodeLogic},
      {"cnot", decodeLogic},
      {"shl", decodeShift},
      {"shr", decodeShift},
      {"shf", decodeShf},
      {"lop3", decodeLop3},
      {"prmt", decodePrmt},
      {"popc", decodeBitCount},
      {"clz", decodeBitCount},
      {"bfind", decodeBitCount},
      {"brev", decodeBrev},
      {"bfe", decodeBfe},
      {"bfi", decodeBfi},
      {"bmsk", decodeBmsk},
      {"szext", decodeSzext},
      {"fns", decodeFns},
      {"dp4a", decodeDotProduct},
      {"dp2a", decodeDotProduct},
      {"rcp", decodeDivideFloat},
      {"sqrt", decodeDivideFloat},
      {"testp", decodeTestp},
      {"copysign", decodeCopysign},
      {"sin", decodeApproximate},
      {"cos", decodeApproximate},
      {"lg2", decodeApproximate},
      {"rsqrt", decodeApproximate},
      {"ex2", decodeApproximateAny},
      {"tanh", decodeApproximateAny},
      {"setp", decodeSetp},
      {"set", decodeSetp},
      {"selp", decodeSelp},
      {"slct", decodeSlct},
      {"mov", decodeMov},
      {"cvta", decodeCvta},
      {"isspacep", decodeIsspacep},
      {"mapa", decodeMapa},
      {"getctarank", decodeGetctarank},
      {"cvt", decodeCvt},
      {"ld", decodeLoad},
      {"ldu", decodeLoad},
      {"st", decodeStore},
      {"prefetch", decodeHint},
      {"prefetchu", decodeHint},
      {"applypriority", decodeHint},
      {"discard", decodeHint},
      {"createpolicy", decodeCreatePolicy},
      {"atom", decodeAtomic},
      {"red", decodeAtomic},
      {"fence", decodeFence},
      {"membar", decodeFence},
      {"bra", decodeBra},
      {"brx", decodeBrx},
      {"call", decodeCall},
      {"ret", decodeRet},
      {"exit", decodeRet},
      {"trap", decodeTrap},
      {"brkpt", decodeTrap},
      {"nanosleep", decodeNoEffect},
      {"pmevent", decodeNoEffect},
      {"setmaxnreg", decodeNoEffect},
      {"griddepcontrol", decodeNoEffect},
      {"shfl", decodeShfl},
      {"vote", decodeVote},
      {"match", decodeMatch},
      {"activemask", decodeActivemask},
      {"elect", decodeElect},
      {"redux", decodeRedux},
      {"bar", decodeBar},
      {"barrier", decodeBar},
      {"mbarrier", decodeMbarrier},
      {"cp", decodeCpAsync},
      {"mma", decodeMma},
      {"wmma", decodeMma},
      {"ldmatrix", decodeLdmatrix},
      {"stmatrix", decodeLdmatrix},
      {"movmatrix", decodeMovmatrix},
      {"wgmma", decodeWgmma},
  };
  auto it = table.find(base);
  return it == table.end() ? nullptr : it->second;
}

} // namespace gemm::emulator
