#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the benchmark's .ptx files again: nvcc of CUDA 13.0, and gemm-run, whose
# first entry point is kept.
set -e
cd "$(dirname "$0")"
nvcc -ptx -arch=sm_80 -O3 walk.cu -o walk.ptx
nvcc -ptx -arch=sm_80 -O3 softmax.cu -o softmax.ptx
{
  echo "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
  echo "// The smem schedule in f32, first entry point."
  gemm-run --types=f32,f32,f32,f32 --layout=nn --schedule=smem --emit=ptx |
    sed -n '/^\.version/,$p' | sed '/\.globl	matmul_1/,$d'
} >smem.ptx
