//===- Passes.td - Transformations of the gemm dialect -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries are alphabetical.
//
//===----------------------------------------------------------------------===//

#ifndef GEMM_TRANSFORMS_PASSES_TD
#define GEMM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PipelineLoads : Pass<"gemm-pipeline-loads", "::gemm::KernelOp"> {
  let summary = "Overlap copies with computation: stages, rings, double-buffered fragments";
  let description = [{
    Reads the `pipeline` part of the schedule. Turns the K loop of a placed kernel,
    in which every step copies, waits and multiplies, into one in which the copies run
    `stages - 1` tiles ahead:

    - shared tiles get `stages` slots;
    - `cp_async` copies are counted in groups, `tma` copies arrive on a ring of
      mbarriers, `registers` copies are finished by the barrier;
    - with `fragments = 2` the fragments of the next k-step are read before this
      step's multiplications, across the tile boundary too;
    - with `in_flight = 1` one group of asynchronous mma stays running at the end of a
      tile, and a slot is refilled only after the group that read it has finished.

    Copies past the last tile have size zero (`cp_async`), or are not issued (`tma`,
    `registers`), so that a K shorter than the pipeline needs no special case.

    ```mlir
    %r = scf.for %k0 = %kb to %ke step %c64 iter_args(%acc = %zero) -> (!acc) : i32 {
      %ta = gemm.copy_start %A[%m0, %k0] within [%m, %k] to %sa <cp_async 16> : ...
      %tb = gemm.copy_start %B[%n0, %k0] within [%n, %k] to %sb <cp_async 16> : ...
      gemm.copy_finish %ta, %tb
      gemm.barrier
      %s = scf.for %kk = %c0 to %c64 step %c16 iter_args(%x = %acc) -> (!acc) : i32 {
        %fa = gemm.read_frag %sa[%c0, %kk] : ...
        %fb = gemm.read_frag %sb[%c0, %kk] : ...
        %y = gemm.mma %fa, %fb, %x by <mma_sync 16x8x16, warps = 2x4> : ...
        scf.yield %y : !acc
      }
      gemm.barrier
      scf.yield %s : !acc
    }
    ```

    becomes (stages = 3, fragments = 1)

    ```mlir
    scf.for %s = %c0 to %c2 step %c1 : i32 { // prologue: tiles 0 and 1
      gemm.copy_start ... to slot %s
      gemm.copy_commit
    }
    %r:3 = scf.for %k0 = ... iter_args(%acc, %read, %write) {
      gemm.copy_wait 1
      gemm.barrier
      gemm.copy_start %A[%m0, %k0 + 128] ... to slot %write
      gemm.copy_commit
      scf.for ... // k-steps on slot %read
      scf.yield ...
    }
    gemm.copy_wait 0
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PromoteOperands : Pass<"gemm-promote-operands", "::gemm::KernelOp"> {
  let summary = "Give every tile of a kernel a home, and every move between homes an op";
  let description = [{
    Reads the `mma`, `copy` and `epilogue` parts of the schedule, and asks the target
    for the instruction's fragments. Accumulators become `!gemm.frag`; loaded tiles
    become `!gemm.shared` tiles filled by `gemm.copy_start`; operands that the
    instruction reads from registers are read k-step by k-step with `gemm.read_frag`.
    An operand that is copied by TMA becomes a tensor map argument. The epilogue's
    result is stored from registers, or staged through shared memory and read back in
    whole lines, a few rows at a time. Copies, barriers and multiplications are still in order, one after
    the other. Sets the kernel's `block`.

    ```mlir
    %a = gemm.load_tile %A[%m0, %k0] within [%m, %k] : ... -> !gemm.tile<128x64xf16>
    %b = gemm.load_tile %B[%n0, %k0] within [%n, %k] : ... -> !gemm.tile<256x64xf16>
    %r = gemm.mma %a, %b, %acc : ...
    ```

    becomes

    ```mlir
    %ta = gemm.copy_start %A[%m0, %k0] within [%m, %k] to %sa <cp_async 16> : ...
    %tb = gemm.copy_start %B[%n0, %k0] within [%n, %k] to %sb <cp_async 16> : ...
    gemm.copy_finish %ta, %tb
    gemm.barrier
    %r = scf.for %kk = %c0 to %c64 step %c16 iter_args(%x = %acc) -> (!gemm.frag<...>) : i32 {
      %fa = gemm.read_frag %sa[%c0, %kk] : ...
      %fb = gemm.read_frag %sb[%c0, %kk] : ...
      %y = gemm.mma %fa, %fb, %x by <mma_sync 16x8x16, warps = 2x4> : ...
      scf.yield %y : !gemm.frag<...>
    }
    gemm.barrier
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SelectSchedulePass : Pass<"gemm-select-schedule"> {
  let summary = "Give each GEMM its family of schedules";
  let description = [{
    A `gemm.matmul` that has no `family` gets one: a list of entries, each a guard and a
    schedule, of which the first whose guard holds at run time runs. A family that is
    already there is kept, if the target can run its schedules and its guards ask for what
    they need; so is the op's own `target`, which wins over the option.

    `schedule` is one of

    | name | what it is |
    |---|---|
    | `smem` | one thread per element, operands through shared memory |
    | `mma-sync` | `mma.sync` on swizzled tiles, multistage `cp.async` |
    | `wgmma` | `wgmma.mma_async` on tiles that TMA brings |

    or a `#gemm.schedule<...>` written out, or empty: the last of the table that the
    target and the types allow. A named schedule becomes a few entries. The first copies
    and stores 16 bytes at a time, under the guard that this needs; the last runs on any
    operand. Where copies are asynchronous there are two between them, unless the types say
    that they would not run: 16-byte copies and stores of single elements, for a result
    whose lines have any length, and 4-byte copies, for operands whose lines are an even
    number of 16-bit elements. Tile and number of stages are the largest that fit the
    target, and are smaller for extents that are known to be small. A schedule written out
    becomes the only entry.

    Guards follow from the schedule: an access of B bytes needs an address that is a
    multiple of B and lines that are B bytes times a whole number apart; a copy through
    registers also needs whole runs. Strides and extents that the types fix are decided
    here: a condition that always holds is left out, an entry whose guard never holds is
    dropped (the first with a remark), and a schedule written out whose guard never holds
    is an error.

    ```mlir
    gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf32>, memref<?x64xf32>)
                outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
    ```

    becomes, with `target=sm_80` (`f32` has no tensor core instruction)

    ```mlir
    gemm.matmul ins(%a[m, k], %b[n, k] : memref<?x?xf32>, memref<?x64xf32>)
                outs(%d[m, n] : memref<?x?xf32>) accumulate(f32)
                attributes {target = #gemm.target<"sm_80">, family = [
      #gemm.entry<when <[align(A) 16, pitch(A) 4, align(B) 16]>
        run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>,
             copy = [<registers 16>, <registers 16>], epilogue = <registers 4>>>,
      #gemm.entry<when <>
        run <tile = 32x32x32, mma = <fma 1x1x1, warps = 32x1, lanes = 1x32, thread = 1x1>,
             copy = [<registers 4>, <registers 4>], epilogue = <registers 4>>>]}
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "Architecture, as #gemm.target names it (empty: the table's default)">,
    Option<"schedule", "schedule", "std::string", /*default=*/"\"\"",
           "Name of a schedule, or the text of a #gemm.schedule (empty: choose)">];
  let dependentDialects = ["::gemm::GemmDialect"];
}

def SwizzleShared : Pass<"gemm-swizzle-shared", "::gemm::KernelOp"> {
  let summary = "Lay out every shared tile: plain, padded, XOR or hardware panels";
  let description = [{
    Reads the `bank` part of the schedule for the operands' tiles. A tile that stages
    the epilogue is XOR-swizzled where its lines allow it and padded by 16 bytes where
    they do not.

    ```mlir
    %s = gemm.alloc_shared "a" : !gemm.shared<128x64xf16, row>
    ```

    becomes, with `bank = [<xor>, ...]`,

    ```mlir
    %s = gemm.alloc_shared "a"
        : !gemm.shared<128x64xf16, row, <panel = 64, pitch = 128, xor_bits = 3>>
    ```
  }];
}

def TileToGrid : Pass<"gemm-tile-to-grid", "::mlir::ModuleOp"> {
  let summary = "Turn each scheduled GEMM into a launch and one tiled kernel per family entry";
  let description = [{
    Reads the `tile` and `work` parts of each schedule. The `gemm.matmul` (on memrefs)
    becomes a `gemm.launch` of a new `gpu.module` that holds one `gemm.kernel` per entry
    of the family, and a description of the problem for the host. The kernel loops over
    work items and, inside, over K tiles that have no home yet. A result that is
    contiguous along m is computed as the transposed problem, so that kernels write
    rows only. The launch has buffers with the batch first and the contiguous dimension
    last: a `memref.transpose`, which moves nothing, where the problem's are otherwise.

    ```mlir
    gemm.matmul ins(%a[m, k], %b[n, k] : ...) outs(%d[m, n] : ...) accumulate(f32)
        attributes {family = [#gemm.entry<when <> run <tile = 128x256x64, ...>>], ...}
    ```

    becomes

    ```mlir
    gemm.launch @matmul(%a, %b, %d : ...)

    gpu.module @matmul {
      gemm.kernel @matmul_0(%A: !gemm.view<?x?xf16> {gemm.role = ...}, ...) {
        gemm.for_work (%b, %m0, %n0, %kb, %ke) over [%c1, %m, %n, %k] tile [128, 256] <tiles> {
          %zero = gemm.zero : !gemm.tile<128x256xf32>
          %acc = scf.for %k0 = %kb to %ke step %c64 iter_args(%x = %zero) -> ... : i32 {
            %ta = gemm.load_tile %A[%m0, %k0] within [%m, %k] : ...
            %tb = gemm.load_tile %B[%n0, %k0] within [%n, %k] : ...
            %y = gemm.mma %ta, %tb, %x : ...
            scf.yield %y : !gemm.tile<128x256xf32>
          }
          %d = gemm.map %acc at [%m0, %n0] within [%m, %n] : ... { ... }
          gemm.store_tile %d, %D[%m0, %n0] within [%m, %n] : ...
        }
        gemm.return
      }
    }
    ```
  }];
  let dependentDialects = ["::gemm::GemmDialect", "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // GEMM_TRANSFORMS_PASSES_TD
