//===- Fragments.cpp - Registers of the multiply-accumulate operands ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f64", ".m8n8k16", ".m16n8k4",
// ".m16n8k8", ".m16n8k16", ".m16n8k32", and "Register Fragments and Shared
// Memory Matrix Layouts" of wgmma.mma_async.m64n8k16 and its siblings. All of
// them are the same few digits: four lanes side by side along the contiguous
// direction, eight groups of lanes down the rows, and registers for the rest.
//
//===----------------------------------------------------------------------===//

#include "Gemm/Target/Target.h"

namespace gemm {

using layout::Coord;
using layout::Digit;
using layout::Distribution;

namespace {

/// Digits of one index; extents of one are left out.
struct Digits : llvm::SmallVector<Digit, 4> {
  Digits &add(int64_t extent, Coord stride) {
    if (extent > 1)
      push_back({extent, stride});
    return *this;
  }
};

} // namespace

/// A (rows x k) or B (8 x k) of mma.sync: a lane holds `packed` neighbours
/// along k per 32-bit register (one f64 in two), first for the rows in steps of
/// eight, then along k.
static Distribution multiplicand(int64_t rows, int64_t k, int64_t packed) {
  Digits registers, lanes;
  registers.add(packed, {0, 1})
      .add(rows / 8, {8, 0})
      .add(k / (4 * packed), {0, 4 * packed});
  lanes.add(4, {0, packed}).add(8, {1, 0});
  return Distribution(registers, lanes, {});
}

/// C and D of mma.sync and of one warp of wgmma: pairs along n, first for the
/// rows in steps of eight, then along n.
static Distribution accumulator(int64_t rows, int64_t n) {
  Digits registers, lanes;
  registers.add(2, {0, 1}).add(rows / 8, {8, 0}).add(n / 8, {0, 8});
  lanes.add(4, {0, 2}).add(8, {1, 0});
  return Distribution(registers, lanes, {});
}

FragmentLayouts getFragments(InstructionKind kind, int64_t m, int64_t n,
                             int64_t k, int64_t elementBits) {
  switch (kind) {
  case InstructionKind::Fma:
    return {};
  case InstructionKind::MmaSync: {
    // tf32 is a 32-bit register of which 19 bits count.
    int64_t packed = elementBits <= 16 ? 32 / elementBits : 1;
    if ((m != 8 && m != 16) || n != 8 || k < 4 * packed || k % (4 * packed))
      return {};
    return {multiplicand(m, k, packed), multiplicand(n, k, packed),
            accumulator(m, n)};
  }
  case InstructionKind::Wgmma: {
    if (m != 64 || n < 8 || n % 8)
      return {};
    FragmentLayouts fragments;
    fragments.c = accumulator(16, n).repeated(layout::Level::Warp, 4, {16, 0});
    return fragments;
  }
  }
  return {};
}

} // namespace gemm
