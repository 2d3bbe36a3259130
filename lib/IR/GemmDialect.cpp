//===- GemmDialect.cpp - The gemm dialect ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/IR/Gemm.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#include "Gemm/IR/GemmDialect.cpp.inc"

namespace gemm {

namespace {

/// Layouts are long and come back in every fragment's type: name them once.
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, llvm::raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attr))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};

} // namespace

void GemmDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "Gemm/IR/GemmOps.cpp.inc"
      >();
  addInterfaces<LayoutAliases>();
}

} // namespace gemm
