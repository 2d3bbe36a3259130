// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar instructions on both devices: one kernel each, one thread per value.
#include "Case.h"
#include "FloatDraw.h"
#include "ScalarInstruction.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gemm::agreement {

using namespace emulator;

namespace {

constexpr unsigned mostPerBatch = 1 << 15;
constexpr unsigned threads = 256; // of a CTA

std::string registerName(char operand) { return std::string("%") + operand; }

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Every operand and the result has a slot of eight bytes per thread.
std::string scalarPtx(const ScalarInstruction &s) {
  std::string declarations, loads, instruction = s.text;
  const auto declare = [&](char name, const ScalarOperand &operand) {
    declarations += "  .reg .b" + std::to_string(operand.bits) + " " +
                    registerName(name) + ";\n";
    instruction =
        replaced(instruction, std::string("$") + name, registerName(name));
  };
  declare('d', s.result);
  for (size_t i = 0; i < s.operands.size(); ++i) {
    const char name = char('a' + i);
    declare(name, s.operands[i]);
    loads += "  ld.global.b" + std::to_string(s.operands[i].bits) + " " +
             registerName(name) + ", [%from+" + std::to_string(8 * i) + "];\n";
  }
  return ".version 8.7\n.target sm_90\n.address_size 64\n"
         ".visible .entry scalar(.param .u64 inputs, .param .u64 results)\n{\n"
         "  .reg .b32 %t<4>;\n  .reg .b64 %from, %to;\n" +
         declarations +
         "  mov.u32 %t0, %ctaid.x;\n"
         "  mov.u32 %t1, %ntid.x;\n"
         "  mov.u32 %t2, %tid.x;\n"
         "  mad.lo.u32 %t3, %t0, %t1, %t2;\n"
         "  ld.param.u64 %from, [inputs];\n"
         "  ld.param.u64 %to, [results];\n"
         "  mad.wide.u32 %from, %t3, 24, %from;\n"
         "  mad.wide.u32 %to, %t3, 8, %to;\n" +
         loads + "  " + instruction + "\n  st.global.b" +
         std::to_string(s.result.bits) + " [%to], %d;\n  ret;\n}\n";
}

class OperandDraw {
public:
  explicit OperandDraw(std::mt19937_64 &random) : random(random) {}

  uint64_t draw(const ScalarOperand &operand) {
    const uint64_t mask =
        operand.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << operand.bits) - 1;
    switch (operand.kind) {
    case ScalarOperand::Float:
      return drawFloat(operand.format);
    case ScalarOperand::Packed: {
      const unsigned half = operand.bits / 2;
      return drawFloat(operand.format) | drawFloat(operand.format) << half;
    }
    case ScalarOperand::Integer:
      return drawInteger() & mask;
    case ScalarOperand::NonZero: {
      const uint64_t value = drawInteger() & mask;
      return value ? value : 1;
    }
    case ScalarOperand::Lane:
      return random() % 32;
    }
    return 0;
  }

private:
  uint64_t drawFloat(FloatFormat format) {
    FloatDraw f(format, random);
    switch (random() % 8) {
    case 0:
    case 1:
      return f.bits();
    case 2:
      return random() % 4 == 0   ? f.infinity()
             : random() % 3 == 0 ? f.nan()
                                 : f.zero();
    case 3: // subnormals
      return f.value(f.between(f.smallest() - 8, f.smallest() + 2));
    case 4: // about the limits of the integer types
      return f.value(f.between(6, 64));
    case 5: // small integers and halves
    {
      const double value = double(int(random() % 2048) - 1024) / 4;
      return convertFloat(doubleToBits(value), FloatFormat::F64, format);
    }
    default:
      return f.value(f.between(-3, 3));
    }
  }
  uint64_t drawInteger() {
    const uint64_t bits = random();
    switch (random() % 4) {
    case 0:
      return bits % 64;
    case 1:
      return uint64_t(1) << bits % 64;
    case 2: // about the limits
      return (~uint64_t(0) >> bits % 64) + (bits >> 60) % 3 - 1;
    default:
      return bits;
    }
  }

  std::mt19937_64 &random;
};

class ScalarCase final : public Case {
public:
  ScalarCase(const ScalarInstruction &instruction, const RunOptions &options)
      : s(instruction), seed(options.seed) {
    name = s.text;
    entry = "scalar";
    // Four times the tiles, in whole CTAs.
    const uint64_t wanted = 4 * options.tiles;
    valuesPerBatch = unsigned(std::min<uint64_t>(
        mostPerBatch, (wanted + threads - 1) / threads * threads));
    batches = (wanted + valuesPerBatch - 1) / valuesPerBatch;
    total.planned = batches * valuesPerBatch;
  }

  std::string ptx() const override { return scalarPtx(s); }

  Outcome run(uint64_t batch, Queue &first, Queue &second) override {
    std::mt19937_64 random(batchSeed(seed, name, batch));
    OperandDraw draw(random);
    std::vector<uint64_t> inputs(3 * valuesPerBatch);
    for (unsigned i = 0; i < valuesPerBatch; ++i)
      for (size_t o = 0; o < s.operands.size(); ++o)
        inputs[3 * i + o] = draw.draw(s.operands[o]);
    const std::vector<uint64_t> x = execute(first, *programs[0], inputs);
    const std::vector<uint64_t> y = execute(second, *programs[1], inputs);
    Outcome outcome;
    outcome.cases = valuesPerBatch;
    outcome.allowedUlps = s.allowedUlps;
    for (unsigned i = 0; i < valuesPerBatch; ++i)
      compare(outcome, x[i], y[i], &inputs[3 * i]);
    return outcome;
  }

private:
  std::vector<uint64_t> execute(Queue &queue, const Program &program,
                                const std::vector<uint64_t> &inputs) const {
    std::vector<uint64_t> results(valuesPerBatch);
    const size_t inputBytes = inputs.size() * 8, bytes = results.size() * 8;
    Buffer memory(queue, inputBytes + bytes);
    uint64_t from = memory.address(), to = from + inputBytes;
    queue.write(from, inputs.data(), inputBytes);
    queue.fill(to, 0, bytes);
    void *parameters[] = {&from, &to};
    LaunchShape shape;
    shape.grid.x = valuesPerBatch / threads;
    shape.block.x = threads;
    queue.launch(program, shape, parameters);
    queue.read(to, results.data(), bytes);
    return results;
  }

  ValueFormat resultFormat() const {
    if (s.result.kind == ScalarOperand::Float)
      return {s.result.format, s.result.bits};
    return {std::nullopt, s.result.bits};
  }

  bool withinDifference(uint64_t x, uint64_t y) const {
    if (s.allowedDifference == 0)
      return false;
    const auto value = [&](uint64_t bits) {
      return bitsToDouble(
          convertFloat(bits, s.result.format, FloatFormat::F64));
    };
    return std::fabs(value(x) - value(y)) <= s.allowedDifference;
  }

  void compare(Outcome &outcome, uint64_t x, uint64_t y,
               const uint64_t *inputs) const {
    if (s.result.kind == ScalarOperand::Packed) {
      const unsigned half = s.result.bits / 2;
      const uint64_t mask = (uint64_t(1) << half) - 1;
      const ValueFormat format{s.result.format, half};
      const bool low = outcome.add(x & mask, y & mask, format, "low half");
      const bool high = outcome.add(x >> half, y >> half, format, "high half");
      if (low || high)
        addExample(outcome, x, y, inputs);
      return;
    }
    if (!outcome.add(x, y, resultFormat(), "values"))
      return;
    if (withinDifference(x, y))
      --outcome.beyondAllowed;
    else
      addExample(outcome, x, y, inputs);
  }

  void addExample(Outcome &outcome, uint64_t x, uint64_t y,
                  const uint64_t *inputs) const {
    if (!outcome.wantsExample("values"))
      return;
    const ValueFormat result{std::nullopt, s.result.bits};
    std::string text = result.text(x) + " and " + result.text(y) + " of";
    for (size_t o = 0; o < s.operands.size(); ++o)
      text +=
          " " + ValueFormat{std::nullopt, s.operands[o].bits}.text(inputs[o]);
    outcome.addExample("values", text);
  }

  const ScalarInstruction s;
  const uint64_t seed;
  unsigned valuesPerBatch = threads;
};

} // namespace

CaseList scalarCases(const RunOptions &options) {
  CaseList result;
  for (const auto &list :
       {conversionInstructions(), arithmeticInstructions(), bitInstructions()})
    for (const ScalarInstruction &s : list)
      result.push_back(std::make_unique<ScalarCase>(s, options));
  return result;
}

} // namespace gemm::agreement
