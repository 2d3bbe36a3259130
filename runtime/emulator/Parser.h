// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive-descent parser of PTX; the body part is in ParseBody.cpp.
#ifndef GEMM_EMULATOR_PARSER_H
#define GEMM_EMULATOR_PARSER_H

#include "Lexer.h"
#include "Syntax.h"

#include <optional>
#include <unordered_map>

namespace gemm::emulator {

class Parser {
public:
  explicit Parser(std::string_view text) : tokens(tokenize(text)) {}
  ModuleSyntax run();

private:
  // Tokens.
  const Token &peek(size_t ahead = 0) const {
    size_t i = pos + ahead;
    return tokens[i < tokens.size() ? i : tokens.size() - 1];
  }
  const Token &next() { return tokens[pos + 1 < tokens.size() ? pos++ : pos]; }
  bool accept(char c) {
    if (!peek().is(c))
      return false;
    next();
    return true;
  }
  bool accept(std::string_view w) {
    if (!peek().is(w))
      return false;
    next();
    return true;
  }
  void expect(char c);
  std::string word(const char *what);
  uint64_t integer(const char *what);
  int64_t constant();
  int64_t constantPrimary();
  [[noreturn]] void fail(const std::string &what) const {
    throw PtxError(peek().line, what);
  }
  std::string shown(const Token &t) const;

  // Module level.
  void directive();
  void function(bool isEntry);
  void formals(FunctionSyntax &f, std::vector<unsigned> &list,
               std::vector<bool> &isReg);
  void performance(FunctionSyntax &f);
  void skipSection();
  void loc();
  /// After the state space word: alignment, type, declarators, `;`.
  void variables(Space space, bool isExtern, std::vector<VarDecl> &into,
                 bool inFunction);
  VarDecl declarator(Space space, bool isExtern, unsigned align, Type type,
                     unsigned vector);
  void initializer(VarDecl &v, unsigned elementBytes);
  void initialValue(VarDecl &v, uint64_t &offset, unsigned elementBytes);

  // Body.
  struct Scope {
    std::unordered_map<std::string, unsigned> regs, vars, labels;
    struct Range {
      unsigned count;
      Type type;
      unsigned vector;
    };
    std::unordered_map<std::string, Range> ranges;
    std::unordered_map<std::string, std::vector<unsigned>> lists;
    struct Pending {
      size_t inst;
      unsigned operand;
      int element;
      unsigned line;
      std::string name;
    };
    std::vector<Pending> pending;
  };
  void body(FunctionSyntax &f);
  void statement(FunctionSyntax &f);
  void registers(FunctionSyntax &f);
  void instruction(FunctionSyntax &f);
  Operand operand(FunctionSyntax &f);
  Operand primary(FunctionSyntax &f);
  Operand address(FunctionSyntax &f);
  void closeScope(FunctionSyntax &f);
  unsigned labelId(FunctionSyntax &f, const std::string &name, Scope &scope);
  std::optional<unsigned> findRegister(FunctionSyntax &f,
                                       const std::string &name);
  std::optional<unsigned> findVariable(const std::string &name) const;

  std::vector<Token> tokens;
  size_t pos = 0;
  ModuleSyntax module;
  std::vector<Scope> scopes;
  unsigned locFile = 0, locLine = 0;
  unsigned depth = 0;
  struct Reference {
    unsigned label;
  };
};

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_PARSER_H
