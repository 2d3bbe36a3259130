// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What came of comparing one instruction or kernel: counts, the distribution
// of the differences, and the first examples.
#ifndef GEMM_AGREEMENT_OUTCOME_H
#define GEMM_AGREEMENT_OUTCOME_H

#include "FloatFormats.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gemm::agreement {

/// How the bits of a value are read to say how far two are apart.
struct ValueFormat {
  std::optional<emulator::FloatFormat> floating; ///< empty: an integer
  unsigned bits = 32;

  /// Bits as hexadecimal digits, as many as the format has.
  std::string text(uint64_t value) const;
};

/// Kinds of difference; ulps by powers of two follow.
enum DifferenceKind : unsigned {
  zeroSign,     ///< zeros of different sign
  nanPayload,   ///< NaNs of different bits
  nanOrNumber,  ///< one is a NaN
  infiniteness, ///< one is infinite and the other finite
  firstUlpBin,  ///< 1 ulp; then 2, 3-4, 5-8, ...
  differenceBins = firstUlpBin + 65
};

class Outcome {
public:
  std::string name;
  uint64_t cases = 0;      ///< tiles, launches
  uint64_t planned = 0;    ///< cases when complete
  uint64_t values = 0;     ///< compared
  uint64_t mismatches = 0; ///< values of different bits
  uint64_t firstLarger =
      0; ///< of them, larger in magnitude on the first device
  /// Differences up to this many ulps are what the documentation allows.
  uint64_t allowedUlps = 0;
  uint64_t beyondAllowed = 0;
  std::array<uint64_t, differenceBins> bins{};
  std::map<std::string, uint64_t> groups; ///< mismatches by pattern
  std::map<std::string, std::vector<std::string>> examples; ///< by pattern
  std::string error; ///< why the case ended early
  double seconds = 0;

  /// Counts one compared pair; returns whether it is a mismatch.
  bool add(uint64_t first, uint64_t second, const ValueFormat &format,
           const char *group);
  void add(const Outcome &other);
  bool wantsExample(const char *group) const;
  void addExample(const std::string &group, const std::string &text);
  bool agrees() const { return error.empty() && beyondAllowed == 0; }
  /// "1 ulp: 12, 2 ulp: 3, zero sign: 1"
  std::string distribution() const;
};

/// Of each pattern.
constexpr size_t examplesKept = 6;

} // namespace gemm::agreement

#endif // GEMM_AGREEMENT_OUTCOME_H
