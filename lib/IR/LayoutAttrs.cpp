//===- LayoutAttrs.cpp - #gemm.layout and #gemm.shared_layout -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsmFields.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gemm {

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

// Largest number of values of one hardware index, and largest position. Far
// above what hardware has; it keeps sums and products in range.
static constexpr int64_t largestIndex = 1 << 16;

static SmallVector<layout::Digit, 4> toDigits(ArrayRef<int64_t> flat) {
  SmallVector<layout::Digit, 4> digits;
  for (size_t i = 0; i + 2 < flat.size(); i += 3)
    digits.push_back({flat[i], {flat[i + 1], flat[i + 2]}});
  return digits;
}

static SmallVector<int64_t, 12> toNumbers(ArrayRef<layout::Digit> digits) {
  SmallVector<int64_t, 12> flat;
  for (const layout::Digit &d : digits)
    flat.append({d.extent, d.stride.row, d.stride.col});
  return flat;
}

layout::Distribution LayoutAttr::getDistribution() const {
  return layout::Distribution(toDigits(getRegisters()), toDigits(getLanes()),
                              toDigits(getWarps()));
}

LayoutAttr LayoutAttr::get(MLIRContext *context,
                           const layout::Distribution &distribution) {
  using layout::Level;
  return get(context, toNumbers(distribution.get(Level::Register)),
             toNumbers(distribution.get(Level::Lane)),
             toNumbers(distribution.get(Level::Warp)));
}

/// Parses `[4:(0, 2), 8:(1, 0)]`.
static ParseResult parseDigits(AsmParser &parser,
                               SmallVectorImpl<int64_t> &flat) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    int64_t extent, row, col;
    if (parser.parseInteger(extent) || parser.parseColon() ||
        parser.parseLParen() || parser.parseInteger(row) ||
        parser.parseComma() || parser.parseInteger(col) || parser.parseRParen())
      return failure();
    flat.append({extent, row, col});
    return success();
  });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> registers, lanes, warps;
  auto digits = [&](SmallVector<int64_t> &flat) {
    return [&parser, &flat] { return parseDigits(parser, flat); };
  };
  if (parser.parseLess() ||
      detail::parseFields(parser, "a layout",
                          {{"register", digits(registers)},
                           {"lane", digits(lanes), /*required=*/true},
                           {"warp", digits(warps)}},
                          /*equals=*/false) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<LayoutAttr>(
      loc, parser.getContext(), ArrayRef<int64_t>(registers),
      ArrayRef<int64_t>(lanes), ArrayRef<int64_t>(warps));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  bool first = true;
  auto level = [&](StringRef name, ArrayRef<int64_t> flat) {
    if (flat.empty())
      return;
    printer << (first ? "" : ", ") << name << '[';
    llvm::interleaveComma(toDigits(flat), printer.getStream(),
                          [&](const layout::Digit &d) {
                            printer << d.extent << ":(" << d.stride.row << ", "
                                    << d.stride.col << ')';
                          });
    printer << ']';
    first = false;
  };
  printer << '<';
  level("register", getRegisters());
  level("lane", getLanes());
  level("warp", getWarps());
  printer << '>';
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> registers,
                                 ArrayRef<int64_t> lanes,
                                 ArrayRef<int64_t> warps) {
  int64_t sizes[3];
  int64_t lastRow = 0, lastCol = 0;
  const char *names[] = {"register", "lane", "warp"};
  ArrayRef<int64_t> levels[] = {registers, lanes, warps};
  for (int level = 0; level < 3; ++level) {
    if (levels[level].size() % 3)
      return emitError() << "a layout's digits are three numbers each";
    sizes[level] = 1;
    for (const layout::Digit &d : toDigits(levels[level])) {
      if (d.extent < 1 || d.stride.row < 0 || d.stride.col < 0)
        return emitError() << "digit " << d.extent << ":(" << d.stride.row
                           << ", " << d.stride.col << ") of " << names[level]
                           << " needs an extent of at least 1 and strides of "
                              "at least 0";
      if (d.extent > largestIndex || d.stride.row > largestIndex ||
          d.stride.col > largestIndex ||
          (sizes[level] *= d.extent) > largestIndex ||
          (lastRow += (d.extent - 1) * d.stride.row) > largestIndex ||
          (lastCol += (d.extent - 1) * d.stride.col) > largestIndex)
        return emitError() << "a layout's " << names[level]
                           << " digits go beyond " << largestIndex;
    }
  }
  if (sizes[1] != layout::warpSize)
    return emitError() << "the lane digits of a layout count to " << sizes[1]
                       << ", and a warp has " << layout::warpSize
                       << " lanes; lanes that hold the same element are a "
                          "digit of stride (0, 0)";
  return success();
}

//===----------------------------------------------------------------------===//
// SharedLayoutAttr
//===----------------------------------------------------------------------===//

Attribute SharedLayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t panel = 0, pitch = 0, xorBits = 0, xorSource = 7;
  if (parser.parseLess() ||
      detail::parseFields(
          parser, "a shared layout",
          {{"panel", detail::integerField(parser, panel), /*required=*/true},
           {"pitch", detail::integerField(parser, pitch), /*required=*/true},
           {"xor_bits", detail::integerField(parser, xorBits)},
           {"xor_source", detail::integerField(parser, xorSource)}}) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<SharedLayoutAttr>(loc, parser.getContext(), panel,
                                             pitch, xorBits, xorSource);
}

void SharedLayoutAttr::print(AsmPrinter &printer) const {
  printer << "<panel = " << getPanel() << ", pitch = " << getPitch();
  if (getXorBits() != 0)
    printer << ", xor_bits = " << getXorBits();
  if (getXorSource() != 7)
    printer << ", xor_source = " << getXorSource();
  printer << '>';
}

LogicalResult
SharedLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t panel, int64_t pitch, int64_t xorBits,
                         int64_t xorSource) {
  if (panel < 1 || pitch < 1 || panel > (1 << 20) || pitch > (1 << 20))
    return emitError() << "a shared layout's panel and pitch must be between 1 "
                          "and "
                       << (1 << 20) << ", not " << panel << " and " << pitch;
  if (xorBits < 0 || xorBits > 8 || xorSource > 20)
    return emitError() << "a swizzle has 0 to 8 bits from a source up to 20";
  if (xorBits > 0 && xorSource < 4 + xorBits)
    return emitError() << "a swizzle of " << xorBits
                       << " bits must take them from bit " << 4 + xorBits
                       << " or above, not " << xorSource
                       << ": below, two elements would share an address";
  return success();
}

} // namespace gemm
