// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PTX that gemm-bench brings along, run on the emulator: it knows only the
// PTX ISA, so it is a witness of its own.
#include "DevicePtx.h"

#include "Emulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace gemm::bench;
namespace emulator = gemm::emulator;

namespace {

class Machine {
public:
  Machine() : device(std::move(*emulator::Device::create("sm_90a"))) {}

  uint64_t allocate(size_t bytes) { return *device->allocate(bytes); }
  template <typename T> uint64_t upload(const std::vector<T> &data) {
    uint64_t address = allocate(data.size() * sizeof(T));
    EXPECT_EQ(device->write(address, data.data(), data.size() * sizeof(T)), "");
    return address;
  }
  template <typename T>
  std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> data(count);
    EXPECT_EQ(device->read(address, data.data(), count * sizeof(T)), "");
    return data;
  }

  template <typename... Arguments>
  emulator::LaunchResult launch(const std::string &text, const char *entry,
                                unsigned blocks, unsigned threads,
                                size_t shared, Arguments... arguments) {
    auto module = emulator::Module::parse(ptxHeader("8.4", "sm_90a") + text);
    EXPECT_TRUE(bool(module)) << module.error();
    if (!module)
      return {};
    void *pointers[] = {&arguments..., nullptr};
    emulator::LaunchOptions options;
    options.counters = true;
    emulator::LaunchResult result =
        device->launch(**module, entry, {blocks, 1, 1}, {threads, 1, 1},
                       {1, 1, 1}, shared, pointers, options);
    EXPECT_TRUE(result.ok) << entry << ": " << result.refusal
                           << result.summary();
    return result;
  }

  std::unique_ptr<emulator::Device> device;
};

// Box-Muller on SplitMix64's output, in double precision.
double referenceNormal(uint64_t key, uint64_t index) {
  uint64_t z = key + index * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  double u = (double(z >> 40) + 0.5) * 0x1p-24;
  double angle = double(z & 0xffffff) * 0x1p-24 * 2 * M_PI;
  return std::sqrt(-2 * std::log(u)) * std::cos(angle);
}

constexpr ElementType allTypes[] = {
    ElementType::F16,  ElementType::BF16, ElementType::TF32,
    ElementType::F32,  ElementType::F64,  ElementType::E4M3,
    ElementType::E5M2, ElementType::S8,   ElementType::S32};

class EveryType : public testing::TestWithParam<ElementType> {};

TEST_P(EveryType, IsFilledWithNormalNumbers) {
  ElementType type = GetParam();
  size_t size = elementSize(type);
  constexpr uint64_t count = 3001, key = 0x123456789abcdef;
  Machine machine;
  // One element more, which must stay as it is.
  std::vector<std::byte> before((count + 1) * size, std::byte{0xab});
  uint64_t data = machine.upload(before);
  machine.launch(fillPtx(type), "fill", 3, 256, 0, data, count, key);
  auto after = machine.download<std::byte>(data, before.size());
  double sum = 0, squares = 0;
  bool scaled = !isFloat(type);
  for (uint64_t i = 0; i < count; ++i) {
    double value = gemm::tools::decodeElement(
        type, gemm::tools::loadBits(type, after.data() + i * size));
    double expected = referenceNormal(key, i);
    sum += expected;
    squares += expected * expected;
    if (scaled)
      expected *= 32;
    // The approximate functions are good to 2^-20; integers may fall on the
    // other side of a half.
    double rounding =
        scaled ? 0.5 + 1e-4 : gemm::tools::halfUlp(type, expected) + 2e-5;
    if (type == ElementType::S8)
      expected = std::min(expected, 127.0);
    ASSERT_NEAR(value, expected, rounding) << "element " << i;
  }
  // A sample of a standard normal distribution: three standard errors.
  EXPECT_NEAR(sum / count, 0, 3 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 3 * std::sqrt(2.0 / count));
  EXPECT_TRUE(std::equal(after.end() - long(size), after.end(),
                         before.end() - long(size)));
}

TEST_P(EveryType, IsMultipliedAsOftenAsClaimed) {
  constexpr unsigned blocks = 2, iterations = 3;
  for (const RatePtx &rate : ratePtx(GetParam())) {
    SCOPED_TRACE(rate.instruction);
    Machine machine;
    std::vector<std::byte> operands(rateOperandBytes);
    std::mt19937 random(1);
    for (size_t i = 0; i < operands.size(); ++i)
      // Small numbers in every type.
      operands[i] = std::byte(random() & 0x3b);
    uint64_t data = machine.upload(operands);
    size_t outBytes = rateHeaderBytes + rateResultBytes * blocks * rate.threads;
    uint64_t out = machine.upload(std::vector<std::byte>(outBytes));
    emulator::LaunchResult result =
        machine.launch(rate.text, "multiply", blocks, rate.threads,
                       rate.sharedBytes, data, uint32_t{iterations}, out);
    double operations = rate.instruction.starts_with("fma")
                            ? double(result.counters.floatOps)
                            : double(result.counters.tensorOps);
    // The sum of the results at the end adds a little.
    EXPECT_NEAR(operations, rate.operationsPerIteration * blocks * iterations,
                rate.instruction.starts_with("fma") ? blocks * 256.0 * 16 : 0);
  }
}

INSTANTIATE_TEST_SUITE_P(DevicePtx, EveryType, testing::ValuesIn(allTypes),
                         [](const auto &info) {
                           return std::string(
                               gemm::tools::elementTypeName(info.param));
                         });

class EverySize : public testing::TestWithParam<size_t> {
protected:
  // Elements 0, 1, 2, ... of GetParam() bytes.
  std::vector<std::byte> numbers(size_t count) const {
    std::vector<std::byte> bytes(count * GetParam());
    for (uint64_t i = 0; i < count; ++i)
      std::memcpy(bytes.data() + i * GetParam(), &i, GetParam());
    return bytes;
  }
  uint64_t element(const std::vector<std::byte> &bytes, size_t index) const {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + index * GetParam(), GetParam());
    return value;
  }
};

TEST_P(EverySize, IsSet) {
  Machine machine;
  constexpr uint64_t bits = 0xfedcba9876543210;
  uint64_t data = machine.upload(numbers(1000));
  machine.launch(elementPtx(GetParam()), "set_bits", 2, 256, 0, data,
                 uint64_t{999}, bits);
  auto after = machine.download<std::byte>(data, 1000 * GetParam());
  uint64_t mask =
      GetParam() == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * GetParam())) - 1;
  for (size_t i = 0; i < 999; ++i)
    ASSERT_EQ(element(after, i), bits & mask) << i;
  EXPECT_EQ(element(after, 999), 999 & mask);
}

TEST_P(EverySize, IsGathered) {
  Machine machine;
  const std::vector<int64_t> rows = {0, 70, 35, 140}, cols = {3, 1, 20};
  uint64_t from = machine.upload(numbers(200));
  uint64_t to = machine.allocate(rows.size() * cols.size() * GetParam());
  machine.launch(elementPtx(GetParam()), "gather", 1, 8, 0, to, from,
                 machine.upload(rows), machine.upload(cols),
                 uint64_t{rows.size()}, uint64_t{cols.size()});
  auto got =
      machine.download<std::byte>(to, rows.size() * cols.size() * GetParam());
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < cols.size(); ++j)
      EXPECT_EQ(element(got, i * cols.size() + j),
                static_cast<uint64_t>(rows[i] + cols[j]));
}

TEST_P(EverySize, IsCountedWithoutThePadding) {
  Machine machine;
  // Two batches of 5 lines of 7 elements, 9 apart; batches 50 apart.
  constexpr uint64_t lines = 5, length = 7, pitch = 9, batches = 2, stride = 50;
  std::vector<std::byte> data(100 * GetParam());
  auto put = [&](uint64_t index, uint64_t bits) {
    std::memcpy(data.data() + index * GetParam(), &bits, GetParam());
  };
  for (uint64_t i = 0; i < 100; ++i)
    put(i, 1);
  put(7, 0x5a);                      // Padding of line 0.
  put(stride - 1, 0x5a);             // Between the batches.
  put(3 * pitch + 6, 0x5a);          // (0, 3, 6)
  put(stride + 2 * pitch, 0x5a);     // (1, 2, 0)
  put(stride + 4 * pitch + 6, 0x5a); // (1, 4, 6)
  uint64_t out = machine.upload(std::vector<uint64_t>{0, ~uint64_t{0}});
  machine.launch(elementPtx(GetParam()), "count_equal", 2, 16, 0,
                 machine.upload(data), lines, length, pitch, batches, stride,
                 uint64_t{0x5a}, out);
  auto found = machine.download<uint64_t>(out, 2);
  EXPECT_EQ(found[0], 3u);
  EXPECT_EQ(found[1], 3 * length + 6);
}

INSTANTIATE_TEST_SUITE_P(DevicePtx, EverySize, testing::Values(1, 2, 4, 8));

TEST(DevicePtx, CopiesAndReadsEveryByteOnce) {
  Machine machine;
  constexpr unsigned blocks = 2, threads = 64;
  constexpr uint64_t chunks = 3,
                     bytes = chunks * blocks * threads * memoryChunk;
  std::vector<uint32_t> data(bytes / 4);
  for (uint32_t i = 0; i < data.size(); ++i)
    data[i] = i * 2654435761u;
  uint64_t from = machine.upload(data), to = machine.allocate(bytes);
  emulator::LaunchResult copied =
      machine.launch(memoryPtx(), "copy", blocks, threads, 0, to, from, chunks);
  EXPECT_EQ(machine.download<uint32_t>(to, data.size()), data);
  EXPECT_EQ(copied.counters.globalBytesRead, bytes);
  EXPECT_EQ(copied.counters.globalBytesWritten, bytes);
  emulator::LaunchResult read =
      machine.launch(memoryPtx(), "read", blocks, threads, 0, from, chunks, to);
  EXPECT_EQ(read.counters.globalBytesRead, bytes);
  EXPECT_EQ(read.counters.globalBytesWritten, 0u);
  machine.launch(memoryPtx(), "nothing", 1, 32, 0);
}

} // namespace
