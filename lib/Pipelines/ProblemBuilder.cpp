//===- ProblemBuilder.cpp - A GEMM described by a few words ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Pipelines/Problem.h"

#include "Gemm/IR/Gemm.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace gemm {
namespace {

class ProblemBuilder {
public:
  ProblemBuilder(MLIRContext *context, const ProblemSpec &spec)
      : spec(spec), builder(context), loc(UnknownLoc::get(context)) {}

  OwningOpRef<ModuleOp> build();

private:
  InFlightDiagnostic error() { return emitError(loc, "problem: "); }
  LogicalResult checkWords();
  LogicalResult parseTypes();
  LogicalResult parseElement(StringRef name, StringRef what, Type &type);

  /// A matrix (batch, then `rows` lines) or, without `cols`, a vector.
  struct Operand {
    Type type;
    AffineMap map;
  };
  Operand matrix(Type element, unsigned lines, unsigned contiguous);
  Operand vector(Type element, unsigned dim);
  Operand scalar(Type element);

  /// `value` as `type`; null if no conversion of numbers leads there.
  Value convert(OpBuilder &b, Value value, Type type);
  /// The region: `arguments` are the product, then C, bias, alpha and beta.
  void buildEpilogue(OpBuilder &b, ValueRange arguments);

  const ProblemSpec &spec;
  OpBuilder builder;
  Location loc;
  Type a, b, accumulator, d;
};

} // namespace

//===----------------------------------------------------------------------===//
// The words
//===----------------------------------------------------------------------===//

LogicalResult ProblemBuilder::parseElement(StringRef name, StringRef what,
                                           Type &type) {
  {
    ScopedDiagnosticHandler quiet(builder.getContext(),
                                  [](Diagnostic &) { return success(); });
    type = parseType(name, builder.getContext());
  }
  if (!type || !type.isIntOrFloat())
    return error() << "'" << name << "' is no element type for " << what
                   << "; write it as MLIR does, for example f16, bf16, f32, "
                      "f8E4M3FN or i8";
  return success();
}

LogicalResult ProblemBuilder::parseTypes() {
  if (failed(parseElement(spec.aType, "A", a)) ||
      failed(parseElement(spec.bType, "B", b)) ||
      failed(
          parseElement(spec.accumulatorType, "the accumulator", accumulator)) ||
      failed(parseElement(spec.dType, "D", d)))
    return failure();
  if (isa<FloatType>(accumulator))
    return isa<FloatType>(d)
               ? success()
               : LogicalResult(error()
                               << "an accumulator of type " << accumulator
                               << " cannot become a D of "
                                  "type "
                               << d);
  if (spec.alpha || spec.beta || spec.bias != "none" ||
      spec.activation != "none")
    return error() << "alpha, beta, bias and activation need a floating-point "
                      "accumulator, not "
                   << accumulator;
  if (d != accumulator && !isa<FloatType>(d))
    return error() << "sums of type " << accumulator
                   << " cannot become a D of type " << d
                   << " without a scale; use " << accumulator
                   << " or a floating-point type";
  return success();
}

LogicalResult ProblemBuilder::checkWords() {
  auto check = [&](StringRef name, StringRef value,
                   ArrayRef<StringRef> known) -> LogicalResult {
    if (llvm::is_contained(known, value))
      return success();
    return error() << name << " cannot be '" << value << "'; it is one of "
                   << llvm::join(known, ", ");
  };
  if (failed(check("layout", spec.layout, {"tn", "nn", "nt", "tt"})) ||
      failed(check("bias", spec.bias, {"none", "row", "col"})) ||
      failed(check("activation", spec.activation, {"none", "relu"})))
    return failure();
  if (spec.name.empty())
    return error() << "the function needs a name";
  return success();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

ProblemBuilder::Operand ProblemBuilder::matrix(Type element, unsigned lines,
                                               unsigned contiguous) {
  MLIRContext *context = builder.getContext();
  unsigned numBatch = spec.batched ? 1 : 0;
  unsigned rank = 2 + numBatch;
  SmallVector<int64_t> strides(rank, ShapedType::kDynamic);
  strides.back() = 1;
  auto layout =
      StridedLayoutAttr::get(context, /*offset=*/ShapedType::kDynamic, strides);
  SmallVector<AffineExpr> indices;
  if (spec.batched)
    indices.push_back(getAffineDimExpr(0, context));
  for (unsigned dim : {lines, contiguous})
    indices.push_back(getAffineDimExpr(numBatch + dim, context));
  return {MemRefType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic),
                          element, layout),
          AffineMap::get(3 + numBatch, 0, indices, context)};
}

ProblemBuilder::Operand ProblemBuilder::vector(Type element, unsigned dim) {
  MLIRContext *context = builder.getContext();
  unsigned numBatch = spec.batched ? 1 : 0;
  auto layout = StridedLayoutAttr::get(context, /*offset=*/ShapedType::kDynamic,
                                       /*strides=*/{1});
  return {MemRefType::get({ShapedType::kDynamic}, element, layout),
          AffineMap::get(3 + numBatch, 0,
                         getAffineDimExpr(numBatch + dim, context), context)};
}

ProblemBuilder::Operand ProblemBuilder::scalar(Type element) {
  return {element,
          AffineMap::get(spec.batched ? 4 : 3, 0, builder.getContext())};
}

//===----------------------------------------------------------------------===//
// The epilogue
//===----------------------------------------------------------------------===//

Value ProblemBuilder::convert(OpBuilder &b, Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (!isa<FloatType>(from))
    return arith::SIToFPOp::create(b, loc, type, value);
  unsigned fromBits = from.getIntOrFloatBitWidth();
  unsigned toBits = type.getIntOrFloatBitWidth();
  if (fromBits < toBits)
    return arith::ExtFOp::create(b, loc, type, value);
  if (fromBits > toBits)
    return arith::TruncFOp::create(b, loc, type, value);
  // Between formats of one width: by way of one that holds both.
  Value wide = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  return arith::TruncFOp::create(b, loc, type, wide);
}

void ProblemBuilder::buildEpilogue(OpBuilder &b, ValueRange arguments) {
  Value value = arguments.front();
  arguments = arguments.drop_front();
  auto take = [&](bool exists) -> Value {
    if (!exists)
      return {};
    Value argument = arguments.front();
    arguments = arguments.drop_front();
    return argument;
  };
  Value c = take(spec.beta), bias = take(spec.bias != "none"),
        alpha = take(spec.alpha), beta = take(spec.beta);
  if (alpha)
    value = arith::MulFOp::create(b, loc, value, alpha);
  if (beta) {
    Value scaled =
        arith::MulFOp::create(b, loc, convert(b, c, accumulator), beta);
    value = arith::AddFOp::create(b, loc, value, scaled);
  }
  if (bias)
    value = arith::AddFOp::create(b, loc, value, bias);
  if (spec.activation == "relu") {
    // maximumf, not maxnumf: a NaN in the product must not come out as 0.
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(accumulator));
    value = arith::MaximumFOp::create(b, loc, value, zero);
  }
  YieldOp::create(b, loc, convert(b, value, d));
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp> ProblemBuilder::build() {
  if (failed(checkWords()) || failed(parseTypes()))
    return {};
  enum { M, N, K };
  bool aByRows = spec.layout == "tn" || spec.layout == "nn";
  bool bByRows = spec.layout == "tn" || spec.layout == "tt";
  auto result = [&] {
    return spec.dColumnMajor ? matrix(d, N, M) : matrix(d, M, N);
  };
  Operand aOperand = aByRows ? matrix(a, M, K) : matrix(a, K, M);
  Operand bOperand = bByRows ? matrix(b, N, K) : matrix(b, K, N);
  Operand dOperand = result();
  SmallVector<Operand> matrices{aOperand, bOperand}, scalars;
  if (spec.beta)
    matrices.push_back(result());
  if (spec.bias != "none")
    matrices.push_back(vector(accumulator, spec.bias == "row" ? N : M));
  for (bool exists : {spec.alpha, spec.beta})
    if (exists)
      scalars.push_back(scalar(accumulator));

  // Arguments: matrices, D, scalars. Operands: matrices, scalars, D.
  SmallVector<Type> types;
  SmallVector<AffineMap> maps;
  for (const Operand &operand : matrices)
    types.push_back(operand.type);
  types.push_back(dOperand.type);
  for (const Operand &operand : scalars)
    types.push_back(operand.type);
  for (const Operand &operand : llvm::concat<Operand>(matrices, scalars))
    maps.push_back(operand.map);
  maps.push_back(dOperand.map);

  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, loc, spec.name,
                                       builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  auto arguments = entry->getArguments();
  SmallVector<Value> epilogueOperands(arguments.slice(2, matrices.size() - 2));
  llvm::append_range(epilogueOperands,
                     arguments.drop_front(matrices.size() + 1));
  MatmulOp::create(builder, loc, arguments[0], arguments[1], epilogueOperands,
                   arguments[matrices.size()], maps, accumulator,
                   [&](OpBuilder &b, Location, ValueRange values) {
                     buildEpilogue(b, values);
                   });
  func::ReturnOp::create(builder, loc);
  if (failed(mlir::verify(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp> buildProblem(MLIRContext *context,
                                   const ProblemSpec &spec) {
  context->loadDialect<GemmDialect, arith::ArithDialect, func::FuncDialect>();
  return ProblemBuilder(context, spec).build();
}

} // namespace gemm
