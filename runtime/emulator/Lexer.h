// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX tokens. A dotted word (opcode, directive, special register) is one token.
#ifndef GEMM_EMULATOR_LEXER_H
#define GEMM_EMULATOR_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gemm::emulator {

struct Token {
  enum Kind : uint8_t {
    Word,
    Integer,
    Float32,
    Float64,
    String,
    Punct,
    End
  } kind = End;
  std::string_view text;
  uint64_t value = 0; ///< integer, or float bits
  unsigned line = 0;
  bool is(char c) const { return kind == Punct && text[0] == c; }
  bool is(std::string_view word) const { return kind == Word && text == word; }
};

/// Throws PtxError on a character that PTX does not know. `text` must outlive
/// the tokens.
std::vector<Token> tokenize(std::string_view text);

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_LEXER_H
