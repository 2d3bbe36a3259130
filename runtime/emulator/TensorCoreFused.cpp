// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fast path of the fused-step model, four columns at a time, in the
// host's floating point where every operation is exact:
//   - each operand is a value and the power of two of its exponent (zero for a
//     zero operand), so the largest exponent of a step is the maximum of the
//     products of powers;
//   - value * value * 2^(F - largest) is exact, since a product has at most 22
//     significant bits and the scaling is a power of two, and conversion to
//     an integer truncates it toward zero, which is the unit's alignment;
//   - terms are below 2^(F+2) <= 2^27 in magnitude, so sums of 16 fit 32 bits,
//     and longer ones are kept in 64 bits.
// The scalar type is float where the exponents cannot leave its range and
// double otherwise. NaNs and infinities take fusedStepReference.

#include "TensorCoreDetail.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gemm::emulator::detail {

namespace {

constexpr unsigned lanes = 4;     // columns at a time
constexpr unsigned groupMax = 16; // products summed in 32 bits

template <typename Scalar> struct VectorOf;
template <> struct VectorOf<float> {
  typedef float Value __attribute__((vector_size(lanes * 4)));
  typedef uint32_t Bits __attribute__((vector_size(lanes * 4)));
  static constexpr uint32_t bias = 127;
  static constexpr int fractionBits = 23;
};
template <> struct VectorOf<double> {
  typedef double Value __attribute__((vector_size(lanes * 8)));
  typedef uint64_t Bits __attribute__((vector_size(lanes * 8)));
  static constexpr uint64_t bias = 1023;
  static constexpr int fractionBits = 52;
};
typedef int32_t Int32Lanes __attribute__((vector_size(lanes * 4)));
typedef int64_t Int64Lanes __attribute__((vector_size(lanes * 8)));

/// A decoded element: its value and 2^exponent; both zero for a zero and for
/// an infinity or NaN, which `special` marks.
template <typename Scalar> struct Decoded {
  Scalar value, power;
  bool special;
};

float powerOfTwo(int exponent) {
  return bitsToFloat(uint32_t(exponent + 127) << 23);
}

/// Decodes an element of a format with 8 exponent bits given as f32 bits, or
/// of f16. Subnormals keep the smallest exponent of their format.
template <typename Scalar> Decoded<Scalar> decodeF32(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude == 0)
    return {0, 0, false};
  if (magnitude >= 0x7F800000u)
    return {0, 0, true};
  const uint32_t exponent = std::max(magnitude & 0x7F800000u, 0x00800000u);
  return {Scalar(bitsToFloat(bits)), Scalar(bitsToFloat(exponent)), false};
}

template <typename Scalar> Decoded<Scalar> decodeF16(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7FFFu;
  if (magnitude == 0)
    return {0, 0, false};
  if (magnitude >= 0x7C00u)
    return {0, 0, true};
  const int exponent = std::max<int>(int(magnitude >> 10), 1) - 15;
  return {Scalar(bitsToFloat(f16ToF32Bits(uint16_t(bits)))),
          Scalar(powerOfTwo(exponent)), false};
}

/// The 256 values of an fp8 format.
struct Fp8Table {
  Decoded<float> entries[256];

  explicit Fp8Table(FloatFormat format) {
    const FloatFormatInfo &info = formatInfo(format);
    for (uint32_t bits = 0; bits < 256; ++bits) {
      if (isNaN(bits, format) || isInfinity(bits, format)) {
        entries[bits] = {0, 0, true};
        continue;
      }
      const ExactValue exact = decodeExact(bits, format);
      const float value =
          std::ldexp(float(uint64_t(exact.magnitude)), exact.exponent);
      entries[bits] = {exact.negative ? -value : value,
                       exact.magnitude == 0
                           ? 0.0f
                           : powerOfTwo(exact.exponent + info.fractionBits),
                       false};
    }
  }
};

/// Calls `use` with the function that decodes elements of `type`.
template <typename Scalar, typename Use>
void withDecoder(ElementType type, Use &&use) {
  switch (type) {
  case ElementType::F16:
    return use([](uint32_t bits) { return decodeF16<Scalar>(bits); });
  case ElementType::BF16:
    return use([](uint32_t bits) { return decodeF32<Scalar>(bits << 16); });
  case ElementType::TF32:
    return use(
        [](uint32_t bits) { return decodeF32<Scalar>(bits & 0xFFFFE000u); });
  default: {
    static const Fp8Table e4m3(FloatFormat::E4M3), e5m2(FloatFormat::E5M2);
    const Fp8Table &table = type == ElementType::E4M3 ? e4m3 : e5m2;
    return use([&table](uint32_t bits) {
      const Decoded<float> &entry = table.entries[bits & 0xFF];
      return Decoded<Scalar>{Scalar(entry.value), Scalar(entry.power),
                             entry.special};
    });
  }
  }
}

/// The operands of one tile in the order in which the steps take the products.
struct RawTile {
  const uint32_t *a; ///< m x k
  const uint32_t *b; ///< k x n
  ElementType aType, bType;
};

/// Whether every nonzero finite element of `type` keeps the float path exact:
/// exponents within +-50 leave products within 2^+-100.
bool fitsFloat(const uint32_t *elements, unsigned count, ElementType type) {
  if (type != ElementType::BF16 && type != ElementType::TF32)
    return true;
  const unsigned up = type == ElementType::BF16 ? 16 : 0;
  return std::all_of(elements, elements + count, [&](uint32_t bits) {
    const uint32_t magnitude = bits << up & 0x7FFFE000u;
    const uint32_t exponent = magnitude >> 23;
    return magnitude == 0 || exponent == 255 ||
           (exponent >= 127 - 50 && exponent <= 127 + 50);
  });
}

/// Truncates a nonzero finite sum to an f32 with `fractionBits` bits.
uint32_t truncateToF32(double sum, unsigned fractionBits) {
  const uint64_t bits = doubleToBits(sum);
  const uint32_t sign = uint32_t(bits >> 32) & 0x80000000u;
  const int exponent = int(bits >> 52 & 0x7FF) - 1023;
  if (exponent >= 128)
    return sign | 0x7F800000u;
  const uint32_t mask = ~((1u << (23 - fractionBits)) - 1);
  if (exponent >= -126) {
    const uint32_t rest =
        (uint32_t(exponent + 127) << 23) | (uint32_t(bits >> 29) & 0x7FFFFFu);
    return sign | (rest & mask);
  }
  // Subnormal: the quantum is 2^-149 (before the mask).
  const uint32_t rest =
      exponent < -149 ? 0 : uint32_t(std::fabs(sum) * 0x1p149) & mask;
  return rest ? sign | rest : 0;
}

/// Rounds a nonzero finite sum to f16, ties to even.
uint32_t roundToF16(double sum) {
  const uint64_t bits = doubleToBits(sum);
  const uint32_t sign = uint32_t(bits >> 48) & 0x8000u;
  const uint64_t magnitude = bits & 0x7FFFFFFFFFFFFFFFu;
  const int exponent = int(magnitude >> 52) - 1023;
  if (exponent >= 16)
    return sign | 0x7C00u;
  if (exponent >= -14) {
    uint64_t rest = magnitude - (uint64_t(1023 - 15) << 52);
    rest += (uint64_t(1) << 41) - 1 + (rest >> 42 & 1);
    return sign | uint32_t(rest >> 42);
  }
  // Adding 2^28, whose unit in the last place is 2^-24, rounds to the
  // subnormals' quantum.
  const uint32_t rest = uint32_t(
      doubleToBits(bitsToDouble(magnitude) + 0x1p28) - doubleToBits(0x1p28));
  return rest ? sign | rest : 0;
}

/// The steps over one tile. `Scalar` is float or double.
template <typename Scalar> class TileKernel {
  using Vector = VectorOf<Scalar>;
  using Value = typename Vector::Value;
  using Bits = typename Vector::Bits;

public:
  TileKernel(const TensorOperationSpec &spec, const TensorCoreModel &model,
             const RawTile &tile)
      : model(model), tile(tile), m(spec.shape.m), n(spec.shape.n),
        k(spec.shape.k), cType(spec.cType), dType(spec.dType),
        unit(std::ldexp(1.0, -int(model.fractionBits))) {
    decodeRows();
    decodeColumns();
  }

  void run(const uint32_t *c, uint32_t *d) {
    for (unsigned row = 0; row < m; ++row)
      for (unsigned block = 0; block < n / lanes; ++block)
        runBlock(row, block, c, d);
  }

private:
  /// Reused between calls: one set per thread and scalar type.
  struct Scratch {
    std::vector<Scalar> aValue, aPower; // m x k
    std::vector<Scalar> bValue, bPower; // n/8 x k x 8
    std::vector<uint8_t> aSpecial;      // m
    std::vector<uint8_t> bSpecial;      // n
  };
  static Scratch &scratch() {
    thread_local Scratch storage;
    return storage;
  }

  void decodeRows() {
    s.aValue.resize(m * k);
    s.aPower.resize(m * k);
    s.aSpecial.assign(m, 0);
    withDecoder<Scalar>(tile.aType, [&](auto decode) {
      for (unsigned row = 0; row < m; ++row)
        for (unsigned at = row * k; at < (row + 1) * k; ++at) {
          const Decoded<Scalar> x = decode(tile.a[at]);
          s.aValue[at] = x.value;
          s.aPower[at] = x.power;
          s.aSpecial[row] |= x.special;
        }
    });
  }

  void decodeColumns() {
    s.bValue.resize(n * k);
    s.bPower.resize(n * k);
    s.bSpecial.assign(n, 0);
    withDecoder<Scalar>(tile.bType, [&](auto decode) {
      for (unsigned depth = 0; depth < k; ++depth)
        for (unsigned column = 0; column < n; ++column) {
          const unsigned at =
              (column / lanes * k + depth) * lanes + column % lanes;
          const Decoded<Scalar> x = decode(tile.b[depth * n + column]);
          s.bValue[at] = x.value;
          s.bPower[at] = x.power;
          s.bSpecial[column] |= x.special;
        }
    });
  }

  // By reference: a vector wider than the host's registers has no stable
  // calling convention.
  static void load(const Scalar *from, Value &to) {
    __builtin_memcpy(&to, from, sizeof to);
  }
  static void raise(Value &to, const Value &other) {
    to = other > to ? other : to;
  }

  void runBlock(unsigned row, unsigned block, const uint32_t *c, uint32_t *d) {
    const unsigned base = row * n + block * lanes;
    const bool expands = model.expansion == TensorExpansion::Fp8ToF16;
    uint32_t running[lanes];
    for (unsigned lane = 0; lane < lanes; ++lane)
      running[lane] = c && !expands ? c[base + lane] : 0;
    ElementType runningType = expands ? dType : cType;

    for (unsigned first = 0; first < k; first += model.stepLength) {
      step(row, block, first, running, runningType);
      runningType = dType;
    }
    for (unsigned lane = 0; lane < lanes; ++lane)
      d[base + lane] =
          expands ? addAccumulator(running[lane], c ? c[base + lane] : 0, cType,
                                   dType)
                  : running[lane];
  }

  /// One fused step: `running` is the accumulator of `runningType` on entry and
  /// the result of type `dType` on return.
  void step(unsigned row, unsigned block, unsigned first,
            uint32_t (&running)[lanes], ElementType runningType) {
    const unsigned length = model.stepLength;
    const Scalar *aValue = &s.aValue[row * k + first];
    const Scalar *aPower = &s.aPower[row * k + first];
    const Scalar *bValue = &s.bValue[(block * k + first) * lanes];
    const Scalar *bPower = &s.bPower[(block * k + first) * lanes];

    Value cValue, cPower;
    bool special[lanes];
    bool anySpecial = s.aSpecial[row];
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const auto x = runningType == ElementType::F16
                         ? decodeF16<Scalar>(running[lane])
                         : decodeF32<Scalar>(running[lane]);
      cValue[lane] = x.value;
      cPower[lane] = x.power;
      special[lane] =
          x.special || s.aSpecial[row] || s.bSpecial[block * lanes + lane];
      anySpecial |= special[lane];
    }
    uint32_t entering[lanes];
    if (anySpecial)
      std::copy_n(running, lanes, entering);

    Value column;
    Value product = {};
    for (unsigned depth = 0; depth < length; ++depth) {
      load(bPower + depth * lanes, column);
      raise(product, aPower[depth] * column);
    }
    Value largest = product;
    raise(largest, cPower);
    raise(largest,
          Value{} + (runningType == ElementType::F16 ? leastF16 : leastF32));
    // 2^(F - e) from 2^e, on the bits of the exponents.
    const Bits scaleBits =
        ((2 * Vector::bias + model.fractionBits) << Vector::fractionBits) -
        (Bits)largest;
    const Value scale = (Value)scaleBits;

    Int64Lanes total = __builtin_convertvector(
        __builtin_convertvector(cValue * scale, Int32Lanes), Int64Lanes);
    for (unsigned group = 0; group < length; group += groupMax) {
      Int32Lanes sum = {};
      const unsigned end = std::min(length, group + groupMax);
      for (unsigned depth = group; depth < end; ++depth) {
        load(bValue + depth * lanes, column);
        sum +=
            __builtin_convertvector(aValue[depth] * column * scale, Int32Lanes);
      }
      total += __builtin_convertvector(sum, Int64Lanes);
    }

    for (unsigned lane = 0; lane < lanes; ++lane) {
      // Without products the accumulator passes alone, whatever its exponent.
      const double sum =
          product[lane] == 0
              ? double(cValue[lane])
              : double(total[lane]) * (double(largest[lane]) * unit);
      running[lane] = sum == 0 ? 0
                      : dType == ElementType::F16
                          ? roundToF16(sum)
                          : truncateToF32(sum, model.resultFractionBits);
    }
    if (anySpecial)
      for (unsigned lane = 0; lane < lanes; ++lane)
        if (special[lane])
          running[lane] = stepReference(row, block * lanes + lane, first,
                                        entering[lane], runningType);
  }

  /// 2^zeroExponent; in float no nonzero product is below 2^-100, and that
  /// keeps the scale in range.
  static Scalar least(FloatFormat accumulator) {
    const int exponent = zeroExponent(accumulator);
    return Scalar(std::ldexp(1.0, sizeof(Scalar) == 4 ? std::max(exponent, -100)
                                                      : exponent));
  }

  uint32_t stepReference(unsigned row, unsigned column, unsigned first,
                         uint32_t entering, ElementType type) const {
    std::vector<uint32_t> line(model.stepLength);
    for (unsigned depth = 0; depth < model.stepLength; ++depth)
      line[depth] = tile.b[(first + depth) * n + column];
    return fusedStepReference(model, tile.aType, tile.bType, type, dType,
                              &tile.a[row * k + first], line.data(),
                              model.stepLength, entering);
  }

  const TensorCoreModel &model;
  const RawTile &tile;
  const unsigned m, n, k;
  const ElementType cType, dType;
  const double unit;
  const Scalar leastF16 = least(FloatFormat::F16);
  const Scalar leastF32 = least(FloatFormat::F32);
  Scratch &s = scratch();
};

/// Position of product `depth` when an fp8 instruction is expanded: the pairs
/// {0, 1} of every four come first.
unsigned expandedPosition(unsigned k, unsigned depth) {
  return depth % 4 / 2 * (k / 2) + depth / 4 * 2 + depth % 2;
}

/// The f16 bits of the 256 patterns of an fp8 type.
const uint16_t *f16OfFp8(ElementType type) {
  struct Table {
    uint16_t bits[256];
    explicit Table(FloatFormat from) {
      for (unsigned i = 0; i < 256; ++i)
        bits[i] = uint16_t(convertFloat(i, from, FloatFormat::F16));
    }
  };
  static const Table e4m3(FloatFormat::E4M3), e5m2(FloatFormat::E5M2);
  return (type == ElementType::E4M3 ? e4m3 : e5m2).bits;
}

} // namespace

void runFused(const TensorOperationSpec &spec, const TensorCoreModel &model,
              const uint32_t *a, const uint32_t *b, const uint32_t *c,
              uint32_t *d) {
  const auto [m, n, k] = spec.shape;
  thread_local std::vector<uint32_t> left, right;
  RawTile tile{a, b, spec.aType, spec.bType};
  const uint32_t flip =
      spec.negateA != spec.negateB ? 1u << (elementBits(spec.aType) - 1) : 0;
  if (model.expansion == TensorExpansion::Fp8ToF16) {
    left.resize(m * k);
    right.resize(k * n);
    const uint16_t *widenA = f16OfFp8(spec.aType);
    const uint16_t *widenB = f16OfFp8(spec.bType);
    for (unsigned depth = 0; depth < k; ++depth) {
      const unsigned to = expandedPosition(k, depth);
      for (unsigned row = 0; row < m; ++row)
        left[row * k + to] = widenA[(a[row * k + depth] ^ flip) & 0xFF];
      for (unsigned column = 0; column < n; ++column)
        right[to * n + column] = widenB[b[depth * n + column] & 0xFF];
    }
    tile = {left.data(), right.data(), ElementType::F16, ElementType::F16};
  } else if (flip) {
    left.resize(m * k);
    std::transform(a, a + m * k, left.begin(),
                   [&](uint32_t bits) { return bits ^ flip; });
    tile.a = left.data();
  }
  // Where C and D differ (wmma) the steps run in f32: the assembler widens an
  // f16 C beforehand, so that its subnormals are normalised (ptxas 13.0:
  // HADD2.F32), and a conversion to nearest to an f16 D ends the instruction.
  const bool narrows =
      spec.cType == ElementType::F32 && spec.dType == ElementType::F16;
  TensorOperationSpec inF32 = spec;
  inF32.dType = narrows ? ElementType::F32 : spec.dType;
  thread_local std::vector<uint32_t> wide;
  if (c && spec.cType == ElementType::F16 && spec.dType == ElementType::F32) {
    wide.resize(m * n);
    std::transform(c, c + m * n, wide.begin(),
                   [](uint32_t bits) { return f16ToF32Bits(uint16_t(bits)); });
    c = wide.data();
    inF32.cType = ElementType::F32;
  }
  if (fitsFloat(tile.a, m * k, tile.aType) &&
      fitsFloat(tile.b, k * n, tile.bType))
    TileKernel<float>(inF32, model, tile).run(c, d);
  else
    TileKernel<double>(inF32, model, tile).run(c, d);
  if (narrows)
    std::transform(d, d + m * n, d, f32BitsToF16);
}

} // namespace gemm::emulator::detail
