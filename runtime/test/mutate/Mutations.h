// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single deletions from the text of a kernel: what orders, and what guards.
#ifndef GEMM_TEST_MUTATE_MUTATIONS_H
#define GEMM_TEST_MUTATE_MUTATIONS_H

#include <string>
#include <string_view>
#include <vector>

namespace gemm::mutate {

struct Statement {
  size_t begin = 0, end = 0; ///< of the text, from the guard to the semicolon
  size_t opcode = 0;         ///< where the opcode begins, after a guard
  unsigned line = 0;         ///< from 1
};

/// The statements of one entry's body; labels, directives and the braces of
/// scopes are left out.
std::vector<Statement> statementsOf(std::string_view ptx,
                                    std::string_view entry);

struct Mutation {
  enum class Kind {
    Delete,     ///< barrier, fence, wait, commit, arrive, init
    DropExpect, ///< .expect_tx only; the arrival stays
    PassWait,   ///< a test_wait or try_wait that is always true
    Unguard     ///< the instruction without its predicate
  };
  Kind kind = Kind::Delete;
  unsigned line = 0;
  size_t statement = 0; ///< index
  std::string opcode;   ///< with its modifiers
  std::string original; ///< the statement
  size_t begin = 0, end = 0;
  std::string replacement; ///< of [begin, end)

  std::string apply(std::string_view ptx) const;
  std::string text() const; ///< "line 12: delete 'bar.sync 0'"
};

/// Every mutation of an entry, in the order of the text.
std::vector<Mutation> mutationsOf(std::string_view ptx, std::string_view entry);

/// Why a mutant that computes the same without a report is the same kernel by
/// the ISA; null if no reason is known. `threads`: of a CTA.
const char *equivalence(std::string_view ptx,
                        const std::vector<Statement> &statements,
                        unsigned threads, const Mutation &mutation);

} // namespace gemm::mutate

#endif // GEMM_TEST_MUTATE_MUTATIONS_H
