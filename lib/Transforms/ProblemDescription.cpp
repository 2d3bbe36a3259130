//===- ProblemDescription.cpp - What the host must know of a GEMM ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProblemDescription.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace gemm {

namespace {

std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// Fills the coordinates of an operand whose index list is `map`. `canonical` are the
/// dimensions it may use, in canonical order.
LogicalResult describeIndices(MatmulOp matmul, unsigned index, AffineMap map,
                              ArrayRef<StringRef> canonical,
                              OperandDescription &operand) {
  SmallVector<StringRef> names;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    names.push_back(matmul.getDimName(map, i));
  auto refuse = [&](const Twine &why) {
    return matmul.emitOpError("operand ")
           << matmul.getOperandName(index) << " " << why;
  };
  if (llvm::is_contained(names, ""))
    return refuse("is indexed by an expression; kernels read plain dimensions only");
  if (!names.empty() && names.front() == "batch") {
    operand.batched = true;
    names.erase(names.begin());
  }
  if (llvm::is_contained(names, "batch"))
    return refuse("has a batch dimension that is not its first; transpose it first");
  if (names.empty())
    return refuse("is a single element; pass it as a scalar");
  if (operand.batched && names.size() == 1)
    return refuse("is a vector per batch; kernels read one vector for all batches");
  if (names.size() == 2) {
    operand.order = names[0] == canonical[0] ? Order::Row : Order::Col;
    operand.dims.assign(canonical.begin(), canonical.end());
  } else {
    operand.dims.assign(names.begin(), names.end());
  }
  return success();
}

/// Whether the innermost dimension of a buffer is dense, which kernels rely on.
LogicalResult checkBuffer(MatmulOp matmul, unsigned index, MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      (!strides.empty() && strides.back() != 1))
    return matmul.emitOpError("operand ")
           << matmul.getOperandName(index) << " of type " << type
           << " must have a last dimension of stride 1; transpose by the index list "
              "instead";
  return success();
}

/// The epilogue region as a straight-line scalar program: inputs first, then one record
/// per operation, `yield` last. Values are numbered in this order.
ArrayAttr describeEpilogue(MatmulOp matmul) {
  Builder b(matmul.getContext());
  SmallVector<Attribute> program;
  DenseMap<Value, int64_t> ids;
  auto record = [&](StringRef op, Type type, SmallVector<NamedAttribute> fields) {
    fields.push_back(b.getNamedAttr("op", b.getStringAttr(op)));
    if (type)
      fields.push_back(b.getNamedAttr("type", b.getStringAttr(typeName(type))));
    program.push_back(b.getDictionaryAttr(fields));
  };
  Block &block = matmul.getEpilogue().front();
  int64_t products = matmul.getBs().size(), nextOperand = 1 + products,
          nextScalar = 0;
  for (BlockArgument argument : block.getArguments()) {
    ids[argument] = program.size();
    int64_t i = argument.getArgNumber();
    StringRef op = "product";
    int64_t index = i;
    if (i >= products) {
      bool isScalar =
          !isa<ShapedType>(matmul.getEpilogueOperands()[i - products].getType());
      op = isScalar ? "scalar" : "operand";
      index = isScalar ? nextScalar++ : nextOperand++;
    }
    record(op, argument.getType(),
           {b.getNamedAttr("index", b.getI64IntegerAttr(index))});
  }
  for (Operation &op : block) {
    SmallVector<NamedAttribute> fields;
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      ids[constant] = program.size();
      record("constant", constant.getType(),
             {b.getNamedAttr("value", constant.getValue())});
      continue;
    }
    SmallVector<int64_t> args;
    for (Value operand : op.getOperands())
      args.push_back(ids.lookup(operand));
    fields.push_back(b.getNamedAttr("args", b.getI64ArrayAttr(args)));
    if (auto compare = dyn_cast<arith::CmpFOp>(op))
      fields.push_back(b.getNamedAttr(
          "predicate",
          b.getStringAttr(arith::stringifyCmpFPredicate(compare.getPredicate()))));
    if (isa<YieldOp>(op)) {
      record("yield", nullptr, fields);
      continue;
    }
    ids[op.getResult(0)] = program.size();
    record(op.getName().getStringRef(), op.getResult(0).getType(), fields);
  }
  return b.getArrayAttr(program);
}

} // namespace

FailureOr<ProblemDescription> describeProblem(MatmulOp matmul) {
  auto refuse = [&](const Twine &what) -> LogicalResult {
    return matmul.emitOpError("has ") << what;
  };
  if (!matmul.getResults().empty())
    return refuse("tensor operands; bufferize (one-shot-bufferize) before "
                  "gemm-tile-to-grid");
  if (matmul.getBs().size() != 1)
    return refuse("more than one B; kernels compute one product");
  if (matmul.getAScale() || !matmul.getBScales().empty())
    return refuse("block scales, which no kernel applies yet");
  if (!matmul.getConversions().empty())
    return refuse("operand conversions, which no kernel applies yet");
  if (matmul.getPromotionInterval())
    return refuse("a promotion interval, which no kernel observes yet");
  if (matmul.getOuts().size() != 1)
    return refuse("more than one result; kernels write one");
  if (matmul.getNumBatchDims() > 1)
    return refuse("more than one batch dimension; collapse them first");

  ProblemDescription problem;
  problem.batched = matmul.getNumBatchDims() == 1;
  for (OpOperand &operand : matmul->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    AffineMap map = matmul.getIndexingMap(operand);
    auto memref = dyn_cast<MemRefType>(operand.get().getType());
    if (!memref) {
      if (!isa<FloatType>(operand.get().getType()))
        return matmul.emitOpError("operand ")
               << matmul.getOperandName(index) << " is a scalar of type "
               << operand.get().getType()
               << "; kernels take floating-point scalars, convert it first";
      problem.scalarTypes.push_back(operand.get().getType());
      problem.scalarNames.push_back(matmul.getOperandName(index));
      continue;
    }
    OperandDescription d;
    d.name = matmul.getOperandName(index);
    d.elementType = memref.getElementType();
    SmallVector<StringRef, 2> canonical = {"m", "n"};
    if (index == 0) {
      d.role = "a";
      canonical = {"m", "k"};
    } else if (index == 1) {
      d.role = "b";
      canonical = {"n", "k"};
    } else {
      d.role = index + 1 == matmul->getNumOperands() ? "d" : "epilogue";
    }
    if (failed(checkBuffer(matmul, index, memref)) ||
        failed(describeIndices(matmul, index, map, canonical, d)))
      return failure();
    problem.operands.push_back(std::move(d));
  }
  problem.transposed = problem.operands.back().order == Order::Col;
  return problem;
}

DictionaryAttr ProblemDescription::toAttribute(MatmulOp matmul) const {
  Builder b(matmul.getContext());
  auto named = [&](StringRef name, Attribute value) {
    return b.getNamedAttr(name, value);
  };
  SmallVector<Attribute> list;
  for (const OperandDescription &o : operands) {
    SmallVector<StringRef> dims(o.dims.begin(), o.dims.end());
    SmallVector<NamedAttribute> fields = {
        named("name", b.getStringAttr(o.name)), named("role", b.getStringAttr(o.role)),
        named("type", b.getStringAttr(typeName(o.elementType))),
        named("dims", b.getStrArrayAttr(dims)),
        named("batched", b.getBoolAttr(o.batched))};
    if (dims.size() == 2)
      fields.push_back(named("order", b.getStringAttr(stringifyOrder(o.order))));
    list.push_back(b.getDictionaryAttr(fields));
  }
  SmallVector<Attribute> scalars;
  for (auto [name, type] : llvm::zip_equal(scalarNames, scalarTypes))
    scalars.push_back(b.getDictionaryAttr({named("name", b.getStringAttr(name)),
                                           named("type", b.getStringAttr(typeName(type)))}));
  // Extents that the types fix.
  SmallVector<NamedAttribute> fixed;
  for (OpOperand &operand : matmul->getOpOperands()) {
    auto memref = dyn_cast<MemRefType>(operand.get().getType());
    if (!memref)
      continue;
    AffineMap map = matmul.getIndexingMap(operand);
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      StringRef dim = matmul.getDimName(map, i);
      if (!memref.isDynamicDim(i) &&
          llvm::none_of(fixed, [&](NamedAttribute f) { return f.getName() == dim; }))
        fixed.push_back(named(dim, b.getI64IntegerAttr(memref.getDimSize(i))));
    }
  }
  return b.getDictionaryAttr(
      {named("batched", b.getBoolAttr(batched)),
       named("accumulator", b.getStringAttr(typeName(matmul.getAccumulator()))),
       named("operands", b.getArrayAttr(list)), named("scalars", b.getArrayAttr(scalars)),
       named("static", b.getDictionaryAttr(fixed)),
       named("epilogue", describeEpilogue(matmul))});
}

} // namespace gemm
