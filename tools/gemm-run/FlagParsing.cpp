// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FlagParsing.h"

#include <charconv>
#include <cmath>
#include <sstream>

namespace gemm::tools {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  if (!text.empty() && text.back() == separator)
    parts.emplace_back();
  return parts;
}

int64_t parseInteger(const std::string &flag, const std::string &text,
                     int64_t lowest, int64_t highest) {
  int64_t value = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || text.empty())
    throw CLI::ValidationError(flag, "'" + text + "' is not an integer");
  if (value < lowest || value > highest)
    throw CLI::ValidationError(flag, text + " is not between " +
                                         std::to_string(lowest) + " and " +
                                         std::to_string(highest));
  return value;
}

double parseNumber(const std::string &flag, const std::string &text) {
  double value = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || text.empty())
    throw CLI::ValidationError(flag, "'" + text + "' is not a number");
  // An infinite scale has infinite error bounds: any result would pass.
  if (!std::isfinite(value))
    throw CLI::ValidationError(flag, "'" + text + "' is not finite");
  return value;
}

void oneOf(const std::string &flag, const std::string &text,
           const std::vector<std::string> &choices) {
  std::string list;
  for (const std::string &choice : choices) {
    if (text == choice)
      return;
    list += (list.empty() ? "" : ", ") + choice;
  }
  throw CLI::ValidationError(flag, "'" + text + "' is none of " + list);
}

// An option whose text `handle` validates and stores.
CLI::Option *add(CLI::App &app, const std::string &flag,
                 const std::string &help,
                 std::function<void(const std::string &)> handle,
                 const std::string &placeholder) {
  CLI::Option *option =
      app.add_option_function<std::string>(flag, std::move(handle), help);
  return option->type_name(placeholder);
}

} // namespace gemm::tools
