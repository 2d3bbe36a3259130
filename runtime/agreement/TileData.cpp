// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TileData.h"
#include "FloatDraw.h"

#include <cmath>
#include <cstring>

namespace gemm::agreement {

using namespace emulator;
using enum ElementType;

const char *patternName(Pattern pattern) {
  static const char *const names[] = {
      "normal",   "wide",    "bits",  "cancel",   "subnormal",
      "overflow", "special", "zeros", "straddle", "zero-product"};
  return names[unsigned(pattern)];
}

namespace {

FloatFormat formatOf(ElementType type) {
  switch (type) {
  case F16:
    return FloatFormat::F16;
  case BF16:
    return FloatFormat::BF16;
  case TF32:
    return FloatFormat::TF32;
  case E4M3:
    return FloatFormat::E4M3;
  case E5M2:
    return FloatFormat::E5M2;
  case F64:
    return FloatFormat::F64;
  default:
    return FloatFormat::F32;
  }
}

bool isInteger(ElementType type) {
  return type == S8 || type == U8 || type == S4 || type == U4 || type == B1;
}

/// The element as the format's own bits: tf32 without what the unit ignores.
uint64_t formatBits(uint64_t bits, ElementType type) {
  return type == TF32 ? bits & 0xFFFFE000u : bits;
}

double toDouble(uint64_t bits, ElementType type) {
  return bitsToDouble(
      convertFloat(formatBits(bits, type), formatOf(type), FloatFormat::F64));
}

void drawIntegers(const TileInstruction &t, Random &random, bool extreme,
                  TileMatrices &tile) {
  const auto fill = [&](std::vector<uint64_t> &values, unsigned bits) {
    const uint64_t mask = (uint64_t(1) << bits) - 1;
    const uint64_t ends[] = {0, mask, mask >> 1, mask / 2 + 1};
    for (uint64_t &v : values)
      v = extreme ? ends[random() % 4] : random() & mask;
  };
  fill(tile.a, elementBits(t.a));
  fill(tile.b, elementBits(t.b));
  fill(tile.c, 32);
  if (extreme) // close enough to the limits to saturate or wrap
    for (uint64_t &v : tile.c)
      v = (random() & 1 ? 0x7FFFFFFFu - random() % 500000
                        : 0x80000000u + random() % 500000) &
          0xFFFFFFFFu;
}

/// A tile of floating-point operands.
class FloatTile {
public:
  FloatTile(const TileInstruction &t, Random &random, TileMatrices &tile)
      : t(t), tile(tile), a(formatOf(t.a), random), b(formatOf(t.b), random),
        c(formatOf(t.c), random), k(t.shape.k) {}

  void draw(Pattern pattern) {
    switch (pattern) {
    case Pattern::Normal:
      return fill(-4, 3, -4, 3, -6, 6);
    case Pattern::Wide:
      return drawWide();
    case Pattern::Bits:
      for (uint64_t &v : tile.a)
        v = a.bits();
      for (uint64_t &v : tile.b)
        v = b.bits();
      for (uint64_t &v : tile.c)
        v = c.bits();
      return;
    case Pattern::Cancel:
      return drawCancel();
    case Pattern::Subnormal:
      return drawSubnormal();
    case Pattern::Overflow:
      return fill(a.largest() - 3, a.largest(), b.largest() - 3, b.largest(),
                  c.largest() - 6, c.largest());
    case Pattern::Special:
      fill(-4, 3, -4, 3, -6, 6);
      sprinkle(tile.a, a, 64);
      sprinkle(tile.b, b, 64);
      sprinkle(tile.c, c, 16);
      return;
    case Pattern::Zeros:
      return drawZeros();
    case Pattern::Straddle:
      return drawStraddle();
    case Pattern::ZeroProduct:
      return drawZeroProduct();
    }
  }

private:
  unsigned rows() const { return unsigned(tile.a.size()) / k; }
  unsigned columns() const { return unsigned(tile.b.size()) / k; }
  uint64_t &atB(unsigned depth, unsigned column) {
    return tile.b[depth * columns() + column];
  }
  /// Row of A and column of B that meet in element `at` of C.
  unsigned rowOf(size_t at) const {
    return unsigned(at) / t.accumulatorColumns();
  }
  unsigned columnOf(size_t at) const {
    const unsigned column = unsigned(at) % t.accumulatorColumns();
    return t.isQuad() ? rowOf(at) / 8 * 8 + column : column;
  }

  void fill(int aLow, int aHigh, int bLow, int bHigh, int cLow, int cHigh) {
    for (uint64_t &v : tile.a)
      v = a.value(a.between(aLow, aHigh));
    for (uint64_t &v : tile.b)
      v = b.value(b.between(bLow, bHigh));
    for (uint64_t &v : tile.c)
      v = c.value(c.between(cLow, cHigh));
  }

  /// C's exponents `low` to `high` above that of the product at k = 0.
  void drawNearProducts(int low, int high) {
    for (size_t at = 0; at < tile.c.size(); ++at) {
      const int product = a.exponentOf(tile.a[rowOf(at) * k]) +
                          b.exponentOf(atB(0, columnOf(at)));
      tile.c[at] = c.value(product + c.between(low, high));
    }
  }

  void drawWide() {
    fill(a.smallest() - 4, a.largest(), b.smallest() - 4, b.largest(), 0, 0);
    drawNearProducts(-32, 32);
  }

  void drawCancel() {
    fill(-4, 3, -4, 3, -6, 6);
    for (unsigned depth = 1; depth < k; depth += 2) {
      for (unsigned row = 0; row < rows(); ++row) {
        uint64_t &v = tile.a[row * k + depth];
        v = a.chance(8) ? a.value(a.between(-14, -8))
                        : a.negated(tile.a[row * k + depth - 1]);
      }
      for (unsigned column = 0; column < columns(); ++column)
        if (!b.chance(8))
          atB(depth, column) = atB(depth - 1, column);
    }
    for (size_t at = 0; at < tile.c.size(); ++at) {
      if (c.chance(2))
        continue;
      const double product = toDouble(tile.a[rowOf(at) * k], t.a) *
                             toDouble(atB(0, columnOf(at)), t.b);
      const uint64_t nearest =
          convertFloat(doubleToBits(-product), FloatFormat::F64, formatOf(t.c));
      tile.c[at] = nearest ^ c.below(2);
      if (isNaN(tile.c[at], formatOf(t.c)))
        tile.c[at] = nearest;
    }
  }

  void drawSubnormal() {
    const bool bothSmall = a.chance(2);
    const int zero = 0;
    fill(a.smallest() - 10, a.smallest() + 2,
         bothSmall ? b.smallest() - 8 : zero - 3,
         bothSmall ? b.smallest() + 3 : zero + 3, c.smallest() - 22,
         c.smallest() + 3);
    if (c.chance(2)) // results among the subnormals of D
      return;
    const int target = c.smallest() - 12;
    for (uint64_t &v : tile.b)
      v = b.value(target - a.smallest() + b.between(-8, 8));
  }

  void sprinkle(std::vector<uint64_t> &values, FloatDraw &draw,
                unsigned inverse) {
    for (uint64_t &v : values) {
      if (!draw.chance(inverse))
        continue;
      const uint64_t kind = draw.below(4);
      v = kind == 0 ? draw.infinity() : kind == 1 ? draw.nan() : draw.zero();
    }
  }

  void drawZeros() {
    fill(-4, 3, -4, 3, -6, 6);
    for (uint64_t &v : tile.a)
      v = a.chance(5) ? v : a.zero();
    for (uint64_t &v : tile.b)
      v = b.chance(3) ? v : b.zero();
    for (uint64_t &v : tile.c)
      v = c.chance(3) ? v : c.zero();
  }

  void drawStraddle() {
    // A carries the distance to the largest term, B stays near one. Formats
    // with few exponents share it between A and B.
    const int span = std::min(30, -a.smallest() + 3);
    const int shared = 30 - span;
    fill(-span, 0, -std::min(shared, -b.smallest() + 2), 0, -30, 2);
    for (unsigned row = 0; row < rows(); ++row)
      tile.a[row * k + a.below(k)] = a.value(0);
    const unsigned large = unsigned(b.below(k));
    for (unsigned column = 0; column < columns(); ++column)
      atB(large, column) = b.value(0);
    for (unsigned row = 0; row < rows(); ++row)
      if (a.chance(2))
        tile.a[row * k + large] = a.value(0);
  }

  void drawZeroProduct() {
    fill(-4, -1, -4, -1, -12, 0);
    for (unsigned depth = 0; depth < k; ++depth) {
      const uint64_t kind = a.below(4);
      if (kind > 1)
        continue;
      for (unsigned row = 0; row < rows(); ++row)
        tile.a[row * k + depth] =
            kind == 0 ? a.zero() : a.value(a.largest() - 1);
      for (unsigned column = 0; column < columns(); ++column)
        atB(depth, column) = kind == 0 ? b.value(b.largest() - 1) : b.zero();
    }
  }

  const TileInstruction &t;
  TileMatrices &tile;
  FloatDraw a, b, c;
  const unsigned k;
};

/// Writes `bits` wide elements one after the other, lowest bits first.
void packLinear(const std::vector<uint64_t> &values, unsigned bits,
                uint8_t *to) {
  if (bits >= 8) {
    for (size_t i = 0; i < values.size(); ++i)
      std::memcpy(to + i * (bits / 8), &values[i], bits / 8);
    return;
  }
  const unsigned perByte = 8 / bits;
  for (size_t i = 0; i < values.size(); i += perByte) {
    uint8_t byte = 0;
    for (unsigned e = 0; e < perByte; ++e)
      byte |= uint8_t(values[i + e] << (e * bits));
    to[i / perByte] = byte;
  }
}

std::vector<uint64_t> transposed(const std::vector<uint64_t> &matrix,
                                 unsigned rows, unsigned columns) {
  std::vector<uint64_t> result(matrix.size());
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned c = 0; c < columns; ++c)
      result[size_t(c) * rows + r] = matrix[size_t(r) * columns + c];
  return result;
}

void packFragment(const FragmentMap &map, const std::vector<uint64_t> &matrix,
                  uint8_t *to) {
  const unsigned bytes = map.registerBits / 8;
  map.scatter(matrix.data(), [&](unsigned reg, unsigned lane, uint64_t bits) {
    std::memcpy(to + (size_t(reg) * map.lanes + lane) * bytes, &bits, bytes);
  });
}

/// An operand of wgmma in shared memory; `at(mn, k)` gives its elements.
template <typename At>
void packShared(uint64_t descriptor, MajorMode major, unsigned bits,
                unsigned mn, unsigned k, uint8_t *to, At &&at) {
  const MatrixDescriptor d = MatrixDescriptor::decode(descriptor);
  const unsigned perByte = bits < 8 ? 8 / bits : 1;
  const unsigned bytes = bits < 8 ? 1 : bits / 8;
  for (unsigned i = 0; i < mn; ++i)
    for (unsigned j = 0; j < k; j += perByte) {
      uint64_t value = 0;
      for (unsigned e = 0; e < perByte; ++e)
        value |= at(i, j + e) << (e * bits);
      std::memcpy(to + d.elementAddress(major, bytes, i, j / perByte), &value,
                  bytes);
    }
}

} // namespace

void drawTile(const TileInstruction &t, Pattern pattern, Random &random,
              TileMatrices &tile) {
  tile.a.resize(size_t(t.rows()) * t.shape.k);
  tile.b.resize(size_t(t.shape.k) * t.columns());
  tile.c.resize(size_t(t.rows()) * t.accumulatorColumns());
  if (isInteger(t.a))
    return drawIntegers(t, random, unsigned(pattern) % 2 == 1, tile);
  FloatTile(t, random, tile).draw(pattern);
}

void packTile(const TileInstruction &t, const TileLayout &layout,
              const TileMatrices &tile, uint8_t *a, uint8_t *b, uint8_t *c) {
  const auto [m, n, k] = t.shape;
  if (const FragmentMap *map = t.aFragment())
    packFragment(*map, tile.a, a);
  else if (t.isWgmma())
    packShared(
        layout.descriptorA, t.majorA, elementBits(t.a), m, k, a,
        [&, k = k](unsigned i, unsigned j) { return tile.a[i * k + j]; });
  else
    packLinear(tile.a, elementBits(t.a), a);

  if (const FragmentMap *map = t.bFragment())
    packFragment(*map, tile.b, b);
  else if (t.isWgmma())
    packShared(
        layout.descriptorB, t.majorB, elementBits(t.b), n, k, b,
        [&, n = n](unsigned i, unsigned j) { return tile.b[j * n + i]; });
  else
    packLinear(transposed(tile.b, k, n), elementBits(t.b), b);

  if (const FragmentMap *map = t.accumulator(t.c))
    packFragment(*map, tile.c, c);
  else
    packLinear(tile.c, elementBits(t.c), c);
}

void unpackResult(const TileInstruction &t, const uint8_t *d,
                  std::vector<uint64_t> &matrix) {
  matrix.assign(size_t(t.rows()) * t.accumulatorColumns(), 0);
  if (const FragmentMap *map = t.accumulator(t.d)) {
    const unsigned bytes = map->registerBits / 8;
    map->gather(
        [&](unsigned reg, unsigned lane) {
          uint64_t bits = 0;
          std::memcpy(&bits, d + (size_t(reg) * map->lanes + lane) * bytes,
                      bytes);
          return bits;
        },
        matrix.data());
    return;
  }
  const unsigned bytes = elementBits(t.d) / 8;
  for (size_t i = 0; i < matrix.size(); ++i)
    std::memcpy(&matrix[i], d + i * bytes, bytes);
}

} // namespace gemm::agreement
