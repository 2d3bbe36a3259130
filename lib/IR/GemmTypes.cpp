//===- GemmTypes.cpp - Where a tile lives ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsmFields.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "Gemm/IR/GemmTypes.cpp.inc"

namespace gemm {

void GemmDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Gemm/IR/GemmTypes.cpp.inc"
      >();
}

int64_t getElementBytes(Type type) {
  // The 19 bits of tf32 are stored in 32.
  return llvm::PowerOf2Ceil(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
}

//===----------------------------------------------------------------------===//
// What the types share
//===----------------------------------------------------------------------===//

/// Memory is addressed in bytes, so elements are whole bytes.
static LogicalResult verifyElement(function_ref<InFlightDiagnostic()> emitError,
                                   Type type) {
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8 ||
      type.getIntOrFloatBitWidth() > 64)
    return emitError() << "elements are integers or floats of 8, 16, 32 or 64 "
                          "bits, not "
                       << type;
  return success();
}

static LogicalResult verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                int64_t rows, int64_t cols, Type element) {
  constexpr int64_t largest = 1 << 16;
  if (rows < 1 || cols < 1 || rows > largest || cols > largest)
    return emitError() << "a tile has 1 to " << largest
                       << " rows and columns, not " << rows << 'x' << cols;
  return verifyElement(emitError, element);
}

/// Parses `128x64xf16`.
static ParseResult parseTile(AsmParser &parser, int64_t &rows, int64_t &cols,
                             Type &element) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t, 2> dims;
  if (parser.parseDimensionList(dims, /*allowDynamic=*/false))
    return failure();
  if (dims.size() != 2)
    return parser.emitError(loc)
           << "a tile has rows and columns, as in 128x64xf16";
  rows = dims[0];
  cols = dims[1];
  return parser.parseType(element);
}

template <typename TileLike>
static void printTile(AsmPrinter &printer, TileLike tile) {
  printer << tile.getRows() << 'x' << tile.getCols() << 'x'
          << tile.getElementType();
}

//===----------------------------------------------------------------------===//
// ViewType, TensorMapType: <?x?xf16, row>, <?xf32>
//===----------------------------------------------------------------------===//

template <typename GlobalType> static Type parseGlobal(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t, 3> dims;
  Type element;
  Order order = Order::Row;
  if (parser.parseLess() || parser.parseDimensionList(dims) ||
      parser.parseType(element))
    return {};
  if (!llvm::all_of(dims, ShapedType::isDynamic)) {
    parser.emitError(loc) << "extents are run-time values: write '?'";
    return {};
  }
  // A vector has one order only.
  if (dims.size() == 1 ? succeeded(parser.parseOptionalComma())
                       : failed(parser.parseComma())) {
    if (dims.size() == 1)
      parser.emitError(loc) << "a vector has no order";
    return {};
  }
  if (dims.size() != 1 && detail::parseEnum(parser, order))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<GlobalType>(loc, parser.getContext(),
                                       int64_t(dims.size()), element, order);
}

template <typename GlobalType>
static void printGlobal(AsmPrinter &printer, GlobalType type) {
  printer << '<';
  for (int64_t i = 0; i < type.getRank(); ++i)
    printer << "?x";
  printer << type.getElementType();
  if (type.getRank() != 1)
    printer << ", " << type.getOrder();
  printer << '>';
}

Type ViewType::parse(AsmParser &parser) {
  return parseGlobal<ViewType>(parser);
}
void ViewType::print(AsmPrinter &printer) const { printGlobal(printer, *this); }

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rank, Type element, Order) {
  if (rank < 1 || rank > 3)
    return emitError() << "a view is a vector, a matrix or a batch of matrices "
                          "(rank 1, 2 or 3), not rank "
                       << rank;
  return verifyElement(emitError, element);
}

Type TensorMapType::parse(AsmParser &parser) {
  return parseGlobal<TensorMapType>(parser);
}
void TensorMapType::print(AsmPrinter &printer) const {
  printGlobal(printer, *this);
}

LogicalResult
TensorMapType::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t rank, Type element, Order) {
  if (rank != 2 && rank != 3)
    return emitError() << "a tensor map is a matrix or a batch of matrices "
                          "(rank 2 or 3), not rank "
                       << rank;
  return verifyElement(emitError, element);
}

//===----------------------------------------------------------------------===//
// TileType: <128x64xf16>
//===----------------------------------------------------------------------===//

Type TileType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t rows, cols;
  Type element;
  if (parser.parseLess() || parseTile(parser, rows, cols, element) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<TileType>(loc, parser.getContext(), rows, cols,
                                     element);
}

void TileType::print(AsmPrinter &printer) const {
  printer << '<';
  printTile(printer, *this);
  printer << '>';
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t cols, Type element) {
  return verifyTile(emitError, rows, cols, element);
}

//===----------------------------------------------------------------------===//
// SharedType: <128x64xbf16, row, <panel = 64, pitch = 128>, stages = 4>
//===----------------------------------------------------------------------===//

Type SharedType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t rows, cols, stages = 1;
  Type element;
  Order order;
  SharedLayoutAttr layout;
  if (parser.parseLess() || parseTile(parser, rows, cols, element) ||
      parser.parseComma() || detail::parseEnum(parser, order))
    return {};
  bool more = succeeded(parser.parseOptionalComma());
  if (more && failed(parser.parseOptionalKeyword("stages"))) {
    if (parser.parseCustomAttributeWithFallback(layout))
      return {};
    more = succeeded(parser.parseOptionalComma());
    if (more && parser.parseKeyword("stages"))
      return {};
  }
  if (more && (parser.parseEqual() || parser.parseInteger(stages)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SharedType>(loc, parser.getContext(), rows, cols,
                                       element, order, layout, stages);
}

void SharedType::print(AsmPrinter &printer) const {
  printer << '<';
  printTile(printer, *this);
  printer << ", " << getOrder();
  if (getLayout()) {
    printer << ", ";
    printer.printStrippedAttrOrType(getLayout());
  }
  if (getStages() != 1)
    printer << ", stages = " << getStages();
  printer << '>';
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t rows, int64_t cols, Type element,
                                 Order order, SharedLayoutAttr layout,
                                 int64_t stages) {
  if (failed(verifyTile(emitError, rows, cols, element)))
    return failure();
  if (stages < 1 || stages > 64)
    return emitError() << "a shared tile has 1 to 64 stages, not " << stages;
  if (!layout)
    return success();
  int64_t bytes = getElementBytes(element);
  int64_t lines = order == Order::Row ? rows : cols;
  int64_t length = order == Order::Row ? cols : rows;
  int64_t width = std::min(layout.getPanel(), length) * bytes;
  if (layout.getPitch() < width)
    return emitError() << "lines are " << layout.getPitch()
                       << " bytes apart and " << width
                       << " bytes long: they overlap";
  if (layout.getPitch() % bytes)
    return emitError() << "lines are " << layout.getPitch()
                       << " bytes apart, which is not a whole number of "
                       << element;
  // The XOR permutes blocks of this many bytes; a part of one would leave the
  // tile.
  int64_t block = int64_t(16) << layout.getXorBits();
  if (layout.getXorBits() && (lines * layout.getPitch()) % block)
    return emitError() << "a panel of " << lines * layout.getPitch()
                       << " bytes is not a whole number of the " << block
                       << "-byte blocks that its swizzle permutes";
  return success();
}

layout::SharedLayout SharedType::getSharedLayout() const {
  layout::SharedLayout shared = layout::plainLayout(
      getRows(), getCols(), getElementBytes(getElementType()),
      getOrder() == Order::Row);
  if (SharedLayoutAttr layout = getLayout()) {
    shared.panel = layout.getPanel();
    shared.pitch = layout.getPitch();
    shared.swizzle = {layout.getXorBits(), 4, layout.getXorSource()};
  }
  return shared;
}

int64_t SharedType::getStageBytes() const { return getSharedLayout().bytes(); }

SharedType SharedType::withLayout(SharedLayoutAttr layout) const {
  return get(getContext(), getRows(), getCols(), getElementType(), getOrder(),
             layout, getStages());
}

SharedType SharedType::withStages(int64_t stages) const {
  return get(getContext(), getRows(), getCols(), getElementType(), getOrder(),
             getLayout(), stages);
}

//===----------------------------------------------------------------------===//
// FragType: <128x64xf32, #gemm.layout<...>>
//===----------------------------------------------------------------------===//

Type FragType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t rows, cols;
  Type element;
  LayoutAttr layout;
  if (parser.parseLess() || parseTile(parser, rows, cols, element) ||
      parser.parseComma() || parser.parseAttribute(layout) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<FragType>(loc, parser.getContext(), rows, cols,
                                     element, layout);
}

void FragType::print(AsmPrinter &printer) const {
  printer << '<';
  printTile(printer, *this);
  printer << ", " << getLayout() << '>';
}

LogicalResult FragType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t cols, Type element,
                               LayoutAttr layout) {
  if (failed(verifyTile(emitError, rows, cols, element)))
    return failure();
  layout::Distribution distribution = layout.getDistribution();
  layout::Coord shape = distribution.shape();
  if (shape.row != rows || shape.col != cols)
    return emitError() << "the layout spans " << shape.row << 'x' << shape.col
                       << " elements, and the tile has " << rows << 'x' << cols;
  // More than any CTA's registers hold; beyond it, counting would take long.
  constexpr int64_t mostElements = 1 << 20;
  if (rows * cols > mostElements)
    return emitError() << "a fragment has at most " << mostElements
                       << " elements, and " << rows << 'x' << cols << " are "
                       << rows * cols;
  if (!distribution.isPartition())
    return emitError() << "the layout does not hold every element of the "
                       << rows << 'x' << cols
                       << " tile exactly once (digits of stride (0, 0) aside)";
  return success();
}

layout::Distribution FragType::getDistribution() const {
  return getLayout().getDistribution();
}

int64_t FragType::getElementsPerThread() const {
  return getDistribution().size(layout::Level::Register);
}

FragType FragType::withElementType(Type type) const {
  return get(getContext(), getRows(), getCols(), type, getLayout());
}

//===----------------------------------------------------------------------===//
// RingType
//===----------------------------------------------------------------------===//

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages) {
  if (stages < 1 || stages > 64)
    return emitError() << "a ring has 1 to 64 stages, not " << stages;
  return success();
}

} // namespace gemm
