// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime would launch for a problem of a kernel artifact.
#ifndef GEMM_TEST_MUTATE_RECORDLAUNCH_H
#define GEMM_TEST_MUTATE_RECORDLAUNCH_H

#include "Launch.h"

namespace gemm::mutate {

struct ProblemSize {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  int64_t multiple = 1; ///< that leading dimensions are rounded up to
  bool inPlace = false; ///< D is the first epilogue matrix
};

/// Draws operands from `seed`. Throws std::runtime_error with the reason if the
/// runtime refuses the artifact or the problem.
Launch recordLaunch(const std::string &artifact, const ProblemSize &size,
                    uint64_t seed);

} // namespace gemm::mutate

#endif // GEMM_TEST_MUTATE_RECORDLAUNCH_H
