// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax of rows, a warp a row, f16 in and out: shuffles, conversions,
// exponentials, loops of different lengths, and a count of large entries by
// atomics.
#include <cuda_fp16.h>
extern "C" __global__ void softmax(const half *in, half *out, int *large, int columns) {
  int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  in += row * columns;
  out += row * columns;
  float most = -INFINITY, sum = 0;
  for (int c = lane; c < columns; c += 32)
    most = fmaxf(most, __half2float(in[c]));
  for (int d = 16; d; d /= 2)
    most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  for (int c = lane; c < columns; c += 32)
    sum += __expf(__half2float(in[c]) - most);
  for (int d = 16; d; d /= 2)
    sum += __shfl_xor_sync(~0u, sum, d);
  int count = 0;
  for (int c = lane; c < columns; c += 32) {
    float p = __expf(__half2float(in[c]) - most) / sum;
    if (p > 2.f / columns)
      ++count;
    out[c] = __float2half(p);
  }
  if (count)
    atomicAdd(large, count);
}
