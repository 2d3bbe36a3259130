// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Post-dominators by the iterative algorithm of Cooper, Harvey and Kennedy ("A
// Simple, Fast Dominance Algorithm") on the reversed graph.
#include "Cfg.h"

#include <algorithm>
#include <string_view>

namespace gemm::emulator {

namespace {
bool is(std::string_view opcode, std::string_view base) {
  return opcode.substr(0, base.size()) == base &&
         (opcode.size() == base.size() || opcode[base.size()] == '.');
}
struct Block {
  int begin = 0, end = 0;
  std::vector<int> successors, predecessors;
};
} // namespace

std::vector<int> reconvergencePoints(const FunctionSyntax &f) {
  const int n = int(f.insts.size());
  std::vector<int> result(size_t(n), -1);
  if (n == 0)
    return result;
  std::vector<char> leader(size_t(n) + 1, 0);
  leader[0] = 1;
  for (int l : f.labels)
    if (l >= 0)
      leader[size_t(l)] = 1;
  auto terminates = [&](const RawInst &i) {
    return is(i.opcode, "bra") || is(i.opcode, "brx") || is(i.opcode, "ret") ||
           is(i.opcode, "exit") || is(i.opcode, "trap");
  };
  for (int i = 0; i < n; ++i)
    if (terminates(f.insts[size_t(i)]))
      leader[size_t(i) + 1] = 1;
  std::vector<Block> blocks;
  std::vector<int> blockOf(size_t(n) + 1, -1);
  for (int i = 0; i < n; ++i) {
    if (leader[size_t(i)]) {
      blocks.emplace_back();
      blocks.back().begin = i;
    }
    blocks.back().end = i + 1;
    blockOf[size_t(i)] = int(blocks.size()) - 1;
  }
  const int exitBlock = int(blocks.size());
  blockOf[size_t(n)] = exitBlock;
  blocks.emplace_back();
  auto edge = [&](int from, int to) {
    auto &s = blocks[size_t(from)].successors;
    if (std::find(s.begin(), s.end(), to) == s.end()) {
      s.push_back(to);
      blocks[size_t(to)].predecessors.push_back(from);
    }
  };
  for (int b = 0; b < exitBlock; ++b) {
    const RawInst &last = f.insts[size_t(blocks[size_t(b)].end - 1)];
    bool fallsThrough = true;
    auto toLabel = [&](const Operand &op) {
      if (op.kind == Operand::Label)
        edge(b, blockOf[size_t(f.labels[op.index])]);
    };
    if (terminates(last)) {
      fallsThrough = last.guard >= 0;
      if (is(last.opcode, "bra") || is(last.opcode, "brx")) {
        for (const Operand &op : last.operands) {
          toLabel(op);
          for (const Operand &e : op.elems)
            toLabel(e);
        }
      } else {
        edge(b, exitBlock);
      }
    }
    if (fallsThrough)
      edge(b, blockOf[size_t(blocks[size_t(b)].end)]);
  }

  // Post-order of the reversed graph from the exit.
  std::vector<int> order, number(blocks.size(), -1);
  {
    std::vector<std::pair<int, size_t>> stack{{exitBlock, 0}};
    std::vector<char> seen(blocks.size(), 0);
    seen[size_t(exitBlock)] = 1;
    while (!stack.empty()) {
      auto &[b, i] = stack.back();
      if (i < blocks[size_t(b)].predecessors.size()) {
        int p = blocks[size_t(b)].predecessors[i++];
        if (!seen[size_t(p)]) {
          seen[size_t(p)] = 1;
          stack.push_back({p, 0});
        }
      } else {
        number[size_t(b)] = int(order.size());
        order.push_back(b);
        stack.pop_back();
      }
    }
  }
  std::vector<int> idom(blocks.size(), -1);
  idom[size_t(exitBlock)] = exitBlock;
  auto intersect = [&](int a, int b) {
    while (a != b) {
      while (number[size_t(a)] < number[size_t(b)])
        a = idom[size_t(a)];
      while (number[size_t(b)] < number[size_t(a)])
        b = idom[size_t(b)];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = order.size(); k-- > 0;) {
      int b = order[k];
      if (b == exitBlock)
        continue;
      int best = -1;
      for (int s : blocks[size_t(b)].successors) {
        if (number[size_t(s)] < 0 || idom[size_t(s)] < 0)
          continue;
        best = best < 0 ? s : intersect(best, s);
      }
      if (best >= 0 && idom[size_t(b)] != best) {
        idom[size_t(b)] = best;
        changed = true;
      }
    }
  }
  for (int b = 0; b < exitBlock; ++b) {
    if (blocks[size_t(b)].successors.size() < 2 || idom[size_t(b)] < 0 ||
        idom[size_t(b)] == exitBlock)
      continue;
    result[size_t(blocks[size_t(b)].end - 1)] =
        blocks[size_t(idom[size_t(b)])].begin;
  }
  return result;
}

} // namespace gemm::emulator
