// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named barriers, cluster barriers and mbarriers: what the scheduler and the
// asynchronous agents need of them.
#ifndef GEMM_EMULATOR_OPS_BARRIERS_H
#define GEMM_EMULATOR_OPS_BARRIERS_H

#include "../Machine.h"

namespace gemm::emulator {

/// All lanes of the warp have exited.
void warpExited(Warp &warp);
std::string describeWait(const Warp &warp, const Split &split);
/// Lets timed waits (mbarrier.try_wait) fail once; false if nobody has one.
bool wakeTimedWaits(Machine &machine);

/// The object at a shared-memory place; faults when there is none.
Mbarrier &mbarrierAt(Warp &warp, const Inst &inst, unsigned lane,
                     const Place &place);
/// A fence.mbarrier_init or fence.proxy.async of the warp: the initialisations
/// ordered before it become visible to the async proxy.
void fenceMbarrierInits(Warp &warp);
/// Subtracts arrivals and completes the phase when it is due. `who` is for
/// messages; `inst` may be null for agents.
void mbarrierArrive(Warp &who, const Inst *inst, int lane, Cta &cta,
                    uint32_t offset, int64_t count);
/// Adds to the transaction count (negative: completes bytes).
void mbarrierTransaction(Warp &who, const Inst *inst, int lane, Cta &cta,
                         uint32_t offset, int64_t bytes);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_OPS_BARRIERS_H
