// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TensorCore.h"
#include "TensorCoreDetail.h"

namespace gemm::emulator {

namespace {

using enum ElementType;

/// Whether the hardware multiplies `a` by `b`.
bool canMultiply(ElementType a, ElementType b) {
  const auto isByte = [](ElementType t) { return t == S8 || t == U8; };
  const auto isNibble = [](ElementType t) { return t == S4 || t == U4; };
  if (detail::isFp8(a))
    return detail::isFp8(b);
  if (isByte(a))
    return isByte(b);
  if (isNibble(a))
    return isNibble(b);
  return a == b && a != F32 && a != S32;
}

/// Whether products of `multiplicand` can accumulate in `type`.
bool canAccumulate(ElementType multiplicand, ElementType type) {
  switch (multiplicand) {
  case F16:
  case E4M3:
  case E5M2:
    return type == F16 || type == F32;
  case BF16:
  case TF32:
    return type == F32;
  case F64:
    return type == F64;
  default:
    return type == S32;
  }
}

bool isFloating(ElementType type) {
  return type == F16 || type == BF16 || type == TF32 || detail::isFp8(type);
}

std::string describe(const TensorOperationSpec &spec) {
  return std::string(spec.instruction == TensorInstruction::Wgmma
                         ? "wgmma.mma_async"
                         : "mma.sync") +
         ".m" + std::to_string(spec.shape.m) + "n" +
         std::to_string(spec.shape.n) + "k" + std::to_string(spec.shape.k) +
         "." + elementName(spec.dType) + "." + elementName(spec.aType) + "." +
         elementName(spec.bType) + "." + elementName(spec.cType);
}

} // namespace

std::optional<TensorOperation>
TensorOperation::create(const TensorOperationSpec &spec, std::string *error) {
  const auto refuse = [&](const std::string &reason) {
    if (error)
      *error = describe(spec) + ": " + reason;
    return std::nullopt;
  };
  const MmaShape &shape = spec.shape;
  // The limits keep every index and integer sum in range; the shapes that
  // exist are fragmentMap's business.
  if (shape.m == 0 || shape.n == 0 || shape.k == 0 || shape.n % 8 != 0 ||
      shape.m > 256 || shape.n > 256 || shape.k > 256)
    return refuse("M, N and K must be 1 to 256 and N a multiple of 8");
  if (!canMultiply(spec.aType, spec.bType))
    return refuse("no tensor core multiplies these two types");
  if (!canAccumulate(spec.aType, spec.cType) ||
      !canAccumulate(spec.aType, spec.dType))
    return refuse("these multiplicands do not accumulate in this type");
  if ((spec.negateA || spec.negateB) && !isFloating(spec.aType))
    return refuse("only floating-point multiplicands below f64 can be negated");
  if (spec.saturate && spec.dType != S32)
    return refuse(".satfinite needs an integer accumulator");

  TensorOperation result;
  result.operation = spec;
  if (isFloating(spec.aType)) {
    std::string reason;
    std::optional<TensorCoreModel> model = tensorCoreModel(
        spec.family, spec.instruction, spec.aType, shape, &reason);
    if (!model)
      return refuse(reason);
    if (shape.k % model->stepLength != 0)
      return refuse("K must be a multiple of the " +
                    std::to_string(model->stepLength) +
                    " products of one fused step");
    if (model->expansion == TensorExpansion::Fp8ToF16 && shape.k % 4 != 0)
      return refuse("K must be a multiple of 4");
    result.arithmetic = *model;
  }
  return result;
}

void TensorOperation::run(const uint32_t *a, const uint32_t *b,
                          const uint32_t *c, uint32_t *d) const {
  if (arithmetic.expansion == TensorExpansion::MultiplyAdds)
    detail::runMultiplyAdds(operation, a, b, c, d);
  else if (isFloating(operation.aType))
    detail::runFused(operation, arithmetic, a, b, c, d);
  else
    detail::runInteger(operation, a, b, c, d);
}

void TensorOperation::run(const uint64_t *a, const uint64_t *b,
                          const uint64_t *c, uint64_t *d) const {
  detail::runDouble(operation, a, b, c, d);
}

} // namespace gemm::emulator
