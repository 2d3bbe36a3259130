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
