// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Problem.h"
#include "Error.h"
#include "Overlap.h"

#include <cstdio>

using namespace gemm::runtime;

[[noreturn]] static void fail(const std::string &message) {
  throw Error(GEMM_ERROR_INVALID_ARGUMENT, message);
}

/// `given` arguments of a kind where the signature has `wanted`.
static void checkCount(const Artifact &artifact, const char *kind, size_t given,
                       size_t wanted, const void *array) {
  if (given != wanted)
    fail("kernel " + artifact.name + " has " + std::to_string(wanted) + " " +
         kind + ", got " + std::to_string(given));
  if (wanted && !array)
    fail(std::string("the problem's array of ") + kind + " is NULL");
}

Problem::Problem(const Artifact &artifact, const gemm_problem &problem)
    : signature(&artifact), arguments(&problem),
      extents{problem.m, problem.n, problem.k, problem.batch} {
  checkCount(artifact, "operands", problem.num_operands,
             artifact.operands.size(), problem.operands);
  checkCount(artifact, "scalars", problem.num_scalars, artifact.scalars.size(),
             problem.scalars);
  checkExtents();
  if (isEmpty())
    return;
  for (size_t i = 0; i < artifact.operands.size(); ++i)
    if (isAccessed(i))
      checkOperand(i);
  checkOverlap(*this);
}

bool Problem::isEmpty() const {
  return extents[GEMM_DIM_M] == 0 || extents[GEMM_DIM_N] == 0 ||
         extents[GEMM_DIM_BATCH] == 0;
}

bool Problem::isAccessed(size_t index) const {
  const Operand &operand = signature->operands[index];
  if (isEmpty())
    return false;
  if (operand.role == GEMM_ROLE_A || operand.role == GEMM_ROLE_B)
    return extents[GEMM_DIM_K] != 0;
  return operand.unusedIfZero < 0 || scalar(operand.unusedIfZero) != 0;
}

int64_t Problem::batches(size_t index) const {
  return signature->operands[index].batched ? extents[GEMM_DIM_BATCH] : 1;
}

void Problem::checkExtents() const {
  for (gemm_dim dim : {GEMM_DIM_M, GEMM_DIM_N, GEMM_DIM_K, GEMM_DIM_BATCH}) {
    int64_t value = extents[dim];
    const std::string name = dimName(dim);
    if (value < 0)
      fail(name + " is negative: " + std::to_string(value));
    if (value > GEMM_MAX_EXTENT)
      fail(name + " = " + std::to_string(value) +
           " exceeds the largest extent " + std::to_string(GEMM_MAX_EXTENT));
    std::optional<int64_t> fixed = signature->staticExtents[dim];
    if (fixed && *fixed != value)
      fail("kernel " + signature->name + " is compiled for " + name + " = " +
           std::to_string(*fixed) + ", got " + std::to_string(value));
  }
  if (!signature->batched && extents[GEMM_DIM_BATCH] != 1)
    fail("kernel " + signature->name +
         " is not batched: batch must be 1, got " +
         std::to_string(extents[GEMM_DIM_BATCH]));
}

void Problem::checkOperand(size_t index) const {
  const Operand &shape = signature->operands[index];
  const gemm_operand &value = operand(index);
  if (!value.data)
    fail(shape.name + " is NULL");
  if (reinterpret_cast<uintptr_t>(value.data) % elementBytes(shape.type) != 0) {
    char address[32];
    std::snprintf(address, sizeof address, "%p", value.data);
    fail(shape.name + " must be aligned to its element type " +
         elementTypeName(shape.type) + " (" +
         std::to_string(elementBytes(shape.type)) + " bytes), got address " +
         address);
  }
  if (shape.rank == 2 &&
      value.leading_dimension < extent(shape.contiguousDim()))
    fail(shape.name + "'s leading dimension " +
         std::to_string(value.leading_dimension) + " is smaller than its " +
         (shape.columnMajor ? "columns (" : "rows (") +
         dimName(shape.contiguousDim()) + " = " +
         std::to_string(extent(shape.contiguousDim())) + ")");
  if (batches(index) > 1 && value.batch_stride < 0)
    fail(shape.name +
         "'s batch stride is negative: " + std::to_string(value.batch_stride));
}
