// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Verdict.h"

#include <stdexcept>

using namespace gemm::mutate;

const char *gemm::mutate::toString(Verdict::Kind kind) {
  static constexpr std::array<const char *, Verdict::kinds> names = {
      "refused", "caught",     "hang",     "noted",
      "numbers", "equivalent", "survivor", "failure"};
  return names[size_t(kind)];
}

Baseline gemm::mutate::makeBaseline(Launch launch,
                                    const std::vector<Timing> &timings) {
  Baseline baseline;
  bool first = true;
  for (const Timing &timing : timings) {
    const Outcome o = run(launch, launch.ptx, timing, 0, first);
    if (o.kind != Outcome::Kind::Clean && o.kind != Outcome::Kind::Noted)
      throw std::runtime_error(launch.name + " (" + timing.text() +
                               "): the unchanged kernel: " + o.message);
    if (!first && o.digest != baseline.digest)
      throw std::runtime_error(launch.name + " (" + timing.text() +
                               "): the unchanged kernel gives other bits");
    if (first)
      // Waiting may take a mutant longer; an endless loop takes it anywhere.
      baseline.limit = o.instructions * 8 + 100000;
    baseline.digest = o.digest;
    baseline.noted |= o.kind == Outcome::Kind::Noted;
    first = false;
  }
  baseline.launch = std::move(launch);
  return baseline;
}

Verdict gemm::mutate::judge(const std::vector<Baseline> &baselines,
                            const std::vector<Timing> &timings,
                            const std::vector<Statement> &statements,
                            const Mutation &mutation, bool thorough) {
  const bool predicate = mutation.kind == Mutation::Kind::Unguard;
  Verdict flagged, silent;
  bool isFlagged = false, isSilent = false, byTiming = false, noted = false;
  std::string note;
  for (const Baseline &b : baselines) {
    const std::string ptx = mutation.apply(b.launch.ptx);
    uint64_t digest = 0;
    bool any = false;
    for (const Timing &timing : timings) {
      const Outcome o = run(b.launch, ptx, timing, b.limit);
      const std::string where = b.launch.name + ", " + timing.text();
      if (o.kind <= Outcome::Kind::Hang) {
        if (!isFlagged) {
          isFlagged = true;
          flagged.kind =
              o.kind == Outcome::Kind::Refused ? Verdict::Kind::Refused
              : o.kind == Outcome::Kind::Hang  ? Verdict::Kind::Hang
                                               : Verdict::Kind::Caught;
          flagged.category = o.category;
          flagged.detail = o.message + " [" + where + "]";
        }
        if (!thorough && !isSilent)
          return flagged;
        continue;
      }
      if (o.kind == Outcome::Kind::Noted && !noted && !b.noted) {
        noted = true;
        note = o.message + " [" + where + "]";
      }
      byTiming |= any && digest != o.digest;
      digest = o.digest;
      any = true;
      if (o.digest != b.digest && !isSilent) {
        isSilent = true;
        silent.detail = where;
      }
    }
  }
  if (isSilent && (byTiming || !predicate)) {
    silent.kind = Verdict::Kind::Failure;
    silent.detail = "other bits without a report: " + silent.detail;
    if (isFlagged)
      silent.detail += "; reported elsewhere: " + flagged.detail;
    return silent;
  }
  if (isFlagged)
    return flagged;
  Verdict verdict;
  if (isSilent) {
    verdict.kind = Verdict::Kind::Numbers;
    verdict.detail = silent.detail;
  } else if (noted) {
    verdict.kind = Verdict::Kind::Noted;
    verdict.detail = note;
  } else if (const char *reason = equivalence(
                 baselines[0].launch.ptx, statements,
                 unsigned(baselines[0].launch.block.count()), mutation)) {
    verdict.kind = Verdict::Kind::Equivalent;
    verdict.detail = reason;
  }
  return verdict;
}
