//===- Lowering.h - What the patterns of GemmToNVVM share -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_CONVERSION_GEMMTONVVM_LOWERING_H
#define GEMM_LIB_CONVERSION_GEMMTONVVM_LOWERING_H

#include "Emitter.h"

#include "mlir/Transforms/DialectConversion.h"

namespace gemm {

/// What the types of a kernel become in a thread:
///  - view: pointer, leading dimension (i64), batch stride (i64, rank 3 only);
///  - tensor map: pointer;
///  - shared tile, ring: byte address (i32);
///  - fragment: this thread's registers, elements narrower than 32 bits packed
///  into i32
///    words, low element first;
///  - token: nothing.
class GemmTypeConverter : public mlir::TypeConverter {
public:
  GemmTypeConverter();
};

/// A pattern that knows which thread it emits code for.
template <typename OpTy>
class ThreadPattern : public mlir::OpConversionPattern<OpTy> {
public:
  ThreadPattern(const mlir::TypeConverter &converter,
                mlir::MLIRContext *context, const ThreadIds &ids)
      : mlir::OpConversionPattern<OpTy>(converter, context), ids(ids) {}

protected:
  const ThreadIds &ids;
};

/// The parts of a converted view.
struct ViewParts {
  explicit ViewParts(mlir::ValueRange values)
      : pointer(values[0]),
        leading(values.size() > 1 ? values[1] : mlir::Value()),
        batchStride(values.size() > 2 ? values[2] : mlir::Value()) {}
  mlir::Value pointer, leading, batchStride;
};

/// The one value that a converted value of scalar, shared or ring type is.
inline mlir::Value single(mlir::ValueRange values) { return values.front(); }
/// The same for an operand range.
llvm::SmallVector<mlir::Value> singles(llvm::ArrayRef<mlir::ValueRange> values);

/// Pointer to element (row, col) of a matrix, or of batch `indices[0]` of a
/// batched one; `indices` is [batch,] row, col as the ops write it and `at` is
/// added to it.
mlir::Value matrixPointer(Emitter &emit, ViewType type, ViewParts view,
                          llvm::ArrayRef<mlir::Value> indices);

/// i32 words, or wider elements, that one thread's `elements` of `type` occupy.
int64_t wordCount(mlir::Type type, int64_t elements);
/// The element type of those words.
mlir::Type wordType(mlir::Type type);

void populateKernelPatterns(mlir::RewritePatternSet &,
                            const mlir::TypeConverter &, ThreadIds &);
void populateCopyPatterns(mlir::RewritePatternSet &,
                          const mlir::TypeConverter &, const ThreadIds &);
void populateRingPatterns(mlir::RewritePatternSet &,
                          const mlir::TypeConverter &, const ThreadIds &);
void populateFragmentPatterns(mlir::RewritePatternSet &,
                              const mlir::TypeConverter &, const ThreadIds &);
void populateMmaPatterns(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                         const ThreadIds &);
void populateMapPatterns(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                         const ThreadIds &);
void populateStorePatterns(mlir::RewritePatternSet &,
                           const mlir::TypeConverter &, const ThreadIds &);
void populateSyncPatterns(mlir::RewritePatternSet &,
                          const mlir::TypeConverter &, const ThreadIds &);

/// Operands of a `gemm.mma` in registers or as shared addresses, and its
/// accumulators.
struct MmaOperands {
  llvm::SmallVector<mlir::Value> a, b, acc;
};
/// Whether the fragments of a mma are where its instruction has them; a
/// diagnostic on the op if not.
mlir::LogicalResult checkFragments(MmaOp op);

/// One instruction kind each: emits the multiplication and replaces
/// `operands.acc` by the new accumulators.
mlir::LogicalResult emitFma(MmaOp op, Emitter &emit, MmaOperands &operands);
mlir::LogicalResult emitMmaSync(MmaOp op, Emitter &emit, MmaOperands &operands);
mlir::LogicalResult emitWgmma(MmaOp op, Emitter &emit, MmaOperands &operands,
                              const ThreadIds &ids);

/// Places every shared tile and ring of a kernel: byte offsets as the attribute
/// `gemm.offset` of their ops. Tiles that are never in use at once share bytes.
/// Returns the bytes needed; fails, with a diagnostic, on tiles whose uses
/// cannot be ordered.
mlir::FailureOr<int64_t> planSharedMemory(KernelOp kernel);

/// The entry of the kernel artifact that describes `kernel` (docs/Artifact.md).
mlir::FailureOr<mlir::DictionaryAttr> describeEntry(KernelOp kernel,
                                                    int64_t sharedBytes);

/// Name of the module's dynamic shared memory.
inline constexpr llvm::StringLiteral sharedSymbol = "gemm_shared";

} // namespace gemm

#endif // GEMM_LIB_CONVERSION_GEMMTONVVM_LOWERING_H
