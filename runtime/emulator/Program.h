// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predecoded code: what the machine executes.
//
// Registers live in "units" of 64 bytes, structure-of-arrays over 32 lanes:
// a predicate is one 32-bit lane mask in its unit, an 8- or 16-bit register one
// unit, a 32-bit register two, a 64-bit register four, a 128-bit register
// eight. Immediates and launch-constant special registers are units too, filled
// once per frame, so every operand is one index.
#ifndef GEMM_EMULATOR_PROGRAM_H
#define GEMM_EMULATOR_PROGRAM_H

#include "Emulator.h"
#include "Syntax.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gemm::emulator {

struct Warp;
struct Inst;
using Handler = void (*)(Warp &warp, const Inst &inst, uint32_t mask);

constexpr uint32_t kNoPc = ~0u, kLanes = 32, kUnitBytes = 64;
/// Units 0 to 7 hold zero of every width, unit 8 the always-true predicate.
constexpr uint32_t kZeroUnit = 0, kTrueUnit = 8, kFirstUnit = 16;

/// What an instruction counts as.
enum class OpClass : uint8_t {
  Integer,
  Float,
  Convert,
  Move,
  Compare,
  Control,
  Warp,
  Memory,
  Atomic,
  Barrier,
  Async,
  Matrix,
  Other
};

enum InstFlags : uint16_t {
  kAligned = 1,     ///< every live lane of the warp must execute it together
  kSimpleTaint = 2, ///< destination undefined where a source is
  kBitMove = 4,     ///< passes values on without looking at them (mov)
  kAlways = 8,      ///< runs even when its predicate is false for all lanes
};

struct alignas(64) Inst {
  Handler run = nullptr;
  uint32_t d = kZeroUnit, a = kZeroUnit, b = kZeroUnit, c = kZeroUnit;
  uint32_t guard = kTrueUnit;
  uint32_t guardXor = 0;
  int64_t imm = 0;   ///< address offset, or what the handler says
  uint32_t aux = 0;  ///< what the handler says
  uint32_t list = 0; ///< first of its entries in FunctionCode::lists
  uint32_t line = 0;
  uint16_t flags = 0;
  uint8_t small = 0; ///< what the handler says
  OpClass opClass = OpClass::Other;
};

/// Registers that an instruction reads and writes, for checks that need them.
struct InstRegisters {
  uint32_t first = 0;
  uint16_t writes = 0,
           reads = 0; ///< in FunctionCode::registerLists, writes first
};

struct FunctionCode {
  std::string name;
  const FunctionSyntax *syntax = nullptr;
  std::vector<Inst> code;
  std::vector<InstRegisters> registers;
  std::vector<uint32_t> registerLists;
  std::vector<uint32_t> lists; ///< unit lists of vector operands, branch tables
  std::vector<std::string> opcodes; ///< per instruction, for messages
  std::vector<std::shared_ptr<const void>>
      extras; ///< what a family keeps per instruction
  uint32_t units = kFirstUnit;

  struct Constant {
    uint32_t unit;
    uint8_t bytes;
    uint64_t low, high;
  };
  std::vector<Constant> constants;
  enum class SpecialKind : uint8_t {
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    LaneId,
    WarpId,
    NWarpId,
    SmId,
    NSmId,
    GridId,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    ClusterIdX,
    ClusterIdY,
    ClusterIdZ,
    NClusterIdX,
    NClusterIdY,
    NClusterIdZ,
    ClusterCtaidX,
    ClusterCtaidY,
    ClusterCtaidZ,
    ClusterNctaidX,
    ClusterNctaidY,
    ClusterNctaidZ,
    ClusterCtarank,
    ClusterNctarank,
    IsExplicitCluster,
    DynamicSmem,
    TotalSmem,
    AggrSmem
  };
  struct SpecialUnit {
    uint32_t unit;
    SpecialKind kind;
    uint8_t bytes;
  };
  std::vector<SpecialUnit> specials;
  /// Address of a variable, known when the kernel is launched.
  struct SymbolUnit {
    uint32_t unit;
    uint8_t bytes;
    enum Kind : uint8_t { SharedStatic, SharedDynamic, Global, Local } kind;
    uint64_t value; ///< offset, or module variable index
    int64_t addend;
  };
  std::vector<SymbolUnit> symbols;

  uint64_t localBytes = 0; ///< per thread, depots and call parameters
  struct Formal {
    uint64_t localOffset;
    uint64_t size;
    uint32_t registerUnit;
    bool isRegister;
  };
  std::vector<Formal> formals, returns;
  bool isEntry = false;
};

struct Module::Impl {
  ModuleSyntax syntax;
  std::vector<FunctionCode> functions; ///< parallel to syntax.functions
  std::vector<EntryInfo> entries;
  /// Shared-memory layout of module-scope and function-scope statics.
  std::vector<uint64_t> moduleSharedOffset; ///< per module variable
  uint64_t staticShared = 0;
  unsigned dynamicAlign = 1;
  uint64_t uniqueId = 0;
};

/// Builds `functions` and `entries` from `syntax`. Throws PtxError.
void decodeModule(Module::Impl &module);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_PROGRAM_H
