// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parser makes of PTX text: declarations resolved to indices,
// instructions still as words and operands.
#ifndef GEMM_EMULATOR_SYNTAX_H
#define GEMM_EMULATOR_SYNTAX_H

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace gemm::emulator {

/// Thrown inside the front end, caught in Module::parse.
struct PtxError : std::runtime_error {
  PtxError(unsigned line, const std::string &what)
      : std::runtime_error((line ? "line " + std::to_string(line) + ": " : "") +
                           what),
        line(line) {}
  unsigned line;
};

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  U8,
  S8,
  E4M3,
  E5M2,
  B16,
  U16,
  S16,
  F16,
  BF16,
  E4M3x2,
  E5M2x2,
  B32,
  U32,
  S32,
  F32,
  TF32,
  F16x2,
  BF16x2,
  U16x2,
  S16x2,
  U8x4,
  S8x4,
  B64,
  U64,
  S64,
  F64,
  B128,
  B1,
  B4,
  U4,
  S4, // only as operand types of matrix instructions
  E2M1,
  E2M3,
  E3M2,
};
/// Size in bits; predicates 1.
unsigned bitsOf(Type t);
bool isSigned(Type t);
bool isFloat(Type t);
/// None when the word (without dot) names no type.
Type typeFromName(std::string_view name);
const char *nameOf(Type t);

enum class Space : uint8_t {
  Generic,
  Global,
  Shared,
  SharedCluster,
  Local,
  Param,
  Const
};

struct RegDecl {
  std::string name;
  Type type = Type::None;
  unsigned vector = 1; ///< .v2 / .v4 registers
};

/// A variable with an address: module or function scope.
struct VarDecl {
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8;
  uint64_t size = 0; ///< bytes
  unsigned align = 1;
  bool isExtern = false;
  bool isArray = false;
  unsigned line = 0;
  std::vector<uint8_t> init; ///< empty: zero
  struct Relocation {
    uint64_t offset;
    std::string symbol;
    int64_t addend;
    bool generic;
    unsigned width;
  };
  std::vector<Relocation> relocations;
};

struct Operand {
  enum Kind : uint8_t {
    Reg,     ///< index = register
    Special, ///< name = "%tid.x"
    Int,     ///< value
    F32Bits, ///< value = bits
    F64Bits, ///< value = bits (also decimal literals)
    Var,     ///< index = variable of the function, or module's when global
    Func,    ///< name, a function or a label list
    Label,   ///< index = label id
    Address, ///< elems[0] = base (Reg/Var/Int), value = offset; further elems
             ///< follow commas
    Vector,  ///< {a, b}
    Pair,    ///< a|b
    Group,   ///< (a, b) of a call
    Sink,    ///< _
  } kind = Int;
  bool negated = false; ///< !p
  bool moduleVar = false;
  unsigned index = 0;
  int64_t value = 0;
  std::string name;
  std::vector<Operand> elems;
};

struct RawInst {
  std::string opcode; ///< whole dotted word
  std::vector<Operand> operands;
  int guard = -1; ///< register index
  bool guardNegated = false;
  unsigned line = 0;
  unsigned locFile = 0, locLine = 0;
};

struct FunctionSyntax {
  std::string name;
  bool isEntry = false;
  bool hasBody = false;
  unsigned line = 0;
  std::vector<RegDecl> regs;
  std::vector<VarDecl> vars; ///< params first (formals), then locals
  std::vector<unsigned>
      formals; ///< indices into vars, or registers (see formalRegs)
  std::vector<unsigned> returns;
  std::vector<bool> formalIsReg, returnIsReg;
  std::vector<RawInst> insts;
  std::vector<int> labels; ///< label id -> instruction index
  std::map<std::string, std::vector<unsigned>>
      branchTargets; ///< list name -> label ids
  unsigned reqntid[3] = {0, 0, 0}, maxntid[3] = {0, 0, 0},
           cluster[3] = {0, 0, 0};
  bool explicitCluster = false;
};

struct ModuleSyntax {
  unsigned version = 0; ///< 86 for 8.6
  std::string target;
  unsigned addressSize = 64;
  std::vector<VarDecl> vars;
  std::vector<FunctionSyntax> functions;
  std::map<std::string, unsigned> varIndex, functionIndex;
  std::map<unsigned, std::string> files;
};

/// Throws PtxError.
ModuleSyntax parseModule(std::string_view text);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_SYNTAX_H
