// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which matrix element sits in which register of which lane, for every
// tensor instruction, from the formulas of the PTX ISA 8.8:
//   mma.sync            9.7.14.5.1 - 9.7.14.5.13
//   ldmatrix, stmatrix, movmatrix   9.7.14.5.15 - 9.7.14.5.17
//   wgmma.mma_async     9.7.15.5.1.1
// The fragments of wmma are opaque in the ISA (9.7.14.4.1); the map here is
// our own, one per (shape, type, role) and the same for load, mma and store.

#ifndef GEMM_EMULATOR_FRAGMENTS_H
#define GEMM_EMULATOR_FRAGMENTS_H

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace gemm::emulator {

/// Element type of a matrix operand of a tensor instruction.
enum class ElementType : uint8_t {
  F16,
  BF16,
  TF32,
  E4M3,
  E5M2,
  F64,
  S8,
  U8,
  S4,
  U4,
  B1,
  F32, ///< accumulator only
  S32  ///< accumulator only
};

/// Bits of one element in a register (tf32: 32, b1: 1).
unsigned elementBits(ElementType type);

/// The PTX spelling without the dot ("f16").
const char *elementName(ElementType type);

/// Operand of D = A * B + C. C and D share their layout.
enum class MatrixRole : uint8_t { A, B, Accumulator };

/// M, N, K of an instruction.
struct MmaShape {
  unsigned m = 0, n = 0, k = 0;
  friend bool operator==(const MmaShape &, const MmaShape &) = default;
};

/// The instruction family whose fragments are asked for.
enum class FragmentFamily : uint8_t { MmaSync, Wmma, Wgmma };

/// Position in the matrix of the role: A is M x K, B is K x N, the
/// accumulator is M x N.
struct MatrixCoordinate {
  uint16_t row = 0, column = 0;
  friend bool operator==(const MatrixCoordinate &,
                         const MatrixCoordinate &) = default;
};

/// Layout of one matrix over the registers of `lanes` lanes. Element `sub` of
/// a register is the one at bits [sub*elementBits, (sub+1)*elementBits).
class FragmentMap {
public:
  unsigned rows = 0;          ///< rows of the matrix
  unsigned columns = 0;       ///< columns of the matrix
  unsigned lanes = 32;        ///< 32, or 128 for wgmma
  unsigned registers = 0;     ///< registers per lane (as many operands in PTX)
  unsigned registerBits = 32; ///< 64 for f64
  unsigned bits = 0;          ///< bits of one element
  unsigned perRegister = 0;   ///< elements in one register
  /// Position of each element, index (reg * lanes + lane) * perRegister + sub.
  std::vector<MatrixCoordinate> coordinates;
  /// row * columns + column of each element, same index.
  std::vector<uint16_t> linear;

  MatrixCoordinate at(unsigned reg, unsigned lane, unsigned sub = 0) const {
    return coordinates[(reg * lanes + lane) * perRegister + sub];
  }

  /// Reads registers into a row-major tile of one element per `Tile` entry.
  /// `word(reg, lane)` returns the register's bits. Where several registers
  /// hold the same element (wmma f16) all must agree; the last one read wins.
  template <typename Tile, typename Word>
  void gather(Word &&word, Tile *tile) const {
    const uint16_t *index = linear.data();
    forRegisters([&](unsigned reg, unsigned lane, auto count, auto width) {
      auto value = word(reg, lane);
      if (count == 1) {
        tile[*index++] = Tile(value);
        return;
      }
      const uint32_t mask = (uint32_t(1) << width) - 1;
      for (unsigned sub = 0; sub < count; ++sub)
        tile[*index++] = Tile((uint32_t(value) >> (sub * width)) & mask);
    });
  }

  /// Writes a row-major tile into registers: `store(reg, lane, bits)`.
  template <typename Tile, typename Store>
  void scatter(const Tile *tile, Store &&store) const {
    const uint16_t *index = linear.data();
    forRegisters([&](unsigned reg, unsigned lane, auto count, auto width) {
      if (count == 1) {
        store(reg, lane, tile[*index++]);
        return;
      }
      const uint32_t mask = (uint32_t(1) << width) - 1;
      uint32_t value = 0;
      for (unsigned sub = 0; sub < count; ++sub)
        value |= (uint32_t(tile[*index++]) & mask) << (sub * width);
      store(reg, lane, value);
    });
  }

private:
  /// Calls body(register, lane, perRegister, bits), the last two as constants
  /// in the cases that decide the speed.
  template <typename Body> void forRegisters(Body &&body) const {
    auto all = [&](auto count, auto width) {
      for (unsigned reg = 0; reg < registers; ++reg)
        for (unsigned lane = 0; lane < lanes; ++lane)
          body(reg, lane, count, width);
    };
    if (perRegister == 1)
      all(std::integral_constant<unsigned, 1>(), bits);
    else if (perRegister == 2 && bits == 16)
      all(std::integral_constant<unsigned, 2>(),
          std::integral_constant<unsigned, 16>());
    else
      all(perRegister, bits);
  }
};

/// The map of one operand, built once and kept (the pointer stays valid).
/// Null if the instruction does not exist for sm_75 .. sm_90; `error` then
/// names the combination. `accumulator` of A and B is ignored; for the role
/// Accumulator `type` is the accumulator's type (F16, F32, F64, S32).
///
/// mma.sync m8n8k4 with f16 multiplicands is four products at once: see
/// quadPairFragment.
const FragmentMap *fragmentMap(FragmentFamily family, MmaShape shape,
                               ElementType type, MatrixRole role,
                               std::string *error = nullptr);

/// mma.sync.m8n8k4 with .f16 multiplicands (9.7.14.5.1): a warp computes four
/// independent 8x8x4 products. The map stacks them: A has 32 rows (row 8*p+i
/// is row i of product p) by 4 columns, B 4 rows by 32 columns (column 8*p+j),
/// the accumulator 32 rows by 8 columns. `columnMajor` is the .alayout or
/// .blayout; it is ignored for the accumulator, whose `type` is F16 or F32.
const FragmentMap *quadPairFragment(ElementType type, MatrixRole role,
                                    bool columnMajor);

//===----------------------------------------------------------------------===//
// 8x8 matrices of 16-bit elements: ldmatrix, stmatrix, movmatrix.
//===----------------------------------------------------------------------===//

/// Element of the 8x8 matrix that half `sub` (0: low) of a lane's register
/// holds; `transpose` is .trans. Register r of the instruction belongs to
/// matrix r.
constexpr MatrixCoordinate matrix8x8Element(unsigned lane, unsigned sub,
                                            bool transpose) {
  uint16_t major = uint16_t(lane / 4), minor = uint16_t(lane % 4 * 2 + sub);
  return transpose ? MatrixCoordinate{minor, major}
                   : MatrixCoordinate{major, minor};
}

/// The lane whose address operand points to `row` of `matrix`.
constexpr unsigned matrix8x8AddressLane(unsigned matrix, unsigned row) {
  return matrix * 8 + row;
}

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_FRAGMENTS_H
