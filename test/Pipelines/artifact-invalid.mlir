// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-translate %s --gemm-to-artifact --split-input-file --verify-diagnostics

// expected-error @+1 {{has no kernels: nothing in it was a GEMM, or it has not been lowered by gemm-lower-to-nvvm-pipeline}}
module {
  func.func @f() {
    return
  }
}

// -----

module {
  // expected-error @+1 {{'gpu.module' op has no NVVM target; lower it with gemm-lower-to-nvvm-pipeline}}
  gpu.module @kernels attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], operands = [], scalars = [], static = {}}} {
  }
}

// -----

module {
  gpu.module @first attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], operands = [], scalars = [], static = {}}} {
  }
  // expected-error @+1 {{'gpu.module' op is the second family of kernels of its module; an artifact holds one: split the module}}
  gpu.module @second attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], operands = [], scalars = [], static = {}}} {
  }
}
