// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: gemm-opt %s --split-input-file --verify-diagnostics
//
// The description of a problem (docs/Artifact.md): one case per message.

// expected-error @+1 {{gemm.problem is a dictionary on a gpu.module}}
gpu.module @kernels attributes {gemm.problem = 1} {
}

// -----

// expected-error @+1 {{gemm.problem is a dictionary on a gpu.module}}
func.func private @f() attributes {gemm.problem = {}}

// -----

// expected-error @+1 {{gemm.problem: the problem's field 'accumulator' is missing: the name of a type}}
gpu.module @kernels attributes {gemm.problem = {batched = false, epilogue = [], operands = [], scalars = [], static = {}}} {
}

// -----

// expected-error @+1 {{gemm.problem: the problem's field 'static' must be a dictionary of integers}}
gpu.module @kernels attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], operands = [], scalars = [], static = {m = "four"}}} {
}

// -----

// expected-error @+1 {{gemm.problem: the problem's field 'beta' is unknown; docs/Artifact.md has them all}}
gpu.module @kernels attributes {gemm.problem = {accumulator = "f32", batched = false, beta = 0, epilogue = [], operands = [], scalars = [], static = {}}} {
}

// -----

// expected-error @+1 {{gemm.problem: operand 1's field 'type' is missing: the name of a type}}
gpu.module @kernels attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [],
                                                operands = [{batched = false, dims = ["m", "k"], name = "A", order = "row", role = "a", type = "f16"},
                                                            {batched = false, dims = ["n", "k"], name = "B", order = "row", role = "b"}],
                                                scalars = [], static = {}}} {
}

// -----

// expected-error @+1 {{gemm.problem: scalar 0's field 'name' must be a string}}
gpu.module @kernels attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [], operands = [],
                                                scalars = [{name = 1, type = "f32"}], static = {}}} {
}

// -----

// expected-error @+1 {{gemm.problem: operation 0's field 'args' must be a list of integers}}
gpu.module @kernels attributes {gemm.problem = {accumulator = "f32", batched = false, epilogue = [{args = 0, op = "yield"}], operands = [],
                                                scalars = [], static = {}}} {
}
