//===- ProblemAttr.cpp - The rules of the gemm.problem attribute ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `gpu.module` of kernels says what they compute, in the fields of the kernel
// artifact (docs/Artifact.md, "problem"). Here: that all fields are there and
// of the right kind.
//
//===----------------------------------------------------------------------===//

#include "Gemm/IR/Gemm.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace gemm {

namespace {

/// A field that must (or may) be there, and what it must be.
struct Field {
  StringRef name, what;
  bool (*is)(Attribute);
  bool optional = false;
};

bool isBool(Attribute a) { return isa<BoolAttr>(a); }
bool isString(Attribute a) { return isa<StringAttr>(a); }
bool isInteger(Attribute a) { return isa<IntegerAttr>(a) && !isa<BoolAttr>(a); }
template <bool (*is)(Attribute)> bool isArrayOf(Attribute a) {
  auto array = dyn_cast<ArrayAttr>(a);
  return array && llvm::all_of(array, is);
}
bool isDictionary(Attribute a) { return isa<DictionaryAttr>(a); }
bool isExtents(Attribute a) {
  auto extents = dyn_cast<DictionaryAttr>(a);
  return extents && llvm::all_of(extents, [](NamedAttribute extent) {
           return isInteger(extent.getValue());
         });
}

constexpr Field problemFields[] = {
    {"accumulator", "the name of a type", isString},
    {"batched", "true or false", isBool},
    {"epilogue", "a list of dictionaries", isArrayOf<isDictionary>},
    {"operands", "a list of dictionaries", isArrayOf<isDictionary>},
    {"scalars", "a list of dictionaries", isArrayOf<isDictionary>},
    {"static", "a dictionary of integers", isExtents}};
constexpr Field operandFields[] = {
    {"batched", "true or false", isBool},
    {"dims", "a list of strings", isArrayOf<isString>},
    {"name", "a string", isString},
    {"order", "\"row\" or \"col\"", isString, /*optional=*/true},
    {"role", "a string", isString},
    {"type", "the name of a type", isString},
    {"unused_if_zero", "an integer", isInteger, /*optional=*/true}};
constexpr Field scalarFields[] = {{"name", "a string", isString},
                                  {"type", "the name of a type", isString}};
constexpr Field operationFields[] = {
    {"args", "a list of integers", isArrayOf<isInteger>, /*optional=*/true},
    {"index", "an integer", isInteger, /*optional=*/true},
    {"op", "a string", isString},
    {"predicate", "a string", isString, /*optional=*/true},
    {"type", "the name of a type", isString, /*optional=*/true},
    {"value", "a number",
     [](Attribute a) { return isa<IntegerAttr, FloatAttr>(a); },
     /*optional=*/true}};

LogicalResult verifyFields(Operation *op, const Twine &what,
                           DictionaryAttr dictionary, ArrayRef<Field> fields) {
  auto refuse = [&](StringRef name) {
    return op->emitError() << "gemm.problem: " << what << " field '" << name
                           << "' ";
  };
  for (const Field &field : fields) {
    Attribute value = dictionary.get(field.name);
    if (value ? !field.is(value) : !field.optional)
      return refuse(field.name)
             << (value ? "must be " : "is missing: ") << field.what;
  }
  for (NamedAttribute given : dictionary)
    if (llvm::none_of(fields, [&](const Field &field) {
          return field.name == given.getName();
        }))
      return refuse(given.getName())
             << "is unknown; docs/Artifact.md has them all";
  return success();
}

} // namespace

LogicalResult GemmDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != "gemm.problem")
    return success();
  auto problem = dyn_cast<DictionaryAttr>(attribute.getValue());
  if (!problem || !isa<gpu::GPUModuleOp>(op))
    return op->emitError() << "gemm.problem is a dictionary on a gpu.module";
  if (failed(verifyFields(op, "the problem's", problem, problemFields)))
    return failure();
  auto verifyList = [&](StringRef name, StringRef what,
                        ArrayRef<Field> fields) {
    for (auto [i, item] : llvm::enumerate(
             problem.getAs<ArrayAttr>(name).getAsRange<DictionaryAttr>()))
      if (failed(verifyFields(op, (what + " " + Twine(i) + "'s").str(), item,
                              fields)))
        return failure();
    return success();
  };
  return success(
      succeeded(verifyList("operands", "operand", operandFields)) &&
      succeeded(verifyList("scalars", "scalar", scalarFields)) &&
      succeeded(verifyList("epilogue", "operation", operationFields)));
}

} // namespace gemm
