// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sin, cos, lg2, ex2, tanh, rsqrt: approximate by definition. Ours are the
// correctly rounded double-precision results rounded to f32, which is within
// the error that the PTX ISA documents for each.
#include "Families.h"
#include "FloatLanes.h"

#include <cmath>

namespace gemm::emulator {

namespace {
struct Sin {
  static float run(float a) { return float(std::sin(double(a))); }
};
struct Cos {
  static float run(float a) { return float(std::cos(double(a))); }
};
struct Lg2 {
  static float run(float a) { return float(std::log2(double(a))); }
};
struct Ex2 {
  static float run(float a) { return float(std::exp2(double(a))); }
};
struct Tanh {
  static float run(float a) { return float(std::tanh(double(a))); }
};
struct Rsqrt {
  static float run(float a) { return float(1.0 / std::sqrt(double(a))); }
  static double run(double a) { return 1.0 / std::sqrt(a); }
};
} // namespace

void decodeApproximate(DecodeContext &c) {
  std::string_view b = c.base();
  bool approx = c.take("approx"), ftz = c.take("ftz");
  Type t = c.takeType();
  if (!approx)
    c.unknown();
  Handler run = nullptr;
  if (t == Type::F32)
    run = b == "sin"    ? f32Unary<Sin>(ftz, false)
          : b == "cos"  ? f32Unary<Cos>(ftz, false)
          : b == "lg2"  ? f32Unary<Lg2>(ftz, false)
          : b == "ex2"  ? f32Unary<Ex2>(ftz, false)
          : b == "tanh" ? (ftz ? nullptr : f32Unary<Tanh>(false, false))
                        : f32Unary<Rsqrt>(ftz, false);
  else if (t == Type::F64 && b == "rsqrt")
    run = &unaryExec<uint64_t, uint64_t, F64Unary<Rsqrt>>;
  emitSimple(c, t, {t}, run, OpClass::Float);
}

} // namespace gemm::emulator
