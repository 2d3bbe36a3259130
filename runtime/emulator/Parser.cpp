// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Module-level PTX: directives, variables, function headers.
#include "Parser.h"

#include <cstring>

namespace gemm::emulator {

std::string Parser::shown(const Token &t) const {
  return t.kind == Token::End ? "end of file"
                              : "'" + std::string(t.text.substr(0, 60)) + "'";
}

void Parser::expect(char c) {
  if (!accept(c))
    fail(std::string("expected '") + c + "' before " + shown(peek()));
}

std::string Parser::word(const char *what) {
  if (peek().kind != Token::Word)
    fail(std::string("expected ") + what + " before " + shown(peek()));
  return std::string(next().text);
}

uint64_t Parser::integer(const char *what) {
  if (peek().kind != Token::Integer)
    fail(std::string("expected ") + what + " before " + shown(peek()));
  return next().value;
}

int64_t Parser::constantPrimary() {
  if (++depth > 200)
    fail("expression is nested too deeply");
  int64_t v;
  if (accept('-'))
    v = int64_t(0 - uint64_t(constantPrimary()));
  else if (accept('+'))
    v = constantPrimary();
  else if (accept('~'))
    v = ~constantPrimary();
  else if (accept('!'))
    v = !constantPrimary();
  else if (peek().is('(')) {
    next();
    if (peek().kind == Token::Word && peek().text.size() > 1 &&
        peek().text[0] == '.' && peek(1).is(')')) {
      next();
      next();
      v = constantPrimary();
    } else {
      v = constant();
      expect(')');
    }
  } else
    v = int64_t(integer("a constant"));
  --depth;
  return v;
}

/// Constant expressions: left to right; only the operators that producers use.
int64_t Parser::constant() {
  uint64_t v = uint64_t(constantPrimary());
  for (;;) {
    if (accept('+'))
      v += uint64_t(constantPrimary());
    else if (accept('-'))
      v -= uint64_t(constantPrimary());
    else if (accept('*'))
      v *= uint64_t(constantPrimary());
    else if (accept('&'))
      v &= uint64_t(constantPrimary());
    else if (accept('|'))
      v |= uint64_t(constantPrimary());
    else if (accept('^'))
      v ^= uint64_t(constantPrimary());
    else if (peek().is('<') && peek(1).is('<')) {
      next(), next();
      v <<= uint64_t(constantPrimary()) & 63;
    } else if (peek().is('>') && peek(1).is('>')) {
      next(), next();
      v >>= uint64_t(constantPrimary()) & 63;
    } else
      return int64_t(v);
  }
}

void Parser::skipSection() {
  word("a section name");
  expect('{');
  for (unsigned depth = 1; depth;) {
    if (peek().kind == Token::End)
      fail("section is not closed");
    const Token &t = next();
    depth += t.is('{');
    depth -= t.is('}');
  }
}

void Parser::loc() {
  locFile = unsigned(integer("a file index"));
  locLine = unsigned(integer("a line number"));
  integer("a column");
  while (accept(',')) {
    // function_name label [+ offset] | inlined_at file line column
    std::string what = word("function_name or inlined_at");
    if (what == "function_name") {
      word("a label");
      if (accept('+'))
        integer("an offset");
    } else if (what == "inlined_at") {
      for (int i = 0; i < 3; ++i)
        integer("a position");
    } else {
      fail("unknown attribute '" + what + "' of .loc");
    }
  }
}

void Parser::initialValue(VarDecl &v, uint64_t &offset, unsigned elementBytes) {
  if (accept('{')) {
    if (++depth > 50)
      fail("initialiser is nested too deeply");
    while (!accept('}')) {
      initialValue(v, offset, elementBytes);
      if (!accept(',') && !peek().is('}'))
        fail("expected ',' or '}' in an initialiser before " + shown(peek()));
    }
    --depth;
    return;
  }
  if (offset + elementBytes > v.size)
    fail("initialiser of '" + v.name + "' is longer than the variable");
  uint64_t bits = 0;
  bool negative = peek().is('-') && (peek(1).kind == Token::Float32 ||
                                     peek(1).kind == Token::Float64);
  if (negative)
    next();
  if (peek().kind == Token::Float32 || peek().kind == Token::Float64) {
    bool single = peek().kind == Token::Float32;
    bits = next().value;
    if (!single && elementBytes == 4) {
      double d;
      std::memcpy(&d, &bits, 8);
      float f = float(d);
      uint32_t b;
      std::memcpy(&b, &f, 4);
      bits = b;
    } else if (single && elementBytes == 8) {
      fail("a 32-bit literal cannot initialise a 64-bit variable");
    }
    if (negative)
      bits ^= uint64_t(1) << (elementBytes * 8 - 1);
  } else if (peek().kind == Token::Word) {
    std::string name = word("a symbol");
    bool generic = false;
    if (name == "generic") {
      generic = true;
      expect('(');
      name = word("a symbol");
      expect(')');
    }
    int64_t addend = 0;
    if (accept('+'))
      addend = constantPrimary();
    v.relocations.push_back({offset, name, addend, generic, elementBytes});
  } else {
    bits = uint64_t(constant());
  }
  std::memcpy(v.init.data() + offset, &bits,
              std::min<unsigned>(8, elementBytes));
  offset += elementBytes;
}

void Parser::initializer(VarDecl &v, unsigned elementBytes) {
  v.init.assign(v.size, 0);
  uint64_t offset = 0;
  initialValue(v, offset, elementBytes);
}

VarDecl Parser::declarator(Space space, bool isExtern, unsigned align,
                           Type type, unsigned vector) {
  VarDecl v;
  v.line = peek().line;
  v.name = word("a variable name");
  v.space = space;
  v.type = type;
  v.isExtern = isExtern;
  unsigned elementBytes = std::max(1u, bitsOf(type) / 8);
  uint64_t count = vector;
  bool unsized = false;
  while (accept('[')) {
    v.isArray = true;
    if (accept(']')) {
      unsized = true;
      continue;
    }
    int64_t n = constant();
    expect(']');
    if (n < 0 || n > (int64_t(1) << 40) ||
        (n && count > (uint64_t(1) << 40) / uint64_t(n)))
      fail("array '" + v.name + "' is too large");
    count *= uint64_t(n);
  }
  v.size = unsized ? 0 : count * elementBytes;
  v.align = align ? align : std::max(1u, elementBytes * vector);
  if (accept('=')) {
    if (unsized) { // as many elements as the list has
      size_t save = pos;
      unsigned commas = 0, level = 0;
      for (size_t i = pos; i < tokens.size(); ++i) {
        if (tokens[i].is('{'))
          ++level;
        else if (tokens[i].is('}') && --level == 0)
          break;
        else if (tokens[i].is(','))
          ++commas;
        else if (tokens[i].is(';'))
          break;
      }
      pos = save;
      v.size = uint64_t(commas + 1) * elementBytes;
    }
    if (v.size > (1u << 30))
      fail("initialised array '" + v.name + "' is too large");
    initializer(v, elementBytes);
  }
  return v;
}

void Parser::variables(Space space, bool isExtern, std::vector<VarDecl> &into,
                       bool inFunction) {
  unsigned align = 0, vector = 1;
  Type type = Type::None;
  for (;;) {
    if (accept(".align")) {
      uint64_t a = integer("an alignment");
      if (a == 0 || (a & (a - 1)) || a > (1u << 20))
        fail("alignment must be a power of two");
      align = unsigned(a);
    } else if (accept(".v2")) {
      vector = 2;
    } else if (accept(".v4")) {
      vector = 4;
    } else if (accept(".v8")) {
      vector = 8;
    } else if (accept(".ptr")) {
      for (;;) {
        if (accept(".align")) {
          integer("an alignment");
          continue;
        }
        if (accept(".global") || accept(".shared") || accept(".local") ||
            accept(".const") || accept(".param"))
          continue;
        break;
      }
    } else if (peek().kind == Token::Word && peek().text.size() > 1 &&
               peek().text[0] == '.') {
      if (peek().is(".attribute")) {
        next();
        expect('(');
        while (!accept(')')) {
          if (peek().kind == Token::End)
            fail(".attribute is not closed");
          next();
        }
        continue;
      }
      Type t = typeFromName(peek().text.substr(1));
      if (t == Type::None)
        fail("unknown type " + shown(peek()));
      next();
      type = t;
    } else {
      break;
    }
  }
  if (type == Type::None)
    fail("declaration without a type before " + shown(peek()));
  for (;;) {
    into.push_back(declarator(space, isExtern, align, type, vector));
    unsigned id = unsigned(into.size() - 1);
    const std::string &name = into.back().name;
    if (inFunction) {
      if (!scopes.back().vars.emplace(name, id).second)
        fail("'" + name + "' is declared twice in this scope");
    } else if (auto found = module.varIndex.find(name);
               found != module.varIndex.end()) {
      // `.extern` followed by a definition, or two tentative declarations.
      if (!into[found->second].isExtern && !isExtern)
        fail("'" + name + "' is declared twice");
      if (!isExtern)
        found->second = id;
    } else {
      module.varIndex[name] = id;
    }
    if (!accept(','))
      break;
  }
}

void Parser::performance(FunctionSyntax &f) {
  auto triple = [&](unsigned out[3]) {
    for (int i = 0; i < 3; ++i)
      out[i] = 1;
    for (int i = 0; i < 3; ++i) {
      uint64_t v = integer("a dimension");
      if (v > UINT32_MAX)
        fail("dimension does not fit 32 bits");
      out[i] = unsigned(v);
      if (!accept(','))
        break;
    }
  };
  for (;;) {
    if (accept(".reqntid"))
      triple(f.reqntid);
    else if (accept(".maxntid"))
      triple(f.maxntid);
    else if (accept(".reqnctapercluster"))
      triple(f.cluster);
    else if (accept(".explicitcluster"))
      f.explicitCluster = true;
    else if (accept(".minnctapersm") || accept(".maxnreg") ||
             accept(".maxnctapersm") || accept(".maxclusterrank") ||
             accept(".local_maxnreg"))
      integer("a number");
    else if (accept(".noreturn") || accept(".blocksareclusters"))
      ;
    else if (accept(".pragma")) {
      while (!accept(';')) {
        if (peek().kind == Token::End)
          fail(".pragma is not closed");
        next();
      }
    } else if (accept(".attribute") || accept(".unique")) {
      while (!accept(')')) {
        if (peek().kind == Token::End)
          fail(".attribute is not closed");
        next();
      }
    } else
      return;
  }
}

void Parser::formals(FunctionSyntax &f, std::vector<unsigned> &list,
                     std::vector<bool> &isReg) {
  if (accept(')'))
    return;
  for (;;) {
    if (accept(".reg")) {
      Type t = typeFromName(std::string_view(word("a type")).substr(1));
      if (t == Type::None)
        fail("unknown register type");
      std::string name = word("a register name");
      scopes.back().regs[name] = unsigned(f.regs.size());
      list.push_back(unsigned(f.regs.size()));
      isReg.push_back(true);
      f.regs.push_back({name, t, 1});
    } else if (accept(".param")) {
      size_t first = f.vars.size();
      // One declarator only: `variables` would take the comma that separates
      // formals.
      unsigned align = 0, vector = 1;
      Type type = Type::None;
      for (;;) {
        if (accept(".align")) {
          uint64_t a = integer("an alignment");
          if (a == 0 || (a & (a - 1)) || a > (1u << 20))
            fail("alignment must be a power of two");
          align = unsigned(a);
        } else if (accept(".ptr")) {
          while (accept(".global") || accept(".shared") || accept(".local") ||
                 accept(".const") || accept(".param"))
            ;
          if (accept(".align"))
            integer("an alignment");
        } else if (accept(".v2"))
          vector = 2;
        else if (accept(".v4"))
          vector = 4;
        else if (peek().kind == Token::Word && peek().text[0] == '.' &&
                 typeFromName(peek().text.substr(1)) != Type::None)
          type = typeFromName(next().text.substr(1));
        else
          break;
      }
      if (type == Type::None)
        fail("parameter without a type before " + shown(peek()));
      f.vars.push_back(declarator(Space::Param, false, align, type, vector));
      scopes.back().vars[f.vars.back().name] = unsigned(first);
      list.push_back(unsigned(first));
      isReg.push_back(false);
    } else {
      fail("expected a parameter before " + shown(peek()));
    }
    if (accept(')'))
      return;
    expect(',');
  }
}

void Parser::function(bool isEntry) {
  FunctionSyntax f;
  f.isEntry = isEntry;
  f.line = peek().line;
  scopes.clear();
  scopes.emplace_back();
  performance(f); // .func .attribute(...) name
  if (!isEntry && accept('('))
    formals(f, f.returns, f.returnIsReg);
  f.name = word("a function name");
  if (accept('('))
    formals(f, f.formals, f.formalIsReg);
  performance(f);
  if (accept('{')) {
    f.hasBody = true;
    body(f);
  } else {
    expect(';');
  }
  auto found = module.functionIndex.find(f.name);
  if (found == module.functionIndex.end()) {
    module.functionIndex[f.name] = unsigned(module.functions.size());
    module.functions.push_back(std::move(f));
  } else {
    FunctionSyntax &old = module.functions[found->second];
    if (old.hasBody && f.hasBody)
      throw PtxError(f.line, "function '" + f.name + "' is defined twice");
    if (f.hasBody)
      old = std::move(f);
  }
}

void Parser::directive() {
  bool isExtern = false;
  while (accept(".visible") || accept(".weak") || accept(".common") ||
         (peek().is(".extern") && (isExtern = true, accept(".extern"))))
    ;
  if (accept(".entry"))
    return function(true);
  if (accept(".func"))
    return function(false);
  Space space = Space::Global;
  if (accept(".global"))
    space = Space::Global;
  else if (accept(".shared"))
    space = Space::Shared;
  else if (accept(".const"))
    space = Space::Const;
  else if (accept(".local"))
    space = Space::Local;
  else
    fail("unknown directive " + shown(peek()));
  if (space == Space::Const && accept('[')) {
    integer("a bank");
    expect(']');
  }
  variables(space, isExtern, module.vars, false);
  expect(';');
}

ModuleSyntax Parser::run() {
  while (peek().kind != Token::End) {
    if (accept(".version")) {
      // "8.6" lexes as a decimal literal; keep its digits.
      if (peek().kind != Token::Float64)
        fail("expected a PTX version before " + shown(peek()));
      std::string text(next().text);
      size_t dot = text.find('.');
      module.version =
          unsigned(std::stoul(text.substr(0, std::min<size_t>(dot, 4)))) * 10 +
          unsigned(std::stoul("0" + text.substr(dot + 1, 1)));
    } else if (accept(".target")) {
      module.target = word("a target");
      while (accept(','))
        word("a target option");
    } else if (accept(".address_size")) {
      module.addressSize = unsigned(integer("an address size"));
      if (module.addressSize != 64)
        fail("only .address_size 64 is supported");
    } else if (accept(".file")) {
      unsigned id = unsigned(integer("a file index"));
      if (peek().kind != Token::String)
        fail("expected a file name before " + shown(peek()));
      module.files[id] = std::string(next().text);
      while (accept(','))
        integer("a number");
    } else if (accept(".section")) {
      skipSection();
    } else if (accept(".loc")) {
      loc();
    } else if (accept(".pragma") || accept(".alias")) {
      while (!accept(';')) {
        if (peek().kind == Token::End)
          fail("directive is not closed");
        next();
      }
    } else if (accept(';')) {
      // stray
    } else {
      directive();
    }
  }
  if (module.version == 0)
    throw PtxError(0, "no .version directive: this is not PTX");
  if (module.target.empty())
    throw PtxError(0, "no .target directive");
  return std::move(module);
}

ModuleSyntax parseModule(std::string_view text) { return Parser(text).run(); }

} // namespace gemm::emulator
