//===- AsmFields.h - `key = value` lists in assembly ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the hand-written parsers and printers of attributes and types share.
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_LIB_IR_ASMFIELDS_H
#define GEMM_LIB_IR_ASMFIELDS_H

#include "Gemm/IR/Gemm.h"

#include "mlir/IR/DialectImplementation.h"

#include <functional>

namespace gemm::detail {

/// One key that a list may hold, and what parses its value.
struct Field {
  llvm::StringRef key;
  std::function<mlir::ParseResult()> parse;
  bool required = false;
};

/// Parses `key value, ...` up to, not including, the closing `>`; each key at
/// most once, in any order. `equals` puts `=` between the two. `what` names the
/// owner in errors.
mlir::ParseResult parseFields(mlir::AsmParser &parser, llvm::StringRef what,
                              llvm::ArrayRef<Field> fields, bool equals = true);

/// Parses `2x4` into two or three numbers.
mlir::ParseResult parseGrid(mlir::AsmParser &parser, llvm::StringRef what,
                            llvm::ArrayRef<int64_t *> values);

/// Parses one integer into `value`.
std::function<mlir::ParseResult()> integerField(mlir::AsmParser &parser,
                                                int64_t &value);

/// Parses a keyword of an enumeration.
template <typename Enum>
mlir::ParseResult parseEnum(mlir::AsmParser &parser, Enum &value) {
  mlir::FailureOr<Enum> parsed = mlir::FieldParser<Enum>::parse(parser);
  if (mlir::failed(parsed))
    return mlir::failure();
  value = *parsed;
  return mlir::success();
}

} // namespace gemm::detail

#endif // GEMM_LIB_IR_ASMFIELDS_H
