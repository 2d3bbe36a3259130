//===- KernelRules.cpp - What of a gemm.matmul has kernels ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/IR/KernelRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace gemm {

using Error = std::optional<std::string>;

template <typename... Args>
static Error refuse(const char *format, Args &&...args) {
  return llvm::formatv(format, std::forward<Args>(args)...).str();
}

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Types of which a thread's registers hold numbers.
static bool isNumber(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
         type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

/// Elements that an epilogue reads or writes.
static Error getElementError(Type type) {
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
      type.isSignlessInteger(8) || type.isSignlessInteger(32))
    return std::nullopt;
  return refuse("has elements of {0}; an epilogue reads and writes f16, bf16, "
                "f32, f64, i8 and i32",
                print(type));
}

static Error getExtentError(Type type) {
  for (int64_t extent : cast<ShapedType>(type).getShape())
    if (!ShapedType::isDynamic(extent) && extent > largestExtent)
      return refuse(
          "has an extent of {0}; the largest that kernels count to is "
          "{1}: split it",
          extent, largestExtent);
  return std::nullopt;
}

/// The matrix of `map` has to lie in lines of one of `row` and `col`.
static Error getOrderError(Type type, AffineMap map, unsigned row,
                           unsigned col) {
  unsigned numBatch = map.getNumDims() - 3;
  if (getMatrixOrder(type, map, row, col))
    return std::nullopt;
  return refuse(
      "of type '{0}' does not say which of {1} and {2} is contiguous; "
      "give its layout a stride of 1",
      print(type), describeDim(row, numBatch), describeDim(col, numBatch));
}

Error getKernelBatchError(unsigned numBatch) {
  if (numBatch > 1)
    return "more than one batch dimension; collapse them first";
  return std::nullopt;
}

Error getKernelProblemError(MatmulOp matmul) {
  if (matmul.getBs().size() != 1)
    return "more than one B; kernels compute one product: split it into a "
           "gemm.matmul per B";
  if (matmul.getAScale() || !matmul.getBScales().empty())
    return "block scales, which no kernel applies yet";
  if (!matmul.getConversions().empty())
    return "operand conversions, which no kernel applies yet";
  if (matmul.getPromotionInterval())
    return "a promotion interval, which no kernel observes yet";
  if (matmul.getOuts().size() != 1)
    return "more than one result; kernels write one: split it into a "
           "gemm.matmul "
           "per result";
  return getKernelBatchError(matmul.getNumBatchDims());
}

Error getKernelMatrixError(MatrixRole role, Type type, AffineMap map) {
  unsigned m = map.getNumDims() - 3, n = m + 1, k = m + 2;
  if (Error error = getExtentError(type))
    return error;
  if (role == MatrixRole::D)
    if (Error error = getElementError(getElementTypeOrSelf(type)))
      return error;
  return getOrderError(type, map, role == MatrixRole::B ? n : m,
                       role == MatrixRole::D ? n : k);
}

Error getKernelEpilogueError(Type type, AffineMap map) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped) {
    if (isNumber(type) && isa<FloatType>(type))
      return std::nullopt;
    return refuse("is a scalar of type '{0}'; kernels take floating-point "
                  "scalars up to 64 bits, convert it first",
                  print(type));
  }
  if (Error error = getElementError(shaped.getElementType()))
    return error;
  if (Error error = getExtentError(type))
    return error;
  unsigned numBatch = map.getNumDims() - 3;
  unsigned batched = llvm::count_if(map.getResults(), [&](AffineExpr expr) {
    return cast<AffineDimExpr>(expr).getPosition() < numBatch;
  });
  switch (map.getNumResults() - batched) {
  case 0:
    if (!batched)
      return "is a single element; pass it as a scalar";
    return "is an element per batch; kernels read matrices, and vectors for "
           "all "
           "batches";
  case 1: {
    if (batched)
      return "is a vector per batch; kernels read one vector for all batches";
    auto memref = dyn_cast<MemRefType>(type);
    SmallVector<int64_t> strides;
    int64_t offset;
    if (memref && (failed(memref.getStridesAndOffset(strides, offset)) ||
                   strides.front() != 1))
      return refuse(
          "of type '{0}' must have a stride of 1: kernels read vectors "
          "without gaps",
          print(type));
    return std::nullopt;
  }
  default:
    return getOrderError(type, map, numBatch, numBatch + 1);
  }
}

Error getKernelScalarOpError(Operation &op) {
  // What NVPTX has instructions for, or expands without a library.
  bool known = isa<arith::ArithDialect>(op.getDialect()) ||
               isa<math::AbsFOp, math::CeilOp, math::Exp2Op, math::FloorOp,
                   math::FmaOp, math::SqrtOp>(op);
  bool elementwise = op.hasTrait<OpTrait::ConstantLike>() ||
                     OpTrait::hasElementwiseMappableTraits(&op);
  if (!known || !elementwise || op.getNumResults() != 1)
    return "in an epilogue has no GPU lowering; use arith ops and math.absf, "
           "ceil, exp2, floor, fma, sqrt";
  auto types = llvm::to_vector(op.getOperandTypes());
  llvm::append_range(types, op.getResultTypes());
  for (Type type : types)
    if (!isNumber(type))
      return refuse("in an epilogue computes with {0}; threads compute with "
                    "f16, bf16, f32, f64 and integers up to i64",
                    print(type));
  // PTX ISA, "ex2": f32 and narrower only.
  if (isa<math::Exp2Op>(op) && op.getResult(0).getType().isF64())
    return "in an epilogue has no GPU lowering for f64; compute it in f32";
  // LLVM's NVPTX backend rounds to nearest, whatever the op asks for.
  if (auto rounding = dyn_cast<arith::ArithRoundingModeInterface>(op))
    if (auto mode = rounding.getRoundingModeAttr();
        mode && mode.getValue() != arith::RoundingMode::to_nearest_even)
      return refuse("in an epilogue rounds {0}, and threads round to nearest, "
                    "ties to even",
                    arith::stringifyRoundingMode(mode.getValue()));
  return std::nullopt;
}

} // namespace gemm
