// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Overlap.h"
#include "Error.h"

using namespace gemm::runtime;

namespace {

/// The bytes of an operand: `batches` times `lines` lines of `line` bytes.
struct Footprint {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t line = 0;
  uint64_t lines = 1;
  uint64_t pitch = 0; ///< between lines; 0 if there is only one
  uint64_t batches = 1;
  uint64_t batchPitch = 0; ///< 0 if there is only one batch
};

} // namespace

static Footprint footprint(const Problem &problem, size_t index) {
  const Operand &shape = problem.artifact().operands[index];
  const gemm_operand &value = problem.operand(index);
  const uint64_t bytes = elementBytes(shape.type);
  Footprint result;
  result.begin = reinterpret_cast<uintptr_t>(value.data);
  bool overflow = false;
  // a * b, noting overflow.
  auto times = [&overflow](uint64_t a, uint64_t b) {
    uint64_t product = 0;
    overflow |= __builtin_mul_overflow(a, b, &product);
    return product;
  };
  auto plus = [&overflow](uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    overflow |= __builtin_add_overflow(a, b, &sum);
    return sum;
  };
  uint64_t lineLength = 1;
  if (shape.rank == 1)
    lineLength = problem.extent(shape.dims[0]);
  if (shape.rank == 2) {
    lineLength = problem.extent(shape.contiguousDim());
    result.lines = problem.extent(shape.stridedDim());
    if (result.lines > 1)
      result.pitch = times(value.leading_dimension, bytes);
  }
  result.line = times(lineLength, bytes);
  result.batches = problem.batches(index);
  if (result.batches > 1)
    result.batchPitch = times(value.batch_stride, bytes);
  uint64_t lastLine = times(result.lines - 1, result.pitch);
  uint64_t lastBatch = times(result.batches - 1, result.batchPitch);
  result.end = plus(result.begin, plus(lastBatch, plus(lastLine, result.line)));
  if (overflow)
    throw Error(GEMM_ERROR_INVALID_ARGUMENT,
                shape.name + " does not fit into the address space: check its "
                             "leading dimension and batch stride");
  return result;
}

/// Whether the operands are columns of one wider matrix: with a common pitch,
/// lines that do not meet modulo the pitch never meet.
static bool sideBySide(const Footprint &a, const Footprint &b) {
  uint64_t pitch = a.pitch ? a.pitch : b.pitch;
  auto onPitch = [pitch](const Footprint &f) {
    return (f.pitch == 0 || f.pitch == pitch) && f.batchPitch % pitch == 0;
  };
  if (pitch == 0 || !onPitch(a) || !onPitch(b))
    return false;
  uint64_t distance = (b.begin % pitch + pitch - a.begin % pitch) % pitch;
  return distance >= a.line && distance + b.line <= pitch;
}

/// Whether two batches of a matrix share an element. Batches lie one behind the
/// other or side by side in the lines.
static bool overlapsItself(const Footprint &d) {
  if (d.batches == 1)
    return false;
  bool behind = d.batchPitch >= (d.lines - 1) * d.pitch + d.line;
  bool inLine = d.batchPitch >= d.line &&
                (d.batches - 1) * d.batchPitch + d.line <= d.pitch;
  return !behind && !inLine;
}

static bool isSameMatrix(const Problem &problem, size_t d, size_t other) {
  const Operand &shapeD = problem.artifact().operands[d];
  const Operand &shape = problem.artifact().operands[other];
  const gemm_operand &valueD = problem.operand(d);
  const gemm_operand &value = problem.operand(other);
  return shape.role == GEMM_ROLE_EPILOGUE && shape.rank == 2 &&
         shape.columnMajor == shapeD.columnMajor &&
         elementBytes(shape.type) == elementBytes(shapeD.type) &&
         value.data == valueD.data &&
         value.leading_dimension == valueD.leading_dimension &&
         shape.batched == shapeD.batched &&
         (problem.batches(d) == 1 || value.batch_stride == valueD.batch_stride);
}

void gemm::runtime::checkOverlap(const Problem &problem) {
  const std::vector<Operand> &operands = problem.artifact().operands;
  for (size_t d = 0; d < operands.size(); ++d) {
    if (operands[d].role != GEMM_ROLE_D)
      continue;
    Footprint written = footprint(problem, d);
    if (overlapsItself(written))
      throw Error(GEMM_ERROR_OVERLAP,
                  "the batches of " + operands[d].name +
                      " overlap: its batch stride " +
                      std::to_string(problem.operand(d).batch_stride) +
                      " is too small");
    for (size_t other = 0; other < operands.size(); ++other) {
      // Two outputs are compared once.
      if (other == d || !problem.isAccessed(other) ||
          (operands[other].role == GEMM_ROLE_D && other < d))
        continue;
      Footprint used = footprint(problem, other);
      bool meets = written.begin < used.end && used.begin < written.end &&
                   !sideBySide(written, used);
      if (!meets || isSameMatrix(problem, d, other))
        continue;
      bool mayBeSame = operands[other].role == GEMM_ROLE_EPILOGUE &&
                       operands[other].rank == 2;
      throw Error(GEMM_ERROR_OVERLAP,
                  operands[d].name + " overlaps " + operands[other].name +
                      (mayBeSame
                           ? ": they must be disjoint or exactly the same "
                             "(pointer, element size, order, leading dimension "
                             "and batch stride)"
                           : ": they must be disjoint"));
    }
  }
}
