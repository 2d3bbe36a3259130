// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Report.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <sstream>

namespace gemm::tools {
namespace {

struct Unit {
  double size;
  const char *name;
};

// The largest unit that leaves at least 1; three to four digits.
template <size_t count>
std::string scaled(double value, const Unit (&units)[count],
                   const std::string &suffix) {
  const Unit *unit = &units[count - 1];
  for (const Unit &candidate : units) {
    if (value >= candidate.size) {
      unit = &candidate;
      break;
    }
  }
  double shown = value / unit->size;
  const char *pattern = shown >= 100 ? "%.1f %s%s" : "%.2f %s%s";
  return format(pattern, shown, unit->name, suffix.c_str());
}

} // namespace

void Report::line(const std::string &label, const std::string &text) {
  lines.emplace_back(label, text);
}

std::string Report::text() const {
  size_t width = 0;
  for (const auto &[label, text] : lines)
    width = std::max(width, label.size());
  std::string result;
  for (const auto &[label, text] : lines) {
    std::istringstream stream(text);
    std::string part, prefix = label;
    while (std::getline(stream, part)) {
      prefix.resize(width, ' ');
      result += prefix + "  " + part + "\n";
      prefix.clear();
    }
  }
  return result;
}

std::string Report::jsonText() const {
  return object.dump(2, ' ', false,
                     nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

std::string format(const char *pattern, ...) {
  va_list arguments, again;
  va_start(arguments, pattern);
  va_copy(again, arguments);
  int length = std::vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string result(static_cast<size_t>(std::max(length, 0)), '\0');
  std::vsnprintf(result.data(), result.size() + 1, pattern, again);
  va_end(again);
  return result;
}

std::string formatSeconds(double seconds) {
  constexpr Unit units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  return scaled(seconds, units, "");
}

std::string formatRate(double perSecond, const std::string &unit) {
  constexpr Unit units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1, ""}};
  return scaled(perSecond, units, unit + "/s");
}

std::string formatBytes(double bytes) {
  constexpr Unit units[] = {
      {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}};
  if (bytes < 1000)
    return format("%.0f bytes", bytes);
  return scaled(bytes, units, "");
}

std::string formatCount(int64_t count) {
  std::string digits = std::to_string(count);
  for (int at = static_cast<int>(digits.size()) - 3; at > (count < 0 ? 1 : 0);
       at -= 3)
    digits.insert(at, " ");
  return digits;
}

} // namespace gemm::tools
