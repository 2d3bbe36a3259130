//===- GemmTileOps.td - Kernels, tiles, copies, rings -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_IR_GEMMTILEOPS_TD
#define GEMM_IR_GEMMTILEOPS_TD

include "Gemm/IR/GemmProblemOps.td"
include "mlir/Interfaces/FunctionInterfaces.td"

include "mlir/Interfaces/InferTypeOpInterface.td"

//===----------------------------------------------------------------------===//
// Kernels and work
//===----------------------------------------------------------------------===//

def Gemm_KernelOp : Gemm_Op<"kernel", [
    IsolatedFromAbove, FunctionOpInterface, HasParent<"::mlir::gpu::GPUModuleOp">,
    AutomaticAllocationScope]> {
  let summary = "one kernel of a family";
  let description = [{
    Lives in a `gpu.module`. Every argument has a `gemm.role`: a problem operand (as
    a view or a tensor map), an extent (i32) or a run-time scalar. `guard` and
    `schedule` are the family entry it implements; `grid` says how many CTAs run;
    `block` is the number of threads, known once the tile is placed. The name becomes
    that of a PTX `.entry`, so it is letters, digits, `_` and `$`, no digit first.

    The body has one `gemm.for_work`, or none in a kernel that finds its tiles itself, and
    ends in `gemm.return`. `grid` counts the tiles that `gemm.for_work` walks.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<Gemm_GuardAttr>:$guard,
                       OptionalAttr<Gemm_ScheduleAttr>:$schedule,
                       OptionalAttr<Gemm_TargetAttr>:$target,
                       OptionalAttr<DictionaryAttr>:$grid,
                       OptionalAttr<I32Attr>:$block);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
                                 "::mlir::FunctionType":$type)>];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    RoleAttr getRole(unsigned argument);
    static ::llvm::StringRef getRoleAttrName() { return "gemm.role"; }
    /// `name` as a kernel may begin: bytes that it may not have become `$` and two
    /// hexadecimal digits, so that different names stay different.
    static std::string mangle(::llvm::StringRef name);
  }];
}

def Gemm_ReturnOp : Gemm_Op<"return", [Pure, Terminator, ReturnLike,
                                       HasParent<"KernelOp">]> {
  let summary = "end of a kernel";
  let assemblyFormat = "attr-dict";
}

def Gemm_ForWorkOp : Gemm_Op<"for_work", [
    SingleBlockImplicitTerminator<"EndWorkOp">, HasParent<"KernelOp">]> {
  let summary = "runs its body for every work item of this CTA";
  let description = [{
    A work item is a tile of the result: its batch, its first row and column, and the
    range of k it sums. Which CTA takes which item belongs to the scheduler, of which
    passes see nothing but the arguments of the body:

    ```mlir
    gemm.for_work (%b, %m0, %n0, %k_begin, %k_end)
        over [%batch, %m, %n, %k] tile [128, 256] <tiles, raster = 8> {
      ...
    }
    ```
  }];
  let arguments = (ins I32:$batch, I32:$m, I32:$n, I32:$k,
                       DenseI64ArrayAttr:$tile, Gemm_WorkAttr:$work);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$batch, "::mlir::Value":$m,
                                 "::mlir::Value":$n, "::mlir::Value":$k,
                                 "::llvm::ArrayRef<int64_t>":$tile,
                                 "WorkAttr":$work)>];
}

def Gemm_EndWorkOp : Gemm_Op<"end_work", [Pure, Terminator,
                                          HasParent<"ForWorkOp">]> {
  let summary = "end of a work item";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

def Gemm_AnyTile : AnyTypeOf<[Gemm_TileType, Gemm_FragType], "tile or fragment">;
def Gemm_AnyOperandTile : AnyTypeOf<[Gemm_TileType, Gemm_FragType, Gemm_SharedType],
                                    "tile, fragment or shared tile">;
def Gemm_AnyGlobal : AnyTypeOf<[Gemm_ViewType, Gemm_TensorMapType],
                               "view or tensor map">;

def Gemm_ZeroOp : Gemm_Op<"zero", [Pure]> {
  let summary = "a tile of zeros";
  let results = (outs Gemm_AnyTile:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Gemm_LoadTileOp : Gemm_Op<"load_tile", [
    MemoryEffects<[MemRead]>]> {
  let summary = "the tile of a matrix at (row, col)";
  let description = [{
    Columns (k) at or beyond the second bound read as zero. Rows at or beyond the first
    are unspecified: any bits, no fault.

    ```mlir
    %t = gemm.load_tile %A[%m0, %k0] within [%m, %k]
        : !gemm.view<?x?xf16, row> -> !gemm.tile<128x64xf16>
    ```
  }];
  let arguments = (ins Gemm_ViewType:$source, Variadic<I32>:$indices,
                       I32:$row_bound, I32:$col_bound);
  let results = (outs Gemm_TileType:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `within` `[` $row_bound `,` $col_bound `]` attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Gemm_MmaOp : Gemm_Op<"mma", [Pure, TypesMatchWith<
    "result and accumulator have one type", "acc", "result", "$_self">]> {
  let summary = "acc + A·B";
  let description = [{
    A is m x k, B is n x k, the accumulator m x n. Operands without a home, fragments
    (fma, mma.sync), or shared tiles (wgmma; the multiplication is then still running
    when the op completes, until a `gemm.mma_wait` or `gemm.mma_finish`).

    ```mlir
    %y = gemm.mma %fa, %fb, %x by <mma_sync 16x8x16, warps = 2x4>
        : !gemm.frag<...>, !gemm.frag<...>, !gemm.frag<...>
    ```
  }];
  let arguments = (ins Gemm_AnyOperandTile:$a, Gemm_AnyOperandTile:$b,
                       Gemm_AnyTile:$acc,
                       OptionalAttr<Gemm_MmaAttr>:$instruction);
  let results = (outs Gemm_AnyTile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`by` $instruction^)? attr-dict
    `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def Gemm_MapOp : Gemm_Op<"map", [
    AttrSizedOperandSegments, SingleBlockImplicitTerminator<"YieldOp">,
    MemoryEffects<[MemRead]>]> {
  let summary = "a scalar function of each element of a tile";
  let description = [{
    The epilogue. `ins` are views read at the element's position: `full` matrices at
    (row, col), `rows` vectors at its row, `cols` vectors at its column; positions are
    those of the tile plus `indices` ([batch,] row, col). Elements beyond the bounds are unspecified and
    read no memory outside the operands. Scalars are captured from above.

    ```mlir
    %d = gemm.map %acc at [%m0, %n0] within [%m, %n]
             ins(%bias[cols], %C[full] : !gemm.view<?xf32>, !gemm.view<?x?xf16, row>)
         : !gemm.tile<128x256xf32> -> !gemm.tile<128x256xf16> {
      ^bb0(%x: f32, %b: f32, %c: f16):
        ...
        gemm.yield %y : f16
    }
    ```
  }];
  let arguments = (ins Gemm_AnyTile:$source, Variadic<I32>:$indices,
                       I32:$row_bound, I32:$col_bound,
                       Variadic<Gemm_ViewType>:$views,
                       // "full", "rows" or "cols", one per view.
                       StrArrayAttr:$accesses);
  let results = (outs Gemm_AnyTile:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Gemm_StoreTileOp : Gemm_Op<"store_tile", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes the part of a tile that is within the bounds";
  let description = [{
    `bytes` is the width of one store; it needs a view whose base and leading dimension
    are multiples of it.
  }];
  let arguments = (ins Gemm_AnyTile:$value, Gemm_ViewType:$dest,
                       Variadic<I32>:$indices, I32:$row_bound, I32:$col_bound,
                       DefaultValuedAttr<I64Attr, "0">:$bytes);
  let assemblyFormat = [{
    $value `,` $dest `[` $indices `]` `within` `[` $row_bound `,` $col_bound `]`
    attr-dict `:` type($value) `,` type($dest)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory and copies
//===----------------------------------------------------------------------===//

def Gemm_AllocSharedOp : Gemm_Op<"alloc_shared", [
    MemoryEffects<[MemAlloc]>]> {
  let summary = "a tile in shared memory";
  let description = [{
    Two tiles whose uses do not overlap may share bytes; whoever places a tile puts the
    barrier between the last use of one and the first of the other.
  }];
  // What the tile holds: "a", "b" or "result".
  let arguments = (ins StrAttr:$use);
  let results = (outs Gemm_SharedType:$result);
  let assemblyFormat = "$use attr-dict `:` type($result)";
}

def Gemm_SlotOp : Gemm_Op<"slot", [Pure]> {
  let summary = "one stage of a shared tile";
  let arguments = (ins Gemm_SharedType:$source, I32:$stage);
  let results = (outs Gemm_SharedType:$result);
  let assemblyFormat =
      "$source `[` $stage `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Gemm_CopyStartOp : Gemm_Op<"copy_start", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "starts a copy of a tile from global to shared memory";
  let description = [{
    Issued by all threads of the CTA together. Bounds as for `gemm.load_tile`.
    `registers` copies have finished for the issuing thread when the op completes;
    `cp_async` copies join the thread's open group (`gemm.copy_commit`); a `tma` copy
    is issued by one thread and arrives on its stage of a ring, unless `live` is false.

    ```mlir
    %t = gemm.copy_start %A[%m0, %k0] within [%m, %k] to %sa <cp_async 16>
        : !gemm.view<?x?xf16, row> -> !gemm.shared<128x64xf16, row>
    ```
  }];
  let arguments = (ins Gemm_AnyGlobal:$source, Variadic<I32>:$indices,
                       I32:$row_bound, I32:$col_bound, Gemm_SharedType:$dest,
                       Optional<Gemm_RingType>:$ring, Optional<I32>:$stage,
                       Gemm_CopyAttr:$copy);
  let results = (outs Gemm_TokenType:$token);
  let assemblyFormat = [{
    $source `[` $indices `]` `within` `[` $row_bound `,` $col_bound `]` `to` $dest
    $copy (`on` $ring^ `[` $stage `]`)? attr-dict `:` type($source) `->` type($dest)
    (`,` type($ring)^)?
  }];
  let hasVerifier = 1;
}

def Gemm_CopyFinishOp : Gemm_Op<"copy_finish", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until copies have finished for the threads that issued them";
  let arguments = (ins Variadic<Gemm_TokenType>:$tokens);
  let assemblyFormat = "$tokens attr-dict";
}

def Gemm_CopyCommitOp : Gemm_Op<"copy_commit", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "closes this thread's group of cp_async copies";
  let assemblyFormat = "attr-dict";
}

def Gemm_CopyWaitOp : Gemm_Op<"copy_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until at most `pending` cp_async groups are unfinished";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Gemm_BarrierOp : Gemm_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the CTA meet";
  let assemblyFormat = "attr-dict";
}

def Gemm_FenceAsyncOp : Gemm_Op<"fence_async", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders this thread's shared-memory writes before asynchronous reads";
  let description = [{
    What plain stores or cp.async wrote and wgmma or TMA reads needs this in each writing
    thread before the barrier (PTX ISA, "Async proxy").
  }];
  let assemblyFormat = "attr-dict";
}

def Gemm_ReadFragOp : Gemm_Op<"read_frag", [MemoryEffects<[MemRead]>]> {
  let summary = "registers from a shared tile, starting at (row, col)";
  let arguments = (ins Gemm_SharedType:$source, I32:$row, I32:$col);
  let results = (outs Gemm_FragType:$result);
  let assemblyFormat = [{
    $source `[` $row `,` $col `]` attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Gemm_WriteFragOp : Gemm_Op<"write_frag", [MemoryEffects<[MemWrite]>]> {
  let summary = "registers to a shared tile";
  let arguments = (ins Gemm_FragType:$value, Gemm_SharedType:$dest);
  let assemblyFormat = "$value `,` $dest attr-dict `:` type($value) `,` type($dest)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Asynchronous multiplication, rings
//===----------------------------------------------------------------------===//

def Gemm_MmaWaitOp : Gemm_Op<"mma_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until at most `pending` groups of asynchronous mma run";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Gemm_MmaFinishOp : Gemm_Op<"mma_finish", [
    MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["acc", "result"]>]> {
  let summary = "waits for all asynchronous mma; the accumulator may then be read";
  let arguments = (ins Gemm_FragType:$acc);
  let results = (outs Gemm_FragType:$result);
  let assemblyFormat = "$acc attr-dict `:` type($acc)";
}

def Gemm_RingInitOp : Gemm_Op<"ring_init", [MemoryEffects<[MemAlloc, MemWrite]>]> {
  let summary = "makes the mbarriers of a ring, visible to the whole CTA";
  let results = (outs Gemm_RingType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Gemm_RingExpectOp : Gemm_Op<"ring_expect", [MemoryEffects<[MemWrite]>]> {
  let summary = "announces the bytes that will arrive on a stage";
  let description = [{
    One thread arrives on the stage's mbarrier; the phase completes when `bytes` have
    been written by copies issued on it.
  }];
  let arguments = (ins Gemm_RingType:$ring, I32:$stage, I64Attr:$bytes);
  let assemblyFormat =
      "$ring `[` $stage `]` `bytes` $bytes attr-dict `:` type($ring)";
}

def Gemm_RingWaitOp : Gemm_Op<"ring_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until a stage's bytes have arrived";
  let arguments = (ins Gemm_RingType:$ring, I32:$stage, I32:$parity);
  let assemblyFormat =
      "$ring `[` $stage `]` `parity` $parity attr-dict `:` type($ring)";
}

#endif // GEMM_IR_GEMMTILEOPS_TD
