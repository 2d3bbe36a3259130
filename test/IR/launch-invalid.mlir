// RUN: gemm-opt %s --split-input-file --verify-diagnostics

func.func @launch(%a: memref<?x?xf16>) {
  // expected-error@below {{no symbol 'missing'}}
  gemm.launch @missing(%a : memref<?x?xf16>)
  return
}

// -----

func.func @launch(%a: memref<?x?xf16>) {
  // expected-error@below {{'launch' is a 'func.func', not a gpu.module}}
  gemm.launch @launch(%a : memref<?x?xf16>)
  return
}

// -----

func.func @launch(%a: memref<?x?xf16>) {
  // expected-error@below {{passes 1 buffers, but kernel 'family_0' reads buffer 1}}
  gemm.launch @family(%a : memref<?x?xf16>)
  return
}
gpu.module @family {
  gemm.kernel @family_0(%B: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 1>}) {
    gemm.return
  }
}

// -----

func.func @launch(%a: memref<?x?xf16>) {
  // expected-error@below {{passes 0 scalars, but kernel 'family_0' reads scalar 0}}
  gemm.launch @family(%a : memref<?x?xf16>)
  return
}
gpu.module @family {
  gemm.kernel @family_0(%alpha: f32 {gemm.role = #gemm.role<scalar 0>}) {
    gemm.return
  }
}

// -----

func.func @launch(%a: memref<?x?xf32>) {
  // expected-error@below {{passes 'f32' as buffer 0, but kernel 'family_0' reads 'f16'}}
  gemm.launch @family(%a : memref<?x?xf32>)
  return
}
gpu.module @family {
  gemm.kernel @family_0(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>}) {
    gemm.return
  }
}

// -----

// A kernel runs only where its accesses are aligned.
func.func @launch(%a: memref<?x?xf16>, %b: memref<?x?xf16>) {
  // expected-error@below {{kernel 'family_0' needs align(A) 16, which its guard does not ask; add it to the guard}}
  gemm.launch @family(%a, %b, %b : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>)
  return
}
gpu.module @family attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], scalars = [], static = {k = 64},
    operands = [{batched = false, dims = ["m", "k"], name = "A", order = "row", role = "a", type = "f16"},
                {batched = false, dims = ["n", "k"], name = "B", order = "row", role = "b", type = "f16"},
                {batched = false, dims = ["m", "n"], name = "D", order = "row", role = "d", type = "f16"}]}} {
  gemm.kernel @family_0(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>}, %i: i32 {gemm.role = #gemm.role<extent "k">})
      attributes {guard = #gemm.guard<[pitch(A) 8]>} {
    %s = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row>
    %t = gemm.copy_start %A[%i, %i] within [%i, %i] to %s <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<64x64xf16, row>
    gemm.return
  }
}

// -----

func.func @launch(%a: memref<?x?xf16>, %b: memref<?x?xf16>) {
  // expected-error@below {{kernel 'family_0' needs pitch(A) 8, which its guard does not ask; add it to the guard}}
  gemm.launch @family(%a, %b, %b : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>)
  return
}
gpu.module @family attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], scalars = [], static = {k = 64},
    operands = [{batched = false, dims = ["m", "k"], name = "A", order = "row", role = "a", type = "f16"},
                {batched = false, dims = ["n", "k"], name = "B", order = "row", role = "b", type = "f16"},
                {batched = false, dims = ["m", "n"], name = "D", order = "row", role = "d", type = "f16"}]}} {
  gemm.kernel @family_0(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>}, %i: i32 {gemm.role = #gemm.role<extent "k">})
      attributes {guard = #gemm.guard<[align(A) 16, pitch(A) 4]>} {
    %s = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row>
    %t = gemm.copy_start %A[%i, %i] within [%i, %i] to %s <cp_async 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<64x64xf16, row>
    gemm.return
  }
}

// -----

func.func @launch(%a: memref<?x?xf16>, %b: memref<?x?xf16>) {
  // expected-error@below {{kernel 'family_0' needs align(A) 16, which its guard does not ask; add it to the guard}}
  gemm.launch @family(%a, %b, %b : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>)
  return
}
gpu.module @family attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], scalars = [], static = {k = 64},
    operands = [{batched = false, dims = ["m", "k"], name = "A", order = "row", role = "a", type = "f16"},
                {batched = false, dims = ["n", "k"], name = "B", order = "row", role = "b", type = "f16"},
                {batched = false, dims = ["m", "n"], name = "D", order = "row", role = "d", type = "f16"}]}} {
  gemm.kernel @family_0(%A: !gemm.tensor_map<?x?xf16, row> {gemm.role = #gemm.role<operand 0>}, %i: i32 {gemm.role = #gemm.role<extent "k">})
      attributes {guard = #gemm.guard<[pitch(A) 8]>} {
    %s = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row>
    %t = gemm.copy_start %A[%i, %i] within [%i, %i] to %s <tma> : !gemm.tensor_map<?x?xf16, row> -> !gemm.shared<64x64xf16, row>
    gemm.return
  }
}

// -----

// Strides and extents that are known need no guard.
func.func @launch(%a: memref<?x64xf16>, %b: memref<?x?xf16>) {
  gemm.launch @family(%a, %b, %b : memref<?x64xf16>, memref<?x?xf16>, memref<?x?xf16>)
  return
}
gpu.module @family attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], scalars = [], static = {k = 64},
    operands = [{batched = false, dims = ["m", "k"], name = "A", order = "row", role = "a", type = "f16"},
                {batched = false, dims = ["n", "k"], name = "B", order = "row", role = "b", type = "f16"},
                {batched = false, dims = ["m", "n"], name = "D", order = "row", role = "d", type = "f16"}]}} {
  gemm.kernel @family_0(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>}, %i: i32 {gemm.role = #gemm.role<extent "k">})
      attributes {guard = #gemm.guard<[align(A) 16]>} {
    %s = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row>
    %t = gemm.copy_start %A[%i, %i] within [%i, %i] to %s <registers 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<64x64xf16, row>
    gemm.return
  }
}

// -----

func.func @launch(%a: memref<?x60xf16>, %b: memref<?x?xf16>) {
  // expected-error@below {{kernel 'family_0' needs pitch(A) 8, which its guard does not ask; add it to the guard}}
  gemm.launch @family(%a, %b, %b : memref<?x60xf16>, memref<?x?xf16>, memref<?x?xf16>)
  return
}
gpu.module @family attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], scalars = [], static = {k = 64},
    operands = [{batched = false, dims = ["m", "k"], name = "A", order = "row", role = "a", type = "f16"},
                {batched = false, dims = ["n", "k"], name = "B", order = "row", role = "b", type = "f16"},
                {batched = false, dims = ["m", "n"], name = "D", order = "row", role = "d", type = "f16"}]}} {
  gemm.kernel @family_0(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>}, %i: i32 {gemm.role = #gemm.role<extent "k">})
      attributes {guard = #gemm.guard<[align(A) 16]>} {
    %s = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row>
    %t = gemm.copy_start %A[%i, %i] within [%i, %i] to %s <registers 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<64x64xf16, row>
    gemm.return
  }
}

// -----

func.func @launch(%a: memref<?x?xf16>, %b: memref<?x?xf16>) {
  // expected-error@below {{kernel 'family_0' needs divisible(k) 8, which its guard does not ask; add it to the guard}}
  gemm.launch @family(%a, %b, %b : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>)
  return
}
gpu.module @family attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], scalars = [], static = {k = 60},
    operands = [{batched = false, dims = ["m", "k"], name = "A", order = "row", role = "a", type = "f16"},
                {batched = false, dims = ["n", "k"], name = "B", order = "row", role = "b", type = "f16"},
                {batched = false, dims = ["m", "n"], name = "D", order = "row", role = "d", type = "f16"}]}} {
  gemm.kernel @family_0(%A: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 0>}, %i: i32 {gemm.role = #gemm.role<extent "k">})
      attributes {guard = #gemm.guard<[align(A) 16, pitch(A) 8]>} {
    %s = gemm.alloc_shared "a" : !gemm.shared<64x64xf16, row>
    %t = gemm.copy_start %A[%i, %i] within [%i, %i] to %s <registers 16> : !gemm.view<?x?xf16, row> -> !gemm.shared<64x64xf16, row>
    gemm.return
  }
}

// -----

func.func @launch(%a: memref<?x?xf16>, %b: memref<?x?xf16>) {
  // expected-error@below {{kernel 'family_0' needs align(D) 16, which its guard does not ask; add it to the guard}}
  gemm.launch @family(%a, %a, %b : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>)
  return
}
gpu.module @family attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], scalars = [], static = {k = 64},
    operands = [{batched = false, dims = ["m", "k"], name = "A", order = "row", role = "a", type = "f16"},
                {batched = false, dims = ["n", "k"], name = "B", order = "row", role = "b", type = "f16"},
                {batched = false, dims = ["m", "n"], name = "D", order = "row", role = "d", type = "f16"}]}} {
  gemm.kernel @family_0(%D: !gemm.view<?x?xf16, row> {gemm.role = #gemm.role<operand 2>}, %i: i32 {gemm.role = #gemm.role<extent "k">}) {
    %t = gemm.zero : !gemm.tile<64x64xf16>
    gemm.store_tile %t, %D[%i, %i] within [%i, %i] {bytes = 16} : !gemm.tile<64x64xf16>, !gemm.view<?x?xf16, row>
    gemm.return
  }
}
