//===- SharedMemoryPlan.cpp - Where shared tiles lie ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gemm {

namespace {

/// A tile, and the ops of the work item's block from its first use to its last.
struct Lifetime {
  Operation *alloc;
  int64_t bytes;
  Operation *first = nullptr, *last = nullptr;
  int64_t offset = 0;

  bool overlaps(const Lifetime &other) const {
    return !last->isBeforeInBlock(other.first) &&
           !other.last->isBeforeInBlock(first);
  }
};

/// Extends a lifetime over all uses of `value`, through its slots and stages.
void extend(Lifetime &life, Value value, Block *block) {
  for (Operation *user : value.getUsers()) {
    if (isa<SlotOp>(user))
      extend(life, user->getResult(0), block);
    Operation *top = block->findAncestorOpInBlock(*user);
    if (!life.first || top->isBeforeInBlock(life.first))
      life.first = top;
    if (!life.last || life.last->isBeforeInBlock(top))
      life.last = top;
  }
}

} // namespace

FailureOr<int64_t> planSharedMemory(KernelOp kernel) {
  constexpr int64_t alignment = 1024;
  SmallVector<Lifetime> placed;
  SmallVector<RingInitOp> rings;
  int64_t bytes = 0;
  WalkResult result = kernel.walk([&](Operation *op) {
    if (auto ring = dyn_cast<RingInitOp>(op))
      rings.push_back(ring);
    auto alloc = dyn_cast<AllocSharedOp>(op);
    if (!alloc || alloc->use_empty())
      return WalkResult::advance();
    if (!placed.empty() &&
        placed.front().alloc->getBlock() != alloc->getBlock()) {
      alloc.emitOpError(
          "is in another block than the other shared tiles of its kernel; "
          "allocate all of them at the start of the work item");
      return WalkResult::interrupt();
    }
    SharedType type = alloc.getResult().getType();
    Lifetime life{alloc, type.getStageBytes() * type.getStages()};
    extend(life, alloc.getResult(), alloc->getBlock());
    // The lowest place that is free for the whole lifetime.
    for (bool moved = true; moved;) {
      moved = false;
      for (const Lifetime &other : placed)
        if (life.overlaps(other) && life.offset < other.offset + other.bytes &&
            other.offset < life.offset + life.bytes) {
          life.offset = llvm::alignTo(other.offset + other.bytes, alignment);
          moved = true;
        }
    }
    bytes = std::max(bytes, life.offset + life.bytes);
    placed.push_back(life);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  Builder builder(kernel.getContext());
  for (const Lifetime &life : placed)
    life.alloc->setAttr("gemm.offset", builder.getI64IntegerAttr(life.offset));
  for (RingInitOp ring : rings) {
    bytes = llvm::alignTo(bytes, 8);
    ring->setAttr("gemm.offset", builder.getI64IntegerAttr(bytes));
    bytes += 8 * ring.getResult().getType().getStages();
  }
  return bytes;
}

} // namespace gemm
