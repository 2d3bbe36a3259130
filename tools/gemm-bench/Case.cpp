// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Case.h"

#include "support/Error.h"
#include "support/Report.h"

#include <sstream>

namespace gemm::bench {
namespace {

using namespace tools;

long long number(int64_t value) { return value; }

OperandSignature matrix(const char *name, Role role, ElementType type, Dim rows,
                        Dim cols, bool columnMajor, bool batched) {
  OperandSignature operand;
  operand.name = name;
  operand.role = role;
  operand.type = type;
  operand.dims = {rows, cols};
  operand.columnMajor = columnMajor;
  operand.batched = batched;
  return operand;
}

// A [M,K] and B [N,K] are contiguous along K.
bool aAlongK(const std::string &layout) {
  return layout == "tn" || layout == "nn";
}
bool bAlongK(const std::string &layout) {
  return layout == "tn" || layout == "tt";
}

} // namespace

std::string Case::shape() const {
  std::string text =
      format("%lld x %lld x %lld", number(m), number(n), number(k));
  if (batch != 1)
    text = format("%lld x (%s)", number(batch), text.c_str());
  if (pitch != 1)
    text += format(" ld %% %lld", number(pitch));
  return text;
}

std::string Case::typeList() const {
  std::string text;
  for (size_t i = 0; i < 4; ++i)
    text += (i ? "," : "") + std::string(elementTypeName(types[i]));
  return text;
}

std::string Case::kind() const {
  bool usual = types[0] == types[1] &&
               (types[0] == types[3] || types[0] == ElementType::TF32) &&
               types[2] == (types[0] == ElementType::F64 ? ElementType::F64
                                                         : ElementType::F32);
  return (usual ? std::string(elementTypeName(types[0])) : typeList()) + " " +
         layout;
}

std::string Case::key() const {
  return format("%lldx%lldx%lld batch %lld %s %s pitch %lld", number(m),
                number(n), number(k), number(batch), typeList().c_str(),
                layout.c_str(), number(pitch));
}

ProblemOptions Case::problem() const {
  ProblemOptions options;
  options.m = m;
  options.n = n;
  options.k = k;
  options.batch = batch;
  std::copy(std::begin(types), std::end(types), options.types);
  options.layout = layout;
  options.describesSignature = true;
  auto rounded = [&](int64_t line) {
    Pitch result;
    result.padding = (line + pitch - 1) / pitch * pitch - line;
    return result;
  };
  options.lda = rounded(aAlongK(layout) ? k : m);
  options.ldb = rounded(bAlongK(layout) ? k : n);
  options.ldd = rounded(n);
  return options;
}

Signature Case::signature() const {
  Signature result;
  result.name = "matmul";
  result.batched = batch != 1;
  result.accumulator = types[2];
  bool batched = result.batched;
  result.operands = {
      matrix("A", Role::A, types[0], Dim::M, Dim::K, !aAlongK(layout), batched),
      matrix("B", Role::B, types[1], Dim::N, Dim::K, !bAlongK(layout), batched),
      matrix("D", Role::D, types[3], Dim::M, Dim::N, false, batched)};
  ScalarOp product;
  product.kind = ScalarOp::Kind::Product;
  product.type = types[2];
  result.epilogue.ops = {product};
  if (types[2] != types[3]) {
    ScalarOp convert;
    convert.kind = ScalarOp::Kind::Convert;
    convert.args = {0};
    convert.type = types[3];
    result.epilogue.ops.push_back(convert);
  }
  result.epilogue.results = {static_cast<int>(result.epilogue.ops.size()) - 1};
  return result;
}

void parseTypes(const std::string &text, ElementType (&types)[4]) {
  std::stringstream stream(text);
  size_t count = 0;
  for (std::string name; std::getline(stream, name, ','); ++count) {
    std::optional<ElementType> type = parseElementType(name);
    if (!type)
      throw ToolError("types '" + text + "': '" + name + "' is none of " +
                      elementTypeNames());
    if (count < 4)
      types[count] = *type;
  }
  if (count != 4)
    throw ToolError("types '" + text +
                    "': expected four, of A, B, the accumulator and D");
}

bool computes(const Signature &kernel, const Signature &wanted,
              const Case &problem) {
  if (kernel.operands.size() != wanted.operands.size() ||
      !kernel.scalars.empty() || kernel.accumulator != wanted.accumulator ||
      (wanted.batched && !kernel.batched))
    return false;
  for (size_t i = 0; i < wanted.operands.size(); ++i) {
    const OperandSignature &a = kernel.operands[i], &b = wanted.operands[i];
    if (a.role != b.role || a.type != b.type || a.dims != b.dims ||
        a.columnMajor != b.columnMajor || (b.batched && !a.batched))
      return false;
  }
  for (const ScalarOp &op : kernel.epilogue.ops)
    if (op.kind != ScalarOp::Kind::Product &&
        op.kind != ScalarOp::Kind::Convert)
      return false;
  const int64_t extents[] = {problem.m, problem.n, problem.k, problem.batch};
  for (size_t i = 0; i < 4; ++i)
    if (kernel.fixedExtents[i] && *kernel.fixedExtents[i] != extents[i])
      return false;
  return true;
}

} // namespace gemm::bench
