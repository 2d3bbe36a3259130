// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows as text: an aligned table, comma-separated values, a ladder.
#ifndef GEMM_BENCH_TABLE_H
#define GEMM_BENCH_TABLE_H

#include "Record.h"

#include <string>
#include <vector>

namespace gemm::bench {

// Columns padded to the widest cell; the first column to the left, the others
// to the right except those whose head starts with '<'.
std::string alignedTable(const std::vector<std::vector<std::string>> &cells);

// One line for each variant of each row, a block for each group.
std::string rowTable(const std::vector<Row> &rows);

// Variants of one row from the first to the last, each with its speed-up over
// the one before.
std::string ladderTable(const Row &row);

// RFC 4180, with a head; SI units.
std::string rowsToCsv(const std::vector<Row> &rows);

} // namespace gemm::bench

#endif // GEMM_BENCH_TABLE_H
