// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WMMA GEMM through shared memory: D[M,N] = A[M,K] * B[K,N], f16 in, f32 out;
// one warp a 16x16 tile, four warps a CTA along N. M, N, K multiples of 16, 64, 16.
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void wmma16(const half *a, const half *b, float *d, int m, int n, int k) {
  __shared__ alignas(32) half sa[16 * 24], sb[16 * 72];
  int warp = threadIdx.x / 32, row = blockIdx.y * 16, col = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.f);
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = threadIdx.x; i < 256; i += 128)
      sa[i / 16 * 24 + i % 16] = a[(row + i / 16) * k + k0 + i % 16];
    for (int i = threadIdx.x; i < 1024; i += 128)
      sb[i / 64 * 72 + i % 64] = b[(k0 + i / 64) * n + col + i % 64];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, sa, 24);
    wmma::load_matrix_sync(fb, sb + warp * 16, 72);
    wmma::mma_sync(acc, fa, fb, acc);
    __syncthreads();
  }
  wmma::store_matrix_sync(d + row * n + col + warp * 16, acc, n, wmma::mem_row_major);
}
