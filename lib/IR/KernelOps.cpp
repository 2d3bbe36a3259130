//===- KernelOps.cpp - gemm.kernel and gemm.for_work ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/IR/Gemm.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringExtras.h"

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

/// PTX ISA, "Identifiers": `[a-zA-Z][a-zA-Z0-9_$]*` or `[_$%][a-zA-Z0-9_$]+`;
/// `%` is for registers.
static bool isEntryName(StringRef name) {
  auto follows = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$';
  };
  return !name.empty() && llvm::all_of(name, follows) &&
         !llvm::isDigit(name[0]) && (llvm::isAlpha(name[0]) || name.size() > 1);
}

std::string KernelOp::mangle(StringRef name) {
  std::string mangled;
  for (char c : name)
    if (llvm::isAlpha(c) || c == '_' || (llvm::isDigit(c) && !mangled.empty()))
      mangled += c;
    else
      mangled +=
          "$" + llvm::utohexstr(static_cast<uint8_t>(c), /*LowerCase=*/true,
                                /*Width=*/2);
  return mangled;
}

/// The grid counts the tiles that the kernel's work items are.
static LogicalResult verifyGrid(KernelOp kernel, DictionaryAttr grid) {
  auto kind = grid.getAs<StringAttr>("kind");
  auto rows = grid.getAs<StringAttr>("rows"),
       cols = grid.getAs<StringAttr>("cols");
  auto tile = grid.getAs<ArrayAttr>("tile");
  auto raster = grid.getAs<IntegerAttr>("raster");
  auto isExtent = [](StringAttr dim) {
    return dim && (dim.getValue() == "m" || dim.getValue() == "n");
  };
  auto isPositive = [](Attribute attr) {
    auto number = dyn_cast_or_null<IntegerAttr>(attr);
    return number && number.getInt() > 0;
  };
  if (grid.size() != 5 || !kind || kind.getValue() != "tiles" ||
      !isExtent(rows) || !isExtent(cols) || rows == cols || !tile ||
      tile.size() != 2 || !llvm::all_of(tile, isPositive) ||
      !isPositive(raster))
    return kernel.emitOpError(
               "grid must be {kind = \"tiles\", rows = \"m\", cols = "
               "\"n\", tile = [rows, columns], raster = tile rows}, or "
               "with m and n exchanged, not ")
           << grid;
  for (ForWorkOp work : kernel.getOps<ForWorkOp>())
    if (work.getTile()[0] != cast<IntegerAttr>(tile[0]).getInt() ||
        work.getTile()[1] != cast<IntegerAttr>(tile[1]).getInt() ||
        work.getWork().getRaster() != raster.getInt())
      return kernel.emitOpError(
          "grid counts other tiles than its gemm.for_work walks: "
          "tile and raster must be the same");
  return success();
}

LogicalResult KernelOp::verify() {
  if (!isEntryName(getName()))
    return emitOpError("cannot be called '")
           << getName()
           << "' in PTX: use letters, digits, '_' and '$', and no digit first";
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
               << i
               << " has role operand and must be a view or a tensor map, not "
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
               << i
               << " has role scalar and must be a floating-point value, not "
               << type;
      break;
    }
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (llvm::range_size(getOps<ForWorkOp>()) > 1)
    return emitOpError(
        "has several gemm.for_work; one says which tiles a CTA computes");
  return getGridAttr() ? verifyGrid(*this, getGridAttr()) : success();
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
