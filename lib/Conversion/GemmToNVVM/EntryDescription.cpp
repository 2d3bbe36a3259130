//===- EntryDescription.cpp - What the host must know of a kernel ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace gemm {

namespace {

/// Index of the problem operand called `name` in the module's description.
std::optional<int64_t> operandIndex(KernelOp kernel, StringRef name) {
  auto problem =
      kernel->getParentOp()->getAttrOfType<DictionaryAttr>("gemm.problem");
  if (!problem)
    return std::nullopt;
  for (auto [i, operand] : llvm::enumerate(
           problem.getAs<ArrayAttr>("operands").getAsRange<DictionaryAttr>()))
    if (operand.getAs<StringAttr>("name") == name)
      return i;
  return std::nullopt;
}

FailureOr<ArrayAttr> describeGuard(KernelOp kernel) {
  Builder b(kernel.getContext());
  SmallVector<Attribute> list;
  if (GuardAttr guard = kernel.getGuardAttr())
    for (ConditionAttr condition : guard.getConditions()) {
      auto record = [&](StringRef kind, NamedAttribute subject) {
        list.push_back(b.getDictionaryAttr(
            {b.getNamedAttr("kind", b.getStringAttr(kind)), subject,
             b.getNamedAttr("value",
                            b.getI64IntegerAttr(condition.getValue()))}));
      };
      StringRef subject = condition.getSubject();
      NamedAttribute dim = b.getNamedAttr("dim", b.getStringAttr(subject));
      switch (condition.getKind()) {
      case ConditionKind::Align:
      case ConditionKind::Pitch: {
        std::optional<int64_t> index = operandIndex(kernel, subject);
        if (!index)
          return kernel.emitOpError(
                     "guard names an operand that the problem does "
                     "not have: ")
                 << subject;
        record(condition.getKind() == ConditionKind::Align ? "align" : "pitch",
               b.getNamedAttr("operand", b.getI64IntegerAttr(*index)));
        break;
      }
      case ConditionKind::Divisible:
        record("extent_divisible", dim);
        break;
      case ConditionKind::AtMost:
        if (subject == "batch")
          list.push_back(b.getDictionaryAttr(
              {b.getNamedAttr("kind", b.getStringAttr("batch_at_most")),
               b.getNamedAttr("value",
                              b.getI64IntegerAttr(condition.getValue()))}));
        else
          record("extent_at_most", dim);
        break;
      }
    }
  return b.getArrayAttr(list);
}

/// The copy that reads through a tensor map fixes its box and swizzle.
FailureOr<DictionaryAttr> describeTensorMap(KernelOp kernel, BlockArgument map,
                                            int64_t operand) {
  Builder b(kernel.getContext());
  for (Operation *user : map.getUsers())
    if (auto copy = dyn_cast<CopyStartOp>(user)) {
      layout::SharedLayout layout = copy.getDest().getType().getSharedLayout();
      if (layout.pitch != layout.panel * layout.elementBytes)
        return copy.emitOpError(
            "cannot fill padded lines by TMA; use a panel or plain "
            "bank scheme");
      int64_t swizzle =
          layout.swizzle.bits ? int64_t(16) << layout.swizzle.bits : 0;
      return b.getDictionaryAttr(
          {b.getNamedAttr("kind", b.getStringAttr("tensor_map")),
           b.getNamedAttr("operand", b.getI64IntegerAttr(operand)),
           b.getNamedAttr("box",
                          b.getI64ArrayAttr({layout.panel, layout.lines()})),
           b.getNamedAttr("swizzle", b.getI64IntegerAttr(swizzle))});
    }
  return kernel.emitOpError("argument ")
         << map.getArgNumber() << " is a tensor map that no copy reads";
}

FailureOr<ArrayAttr> describeParams(KernelOp kernel) {
  Builder b(kernel.getContext());
  SmallVector<Attribute> params;
  auto record = [&](StringRef kind, SmallVector<NamedAttribute> fields) {
    fields.push_back(b.getNamedAttr("kind", b.getStringAttr(kind)));
    params.push_back(b.getDictionaryAttr(fields));
  };
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    RoleAttr role = kernel.getRole(argument.getArgNumber());
    SmallVector<NamedAttribute> index = {
        b.getNamedAttr(role.getKind() == RoleKind::Scalar ? "index" : "operand",
                       b.getI64IntegerAttr(role.getIndex()))};
    switch (role.getKind()) {
    case RoleKind::Extent:
      record("extent", {b.getNamedAttr("dim", role.getDim())});
      break;
    case RoleKind::Scalar:
      record("scalar", index);
      break;
    case RoleKind::Operand:
      if (isa<TensorMapType>(argument.getType())) {
        auto map = describeTensorMap(kernel, argument, role.getIndex());
        if (failed(map))
          return failure();
        params.push_back(*map);
        break;
      }
      record("pointer", index);
      if (cast<ViewType>(argument.getType()).getRank() >= 2)
        record("stride", index);
      if (cast<ViewType>(argument.getType()).isBatched())
        record("batch_stride", index);
      break;
    }
  }
  return b.getArrayAttr(params);
}

} // namespace

FailureOr<DictionaryAttr> describeEntry(KernelOp kernel, int64_t sharedBytes) {
  Builder b(kernel.getContext());
  FailureOr<ArrayAttr> guard = describeGuard(kernel);
  FailureOr<ArrayAttr> params = describeParams(kernel);
  if (failed(guard) || failed(params))
    return failure();
  std::string schedule;
  if (kernel.getScheduleAttr())
    llvm::raw_string_ostream(schedule) << kernel.getScheduleAttr();
  SmallVector<NamedAttribute> fields = {
      b.getNamedAttr("name", kernel.getSymNameAttr()),
      b.getNamedAttr("guard", *guard),
      b.getNamedAttr("schedule", b.getStringAttr(schedule)),
      b.getNamedAttr("block", b.getI64IntegerAttr(*kernel.getBlock())),
      b.getNamedAttr("cluster", b.getI64ArrayAttr({1, 1, 1})),
      b.getNamedAttr("shared_bytes", b.getI64IntegerAttr(sharedBytes)),
      b.getNamedAttr("workspace", b.getDictionaryAttr(b.getNamedAttr(
                                      "kind", b.getStringAttr("none")))),
      b.getNamedAttr("params", *params)};
  if (DictionaryAttr grid = kernel.getGridAttr())
    fields.push_back(b.getNamedAttr("grid", grid));
  return b.getDictionaryAttr(fields);
}

} // namespace gemm
