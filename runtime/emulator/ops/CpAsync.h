// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEMM_EMULATOR_OPS_CPASYNC_H
#define GEMM_EMULATOR_OPS_CPASYNC_H

#include "../Machine.h"

namespace gemm::emulator {

class DecodeContext;

/// The only operand of a wait_group: how many groups may stay pending.
int64_t groupCount(DecodeContext &context);
/// Lands one outstanding cp.async of the warp; false if it has none.
bool landOneCopy(Warp &warp);
/// Lands everything: the warp's lanes have exited.
void landAllCopies(Warp &warp);
/// Bookkeeping after a bulk agent has nothing left to do.
void agentFinished(Machine &machine, AsyncAgent &agent);
/// Reports agents that still use the shared memory of a CTA that exits.
void checkAgentsAtExit(Machine &machine, Cta &cta);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_OPS_CPASYNC_H
