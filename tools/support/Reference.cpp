// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

// The inner loops below are written in vectors of eight doubles; compiled for
// several instruction sets, the best one is taken at run time.
#if defined(__x86_64__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define GEMM_VECTOR_CLONES                                                     \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#endif
#ifndef GEMM_VECTOR_CLONES
#define GEMM_VECTOR_CLONES
#endif

namespace gemm::tools {
namespace {

constexpr int lanes = 8;
typedef double Vector __attribute__((vector_size(lanes * sizeof(double))));
typedef int64_t Mask __attribute__((vector_size(lanes * sizeof(double))));

// K values handled between two packings: a multiple of every step length, and
// both packed panels stay in the second-level cache.
constexpr int64_t kBlock = 256;

// One row of A against `lanes` columns of B over up to kBlock values of k.
struct RowTask {
  const double *a; // a[k]
  const double *b; // b[k * lanes + lane]
  int64_t depth;
  double *sum, *error, *peak; // [lane], updated in place
};

GEMM_VECTOR_CLONES void accumulate(const RowTask &task,
                                   const AccumulationModel &model) {
  Vector sum, error, peak;
  std::memcpy(&sum, task.sum, sizeof(sum));
  std::memcpy(&error, task.error, sizeof(error));
  std::memcpy(&peak, task.peak, sizeof(peak));
  const Mask magnitude = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX,
                          INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  if (model.exact) {
    for (int64_t k = 0; k < task.depth; ++k) {
      Vector b;
      std::memcpy(&b, task.b + k * lanes, sizeof(b));
      sum += task.a[k] * b;
    }
    std::memcpy(task.sum, &sum, sizeof(sum));
    return;
  }
  for (int64_t k = 0; k < task.depth; k += model.termsPerStep) {
    int64_t end = std::min<int64_t>(k + model.termsPerStep, task.depth);
    Vector largest = (Vector)((Mask)sum & magnitude) + error;
    for (int64_t i = k; i < end; ++i) {
      Vector b;
      std::memcpy(&b, task.b + i * lanes, sizeof(b));
      Vector product = task.a[i] * b;
      sum += product;
      Vector size = (Vector)((Mask)product & magnitude);
      largest = size > largest ? size : largest;
    }
    double cut = static_cast<double>(end - k + 1) * model.alignmentUnit;
    error += cut * largest;
    Vector size = (Vector)((Mask)sum & magnitude) + error;
    error += model.outputUnit * size + model.smallest;
    peak = size > peak ? size : peak;
  }
  std::memcpy(task.sum, &sum, sizeof(sum));
  std::memcpy(task.error, &error, sizeof(error));
  std::memcpy(task.peak, &peak, sizeof(peak));
}

// Rows `indices` of a (line, k) matrix over [k0, k0 + depth), each a
// contiguous run of kBlock doubles.
void packRows(const MatrixView &matrix, int64_t batch,
              std::span<const int64_t> indices, int64_t k0, int64_t depth,
              double *packed) {
  const MatrixLayout &layout = matrix.layout;
  auto size = static_cast<int64_t>(elementSize(matrix.type));
  int64_t stride = layout.columnMajor ? layout.leadingDimension : 1;
  for (size_t i = 0; i < indices.size(); ++i)
    decodeElements(matrix.type,
                   matrix.data + layout.offset(batch, indices[i], k0) * size,
                   stride, depth, packed + i * kBlock);
}

// Interleaves `lanes` rows of a packed panel: out[k * lanes + lane].
void interleave(const double *packed, int64_t rows, int64_t depth,
                double *out) {
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t k = 0; k < depth; ++k)
      out[k * lanes + lane] = lane < rows ? packed[lane * kBlock + k] : 0.0;
}

struct Scratch {
  std::vector<double> aPanel, bPanel, bLanes, sum, error, peak;
};

} // namespace

void referenceTile(const MatrixView &a, const MatrixView &b, int64_t batch,
                   std::span<const int64_t> rows, std::span<const int64_t> cols,
                   const AccumulationModel &model, BoundedValues &result) {
  static thread_local Scratch scratch;
  auto rowCount = static_cast<int64_t>(rows.size());
  auto colCount = static_cast<int64_t>(cols.size());
  int64_t groups = (colCount + lanes - 1) / lanes;
  int64_t cells = rowCount * groups * lanes;
  int64_t depth = a.layout.cols;
  scratch.aPanel.resize(rowCount * kBlock);
  scratch.bPanel.resize(lanes * kBlock);
  scratch.bLanes.resize(groups * lanes * kBlock);
  scratch.sum.assign(cells, 0);
  scratch.error.assign(cells, 0);
  scratch.peak.assign(cells, 0);

  for (int64_t k0 = 0; k0 < depth; k0 += kBlock) {
    int64_t block = std::min(kBlock, depth - k0);
    packRows(a, batch, rows, k0, block, scratch.aPanel.data());
    for (int64_t group = 0; group < groups; ++group) {
      int64_t first = group * lanes;
      int64_t count = std::min<int64_t>(lanes, colCount - first);
      packRows(b, batch, cols.subspan(first, count), k0, block,
               scratch.bPanel.data());
      interleave(scratch.bPanel.data(), count, block,
                 scratch.bLanes.data() + first * kBlock);
    }
    for (int64_t row = 0; row < rowCount; ++row) {
      for (int64_t group = 0; group < groups; ++group) {
        int64_t cell = (row * groups + group) * lanes;
        accumulate({scratch.aPanel.data() + row * kBlock,
                    scratch.bLanes.data() + group * lanes * kBlock, block,
                    scratch.sum.data() + cell, scratch.error.data() + cell,
                    scratch.peak.data() + cell},
                   model);
      }
    }
  }

  result.resize(static_cast<size_t>(rowCount * colCount));
  for (int64_t row = 0; row < rowCount; ++row) {
    for (int64_t col = 0; col < colCount; ++col) {
      int64_t cell = row * groups * lanes + col;
      double value = scratch.sum[cell];
      double error = scratch.error[cell];
      if (model.wraps32 && std::abs(value) < 0x1p53)
        value = static_cast<int32_t>(static_cast<int64_t>(value));
      if (scratch.peak[cell] >= model.overflow)
        error = std::numeric_limits<double>::infinity();
      if (!std::isfinite(value))
        error = 0;
      int64_t out = row * colCount + col;
      result.value[out] = value;
      result.error[out] = error;
    }
  }
}

} // namespace gemm::tools
