// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random and adversarial operands of one tile, by seeded pattern.
#ifndef GEMM_AGREEMENT_TILEDATA_H
#define GEMM_AGREEMENT_TILEDATA_H

#include "TileInstruction.h"

#include <random>

namespace gemm::agreement {

using Random = std::mt19937_64;

/// What the values of a tile are made to provoke.
enum class Pattern : uint8_t {
  Normal,      ///< exponents in [-4, 3]
  Wide,        ///< exponents over the type's whole range, C near the products
  Bits,        ///< any bit pattern
  Cancel,      ///< pairs x, -x, tiny remainders, C near minus a product
  Subnormal,   ///< subnormal operands, accumulators and results
  Overflow,    ///< exponents at the top
  Special,     ///< a few infinities, NaNs of any payload, signed zeros
  Zeros,       ///< mostly zeros of both signs
  Straddle,    ///< terms 8 to 30 powers of two below the largest
  ZeroProduct, ///< zero times a huge value beside small products
};
constexpr unsigned patternCount = 10;
const char *patternName(Pattern pattern);

/// The matrices of a tile, one element an entry: A rows x k, B k x columns, C
/// rows x accumulatorColumns, all row-major.
struct TileMatrices {
  std::vector<uint64_t> a, b, c;
};

void drawTile(const TileInstruction &instruction, Pattern pattern,
              Random &random, TileMatrices &tile);

/// Packs the matrices as the kernel loads them; each block has the size that
/// tileLayout gives.
void packTile(const TileInstruction &instruction, const TileLayout &layout,
              const TileMatrices &tile, uint8_t *a, uint8_t *b, uint8_t *c);

/// D, as the kernel stored it, as a matrix.
void unpackResult(const TileInstruction &instruction, const uint8_t *d,
                  std::vector<uint64_t> &matrix);

} // namespace gemm::agreement

#endif // GEMM_AGREEMENT_TILEDATA_H
