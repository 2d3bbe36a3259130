//===- GemmProblemOps.td - The problem and its launch -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_IR_GEMMPROBLEMOPS_TD
#define GEMM_IR_GEMMPROBLEMOPS_TD

include "Gemm/IR/GemmAttrs.td"
include "Gemm/IR/GemmTypes.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Gemm_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Gemm_Dialect, opMnemonic, traits>;

def Gemm_Matrix : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "tensor or memref">;

def Gemm_EntryArrayAttr : TypedArrayAttrBase<Gemm_EntryAttr,
                                             "array of #gemm.entry">;

def Gemm_MatmulOp : Gemm_Op<"matmul", [
    AttrSizedOperandSegments, DestinationStyleOpInterface, IsolatedFromAbove,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "D = epilogue(A·B, ...)";
  let description = [{
    The product of one A and one or more B (each its own product), accumulated in
    `accumulator` and handed to a scalar `epilogue` region, whose results are written
    to `outs`. The iteration space is (batch..., m, n, k); every operand has an index
    list over it, so that batches, transpositions and broadcasts are maps:

    ```mlir
    gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
                outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
    ```

    Without a region the result is the product, converted to D's element type. With
    one, its arguments are the products, then the epilogue operands, which may be
    matrices, vectors or scalars by their index lists:

    ```mlir
    gemm.matmul batch(b) ins(%a[b, m, k], %w[n, k] : tensor<?x?x?xf16>, tensor<?x?xf16>)
                epilogue(%c[b, m, n], %bias[n], %beta[] : tensor<?x?x?xf16>, tensor<?xf32>, f32)
                outs(%d[b, m, n] : tensor<?x?x?xf16>) accumulate(f32) {
      ^bb0(%acc: f32, %c: f16, %x: f32, %beta: f32):
        %0 = arith.extf %c : f16 to f32
        %1 = arith.mulf %0, %beta : f32
        %2 = arith.addf %acc, %1 : f32
        %3 = arith.addf %2, %x : f32
        %4 = arith.truncf %3 : f32 to f16
        gemm.yield %4 : f16
    } -> tensor<?x?x?xf16>
    ```

    Semantics. C is an ordinary epilogue operand, so a product with beta = 0 that
    does not name C never reads it. With a beta of run time, an epilogue that selects by
    `arith.cmpf oeq` (or `une`) of beta and 0 a value that C has no part in does not read C
    for beta = 0; one that only multiplies does, and 0 * NaN is NaN. `outs` are written, not read. A result may be
    exactly an epilogue operand (same base, strides and extents); otherwise results
    overlap nothing, and never A or B. K = 0 gives the epilogue of zero. The
    accumulator type and the promotion interval (k between promotions of a narrow
    accumulator) are part of the problem: no pass changes them.

    `a_scale` and `b_scales` multiply A and B by maps over (m, k) and (n, k) that may
    use `floordiv` (block scales). A and each B may have a scalar conversion region,
    written after the epilogue as `convert(A)`, `convert(B)`, `convert(B1)`...; one
    that is not written hands its element on. The extra arguments of these regions
    are the `conversions` operands, in order:

    ```mlir
    gemm.matmul ins(%a[m, k], %q[n, k] : memref<?x?xf16>, memref<?x?xi8>)
                scales(b %s[n, k floordiv 32] : memref<?x?xf16>)
                conversions(%zero[n] : memref<?xf16>)
                outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
                convert(B) {
      ^bb0(%q: i8, %zero: f16):
        %0 = arith.sitofp %q : i8 to f16
        %1 = arith.subf %0, %zero : f16
        gemm.yield %1 : f16
    }
    ```

    Regions are isolated from above and hold scalar ops without side effects; what an
    epilogue reads is an epilogue operand, and a constant stands inside. Integers of A
    and B are signed.

    `target` and `family` are the schedule: an ordered list of (guard, schedule), of
    which the first whose guard holds at run time runs. Guards name operands A, B, B1,
    ..., E0, E1, ... (epilogue operands), D, D1, ... What is already there wins over
    `gemm-select-schedule`.

    ```mlir
    gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf16>, memref<?x?xf16>)
                outs(%d[m, n] : memref<?x?xf16>) accumulate(f32)
                attributes {target = #gemm.target<"sm_80">, family = [...]}
    ```
  }];
  let arguments = (ins
    Gemm_Matrix:$a, Variadic<Gemm_Matrix>:$bs,
    Optional<Gemm_Matrix>:$a_scale, Variadic<Gemm_Matrix>:$b_scales,
    Variadic<AnyType>:$conversion_operands,
    Variadic<AnyType>:$epilogue_operands,
    Variadic<Gemm_Matrix>:$outs,
    AffineMapArrayAttr:$indexing_maps,
    TypeAttr:$accumulator,
    OptionalAttr<I64Attr>:$promotion_interval,
    OptionalAttr<DenseI32ArrayAttr>:$conversion_operand_counts,
    OptionalAttr<Gemm_TargetAttr>:$target,
    OptionalAttr<Gemm_EntryArrayAttr>:$family);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$epilogue,
                        VariadicRegion<SizedRegion<1>>:$conversions);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }

    /// Batch dimensions of the iteration space (batch..., m, n, k).
    int64_t getNumBatchDims();
    unsigned getMDim() { return getNumBatchDims(); }
    unsigned getNDim() { return getNumBatchDims() + 1; }
    unsigned getKDim() { return getNumBatchDims() + 2; }

    /// The index list of an operand, in operand order.
    ::mlir::AffineMap getIndexingMap(::mlir::OpOperand &operand);
    ::mlir::AffineMap getIndexingMap(unsigned index);
    /// A, B, B1..., E0, E1..., D, D1...: the name of operand `index` of getOperands(),
    /// as guards, diagnostics and the kernel artifact write it. Scalars included.
    std::string getOperandName(unsigned index);
    /// Position in getOperands() of the first epilogue operand and of the first out.
    unsigned getFirstEpilogueOperand();
    unsigned getFirstOut();
    /// The dimension of the iteration space that map result `pos` names, as "m", "n",
    /// "k" or "batch"; empty if it is not a plain dimension.
    ::llvm::StringRef getDimName(::mlir::AffineMap map, unsigned pos);
    /// Which coordinate of matrix `index` of getOperands() is contiguous, in canonical
    /// coordinates: A (m, k), B (n, k), epilogue operands and results (m, n). Fails if
    /// the operand is not such a matrix, or if its type does not say.
    ::mlir::FailureOr<Order> getOrder(unsigned index);

    /// Type of the elements of A (0), B (1), B1 (2)... as they are multiplied: behind
    /// their conversion region, if there is one.
    ::mlir::Type getMultipliedType(unsigned index);
    /// The number of extra arguments of conversion region `index`.
    unsigned getNumConversionOperands(unsigned index);
    /// Whether the epilogue only converts product i to the element type of result i.
    bool hasDefaultEpilogue();

    /// Fills `region` with the epilogue that converts product i to `results[i]`; fails
    /// if a conversion needs more than one cast, or the numbers differ.
    static ::llvm::LogicalResult
    buildDefaultEpilogue(::mlir::OpBuilder &builder, ::mlir::Location loc,
                         ::mlir::Region &region, ::mlir::TypeRange arguments,
                         unsigned numProducts, ::mlir::TypeRange results);
  }];
  let builders = [
    // Plain problem: one B; an identity epilogue is made when `epilogueBuilder` is
    // null. `maps` are in operand order: a, b, epilogue operands, out.
    OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b,
                   "::mlir::ValueRange":$epilogueOperands, "::mlir::Value":$out,
                   "::llvm::ArrayRef<::mlir::AffineMap>":$maps,
                   "::mlir::Type":$accumulator,
                   CArg<"::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, "
                        "::mlir::ValueRange)>", "nullptr">:$epilogueBuilder)>];
}

def Gemm_YieldOp : Gemm_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["MatmulOp", "MapOp"]>]> {
  let summary = "the results of a scalar region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  // No values; what an implicit terminator is made with.
  let builders = [OpBuilder<(ins), [{ (void)$_state; }]>];
}

def Gemm_LaunchOp : Gemm_Op<"launch", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a family of kernels on its operands";
  let description = [{
    The host side of a lowered `gemm.matmul`. The family is the `gpu.module` named by
    `family`; at run time the first of its kernels whose guard holds runs. Operands are
    those of the problem in its order (A, B, epilogue operands, results), memrefs
    first, then the run-time scalars of the epilogue. A kernel that accesses several
    elements at a time has a guard that asks for what this needs, where the types do not
    say it.

    ```mlir
    gemm.launch @matmul(%a, %b, %d : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>)
    gemm.launch @scaled(%a, %b, %d : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>)
                scalars(%alpha : f32)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$family, Variadic<AnyMemRef>:$buffers,
                       Variadic<AnyFloat>:$scalars);
  let assemblyFormat = [{
    $family `(` ($buffers^ `:` type($buffers))? `)`
    (`scalars` `(` $scalars^ `:` type($scalars) `)`)? attr-dict
  }];
}

#endif // GEMM_IR_GEMMPROBLEMOPS_TD
