// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic, bit operations, and exchanges between lanes.
#include "ScalarInstruction.h"

namespace gemm::agreement {

namespace {

using List = std::vector<ScalarInstruction>;

ScalarOperand divisor(unsigned bits) {
  ScalarOperand operand = integerOperand(bits);
  operand.kind = ScalarOperand::NonZero;
  return operand;
}

ScalarOperand lane() {
  ScalarOperand operand = integerOperand(32);
  operand.kind = ScalarOperand::Lane;
  return operand;
}

void add(List &list, const std::string &text, ScalarOperand result,
         std::vector<ScalarOperand> operands) {
  list.push_back({text, result, std::move(operands), 0, 0});
}

void addInteger(List &list) {
  for (unsigned bits : {16u, 32u, 64u}) {
    const ScalarOperand x = integerOperand(bits);
    for (const char *sign : {"s", "u"}) {
      const std::string type = "." + std::string(sign) + std::to_string(bits);
      for (const char *op : {"add", "sub", "mul.lo", "mul.hi", "min", "max"})
        add(list, op + type + " $d, $a, $b;", x, {x, x});
      for (const char *op : {"div", "rem"})
        add(list, op + type + " $d, $a, $b;", x, {x, divisor(bits)});
      for (const char *op : {"mad.lo", "mad.hi", "sad"})
        add(list, op + type + " $d, $a, $b, $c;", x, {x, x, x});
      add(list, "shr" + type + " $d, $a, $b;", x, {x, integerOperand(32)});
      if (bits < 64) {
        add(list, "mul.wide" + type + " $d, $a, $b;", integerOperand(2 * bits),
            {x, x});
        add(list, "mad.wide" + type + " $d, $a, $b, $c;",
            integerOperand(2 * bits), {x, x, integerOperand(2 * bits)});
      }
      if (bits > 16) {
        add(list, "bfe" + type + " $d, $a, $b, $c;", x,
            {x, integerOperand(32), integerOperand(32)});
        for (const char *amount : {"", ".shiftamt"})
          add(list, std::string("bfind") + amount + type + " $d, $a;",
              integerOperand(32), {x});
      }
    }
    const std::string type = ".b" + std::to_string(bits);
    add(list, "shl" + type + " $d, $a, $b;", x, {x, integerOperand(32)});
    for (const char *op : {"abs", "neg"})
      add(list, op + std::string(".s") + std::to_string(bits) + " $d, $a;", x,
          {x});
    for (const char *op : {"not", "cnot"})
      add(list, op + type + " $d, $a;", x, {x});
    if (bits == 16)
      continue;
    for (const char *op : {"popc", "clz"})
      add(list, op + type + " $d, $a;", integerOperand(32), {x});
    add(list, "brev" + type + " $d, $a;", x, {x});
    add(list, "bfi" + type + " $d, $a, $a, $b, $c;", x,
        {x, integerOperand(32), integerOperand(32)});
  }
  const ScalarOperand w = integerOperand(32);
  for (const char *op : {"add.sat.s32", "sub.sat.s32", "mul24.lo.s32",
                         "mul24.hi.s32", "mul24.lo.u32", "mul24.hi.u32"})
    add(list, op + std::string(" $d, $a, $b;"), w, {w, w});
  for (const char *op :
       {"mad24.lo.s32",    "mad24.hi.u32",    "mad.hi.sat.s32",
        "lop3.b32",        "slct.u32.s32",    "dp4a.s32.s32",
        "dp4a.u32.u32",    "dp4a.s32.u32",    "dp2a.lo.s32.s32",
        "dp2a.hi.u32.s32", "shf.l.wrap.b32",  "shf.l.clamp.b32",
        "shf.r.wrap.b32",  "shf.r.clamp.b32", "prmt.b32",
        "prmt.b32.f4e",    "prmt.b32.b4e",    "prmt.b32.rc8",
        "prmt.b32.ecl",    "prmt.b32.ecr",    "prmt.b32.rc16"}) {
    const std::string opcode = op;
    add(list,
        opcode + (opcode == "lop3.b32" ? " $d, $a, $b, $c, 0x96;"
                                       : " $d, $a, $b, $c;"),
        w, {w, w, w});
  }
  for (const char *mode : {"clamp", "wrap"}) {
    add(list, std::string("bmsk.") + mode + ".b32 $d, $a, $b;", w, {w, w});
    for (const char *sign : {"s", "u"})
      add(list, std::string("szext.") + mode + "." + sign + "32 $d, $a, $b;", w,
          {w, w});
  }
  add(list, "fns.b32 $d, $a, $b, 3;", w, {w, lane()});
}

void addExchanges(List &list) {
  const ScalarOperand w = integerOperand(32);
  for (const char *mode : {"up", "down", "bfly", "idx"})
    for (const char *clamp : {"0", "0x1f", "0x181f", "0x1c1f"})
      add(list,
          std::string("{ .reg .pred p; .reg .b32 t, u; shfl.sync.") + mode +
              ".b32 t|p, $a, $b, " + clamp +
              ", -1; selp.b32 u, 0x10000, 0, p; xor.b32 $d, t, u; }",
          w, {w, lane()});
  for (const char *op : {"add.s32", "min.s32", "max.s32", "add.u32", "min.u32",
                         "max.u32", "and.b32", "or.b32", "xor.b32"})
    add(list, std::string("redux.sync.") + op + " $d, $a, -1;", w, {w});
  for (const char *op : {"all", "any", "uni"})
    add(list,
        std::string("{ .reg .pred p, q; setp.lt.s32 p, $a, 0; vote.sync.") +
            op + ".pred q, p, -1; selp.b32 $d, 1, 0, q; }",
        w, {w});
  add(list,
      "{ .reg .pred p; setp.lt.s32 p, $a, 0; vote.sync.ballot.b32 $d, p, -1; }",
      w, {w});
  add(list, "match.any.sync.b32 $d, $a, -1;", w, {lane()});
  add(list, "match.all.sync.b32 $d, $a, -1;", w, {lane()});
  add(list, "movmatrix.sync.aligned.m8n8.trans.b16 $d, $a;", w, {w});
}

} // namespace

std::vector<ScalarInstruction> bitInstructions() {
  List list;
  addInteger(list);
  addExchanges(list);
  return list;
}

} // namespace gemm::agreement
