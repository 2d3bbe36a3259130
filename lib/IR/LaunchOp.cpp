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

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getFamilyAttr());
  if (!symbol)
    return emitOpError("no symbol '") << getFamily() << "'";
  auto family = dyn_cast<gpu::GPUModuleOp>(symbol);
  if (!family)
    return emitOpError("'") << getFamily() << "' is a '" << symbol->getName()
                            << "', not a gpu.module";
  // Kernels that are lowered further no longer have roles.
  for (KernelOp kernel : family.getOps<KernelOp>())
    for (unsigned i = 0; i < kernel.getArgumentTypes().size(); ++i)
      if (failed(verifyArgument(*this, kernel, i)))
        return failure();
  return success();
}

} // namespace gemm
