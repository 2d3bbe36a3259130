//===- GemmTypes.td - Where a tile lives --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_IR_GEMMTYPES_TD
#define GEMM_IR_GEMMTYPES_TD

include "Gemm/IR/GemmAttrs.td"

class Gemm_Type<string typeName, string typeMnemonic>
    : TypeDef<Gemm_Dialect, typeName> {
  let mnemonic = typeMnemonic;
}

// A matrix in global memory: what both kernel-argument types say of it.
class Gemm_GlobalType<string typeName, string typeMnemonic>
    : Gemm_Type<typeName, typeMnemonic> {
  let parameters = (ins "int64_t":$rank, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"Order", "Order::Row">:$order);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isBatched() const { return getRank() == 3; }
  }];
}

def Gemm_ViewType : Gemm_GlobalType<"View", "view"> {
  let summary = "matrix or vector in global memory";
  let description = [{
    A base pointer, a leading dimension and, for rank 3, a batch stride, all of them
    run-time values. `?x?xf16, row`: the second coordinate is contiguous; `col`: the
    first. Rank 3 has the batch first. Rank 1 is a vector. Extents are not part of a
    view: ops that need them take them as operands.
  }];
}

def Gemm_TensorMapType : Gemm_GlobalType<"TensorMap", "tensor_map"> {
  let summary = "matrix in global memory, as the tensor map that TMA reads it through";
}

def Gemm_TileType : Gemm_Type<"Tile", "tile"> {
  let summary = "tile without a home";
  let parameters = (ins "int64_t":$rows, "int64_t":$cols,
                        "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Gemm_SharedType : Gemm_Type<"Shared", "shared"> {
  let summary = "tile in shared memory";
  let description = [{
    `order` says which coordinate is contiguous; the layout is absent until
    `gemm-swizzle-shared`; `stages` copies of the tile lie one after the other.

    ```mlir
    !gemm.shared<128x64xbf16, row>
    !gemm.shared<128x64xbf16, row, <panel = 64, pitch = 128, xor_bits = 3>, stages = 4>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$cols,
                        "::mlir::Type":$elementType, "Order":$order,
                        OptionalParameter<"SharedLayoutAttr">:$layout,
                        DefaultValuedParameter<"int64_t", "1">:$stages);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout as an object that can be asked questions; plain when absent.
    ::gemm::layout::SharedLayout getSharedLayout() const;
    /// Bytes of one stage.
    int64_t getStageBytes() const;
    SharedType withLayout(SharedLayoutAttr layout) const;
    SharedType withStages(int64_t stages) const;
  }];
}

def Gemm_FragType : Gemm_Type<"Frag", "frag"> {
  let summary = "tile distributed over the registers of a CTA";
  let parameters = (ins "int64_t":$rows, "int64_t":$cols,
                        "::mlir::Type":$elementType, "LayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::gemm::layout::Distribution getDistribution() const;
    /// Elements that one thread holds.
    int64_t getElementsPerThread() const;
    FragType withElementType(::mlir::Type type) const;
  }];
}

def Gemm_TokenType : Gemm_Type<"Token", "token"> {
  let summary = "a copy that has started";
}

def Gemm_RingType : Gemm_Type<"Ring", "ring"> {
  let summary = "one mbarrier per stage, on which a stage's bytes arrive";
  let parameters = (ins "int64_t":$stages);
  let assemblyFormat = "`<` $stages `>`";
  let genVerifyDecl = 1;
}

#endif // GEMM_IR_GEMMTYPES_TD
