// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Findings.h"

#include <algorithm>

namespace gemm::tools {
namespace {

std::string counted(size_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

} // namespace

void Findings::collect(const Device &device) {
  if (!device.info().is_emulator)
    return;
  gemm_emulator_report report{};
  checkStatus(gemm_device_get_emulator_report(device.handle(), &report));
  lastSeed = report.seed;
  for (size_t i = 0; i < report.num_findings; ++i) {
    const gemm_emulator_finding &found = report.findings[i];
    auto known = std::find_if(list.begin(), list.end(), [&](const Finding &f) {
      return f.line == found.line && f.kind == found.kind &&
             f.isError == (found.is_error != 0);
    });
    if (known != list.end())
      known->count += found.count;
    else
      list.push_back({found.text, found.kind, found.line, found.is_error != 0,
                      found.count});
  }
}

size_t Findings::errors() const {
  return static_cast<size_t>(
      std::count_if(list.begin(), list.end(),
                    [](const Finding &finding) { return finding.isError; }));
}

std::string Findings::summary() const {
  std::string text;
  if (errors())
    text = counted(errors(), "error");
  if (notes())
    text += (text.empty() ? "" : ", ") + counted(notes(), "note");
  return text;
}

void describeFindings(Report &report, const Findings &findings) {
  auto &json = report.json()["sanitizer"];
  json = {{"errors", findings.errors()},
          {"notes", findings.notes()},
          {"findings", nlohmann::ordered_json::array()}};
  for (bool errors : {true, false})
    for (const Finding &finding : findings.all()) {
      if (finding.isError != errors)
        continue;
      std::string times =
          finding.count > 1
              ? format(" [%llu times]",
                       static_cast<unsigned long long>(finding.count))
              : "";
      report.line(errors ? "error" : "note", finding.text + times);
      json["findings"].push_back({{"severity", errors ? "error" : "note"},
                                  {"kind", finding.kind},
                                  {"line", finding.line},
                                  {"count", finding.count},
                                  {"text", finding.text}});
    }
}

} // namespace gemm::tools
