//===- LaunchOp.cpp - gemm.launch -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/IR/Gemm.h"

using namespace mlir;

namespace gemm {

/// Argument `index` of `kernel` finds its value among the launch's.
static LogicalResult verifyArgument(LaunchOp launch, KernelOp kernel,
                                    unsigned index) {
  RoleAttr role = kernel.getRole(index);
  // The kernel's own verifier reports a missing role.
  if (!role || role.getKind() == RoleKind::Extent)
    return success();
  bool isBuffer = role.getKind() == RoleKind::Operand;
  OperandRange values = isBuffer ? launch.getBuffers() : launch.getScalars();
  StringRef what = isBuffer ? "buffer" : "scalar";
  if (role.getIndex() < 0 ||
      role.getIndex() >= static_cast<int64_t>(values.size()))
    return launch.emitOpError("passes ")
           << values.size() << " " << what << "s, but kernel '"
           << kernel.getName() << "' reads " << what << " " << role.getIndex();

  auto getElementType = [](Type type) -> Type {
    if (auto view = dyn_cast<ViewType>(type))
      return view.getElementType();
    if (auto map = dyn_cast<TensorMapType>(type))
      return map.getElementType();
    return getElementTypeOrSelf(type);
  };
  Type passed = getElementType(values[role.getIndex()].getType());
  Type read = getElementType(kernel.getArgumentTypes()[index]);
  if (passed != read)
    return launch.emitOpError("passes ")
           << passed << " as " << what << " " << role.getIndex()
           << ", but kernel '" << kernel.getName() << "' reads " << read;
  return success();
}

namespace {

/// Checks that a kernel runs only where its wide accesses are aligned: by its
/// guard, or by what the launch's types and the problem's extents say.
class AccessVerifier {
public:
  AccessVerifier(LaunchOp launch, KernelOp kernel, DictionaryAttr problem)
      : launch(launch), kernel(kernel), problem(problem),
        guard(kernel.getGuardAttr()) {}

  LogicalResult verify() {
    WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
      if (auto copy = dyn_cast<CopyStartOp>(op))
        return verify(copy.getSource(), copy.getCopy().getBytes(),
                      copy.getCopy().getEngine() == CopyEngine::Registers);
      if (auto store = dyn_cast<StoreTileOp>(op))
        return verify(store.getDest(), store.getBytes(), /*wholeRuns=*/false);
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

private:
  WalkResult verify(Value global, int64_t bytes, bool wholeRuns);
  WalkResult require(ConditionKind kind, StringRef subject, int64_t value,
                     bool isKnown) {
    auto condition =
        ConditionAttr::get(launch.getContext(), kind, subject, value);
    if (isKnown || (guard && guard.implies(condition)))
      return WalkResult::advance();
    return launch.emitOpError("kernel '")
           << kernel.getName() << "' needs " << stringifyEnum(kind) << '('
           << subject << ") " << value
           << ", which its guard does not ask; add it to the guard";
  }

  LaunchOp launch;
  KernelOp kernel;
  DictionaryAttr problem;
  GuardAttr guard;
};

} // namespace

WalkResult AccessVerifier::verify(Value global, int64_t bytes, bool wholeRuns) {
  auto argument = dyn_cast<BlockArgument>(global);
  RoleAttr role = argument && argument.getOwner()->isEntryBlock()
                      ? kernel.getRole(argument.getArgNumber())
                      : RoleAttr();
  auto operands = problem.getAs<ArrayAttr>("operands");
  if (!role || role.getKind() != RoleKind::Operand || !operands ||
      role.getIndex() >= static_cast<int64_t>(operands.size()))
    return WalkResult::advance();
  auto buffer =
      cast<MemRefType>(launch.getBuffers()[role.getIndex()].getType());
  int64_t elements = bytes / getElementBytes(buffer.getElementType());
  if (elements <= 1)
    return WalkResult::advance();
  auto operand = cast<DictionaryAttr>(operands[role.getIndex()]);
  auto name = operand.getAs<StringAttr>("name");
  auto dims = operand.getAs<ArrayAttr>("dims");
  auto order = operand.getAs<StringAttr>("order");
  if (!name || !dims || dims.size() != 2 || !order)
    return WalkResult::advance();

  WalkResult result =
      require(ConditionKind::Align, name.getValue(), bytes, /*isKnown=*/false);
  SmallVector<int64_t> strides;
  int64_t offset;
  bool isPitched = succeeded(buffer.getStridesAndOffset(strides, offset)) &&
                   llvm::all_of(ArrayRef(strides).drop_back(), [&](int64_t s) {
                     return !ShapedType::isDynamic(s) && s % elements == 0;
                   });
  if (!result.wasInterrupted())
    result =
        require(ConditionKind::Pitch, name.getValue(), elements, isPitched);
  if (result.wasInterrupted() || !wholeRuns)
    return result;
  // Through registers a run is copied whole or not at all.
  auto dim = cast<StringAttr>(dims[order.getValue() == "row" ? 1 : 0]);
  auto fixed = problem.getAs<DictionaryAttr>("static");
  auto extent = fixed ? fixed.getAs<IntegerAttr>(dim) : IntegerAttr();
  return require(ConditionKind::Divisible, dim.getValue(), elements,
                 extent && extent.getInt() % elements == 0);
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getFamilyAttr());
  if (!symbol)
    return emitOpError("no symbol '") << getFamily() << "'";
  auto family = dyn_cast<gpu::GPUModuleOp>(symbol);
  if (!family)
    return emitOpError("'") << getFamily() << "' is a '" << symbol->getName()
                            << "', not a gpu.module";
  // Kernels that are lowered further no longer have roles.
  auto problem = family->getAttrOfType<DictionaryAttr>("gemm.problem");
  for (KernelOp kernel : family.getOps<KernelOp>()) {
    for (unsigned i = 0; i < kernel.getArgumentTypes().size(); ++i)
      if (failed(verifyArgument(*this, kernel, i)))
        return failure();
    if (problem && failed(AccessVerifier(*this, kernel, problem).verify()))
      return failure();
  }
  return success();
}

} // namespace gemm
