//===- GuardAttrs.cpp - Conditions, guards and argument roles -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsmFields.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gemm {

//===----------------------------------------------------------------------===//
// ConditionAttr: <align(A) 16>
//===----------------------------------------------------------------------===//

/// Parses `align(A) 16`, as it stands in a guard.
static ConditionAttr parseCondition(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  ConditionKind kind;
  StringRef subject;
  int64_t value;
  if (detail::parseEnum(parser, kind) || parser.parseLParen() ||
      parser.parseKeyword(&subject) || parser.parseRParen() ||
      parser.parseInteger(value))
    return {};
  return parser.getChecked<ConditionAttr>(loc, parser.getContext(), kind,
                                          subject, value);
}

static void printCondition(AsmPrinter &printer, ConditionAttr condition) {
  printer << condition.getKind() << '(' << condition.getSubject() << ") "
          << condition.getValue();
}

Attribute ConditionAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  ConditionAttr condition = parseCondition(parser);
  if (!condition || parser.parseGreater())
    return {};
  return condition;
}

void ConditionAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printCondition(printer, *this);
  printer << '>';
}

/// A, B, B1..., E0, E1..., D, D1...: what gemm.matmul calls its operands.
static bool isOperandName(StringRef name) {
  if (name.empty() || !StringRef("ABDE").contains(name.front()))
    return false;
  StringRef number = name.drop_front();
  return llvm::all_of(number, llvm::isDigit) &&
         (name.front() == 'E' ? !number.empty()
                              : name.front() != 'A' || number.empty());
}

LogicalResult
ConditionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ConditionKind kind, StringRef subject, int64_t value) {
  bool ofOperand = kind == ConditionKind::Align || kind == ConditionKind::Pitch;
  if (ofOperand && !isOperandName(subject))
    return emitError() << stringifyEnum(kind)
                       << " asks about an operand: A, B, E0, D and so on, not '"
                       << subject << "'";
  bool isExtent = subject == "m" || subject == "n" || subject == "k";
  bool mayBeBatch = kind == ConditionKind::AtMost;
  if (!ofOperand && !isExtent && !(mayBeBatch && subject == "batch"))
    return emitError() << stringifyEnum(kind)
                       << " asks about an extent: m, n, k"
                       << (mayBeBatch ? ", batch" : "") << ", not '" << subject
                       << "'";
  if (value < 1)
    return emitError() << stringifyEnum(kind) << '(' << subject << ") " << value
                       << ": the number must be at least 1";
  if (kind == ConditionKind::Align && !llvm::isPowerOf2_64(value))
    return emitError() << "align(" << subject << ") " << value
                       << ": an alignment is a power of two";
  return success();
}

//===----------------------------------------------------------------------===//
// GuardAttr: <[align(A) 16, pitch(A) 8]>, or <> for "always"
//===----------------------------------------------------------------------===//

Attribute GuardAttr::parse(AsmParser &parser, Type) {
  SmallVector<ConditionAttr> conditions;
  auto parseOne = [&]() -> ParseResult {
    conditions.push_back(parseCondition(parser));
    return success(bool(conditions.back()));
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalSquare,
                                     parseOne) ||
      parser.parseGreater())
    return {};
  return GuardAttr::get(parser.getContext(), conditions);
}

void GuardAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (!getConditions().empty()) {
    printer << '[';
    llvm::interleaveComma(getConditions(), printer.getStream(),
                          [&](ConditionAttr c) { printCondition(printer, c); });
    printer << ']';
  }
  printer << '>';
}

bool GuardAttr::implies(ConditionAttr condition) const {
  return llvm::any_of(getConditions(), [&](ConditionAttr given) {
    if (given.getKind() != condition.getKind() ||
        given.getSubject() != condition.getSubject())
      return false;
    // What is a multiple of 16 is one of 8; what is at most 8 is at most 16.
    return condition.getKind() == ConditionKind::AtMost
               ? given.getValue() <= condition.getValue()
               : given.getValue() % condition.getValue() == 0;
  });
}

//===----------------------------------------------------------------------===//
// RoleAttr: <operand 0>, <extent "m">, <scalar 1>
//===----------------------------------------------------------------------===//

Attribute RoleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  RoleKind kind;
  int64_t index = 0;
  StringAttr dim;
  if (parser.parseLess() || detail::parseEnum(parser, kind))
    return {};
  if (kind == RoleKind::Extent) {
    std::string name;
    if (parser.parseString(&name))
      return {};
    dim = StringAttr::get(parser.getContext(), name);
  } else if (parser.parseInteger(index)) {
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RoleAttr>(loc, parser.getContext(), kind, index,
                                     dim);
}

void RoleAttr::print(AsmPrinter &printer) const {
  printer << '<' << getKind() << ' ';
  if (getKind() == RoleKind::Extent)
    printer << getDim();
  else
    printer << getIndex();
  printer << '>';
}

LogicalResult RoleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               RoleKind kind, int64_t index, StringAttr dim) {
  if (index < 0)
    return emitError() << "an argument's index must be at least 0, not "
                       << index;
  if (kind != RoleKind::Extent)
    return success();
  StringRef name = dim ? dim.getValue() : "";
  if (name != "m" && name != "n" && name != "k" && name != "batch")
    return emitError()
           << "an extent is \"m\", \"n\", \"k\" or \"batch\", not \"" << name
           << "\"";
  return success();
}

} // namespace gemm
