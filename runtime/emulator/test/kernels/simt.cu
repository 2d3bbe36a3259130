// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// naive and shared-memory SIMT GEMM: D[M,N] = A[M,K] * B[K,N], f32.
extern "C" __global__ void naive(const float *a, const float *b, float *d, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n)
    return;
  float s = 0;
  for (int i = 0; i < k; ++i)
    s = fmaf(a[row * k + i], b[i * n + col], s);
  d[row * n + col] = s;
}

extern "C" __global__ void shared16(const float *a, const float *b, float *d, int m, int n, int k) {
  __shared__ float sa[16][17], sb[16][17];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float s = 0;
  for (int k0 = 0; k0 < k; k0 += 16) {
    sa[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.f;
    sb[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0.f;
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      s = fmaf(sa[ty][i], sb[i][tx], s);
    __syncthreads();
  }
  if (row < m && col < n)
    d[row * n + col] = s;
}
