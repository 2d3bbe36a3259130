// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products in float64 together with the bound on the error that an
// instruction's arithmetic allows.
#ifndef GEMM_TOOLS_SUPPORT_REFERENCE_H
#define GEMM_TOOLS_SUPPORT_REFERENCE_H

#include "Accumulation.h"
#include "HostMatrix.h"
#include "ScalarProgram.h"

#include <cstdint>
#include <span>

namespace gemm::tools {

// Largest tile that referenceTile computes at once.
constexpr int64_t referenceTileRows = 64;
constexpr int64_t referenceTileCols = 64;

// For each of the given rows i and columns j, in row-major order of (i, j): the
// sum over k of A(rows[i], k) * B(cols[j], k) and its error bound: what
// `model` lets the device's sum differ. `a` is (m, k), `b` is (n, k).
// The bound of a partial sum that may have overflowed is infinite.
void referenceTile(const MatrixView &a, const MatrixView &b, int64_t batch,
                   std::span<const int64_t> rows, std::span<const int64_t> cols,
                   const AccumulationModel &model, BoundedValues &result);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_REFERENCE_H
