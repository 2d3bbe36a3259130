// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch of PTX that is no artifact of ours, described on the command line.
#ifndef GEMM_TEST_MUTATE_DESCRIBELAUNCH_H
#define GEMM_TEST_MUTATE_DESCRIBELAUNCH_H

#include "Launch.h"

namespace gemm::mutate {

struct LaunchText {
  std::string entry; ///< empty: the only one
  std::vector<uint32_t> grid{1}, block{32}, cluster{1};
  size_t sharedBytes = 0;
  /// One a parameter: u32=N, u64=N, f32=X; random=TYPE:ELEMENTS (f16, bf16, f32
  /// or f64, in [-1, 1)), zero=BYTES, out=BYTES (undefined);
  /// buffer=TYPE:ELEMENTS as random, but no parameter;
  /// map=BUFFER:TYPE:DIMS:STRIDES:BOX:SWIZZLE, a tensor map of the BUFFER-th
  /// buffer before it, with the numbers of cuTensorMapEncodeTiled.
  std::vector<std::string> arguments;
};

/// Throws std::runtime_error with what is wrong.
Launch describeLaunch(const std::string &ptx, const LaunchText &text,
                      uint64_t seed);

} // namespace gemm::mutate

#endif // GEMM_TEST_MUTATE_DESCRIBELAUNCH_H
