// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EpilogueForm.h"

namespace gemm::tools {
namespace {

using Kind = ScalarOp::Kind;

// What a value is before conversions.
const ScalarOp &source(const ScalarProgram &program, int value) {
  const ScalarOp *op = &program.ops[value];
  while (op->kind == Kind::Convert)
    op = &program.ops[op->args[0]];
  return *op;
}

} // namespace

EpilogueForm recognizeEpilogue(const Signature &signature) {
  EpilogueForm form;
  for (size_t i = 0; i < signature.operands.size(); ++i) {
    const OperandSignature &operand = signature.operands[i];
    if (operand.role != Role::Epilogue)
      continue;
    bool matrix = operand.dims.size() == 2, vector = operand.dims.size() == 1;
    if (matrix && form.c < 0)
      form.c = static_cast<int>(i);
    else if (vector && form.bias < 0)
      form.bias = static_cast<int>(i);
    else
      ++form.others;
  }
  const ScalarProgram &program = signature.epilogue;
  for (const ScalarOp &op : program.ops) {
    form.relu |= op.kind == Kind::Maximum || op.kind == Kind::MaxNum ||
                 op.kind == Kind::Select;
    if (op.kind != Kind::Mul)
      continue;
    for (int side : {0, 1}) {
      const ScalarOp &scalar = source(program, op.args[side]);
      const ScalarOp &factor = source(program, op.args[1 - side]);
      if (scalar.kind != Kind::Scalar)
        continue;
      if (factor.kind == Kind::Operand && factor.index == form.c)
        form.beta = scalar.index;
      else if (factor.kind == Kind::Product)
        form.alpha = scalar.index;
    }
  }
  return form;
}

} // namespace gemm::tools
