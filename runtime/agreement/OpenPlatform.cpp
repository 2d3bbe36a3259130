// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Platform.h"

#include <charconv>
#include <sstream>

namespace gemm::agreement {

static uint64_t number(const std::string &text, const std::string &whole) {
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end)
    throw std::invalid_argument("device '" + whole + "': '" + text +
                                "' is not a number");
  return value;
}

static emulator::AsyncMode asyncMode(const std::string &text,
                                     const std::string &whole) {
  if (text == "late")
    return emulator::AsyncMode::Late;
  if (text == "early")
    return emulator::AsyncMode::Early;
  if (text == "random")
    return emulator::AsyncMode::Random;
  throw std::invalid_argument("device '" + whole +
                              "': async is late, early or random");
}

std::unique_ptr<Platform> openPlatform(const std::string &text) {
  std::stringstream fields(text);
  std::string device;
  std::getline(fields, device, ',');
  const size_t colon = device.find(':');
  const std::string kind = device.substr(0, colon);
  const std::string rest =
      colon == std::string::npos ? "" : device.substr(colon + 1);
  if (kind == "cuda" && text == device)
    return openCuda(rest.empty() ? 0 : int(number(rest, text)));
  if (kind != "emulator")
    throw std::invalid_argument("device '" + text +
                                "' is neither cuda[:N] nor emulator[:sm_NN]");
  emulator::LaunchOptions options;
  for (std::string field; std::getline(fields, field, ',');) {
    const size_t equals = field.find('=');
    const std::string key = field.substr(0, equals);
    const std::string value =
        equals == std::string::npos ? "" : field.substr(equals + 1);
    if (key == "seed")
      options.seed = number(value, text);
    else if (key == "sms")
      options.sms = unsigned(number(value, text));
    else if (key == "sanitize" && (value == "on" || value == "off"))
      options.sanitize = value == "on" ? emulator::SanitizeMode::On
                                       : emulator::SanitizeMode::Off;
    else if (key == "async")
      options.async = asyncMode(value, text);
    else
      throw std::invalid_argument(
          "device '" + text + "': '" + field +
          "' is none of seed=, sms=, async=, sanitize=on|off");
  }
  return openEmulator(rest.empty() ? "sm_90a" : rest, options);
}

} // namespace gemm::agreement
