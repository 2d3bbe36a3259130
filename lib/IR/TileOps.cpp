//===- TileOps.cpp - Tiles, copies and multiplication ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/IR/Gemm.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace gemm {

namespace {

/// Rows, columns and element of any tile type.
struct TileShape {
  int64_t rows, cols;
  Type element;
};

TileShape getShape(Type type) {
  if (auto t = dyn_cast<TileType>(type))
    return {t.getRows(), t.getCols(), t.getElementType()};
  if (auto t = dyn_cast<SharedType>(type))
    return {t.getRows(), t.getCols(), t.getElementType()};
  auto t = cast<FragType>(type);
  return {t.getRows(), t.getCols(), t.getElementType()};
}

/// A view of rank r is indexed by r values: [batch,] row, column.
LogicalResult verifyIndices(Operation *op, int64_t rank, Type element,
                            Type tileElement, size_t indices) {
  if (rank < 2)
    return op->emitOpError("needs a matrix, not a vector");
  if (static_cast<int64_t>(indices) != rank)
    return op->emitOpError("needs ") << rank << " indices for a view of rank "
                                     << rank << ", has " << indices;
  if (element != tileElement)
    return op->emitOpError("moves elements of type ")
           << element << " to or from a tile of " << tileElement
           << "; convert with gemm.map";
  return success();
}

} // namespace

LogicalResult LoadTileOp::verify() {
  ViewType view = getSource().getType();
  return verifyIndices(*this, view.getRank(), view.getElementType(),
                       getResult().getType().getElementType(),
                       getIndices().size());
}

LogicalResult StoreTileOp::verify() {
  ViewType view = getDest().getType();
  int64_t bytes = getBytes();
  if (bytes % getElementBytes(view.getElementType()) ||
      (bytes && !llvm::isPowerOf2_64(bytes)) || bytes > 16)
    return emitOpError("cannot store ")
           << bytes << " bytes at a time of " << view.getElementType()
           << "; use a power of two up to 16 that holds whole elements";
  return verifyIndices(*this, view.getRank(), view.getElementType(),
                       getShape(getValue().getType()).element,
                       getIndices().size());
}

LogicalResult MmaOp::verify() {
  TileShape a = getShape(getA().getType()), b = getShape(getB().getType()),
            c = getShape(getAcc().getType());
  if (a.cols != b.cols)
    return emitOpError("sums over k, which is ")
           << a.cols << " in A and " << b.cols << " in B (B is n x k)";
  if (a.rows != c.rows || b.rows != c.cols)
    return emitOpError("accumulator is ")
           << c.rows << "x" << c.cols << ", A and B make " << a.rows << "x"
           << b.rows;
  bool placed = !isa<TileType>(getAcc().getType());
  if (placed != !isa<TileType>(getA().getType()) ||
      placed != !isa<TileType>(getB().getType()))
    return emitOpError("mixes tiles with and without a home");
  if (placed != getInstruction().has_value())
    return emitOpError(
        placed ? "needs an instruction once its operands have a home"
               : "has an instruction before its operands have a home");
  if (!placed)
    return success();
  MmaAttr mma = *getInstruction();
  bool readsShared = mma.getKind() == InstructionKind::Wgmma;
  for (Type operand : {getA().getType(), getB().getType()})
    if (readsShared != isa<SharedType>(operand))
      return emitOpError("by ")
             << stringifyInstructionKind(mma.getKind()) << " reads "
             << (readsShared ? "shared tiles" : "fragments") << ", not "
             << operand;
  // Fragments hold one k-step; what is in shared memory is stepped through.
  if (c.rows % mma.getM() || c.cols % mma.getN() ||
      (readsShared ? a.cols % mma.getK() : a.cols != mma.getK()))
    return emitOpError("of ") << c.rows << "x" << c.cols << "x" << a.cols
                              << " is not a whole number of " << mma
                              << (readsShared ? "" : " in one k-step");
  return success();
}

LogicalResult SlotOp::verify() {
  if (getSource().getType().withStages(1) != getResult().getType())
    return emitOpError("result must be one stage of ") << getSource().getType();
  return success();
}

LogicalResult CopyStartOp::verify() {
  Type source = getSource().getType();
  SharedType dest = getDest().getType();
  int64_t rank;
  Type element;
  Order order;
  if (auto view = dyn_cast<ViewType>(source)) {
    rank = view.getRank();
    element = view.getElementType();
    order = view.getOrder();
  } else {
    auto map = cast<TensorMapType>(source);
    rank = map.getRank();
    element = map.getElementType();
    order = map.getOrder();
  }
  if (failed(verifyIndices(*this, rank, element, dest.getElementType(),
                           getIndices().size())))
    return failure();
  if (order != dest.getOrder())
    return emitOpError("keeps the order: source is ")
           << stringifyOrder(order) << ", destination is "
           << stringifyOrder(dest.getOrder());
  if (dest.getStages() != 1)
    return emitOpError("writes one stage; take a gemm.slot of the destination");
  bool tma = getCopy().getEngine() == CopyEngine::Tma;
  if (tma != isa<TensorMapType>(source))
    return emitOpError("copies ")
           << (tma ? "by TMA through a tensor map" : "without TMA from a view")
           << ", not from " << source;
  if (static_cast<bool>(getRing()) != static_cast<bool>(getStage()))
    return emitOpError("needs a stage for its ring");
  if (getRing() && !tma)
    return emitOpError("arrives on a ring only by TMA");
  return success();
}

LogicalResult ReadFragOp::verify() {
  TileShape s = getShape(getSource().getType()),
            r = getShape(getResult().getType());
  if (s.element != r.element)
    return emitOpError("reads ")
           << r.element << " from a tile of " << s.element;
  if (r.rows > s.rows || r.cols > s.cols)
    return emitOpError("reads ")
           << r.rows << "x" << r.cols << " from a tile of " << s.rows << "x"
           << s.cols;
  if (getSource().getType().getStages() != 1)
    return emitOpError("reads one stage; take a gemm.slot of the source");
  return success();
}

LogicalResult WriteFragOp::verify() {
  TileShape v = getShape(getValue().getType()),
            d = getShape(getDest().getType());
  if (v.element != d.element || v.rows != d.rows || v.cols != d.cols)
    return emitOpError("writes ")
           << v.rows << "x" << v.cols << " of " << v.element << " to a tile of "
           << d.rows << "x" << d.cols << " of " << d.element;
  return success();
}

//===----------------------------------------------------------------------===//
// MapOp
//===----------------------------------------------------------------------===//

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Type i32 = builder.getI32Type();
  OpAsmParser::UnresolvedOperand source;
  SmallVector<OpAsmParser::UnresolvedOperand> indices, bounds, views;
  SmallVector<Type> viewTypes;
  SmallVector<Attribute> accesses;
  Type sourceType, resultType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(source) || parser.parseKeyword("at") ||
      parser.parseOperandList(indices, OpAsmParser::Delimiter::Square) ||
      parser.parseKeyword("within") ||
      parser.parseOperandList(bounds, /*requiredOperandCount=*/2,
                              OpAsmParser::Delimiter::Square))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("ins"))) {
    if (parser.parseLParen() || parser.parseCommaSeparatedList([&] {
          StringRef access;
          if (parser.parseOperand(views.emplace_back()) ||
              parser.parseLSquare() || parser.parseKeyword(&access) ||
              parser.parseRSquare())
            return failure();
          accesses.push_back(builder.getStringAttr(access));
          return success();
        }) ||
        parser.parseColonTypeList(viewTypes) || parser.parseRParen())
      return failure();
  }
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(sourceType) || parser.parseArrow() ||
      parser.parseType(resultType) ||
      parser.resolveOperand(source, sourceType, result.operands) ||
      parser.resolveOperands(indices, i32, result.operands) ||
      parser.resolveOperands(bounds, i32, result.operands) ||
      parser.resolveOperands(views, viewTypes, loc, result.operands))
    return failure();
  result.addTypes(resultType);
  result.addAttribute(getAccessesAttrName(result.name),
                      builder.getArrayAttr(accesses));
  result.addAttribute(
      getOperandSegmentSizeAttr(),
      builder.getDenseI32ArrayAttr({1, static_cast<int32_t>(indices.size()), 1,
                                    1, static_cast<int32_t>(views.size())}));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void MapOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource() << " at [" << getIndices() << "] within ["
          << getRowBound() << ", " << getColBound() << "]";
  if (!getViews().empty()) {
    printer << " ins(";
    llvm::interleaveComma(
        llvm::zip_equal(getViews(),
                        getAccesses().getAsValueRange<StringAttr>()),
        printer, [&](auto pair) {
          auto [view, access] = pair;
          printer << view << '[' << access << ']';
        });
    printer << " : " << getViews().getTypes() << ')';
  }
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getAccessesAttrName(), getOperandSegmentSizeAttr()});
  printer << " : " << getSource().getType() << " -> " << getResult().getType()
          << ' ';
  printer.printRegion(getBody());
}

LogicalResult MapOp::verify() {
  TileShape s = getShape(getSource().getType()),
            r = getShape(getResult().getType());
  if (s.rows != r.rows || s.cols != r.cols)
    return emitOpError("keeps the shape: source is ")
           << s.rows << "x" << s.cols << ", result is " << r.rows << "x"
           << r.cols;
  if (getIndices().size() != 2 && getIndices().size() != 3)
    return emitOpError("needs the position as [row, col] or [batch, row, col]");
  if (getAccesses().size() != getViews().size())
    return emitOpError("needs one access per view");
  if (getBody().getNumArguments() != getViews().size() + 1)
    return emitOpError("body takes the element and one value per view");
  if (getBody().getArgument(0).getType() != s.element)
    return emitOpError("body's first argument must be the element, ")
           << s.element;
  for (auto [view, access, argument] :
       llvm::zip_equal(getViews(), getAccesses().getAsValueRange<StringAttr>(),
                       getBody().getArguments().drop_front())) {
    auto type = cast<ViewType>(view.getType());
    if (type.getElementType() != argument.getType())
      return emitOpError("body argument of type ")
             << argument.getType() << " reads a view of "
             << type.getElementType();
    bool full = access == "full";
    if (!full && access != "rows" && access != "cols")
      return emitOpError("access must be full, rows or cols, not ") << access;
    if (full != (type.getRank() > 1))
      return emitOpError("access ")
             << access << " does not fit a view of rank " << type.getRank();
    if (type.getRank() == 3 && getIndices().size() != 3)
      return emitOpError("needs a batch index for ") << type;
  }
  // What is no gemm.yield is refused by the trait, after this.
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (yield && (yield.getNumOperands() != 1 ||
                yield.getOperand(0).getType() != r.element))
    return emitOpError("body must yield one ") << r.element;
  return success();
}

} // namespace gemm
