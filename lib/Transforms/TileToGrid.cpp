//===- TileToGrid.cpp - From a scheduled GEMM to a launch and kernels -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm/Transforms/Passes.h"

#include "ProblemDescription.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace gemm {

#define GEN_PASS_DEF_TILETOGRID
#include "Gemm/Transforms/Passes.h.inc"

namespace {

/// Builds the kernels of one problem. Everything here is in the kernel's frame:
/// the problem itself, or its transpose D^T = B·A^T when the result is
/// contiguous along m.
class KernelBuilder {
public:
  KernelBuilder(MatmulOp matmul, const ProblemDescription &problem)
      : matmul(matmul), problem(problem), builder(matmul.getContext()),
        i32(builder.getI32Type()) {}

  KernelOp build(StringRef name, EntryAttr entry);

private:
  /// The view of a problem operand in the kernel's frame.
  ViewType viewOf(const OperandDescription &operand) {
    Order order = operand.order;
    // A and B keep (row, k) when they change places; the others are transposed.
    if (problem.transposed && operand.role == "epilogue")
      order = order == Order::Row ? Order::Col : Order::Row;
    if (operand.role == "d")
      order = Order::Row;
    return ViewType::get(builder.getContext(),
                         operand.dims.size() + operand.batched,
                         operand.elementType, order);
  }

  /// Constant of the kernel.
  Value constant(Location loc, int32_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }

  /// The K loop: the accumulated product as a tile.
  Value accumulate(Location loc, ForWorkOp work, TileAttr tile);
  /// The epilogue region applied to the accumulated tile.
  Value applyEpilogue(Location loc, ForWorkOp work, Value acc);
  /// The same, without the operands that scalar `isZero` switches off.
  Value buildMap(Location loc, ForWorkOp work, Value acc,
                 std::optional<unsigned> isZero);

  /// [batch,] row, column.
  SmallVector<Value> indices(bool batched, ForWorkOp work, Value row,
                             Value col) {
    SmallVector<Value> list;
    if (batched)
      list.push_back(work.getBody().getArgument(0));
    list.append({row, col});
    return list;
  }

  MatmulOp matmul;
  const ProblemDescription &problem;
  OpBuilder builder;
  Type i32;
  SmallVector<Value> operands; // views, in the problem's order
  SmallVector<Value> scalars;
  Value rows, cols, k, batch;
};

KernelOp KernelBuilder::build(StringRef name, EntryAttr entry) {
  Location loc = matmul.getLoc();
  MLIRContext *context = builder.getContext();
  ScheduleAttr schedule = entry.getSchedule();

  SmallVector<Type> types;
  SmallVector<RoleAttr> roles;
  for (auto [i, operand] : llvm::enumerate(problem.operands)) {
    types.push_back(viewOf(operand));
    roles.push_back(RoleAttr::get(context, RoleKind::Operand, i, nullptr));
  }
  auto addExtent = [&](StringRef dim) {
    types.push_back(i32);
    roles.push_back(RoleAttr::get(context, RoleKind::Extent, 0,
                                  builder.getStringAttr(dim)));
  };
  StringRef rowDim = problem.transposed ? "n" : "m",
            colDim = problem.transposed ? "m" : "n";
  addExtent(rowDim);
  addExtent(colDim);
  addExtent("k");
  addExtent("batch");
  for (auto [i, type] : llvm::enumerate(problem.scalarTypes)) {
    types.push_back(type);
    roles.push_back(RoleAttr::get(context, RoleKind::Scalar, i, nullptr));
  }

  auto kernel =
      KernelOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  for (auto [i, role] : llvm::enumerate(roles))
    kernel.setArgAttr(i, KernelOp::getRoleAttrName(), role);
  kernel.setGuardAttr(entry.getGuard());
  kernel.setScheduleAttr(schedule);
  kernel.setTargetAttr(matmul.getTargetAttr());
  TileAttr tile = schedule.getTile();
  WorkAttr work = schedule.getWork();
  kernel.setGridAttr(builder.getDictionaryAttr(
      {builder.getNamedAttr(
           "kind", builder.getStringAttr(stringifyWorkKind(work.getKind()))),
       builder.getNamedAttr("rows", builder.getStringAttr(rowDim)),
       builder.getNamedAttr("cols", builder.getStringAttr(colDim)),
       builder.getNamedAttr(
           "tile", builder.getI64ArrayAttr({tile.getM(), tile.getN()})),
       builder.getNamedAttr("raster",
                            builder.getI64IntegerAttr(work.getRaster()))}));

  auto arguments = kernel.getBody().getArguments();
  size_t n = problem.operands.size();
  operands.assign(arguments.begin(), arguments.begin() + n);
  rows = arguments[n];
  cols = arguments[n + 1];
  k = arguments[n + 2];
  batch = arguments[n + 3];
  scalars.assign(arguments.begin() + n + 4, arguments.end());

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  auto forWork = ForWorkOp::create(builder, loc, batch, rows, cols, k,
                                   {tile.getM(), tile.getN()}, work);
  ReturnOp::create(builder, loc);

  builder.setInsertionPoint(forWork.getBody().front().getTerminator());
  Value acc = accumulate(loc, forWork, tile);
  Value result = applyEpilogue(loc, forWork, acc);
  const OperandDescription &d = problem.operands.back();
  StoreTileOp::create(builder, loc, result, operands.back(),
                      indices(d.batched, forWork,
                              forWork.getBody().getArgument(1),
                              forWork.getBody().getArgument(2)),
                      rows, cols, /*bytes=*/getElementBytes(d.elementType));
  return kernel;
}

Value KernelBuilder::accumulate(Location loc, ForWorkOp work, TileAttr tile) {
  MLIRContext *context = builder.getContext();
  // The transposed problem multiplies B by A.
  unsigned ia = problem.transposed ? 1 : 0, ib = problem.transposed ? 0 : 1;
  const OperandDescription &a = problem.operands[ia], &b = problem.operands[ib];
  auto tileType = [&](int64_t rows, int64_t cols, Type element) {
    return TileType::get(context, rows, cols, element);
  };
  Type accType = tileType(tile.getM(), tile.getN(), matmul.getAccumulator());
  Value zero = ZeroOp::create(builder, loc, accType);
  Value step = constant(loc, tile.getK());
  auto body = work.getBody().getArguments();
  auto loop = scf::ForOp::create(builder, loc, body[3], body[4], step, zero);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value k0 = loop.getInductionVar();
  Value ta = LoadTileOp::create(
      builder, loc, tileType(tile.getM(), tile.getK(), a.elementType),
      operands[ia], indices(a.batched, work, body[1], k0), rows, body[4]);
  Value tb = LoadTileOp::create(
      builder, loc, tileType(tile.getN(), tile.getK(), b.elementType),
      operands[ib], indices(b.batched, work, body[2], k0), cols, body[4]);
  Value sum = MmaOp::create(builder, loc, accType, ta, tb,
                            loop.getRegionIterArg(0), MmaAttr());
  scf::YieldOp::create(builder, loc, sum);
  return loop.getResult(0);
}

Value KernelBuilder::applyEpilogue(Location loc, ForWorkOp work, Value acc) {
  const auto *switched =
      llvm::find_if(problem.operands,
                    [](const OperandDescription &o) { return o.unusedIfZero; });
  if (switched == problem.operands.end())
    return buildMap(loc, work, acc, std::nullopt);
  // Where the scalar is zero nothing may be read: two epilogues.
  unsigned index = *switched->unusedIfZero;
  Value scalar = scalars[index];
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(scalar.getType(), 0.0));
  Value isUsed = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                       scalar, zero);
  auto accType = cast<TileType>(acc.getType());
  Type resultType =
      TileType::get(builder.getContext(), accType.getRows(), accType.getCols(),
                    problem.operands.back().elementType);
  auto branch = scf::IfOp::create(builder, loc, TypeRange(resultType), isUsed,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (bool used : {true, false}) {
    builder.setInsertionPointToStart(used ? branch.thenBlock()
                                          : branch.elseBlock());
    Value result =
        buildMap(loc, work, acc, used ? std::nullopt : std::optional(index));
    scf::YieldOp::create(builder, loc, result);
  }
  return branch.getResult(0);
}

Value KernelBuilder::buildMap(Location loc, ForWorkOp work, Value acc,
                              std::optional<unsigned> isZero) {
  MLIRContext *context = builder.getContext();
  const OperandDescription &d = problem.operands.back();
  auto accType = cast<TileType>(acc.getType());
  Type resultType = TileType::get(context, accType.getRows(), accType.getCols(),
                                  d.elementType);
  SmallVector<Value> views;
  SmallVector<Attribute> accesses;
  for (size_t i = 2; i + 1 < problem.operands.size(); ++i) {
    const OperandDescription &operand = problem.operands[i];
    if (isZero && operand.unusedIfZero == isZero)
      continue;
    views.push_back(operands[i]);
    StringRef access = "full";
    if (operand.dims.size() == 1)
      access = (operand.dims[0] == "m") != problem.transposed ? "rows" : "cols";
    accesses.push_back(builder.getStringAttr(access));
  }
  auto body = work.getBody().getArguments();
  auto map = MapOp::create(builder, loc, resultType, acc,
                           ValueRange{body[0], body[1], body[2]}, rows, cols,
                           views, builder.getArrayAttr(accesses));
  Block *block = builder.createBlock(&map.getBody());
  IRMapping mapping;
  Block &epilogue = matmul.getEpilogue().front();
  mapping.map(epilogue.getArgument(0),
              block->addArgument(accType.getElementType(), loc));
  unsigned nextScalar = 0, nextOperand = 2;
  for (auto [operand, argument] :
       llvm::zip_equal(matmul.getEpilogueOperands(),
                       epilogue.getArguments().drop_front())) {
    if (!isa<MemRefType>(operand.getType()))
      mapping.map(argument, scalars[nextScalar++]);
    else if (auto scalar = problem.operands[nextOperand++].unusedIfZero;
             isZero && scalar == isZero)
      mapping.map(argument,
                  arith::ConstantOp::create(
                      builder, loc, builder.getZeroAttr(argument.getType()))
                      .getResult());
    else
      mapping.map(argument, block->addArgument(argument.getType(), loc));
  }
  for (Operation &op : epilogue)
    builder.clone(op, mapping);
  builder.setInsertionPointAfter(map);
  return map.getResult();
}

/// The buffer of a launch: the batch first, then the lines of a matrix, then
/// what is contiguous. Nothing is moved, the dimensions of the memref change
/// places.
Value orderDims(OpBuilder &builder, MatmulOp matmul, OpOperand &operand) {
  unsigned index = operand.getOperandNumber();
  AffineMap map = matmul.getIndexingMap(index);
  FailureOr<Order> order = matmul.getOrder(index);
  if (failed(order)) // a vector
    return operand.get();
  // Of A and B the row is m or n, of the others m; k and n are columns.
  unsigned col =
      index <= matmul.getBs().size() ? matmul.getKDim() : matmul.getNDim();
  // One batch at most, so all keys are different.
  auto key = [&](unsigned pos) {
    unsigned dim = map.getDimPosition(pos);
    bool isBatch = dim < matmul.getMDim();
    return isBatch ? 0 : (dim == col) == (*order == Order::Row) ? 2 : 1;
  };
  auto permutation =
      llvm::to_vector(llvm::seq<unsigned>(0, map.getNumResults()));
  llvm::sort(permutation,
             [&](unsigned x, unsigned y) { return key(x) < key(y); });
  AffineMap moved =
      AffineMap::getPermutationMap(permutation, builder.getContext());
  if (moved.isIdentity())
    return operand.get();
  return memref::TransposeOp::create(builder, matmul.getLoc(), operand.get(),
                                     AffineMapAttr::get(moved));
}

struct TileToGrid : impl::TileToGridBase<TileToGrid> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    SmallVector<MatmulOp> problems;
    getOperation().walk([&](MatmulOp op) { problems.push_back(op); });
    for (MatmulOp matmul : problems)
      if (failed(lower(matmul, symbols)))
        return signalPassFailure();
  }

  LogicalResult lower(MatmulOp matmul, SymbolTableCollection &symbols) {
    if (!matmul.getFamily() || matmul.getFamily()->empty())
      return matmul.emitOpError(
          "has no schedule; run gemm-select-schedule before gemm-tile-to-grid");
    // Where the launch finds its kernels.
    auto host = dyn_cast<ModuleOp>(SymbolTable::getNearestSymbolTable(matmul));
    if (!host)
      return matmul.emitOpError("is in a '")
             << SymbolTable::getNearestSymbolTable(matmul)->getName()
             << "'; kernels are launched from the host: move it to a "
                "builtin.module";
    FailureOr<ProblemDescription> problem = describeProblem(matmul);
    if (failed(problem))
      return failure();

    OpBuilder builder(matmul);
    auto function = matmul->getParentOfType<FunctionOpInterface>();
    StringRef base = function ? function.getName() : StringRef("gemm");
    OpBuilder detached(matmul.getContext());
    auto module = gpu::GPUModuleOp::create(detached, matmul.getLoc(),
                                           (base + "_kernels").str());
    symbols.getSymbolTable(host).insert(module); // under a name that is free
    module->setAttr("gemm.problem", problem->toAttribute(matmul));

    for (auto [i, entry] :
         llvm::enumerate(matmul.getFamily()->getAsRange<EntryAttr>())) {
      KernelBuilder kernels(matmul, *problem);
      module.getBody()->push_back(kernels.build(
          (KernelOp::mangle(base) + "_" + Twine(i)).str(), entry));
    }

    SmallVector<Value> buffers, scalars;
    for (OpOperand &operand : matmul->getOpOperands())
      if (isa<MemRefType>(operand.get().getType()))
        buffers.push_back(orderDims(builder, matmul, operand));
      else
        scalars.push_back(operand.get());
    LaunchOp::create(builder, matmul.getLoc(), module.getName(), buffers,
                     scalars);
    matmul.erase();
    return success();
  }
};

} // namespace

} // namespace gemm
