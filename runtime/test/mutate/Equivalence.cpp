// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reasons why a deletion leaves the same kernel. Each is a pattern of the
// text and cites what the pattern follows from; a survivor that fits none is
// reported, and so is one that changes bits, whatever it fits.
#include "Mutations.h"

#include <algorithm>

using namespace gemm::mutate;

namespace {

class Text {
public:
  Text(std::string_view ptx, const std::vector<Statement> &statements)
      : ptx(ptx), statements(statements) {}
  size_t size() const { return statements.size(); }
  /// From the opcode on.
  std::string_view operator[](size_t i) const {
    return ptx.substr(statements[i].opcode,
                      statements[i].end - statements[i].opcode);
  }
  bool starts(size_t i, std::string_view with) const {
    return (*this)[i].substr(0, with.size()) == with;
  }
  bool contains(size_t i, std::string_view what) const {
    return (*this)[i].find(what) != std::string_view::npos;
  }
  /// The number behind the last blank.
  int count(size_t i) const {
    const std::string_view text = (*this)[i];
    return std::atoi(
        std::string(text.substr(text.find_last_of(" \t") + 1)).c_str());
  }
  bool usesSharedMemory(size_t i) const {
    return contains(i, "shared") || starts(i, "ldmatrix") ||
           starts(i, "stmatrix") || starts(i, "wgmma.mma_async");
  }
  bool usesMemory(size_t i) const {
    for (std::string_view opcode : {"ld", "st", "cp.", "red.", "atom."})
      if (starts(i, opcode))
        return true;
    return usesSharedMemory(i);
  }
  template <class F> bool any(size_t from, size_t to, F &&f) const {
    for (size_t i = from; i < to; ++i)
      if (f(i))
        return true;
    return false;
  }

private:
  std::string_view ptx;
  const std::vector<Statement> &statements;
};

/// An earlier wait for as few groups, with nothing issued after it: nothing can
/// be outstanding, wherever control came from.
bool nothingOutstanding(const Text &text, size_t at, std::string_view wait,
                        std::string_view issue) {
  auto issues = [&](size_t i) { return text.starts(i, issue); };
  for (size_t i = at; i-- > 0;) {
    if (issues(i))
      return false;
    if (text.starts(i, wait) && text.count(i) <= text.count(at))
      return !text.any(at, text.size(), issues);
  }
  return false;
}

/// A barrier that comes after a wgmma.wait_group 0 or 1 without an access to
/// shared memory between.
bool followsWgmmaWait(const Text &text, size_t at) {
  for (size_t i = at; i-- > 0;) {
    if (text.starts(i, "wgmma.wait_group"))
      return true;
    if (text.usesSharedMemory(i) || text.starts(i, "bra"))
      return false;
  }
  return false;
}

/// The same barrier again, without an access to memory between.
bool repeatsBarrier(const Text &text, size_t at) {
  for (size_t i = at; i-- > 0;) {
    if (text.starts(i, "bar."))
      return text[i] == text[at];
    if ((text.usesMemory(i) && !text.starts(i, "ld.param")) ||
        text.starts(i, "wgmma"))
      return false;
  }
  return false;
}

std::string_view guardOf(std::string_view statement) {
  std::string_view guard = statement.substr(0, statement.find_first_of(" \t"));
  guard.remove_prefix(guard.substr(0, 2) == "@!" ? 2 : 1);
  return guard;
}

/// `or.pred` of two comparisons, before the branch that it guards.
bool choosesByTwoBounds(const Text &text, size_t at, std::string_view guard) {
  if (!text.starts(at, "bra"))
    return false;
  for (size_t i = at; i-- > 0;)
    if (text.contains(i, std::string(guard) + ","))
      return text.starts(i, "or.pred");
  return false;
}

} // namespace

const char *gemm::mutate::equivalence(std::string_view ptx,
                                      const std::vector<Statement> &statements,
                                      unsigned threads,
                                      const Mutation &mutation) {
  const Text text(ptx, statements);
  const size_t at = mutation.statement;
  if (mutation.kind == Mutation::Kind::Unguard) {
    if (choosesByTwoBounds(text, at, guardOf(mutation.original)))
      return "chooses between the stores of a whole tile and those that check "
             "each element, which are right for a whole tile too";
    return nullptr;
  }
  if (text.starts(at, "wgmma.fence") && text.any(0, text.size(), [&](size_t i) {
        return i != at && text.starts(i, "wgmma.fence");
      }))
    return "another fence comes before, and between them the registers are "
           "used by wgmma of one shape only (\"wgmma.fence\"; the emulator "
           "follows every register)";
  if (text.starts(at, "wgmma.wait_group") &&
      nothingOutstanding(text, at, "wgmma.wait_group", "wgmma.mma_async"))
    return "no wgmma is issued after the wait for as few groups before it";
  if (text.starts(at, "cp.async.wait")) {
    if (nothingOutstanding(text, at, "cp.async.wait", "cp.async.c"))
      return "no cp.async is issued after the wait for as few groups before it";
    if (!text.any(at + 1, text.size(),
                  [&](size_t i) { return text.usesSharedMemory(i); }))
      return "nothing uses shared memory after it; a thread may exit before "
             "its cp.async are complete";
  }
  if (text.starts(at, "bar.sync") && threads <= 128 &&
      followsWgmmaWait(text, at))
    return "the CTA is one warpgroup, whose wgmma are complete for all its "
           "threads when the wait before it returns (\"wgmma.commit_group\": a "
           "wgmma-group is made per warpgroup)";
  if (text.starts(at, "bar.sync") && repeatsBarrier(text, at))
    return "no memory is used between the barrier before it and this one";
  return nullptr;
}
