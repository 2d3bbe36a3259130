// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulator makes of one mutant.
#ifndef GEMM_TEST_MUTATE_VERDICT_H
#define GEMM_TEST_MUTATE_VERDICT_H

#include "Launch.h"
#include "Mutations.h"

#include <array>

namespace gemm::mutate {

struct Verdict {
  enum class Kind {
    Refused,    ///< by the front end or the launch checks
    Caught,     ///< a report
    Hang,       ///< deadlock, livelock, or an endless loop
    Noted,      ///< the same bits and a note
    Numbers,    ///< a predicate's wrong numbers, the same under every timing:
                ///< any check of the result sees them
    Equivalent, ///< the same bits, no report, for a known reason
    Survivor,   ///< the same bits, no report, no reason
    Failure     ///< other bits under some timing, and no report there
  };
  static constexpr size_t kinds = 8;
  Kind kind = Kind::Survivor;
  std::string detail;   ///< the report, the reason, or where bits differ
  std::string category; ///< of the report
};
const char *toString(Verdict::Kind kind);

/// A launch and what the unchanged kernel does.
struct Baseline {
  Launch launch;
  uint64_t digest = 0;
  bool noted = false; ///< it has notes itself: a mutant's say nothing
  uint64_t limit = 0; ///< warp instructions that a mutant may run
};

/// Throws std::runtime_error with the reports if the unchanged kernel is not
/// clean or its bits depend on the timing.
Baseline makeBaseline(Launch launch, const std::vector<Timing> &timings);

/// Stops at the first report, unless `thorough`.
Verdict judge(const std::vector<Baseline> &baselines,
              const std::vector<Timing> &timings,
              const std::vector<Statement> &statements,
              const Mutation &mutation, bool thorough);

} // namespace gemm::mutate

#endif // GEMM_TEST_MUTATE_VERDICT_H
