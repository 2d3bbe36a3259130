//===- InlineAsm.cpp - The project's only inline PTX ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlineAsm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace gemm {

SmallVector<Value> tieRegisters(OpBuilder &builder, Location loc,
                                ValueRange values, StringRef text) {
  if (values.empty())
    return {};
  std::string constraints;
  for (size_t i = 0; i < values.size(); ++i)
    constraints += "=f,";
  for (size_t i = 0; i < values.size(); ++i)
    constraints += std::to_string(i) + (i + 1 == values.size() ? "" : ",");
  auto type = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), llvm::to_vector(values.getTypes()));
  bool one = values.size() == 1;
  Value result =
      LLVM::InlineAsmOp::create(
          builder, loc, one ? values.front().getType() : Type(type), values,
          builder.getStringAttr(text), builder.getStringAttr(constraints),
          /*has_side_effects=*/builder.getUnitAttr(),
          /*is_align_stack=*/UnitAttr(), LLVM::TailCallKindAttr(),
          LLVM::AsmDialectAttr::get(builder.getContext(),
                                    LLVM::AsmDialect::AD_ATT),
          ArrayAttr())
          .getResult(0);
  if (one)
    return {result};
  SmallVector<Value> tied;
  for (size_t i = 0; i < values.size(); ++i)
    tied.push_back(LLVM::ExtractValueOp::create(builder, loc, result, i));
  return tied;
}

} // namespace gemm
