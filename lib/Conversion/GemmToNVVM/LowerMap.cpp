//===- LowerMap.cpp - The epilogue of one thread --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Gemm/IR/KernelRules.h"

using namespace mlir;

namespace gemm {

namespace {

using layout::Coord;
using layout::Distribution;
using layout::Level;

/// The scalar region is instantiated on pairs of registers, as vectors of two,
/// so that conversions to narrow types pack. A view that varies along one
/// dimension is read once per distinct coordinate that this thread holds.
struct MapLowering : ThreadPattern<MapOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult
  matchAndRewrite(MapOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

class MapEmitter {
public:
  MapEmitter(MapOp op, Emitter &emit, ValueRange source,
             ArrayRef<ViewParts> views, ArrayRef<Value> indices, Value rowBound,
             Value colBound, const ThreadIds &ids)
      : op(op), emit(emit), source(source), views(views), indices(indices),
        rowBound(rowBound), colBound(colBound),
        sourceType(cast<FragType>(op.getSource().getType())),
        layout(sourceType.getDistribution()), base(emit.base(layout, ids)) {}

  SmallVector<Value> run();

private:
  /// Element `r` of the source fragment.
  Value sourceElement(int64_t r);
  /// What view `v` holds for register `r`.
  Value viewElement(unsigned v, int64_t r);
  /// The coordinate of a register, kept inside the matrix.
  Value clamped(int64_t r, bool isRow);
  /// `values` side by side; one value stands alone.
  Value pack(ArrayRef<Value> values);
  /// The region applied to registers r .. r + width - 1.
  Value instantiate(int64_t r, int64_t width);
  Type widened(Type type, int64_t width) {
    return width == 1 ? type : Type(VectorType::get({width}, type));
  }

  MapOp op;
  Emitter &emit;
  ValueRange source;
  ArrayRef<ViewParts> views;
  ArrayRef<Value> indices;
  Value rowBound, colBound;
  FragType sourceType;
  Distribution layout;
  CoordValue base;
  DenseMap<std::pair<unsigned, int64_t>, Value> loaded; // (view, coordinate)
  DenseMap<int64_t, Value> coordinates[2];              // by is-row
  DenseMap<std::pair<Value, int64_t>, Value> splats;
};

Value MapEmitter::sourceElement(int64_t r) {
  Type type = sourceType.getElementType();
  int64_t bits = type.getIntOrFloatBitWidth();
  if (bits >= 32)
    return source[r];
  int64_t perWord = 32 / bits;
  Value shifted = emit.shr(source[r / perWord], bits * (r % perWord));
  return LLVM::BitcastOp::create(
      emit.builder, emit.loc, type,
      LLVM::TruncOp::create(emit.builder, emit.loc,
                            emit.builder.getIntegerType(bits), shifted));
}

Value MapEmitter::clamped(int64_t r, bool isRow) {
  Coord c = layout.part(Level::Register, r);
  int64_t constant = isRow ? c.row : c.col;
  Value &value = coordinates[isRow][constant];
  if (!value) {
    Value origin = indices[indices.size() - (isRow ? 2 : 1)];
    Value at = emit.add(
        emit.add(origin, emit.orZero(isRow ? base.row : base.col)), constant);
    value = emit.min(at, emit.add(isRow ? rowBound : colBound, -1));
  }
  return value;
}

Value MapEmitter::viewElement(unsigned v, int64_t r) {
  auto type = cast<ViewType>(op.getViews()[v].getType());
  StringRef access = cast<StringAttr>(op.getAccesses()[v]).getValue();
  int64_t bytes = getElementBytes(type.getElementType());
  auto load = [&](Value pointer) -> Value {
    return LLVM::LoadOp::create(emit.builder, emit.loc, type.getElementType(),
                                pointer, bytes);
  };
  if (access == "full") {
    SmallVector<Value> at;
    if (type.isBatched())
      at.push_back(indices.front());
    at.append({clamped(r, true), clamped(r, false)});
    return load(matrixPointer(emit, type, views[v], at));
  }
  bool isRow = access == "rows";
  Coord c = layout.part(Level::Register, r);
  Value &value = loaded[{v, isRow ? c.row : c.col}];
  if (!value)
    value = load(emit.offset(views[v].pointer,
                             emit.mul(emit.extend(clamped(r, isRow)), bytes)));
  return value;
}

Value MapEmitter::pack(ArrayRef<Value> values) {
  if (values.size() == 1)
    return values.front();
  Value vector = LLVM::PoisonOp::create(
      emit.builder, emit.loc, widened(values.front().getType(), values.size()));
  for (auto [i, value] : llvm::enumerate(values))
    vector = LLVM::InsertElementOp::create(emit.builder, emit.loc, vector,
                                           value, emit.i32(i));
  return vector;
}

Value MapEmitter::instantiate(int64_t r, int64_t width) {
  OpBuilder &b = emit.builder;
  IRMapping mapping;
  Block &body = op.getBody().front();
  auto bind = [&](BlockArgument argument,
                  llvm::function_ref<Value(int64_t)> get) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < width; ++i)
      values.push_back(get(r + i));
    mapping.map(argument, pack(values));
  };
  // Scalars from outside the region apply to all elements.
  auto splat = [&](Value scalar) {
    if (mapping.contains(scalar))
      return;
    Value &value = splats[{scalar, width}];
    if (!value)
      value = pack(SmallVector<Value>(width, scalar));
    mapping.map(scalar, value);
  };
  bind(body.getArgument(0), [&](int64_t i) { return sourceElement(i); });
  for (unsigned v = 0; v < views.size(); ++v)
    bind(body.getArgument(v + 1), [&](int64_t i) { return viewElement(v, i); });
  for (Operation &inner : body.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      TypedAttr value = constant.getValue();
      if (width > 1)
        value = DenseElementsAttr::get(
            cast<ShapedType>(widened(constant.getType(), width)), value);
      mapping.map(constant.getResult(),
                  arith::ConstantOp::create(b, emit.loc, value).getResult());
      continue;
    }
    llvm::for_each(inner.getOperands(), splat);
    Operation *clone = b.clone(inner, mapping);
    for (OpResult result : clone->getResults())
      result.setType(widened(result.getType(), width));
  }
  Value result = body.getTerminator()->getOperand(0);
  splat(result);
  return mapping.lookup(result);
}

SmallVector<Value> MapEmitter::run() {
  Type result = cast<FragType>(op.getResult().getType()).getElementType();
  int64_t bits = result.getIntOrFloatBitWidth();
  int64_t count = layout.size(Level::Register);
  // The elements of a word together; of wider ones, two.
  int64_t width = bits < 32 ? 32 / bits : 2;
  auto asInteger = [&](Value value, int64_t elements) -> Value {
    return LLVM::BitcastOp::create(emit.builder, emit.loc,
                                   emit.builder.getIntegerType(bits * elements),
                                   value);
  };
  SmallVector<Value> words;
  int64_t whole = count - count % width;
  for (int64_t r = 0; r < whole; r += width) {
    Value value = instantiate(r, width);
    if (bits < 32)
      words.push_back(asInteger(value, width));
    else
      for (int64_t i = 0; i < width; ++i)
        words.push_back(LLVM::ExtractElementOp::create(emit.builder, emit.loc,
                                                       value, emit.i32(i)));
  }
  // What is left does not fill a word.
  Value word;
  for (int64_t r = whole; r < count; ++r) {
    Value value = instantiate(r, 1);
    if (bits >= 32) {
      words.push_back(value);
      continue;
    }
    Value part = LLVM::ZExtOp::create(
        emit.builder, emit.loc, emit.builder.getI32Type(), asInteger(value, 1));
    word = word ? emit.bitOr(word, emit.shl(part, bits * (r - whole))) : part;
  }
  if (word)
    words.push_back(word);
  return words;
}

LogicalResult
MapLowering::matchAndRewrite(MapOp op, OneToNOpAdaptor adaptor,
                             ConversionPatternRewriter &rewriter) const {
  for (Operation &inner : op.getBody().front().without_terminator())
    if (auto error = getKernelScalarOpError(inner))
      return inner.emitOpError() << *error;
  Emitter emit(rewriter, op.getLoc());
  SmallVector<ViewParts> views;
  for (ValueRange view : adaptor.getViews())
    views.emplace_back(view);
  SmallVector<Value> indices = singles(adaptor.getIndices());
  MapEmitter map(op, emit, adaptor.getSource(), views, indices,
                 single(adaptor.getRowBound()), single(adaptor.getColBound()),
                 ids);
  SmallVector<Value> words = map.run();
  rewriter.replaceOpWithMultiple(op, {ValueRange(words)});
  return success();
}

} // namespace

void populateMapPatterns(RewritePatternSet &patterns,
                         const TypeConverter &converter, const ThreadIds &ids) {
  patterns.add<MapLowering>(converter, patterns.getContext(), ids);
}

} // namespace gemm
