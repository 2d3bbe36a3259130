// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All warp-level fragments are built from one block. With groupID = lane / 4,
// threadID = lane % 4 and e elements in a register, a register covers
//   of A            8 rows by 4*e of K:  (groupID, threadID*e + sub)
//   of B            4*e of K by 8 columns, the transpose of that
//   of accumulators 8 rows by 8 columns: (groupID, threadID*2 + i), i = 0, 1
// and the sections of the ISA differ only in the order of the blocks.

#include "Fragments.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace gemm::emulator {

namespace {

using Types = std::initializer_list<ElementType>;
using enum ElementType;

/// One line of an instruction table: the shapes that exist for a multiplicand
/// type and the accumulators they have.
struct InstructionRow {
  Types multiplicands;
  Types accumulators;
  std::initializer_list<MmaShape> shapes;
};

// PTX ISA 9.7.14.5.14 "mma" (m8n8k4 with .f16: quadPairFragment).
const InstructionRow mmaSyncRows[] = {
    {{F16}, {F16, F32}, {{16, 8, 8}, {16, 8, 16}}},
    {{BF16}, {F32}, {{16, 8, 8}, {16, 8, 16}}},
    {{TF32}, {F32}, {{16, 8, 4}, {16, 8, 8}}},
    {{E4M3, E5M2}, {F16, F32}, {{16, 8, 16}, {16, 8, 32}}},
    {{F64}, {F64}, {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}}},
    {{S8, U8}, {S32}, {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}}},
    {{S4, U4}, {S32}, {{8, 8, 32}, {16, 8, 32}, {16, 8, 64}}},
    {{B1}, {S32}, {{8, 8, 128}, {16, 8, 128}, {16, 8, 256}}},
};

// PTX ISA 9.7.14.4.1 "Matrix Fragments for WMMA".
const InstructionRow wmmaRows[] = {
    {{F16}, {F16, F32}, {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
    {{BF16}, {F32}, {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
    {{TF32}, {F32}, {{16, 16, 8}}},
    {{S8, U8}, {S32}, {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
    {{F64}, {F64}, {{8, 8, 4}}},
    {{S4, U4}, {S32}, {{8, 8, 32}}},
    {{B1}, {S32}, {{8, 8, 128}}},
};

bool contains(Types types, ElementType type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool tableHas(const InstructionRow *first, const InstructionRow *last,
              MmaShape shape, ElementType type, MatrixRole role) {
  return std::any_of(first, last, [&](const InstructionRow &row) {
    return contains(role == MatrixRole::Accumulator ? row.accumulators
                                                    : row.multiplicands,
                    type) &&
           std::find(row.shapes.begin(), row.shapes.end(), shape) !=
               row.shapes.end();
  });
}

// PTX ISA 9.7.15.2 "Matrix Shape" of wgmma. B is never in registers.
bool wgmmaHas(MmaShape shape, ElementType type, MatrixRole role) {
  if (shape.m != 64 || role == MatrixRole::B)
    return false;
  const bool anyEight = shape.n >= 8 && shape.n <= 256 && shape.n % 8 == 0;
  const bool integerN = anyEight && (shape.n % 16 == 0 || shape.n <= 24);
  if (role == MatrixRole::A)
    switch (type) {
    case F16:
    case BF16:
      return anyEight && shape.k == 16;
    case TF32:
      return anyEight && shape.k == 8;
    case E4M3:
    case E5M2:
      return anyEight && shape.k == 32;
    case S8:
    case U8:
      return integerN && shape.k == 32;
    case B1:
      return integerN && shape.k == 256;
    default:
      return false;
    }
  switch (type) {
  case F16:
    return anyEight && (shape.k == 16 || shape.k == 32);
  case F32:
    return anyEight && (shape.k == 8 || shape.k == 16 || shape.k == 32);
  case S32:
    return integerN && (shape.k == 32 || shape.k == 256);
  default:
    return false;
  }
}

/// Order in which a matrix's blocks take registers.
enum class BlockOrder { RowsFirst, ColumnsFirst };

/// Lays `map` out as a grid of blocks of `blockRows` by `blockColumns`, one
/// register each, `order` saying which direction varies fastest; `place` gives
/// the position of (lane, sub) inside a block. `registers` beyond the number
/// of blocks repeat them in turn.
template <typename Place>
void fillBlocks(FragmentMap &map, unsigned blockRows, unsigned blockColumns,
                BlockOrder order, unsigned registers, Place &&place) {
  const unsigned down = map.rows / blockRows;
  const unsigned across = map.columns / blockColumns;
  map.registers = registers;
  for (unsigned reg = 0; reg < registers; ++reg) {
    const unsigned block = reg % (down * across);
    const unsigned blockRow =
        order == BlockOrder::RowsFirst ? block % down : block / across;
    const unsigned blockColumn =
        order == BlockOrder::RowsFirst ? block / down : block % across;
    for (unsigned lane = 0; lane < map.lanes; ++lane)
      for (unsigned sub = 0; sub < map.perRegister; ++sub) {
        MatrixCoordinate at = place(lane, sub);
        at.row += uint16_t(blockRow * blockRows);
        at.column += uint16_t(blockColumn * blockColumns);
        map.coordinates.push_back(at);
      }
  }
}

void finish(FragmentMap &map) {
  map.linear.reserve(map.coordinates.size());
  for (MatrixCoordinate at : map.coordinates)
    map.linear.push_back(uint16_t(at.row * map.columns + at.column));
}

/// Row of a wgmma fragment's 16-row slab: warp w of the warpgroup holds rows
/// 16*w .. 16*w+15. Zero for a warp-level instruction.
constexpr unsigned warpRow(unsigned lane) { return lane / 32 * 16; }

FragmentMap buildMap(FragmentFamily family, MmaShape shape, ElementType type,
                     MatrixRole role) {
  FragmentMap map;
  map.lanes = family == FragmentFamily::Wgmma ? 128 : 32;
  map.bits = elementBits(type);
  map.registerBits = type == F64 ? 64 : 32;
  map.perRegister = map.registerBits / map.bits;
  map.rows = role == MatrixRole::B ? shape.k : shape.m;
  map.columns = role == MatrixRole::A ? shape.k : shape.n;
  const unsigned elements = map.perRegister;
  const unsigned depth = 4 * elements; // of K in one register's block
  const bool opaqueHalf = family == FragmentFamily::Wmma && type == F16;
  // Rows that the blocks of one warp tile.
  const unsigned allRows = map.rows;
  if (family == FragmentFamily::Wgmma)
    map.rows = 16;

  switch (role) {
  case MatrixRole::A:
    fillBlocks(map, 8, depth, BlockOrder::RowsFirst,
               opaqueHalf ? 8 : map.rows / 8 * (map.columns / depth),
               [&](unsigned lane, unsigned sub) {
                 return MatrixCoordinate{
                     uint16_t(warpRow(lane) + lane % 32 / 4),
                     uint16_t(lane % 4 * elements + sub)};
               });
    break;
  case MatrixRole::B:
    fillBlocks(map, depth, 8, BlockOrder::RowsFirst,
               opaqueHalf ? 8 : map.rows / depth * (map.columns / 8),
               [&](unsigned lane, unsigned sub) {
                 return MatrixCoordinate{uint16_t(lane % 4 * elements + sub),
                                         uint16_t(lane / 4)};
               });
    break;
  case MatrixRole::Accumulator: {
    // Two consecutive columns per lane and block: one register of f16x2, or
    // two registers of one element.
    const unsigned perBlock = 2 / elements;
    const unsigned down = map.rows / 8;
    map.registers = down * (map.columns / 8) * perBlock;
    for (unsigned reg = 0; reg < map.registers; ++reg) {
      const unsigned block = reg / perBlock;
      for (unsigned lane = 0; lane < map.lanes; ++lane)
        for (unsigned sub = 0; sub < elements; ++sub)
          map.coordinates.push_back(
              {uint16_t(warpRow(lane) + block % down * 8 + lane % 32 / 4),
               uint16_t(block / down * 8 + lane % 4 * 2 + reg % perBlock +
                        sub)});
    }
    break;
  }
  }
  map.rows = allRows;
  finish(map);
  return map;
}

/// The four products of mma.m8n8k4 (9.7.14.5.1): product p belongs to lanes
/// 4p..4p+3 (low group) and 4p+16..4p+19 (high group).
FragmentMap buildQuadPair(ElementType type, MatrixRole role, bool columnMajor) {
  FragmentMap map;
  map.bits = elementBits(type);
  map.perRegister = 32 / map.bits;
  map.rows = role == MatrixRole::B ? 4 : 32;
  map.columns = role == MatrixRole::A ? 4 : role == MatrixRole::B ? 32 : 8;
  const unsigned count = role == MatrixRole::Accumulator ? 8 : 4;
  map.registers = count / map.perRegister;
  for (unsigned reg = 0; reg < map.registers; ++reg)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned sub = 0; sub < map.perRegister; ++sub) {
        const unsigned i = reg * map.perRegister + sub;
        const unsigned product = lane % 16 / 4;
        const unsigned high = lane < 16 ? 0 : 4;
        unsigned row, column;
        if (role == MatrixRole::A) {
          row = columnMajor ? i % 4 + high : lane % 4 + high;
          column = columnMajor ? lane % 4 : i;
        } else if (role == MatrixRole::B) {
          row = columnMajor ? i : lane % 4;
          column = columnMajor ? lane % 4 + high : i + high;
        } else if (type == F16) {
          row = lane % 4 + high;
          column = i;
        } else {
          row = (lane & 1) + (i & 2) + high;
          column = (i & 4) + (lane & 2) + (i & 1);
        }
        (role == MatrixRole::B ? column : row) += product * 8;
        map.coordinates.push_back({uint16_t(row), uint16_t(column)});
      }
  finish(map);
  return map;
}

const char *familyName(FragmentFamily family) {
  switch (family) {
  case FragmentFamily::MmaSync:
    return "mma.sync";
  case FragmentFamily::Wmma:
    return "wmma";
  case FragmentFamily::Wgmma:
    break;
  }
  return "wgmma.mma_async";
}

const char *roleName(MatrixRole role) {
  switch (role) {
  case MatrixRole::A:
    return "A";
  case MatrixRole::B:
    return "B";
  case MatrixRole::Accumulator:
    break;
  }
  return "accumulator";
}

} // namespace

unsigned elementBits(ElementType type) {
  switch (type) {
  case F16:
  case BF16:
    return 16;
  case TF32:
  case F32:
  case S32:
    return 32;
  case E4M3:
  case E5M2:
  case S8:
  case U8:
    return 8;
  case S4:
  case U4:
    return 4;
  case B1:
    return 1;
  case F64:
    break;
  }
  return 64;
}

const char *elementName(ElementType type) {
  static const char *const names[] = {"f16", "bf16", "tf32", "e4m3", "e5m2",
                                      "f64", "s8",   "u8",   "s4",   "u4",
                                      "b1",  "f32",  "s32"};
  return names[unsigned(type)];
}

const FragmentMap *fragmentMap(FragmentFamily family, MmaShape shape,
                               ElementType type, MatrixRole role,
                               std::string *error) {
  bool exists = false;
  switch (family) {
  case FragmentFamily::MmaSync:
    exists = tableHas(std::begin(mmaSyncRows), std::end(mmaSyncRows), shape,
                      type, role);
    break;
  case FragmentFamily::Wmma:
    exists =
        tableHas(std::begin(wmmaRows), std::end(wmmaRows), shape, type, role);
    break;
  case FragmentFamily::Wgmma:
    exists = wgmmaHas(shape, type, role);
    break;
  }
  if (!exists) {
    if (error)
      *error = std::string(familyName(family)) + " has no shape m" +
               std::to_string(shape.m) + "n" + std::to_string(shape.n) + "k" +
               std::to_string(shape.k) + " with " + roleName(role) +
               " in registers of type " + elementName(type);
    return nullptr;
  }
  using Key = std::tuple<FragmentFamily, unsigned, unsigned, unsigned,
                         ElementType, MatrixRole>;
  static std::mutex mutex;
  static std::map<Key, std::unique_ptr<FragmentMap>> maps;
  std::lock_guard lock(mutex);
  auto &slot = maps[{family, shape.m, shape.n, shape.k, type, role}];
  if (!slot)
    slot = std::make_unique<FragmentMap>(buildMap(family, shape, type, role));
  return slot.get();
}

const FragmentMap *quadPairFragment(ElementType type, MatrixRole role,
                                    bool columnMajor) {
  using Key = std::tuple<ElementType, MatrixRole, bool>;
  static std::mutex mutex;
  static std::map<Key, std::unique_ptr<FragmentMap>> maps;
  const bool accumulator = role == MatrixRole::Accumulator;
  if (type != F16 && !(accumulator && type == F32))
    return nullptr;
  std::lock_guard lock(mutex);
  auto &slot = maps[{type, role, columnMajor && !accumulator}];
  if (!slot)
    slot =
        std::make_unique<FragmentMap>(buildQuadPair(type, role, columnMajor));
  return slot.get();
}

} // namespace gemm::emulator
