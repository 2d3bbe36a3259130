// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between the decoder and the instruction families in ops/.
#ifndef GEMM_EMULATOR_DECODER_H
#define GEMM_EMULATOR_DECODER_H

#include "Program.h"

#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace gemm::emulator {

/// Layout of one function while it is decoded.
struct FunctionBuilder {
  Module::Impl &module;
  const FunctionSyntax &syntax;
  FunctionCode &code;
  std::vector<uint32_t> regUnit; ///< per register declaration
  struct VarPlace {
    Space space;
    uint64_t offset;
  };
  std::vector<VarPlace> vars; ///< per function variable
  std::map<std::pair<unsigned, std::pair<uint64_t, uint64_t>>, uint32_t>
      constants;
  std::map<std::string, uint32_t> specials;
  struct Fixup {
    uint32_t pc;
    unsigned label;
    enum { Target, ListEntry } kind;
    uint32_t listIndex;
  };
  std::vector<Fixup> fixups;

  uint32_t allocate(unsigned bytes);
  uint32_t constant(unsigned bytes, uint64_t low, uint64_t high = 0);
};

unsigned unitsOf(unsigned bytes);

/// One instruction on its way from words to a predecoded form. The families'
/// decode functions consume modifiers and operands; what is left over is an
/// error that names the instruction and its line.
class DecodeContext {
public:
  DecodeContext(FunctionBuilder &fb, const RawInst &raw);

  FunctionBuilder &fb;
  const RawInst &raw;
  Inst inst;

  // Modifiers.
  std::string_view base() const { return words[0]; }
  bool take(std::string_view word);
  bool has(std::string_view word) const;
  /// The first of the given words that is present; consumed.
  std::string_view takeAny(std::initializer_list<std::string_view> set);
  /// The next type modifier from the left; error if none.
  Type takeType();
  std::optional<Type> tryTakeType();
  /// All unconsumed words, in order (for shapes and the like).
  std::vector<std::string_view> rest() const;
  void consumeAll();

  // Operands.
  size_t count() const { return raw.operands.size(); }
  const Operand &op(size_t i) const;
  bool isRegister(const Operand &o) const { return o.kind == Operand::Reg; }
  Type registerType(const Operand &o) const;
  /// Unit of a source that must be `bytes` wide; immediates become constants
  /// converted to `type`.
  uint32_t source(const Operand &o, Type type);
  uint32_t source(size_t i, Type type) { return source(op(i), type); }
  /// Source whose register may be wider than the type (ld, st, cvt); returns
  /// the register's width in bytes through `bytes`.
  uint32_t sourceAnyWidth(const Operand &o, Type type, unsigned &bytes);
  uint32_t predicateSource(const Operand &o, bool &negated);
  uint32_t destination(const Operand &o, Type type);
  uint32_t destination(size_t i, Type type) { return destination(op(i), type); }
  uint32_t destinationAnyWidth(const Operand &o, Type type, unsigned &bytes);
  uint32_t predicateDestination(const Operand &o);
  /// A fresh register that PTX does not name.
  uint32_t scratch(unsigned bytes) { return fb.allocate(bytes); }
  /// An address operand: base unit (64-bit or 32-bit registers are widened by
  /// the handler; see `base32`), offset.
  struct AddressParts {
    uint32_t unit;
    bool base32;
    int64_t offset;
  };
  AddressParts address(const Operand &o);
  AddressParts address(size_t i) { return address(op(i)); }
  /// Integer immediate; error if it is not one.
  int64_t immediate(size_t i);
  /// Appends units to the function's lists and returns the first index.
  uint32_t addList(const std::vector<uint32_t> &units);
  /// Marks extra registers for InstRegisters.
  void noteRead(uint32_t unit) { reads.push_back(unit); }
  void noteWrite(uint32_t unit) { writes.push_back(unit); }
  uint32_t labelReference(const Operand &o);
  /// Keeps an object of the family's own with the function; its index.
  uint32_t addExtra(std::shared_ptr<const void> extra) {
    fb.code.extras.push_back(std::move(extra));
    return uint32_t(fb.code.extras.size() - 1);
  }

  void emit();                  ///< appends `inst`
  void emit(const Inst &extra); ///< appends another one before or after it
  void finishModifiers();       ///< error if words are left
  void expectOperands(size_t low, size_t high);
  /// Error where the module's .target is older than sm_`least`.
  void needsTarget(unsigned least) const;
  [[noreturn]] void fail(const std::string &what) const;
  [[noreturn]] void unknown() const;

private:
  std::vector<std::string_view> words;
  std::vector<bool> used;
  std::vector<uint32_t> reads, writes;
};

using DecodeFunction = void (*)(DecodeContext &);
/// Null when the base word names no instruction.
DecodeFunction findDecoder(std::string_view base);

/// Bits of an immediate operand converted to `type`; nullopt if it is no
/// immediate.
std::optional<uint64_t> immediateBits(const Operand &o, Type type);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_DECODER_H
