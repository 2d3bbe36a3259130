// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point arithmetic (PTX ISA "Floating Point Instructions", "Half
// Precision Floating Point Instructions"). The errors of the approximate ones
// are those of their sections.
#include "ScalarInstruction.h"

namespace gemm::agreement {

using emulator::FloatFormat;

namespace {

using List = std::vector<ScalarInstruction>;
const char *const roundings[] = {".rn", ".rz", ".rm", ".rp"};

void addSame(List &list, const std::string &opcode, ScalarOperand operand,
             unsigned count) {
  static const char *const operands[] = {" $d, $a;", " $d, $a, $b;",
                                         " $d, $a, $b, $c;"};
  list.push_back({opcode + operands[count - 1], operand,
                  std::vector<ScalarOperand>(count, operand), 0, 0});
}

void addRounded(List &list) {
  const ScalarOperand f32 = floatOperand(FloatFormat::F32);
  const ScalarOperand f64 = floatOperand(FloatFormat::F64);
  for (std::string r : roundings) {
    for (const char *ending : {"", ".ftz", ".sat", ".ftz.sat"}) {
      for (const char *op : {"add", "sub", "mul"})
        addSame(list, op + r + ending + ".f32", f32, 2);
      addSame(list, "fma" + r + ending + ".f32", f32, 3);
    }
    for (const char *op : {"add", "sub", "mul"})
      addSame(list, op + r + ".f64", f64, 2);
    addSame(list, "fma" + r + ".f64", f64, 3);
    for (const char *flush : {"", ".ftz"}) {
      addSame(list, "div" + r + flush + ".f32", f32, 2);
      addSame(list, "rcp" + r + flush + ".f32", f32, 1);
      addSame(list, "sqrt" + r + flush + ".f32", f32, 1);
    }
    addSame(list, "div" + r + ".f64", f64, 2);
    addSame(list, "rcp" + r + ".f64", f64, 1);
    addSame(list, "sqrt" + r + ".f64", f64, 1);
  }
}

void addHalf(List &list) {
  for (auto [type, format] :
       {std::pair{"f16", FloatFormat::F16}, {"bf16", FloatFormat::BF16}})
    for (bool packed : {false, true}) {
      const ScalarOperand operand =
          packed ? packedOperand(format) : floatOperand(format);
      const std::string suffix = std::string(".") + type + (packed ? "x2" : "");
      const bool half = format == FloatFormat::F16;
      for (const char *op : {"add.rn", "sub.rn", "mul.rn"})
        addSame(list, op + suffix, operand, 2);
      for (const char *ending : {"", ".relu"})
        addSame(list, std::string("fma.rn") + ending + suffix, operand, 3);
      if (half)
        for (const char *ending : {".ftz", ".sat", ".ftz.sat"}) {
          for (const char *op : {"add.rn", "sub.rn", "mul.rn"})
            addSame(list, op + std::string(ending) + suffix, operand, 2);
          addSame(list, std::string("fma.rn") + ending + suffix, operand, 3);
        }
      for (const char *op : {"min", "max"})
        for (const char *ending :
             {"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
          addSame(list, op + std::string(ending) + suffix, operand, 2);
      for (const char *op : {"abs", "neg"})
        addSame(list, op + suffix, operand, 1);
    }
}

void addSelecting(List &list) {
  const ScalarOperand f32 = floatOperand(FloatFormat::F32);
  const ScalarOperand f64 = floatOperand(FloatFormat::F64);
  for (const char *op : {"min", "max"}) {
    for (const char *ending : {"", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs",
                               ".ftz.NaN.xorsign.abs"})
      addSame(list, op + std::string(ending) + ".f32", f32, 2);
    addSame(list, std::string(op) + ".f64", f64, 2);
  }
  for (const char *op : {"abs", "neg"}) {
    addSame(list, std::string(op) + ".f32", f32, 1);
    addSame(list, std::string(op) + ".ftz.f32", f32, 1);
    addSame(list, std::string(op) + ".f64", f64, 1);
  }
  addSame(list, "copysign.f32", f32, 2);
  addSame(list, "copysign.f64", f64, 2);
  for (const char *comparison :
       {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu",
        "geu", "num", "nan"}) {
    for (const char *flush : {"", ".ftz"})
      list.push_back(
          {std::string("set.") + comparison + flush + ".u32.f32 $d, $a, $b;",
           integerOperand(32),
           {f32, f32},
           0,
           0});
    list.push_back({std::string("set.") + comparison + ".u32.f64 $d, $a, $b;",
                    integerOperand(32),
                    {f64, f64},
                    0,
                    0});
  }
  for (const char *property :
       {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
    list.push_back({std::string("{ .reg .pred p; testp.") + property +
                        ".f32 p, $a; selp.b32 $d, 1, 0, p; }",
                    integerOperand(32),
                    {f32},
                    0,
                    0});
}

/// The emulator computes these correctly rounded, so that the whole documented
/// error may be the hardware's.
void addApproximate(List &list) {
  const ScalarOperand f32 = floatOperand(FloatFormat::F32);
  const auto add = [&](const std::string &opcode, unsigned count, uint64_t ulps,
                       double difference = 0) {
    addSame(list, opcode, f32, count);
    list.back().allowedUlps = ulps;
    list.back().allowedDifference = difference;
  };
  for (const char *flush : {"", ".ftz"}) {
    const std::string end = flush + std::string(".f32");
    add("rcp.approx" + end, 1, 1);
    add("sqrt.approx" + end, 1, 2);
    add("rsqrt.approx" + end, 1, 2);
    add("div.full" + end, 2, 2);
    add("div.approx" + end, 2, 2);
    add("ex2.approx" + end, 1, 3);
    add("lg2.approx" + end, 1, 2, 0x1p-22);
  }
  add("tanh.approx.f32", 1, 0, 0x1p-10);
  list.push_back({"ex2.approx.f16 $d, $a;",
                  floatOperand(FloatFormat::F16),
                  {floatOperand(FloatFormat::F16)},
                  1,
                  0});
  list.push_back({"tanh.approx.f16 $d, $a;",
                  floatOperand(FloatFormat::F16),
                  {floatOperand(FloatFormat::F16)},
                  0,
                  0x1p-10});
}

} // namespace

std::vector<ScalarInstruction> arithmeticInstructions() {
  List list;
  addRounded(list);
  addHalf(list);
  addSelecting(list);
  addApproximate(list);
  return list;
}

} // namespace gemm::agreement
