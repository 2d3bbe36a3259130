//===- Passes.td - Conversions to and from the gemm dialect -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries are alphabetical.
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_CONVERSION_PASSES_TD
#define GEMM_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGemmToNVVM : Pass<"convert-gemm-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Write what one thread of each kernel does, in nvvm and llvm ops";
  let description = [{
    Every `gemm.kernel` of the module, placed, swizzled and pipelined, becomes one
    `llvm.func` with `nvvm.kernel`, of `nvvm` and `llvm` ops in `scf` control flow: views
    become a pointer, a leading dimension and a batch stride, tensor maps a grid-constant
    pointer, shared tiles byte addresses, fragments the registers of the thread.
    Registers, addresses and access widths follow from the layouts in the types. Shared
    tiles are placed in one dynamic shared allocation; tiles that are never in use at once
    share bytes. The description of the entry for the host is left on the function as
    `gemm.entry`. The module gets its NVVM target, with the lowest PTX version that has
    everything its kernels use.

    `nvvm` rather than `nvgpu` ops, for the reasons in docs/Rationale.md.

    ```mlir
    %f = gemm.read_frag %s[%c0, %kk] : !gemm.shared<...> -> !gemm.frag<...>
    ```

    becomes

    ```mlir
    %r = nvvm.ldmatrix %address {layout = #nvvm.mma_layout<row>, num = 4 : i32} : ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
}

def ConvertLinalgToGemmPass : InterfacePass<"convert-linalg-to-gemm",
                                            "::mlir::FunctionOpInterface"> {
  let summary = "Recognise matrix products among linalg ops, whatever their form";
  let description = [{
    A linalg op becomes a `gemm.matmul` when it is a contraction with one k dimension
    and at least one m and one n dimension: `linalg.matmul` and `linalg.batch_matmul`
    with any `indexing_maps`, `linalg.contract`, or a `linalg.generic` whose body is
    acc + a·b. It may be on tensors or memrefs. Of several m or n dimensions the
    contiguous one is m or n, the others are batches that the other matrix does not
    use.

    ```mlir
    %zero = linalg.fill ins(%c0 : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>)
                       outs(%zero : tensor<?x?xf32>) -> tensor<?x?xf32>
    ```

    becomes

    ```mlir
    %0 = gemm.matmul ins(%a[m, k], %b[k, n] : tensor<?x?xf16>, tensor<?x?xf16>)
                     outs(%empty[m, n] : tensor<?x?xf32>) accumulate(f32) -> tensor<?x?xf32>
    ```

    - The accumulator has the type of the linalg op's result. The body may extend
      elements to it (`arith.extf`, `arith.extsi`) before it multiplies; a body that
      rounds in between, or multiplies first and extends then, is another function
      and is left alone.
    - An initial value that is a `linalg.fill` of zero or a zero constant is not read.
      Any other is an epilogue operand, added to the product, and the result is
      written in its place. On memrefs the fill must be the last access before the
      product; it is removed with it.
    - A `linalg.transpose`, `linalg.broadcast` or `linalg.generic` that only moves the
      elements of A or B and has no other use becomes part of the operand's index
      list. The order of dimensions changes, never a value.

    Left alone: convolutions, matrix-vector products, other semirings (min, max, and,
    or), unsigned and complex elements, several k dimensions or batch dimensions,
    operands contiguous along a batch dimension or of which the type does not say what
    is contiguous, and everything that is no contraction. A remark says why a
    contraction is.
  }];
  let dependentDialects = ["::gemm::GemmDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseEpiloguePass : InterfacePass<"gemm-fuse-epilogue",
                                     "::mlir::FunctionOpInterface"> {
  let summary = "Move what is done to each element of a product into its epilogue";
  let description = [{
    A linalg op that is the only user of a `gemm.matmul`'s result, on tensors, and
    elementwise (parallel loops, a body of scalar ops) moves into the epilogue region;
    repeated until nothing changes. Bias by row or column, residual, scale, activation,
    conversion and transposition of the result are all the same to this pass: what the
    op reads becomes an epilogue operand by its index list, a scalar it captures
    becomes a scalar operand, a constant a constant, a `linalg.fill` its value.

    ```mlir
    %0 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<?x?xf16>, tensor<?x?xf16>)
                     outs(%e0[m, n] : tensor<?x?xf32>) accumulate(f32) -> tensor<?x?xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                                          affine_map<(i, j) -> (j)>,
                                          affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%0, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e1 : tensor<?x?xf16>) {
      ^bb0(%x: f32, %y: f32, %out: f16):
        %2 = arith.addf %x, %y : f32
        %3 = arith.truncf %2 : f32 to f16
        linalg.yield %3 : f16
    } -> tensor<?x?xf16>
    ```

    becomes

    ```mlir
    %1 = gemm.matmul ins(%a[m, k], %b[n, k] : tensor<?x?xf16>, tensor<?x?xf16>)
                     epilogue(%bias[n] : tensor<?xf32>)
                     outs(%e1[m, n] : tensor<?x?xf16>) accumulate(f32) {
      ^bb0(%acc: f32, %y: f32):
        %2 = arith.addf %acc, %y : f32
        %3 = arith.truncf %2 : f32 to f16
        gemm.yield %3 : f16
    } -> tensor<?x?xf16>
    ```

    No operation is added, dropped or reordered, so results do not change by a bit.
    The schedule, if there is one already, is kept.

    Left alone: a product with another user, or used in two different orders;
    reductions; gathers and ops that use loop indices; operands indexed by anything
    else than loops (or 0, where the extent is 1); ops in another block; what kernels do
    not compute, as `math.exp` or elements of f8. A tensor of one element is read before
    the product and passed as a scalar.
  }];
  let dependentDialects = ["::gemm::GemmDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // GEMM_CONVERSION_PASSES_TD
