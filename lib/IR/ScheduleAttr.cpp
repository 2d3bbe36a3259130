//===- ScheduleAttr.cpp - A schedule, and what its parts owe each other ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsmFields.h"

using namespace mlir;

namespace gemm {

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// Parses one part, `<...>` or `#gemm.part<...>`, into `part`.
template <typename Part>
static ParseResult parsePart(AsmParser &parser, Part &part) {
  return parser.parseCustomAttributeWithFallback(part);
}

/// Parses `[<...>, <...>]`: A's part, then B's.
template <typename Part>
static ParseResult parsePair(AsmParser &parser, Part &a, Part &b) {
  return failure(parser.parseLSquare() || parsePart(parser, a) ||
                 parser.parseComma() || parsePart(parser, b) ||
                 parser.parseRSquare());
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  SMLoc loc = parser.getCurrentLocation();
  TileAttr tile;
  MmaAttr mma;
  CopyAttr copyA, copyB;
  BankAttr bankA = BankAttr::get(context, BankScheme::Plain, 0), bankB = bankA;
  PipelineAttr pipeline = PipelineAttr::get(context, 1, 1, 0);
  EpilogueAttr epilogue;
  WorkAttr work = WorkAttr::get(context, WorkKind::Tiles, 1);

  auto parseTile = [&]() -> ParseResult {
    SMLoc tileLoc = parser.getCurrentLocation();
    int64_t m, n, k;
    if (detail::parseGrid(parser, "a tile", {&m, &n, &k}))
      return failure();
    tile = parser.getChecked<TileAttr>(tileLoc, context, m, n, k);
    return success(bool(tile));
  };
  if (parser.parseLess() ||
      detail::parseFields(
          parser, "a schedule",
          {{"tile", parseTile, /*required=*/true},
           {"mma", [&] { return parsePart(parser, mma); }, /*required=*/true},
           {"copy", [&] { return parsePair(parser, copyA, copyB); },
            /*required=*/true},
           {"bank", [&] { return parsePair(parser, bankA, bankB); }},
           {"pipeline", [&] { return parsePart(parser, pipeline); }},
           {"epilogue", [&] { return parsePart(parser, epilogue); },
            /*required=*/true},
           {"work", [&] { return parsePart(parser, work); }}}) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<ScheduleAttr>(loc, context, tile, mma, copyA, copyB,
                                         bankA, bankB, pipeline, epilogue,
                                         work);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  TileAttr tile = getTile();
  printer << "<tile = " << tile.getM() << 'x' << tile.getN() << 'x'
          << tile.getK() << ", mma = ";
  printer.printStrippedAttrOrType(getMma());
  printer << ", copy = [";
  printer.printStrippedAttrOrType(getCopyA());
  printer << ", ";
  printer.printStrippedAttrOrType(getCopyB());
  printer << ']';
  if (getBankA().getScheme() != BankScheme::Plain ||
      getBankB().getScheme() != BankScheme::Plain) {
    printer << ", bank = [";
    printer.printStrippedAttrOrType(getBankA());
    printer << ", ";
    printer.printStrippedAttrOrType(getBankB());
    printer << ']';
  }
  if (getPipeline() != PipelineAttr::get(getContext(), 1, 1, 0)) {
    printer << ", pipeline = ";
    printer.printStrippedAttrOrType(getPipeline());
  }
  printer << ", epilogue = ";
  printer.printStrippedAttrOrType(getEpilogue());
  if (getWork() != WorkAttr::get(getContext(), WorkKind::Tiles, 1)) {
    printer << ", work = ";
    printer.printStrippedAttrOrType(getWork());
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Rules between the parts
//===----------------------------------------------------------------------===//

/// The tile must be a whole number of what the CTA's threads compute at once.
static LogicalResult verifyTiling(function_ref<InFlightDiagnostic()> emitError,
                                  TileAttr tile, MmaAttr mma) {
  // A wgmma is four warps tall.
  int64_t perM = mma.getKind() == InstructionKind::Wgmma ? mma.getWarpsM() / 4
                                                         : mma.getWarpsM();
  int64_t perN = mma.getWarpsN();
  if (mma.getKind() == InstructionKind::Fma) {
    perM *= mma.getLanesM() * mma.getThreadM();
    perN *= mma.getLanesN() * mma.getThreadN();
  }
  perM *= mma.getM();
  perN *= mma.getN();
  auto check = [&](StringRef dim, int64_t side, int64_t step) -> LogicalResult {
    if (side % step == 0)
      return success();
    return emitError() << "the tile's " << dim << " = " << side
                       << " is not a multiple of " << step << ", the " << dim
                       << " that "
                       << (dim == "k" ? "one instruction computes"
                                      : "all warps compute at once");
  };
  return success(succeeded(check("m", tile.getM(), perM)) &&
                 succeeded(check("n", tile.getN(), perN)) &&
                 succeeded(check("k", tile.getK(), mma.getK())));
}

/// What one operand's copy and bank scheme owe the instruction and each other.
static LogicalResult verifyOperand(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name, MmaAttr mma, CopyAttr copy,
                                   BankAttr bank) {
  bool panel = bank.getScheme() == BankScheme::Panel;
  if (mma.getKind() == InstructionKind::Wgmma && !panel)
    return emitError() << "wgmma reads " << name
                       << " in hardware panels; its bank scheme is "
                       << stringifyEnum(bank.getScheme())
                       << " and must be panel 32, 64 or 128";
  if (copy.getEngine() == CopyEngine::Tma && !panel)
    return emitError() << "tma writes " << name
                       << " in hardware panels; its bank scheme is "
                       << stringifyEnum(bank.getScheme())
                       << " and must be panel 32, 64 or 128";
  if (bank.getScheme() != BankScheme::Padded)
    return success();
  // The next line starts `bytes` later, and must still be aligned for both.
  // Stores from registers can be cut, an asynchronous copy cannot.
  int64_t access =
      copy.getEngine() == CopyEngine::CpAsync ? copy.getBytes() : 1;
  if (mma.getKind() == InstructionKind::MmaSync)
    access = 16;
  if (bank.getBytes() % access)
    return emitError() << "lines of " << name << " are padded by "
                       << bank.getBytes() << " bytes, and accesses to them are "
                       << access << " bytes wide: pad by a multiple of "
                       << access;
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   TileAttr tile, MmaAttr mma, CopyAttr copyA,
                                   CopyAttr copyB, BankAttr bankA,
                                   BankAttr bankB, PipelineAttr pipeline,
                                   EpilogueAttr, WorkAttr) {
  if (failed(verifyTiling(emitError, tile, mma)) ||
      failed(verifyOperand(emitError, "A", mma, copyA, bankA)) ||
      failed(verifyOperand(emitError, "B", mma, copyB, bankB)))
    return failure();
  bool asynchronous = mma.getKind() == InstructionKind::Wgmma;
  if (pipeline.getInFlight() && !asynchronous)
    return emitError() << "in_flight is for asynchronous multiplication "
                          "(wgmma); "
                       << stringifyEnum(mma.getKind())
                       << " has finished when it returns";
  if (pipeline.getFragments() != 1 && asynchronous)
    return emitError() << "wgmma reads shared memory and has no fragments to "
                          "hold; fragments must be 1";
  if (pipeline.getFragments() == 1)
    return success();
  // The first fragments of a tile are read while the one before is multiplied.
  if (pipeline.getStages() == 1)
    return emitError()
           << "fragments = 2 reads from the next K tile while this one is "
              "multiplied, and needs at least 2 stages";
  for (CopyAttr copy : {copyA, copyB})
    if (copy.getEngine() == CopyEngine::Tma)
      return emitError()
             << "fragments = 2 is for operands that threads copy (cp_async, "
                "registers), not for tma";
  return success();
}

} // namespace gemm
