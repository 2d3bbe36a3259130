//===- Emitter.h - Arithmetic of a thread -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_CONVERSION_GEMMTONVVM_EMITTER_H
#define GEMM_LIB_CONVERSION_GEMMTONVVM_EMITTER_H

#include "Gemm/IR/Gemm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace gemm {

/// Who a thread is, computed once at the top of a kernel.
struct ThreadIds {
  mlir::Value thread; // i32, in the CTA
  mlir::Value lane;   // i32, in the warp
  mlir::Value warp;   // i32, the same register value in all lanes
  int64_t count = 0;  // threads of the CTA
};

/// A (row, column) of i32 values; null stands for zero.
struct CoordValue {
  mlir::Value row, col;
};

/// Short forms of the ops that index arithmetic is made of. Shared memory is
/// 32-bit bytes; global memory is 64-bit.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b);
  /// Unsigned division and remainder.
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, int64_t b);
  mlir::Value rem(mlir::Value a, int64_t b);
  mlir::Value bitAnd(mlir::Value a, int64_t b);
  mlir::Value bitOr(mlir::Value a, mlir::Value b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value shl(mlir::Value a, int64_t b);
  mlir::Value shr(mlir::Value a, int64_t b);
  /// Signed.
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, mlir::Value b);
  mlir::Value lessEqual(mlir::Value a, mlir::Value b);
  mlir::Value equal(mlir::Value a, int64_t b);
  mlir::Value select(mlir::Value c, mlir::Value a, mlir::Value b);
  /// i32 to i64, for values that are not negative.
  mlir::Value extend(mlir::Value a);

  /// A pointer to a byte address in shared memory.
  mlir::Value sharedPointer(mlir::Value address);
  /// `pointer` moved by bytes (i64 or i32 value).
  mlir::Value offset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value offset(mlir::Value pointer, int64_t bytes);

  /// Runs `then` in an scf.if.
  void when(mlir::Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise = nullptr);

  /// The position that one hardware index contributes.
  CoordValue part(const layout::Distribution &distribution, layout::Level level,
                  mlir::Value index);
  /// The position of a thread's register 0.
  CoordValue base(const layout::Distribution &distribution,
                  const ThreadIds &ids);
  CoordValue plus(CoordValue a, CoordValue b);
  /// Adds a constant position.
  CoordValue plus(CoordValue a, layout::Coord b);
  /// `value`, or zero for null.
  mlir::Value orZero(mlir::Value value) { return value ? value : i32(0); }

  /// Byte offset of a position in a shared tile.
  mlir::Value offset(const layout::SharedLayout &layout, CoordValue position);
};

/// Addresses of the elements of a shared tile that a cooperative access
/// touches: what depends on the thread is computed once, what depends on the
/// register folds into an XOR and an immediate.
class SharedAddress {
public:
  /// `tile`: address of the tile, i32. `base`: the thread's position; `bases`:
  /// all the positions it takes over the threads of the CTA.
  SharedAddress(Emitter &emit, mlir::Value tile,
                const layout::SharedLayout &layout, CoordValue base,
                llvm::SmallVector<layout::Coord> bases);

  /// Pointer to the element at base + `constant`.
  mlir::Value pointer(layout::Coord constant);

  /// The largest power of two, at most `limit` bytes, that divides the offsets
  /// of base + each of `constants`.
  int64_t alignment(llvm::ArrayRef<layout::Coord> constants,
                    int64_t limit) const;

private:
  Emitter &emit;
  mlir::Value tile;
  layout::SharedLayout layout;
  CoordValue base;
  llvm::SmallVector<layout::Coord> bases;
  mlir::Value baseOffset;
};

/// The positions of register 0 over all threads of a distribution.
llvm::SmallVector<layout::Coord>
threadPositions(const layout::Distribution &distribution);

} // namespace gemm

#endif // GEMM_LIB_CONVERSION_GEMMTONVVM_EMITTER_H
