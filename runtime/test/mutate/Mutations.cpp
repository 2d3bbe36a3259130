// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Mutations.h"

#include <algorithm>
#include <cctype>

using namespace gemm::mutate;

namespace {

bool isBlank(char c) { return std::isspace(static_cast<unsigned char>(c)); }

/// The text with comments blanked, so that offsets and lines stay.
std::string withoutComments(std::string_view ptx) {
  std::string text(ptx);
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '/' && text[i + 1] == '/') {
      for (; i < text.size() && text[i] != '\n'; ++i)
        text[i] = ' ';
    } else if (text[i] == '/' && text[i + 1] == '*') {
      size_t end = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
      for (; i < end; ++i)
        if (text[i] != '\n')
          text[i] = ' ';
    }
  }
  return text;
}

size_t bodyOf(const std::string &text, std::string_view entry) {
  for (size_t at = text.find(".entry"); at != std::string::npos;
       at = text.find(".entry", at + 1)) {
    size_t name = at + 6;
    while (name < text.size() && isBlank(text[name]))
      ++name;
    const size_t end = name + entry.size();
    if (text.compare(name, entry.size(), entry) == 0 && end < text.size() &&
        (isBlank(text[end]) || text[end] == '('))
      return text.find('{', end);
  }
  return std::string::npos;
}

std::string_view opcodeOf(std::string_view statement) {
  return statement.substr(0, statement.find_first_of(" \t\n;"));
}

bool starts(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}
bool contains(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

bool ordersSomething(std::string_view opcode) {
  if (opcode == "membar.gl" || opcode == "membar.cta" || opcode == "membar.sys")
    return true;
  for (std::string_view family :
       {"bar.", "barrier.", "fence.", "mbarrier.", "cp.async.wait",
        "cp.async.commit", "cp.async.mbarrier", "cp.async.bulk.wait",
        "cp.async.bulk.commit", "wgmma.fence", "wgmma.commit", "wgmma.wait"})
    if (starts(opcode, family))
      return true;
  return false;
}

} // namespace

std::vector<Statement> gemm::mutate::statementsOf(std::string_view ptx,
                                                  std::string_view entry) {
  const std::string text = withoutComments(ptx);
  std::vector<Statement> statements;
  const size_t body = bodyOf(text, entry);
  if (body == std::string::npos)
    return statements;
  unsigned line =
      1 + unsigned(std::count(text.begin(), text.begin() + long(body), '\n'));
  Statement open;
  bool inside = false;
  unsigned depth = 0;
  for (size_t i = body; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n')
      ++line;
    if (isBlank(c))
      continue;
    if (!inside) {
      if (c == '{') {
        ++depth;
        continue;
      }
      if (c == '}') {
        if (--depth == 0)
          break;
        continue;
      }
      open = {i, i, i, line};
      inside = true;
    }
    // A label ends at one colon; two are part of a modifier.
    if (c == ':' && text[i - 1] != ':' && i + 1 < text.size() &&
        text[i + 1] != ':' &&
        std::none_of(text.begin() + long(open.begin), text.begin() + long(i),
                     isBlank))
      inside = false;
    if (c != ';')
      continue;
    inside = false;
    open.end = i + 1;
    open.opcode = open.begin;
    if (text[open.begin] == '@') {
      while (!isBlank(text[open.opcode]))
        ++open.opcode;
      while (isBlank(text[open.opcode]))
        ++open.opcode;
    }
    if (text[open.begin] != '.')
      statements.push_back(open);
  }
  return statements;
}

std::string Mutation::apply(std::string_view ptx) const {
  std::string text(ptx.substr(0, begin));
  text += replacement;
  // Lines keep their numbers.
  for (char c : ptx.substr(begin, end - begin))
    if (c == '\n')
      text += c;
  text += ptx.substr(end);
  return text;
}

std::string Mutation::text() const {
  const char *what = kind == Kind::Delete       ? "delete"
                     : kind == Kind::DropExpect ? "no expect_tx in"
                     : kind == Kind::PassWait   ? "never wait in"
                                                : "no predicate on";
  return "line " + std::to_string(line) + ": " + what + " '" + original + "'";
}

std::vector<Mutation> gemm::mutate::mutationsOf(std::string_view ptx,
                                                std::string_view entry) {
  const std::string text = withoutComments(ptx);
  const std::vector<Statement> statements = statementsOf(ptx, entry);
  std::vector<Mutation> mutations;
  for (size_t i = 0; i < statements.size(); ++i) {
    const Statement &s = statements[i];
    const std::string_view body =
        std::string_view(text).substr(s.opcode, s.end - s.opcode);
    Mutation m;
    m.line = s.line;
    m.statement = i;
    m.opcode = opcodeOf(body);
    for (char c : std::string_view(text).substr(s.begin, s.end - 1 - s.begin))
      if (!isBlank(c) || (!m.original.empty() && m.original.back() != ' '))
        m.original += isBlank(c) ? ' ' : c;
    m.end = s.end;
    if (ordersSomething(m.opcode)) {
      m.begin = s.opcode;
      if (contains(m.opcode, "test_wait") || contains(m.opcode, "try_wait")) {
        const size_t first = body.find_first_not_of(" \t\n", m.opcode.size()),
                     comma = body.find_first_of(",|", first);
        m.kind = Mutation::Kind::PassWait;
        m.replacement = "setp.eq.u32 " +
                        std::string(body.substr(first, comma - first)) +
                        ", 0, 0;";
      } else {
        // What a guard stands before must stay a statement.
        m.kind = Mutation::Kind::Delete;
        m.begin = s.begin;
      }
      mutations.push_back(m);
      const size_t expect = m.opcode.find(".expect_tx");
      if (starts(m.opcode, "mbarrier.arrive") && expect != std::string::npos) {
        Mutation drop = m;
        drop.kind = Mutation::Kind::DropExpect;
        drop.begin = s.opcode;
        std::string plain(body);
        plain.erase(plain.rfind(','));
        plain.erase(expect, 10);
        drop.replacement = plain + ";";
        mutations.push_back(drop);
      }
    }
    if (s.opcode != s.begin) {
      m.kind = Mutation::Kind::Unguard;
      m.begin = s.begin;
      m.end = s.opcode;
      m.replacement.clear();
      mutations.push_back(m);
    }
  }
  return mutations;
}
