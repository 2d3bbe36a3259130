// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProblemText.h"

#include "support/Error.h"

#include <vector>

namespace gemm::tools {
namespace {

std::string typeText(ElementType type) {
  switch (type) {
  case ElementType::E4M3:
    return "f8E4M3FN";
  case ElementType::E5M2:
    return "f8E5M2";
  case ElementType::S8:
    return "i8";
  case ElementType::S32:
    return "i32";
  default:
    return std::string(elementTypeName(type));
  }
}

std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

// Operands of one clause: "%a[m, k], %b[n, k] : memref<...>, memref<...>".
class Clause {
public:
  void add(const std::string &name, const std::string &indices,
           const std::string &type) {
    uses.push_back(name + "[" + indices + "]");
    types.push_back(type);
    arguments.push_back(name + ": " + type);
  }
  bool empty() const { return uses.empty(); }
  std::string text() const { return join(uses) + " : " + join(types); }

  std::vector<std::string> uses, types, arguments;
};

// A matrix whose lines are contiguous, at any pitch.
std::string matrixType(ElementType element, bool batched) {
  return (batched ? "memref<?x?x?x" : "memref<?x?x") + typeText(element) +
         (batched ? ", strided<[?, ?, 1]>>" : ", strided<[?, 1]>>");
}

// The epilogue's arithmetic, one line an operation.
class Body {
public:
  std::string value(const std::string &operation) {
    std::string name = "%" + std::to_string(next++);
    lines += "      " + name + " = " + operation + "\n";
    return name;
  }
  // `name` of type `from` as `to`.
  std::string convert(const std::string &name, ElementType from,
                      ElementType to) {
    if (from == to)
      return name;
    // Between f16 and bf16 there is no conversion.
    if (isFloat(from) && isFloat(to) && elementSize(from) == elementSize(to) &&
        elementSize(from) < 4)
      return convert(convert(name, from, ElementType::F32), ElementType::F32,
                     to);
    std::string types = " : " + typeText(from) + " to " + typeText(to);
    if (isFloat(from) && isFloat(to))
      return value((elementSize(from) < elementSize(to) ? "arith.extf "
                                                        : "arith.truncf ") +
                   name + types);
    if (isFloat(to))
      return value("arith.sitofp " + name + types);
    throw ToolError("--types: an accumulator of type " + typeText(from) +
                    " cannot become a D of type " + typeText(to));
  }
  std::string lines;

private:
  int next = 0;
};

void refuseIntegerEpilogue(const ProblemOptions &problem) {
  if (isFloat(problem.types[2]))
    return;
  if (problem.alpha || problem.beta || problem.bias != "none" ||
      problem.activation != "none")
    throw ToolError("--alpha, --beta, --bias and --activation need a "
                    "floating-point accumulator, not " +
                    typeText(problem.types[2]));
}

} // namespace

std::string problemText(const ProblemOptions &problem) {
  refuseIntegerEpilogue(problem);
  bool batched = problem.batch.value_or(1) != 1;
  bool hasC = problem.beta.value_or(0) != 0;
  bool hasBias = problem.bias != "none";
  bool relu = problem.activation == "relu";
  const std::string &layout = problem.layout;
  const std::string batch = batched ? "b, " : "";
  ElementType accumulator = problem.types[2], result = problem.types[3];
  std::string accumulatorText = typeText(accumulator);

  // tn: A [M,K], B [N,K]; nn: A [M,K], B [K,N]; nt: A [K,M], B [K,N]; tt: A
  // [K,M], B [N,K].
  bool aByRows = layout == "tn" || layout == "nn";
  bool bByRows = layout == "tn" || layout == "tt";
  std::string dIndices = batch + (problem.dColumnMajor ? "n, m" : "m, n");
  Clause inputs, outputs, epilogue;
  inputs.add("%a", batch + (aByRows ? "m, k" : "k, m"),
             matrixType(problem.types[0], batched));
  inputs.add("%b", batch + (bByRows ? "n, k" : "k, n"),
             matrixType(problem.types[1], batched));
  outputs.add("%d", dIndices, matrixType(result, batched));

  std::vector<std::string> arguments = {"%acc: " + accumulatorText};
  Body body;
  std::string value = "%acc";
  if (hasC) {
    epilogue.add("%c", dIndices, matrixType(result, batched));
    arguments.push_back("%c: " + typeText(result));
  }
  if (hasBias) {
    epilogue.add("%bias", problem.bias == "row" ? "n" : "m",
                 "memref<?x" + accumulatorText + ", strided<[1]>>");
    arguments.push_back("%bias: " + accumulatorText);
  }
  std::string ofType = " : " + accumulatorText;
  if (problem.alpha) {
    epilogue.add("%alpha", "", accumulatorText);
    arguments.push_back("%alpha: " + accumulatorText);
    value = body.value("arith.mulf " + value + ", %alpha" + ofType);
  }
  if (hasC) {
    epilogue.add("%beta", "", accumulatorText);
    arguments.push_back("%beta: " + accumulatorText);
    std::string c = body.convert("%c", result, accumulator);
    c = body.value("arith.mulf " + c + ", %beta" + ofType);
    value = body.value("arith.addf " + value + ", " + c + ofType);
  }
  if (hasBias)
    value = body.value("arith.addf " + value + ", %bias" + ofType);
  if (relu) {
    std::string zero = body.value("arith.constant 0.0" + ofType);
    value = body.value("arith.maximumf " + value + ", " + zero + ofType);
  }
  value = body.convert(value, accumulator, result);

  std::vector<std::string> functionArguments = inputs.arguments;
  for (const Clause *clause : {&epilogue, &outputs})
    functionArguments.insert(functionArguments.end(), clause->arguments.begin(),
                             clause->arguments.end());
  std::string text = "func.func @matmul(" + join(functionArguments) + ") {\n";
  text += std::string("  gemm.matmul ") + (batched ? "batch(b) " : "") +
          "ins(" + inputs.text() + ")\n";
  if (!epilogue.empty())
    text += "      epilogue(" + epilogue.text() + ")\n";
  text +=
      "      outs(" + outputs.text() + ") accumulate(" + accumulatorText + ")";
  if (!epilogue.empty() || relu)
    text += " {\n    ^bb0(" + join(arguments) + "):\n" + body.lines +
            "      gemm.yield " + value + " : " + typeText(result) + "\n  }";
  return text + "\n  return\n}\n";
}

} // namespace gemm::tools
