// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch on the emulator, complete enough to be repeated with changed PTX.
#ifndef GEMM_TEST_MUTATE_LAUNCH_H
#define GEMM_TEST_MUTATE_LAUNCH_H

#include "Emulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gemm::mutate {

/// Device memory before the launch. Allocations of a fresh device have the same
/// addresses when they are made in the same order.
struct Allocation {
  uint64_t address = 0;
  std::vector<uint8_t> content;
  bool undefined = false; ///< the kernel may not rely on the content
};

struct Launch {
  std::string name; ///< for messages
  std::string device, ptx, entry;
  emulator::Dim3 grid, block, cluster;
  size_t sharedBytes = 0;
  std::vector<uint8_t> parameters;
  std::vector<Allocation> memory;
};

/// How a launch is run.
struct Timing {
  emulator::AsyncMode async = emulator::AsyncMode::Random;
  unsigned sms = 4;
  uint64_t seed = 1;
  std::string text() const;
};

struct Outcome {
  enum class Kind {
    Refused,  ///< by the front end or the launch checks
    Reported, ///< an error
    Hang,     ///< deadlock, livelock or more instructions than allowed
    Noted,    ///< ran to its end, with notes
    Clean
  };
  Kind kind = Kind::Clean;
  std::string message;       ///< the first report, or why it was refused
  std::string category;      ///< of the first report, e.g. "race"
  uint64_t digest = 0;       ///< of all memory afterwards
  uint64_t instructions = 0; ///< of warps; only when asked for
};

/// Runs `ptx` in place of the launch's own text. `limit`: warp instructions, 0
/// for any number; `count`: count instructions.
Outcome run(const Launch &launch, const std::string &ptx, const Timing &timing,
            uint64_t limit, bool count = false);

} // namespace gemm::mutate

#endif // GEMM_TEST_MUTATE_LAUNCH_H
