// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Immediate post-dominators: where the lanes that a branch parts meet again.
#ifndef GEMM_EMULATOR_CFG_H
#define GEMM_EMULATOR_CFG_H

#include "Syntax.h"

#include <cstdint>
#include <vector>

namespace gemm::emulator {

/// For every instruction that may branch (others: -1), the index of the
/// instruction where its immediate post-dominator begins; -1: the function's
/// exit.
std::vector<int> reconvergencePoints(const FunctionSyntax &f);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_CFG_H
