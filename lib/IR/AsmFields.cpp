//===- AsmFields.cpp - `key = value` lists in assembly --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsmFields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace gemm::detail {

ParseResult parseFields(AsmParser &parser, StringRef what,
                        ArrayRef<Field> fields, bool equals) {
  auto names = [&] {
    return llvm::join(
        llvm::map_range(fields, [](const Field &f) { return f.key.str(); }),
        ", ");
  };
  llvm::SmallBitVector seen(fields.size());
  SMLoc start = parser.getCurrentLocation();
  StringRef key;
  SMLoc loc = start;
  bool any = succeeded(parser.parseOptionalKeyword(&key));
  while (any) {
    const Field *field =
        llvm::find_if(fields, [&](const Field &f) { return f.key == key; });
    if (field == fields.end())
      return parser.emitError(loc)
             << what << " has no '" << key << "'; it has " << names();
    if (seen.test(field - fields.begin()))
      return parser.emitError(loc) << what << " has '" << key << "' twice";
    seen.set(field - fields.begin());
    if ((equals && parser.parseEqual()) || field->parse())
      return failure();
    if (failed(parser.parseOptionalComma()))
      break;
    loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword(&key)))
      return parser.emitError(loc)
             << "expected a part of " << what << ": one of " << names();
  }
  for (auto [i, field] : llvm::enumerate(fields))
    if (field.required && !seen.test(i))
      return parser.emitError(start) << what << " needs '" << field.key << "'";
  return success();
}

ParseResult parseGrid(AsmParser &parser, StringRef what,
                      ArrayRef<int64_t *> values) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t, 3> dims;
  if (parser.parseDimensionList(dims, /*allowDynamic=*/false,
                                /*withTrailingX=*/false))
    return failure();
  if (dims.size() != values.size())
    return parser.emitError(loc)
           << what << " is " << values.size() << " numbers joined by 'x', not "
           << dims.size();
  for (auto [value, dim] : llvm::zip_equal(values, dims))
    *value = dim;
  return success();
}

std::function<ParseResult()> integerField(AsmParser &parser, int64_t &value) {
  return [&parser, &value] { return parser.parseInteger(value); };
}

} // namespace gemm::detail
