#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the .ptx files beside the .cu files again (CUDA 13.0's nvcc).
set -e
cd "$(dirname "$0")"
nvcc -ptx -arch=sm_80 -O3 simt.cu -o simt.ptx
nvcc -ptx -arch=sm_80 -O3 wmma.cu -o wmma.ptx
nvcc -ptx -arch=sm_80 -O3 mma_sync.cu -o mma_sync.ptx
nvcc -ptx -arch=sm_90a -O3 wgmma.cu -o wgmma.ptx
