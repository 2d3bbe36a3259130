// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArtifactText.h"
#include "Error.h"

#include <cctype>

using namespace gemm::runtime;

static constexpr std::string_view beginMarker = "// gemm-artifact-begin";
static constexpr std::string_view endMarker = "// gemm-artifact-end";

/// Removes the first line of `text` and returns it without its line end.
static std::string_view takeLine(std::string_view &text) {
  size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

static bool isSpace(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

static std::string_view skipSpace(std::string_view text) {
  while (!text.empty() && isSpace(text.front()))
    text.remove_prefix(1);
  return text;
}

/// Characters of a PTX identifier (PTX ISA, "Identifiers") and of the operands
/// that we look for.
static std::string_view takeWord(std::string_view text) {
  size_t length = 0;
  while (length < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[length])) ||
          text[length] == '_' || text[length] == '$' || text[length] == '%' ||
          text[length] == '.'))
    ++length;
  return text.substr(0, length);
}

Description gemm::runtime::extractDescription(std::string_view text) {
  Description description;
  bool inside = false;
  for (int line = 1; !text.empty(); ++line) {
    std::string_view content = takeLine(text);
    if (!inside) {
      inside = content == beginMarker;
      description.firstLine = line + 1;
      continue;
    }
    if (content == endMarker)
      return description;
    if (!content.starts_with("//"))
      throw Error(GEMM_ERROR_INVALID_ARTIFACT,
                  "artifact, line " + std::to_string(line) +
                      ": the description must be followed by '" +
                      std::string(endMarker) + "'");
    content.remove_prefix(content.starts_with("// ") ? 3 : 2);
    description.json.append(content).push_back('\n');
  }
  throw Error(GEMM_ERROR_INVALID_ARTIFACT,
              inside ? "artifact: the file ends inside the description ('" +
                           std::string(endMarker) + "' is missing)"
                     : "artifact: no line '" + std::string(beginMarker) +
                           "': this is not a kernel artifact");
}

std::string_view gemm::runtime::findDirective(std::string_view ptx,
                                              std::string_view name) {
  while (!ptx.empty()) {
    std::string_view line = skipSpace(takeLine(ptx));
    if (line.starts_with(name) && line.size() > name.size() &&
        isSpace(line[name.size()]))
      return takeWord(skipSpace(line.substr(name.size())));
  }
  return {};
}

bool gemm::runtime::hasEntry(std::string_view ptx, std::string_view name) {
  constexpr std::string_view directive = ".entry";
  while (!ptx.empty()) {
    std::string_view line = takeLine(ptx);
    line = line.substr(0, line.find("//"));
    size_t at = line.find(directive);
    if (at == std::string_view::npos)
      continue;
    std::string_view rest = skipSpace(line.substr(at + directive.size()));
    // The name may stand on the next line.
    if (rest.empty())
      rest = skipSpace(ptx);
    if (takeWord(rest) == name)
      return true;
  }
  return false;
}
