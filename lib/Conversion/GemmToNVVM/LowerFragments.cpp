//===- LowerFragments.cpp - Registers to and from shared tiles ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gemm {

namespace {

using layout::Coord;
using layout::Digit;
using layout::Distribution;
using layout::Level;
using layout::SharedLayout;

struct ZeroLowering : OpConversionPattern<ZeroOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ZeroOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<FragType>(op.getResult().getType());
    Type word = wordType(type.getElementType());
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(),
                                           rewriter.getZeroAttr(word));
    SmallVector<Value> words(
        wordCount(type.getElementType(), type.getElementsPerThread()), zero);
    rewriter.replaceOpWithMultiple(op, {ValueRange(words)});
    return success();
  }
};

/// The starting position of a read: constants, which fold into the addresses,
/// or the induction variable of a loop with constant bounds.
struct Start {
  Coord constant;
  CoordValue variable;
  SmallVector<Coord> values = {Coord()}; // that the variable takes
};

FailureOr<Start> startOf(ReadFragOp op, Value row, Value col) {
  Start start;
  FragType part = op.getResult().getType();
  SharedType tile = op.getSource().getType();
  for (bool isRow : {true, false}) {
    Value index = isRow ? op.getRow() : op.getCol();
    auto place = [&](int64_t v) { return isRow ? Coord{v, 0} : Coord{0, v}; };
    int64_t last = isRow ? tile.getRows() - part.getRows()
                         : tile.getCols() - part.getCols();
    auto check = [&](int64_t v) -> LogicalResult {
      if (v >= 0 && v <= last)
        return success();
      return op.emitOpError("starts at ")
             << (isRow ? "row " : "column ") << v
             << "; in its tile it can start at 0 to " << last;
    };
    APInt constant;
    if (matchPattern(index, m_ConstantInt(&constant))) {
      if (failed(check(constant.getSExtValue())))
        return failure();
      start.constant = start.constant + place(constant.getSExtValue());
      continue;
    }
    auto loop = scf::getForInductionVarOwner(index);
    APInt lower, upper, step;
    if (!loop || !matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
        !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
        !matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
        !step.isStrictlyPositive())
      return op.emitOpError(
          "needs a position that is constant or counts up in a loop "
          "with constant bounds");
    (isRow ? start.variable.row : start.variable.col) = isRow ? row : col;
    SmallVector<Coord> values;
    for (int64_t v = lower.getSExtValue(); v < upper.getSExtValue();
         v += step.getSExtValue()) {
      if (failed(check(v)))
        return failure();
      for (Coord other : start.values)
        values.push_back(other + place(v));
    }
    start.values = values;
  }
  return start;
}

/// Positions of all threads at all starts.
SmallVector<Coord> allPositions(const Distribution &distribution,
                                const Start &start) {
  SmallVector<Coord> positions;
  for (Coord at : start.values)
    for (Coord base : threadPositions(distribution))
      positions.push_back(at + base);
  return positions;
}

/// A fragment as 8x8 matrices of 16-bit elements, which ldmatrix and stmatrix
/// move four at a time: word w of lane l holds elements (l / 4, 2 (l % 4) + {0,
/// 1}) of matrix w. `lanes` is where a lane's address points: row l % 8 of
/// matrix l / 8 among four.
struct MatrixAccess {
  Distribution addresses;
  int64_t groups; // of four matrices
};

std::optional<MatrixAccess> asMatrices(FragType type, bool transposed) {
  Distribution d = type.getDistribution();
  if (type.getElementType().getIntOrFloatBitWidth() != 16)
    return std::nullopt;
  const Digit quad{4, {0, 2}}, octet{8, {1, 0}}, pair{2, {0, 1}};
  ArrayRef<Digit> lanes = d.get(Level::Lane),
                  registers = d.get(Level::Register);
  if (lanes != ArrayRef<Digit>{quad, octet} || registers.empty() ||
      registers.front() != pair || d.size(Level::Register) % 8)
    return std::nullopt;
  for (const Digit &digit : registers.drop_front())
    if (digit.stride.row % 8 || digit.stride.col % 8)
      return std::nullopt;
  // The four matrices of a group must lie the same way in every group.
  Coord second = d.part(Level::Register, 2), third = d.part(Level::Register, 4);
  for (int64_t r = 0; r < d.size(Level::Register); r += 8) {
    Coord first = d.part(Level::Register, r);
    if (d.part(Level::Register, r + 2) != first + second ||
        d.part(Level::Register, r + 4) != first + third ||
        d.part(Level::Register, r + 6) != first + second + third)
      return std::nullopt;
  }
  SmallVector<Digit, 4> address = {
      {8, transposed ? Coord{0, 1} : Coord{1, 0}}, {2, second}, {2, third}};
  SmallVector<Digit, 4> groups(registers.begin(), registers.end());
  return MatrixAccess{Distribution(groups, address, d.get(Level::Warp)),
                      d.size(Level::Register) / 8};
}

struct ReadFragLowering : ThreadPattern<ReadFragOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult
  matchAndRewrite(ReadFragOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    FragType type = op.getResult().getType();
    SharedLayout layout = op.getSource().getType().getSharedLayout();
    FailureOr<Start> start =
        startOf(op, single(adaptor.getRow()), single(adaptor.getCol()));
    if (failed(start))
      return failure();
    Value tile = single(adaptor.getSource());
    // An 8x8 matrix is read by rows of 16 contiguous bytes; where columns are
    // contiguous, by columns, transposed on the way.
    bool transposed = !layout.rowMajor;
    SmallVector<Value> words;
    std::optional<MatrixAccess> matrices = asMatrices(type, transposed);
    if (matrices &&
        addressOf(emit, tile, layout, matrices->addresses, *start)
                .alignment(registerPositions(*matrices, start->constant), 16) ==
            16) {
      readMatrices(emit, *matrices, layout, tile, *start, transposed, words);
    } else {
      readRuns(emit, type, layout, tile, *start, words);
    }
    rewriter.replaceOpWithMultiple(op, {ValueRange(words)});
    return success();
  }

  SharedAddress addressOf(Emitter &emit, Value tile, const SharedLayout &layout,
                          const Distribution &distribution,
                          const Start &start) const {
    return SharedAddress(
        emit, tile, layout,
        emit.plus(emit.base(distribution, ids), start.variable),
        allPositions(distribution, start));
  }

  static SmallVector<Coord> registerPositions(const MatrixAccess &matrices,
                                              Coord start) {
    SmallVector<Coord> positions;
    for (int64_t g = 0; g < matrices.groups; ++g)
      positions.push_back(start +
                          matrices.addresses.part(Level::Register, 8 * g));
    return positions;
  }

  void readMatrices(Emitter &emit, const MatrixAccess &matrices,
                    const SharedLayout &layout, Value tile, const Start &start,
                    bool transposed, SmallVectorImpl<Value> &words) const {
    OpBuilder &b = emit.builder;
    SharedAddress address =
        addressOf(emit, tile, layout, matrices.addresses, start);
    Type i32 = b.getI32Type();
    auto four =
        LLVM::LLVMStructType::getLiteral(getContext(), {i32, i32, i32, i32});
    for (Coord position : registerPositions(matrices, start.constant)) {
      Value loaded = NVVM::LdMatrixOp::create(
          b, emit.loc, four, address.pointer(position), /*num=*/4,
          transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
          NVVM::LdStMatrixShapeAttr::get(getContext(), 8, 8),
          NVVM::LdStMatrixEltType::B16);
      for (int64_t i = 0; i < 4; ++i)
        words.push_back(LLVM::ExtractValueOp::create(b, emit.loc, loaded, i));
    }
  }

  /// Plain loads, as wide as the run of contiguous elements and its alignment
  /// allow.
  void readRuns(Emitter &emit, FragType type, const SharedLayout &layout,
                Value tile, const Start &start,
                SmallVectorImpl<Value> &words) const {
    OpBuilder &b = emit.builder;
    Distribution d = type.getDistribution();
    SharedAddress address = addressOf(emit, tile, layout, d, start);
    int64_t count = d.size(Level::Register);
    auto positions = [&](int64_t run) {
      SmallVector<Coord> list;
      for (int64_t r = 0; r < count; r += run)
        list.push_back(start.constant + d.part(Level::Register, r));
      return list;
    };
    int64_t run = (layout.rowMajor ? d : d.transposed())
                      .columnRun(16 / layout.elementBytes);
    while (run > 1 &&
           address.alignment(positions(run), run * layout.elementBytes) <
               run * layout.elementBytes)
      run /= 2;
    int64_t bytes = run * layout.elementBytes;
    Value half;
    for (auto [i, position] : llvm::enumerate(positions(run))) {
      Value pointer = address.pointer(position);
      if (layout.elementBytes >= 4 && run == 1) {
        words.push_back(LLVM::LoadOp::create(b, emit.loc, type.getElementType(),
                                             pointer, bytes));
      } else if (bytes >= 4) {
        Type word = wordType(type.getElementType());
        int64_t n = bytes * 8 / word.getIntOrFloatBitWidth();
        if (n == 1) {
          words.push_back(
              LLVM::LoadOp::create(b, emit.loc, word, pointer, bytes));
          continue;
        }
        Value loaded = LLVM::LoadOp::create(
            b, emit.loc, VectorType::get({n}, word), pointer, bytes);
        for (int64_t e = 0; e < n; ++e)
          words.push_back(
              LLVM::ExtractElementOp::create(b, emit.loc, loaded, emit.i32(e)));
      } else {
        // Narrow elements are gathered into words, low first.
        int64_t perWord = 4 / bytes;
        Value part = LLVM::ZExtOp::create(
            b, emit.loc, b.getI32Type(),
            LLVM::LoadOp::create(b, emit.loc, b.getIntegerType(8 * bytes),
                                 pointer, bytes));
        int64_t at = i % perWord;
        half = at ? emit.bitOr(half, emit.shl(part, 8 * bytes * at)) : part;
        if (at + 1 == perWord || static_cast<int64_t>(i + 1) * run == count)
          words.push_back(half);
      }
    }
  }
};

struct WriteFragLowering : ThreadPattern<WriteFragOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult
  matchAndRewrite(WriteFragOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    FragType type = op.getValue().getType();
    SharedLayout layout = op.getDest().getType().getSharedLayout();
    Distribution d = type.getDistribution();
    Value tile = single(adaptor.getDest());
    ValueRange words = adaptor.getValue();
    SharedAddress address(emit, tile, layout, emit.base(d, ids),
                          threadPositions(d));
    int64_t count = d.size(Level::Register);
    int64_t run = (layout.rowMajor ? d : d.transposed())
                      .columnRun(16 / layout.elementBytes);
    auto positions = [&](int64_t length) {
      SmallVector<Coord> list;
      for (int64_t r = 0; r < count; r += length)
        list.push_back(d.part(Level::Register, r));
      return list;
    };
    while (run > 1 &&
           address.alignment(positions(run), run * layout.elementBytes) <
               run * layout.elementBytes)
      run /= 2;
    int64_t bytes = run * layout.elementBytes;
    for (auto [i, position] : llvm::enumerate(positions(run))) {
      Value pointer = address.pointer(position), value;
      if (bytes < 4) {
        int64_t perWord = 4 / bytes;
        Value shifted = emit.shr(words[i / perWord], 8 * bytes * (i % perWord));
        value = LLVM::TruncOp::create(
            rewriter, op.getLoc(), rewriter.getIntegerType(8 * bytes), shifted);
      } else {
        int64_t n = bytes * 8 / words[0].getType().getIntOrFloatBitWidth();
        if (n == 1) {
          value = words[i];
        } else {
          value = LLVM::PoisonOp::create(
              rewriter, op.getLoc(), VectorType::get({n}, words[0].getType()));
          for (int64_t e = 0; e < n; ++e)
            value = LLVM::InsertElementOp::create(
                rewriter, op.getLoc(), value, words[i * n + e], emit.i32(e));
        }
      }
      LLVM::StoreOp::create(rewriter, op.getLoc(), value, pointer, bytes);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateFragmentPatterns(RewritePatternSet &patterns,
                              const TypeConverter &converter,
                              const ThreadIds &ids) {
  patterns.add<ZeroLowering>(converter, patterns.getContext());
  patterns.add<ReadFragLowering, WriteFragLowering>(converter,
                                                    patterns.getContext(), ids);
}

} // namespace gemm
