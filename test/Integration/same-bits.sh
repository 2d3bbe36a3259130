#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Digests of the results of all schedules on one device. Two devices agree to the bit when
# the outputs of this script are the same:
#
#   same-bits.sh GEMM_RUN emulator:sm_90a SEED > emulator.txt
#   same-bits.sh GEMM_RUN cuda:0 SEED > gpu.txt       # elsewhere
#   diff emulator.txt gpu.txt
set -eu
run=$1 device=$2 seed=$3
for case in smem:f32,f32,f32,f32 smem:f16,f16,f32,f16 mma-sync:f16,f16,f32,f16 \
  mma-sync:bf16,bf16,f32,f32 wgmma:bf16,bf16,f32,bf16 wgmma:f16,f16,f32,f32; do
  schedule=${case%%:*} types=${case#*:}
  for size in 64x64x64 128x256x192 65x72x40 129x33x257 200x136x512; do
    IFS=x read -r m n k <<<"$size"
    for layout in tn nn nt tt; do
      digest=$("$run" --device="$device" --target=sm_90a --schedule=$schedule --types=$types \
        --layout=$layout --m="$m" --n="$n" --k="$k" --alpha=0.75 --beta=0.5 --bias=row \
        --activation=relu --seed="$seed" --json |
        sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p')
      echo "$schedule $types $layout $size $digest"
    done
  done
done
