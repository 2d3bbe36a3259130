// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The epilogue of an artifact, a straight-line scalar program, evaluated in
// float64 for many elements at once together with a bound on how far the
// device's value may be from it.
#ifndef GEMM_TOOLS_SUPPORT_SCALARPROGRAM_H
#define GEMM_TOOLS_SUPPORT_SCALARPROGRAM_H

#include "ElementType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gemm::tools {

// For each element a reference value and a bound: |device - value| <= error if
// the kernel is right. An infinite error says that nothing is known (an
// intermediate result may have overflowed). A NaN value has no error.
struct BoundedValues {
  std::vector<double> value;
  std::vector<double> error;

  void resize(size_t count) {
    value.resize(count);
    error.resize(count);
  }
};

struct ScalarOp {
  enum class Kind : uint8_t {
    Product,  // The sum over k of A times B number `index`.
    Operand,  // Element of operand `index`, by its own map.
    Scalar,   // Run-time scalar `index`.
    Constant, // `constant`.
    Add,
    Sub,
    Mul,
    Div,
    Neg,
    Abs,
    Maximum, // NaN if one is NaN.
    Minimum,
    MaxNum, // The other one if one is NaN.
    MinNum,
    Compare, // `predicate`; 1 or 0.
    Select,  // args: condition, then, else.
    Convert  // To `type`, to nearest even.
  };
  // Predicates of arith.cmpf; the ordered ones are false for NaN, the
  // unordered ones true.
  enum class Predicate : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

  Kind kind = Kind::Constant;
  int index = 0;
  double constant = 0;
  Predicate predicate = Predicate::Eq;
  bool unordered = false;
  std::vector<int> args;
  ElementType type = ElementType::F32;
};

struct ScalarProgram {
  std::vector<ScalarOp> ops;
  // Values that it yields, one per result operand.
  std::vector<int> results;
};

// The kind of an op by its name in the artifact ("product", "arith.mulf");
// false if this checker does not know it.
bool scalarOpKind(const std::string &name, ScalarOp::Kind &kind);

// Inputs of one evaluation; all of `count` elements.
struct ScalarInputs {
  size_t count = 0;
  // By product index.
  std::vector<BoundedValues> products;
  // By operand index; those that the program does not use may stay empty.
  std::vector<std::vector<double>> operands;
  // By scalar index, already rounded to the scalar's type.
  std::vector<double> scalars;
  // By operand index: the operand is not to be read because its scalar is zero,
  // so a product of it with anything is zero.
  std::vector<bool> unused;
};

// Evaluates into one BoundedValues per result. Rounding: an op whose operands
// are exact and whose exact result its type can hold has no error; a conversion
// of an exact value is that value rounded; everything else adds half an ulp of
// the op's type, whether or not the device contracts a multiplication and an
// addition.
std::vector<BoundedValues> evaluateProgram(const ScalarProgram &program,
                                           const ScalarInputs &inputs);

} // namespace gemm::tools

#endif // GEMM_TOOLS_SUPPORT_SCALARPROGRAM_H
