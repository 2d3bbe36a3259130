// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work without floating point: integer hashing along a chain of links, and a
// transposition through shared memory.
extern "C" __global__ void walk(const unsigned *links, unsigned mask, int steps, unsigned long long *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, at = t & mask;
  unsigned long long h = t;
  for (int s = 0; s < steps; ++s) {
    at = links[at];
    h = (h ^ at) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 29;
    if (h & 16)
      at = (at + (unsigned)(h >> 40)) & mask;
  }
  out[t] = h;
}

extern "C" __global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
