//===- ProblemDescription.cpp - What the host must know of a GEMM ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProblemDescription.h"

#include "Gemm/IR/KernelRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace gemm {

namespace {

std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// Fills the coordinates of an operand whose index list is `map`. `canonical`
/// are the dimensions it may use, in canonical order.
void describeIndices(MatmulOp matmul, unsigned index,
                     ArrayRef<StringRef> canonical,
                     OperandDescription &operand) {
  AffineMap map = matmul.getIndexingMap(index);
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    StringRef name = matmul.getDimName(map, i);
    if (name == "batch")
      operand.batched = true;
    else
      operand.dims.push_back(name);
  }
  if (operand.dims.size() == 2) {
    operand.order = *matmul.getOrder(index);
    operand.dims.assign(canonical.begin(), canonical.end());
  }
}

/// Whether `condition` compares a scalar of the epilogue with zero; `whenZero`
/// is then its value for zero.
BlockArgument matchZeroTest(Value condition, bool &whenZero) {
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  if (!compare || !matchPattern(compare.getRhs(), m_AnyZeroFloat()))
    return {};
  whenZero = compare.getPredicate() == arith::CmpFPredicate::OEQ;
  bool isTest = whenZero || compare.getPredicate() == arith::CmpFPredicate::UNE;
  return isTest ? dyn_cast<BlockArgument>(compare.getLhs()) : BlockArgument();
}

/// Whether `value` makes no difference when `scalar` is zero, as a selection by
/// that always takes its other operand. A null `scalar` becomes the one that
/// does it.
bool isUnusedIfZero(Value value, BlockArgument &scalar) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    unsigned position = use.getOperandNumber();
    auto select = dyn_cast<arith::SelectOp>(use.getOwner());
    bool whenZero = false;
    BlockArgument tested = select
                               ? matchZeroTest(select.getCondition(), whenZero)
                               : BlockArgument();
    if (tested && position == (whenZero ? 2u : 1u) &&
        (!scalar || scalar == tested)) {
      scalar = tested;
      return true;
    }
    return !isa<YieldOp>(use.getOwner()) &&
           isUnusedIfZero(use.getOwner()->getResult(0), scalar);
  });
}

/// Finds the operands that a scalar switches off: the first such scalar,
/// usually beta.
void findSwitch(MatmulOp matmul, ProblemDescription &problem) {
  Block &epilogue = matmul.getEpilogue().front();
  unsigned numProducts = matmul.getBs().size(), next = 2;
  BlockArgument scalar;
  for (auto [value, argument] :
       llvm::zip_equal(matmul.getEpilogueOperands(),
                       epilogue.getArguments().drop_front(numProducts))) {
    if (!isa<MemRefType>(value.getType()))
      continue;
    OperandDescription &operand = problem.operands[next++];
    BlockArgument found = scalar;
    if (!isUnusedIfZero(argument, found) || !found ||
        found.getArgNumber() < numProducts)
      continue;
    unsigned position = found.getArgNumber() - numProducts;
    std::string name =
        matmul.getOperandName(matmul.getFirstEpilogueOperand() + position);
    auto entry = llvm::find(problem.scalarNames, name);
    if (entry == problem.scalarNames.end())
      continue;
    scalar = found;
    operand.unusedIfZero = entry - problem.scalarNames.begin();
  }
}

/// The epilogue region as a straight-line scalar program: inputs first, then
/// one record per operation, `yield` last. Values are numbered in this order.
ArrayAttr describeEpilogue(MatmulOp matmul) {
  Builder b(matmul.getContext());
  SmallVector<Attribute> program;
  DenseMap<Value, int64_t> ids;
  auto record = [&](StringRef op, Type type,
                    SmallVector<NamedAttribute> fields) {
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
      bool isScalar = !isa<ShapedType>(
          matmul.getEpilogueOperands()[i - products].getType());
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
          "predicate", b.getStringAttr(arith::stringifyCmpFPredicate(
                           compare.getPredicate()))));
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      fields.push_back(b.getNamedAttr(
          "predicate", b.getStringAttr(arith::stringifyCmpIPredicate(
                           compare.getPredicate()))));
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
  if (!matmul.getResults().empty())
    return matmul.emitOpError(
        "has tensor operands; bufferize (one-shot-bufferize) before "
        "gemm-tile-to-grid");
  if (auto error = getKernelProblemError(matmul))
    return matmul.emitOpError("has ") << *error;

  ProblemDescription problem;
  problem.batched = matmul.getNumBatchDims() == 1;
  for (OpOperand &operand : matmul->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    Type type = operand.get().getType();
    OperandDescription d;
    d.name = matmul.getOperandName(index);
    d.elementType = getElementTypeOrSelf(type);
    SmallVector<StringRef, 2> canonical = {"m", "n"};
    MatrixRole role = MatrixRole::D;
    if (index == 0) {
      d.role = "a";
      canonical = {"m", "k"};
      role = MatrixRole::A;
    } else if (index == 1) {
      d.role = "b";
      canonical = {"n", "k"};
      role = MatrixRole::B;
    } else {
      d.role = index == matmul.getFirstOut() ? "d" : "epilogue";
    }
    AffineMap map = matmul.getIndexingMap(index);
    if (auto error = d.role == "epilogue"
                         ? getKernelEpilogueError(type, map)
                         : getKernelMatrixError(role, type, map))
      return matmul.emitOpError("operand ") << d.name << " " << *error;
    if (!isa<MemRefType>(type)) {
      problem.scalarTypes.push_back(type);
      problem.scalarNames.push_back(d.name);
      continue;
    }
    describeIndices(matmul, index, canonical, d);
    problem.operands.push_back(std::move(d));
  }
  for (Operation &op : matmul.getEpilogue().front().without_terminator())
    if (auto error = getKernelScalarOpError(op))
      return op.emitOpError() << *error;
  findSwitch(matmul, problem);
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
        named("name", b.getStringAttr(o.name)),
        named("role", b.getStringAttr(o.role)),
        named("type", b.getStringAttr(typeName(o.elementType))),
        named("dims", b.getStrArrayAttr(dims)),
        named("batched", b.getBoolAttr(o.batched))};
    if (dims.size() == 2)
      fields.push_back(
          named("order", b.getStringAttr(stringifyOrder(o.order))));
    if (o.unusedIfZero)
      fields.push_back(
          named("unused_if_zero", b.getI64IntegerAttr(*o.unusedIfZero)));
    list.push_back(b.getDictionaryAttr(fields));
  }
  SmallVector<Attribute> scalars;
  for (auto [name, type] : llvm::zip_equal(scalarNames, scalarTypes))
    scalars.push_back(
        b.getDictionaryAttr({named("name", b.getStringAttr(name)),
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
          llvm::none_of(fixed,
                        [&](NamedAttribute f) { return f.getName() == dim; }))
        fixed.push_back(named(dim, b.getI64IntegerAttr(memref.getDimSize(i))));
    }
  }
  return b.getDictionaryAttr(
      {named("batched", b.getBoolAttr(batched)),
       named("accumulator", b.getStringAttr(typeName(matmul.getAccumulator()))),
       named("operands", b.getArrayAttr(list)),
       named("scalars", b.getArrayAttr(scalars)),
       named("static", b.getDictionaryAttr(fixed)),
       named("epilogue", describeEpilogue(matmul))});
}

} // namespace gemm
