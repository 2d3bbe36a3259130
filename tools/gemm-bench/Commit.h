// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_BENCH_COMMIT_H
#define GEMM_BENCH_COMMIT_H

namespace gemm::bench {

// The commit that this program was built from, with "-dirty" if files differed
// from it; "unknown" if the sources were no git checkout.
const char *commitOfBuild();

} // namespace gemm::bench

#endif // GEMM_BENCH_COMMIT_H
