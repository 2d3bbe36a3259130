//===- ScheduleAttrs.cpp - The parts of a schedule, each alone ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsmFields.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using gemm::detail::integerField;
using gemm::detail::parseEnum;
using gemm::detail::parseFields;
using gemm::detail::parseGrid;

namespace gemm {

// Beyond this nothing fits any machine, and products stay in 64 bits.
static constexpr int64_t largestExtent = 1 << 16;

static bool inRange(int64_t v) { return v >= 1 && v <= largestExtent; }

//===----------------------------------------------------------------------===//
// TileAttr: <128x256x64>
//===----------------------------------------------------------------------===//

Attribute TileAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t m, n, k;
  if (parser.parseLess() || parseGrid(parser, "a tile", {&m, &n, &k}) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<TileAttr>(loc, parser.getContext(), m, n, k);
}

void TileAttr::print(AsmPrinter &printer) const {
  printer << '<' << getM() << 'x' << getN() << 'x' << getK() << '>';
}

LogicalResult TileAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t m, int64_t n, int64_t k) {
  if (!inRange(m) || !inRange(n) || !inRange(k))
    return emitError() << "tile " << m << 'x' << n << 'x' << k
                       << ": each side must be between 1 and " << largestExtent;
  return success();
}

//===----------------------------------------------------------------------===//
// MmaAttr: <mma_sync 16x8x16, warps = 2x4>
//===----------------------------------------------------------------------===//

Attribute MmaAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  InstructionKind kind;
  int64_t m, n, k, warpsM = 1, warpsN = 1;
  int64_t lanesM = 1, lanesN = 32, threadM = 1, threadN = 1;
  if (parser.parseLess() || parseEnum(parser, kind) ||
      parseGrid(parser, "an instruction's shape", {&m, &n, &k}) ||
      parser.parseComma())
    return {};
  auto grid = [&parser](StringRef what, int64_t &rows, int64_t &cols) {
    return [&parser, &rows, &cols, what] {
      return parseGrid(parser, what, {&rows, &cols});
    };
  };
  SmallVector<gemm::detail::Field> fields{
      {"warps", grid("a grid of warps", warpsM, warpsN), /*required=*/true}};
  if (kind == InstructionKind::Fma) {
    fields.push_back({"lanes", grid("a grid of lanes", lanesM, lanesN)});
    fields.push_back({"thread", grid("a thread's share", threadM, threadN)});
  }
  std::string what = ("an mma part of " + stringifyEnum(kind)).str();
  if (parseFields(parser, what, fields) || parser.parseGreater())
    return {};
  return parser.getChecked<MmaAttr>(loc, parser.getContext(), kind, m, n, k,
                                    warpsM, warpsN, lanesM, lanesN, threadM,
                                    threadN);
}

void MmaAttr::print(AsmPrinter &printer) const {
  printer << '<' << getKind() << ' ' << getM() << 'x' << getN() << 'x' << getK()
          << ", warps = " << getWarpsM() << 'x' << getWarpsN();
  if (getKind() == InstructionKind::Fma)
    printer << ", lanes = " << getLanesM() << 'x' << getLanesN()
            << ", thread = " << getThreadM() << 'x' << getThreadN();
  printer << '>';
}

LogicalResult MmaAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              InstructionKind kind, int64_t m, int64_t n,
                              int64_t k, int64_t warpsM, int64_t warpsN,
                              int64_t lanesM, int64_t lanesN, int64_t threadM,
                              int64_t threadN) {
  for (int64_t v : {m, n, k, warpsM, warpsN, lanesM, lanesN, threadM, threadN})
    if (!inRange(v))
      return emitError() << "the numbers of an mma part must be between 1 and "
                         << largestExtent << ", and one is " << v;
  if (kind != InstructionKind::Fma) {
    if (lanesM != 1 || lanesN != layout::warpSize || threadM != 1 ||
        threadN != 1)
      return emitError() << stringifyEnum(kind)
                         << " fixes what its lanes hold; lanes and thread are "
                            "for fma only";
    if (kind == InstructionKind::Wgmma && warpsM % 4)
      return emitError() << "wgmma runs on warpgroups of four warps along m; "
                            "warps = "
                         << warpsM << 'x' << warpsN
                         << " is not a whole number of them (write 4x1, 8x1)";
    return success();
  }
  if (m != 1 || n != 1 || k != 1)
    return emitError() << "fma is a 1x1x1 instruction, not " << m << 'x' << n
                       << 'x' << k;
  if (lanesM * lanesN != layout::warpSize)
    return emitError() << "lanes = " << lanesM << 'x' << lanesN << " are "
                       << lanesM * lanesN << " lanes, and a warp has "
                       << layout::warpSize;
  return success();
}

//===----------------------------------------------------------------------===//
// CopyAttr: <cp_async 16>
//===----------------------------------------------------------------------===//

Attribute CopyAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  CopyEngine engine;
  if (parser.parseLess() || parseEnum(parser, engine))
    return {};
  int64_t bytes = 16;
  // A tensor map says everything about a TMA copy; 16 is its alignment.
  OptionalParseResult given = parser.parseOptionalInteger(bytes);
  if (given.has_value() ? failed(*given) : engine != CopyEngine::Tma) {
    if (!given.has_value())
      parser.emitError(parser.getCurrentLocation())
          << "expected the bytes of one " << stringifyEnum(engine)
          << " access, as in <" << stringifyEnum(engine) << " 16>";
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<CopyAttr>(loc, parser.getContext(), engine, bytes);
}

void CopyAttr::print(AsmPrinter &printer) const {
  printer << '<' << getEngine();
  if (getEngine() != CopyEngine::Tma)
    printer << ' ' << getBytes();
  printer << '>';
}

LogicalResult CopyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               CopyEngine engine, int64_t bytes) {
  switch (engine) {
  case CopyEngine::Registers:
    if (bytes < 1 || bytes > 16 || !llvm::isPowerOf2_64(bytes))
      return emitError() << "a copy through registers moves 1, 2, 4, 8 or 16 "
                            "bytes at a time, not "
                         << bytes;
    break;
  case CopyEngine::CpAsync:
    if (bytes != 4 && bytes != 8 && bytes != 16)
      return emitError() << "cp_async copies 4, 8 or 16 bytes, not " << bytes
                         << "; narrower copies go through registers";
    break;
  case CopyEngine::Tma:
    if (bytes != 16)
      return emitError() << "a tma copy needs 16-byte lines and has no other "
                            "width, so not "
                         << bytes;
    break;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// BankAttr: <xor>, <padded 16>
//===----------------------------------------------------------------------===//

static bool takesBytes(BankScheme scheme) {
  return scheme == BankScheme::Padded || scheme == BankScheme::Panel;
}

Attribute BankAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  BankScheme scheme;
  int64_t bytes = 0;
  if (parser.parseLess() || parseEnum(parser, scheme))
    return {};
  if (takesBytes(scheme) && parser.parseInteger(bytes))
    return {};
  SMLoc rest = parser.getCurrentLocation();
  if (!takesBytes(scheme) && parser.parseOptionalInteger(bytes).has_value()) {
    parser.emitError(rest) << stringifyEnum(scheme) << " takes no bytes";
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BankAttr>(loc, parser.getContext(), scheme, bytes);
}

void BankAttr::print(AsmPrinter &printer) const {
  printer << '<' << getScheme();
  if (takesBytes(getScheme()))
    printer << ' ' << getBytes();
  printer << '>';
}

LogicalResult BankAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               BankScheme scheme, int64_t bytes) {
  switch (scheme) {
  case BankScheme::Plain:
  case BankScheme::Xor:
    if (bytes)
      return emitError() << stringifyEnum(scheme) << " takes no bytes";
    break;
  case BankScheme::Padded:
    if (bytes < 4 || bytes % 4 || bytes > 128)
      return emitError() << "lines are padded by a multiple of 4 up to 128 "
                            "bytes, not "
                         << bytes;
    break;
  case BankScheme::Panel:
    if (bytes != 32 && bytes != 64 && bytes != 128)
      return emitError() << "hardware panels are 32, 64 or 128 bytes wide, not "
                         << bytes;
    break;
  }
  return success();
}

llvm::Expected<layout::SharedLayout> BankAttr::layOut(int64_t rows,
                                                      int64_t cols,
                                                      int64_t elementBytes,
                                                      Order order) const {
  bool rowMajor = order == Order::Row;
  switch (getScheme()) {
  case BankScheme::Plain:
    return layout::plainLayout(rows, cols, elementBytes, rowMajor);
  case BankScheme::Padded:
    // Every line starts at a multiple of the element, which is read as a whole.
    if (getBytes() % elementBytes)
      return llvm::createStringError(
          llvm::formatv(
              "lines of {0}-byte elements cannot be {1} bytes longer; "
              "pad by a multiple of {0}",
              elementBytes, getBytes())
              .str());
    return layout::paddedLayout(rows, cols, elementBytes, rowMajor, getBytes());
  case BankScheme::Xor:
    return layout::xorLayout(rows, cols, elementBytes, rowMajor);
  case BankScheme::Panel:
    return layout::panelLayout(rows, cols, elementBytes, rowMajor, getBytes());
  }
  llvm_unreachable("every scheme has a layout");
}

//===----------------------------------------------------------------------===//
// PipelineAttr: <stages = 4, fragments = 2>
//===----------------------------------------------------------------------===//

Attribute PipelineAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t stages = 1, fragments = 1, inFlight = 0;
  if (parser.parseLess() ||
      parseFields(parser, "a pipeline",
                  {{"stages", integerField(parser, stages)},
                   {"fragments", integerField(parser, fragments)},
                   {"in_flight", integerField(parser, inFlight)}}) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<PipelineAttr>(loc, parser.getContext(), stages,
                                         fragments, inFlight);
}

void PipelineAttr::print(AsmPrinter &printer) const {
  printer << "<stages = " << getStages();
  if (getFragments() != 1)
    printer << ", fragments = " << getFragments();
  if (getInFlight() != 0)
    printer << ", in_flight = " << getInFlight();
  printer << '>';
}

LogicalResult PipelineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t stages, int64_t fragments,
                                   int64_t inFlight) {
  if (stages < 1 || stages > 64)
    return emitError() << "a pipeline has 1 to 64 stages, not " << stages;
  if (fragments != 1 && fragments != 2)
    return emitError() << "a pipeline holds the fragments of 1 or 2 k-steps, "
                          "not "
                       << fragments;
  // One group per K tile: a second one would need the stage that is being
  // filled.
  if (inFlight < 0 || inFlight > 1)
    return emitError() << "in_flight is 0 or 1, not " << inFlight;
  if (inFlight >= stages)
    return emitError() << "in_flight = " << inFlight << " needs at least "
                       << inFlight + 1 << " stages, and there "
                       << (stages == 1 ? "is " : "are ") << stages
                       << ": a stage that is still read cannot be refilled";
  return success();
}

//===----------------------------------------------------------------------===//
// EpilogueAttr: <staged 16>
//===----------------------------------------------------------------------===//

Attribute EpilogueAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  EpilogueRoute route;
  int64_t bytes;
  if (parser.parseLess() || parseEnum(parser, route) ||
      parser.parseInteger(bytes) || parser.parseGreater())
    return {};
  return parser.getChecked<EpilogueAttr>(loc, parser.getContext(), route,
                                         bytes);
}

void EpilogueAttr::print(AsmPrinter &printer) const {
  printer << '<' << getRoute() << ' ' << getBytes() << '>';
}

LogicalResult EpilogueAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   EpilogueRoute, int64_t bytes) {
  if (bytes < 1 || bytes > 16 || !llvm::isPowerOf2_64(bytes))
    return emitError() << "an epilogue stores 1, 2, 4, 8 or 16 bytes at a "
                          "time, not "
                       << bytes;
  return success();
}

//===----------------------------------------------------------------------===//
// WorkAttr: <tiles, raster = 8>
//===----------------------------------------------------------------------===//

Attribute WorkAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  WorkKind kind;
  int64_t raster = 1;
  if (parser.parseLess() || parseEnum(parser, kind))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      parseFields(parser, "a work part",
                  {{"raster", integerField(parser, raster)}}))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<WorkAttr>(loc, parser.getContext(), kind, raster);
}

void WorkAttr::print(AsmPrinter &printer) const {
  printer << '<' << getKind();
  if (getRaster() != 1)
    printer << ", raster = " << getRaster();
  printer << '>';
}

LogicalResult WorkAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               WorkKind, int64_t raster) {
  if (!inRange(raster))
    return emitError() << "tiles are walked in groups of 1 to " << largestExtent
                       << " tile rows, not " << raster;
  return success();
}

} // namespace gemm
