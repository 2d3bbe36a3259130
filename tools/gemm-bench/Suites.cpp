// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Suites.h"

#include "BuiltInSuites.h"

#include "support/Error.h"

#include <gemm-runtime/runtime.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace gemm::bench {
namespace {

using namespace tools;

std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');)
    parts.push_back(part);
  return parts;
}

// Reads one list. Errors carry `where`.
class LineParser {
public:
  LineParser(std::string where, const CaseDefaults &defaults)
      : where(std::move(where)), defaults(defaults) {}

  void parse(const std::string &line, const std::string &group,
             std::vector<Case> &cases) {
    std::stringstream stream(line);
    std::vector<int64_t> extents[3], batches = {1}, pitches = {1};
    std::vector<std::string> layouts = {defaults.layout.value_or("tn")};
    Case prototype;
    prototype.group = group;
    if (defaults.types)
      parseTypes(*defaults.types, prototype.types);
    size_t position = 0;
    bool wanted = true;
    for (std::string word; stream >> word;) {
      size_t equals = word.find('=');
      if (position < 3 && equals == std::string::npos) {
        extents[position++] = numbers(word, 1);
        continue;
      }
      std::string key = word.substr(0, equals);
      std::string value =
          equals == std::string::npos ? "" : word.substr(equals + 1);
      if (key == "batch")
        batches = numbers(value, 1);
      else if (key == "pitch")
        pitches = numbers(value, 1);
      else if (key == "layout")
        layouts = layoutsOf(value);
      else if (key == "types")
        wanted &= typesOf(value, prototype);
      else
        fail("'" + word +
             "' is none of M N K, batch=, layout=, types=, pitch=");
    }
    if (position < 3)
      fail("expected M N K");
    if (!wanted)
      return;
    Case item = prototype;
    for (int64_t n : extents[1])
      for (int64_t k : extents[2])
        for (int64_t m : extents[0])
          for (int64_t batch : batches)
            for (int64_t pitch : pitches)
              for (const std::string &layout : layouts) {
                item.m = m;
                item.n = n;
                item.k = k;
                item.batch = batch;
                item.pitch = pitch;
                item.layout = layout;
                cases.push_back(item);
              }
  }

private:
  [[noreturn]] void fail(const std::string &what) const {
    throw ToolError(where + ": " + what);
  }

  std::vector<int64_t> numbers(const std::string &text, int64_t lowest) const {
    std::vector<int64_t> result;
    for (const std::string &part : split(text)) {
      int64_t value = 0;
      const char *end = part.data() + part.size();
      auto [rest, error] = std::from_chars(part.data(), end, value);
      if (error != std::errc() || rest != end || value < lowest ||
          value > GEMM_MAX_EXTENT)
        fail("'" + part + "' is not a number from " + std::to_string(lowest) +
             " to " + std::to_string(GEMM_MAX_EXTENT));
      result.push_back(value);
    }
    if (result.empty())
      fail("a number is missing");
    return result;
  }

  std::vector<std::string> layoutsOf(const std::string &text) const {
    std::vector<std::string> result;
    for (const std::string &part : split(text)) {
      if (part != "tn" && part != "nn" && part != "nt" && part != "tt")
        fail("layout '" + part + "' is none of tn, nn, nt, tt");
      if (!defaults.layout || *defaults.layout == part)
        result.push_back(part);
    }
    return result;
  }

  bool typesOf(const std::string &text, Case &item) const {
    Case asked = item;
    try {
      parseTypes(text, item.types);
    } catch (const ToolError &error) {
      fail(error.what());
    }
    return !defaults.types || asked.typeList() == item.typeList();
  }

  std::string where;
  const CaseDefaults &defaults;
};

} // namespace

std::vector<Case> parseCases(const std::string &text, const std::string &source,
                             const std::string &group,
                             const CaseDefaults &defaults) {
  std::vector<Case> cases;
  std::string currentGroup = group;
  std::stringstream stream(text);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    line = line.substr(0, line.find('#'));
    size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos)
      continue;
    line = line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
    if (line.starts_with("group ")) {
      currentGroup = line.substr(line.find_first_not_of(" \t", 6));
      continue;
    }
    LineParser(source + ":" + std::to_string(number), defaults)
        .parse(line, currentGroup, cases);
  }
  return cases;
}

std::vector<std::string> suiteNames() {
  std::vector<std::string> names;
  for (const BuiltInSuite &suite : builtInSuites)
    names.emplace_back(suite.name);
  return names;
}

SuiteText findSuite(const std::string &name, const std::string &executable) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(executable).parent_path();
  for (const fs::path &path :
       {folder / "suites", folder.parent_path() / "share/gemm-bench/suites"}) {
    std::ifstream file(path / (name + ".txt"));
    std::stringstream text;
    if (file && text << file.rdbuf())
      return {text.str(), (path / (name + ".txt")).string()};
  }
  for (const BuiltInSuite &suite : builtInSuites)
    if (name == suite.name)
      return {suite.text, "built in"};
  std::string list;
  for (const std::string &known : suiteNames())
    list += known + ", ";
  throw ToolError("--suite: '" + name + "' is none of " + list + "all");
}

} // namespace gemm::bench
