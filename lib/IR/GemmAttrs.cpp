//===- GemmAttrs.cpp - Generated definitions of the attributes ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and rules of each attribute: LayoutAttrs.cpp, ScheduleAttrs.cpp (the
// parts of a schedule), ScheduleAttr.cpp (the whole), GuardAttrs.cpp (families
// and roles).
//
//===----------------------------------------------------------------------===//

#include "Gemm/IR/Gemm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "Gemm/IR/GemmEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Gemm/IR/GemmAttrs.cpp.inc"

void gemm::GemmDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Gemm/IR/GemmAttrs.cpp.inc"
      >();
}
