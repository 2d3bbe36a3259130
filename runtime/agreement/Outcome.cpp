// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Outcome.h"

#include <bit>
#include <cstdio>

namespace gemm::agreement {

using namespace emulator;

std::string ValueFormat::text(uint64_t value) const {
  char digits[20];
  std::snprintf(digits, sizeof digits, "%0*llx", int((bits + 3) / 4),
                (unsigned long long)value);
  return digits;
}

namespace {

/// Floats as integers in the order of their values.
int64_t ordered(uint64_t value, unsigned bits) {
  const uint64_t sign = uint64_t(1) << (bits - 1);
  const int64_t magnitude = int64_t(value & (sign - 1));
  return value & sign ? -magnitude : magnitude;
}

int64_t signExtended(uint64_t value, unsigned bits) {
  return int64_t(value << (64 - bits)) >> (64 - bits);
}

uint64_t distance(int64_t a, int64_t b) {
  return a > b ? uint64_t(a) - uint64_t(b) : uint64_t(b) - uint64_t(a);
}

unsigned kindOf(uint64_t first, uint64_t second, const ValueFormat &format,
                uint64_t &ulps) {
  ulps = ~uint64_t(0);
  if (!format.floating) {
    ulps = distance(signExtended(first, format.bits),
                    signExtended(second, format.bits));
    return firstUlpBin + unsigned(std::bit_width(ulps - 1));
  }
  const FloatFormat f = *format.floating;
  const bool nan1 = isNaN(first, f), nan2 = isNaN(second, f);
  if (nan1 || nan2)
    return nan1 && nan2 ? nanPayload : nanOrNumber;
  if (isInfinity(first, f) != isInfinity(second, f))
    return infiniteness;
  ulps = distance(ordered(first, format.bits), ordered(second, format.bits));
  return ulps == 0 ? zeroSign
                   : firstUlpBin + unsigned(std::bit_width(ulps - 1));
}

std::string binName(unsigned bin) {
  switch (bin) {
  case zeroSign:
    return "sign of zero";
  case nanPayload:
    return "NaN bits";
  case nanOrNumber:
    return "NaN or number";
  case infiniteness:
    return "infinite or finite";
  default:
    break;
  }
  const unsigned power = bin - firstUlpBin;
  if (power <= 1)
    return std::to_string(power + 1) + " ulp";
  if (power > 24)
    return "> 2^" + std::to_string(power - 1) + " ulp";
  return std::to_string((1u << (power - 1)) + 1) + "-" +
         std::to_string(1u << power) + " ulp";
}

} // namespace

bool Outcome::add(uint64_t first, uint64_t second, const ValueFormat &format,
                  const char *group) {
  ++values;
  if (first == second)
    return false;
  ++mismatches;
  uint64_t ulps;
  ++bins[kindOf(first, second, format, ulps)];
  ++groups[group];
  const uint64_t magnitude = (uint64_t(1) << (format.bits - 1)) - 1;
  firstLarger += (first & magnitude) > (second & magnitude);
  if (ulps <= allowedUlps)
    return false;
  ++beyondAllowed;
  return true;
}

void Outcome::add(const Outcome &other) {
  cases += other.cases;
  values += other.values;
  mismatches += other.mismatches;
  firstLarger += other.firstLarger;
  beyondAllowed += other.beyondAllowed;
  seconds += other.seconds;
  for (unsigned bin = 0; bin < differenceBins; ++bin)
    bins[bin] += other.bins[bin];
  for (const auto &[group, count] : other.groups)
    groups[group] += count;
  for (const auto &[group, texts] : other.examples)
    for (const std::string &text : texts)
      addExample(group, text);
}

bool Outcome::wantsExample(const char *group) const {
  const auto found = examples.find(group);
  return found == examples.end() || found->second.size() < examplesKept;
}

void Outcome::addExample(const std::string &group, const std::string &text) {
  if (wantsExample(group.c_str()))
    examples[group].push_back(text);
}

std::string Outcome::distribution() const {
  std::string result;
  for (unsigned bin = 0; bin < differenceBins; ++bin)
    if (bins[bin])
      result += (result.empty() ? "" : ", ") + binName(bin) + ": " +
                std::to_string(bins[bin]);
  return result;
}

} // namespace gemm::agreement
