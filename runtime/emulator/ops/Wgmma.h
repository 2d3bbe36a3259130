// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_EMULATOR_OPS_WGMMA_H
#define GEMM_EMULATOR_OPS_WGMMA_H

#include "../Machine.h"

namespace gemm::emulator {

/// Called before an instruction while the warp has unfinished wgmmas: moves
/// pass their registers on, any other use is an error.
void checkFutures(Warp &warp, const Inst &inst, uint32_t mask);
/// Finishes the oldest unfinished wgmma; false if there is none.
bool landOneWgmma(Warp &warp);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_OPS_WGMMA_H
