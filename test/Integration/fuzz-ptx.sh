#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Changes the text of our kernels and of the emulator's test kernels at random; the emulator
# must survive all of it.
#
#   fuzz-ptx.sh GEMM_RUN PTX_FUZZ KERNELS [FLAG OF PTX_FUZZ...]
#   fuzz-ptx.sh build/bin/gemm-run build/bin/ptx-fuzz runtime/emulator/test/kernels --seconds=600 --seed=7
set -eu
run=$1 fuzz=$2 kernels=$3
shift 3
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
work='work = <tiles, raster = 1>'
panels='bank = [<panel 128>, <panel 128>]'
emit() {
  "$run" --emit=ptx --target=sm_90a --m=128 --n=128 --k=128 --types="$2" --schedule="$3" \
    >"$corpus/$1.ptx"
}
emit smem f32,f32,f32,f32 smem
emit mma f16,f16,f32,f16 "#gemm.schedule<tile = 32x32x32, mma = <mma_sync 16x8x16, warps = 2x2>, \
copy = [<cp_async 16>, <cp_async 16>], bank = [<xor>, <xor>], \
pipeline = <stages = 2, fragments = 2>, epilogue = <staged 16>, $work>"
emit wgmma bf16,bf16,f32,bf16 "#gemm.schedule<tile = 64x64x64, mma = <wgmma 64x64x16, warps = 4x1>, \
copy = [<tma>, <tma>], $panels, pipeline = <stages = 3, in_flight = 1>, epilogue = <staged 16>, $work>"
emit wgmma-cp-async f16,f16,f32,f16 "#gemm.schedule<tile = 64x64x64, mma = <wgmma 64x64x16, warps = 4x1>, \
copy = [<cp_async 16>, <cp_async 16>], $panels, pipeline = <stages = 2>, epilogue = <registers 4>, $work>"
"$fuzz" "$corpus" "$kernels" "$@"
