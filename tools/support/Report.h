// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool has to say, as one aligned block of lines or as one JSON object.
#ifndef GEMM_TOOLS_SUPPORT_REPORT_H
#define GEMM_TOOLS_SUPPORT_REPORT_H

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace gemm::tools {

class Report {
public:
  // A line "label   text"; further lines of `text` are indented like the first.
  void line(const std::string &label, const std::string &text);
  // The JSON object, to be filled beside the lines.
  nlohmann::ordered_json &json() { return object; }

  std::string text() const;
  std::string jsonText() const;

private:
  std::vector<std::pair<std::string, std::string>> lines;
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
};

// printf into a string.
std::string format(const char *pattern, ...)
    __attribute__((format(printf, 1, 2)));
// "12.3 us", "1.05 ms".
std::string formatSeconds(double seconds);
// "653.2 TFLOP/s"; `unit` "FLOP" or "OP".
std::string formatRate(double perSecond, const std::string &unit);
// "402.7 MB" (powers of ten).
std::string formatBytes(double bytes);
// Digit groups: "16 777 216".
std::string formatCount(int64_t count);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_REPORT_H
