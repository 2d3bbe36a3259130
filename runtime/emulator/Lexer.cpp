// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lexer.h"
#include "Syntax.h"

#include <cstdlib>
#include <cstring>

namespace gemm::emulator {

static bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '%' || c == '.';
}
static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isWordChar(char c) { return isWordStart(c) || isDigit(c); }
static int hexValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

namespace {
class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) {}
  std::vector<Token> run();

private:
  char at(size_t i) const { return i < text.size() ? text[i] : '\0'; }
  void skipBlank();
  void number();
  void word();
  void push(Token::Kind kind, size_t begin, uint64_t value = 0) {
    tokens.push_back({kind, text.substr(begin, pos - begin), value, line});
  }
  [[noreturn]] void fail(const std::string &what) {
    throw PtxError(line, what);
  }

  std::string_view text;
  size_t pos = 0;
  unsigned line = 1;
  std::vector<Token> tokens;
};
} // namespace

void Scanner::skipBlank() {
  for (; pos < text.size(); ++pos) {
    char c = text[pos];
    if (c == '\n') {
      ++line;
    } else if (c == '/' && at(pos + 1) == '/') {
      while (pos < text.size() && text[pos] != '\n')
        ++pos;
      --pos;
    } else if (c == '/' && at(pos + 1) == '*') {
      unsigned start = line;
      for (pos += 2; !(at(pos) == '*' && at(pos + 1) == '/'); ++pos) {
        if (pos >= text.size())
          throw PtxError(start, "comment is not closed");
        if (text[pos] == '\n')
          ++line;
      }
      ++pos;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\v' &&
               c != '\0') {
      return;
    }
  }
}

void Scanner::number() {
  size_t begin = pos;
  char c0 = text[pos], c1 = at(pos + 1);
  if (c0 == '0' && (c1 == 'f' || c1 == 'F' || c1 == 'd' || c1 == 'D')) {
    unsigned digits = (c1 == 'f' || c1 == 'F') ? 8 : 16;
    uint64_t bits = 0;
    pos += 2;
    for (unsigned i = 0; i < digits; ++i, ++pos) {
      int v = hexValue(at(pos));
      if (v < 0)
        fail("floating-point literal needs " + std::to_string(digits) +
             " hexadecimal digits");
      bits = bits << 4 | unsigned(v);
    }
    push(digits == 8 ? Token::Float32 : Token::Float64, begin, bits);
    return;
  }
  unsigned base = 10;
  if (c0 == '0' && (c1 == 'x' || c1 == 'X')) {
    base = 16;
    pos += 2;
  } else if (c0 == '0' && (c1 == 'b' || c1 == 'B')) {
    base = 2;
    pos += 2;
  } else {
    size_t p = pos;
    while (isDigit(at(p)))
      ++p;
    bool real = at(p) == '.' && isDigit(at(p + 1));
    if (at(p) == '.' && !isWordStart(at(p + 1)))
      real = true;
    if ((at(p) == 'e' || at(p) == 'E') &&
        (isDigit(at(p + 1)) ||
         ((at(p + 1) == '-' || at(p + 1) == '+') && isDigit(at(p + 2)))))
      real = true;
    if (real) {
      std::string copy(text.substr(pos, 64));
      char *end = nullptr;
      double v = std::strtod(copy.c_str(), &end);
      pos += size_t(end - copy.c_str());
      uint64_t bits;
      std::memcpy(&bits, &v, 8);
      push(Token::Float64, begin, bits);
      return;
    }
    if (c0 == '0' && isDigit(c1)) {
      base = 8;
      ++pos;
    }
  }
  uint64_t value = 0;
  bool any = base == 8 || base == 10;
  for (;; ++pos) {
    int v = hexValue(at(pos));
    if (v < 0 || unsigned(v) >= base)
      break;
    if (value > (UINT64_MAX - unsigned(v)) / base)
      fail("integer literal does not fit 64 bits");
    value = value * base + unsigned(v);
    any = true;
  }
  if (!any)
    fail("integer literal has no digits");
  if (at(pos) == 'U')
    ++pos;
  if (isWordChar(at(pos)) && at(pos) != '.')
    fail("'" + std::string(text.substr(begin, pos + 1 - begin)) +
         "' is not a number");
  push(Token::Integer, begin, value);
}

void Scanner::word() {
  size_t begin = pos;
  while (isWordChar(at(pos)) || (at(pos) == ':' && at(pos + 1) == ':' &&
                                 isWordStart(at(pos + 2)) && (pos += 2)))
    ++pos;
  push(Token::Word, begin);
}

std::vector<Token> Scanner::run() {
  for (;;) {
    skipBlank();
    if (pos >= text.size())
      break;
    char c = text[pos];
    if (isDigit(c)) {
      number();
    } else if (isWordStart(c)) {
      word();
    } else if (c == '"') {
      size_t begin = ++pos;
      while (at(pos) != '"') {
        if (pos >= text.size() || text[pos] == '\n')
          fail("string is not closed");
        pos += text[pos] == '\\' && pos + 1 < text.size() ? 2 : 1;
      }
      push(Token::String, begin);
      ++pos;
    } else if (std::strchr("{}[]()<>,;:+-=@!|*~&^/?", c)) {
      size_t begin = pos++;
      push(Token::Punct, begin);
    } else {
      fail(std::string("unexpected character '") +
           (c >= 32 && c < 127 ? c : '?') + "'");
    }
  }
  tokens.push_back({Token::End, text.substr(text.size()), 0, line});
  return std::move(tokens);
}

std::vector<Token> tokenize(std::string_view text) {
  return Scanner(text).run();
}

} // namespace gemm::emulator
