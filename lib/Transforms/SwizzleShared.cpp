//===- SwizzleShared.cpp - Lay out shared tiles ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Transforms/Passes.h"

using namespace mlir;

namespace gemm {

#define GEN_PASS_DEF_SWIZZLESHARED
#include "Gemm/Transforms/Passes.h.inc"

namespace {

using layout::SharedLayout;

/// Staging tiles are written fragment by fragment and read line by line. Under
/// an XOR the reads are free of conflicts, and the writes of 2-byte elements;
/// those of 4-byte ones are 2-way. Lines that are no power of two are padded
/// instead.
SharedLayout layOutStaging(SharedType type) {
  int64_t rows = type.getRows(), cols = type.getCols(),
          element = getElementBytes(type.getElementType());
  bool rowMajor = type.getOrder() == Order::Row;
  llvm::Expected<SharedLayout> swizzled =
      layout::xorLayout(rows, cols, element, rowMajor);
  if (swizzled)
    return *swizzled;
  llvm::consumeError(swizzled.takeError());
  return layout::paddedLayout(rows, cols, element, rowMajor, 16);
}

struct SwizzleShared : impl::SwizzleSharedBase<SwizzleShared> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    ScheduleAttr schedule = kernel.getScheduleAttr();
    auto result = kernel.walk([&](AllocSharedOp alloc) {
      SharedType type = alloc.getResult().getType();
      if (type.getLayout())
        return WalkResult::advance();
      // Slots have the layout of their tile.
      if (llvm::any_of(alloc->getUsers(), llvm::IsaPred<SlotOp>)) {
        alloc.emitOpError(
            "has slots and no layout yet; run gemm-swizzle-shared before "
            "gemm-pipeline-loads");
        return WalkResult::interrupt();
      }
      SharedLayout layout;
      if (alloc.getUse() == "result") {
        layout = layOutStaging(type);
      } else if (alloc.getUse() != "a" && alloc.getUse() != "b") {
        alloc.emitOpError("holds '")
            << alloc.getUse() << "'; a shared tile holds a, b or result";
        return WalkResult::interrupt();
      } else {
        if (!schedule) {
          kernel.emitOpError("has no schedule");
          return WalkResult::interrupt();
        }
        BankAttr bank =
            alloc.getUse() == "a" ? schedule.getBankA() : schedule.getBankB();
        auto wanted = bank.layOut(type.getRows(), type.getCols(),
                                  getElementBytes(type.getElementType()),
                                  type.getOrder());
        if (!wanted) {
          alloc.emitOpError("cannot be laid out as ")
              << bank << ": " << llvm::toString(wanted.takeError());
          return WalkResult::interrupt();
        }
        layout = *wanted;
      }
      alloc.getResult().setType(type.withLayout(SharedLayoutAttr::get(
          &getContext(), layout.panel, layout.pitch, layout.swizzle.bits,
          layout.swizzle.bits ? layout.swizzle.source : 7)));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

} // namespace gemm
