// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma.sync + ldmatrix + cp.async, two stages: D[M,N] = A[M,K] * B[N,K]^T, f16
// in, f32 out. CTA of 4 warps, tile 64x64x32, warp tile 32x32.
#include <cuda_fp16.h>
#include <cstdint>
__device__ uint32_t sharedAddress(const void *p) { return uint32_t(__cvta_generic_to_shared(p)); }
__device__ void copy16(uint32_t to, const void *from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
}
extern "C" __global__ void __launch_bounds__(128) mmaSync(const half *a, const half *b, float *d, int m, int n, int k) {
  __shared__ alignas(128) half sa[2][64 * 40], sb[2][64 * 40];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float acc[2][4][4] = {};
  auto load = [&](int stage, int k0) {
    for (int i = t; i < 256; i += 128) {
      int r = i / 4, c = i % 4 * 8, left = (k - k0 - c) * 2;
      int bytes = left < 0 ? 0 : left > 16 ? 16 : left;
      int ra = min(row0 + r, m - 1), rb = min(col0 + r, n - 1);
      copy16(sharedAddress(&sa[stage][r * 40 + c]), a + ra * k + (bytes ? k0 + c : 0), bytes);
      copy16(sharedAddress(&sb[stage][r * 40 + c]), b + rb * k + (bytes ? k0 + c : 0), bytes);
    }
    asm volatile("cp.async.commit_group;");
  };
  load(0, 0);
  int wm = warp / 2 * 32, wn = warp % 2 * 32;
  for (int k0 = 0, s = 0; k0 < k; k0 += 32, s ^= 1) {
    load(s ^ 1, k0 + 32);
    asm volatile("cp.async.wait_group 1;");
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t fa[2][4], fb[4][2];
      for (int i = 0; i < 2; ++i)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                     : "r"(sharedAddress(&sa[s][(wm + i * 16 + (lane & 15)) * 40 + kk + (lane >> 4) * 8])));
      for (int j = 0; j < 4; ++j)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(fb[j][0]), "=r"(fb[j][1])
                     : "r"(sharedAddress(&sb[s][(wn + j * 8 + (lane & 7)) * 40 + kk + ((lane >> 3) & 1) * 8])));
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                       : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e) {
        int r = row0 + wm + i * 16 + lane / 4 + e / 2 * 8, c = col0 + wn + j * 8 + lane % 4 * 2 + e % 2;
        if (r < m && c < n)
          d[r * n + c] = acc[i][j][e];
      }
}
