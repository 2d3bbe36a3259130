//===- MatmulOpAsm.cpp - How gemm.matmul is written -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gemm.matmul [batch(b0, b1)]
//     ins(%a[m, k], %b[n, k] : types)
//     [scales(a %s[m, k floordiv 32], b %t[n, k floordiv 32] : types)]
//     [conversions(%z[n] : types)]
//     [epilogue(%c[m, n], %bias[n], %alpha[] : types)]
//     outs(%d[m, n] : types)
//     accumulate(f32 [promote 128])
//     [attributes {...}]
//     [{ epilogue region }]
//     [convert(B) { conversion region }]...
//     [-> result types]
//
//===----------------------------------------------------------------------===//

#include "Gemm/IR/Gemm.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace gemm {

//===----------------------------------------------------------------------===//
// Names of the iteration space
//===----------------------------------------------------------------------===//

/// What a batch dimension is called when it is printed.
static std::string getBatchName(unsigned index, unsigned numBatch) {
  return numBatch == 1 ? "b" : ("b" + Twine(index)).str();
}

namespace {

/// The names that index lists may use, and the expressions they stand for.
struct DimNames {
  SmallVector<std::string> names;

  void complete() { names.append({"m", "n", "k"}); }

  SmallVector<std::pair<StringRef, AffineExpr>>
  getSymbols(MLIRContext *context) const {
    SmallVector<std::pair<StringRef, AffineExpr>> symbols;
    for (auto [i, name] : llvm::enumerate(names))
      symbols.emplace_back(name, getAffineDimExpr(i, context));
    return symbols;
  }
};

/// Operands with their index lists, as one clause holds them.
struct IndexedOperands {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<AffineMap> maps;
  SmallVector<Type> types;
  SMLoc loc;

  size_t size() const { return operands.size(); }
};

} // namespace

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

static ParseResult parseDimNames(OpAsmParser &parser, DimNames &dims) {
  if (succeeded(parser.parseOptionalKeyword("batch"))) {
    auto parseName = [&]() -> ParseResult {
      SMLoc loc = parser.getCurrentLocation();
      StringRef name;
      if (parser.parseKeyword(&name))
        return failure();
      if (name == "m" || name == "n" || name == "k")
        return parser.emitError(loc) << "'" << name
                                     << "' is a dimension of the product and "
                                        "cannot name a batch dimension";
      if (llvm::is_contained(dims.names, name))
        return parser.emitError(loc)
               << "batch dimension '" << name << "' is named twice";
      dims.names.push_back(name.str());
      return success();
    };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseName,
                                       " of batch dimensions"))
      return failure();
  }
  dims.complete();
  return success();
}

/// Parses `(%x[m, k], ... : type, ...)`; `parsePrefix` reads what stands before
/// each operand.
static ParseResult
parseIndexedOperands(OpAsmParser &parser, const DimNames &dims,
                     IndexedOperands &result,
                     function_ref<ParseResult()> parsePrefix = nullptr) {
  MLIRContext *context = parser.getContext();
  auto symbols = dims.getSymbols(context);
  auto parseOperand = [&]() -> ParseResult {
    if (parsePrefix && parsePrefix())
      return failure();
    if (parser.parseOperand(result.operands.emplace_back()))
      return failure();
    SmallVector<AffineExpr> indices;
    if (parser.parseCommaSeparatedList(
            OpAsmParser::Delimiter::Square,
            [&] {
              return parser.parseAffineExpr(symbols, indices.emplace_back());
            },
            " of indices"))
      return failure();
    result.maps.push_back(
        AffineMap::get(dims.names.size(), 0, indices, context));
    return success();
  };
  result.loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseCommaSeparatedList(parseOperand) ||
      parser.parseColonTypeList(result.types) || parser.parseRParen())
    return failure();
  return success();
}

/// Parses a clause of operands that may be absent.
static ParseResult parseOptionalClause(OpAsmParser &parser, StringRef keyword,
                                       const DimNames &dims,
                                       IndexedOperands &result) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parseIndexedOperands(parser, dims, result);
}

static ParseResult parseScales(OpAsmParser &parser, const DimNames &dims,
                               IndexedOperands &result, unsigned &numAScales) {
  numAScales = 0;
  if (failed(parser.parseOptionalKeyword("scales")))
    return success();
  bool sawB = false;
  auto parsePrefix = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalKeyword("a"))) {
      if (sawB || numAScales)
        return parser.emitError(loc, "the scale of A is written once, before "
                                     "those of B");
      numAScales = 1;
      return success();
    }
    sawB = true;
    return parser.parseKeyword("b");
  };
  return parseIndexedOperands(parser, dims, result, parsePrefix);
}

static ParseResult parseAccumulator(OpAsmParser &parser,
                                    MatmulOp::Properties &properties) {
  Type accumulator;
  if (parser.parseKeyword("accumulate") || parser.parseLParen() ||
      parser.parseType(accumulator))
    return failure();
  properties.accumulator = TypeAttr::get(accumulator);
  if (succeeded(parser.parseOptionalKeyword("promote"))) {
    int64_t interval;
    if (parser.parseInteger(interval))
      return failure();
    properties.promotion_interval =
        parser.getBuilder().getI64IntegerAttr(interval);
  }
  return parser.parseRParen();
}

/// Takes the inherent attribute `name` out of `attributes`.
template <typename AttrType>
static ParseResult takeAttribute(OpAsmParser &parser, SMLoc loc,
                                 NamedAttrList &attributes, StringRef name,
                                 AttrType &result) {
  Attribute attribute = attributes.erase(name);
  if (!attribute)
    return success();
  result = dyn_cast<AttrType>(attribute);
  if (!result)
    return parser.emitError(loc)
           << "attribute '" << name << "' cannot be " << attribute;
  return success();
}

/// A conversion region that hands its element on.
static void buildIdentity(OpBuilder &builder, Location loc, Region &region,
                          Type type) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&region, region.end(), type, loc);
  YieldOp::create(builder, loc, block->getArguments());
}

/// A, B, B1, B2...
static std::string getMatrixName(unsigned index) {
  if (index < 2)
    return index ? "B" : "A";
  return ("B" + Twine(index - 1)).str();
}

/// Parses `convert(B) {...}` clauses into one region per operand.
static ParseResult
parseConversions(OpAsmParser &parser, TypeRange matrices,
                 SmallVectorImpl<std::unique_ptr<Region>> &regions,
                 SmallVectorImpl<int32_t> &counts) {
  while (succeeded(parser.parseOptionalKeyword("convert"))) {
    regions.resize(matrices.size());
    counts.resize(matrices.size());
    StringRef name;
    if (parser.parseLParen())
      return failure();
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseRParen())
      return failure();
    unsigned index = 0;
    while (index < matrices.size() && name != getMatrixName(index))
      ++index;
    if (index == matrices.size())
      return parser.emitError(loc)
             << "'" << name << "' is none of the multiplied operands";
    if (regions[index])
      return parser.emitError(loc) << name << " is converted twice";
    regions[index] = std::make_unique<Region>();
    if (parser.parseRegion(*regions[index], /*arguments=*/{},
                           /*enableNameShadowing=*/true))
      return failure();
    if (unsigned arguments = regions[index]->getNumArguments())
      counts[index] = arguments - 1;
  }
  OpBuilder builder(parser.getContext());
  Location loc = parser.getEncodedSourceLoc(parser.getNameLoc());
  for (auto [region, type] : llvm::zip(regions, matrices)) {
    if (region)
      continue;
    region = std::make_unique<Region>();
    buildIdentity(builder, loc, *region, getElementTypeOrSelf(type));
  }
  return success();
}

ParseResult MatmulOp::parse(OpAsmParser &parser, OperationState &state) {
  OpBuilder builder(parser.getContext());
  auto &properties = state.getOrAddProperties<Properties>();

  DimNames dims;
  IndexedOperands ins, scales, conversions, epilogue, outs;
  unsigned numAScales;
  SMLoc loc = parser.getCurrentLocation();
  if (parseDimNames(parser, dims) || parser.parseKeyword("ins") ||
      parseIndexedOperands(parser, dims, ins) ||
      parseScales(parser, dims, scales, numAScales) ||
      parseOptionalClause(parser, "conversions", dims, conversions) ||
      parseOptionalClause(parser, "epilogue", dims, epilogue) ||
      parser.parseKeyword("outs") || parseIndexedOperands(parser, dims, outs) ||
      parseAccumulator(parser, properties))
    return failure();
  if (ins.size() < 2)
    return parser.emitError(ins.loc, "expected A and at least one B");

  SMLoc attributesLoc = parser.getCurrentLocation();
  NamedAttrList attributes;
  if (parser.parseOptionalAttrDictWithKeyword(attributes) ||
      takeAttribute(parser, attributesLoc, attributes, "target",
                    properties.target) ||
      takeAttribute(parser, attributesLoc, attributes, "family",
                    properties.family))
    return failure();
  for (StringRef name : getAttributeNames())
    if (attributes.get(name))
      return parser.emitError(attributesLoc)
             << "attribute '" << name
             << "' has its own place in the syntax of the op";
  state.attributes.append(attributes);

  // Operands and their maps, in operand order.
  SmallVector<AffineMap> maps;
  for (IndexedOperands *clause :
       {&ins, &scales, &conversions, &epilogue, &outs}) {
    if (parser.resolveOperands(clause->operands, clause->types, clause->loc,
                               state.operands))
      return failure();
    llvm::append_range(maps, clause->maps);
  }
  properties.indexing_maps = builder.getAffineMapArrayAttr(maps);
  llvm::copy(ArrayRef<int32_t>{1, static_cast<int32_t>(ins.size() - 1),
                               static_cast<int32_t>(numAScales),
                               static_cast<int32_t>(scales.size() - numAScales),
                               static_cast<int32_t>(conversions.size()),
                               static_cast<int32_t>(epilogue.size()),
                               static_cast<int32_t>(outs.size())},
             properties.operandSegmentSizes.begin());

  // The epilogue; without one, the default.
  Region *region = state.addRegion();
  OptionalParseResult parsed = parser.parseOptionalRegion(
      *region, /*arguments=*/{}, /*enableNameShadowing=*/true);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return failure();
  } else {
    SmallVector<Type> arguments(ins.size() - 1,
                                properties.accumulator.getValue());
    for (Type type : epilogue.types)
      arguments.push_back(getElementTypeOrSelf(type));
    SmallVector<Type> results;
    for (Type type : outs.types)
      results.push_back(getElementTypeOrSelf(type));
    if (failed(buildDefaultEpilogue(builder, state.location, *region, arguments,
                                    ins.size() - 1, results)))
      return parser.emitError(
          loc, "needs an epilogue region: no single conversion makes the "
               "results from the products");
  }

  SmallVector<std::unique_ptr<Region>> conversionRegions;
  SmallVector<int32_t> counts;
  if (parseConversions(parser, ins.types, conversionRegions, counts))
    return failure();
  if (llvm::any_of(counts, [](int32_t count) { return count != 0; }))
    properties.conversion_operand_counts = builder.getDenseI32ArrayAttr(counts);
  state.addRegions(conversionRegions);
  return parser.parseOptionalArrowTypeList(state.types);
}

//===----------------------------------------------------------------------===//
// Printer
//===----------------------------------------------------------------------===//

/// Prints an affine expression over the names of the iteration space.
static void printExpr(OpAsmPrinter &printer, AffineExpr expr,
                      const DimNames &dims, bool nested = false) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    printer << constant.getValue();
    return;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    printer << dims.names[dim.getPosition()];
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  StringRef name;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    name = " + ";
    break;
  case AffineExprKind::Mul:
    name = " * ";
    break;
  case AffineExprKind::Mod:
    name = " mod ";
    break;
  case AffineExprKind::FloorDiv:
    name = " floordiv ";
    break;
  default:
    name = " ceildiv ";
    break;
  }
  printer << (nested ? "(" : "");
  printExpr(printer, binary.getLHS(), dims, /*nested=*/true);
  printer << name;
  printExpr(printer, binary.getRHS(), dims, /*nested=*/true);
  printer << (nested ? ")" : "");
}

/// A conversion region that hands its element on and takes nothing else.
static bool isIdentity(Region &region) {
  Block &block = region.front();
  return block.getNumArguments() == 1 && llvm::hasSingleElement(block) &&
         block.getTerminator()->getNumOperands() == 1 &&
         block.getTerminator()->getOperand(0) == block.getArgument(0);
}

void MatmulOp::print(OpAsmPrinter &printer) {
  DimNames dims;
  unsigned numBatch = getNumBatchDims();
  for (unsigned i = 0; i < numBatch; ++i)
    dims.names.push_back(getBatchName(i, numBatch));
  if (numBatch)
    printer << " batch(" << llvm::join(dims.names, ", ") << ")";
  dims.complete();

  unsigned index = 0;
  auto printClause = [&](StringRef keyword, unsigned count,
                         function_ref<StringRef(unsigned)> getPrefix =
                             nullptr) {
    if (!count)
      return;
    printer << " " << keyword << "(";
    unsigned first = index;
    for (; index < first + count; ++index) {
      printer << (index == first ? "" : ", ");
      if (getPrefix)
        printer << getPrefix(index - first);
      printer << getOperand(index) << "[";
      llvm::interleaveComma(
          getIndexingMap(index).getResults(), printer,
          [&](AffineExpr expr) { printExpr(printer, expr, dims); });
      printer << "]";
    }
    printer << " : "
            << TypeRange((*this)->getOperandTypes()).slice(first, count) << ")";
  };
  unsigned numAScales = getAScale() ? 1 : 0;
  printClause("ins", 1 + getBs().size());
  printClause("scales", numAScales + getBScales().size(),
              [&](unsigned i) { return i < numAScales ? "a " : "b "; });
  printClause("conversions", getConversionOperands().size());
  printClause("epilogue", getEpilogueOperands().size());
  printClause("outs", getOuts().size());

  printer << " accumulate(" << getAccumulator();
  if (std::optional<uint64_t> interval = getPromotionInterval())
    printer << " promote " << *interval;
  printer << ")";

  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getOperandSegmentSizesAttrName(), getIndexingMapsAttrName(),
       getAccumulatorAttrName(), getPromotionIntervalAttrName(),
       getConversionOperandCountsAttrName()});
  if (!hasDefaultEpilogue()) {
    printer << " ";
    printer.printRegion(getEpilogue());
  }
  // Identities go without saying, unless nothing else says that there are
  // conversion regions.
  bool allIdentities = llvm::all_of(getConversions(), isIdentity);
  for (auto [i, region] : llvm::enumerate(getConversions())) {
    if (isIdentity(region) && !allIdentities)
      continue;
    printer << " convert(" << getOperandName(i) << ") ";
    printer.printRegion(region);
  }
  printer.printOptionalArrowTypeList(getResultTypes());
}

} // namespace gemm
