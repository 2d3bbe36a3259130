// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt, every pair and rounding of sm_90 (PTX ISA "cvt").
#include "ScalarInstruction.h"

namespace gemm::agreement {

using emulator::FloatFormat;

namespace {

using List = std::vector<ScalarInstruction>;
const char *const nearRoundings[] = {"rn", "rz", "rm", "rp"};
const char *const integralRoundings[] = {"rni", "rzi", "rmi", "rpi"};

std::string nameOf(FloatFormat format) {
  return emulator::formatInfo(format).name;
}

void add(List &list, const std::string &modifiers, const std::string &to,
         const std::string &from, ScalarOperand result, ScalarOperand operand) {
  list.push_back({"cvt" + modifiers + "." + to + "." + from + " $d, $a;",
                  result,
                  {operand},
                  0,
                  0});
}

void addFloatToFloat(List &list) {
  const auto pair = [&](const std::string &modifiers, FloatFormat to,
                        FloatFormat from) {
    add(list, modifiers, nameOf(to), nameOf(from), floatOperand(to),
        floatOperand(from));
  };
  const FloatFormat f16 = FloatFormat::F16, bf16 = FloatFormat::BF16,
                    f32 = FloatFormat::F32, f64 = FloatFormat::F64,
                    tf32 = FloatFormat::TF32;
  for (const char *rounding : nearRoundings) {
    const std::string r = std::string(".") + rounding;
    pair(r, f16, f32);
    pair(r + ".ftz", f16, f32);
    pair(r, f16, f64);
    pair(r, f32, f64);
    pair(r + ".ftz", f32, f64);
    pair(r + ".sat", f32, f64);
    pair(r, bf16, f64);
    pair(r + ".sat", f16, f32);
  }
  for (const char *rounding : {".rn", ".rz", ".rn.relu", ".rz.relu"}) {
    pair(rounding, bf16, f32);
    pair(rounding, f16, f32);
    list.push_back({std::string("cvt") + rounding + ".f16x2.f32 $d, $a, $b;",
                    packedOperand(f16),
                    {floatOperand(f32), floatOperand(f32)},
                    0,
                    0});
    list.push_back({std::string("cvt") + rounding + ".bf16x2.f32 $d, $a, $b;",
                    packedOperand(bf16),
                    {floatOperand(f32), floatOperand(f32)},
                    0,
                    0});
    pair(rounding, tf32, f32);
  }
  pair(".rna", tf32, f32);
  for (const char *ending : {"", ".ftz", ".sat", ".ftz.sat"})
    pair(ending, f32, f16);
  pair("", f64, f16);
  pair("", f64, f32);
  pair(".ftz", f64, f32);
  pair(".sat", f64, f32);
  pair("", f32, bf16);
  pair("", f64, bf16);
  for (const char *rounding : integralRoundings) {
    const std::string r = std::string(".") + rounding;
    for (FloatFormat format : {f16, f32, f64, bf16})
      pair(r, format, format);
    pair(r + ".ftz", f32, f32);
    pair(r + ".sat", f32, f32);
  }
}

void addFp8(List &list) {
  const FloatFormat f32 = FloatFormat::F32;
  for (FloatFormat fp8 : {FloatFormat::E4M3, FloatFormat::E5M2}) {
    const std::string type = nameOf(fp8) + "x2";
    for (const char *relu : {"", ".relu"}) {
      const std::string end = relu;
      list.push_back(
          {"cvt.rn.satfinite" + end + "." + type + ".f32 $d, $a, $b;",
           packedOperand(fp8),
           {floatOperand(f32), floatOperand(f32)},
           0,
           0});
      add(list, ".rn.satfinite" + end, type, "f16x2", packedOperand(fp8),
          packedOperand(FloatFormat::F16));
      add(list, ".rn" + end, "f16x2", type, packedOperand(FloatFormat::F16),
          packedOperand(fp8));
    }
  }
}

void addIntegers(List &list) {
  const FloatFormat formats[] = {FloatFormat::F16, FloatFormat::BF16,
                                 FloatFormat::F32, FloatFormat::F64};
  for (unsigned bits : {8u, 16u, 32u, 64u})
    for (const char *sign : {"s", "u"}) {
      const std::string type = sign + std::to_string(bits);
      // An 8-bit value is extended to the register that holds it.
      const ScalarOperand result = integerOperand(bits < 32 ? 32 : bits);
      const ScalarOperand operand = integerOperand(bits == 8 ? 16 : bits);
      for (FloatFormat format : formats) {
        // Beside bf16 the register must have the integer's own width.
        const bool exact = format == FloatFormat::BF16;
        for (const char *rounding : integralRoundings) {
          const std::string r = std::string(".") + rounding;
          add(list, r, type, nameOf(format),
              exact ? integerOperand(bits) : result, floatOperand(format));
          if (format == FloatFormat::F32)
            add(list, r + ".ftz", type, "f32", result, floatOperand(format));
        }
        for (const char *rounding : nearRoundings)
          add(list, std::string(".") + rounding, nameOf(format), type,
              floatOperand(format), exact ? integerOperand(bits) : operand);
      }
      for (unsigned other : {8u, 16u, 32u, 64u})
        for (const char *otherSign : {"s", "u"})
          for (const char *saturate : {"", ".sat"}) {
            const std::string from = otherSign + std::to_string(other);
            // .sat is illegal where every value fits.
            const bool fits =
                other < bits && (*otherSign == 'u' || *sign == 's');
            if (from != type && !(fits && *saturate))
              add(list, saturate, type, from, result,
                  integerOperand(other == 8 ? 16 : other));
          }
    }
}

} // namespace

std::vector<ScalarInstruction> conversionInstructions() {
  List list;
  addFloatToFloat(list);
  addFp8(list);
  addIntegers(list);
  return list;
}

} // namespace gemm::agreement
