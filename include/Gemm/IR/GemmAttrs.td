//===- GemmAttrs.td - Schedules, guards, layouts, targets --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_IR_GEMMATTRS_TD
#define GEMM_IR_GEMMATTRS_TD

include "Gemm/IR/GemmDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Gemm_Attr<string attrName, string attrMnemonic>
    : AttrDef<Gemm_Dialect, attrName> {
  let mnemonic = attrMnemonic;
}

class Gemm_Enum<string enumName, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<enumName, summary, cases> {
  let cppNamespace = "::gemm";
  let genSpecializedAttr = 0;
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def Gemm_Order : Gemm_Enum<"Order", "which coordinate is contiguous", [
  I32EnumAttrCase<"Row", 0, "row">,   // the second coordinate
  I32EnumAttrCase<"Col", 1, "col">]>; // the first coordinate

def Gemm_InstructionKind
    : Gemm_Enum<"InstructionKind", "family of multiply-accumulate instructions", [
  I32EnumAttrCase<"Fma", 0, "fma">,
  I32EnumAttrCase<"MmaSync", 1, "mma_sync">,
  I32EnumAttrCase<"Wgmma", 2, "wgmma">]>;

def Gemm_CopyEngine : Gemm_Enum<"CopyEngine", "what moves a tile", [
  I32EnumAttrCase<"Registers", 0, "registers">,
  I32EnumAttrCase<"CpAsync", 1, "cp_async">,
  I32EnumAttrCase<"Tma", 2, "tma">]>;

def Gemm_BankScheme : Gemm_Enum<"BankScheme", "how lines of a shared tile meet the banks", [
  I32EnumAttrCase<"Plain", 0, "plain">,
  I32EnumAttrCase<"Padded", 1, "padded">,
  I32EnumAttrCase<"Xor", 2, "xor">,
  I32EnumAttrCase<"Panel", 3, "panel">]>;

def Gemm_EpilogueRoute : Gemm_Enum<"EpilogueRoute", "way of the result to memory", [
  I32EnumAttrCase<"Registers", 0, "registers">,
  I32EnumAttrCase<"Staged", 1, "staged">]>;

def Gemm_WorkKind : Gemm_Enum<"WorkKind", "how work items meet CTAs", [
  I32EnumAttrCase<"Tiles", 0, "tiles">]>;

def Gemm_ConditionKind : Gemm_Enum<"ConditionKind", "what a guard can ask", [
  I32EnumAttrCase<"Align", 0, "align">,
  I32EnumAttrCase<"Pitch", 1, "pitch">,
  I32EnumAttrCase<"Divisible", 2, "divisible">,
  I32EnumAttrCase<"AtMost", 3, "at_most">]>;

def Gemm_RoleKind : Gemm_Enum<"RoleKind", "what a kernel argument is", [
  I32EnumAttrCase<"Operand", 0, "operand">,
  I32EnumAttrCase<"Extent", 1, "extent">,
  I32EnumAttrCase<"Scalar", 2, "scalar">]>;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def Gemm_LayoutAttr : Gemm_Attr<"Layout", "layout"> {
  let summary = "where the elements of a distributed tile live";
  let description = [{
    (register, lane, warp) -> (row, col). Each hardware index is a mixed-radix
    number, least significant digit first; a digit `4:(0, 2)` has four values, each
    of which moves two columns. A digit of stride `(0, 0)` broadcasts. The
    accumulator of `mma.sync.m16n8k16` (PTX ISA, "Matrix fragments for
    mma.m16n8k16") on two by four warps:

    ```mlir
    #gemm.layout<register[2:(0, 1), 2:(8, 0)], lane[4:(0, 2), 8:(1, 0)],
                 warp[2:(16, 0), 4:(0, 8)]>
    ```
  }];
  // Digits are stored flat, three numbers each: extent, row stride, column stride.
  let parameters = (ins ArrayRefParameter<"int64_t">:$registers,
                        ArrayRefParameter<"int64_t">:$lanes,
                        ArrayRefParameter<"int64_t">:$warps);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout as an object that can be asked questions.
    ::gemm::layout::Distribution getDistribution() const;
    static LayoutAttr get(::mlir::MLIRContext *context,
                          const ::gemm::layout::Distribution &distribution);
  }];
}

def Gemm_SharedLayoutAttr : Gemm_Attr<"SharedLayout", "shared_layout"> {
  let summary = "byte offsets of a tile in shared memory";
  let description = [{
    The contiguous dimension is cut into panels `panel` elements wide; lines of a
    panel are `pitch` bytes apart; inside a panel the `xor_bits` bits of the byte
    offset from bit `xor_source` up are added (XOR) to the bits from bit 4 up. TMA
    and wgmma call `xor_bits = 3, xor_source = 7` the 128-byte swizzle.
  }];
  let parameters = (ins "int64_t":$panel, "int64_t":$pitch,
                        DefaultValuedParameter<"int64_t", "0">:$xor_bits,
                        DefaultValuedParameter<"int64_t", "7">:$xor_source);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// The parts of a schedule
//===----------------------------------------------------------------------===//

def Gemm_TileAttr : Gemm_Attr<"Tile", "tile"> {
  let summary = "CTA tile m x n x k, in elements; read by gemm-tile-to-grid";
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Gemm_MmaAttr : Gemm_Attr<"Mma", "mma"> {
  let summary = "instruction and how warps share the tile; read by gemm-promote-operands";
  let description = [{
    `warps` is the grid of warps over the CTA tile (a wgmma warpgroup counts as four
    warps along m). For `fma`, `lanes` is the grid of the 32 lanes over a warp tile and
    `thread` the elements of the accumulator that one thread owns.

    ```mlir
    #gemm.mma<mma_sync 16x8x16, warps = 2x4>
    #gemm.mma<fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>
    ```
  }];
  let parameters = (ins "InstructionKind":$kind,
                        "int64_t":$m, "int64_t":$n, "int64_t":$k,
                        "int64_t":$warps_m, "int64_t":$warps_n,
                        DefaultValuedParameter<"int64_t", "1">:$lanes_m,
                        DefaultValuedParameter<"int64_t", "32">:$lanes_n,
                        DefaultValuedParameter<"int64_t", "1">:$thread_m,
                        DefaultValuedParameter<"int64_t", "1">:$thread_n);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Threads of a CTA.
    int64_t getNumThreads() const { return 32 * getWarpsM() * getWarpsN(); }
  }];
}

def Gemm_CopyAttr : Gemm_Attr<"Copy", "copy"> {
  let summary = "engine and access width of an operand's way to shared memory; read by gemm-promote-operands";
  let parameters = (ins "CopyEngine":$engine,
                        DefaultValuedParameter<"int64_t", "16">:$bytes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Gemm_BankAttr : Gemm_Attr<"Bank", "bank"> {
  let summary = "layout scheme of an operand's shared tile; read by gemm-swizzle-shared";
  let description = [{
    `plain`; `padded N` (lines N bytes longer); `xor` (16-byte chunks exchanged by the
    line number); `panel N` (the N-byte hardware swizzle of TMA and wgmma).
  }];
  let parameters = (ins "BankScheme":$scheme,
                        DefaultValuedParameter<"int64_t", "0">:$bytes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout that the scheme gives a rows x cols tile, or why it cannot.
    ::llvm::Expected<::gemm::layout::SharedLayout>
    layOut(int64_t rows, int64_t cols, int64_t elementBytes, Order order) const;
  }];
}

def Gemm_PipelineAttr : Gemm_Attr<"Pipeline", "pipeline"> {
  let summary = "overlap of copies and computation; read by gemm-pipeline-loads";
  let description = [{
    `stages`: K tiles held in shared memory at once. `fragments`: k-steps of fragments
    held in registers at once (2 loads the next step's while this one's are
    multiplied). `in_flight`: groups of asynchronous mma left running at the end of a
    K tile.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "1">:$stages,
                        DefaultValuedParameter<"int64_t", "1">:$fragments,
                        DefaultValuedParameter<"int64_t", "0">:$in_flight);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Gemm_EpilogueAttr : Gemm_Attr<"Epilogue", "epilogue"> {
  let summary = "route and store width of the result; read by gemm-promote-operands";
  let description = [{
    `registers`: each thread stores what it holds. `staged`: through shared memory, so
    that a warp stores whole lines. The number is the bytes of one store.
  }];
  let parameters = (ins "EpilogueRoute":$route, "int64_t":$bytes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Gemm_WorkAttr : Gemm_Attr<"Work", "work"> {
  let summary = "order of work items; read by gemm-tile-to-grid";
  let description = [{
    `tiles`: one CTA per tile. `raster`: tiles are walked in groups of this many tile
    rows, so that CTAs that run together share operands in the L2 cache.
  }];
  let parameters = (ins "WorkKind":$kind,
                        DefaultValuedParameter<"int64_t", "1">:$raster);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Gemm_ScheduleAttr : Gemm_Attr<"Schedule", "schedule"> {
  let summary = "how one kernel computes a GEMM";
  let description = [{
    A tree of parts, each read by exactly one pass. `copy` and `bank` name the two
    operands, A then B. Parts may come in any order; `bank` (plain), `pipeline` (one
    stage) and `work` (tiles in rows) may be left out.

    ```mlir
    #gemm.schedule<tile = 128x256x64, mma = <mma_sync 16x8x16, warps = 2x4>,
                   copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>],
                   pipeline = <stages = 4, fragments = 2>,
                   epilogue = <staged 16>, work = <tiles, raster = 8>>
    ```
  }];
  let parameters = (ins "TileAttr":$tile, "MmaAttr":$mma,
                        "CopyAttr":$copy_a, "CopyAttr":$copy_b,
                        "BankAttr":$bank_a, "BankAttr":$bank_b,
                        "PipelineAttr":$pipeline, "EpilogueAttr":$epilogue,
                        "WorkAttr":$work);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

def Gemm_ConditionAttr : Gemm_Attr<"Condition", "condition"> {
  let summary = "one run-time condition of a guard";
  let description = [{
    `align(A) 16`: A's pointer is a multiple of 16 bytes. `pitch(A) 8`: A's leading
    dimension and batch stride are multiples of 8 elements. `divisible(k) 8`: an
    extent. `at_most(m) 64`: an extent (`m`, `n`, `k` or `batch`).
  }];
  let parameters = (ins "ConditionKind":$kind, StringRefParameter<>:$subject,
                        "int64_t":$value);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Gemm_GuardAttr : Gemm_Attr<"Guard", "guard"> {
  let summary = "conjunction of conditions under which a kernel may run";
  let parameters = (ins OptionalArrayRefParameter<"ConditionAttr">:$conditions);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Whether `condition` holds wherever this guard does.
    bool implies(ConditionAttr condition) const;
  }];
}

def Gemm_EntryAttr : Gemm_Attr<"Entry", "entry"> {
  let summary = "a member of a family: run this schedule when this guard holds";
  let parameters = (ins "GuardAttr":$guard, "ScheduleAttr":$schedule);
  let assemblyFormat = "`<` `when` $guard `run` $schedule `>`";
}

def Gemm_TargetAttr : Gemm_Attr<"Target", "target"> {
  let summary = "the architecture that a problem is scheduled for";
  let description = [{
    Only the name; limits and instructions are the Target library's table, which
    refuses a name it does not know.
  }];
  let parameters = (ins StringRefParameter<>:$name);
  let assemblyFormat = "`<` $name `>`";
}

def Gemm_RoleAttr : Gemm_Attr<"Role", "role"> {
  let summary = "what the host passes for a kernel argument";
  let description = [{
    `<operand 0>`: the problem's operand 0 as a view or a tensor map. `<extent "m">`:
    an extent of the problem. `<scalar 1>`: run-time scalar 1 of the epilogue.
  }];
  let parameters = (ins "RoleKind":$kind,
                        DefaultValuedParameter<"int64_t", "0">:$index,
                        OptionalParameter<"::mlir::StringAttr">:$dim);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // GEMM_IR_GEMMATTRS_TD
