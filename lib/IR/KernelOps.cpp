//===- KernelOps.cpp - gemm.kernel and gemm.for_work ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/IR/Gemm.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;

namespace gemm {

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  Region *body = state.addRegion();
  Block *entry = new Block();
  body->push_back(entry);
  for (Type input : type.getInputs())
    entry->addArgument(input, state.location);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

RoleAttr KernelOp::getRole(unsigned argument) {
  return getArgAttrOfType<RoleAttr>(argument, getRoleAttrName());
}

LogicalResult KernelOp::verify() {
  if (!getFunctionType().getResults().empty())
    return emitOpError("has no results: a kernel writes to its views");
  if (getBody().empty())
    return emitOpError("needs a body");
  for (auto [i, type] : llvm::enumerate(getArgumentTypes())) {
    RoleAttr role = getRole(i);
    if (!role)
      return emitOpError("argument ") << i << " needs a gemm.role";
    switch (role.getKind()) {
    case RoleKind::Operand:
      if (!isa<ViewType, TensorMapType>(type))
        return emitOpError("argument ")
               << i << " has role operand and must be a view or a tensor map, not "
               << type;
      break;
    case RoleKind::Extent:
      if (!type.isInteger(32))
        return emitOpError("argument ")
               << i << " has role extent and must be i32, not " << type;
      break;
    case RoleKind::Scalar:
      if (!isa<FloatType>(type))
        return emitOpError("argument ")
               << i << " has role scalar and must be a floating-point value, not "
               << type;
      break;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ForWorkOp
//===----------------------------------------------------------------------===//

void ForWorkOp::build(OpBuilder &builder, OperationState &state, Value batch,
                      Value m, Value n, Value k, ArrayRef<int64_t> tile,
                      WorkAttr work) {
  state.addOperands({batch, m, n, k});
  state.addAttribute(getTileAttrName(state.name),
                     builder.getDenseI64ArrayAttr(tile));
  state.addAttribute(getWorkAttrName(state.name), work);
  Region *body = state.addRegion();
  Block *block = new Block();
  body->push_back(block);
  for (int i = 0; i < 5; ++i)
    block->addArgument(builder.getI32Type(), state.location);
  ensureTerminator(*body, builder, state.location);
}

ParseResult ForWorkOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Type i32 = builder.getI32Type();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("over"))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(extents, OpAsmParser::Delimiter::Square))
    return failure();
  if (arguments.size() != 5 || extents.size() != 4)
    return parser.emitError(
        loc, "expected (batch, m0, n0, k_begin, k_end) over [batch, m, n, k]");
  for (auto &argument : arguments)
    argument.type = i32;
  SmallVector<int64_t> tile;
  if (parser.parseKeyword("tile") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(tile.emplace_back());
      }))
    return failure();
  WorkAttr work;
  if (parser.parseCustomAttributeWithFallback(work) ||
      parser.resolveOperands(extents, i32, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addAttribute(getTileAttrName(result.name),
                      builder.getDenseI64ArrayAttr(tile));
  result.addAttribute(getWorkAttrName(result.name), work);
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void ForWorkOp::print(OpAsmPrinter &printer) {
  printer << " (";
  printer.printOperands(getBody().getArguments());
  printer << ") over [" << getOperands() << "] tile [";
  llvm::interleaveComma(getTile(), printer);
  printer << "] ";
  printer.printStrippedAttrOrType(getWork());
  // With the keyword: braces alone would be the body's.
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getTileAttrName(), getWorkAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

LogicalResult ForWorkOp::verify() {
  if (getTile().size() != 2 || getTile()[0] <= 0 || getTile()[1] <= 0)
    return emitOpError("needs a tile of two positive sizes");
  if (getBody().getNumArguments() != 5 ||
      llvm::any_of(getBody().getArgumentTypes(),
                   [](Type t) { return !t.isInteger(32); }))
    return emitOpError(
        "body takes (batch, m0, n0, k_begin, k_end), all of them i32");
  return success();
}

} // namespace gemm
