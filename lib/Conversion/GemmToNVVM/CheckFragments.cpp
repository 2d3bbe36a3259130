//===- CheckFragments.cpp - Whether fragments are an instruction's --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction fixes which element is in which register of which lane; a
// fragment's type says where its elements are. gemm-promote-operands makes the
// two agree, and here is where fragments that somebody wrote must.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Gemm/Target/Target.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace gemm {

namespace {

using layout::Coord;
using layout::Distribution;
using layout::Level;

class Checker {
public:
  explicit Checker(MmaOp op) : op(op), mma(*op.getInstruction()) {}
  LogicalResult run();

private:
  /// `fragment` is copies of `atom` in its registers, in the lanes of one warp
  /// and, if the atom has several, in as many warps.
  LogicalResult checkAtom(StringRef name, const Distribution &fragment,
                          const Distribution &atom);
  /// Each block of the accumulator, and each thread's or warp's share, has the
  /// rows of A and, as its columns, those of B.
  LogicalResult checkShares(const Distribution &a, const Distribution &b,
                            const Distribution &c,
                            const FragmentLayouts &atoms);

  MmaOp op;
  MmaAttr mma;
};

std::string print(Coord c) {
  return llvm::formatv("({0}, {1})", c.row, c.col).str();
}

LogicalResult Checker::checkAtom(StringRef name, const Distribution &fragment,
                                 const Distribution &atom) {
  int64_t registers = atom.size(Level::Register);
  if (fragment.size(Level::Register) % registers)
    return op.emitOpError() << name << " has " << fragment.size(Level::Register)
                            << " elements in a thread, no multiple of the "
                            << registers << " of " << mma;
  for (Level level : {Level::Register, Level::Lane, Level::Warp}) {
    bool isRegister = level == Level::Register;
    int64_t count = atom.size(level);
    int64_t indices = isRegister ? fragment.size(level) : count;
    if (fragment.size(level) < count)
      return op.emitOpError()
             << name << " is spread over " << fragment.size(level)
             << " warps, and " << mma << " over " << count;
    for (int64_t i = 0; i < indices; ++i) {
      Coord block = fragment.part(level, i - i % count);
      Coord wanted = block + atom.part(level, i % count);
      Coord found = fragment.part(level, i);
      if (found == wanted)
        continue;
      return op.emitOpError()
             << name << " is not laid out as " << mma << " has it: "
             << (isRegister             ? "register "
                 : level == Level::Lane ? "lane "
                                        : "warp ")
             << i << " is at " << print(found) << " and must be at "
             << print(wanted);
    }
  }
  return success();
}

LogicalResult Checker::checkShares(const Distribution &a, const Distribution &b,
                                   const Distribution &c,
                                   const FragmentLayouts &atoms) {
  int64_t inA = atoms.a.size(Level::Register),
          inB = atoms.b.size(Level::Register),
          inC = atoms.c.size(Level::Register);
  int64_t blocksM = a.size(Level::Register) / inA,
          blocksN = b.size(Level::Register) / inB;
  auto refuse = [&](const Twine &where, Coord found, Coord wanted) {
    return op.emitOpError("accumulator of ")
           << where << " is at " << print(found) << ", and its operands make "
           << print(wanted);
  };
  if (c.size(Level::Register) != blocksM * blocksN * inC)
    return op.emitOpError("accumulator has ")
           << c.size(Level::Register)
           << " elements in a thread, and its operands make "
           << blocksM * blocksN * inC;
  for (int64_t i = 0; i < blocksM; ++i)
    for (int64_t j = 0; j < blocksN; ++j) {
      int64_t r = (i * blocksN + j) * inC;
      Coord found = c.part(Level::Register, r);
      Coord wanted{a.part(Level::Register, i * inA).row,
                   b.part(Level::Register, j * inB).row};
      if (found != wanted)
        return refuse("register " + Twine(r), found, wanted);
    }
  for (int64_t w = 0; w < c.size(Level::Warp); ++w) {
    Coord found = c.part(Level::Warp, w);
    Coord wanted{a.part(Level::Warp, w).row, b.part(Level::Warp, w).row};
    if (found != wanted)
      return refuse("warp " + Twine(w), found, wanted);
  }
  return success();
}

LogicalResult Checker::run() {
  // An fma is one thread's own; its emitter pairs rows and columns.
  if (mma.getKind() == InstructionKind::Fma)
    return success();
  auto elementOf = [](Value value) {
    if (auto shared = dyn_cast<SharedType>(value.getType()))
      return shared.getElementType();
    return cast<FragType>(value.getType()).getElementType();
  };
  FragmentLayouts atoms =
      getFragments(mma.getKind(), mma.getM(), mma.getN(), mma.getK(),
                   elementOf(op.getA()).getIntOrFloatBitWidth());
  Distribution c = cast<FragType>(op.getAcc().getType()).getDistribution();
  if (failed(checkAtom("accumulator", c, atoms.c)))
    return failure();
  auto fragA = dyn_cast<FragType>(op.getA().getType());
  auto fragB = dyn_cast<FragType>(op.getB().getType());
  if (!fragA || !fragB)
    return success();
  Distribution a = fragA.getDistribution(), b = fragB.getDistribution();
  return success(succeeded(checkAtom("operand A", a, atoms.a)) &&
                 succeeded(checkAtom("operand B", b, atoms.b)) &&
                 succeeded(checkShares(a, b, c, atoms)));
}

} // namespace

LogicalResult checkFragments(MmaOp op) { return Checker(op).run(); }

} // namespace gemm
