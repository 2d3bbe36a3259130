// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The read-modify-write operations that atom, red, red.async,
// cp.reduce.async.bulk and cp.reduce.async.bulk.tensor share.
#ifndef GEMM_EMULATOR_OPS_REDUCE_H
#define GEMM_EMULATOR_OPS_REDUCE_H

#include "../Syntax.h"
#include "../TensorMap.h"

namespace gemm::emulator {

enum class ReduceOp : uint8_t {
  Add,
  Inc,
  Dec,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exch,
  Cas
};

/// Whether PTX has the operation on the type.
bool reducible(ReduceOp op, Type type);
/// What the operation works on in a tensor of these elements; None if it has no
/// such operation.
Type tensorReduceType(ReduceOp op, TensorMapType elements);
/// The new value from the old one; `c` is the third operand of cas.
uint64_t reduceValue(ReduceOp op, Type type, uint64_t old, uint64_t b,
                     uint64_t c = 0);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_OPS_REDUCE_H
