// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function bodies: scopes, registers, labels, instructions, operands.
#include "Parser.h"

namespace gemm::emulator {

static bool startsWith(std::string_view s, std::string_view p) {
  return s.substr(0, p.size()) == p;
}

std::optional<unsigned> Parser::findRegister(FunctionSyntax &f,
                                             const std::string &name) {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  for (size_t s = scopes.size(); s-- > 0;) {
    Scope &scope = scopes[s];
    if (auto it = scope.regs.find(name); it != scope.regs.end())
      return it->second;
    // `.reg .b32 %r<8>` declares %r0..%r7; ids are made at first use. The
    // prefix itself may end in digits, so try every split.
    for (size_t d = digits; d < name.size() && name.size() - d <= 9; ++d) {
      auto range = scope.ranges.find(name.substr(0, d));
      if (range == scope.ranges.end())
        continue;
      std::string tail = name.substr(d);
      if (tail.size() > 1 && tail[0] == '0')
        continue;
      if (std::stoul(tail) >= range->second.count)
        continue;
      unsigned id = unsigned(f.regs.size());
      f.regs.push_back({name, range->second.type, range->second.vector});
      scope.regs[name] = id;
      return id;
    }
  }
  return std::nullopt;
}

std::optional<unsigned> Parser::findVariable(const std::string &name) const {
  for (size_t s = scopes.size(); s-- > 0;)
    if (auto it = scopes[s].vars.find(name); it != scopes[s].vars.end())
      return it->second;
  return std::nullopt;
}

unsigned Parser::labelId(FunctionSyntax &f, const std::string &name,
                         Scope &scope) {
  auto [it, isNew] = scope.labels.emplace(name, unsigned(f.labels.size()));
  if (isNew)
    f.labels.push_back(-1);
  return it->second;
}

void Parser::registers(FunctionSyntax &f) {
  unsigned vector = 1;
  if (accept(".v2"))
    vector = 2;
  else if (accept(".v4"))
    vector = 4;
  std::string typeWord = word("a register type");
  Type type = typeWord.size() > 1
                  ? typeFromName(std::string_view(typeWord).substr(1))
                  : Type::None;
  if (type == Type::None)
    fail("unknown register type '" + typeWord + "'");
  if (vector != 1)
    fail("vector registers are not supported");
  do {
    std::string name = word("a register name");
    if (accept('<')) {
      uint64_t n = integer("a register count");
      expect('>');
      if (n > 1000000)
        fail("more than 1000000 registers named '" + name + "'");
      scopes.back().ranges[name] = {unsigned(n), type, vector};
    } else {
      scopes.back().regs[name] = unsigned(f.regs.size());
      f.regs.push_back({name, type, vector});
    }
  } while (accept(','));
  expect(';');
}

void Parser::closeScope(FunctionSyntax &f) {
  Scope &scope = scopes.back();
  for (auto &p : scope.pending) {
    Operand *op = &f.insts[p.inst].operands[p.operand];
    if (p.element >= 0)
      op = &op->elems[unsigned(p.element)];
    auto it = scope.labels.find(p.name);
    if (it != scope.labels.end()) {
      op->index = it->second;
      continue;
    }
    if (auto list = scope.lists.find(p.name); list != scope.lists.end()) {
      op->kind = Operand::Func;
      op->name = p.name;
      op->elems.clear();
      for (unsigned id : list->second) {
        Operand l;
        l.kind = Operand::Label;
        l.index = id;
        op->elems.push_back(l);
      }
      continue;
    }
    if (scopes.size() == 1)
      throw PtxError(p.line,
                     "label '" + p.name + "' is not defined in this scope");
    scopes[scopes.size() - 2].pending.push_back(p);
  }
  scopes.pop_back();
}

Operand Parser::address(FunctionSyntax &f) {
  Operand a;
  a.kind = Operand::Address;
  Operand base = primary(f);
  if (base.kind == Operand::Int) {
    a.value = base.value;
    base.value = 0;
  }
  if (accept('+'))
    a.value += constant();
  else if (accept('-'))
    a.value -= constant();
  a.elems.push_back(base);
  while (accept(','))
    a.elems.push_back(operand(f));
  expect(']');
  return a;
}

Operand Parser::primary(FunctionSyntax &f) {
  Operand op;
  const Token &t = peek();
  switch (t.kind) {
  case Token::Float32:
    op.kind = Operand::F32Bits;
    op.value = int64_t(next().value);
    return op;
  case Token::Float64:
    op.kind = Operand::F64Bits;
    op.value = int64_t(next().value);
    return op;
  case Token::Integer:
    op.kind = Operand::Int;
    op.value = constantPrimary();
    return op;
  case Token::Punct:
    if (t.is('-') &&
        (peek(1).kind == Token::Float32 || peek(1).kind == Token::Float64)) {
      next();
      op = primary(f);
      op.value = int64_t(uint64_t(op.value) ^
                         (op.kind == Operand::F32Bits ? uint64_t(1) << 31
                                                      : uint64_t(1) << 63));
      return op;
    }
    if (t.is('-') || t.is('~') || t.is('(') || t.is('+')) {
      op.kind = Operand::Int;
      op.value = constantPrimary();
      return op;
    }
    fail("expected an operand before " + shown(t));
  case Token::Word: {
    std::string name(t.text);
    unsigned line = t.line;
    next();
    if (name == "_") {
      op.kind = Operand::Sink;
      return op;
    }
    if (auto r = findRegister(f, name)) {
      op.kind = Operand::Reg;
      op.index = *r;
      return op;
    }
    if (auto v = findVariable(name)) {
      op.kind = Operand::Var;
      op.index = *v;
      op.name = name;
      return op;
    }
    if (auto it = module.varIndex.find(name); it != module.varIndex.end()) {
      op.kind = Operand::Var;
      op.moduleVar = true;
      op.index = it->second;
      op.name = name;
      return op;
    }
    if (name == "WARP_SZ") {
      op.kind = Operand::Int;
      op.value = 32;
      return op;
    }
    if (name[0] == '%') {
      op.kind = Operand::Special;
      op.name = name;
      return op;
    }
    op.kind = Operand::Func; // a function or a label; resolved by the caller
    op.name = name;
    op.value = line;
    return op;
  }
  default:
    fail("expected an operand before " + shown(t));
  }
}

Operand Parser::operand(FunctionSyntax &f) {
  if (++depth > 100)
    fail("operand is nested too deeply");
  Operand op;
  if (accept('[')) {
    op = address(f);
  } else if (accept('{')) {
    op.kind = Operand::Vector;
    while (!accept('}')) {
      op.elems.push_back(operand(f));
      if (!accept(',') && !peek().is('}'))
        fail("expected ',' or '}' before " + shown(peek()));
    }
  } else if (peek().is('(')) {
    // A parenthesised list belongs to call; an expression elsewhere.
    next();
    op.kind = Operand::Group;
    while (!accept(')')) {
      op.elems.push_back(operand(f));
      if (!accept(',') && !peek().is(')'))
        fail("expected ',' or ')' before " + shown(peek()));
    }
  } else if (accept('!')) {
    op = primary(f);
    op.negated = true;
  } else {
    op = primary(f);
    if (accept('|')) {
      Operand second = primary(f), pair;
      pair.kind = Operand::Pair;
      pair.elems = {op, second};
      op = pair;
    } else if (op.kind == Operand::Var && (peek().is('+') || peek().is('-'))) {
      op.value = constant();
    } else if (op.kind == Operand::Int &&
               (peek().is('+') || peek().is('-') || peek().is('*') ||
                peek().is('|') || peek().is('&') || peek().is('<'))) {
      op.value += constant();
    }
  }
  --depth;
  return op;
}

void Parser::instruction(FunctionSyntax &f) {
  RawInst inst;
  inst.line = peek().line;
  inst.locFile = locFile;
  inst.locLine = locLine;
  if (accept('@')) {
    inst.guardNegated = accept('!');
    std::string name = word("a predicate");
    auto r = findRegister(f, name);
    if (!r || f.regs[*r].type != Type::Pred)
      fail("'" + name + "' is not a predicate register");
    inst.guard = int(*r);
    inst.line = peek().line;
  }
  inst.opcode = word("an instruction");
  while (!peek().is(';')) {
    if (peek().kind == Token::End)
      fail("instruction '" + inst.opcode + "' is not ended by ';'");
    inst.operands.push_back(operand(f));
    if (!accept(',') && !peek().is(';')) {
      // `tex`-like forms aside, operands are separated by commas.
      fail("expected ',' or ';' before " + shown(peek()) + " in '" +
           inst.opcode + "'");
    }
  }
  next();
  bool branch = startsWith(inst.opcode, "bra") ||
                startsWith(inst.opcode, "brx") ||
                startsWith(inst.opcode, "call");
  for (unsigned o = 0; o < inst.operands.size(); ++o) {
    Operand &op = inst.operands[o];
    if (op.kind != Operand::Func)
      continue;
    if (!branch)
      throw PtxError(unsigned(op.value), "'" + op.name + "' is not declared");
    if (startsWith(inst.opcode, "call"))
      continue;
    std::string name = op.name;
    op.kind = Operand::Label;
    scopes.back().pending.push_back({f.insts.size(), o, -1, inst.line, name});
  }
  f.insts.push_back(std::move(inst));
}

void Parser::statement(FunctionSyntax &f) {
  const Token &t = peek();
  if (t.kind == Token::End)
    fail("function '" + f.name + "' is not closed");
  if (accept('{')) {
    if (scopes.size() > 200)
      fail("scopes are nested too deeply");
    scopes.emplace_back();
    return;
  }
  if (accept(';'))
    return;
  if (t.kind == Token::Word && peek(1).is(':')) {
    std::string name(next().text);
    unsigned line = next().line;
    if (accept(".branchtargets") || accept(".calltargets")) {
      std::vector<unsigned> ids;
      do {
        std::string target = word("a label");
        // Targets belong to this scope; defined here or later in it.
        ids.push_back(labelId(f, target, scopes.back()));
      } while (accept(','));
      expect(';');
      scopes.back().lists[name] = ids;
      return;
    }
    if (accept(".callprototype")) {
      while (!accept(';')) {
        if (peek().kind == Token::End)
          fail(".callprototype is not closed");
        next();
      }
      return;
    }
    unsigned id = labelId(f, name, scopes.back());
    if (f.labels[id] >= 0)
      throw PtxError(line,
                     "label '" + name + "' is defined twice in this scope");
    f.labels[id] = int(f.insts.size());
    return;
  }
  if (t.kind == Token::Word && t.text[0] == '.') {
    if (accept(".reg"))
      return registers(f);
    if (accept(".loc"))
      return loc();
    if (accept(".pragma")) {
      while (!accept(';')) {
        if (peek().kind == Token::End)
          fail(".pragma is not closed");
        next();
      }
      return;
    }
    Space space;
    if (accept(".shared"))
      space = Space::Shared;
    else if (accept(".local"))
      space = Space::Local;
    else if (accept(".param"))
      space = Space::Param;
    else if (accept(".global"))
      space = Space::Global;
    else if (accept(".const"))
      space = Space::Const;
    else if (accept(".extern")) {
      if (!accept(".shared"))
        fail("only .extern .shared may be declared in a body");
      variables(Space::Shared, true, f.vars, true);
      expect(';');
      return;
    } else
      fail("unknown directive " + shown(t));
    variables(space, false, f.vars, true);
    expect(';');
    return;
  }
  instruction(f);
}

void Parser::body(FunctionSyntax &f) {
  size_t outer = scopes.size();
  locFile = locLine = 0;
  for (;;) {
    if (peek().is('}')) {
      next();
      bool last = scopes.size() == outer;
      closeScope(f);
      if (last)
        break;
      continue;
    }
    statement(f);
  }
  for (size_t i = 0; i < f.labels.size(); ++i)
    if (f.labels[i] < 0)
      throw PtxError(f.line, "a label listed in .branchtargets of '" + f.name +
                                 "' is not defined");
}

} // namespace gemm::emulator
