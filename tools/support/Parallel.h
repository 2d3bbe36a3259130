// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data-parallel loops on all hardware threads.
#ifndef GEMM_TOOLS_SUPPORT_PARALLEL_H
#define GEMM_TOOLS_SUPPORT_PARALLEL_H

#include <cstdint>
#include <functional>

namespace gemm::tools {

// Threads that parallelFor uses, the caller's included.
int parallelThreads();

// Calls body(i) once for each i in [0, count), in no particular order, and
// returns when all calls have. The threads are kept between calls. Calls from
// inside a body run on the calling thread alone. An exception that a body
// throws is rethrown here (the first one, after the others have finished).
void parallelFor(int64_t count, const std::function<void(int64_t)> &body);

// The same over ranges of about `grain` elements: body(begin, end).
void parallelRanges(int64_t count, int64_t grain,
                    const std::function<void(int64_t, int64_t)> &body);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_PARALLEL_H
