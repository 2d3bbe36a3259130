// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole kernels on both devices, from their descriptions.
#include "Case.h"
#include "KernelDescription.h"

#include <cmath>
#include <cstring>
#include <random>

namespace gemm::agreement {

using namespace emulator;

namespace {

using Random = std::mt19937_64;

double valueOf(uint64_t bits, const ValueFormat &format) {
  if (format.floating)
    return bitsToDouble(convertFloat(bits, *format.floating, FloatFormat::F64));
  return double(int64_t(bits << (64 - format.bits)) >> (64 - format.bits));
}

uint64_t bitsOf(double value, const ValueFormat &format) {
  if (format.floating)
    return convertFloat(doubleToBits(value), FloatFormat::F64,
                        *format.floating);
  return uint64_t(int64_t(value));
}

std::vector<uint8_t> drawBuffer(const KernelBuffer &buffer, Random &random) {
  if (!buffer.bytes.empty())
    return buffer.bytes;
  const unsigned size = buffer.type.format.bits / 8;
  std::vector<uint8_t> bytes(buffer.count * size);
  std::normal_distribution<double> normal;
  for (size_t i = 0; i < buffer.count; ++i) {
    uint64_t bits = 0;
    if (buffer.values == "normal")
      bits = bitsOf(normal(random), buffer.type.format);
    else if (buffer.values == "integers")
      bits = bitsOf(double(random() % 7) - 3, buffer.type.format);
    else if (buffer.values == "bits")
      bits = random();
    else if (buffer.values == "index")
      bits = bitsOf(double(i), buffer.type.format);
    std::memcpy(&bytes[i * size], &bits, size);
  }
  return bytes;
}

using Contents = std::vector<std::vector<uint8_t>>; ///< of all buffers

class KernelCase final : public Case {
public:
  KernelCase(KernelDescription description, const RunOptions &options)
      : k(std::move(description)), seed(options.seed) {
    name = "kernel " + k.name;
    entry = k.entry;
    total.planned = 1;
  }

  std::string ptx() const override { return k.ptx; }

  Outcome run(uint64_t batch, Queue &first, Queue &second) override {
    Random random(batchSeed(seed, name, batch));
    Contents inputs;
    for (const KernelBuffer &buffer : k.buffers)
      inputs.push_back(drawBuffer(buffer, random));
    const Contents x = execute(first, *programs[0], inputs);
    const Contents y = execute(second, *programs[1], inputs);
    Outcome outcome;
    outcome.cases = 1;
    for (size_t i = 0; i < k.buffers.size(); ++i)
      compare(outcome, k.buffers[i], x[i], y[i]);
    for (const Contents *side : {&x, &y})
      for (size_t i = 0; i < k.buffers.size(); ++i)
        checkExpected(k.buffers[i], (*side)[i],
                      side == &x ? "first" : "second");
    return outcome;
  }

private:
  Contents execute(Queue &queue, const Program &program,
                   const Contents &inputs) const {
    std::vector<std::unique_ptr<Buffer>> buffers;
    for (const std::vector<uint8_t> &bytes : inputs) {
      buffers.push_back(std::make_unique<Buffer>(queue, bytes.size()));
      queue.write(buffers.back()->address(), bytes.data(), bytes.size());
    }
    struct alignas(64) Slot {
      uint8_t bytes[128];
    };
    std::vector<Slot> slots(k.arguments.size());
    std::vector<void *> parameters;
    for (size_t i = 0; i < slots.size(); ++i) {
      const KernelArgument &argument = k.arguments[i];
      parameters.push_back(slots[i].bytes);
      if (argument.kind == KernelArgument::Map) {
        TiledMapArguments map = argument.map;
        map.globalAddress = buffers[argument.buffer]->address();
        map.l2Promotion = 3;
        const std::string error = queue.encode(map, slots[i].bytes);
        if (!error.empty())
          throw std::runtime_error("argument " + std::to_string(i) + ": " +
                                   error);
        continue;
      }
      const uint64_t bits =
          argument.kind == KernelArgument::Address
              ? buffers[argument.buffer]->address() + argument.offset
              : argument.scalar;
      std::memcpy(slots[i].bytes, &bits, sizeof bits);
    }
    queue.sanitize(true);
    queue.launch(program, k.shape, parameters.data());
    Contents results = inputs;
    for (size_t i = 0; i < results.size(); ++i)
      queue.read(buffers[i]->address(), results[i].data(), results[i].size());
    return results;
  }

  static uint64_t element(const std::vector<uint8_t> &bytes, size_t at,
                          unsigned size) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[at * size], size);
    return bits;
  }

  static void compare(Outcome &outcome, const KernelBuffer &buffer,
                      const std::vector<uint8_t> &x,
                      const std::vector<uint8_t> &y) {
    const ValueFormat &format = buffer.type.format;
    const unsigned size = format.bits / 8;
    outcome.allowedUlps = buffer.allowedUlps;
    unsigned shown = 0;
    for (size_t i = 0; i < buffer.count; ++i) {
      const uint64_t first = element(x, i, size), second = element(y, i, size);
      if (outcome.add(first, second, format, buffer.name.c_str()) &&
          shown++ < 3)
        outcome.addExample(buffer.name, buffer.name + "[" + std::to_string(i) +
                                            "]: " + format.text(first) +
                                            " and " + format.text(second));
    }
  }

  static void checkExpected(const KernelBuffer &buffer,
                            const std::vector<uint8_t> &bytes,
                            const char *device) {
    for (size_t i = 0; i < buffer.expected.size(); ++i) {
      const double x = valueOf(element(bytes, i, buffer.type.format.bits / 8),
                               buffer.type.format);
      const double e = buffer.expected[i];
      if (!(std::fabs(x - e) <= buffer.tolerance * std::fmax(1, std::fabs(e))))
        throw std::runtime_error(
            std::string("on the ") + device + " device " + buffer.name + "[" +
            std::to_string(i) + "] is " + std::to_string(x) + ", expected " +
            std::to_string(e) + " within " + std::to_string(buffer.tolerance));
    }
  }

  const KernelDescription k;
  const uint64_t seed;
};

} // namespace

CaseList kernelCases(const RunOptions &options) {
  CaseList result;
  for (const std::string &path : options.kernels)
    for (KernelDescription &k : readKernels(path))
      result.push_back(std::make_unique<KernelCase>(std::move(k), options));
  return result;
}

} // namespace gemm::agreement
