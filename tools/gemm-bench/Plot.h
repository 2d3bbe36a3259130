// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_BENCH_PLOT_H
#define GEMM_BENCH_PLOT_H

#include "Record.h"

#include <string>
#include <vector>

namespace gemm::bench {

// An SVG 1.1 document with two drawings: the roofline with our kernels and
// cuBLASLt's best ones, both axes logarithmic; below it our speed over
// cuBLASLt's with its range, one line for each row. Rows without a time in
// `state` are left out.
std::string plotRows(const std::vector<Row> &rows, PowerState state);

} // namespace gemm::bench

#endif // GEMM_BENCH_PLOT_H
