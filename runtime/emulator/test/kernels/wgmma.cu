// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma + TMA + mbarrier ring: D[M,N] = A[M,K] * B[N,K]^T, bf16 in, f32 out.
// One producer warp and one consumer warpgroup, tile 64x64x64, three stages.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cstdint>
__device__ uint32_t sharedAddress(const void *p) { return uint32_t(__cvta_generic_to_shared(p)); }
__device__ void wait(uint32_t barrier, uint32_t parity) {
  asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra.uni DONE;\nbra.uni AGAIN;\nDONE:\n}"
               ::"r"(barrier), "r"(parity) : "memory");
}
__device__ uint64_t descriptor(uint32_t address) {
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(64) << 32 | uint64_t(1) << 16 | uint64_t(1) << 62;
}
extern "C" __global__ void __launch_bounds__(160)
wgmmaTma(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, float *d, int m, int n, int k) {
  extern __shared__ __align__(1024) uint8_t smem[];
  __shared__ alignas(8) uint64_t full[3], empty[3];
  int t = threadIdx.x, warp = t / 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, steps = (k + 63) / 64;
  uint32_t base = sharedAddress(smem), f = sharedAddress(full), e = sharedAddress(empty);
  if (t == 0) {
    for (int s = 0; s < 3; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(f + 8 * s));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(e + 8 * s));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (warp == 4) {
    if (t % 32 == 0)
      for (int i = 0; i < steps; ++i) {
        int s = i % 3;
        wait(e + 8 * s, (i / 3 + 1) & 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16384;" ::"r"(f + 8 * s) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     ::"r"(base + s * 16384), "l"(&ma), "r"(i * 64), "r"(row0), "r"(f + 8 * s) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     ::"r"(base + s * 16384 + 8192), "l"(&mb), "r"(i * 64), "r"(col0), "r"(f + 8 * s) : "memory");
      }
    return;
  }
  float acc[32] = {};
  for (int i = 0; i < steps; ++i) {
    int s = i % 3;
    wait(f + 8 * s, (i / 3) & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int kk = 0; kk < 4; ++kk) {
      uint64_t da = descriptor(base + s * 16384 + kk * 32), db = descriptor(base + s * 16384 + 8192 + kk * 32);
      asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                   "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
                   "%32, %33, 1, 1, 1, 0, 0;"
                   : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]), "+f"(acc[4]), "+f"(acc[5]), "+f"(acc[6]), "+f"(acc[7]),
                     "+f"(acc[8]), "+f"(acc[9]), "+f"(acc[10]), "+f"(acc[11]), "+f"(acc[12]), "+f"(acc[13]), "+f"(acc[14]), "+f"(acc[15]),
                     "+f"(acc[16]), "+f"(acc[17]), "+f"(acc[18]), "+f"(acc[19]), "+f"(acc[20]), "+f"(acc[21]), "+f"(acc[22]), "+f"(acc[23]),
                     "+f"(acc[24]), "+f"(acc[25]), "+f"(acc[26]), "+f"(acc[27]), "+f"(acc[28]), "+f"(acc[29]), "+f"(acc[30]), "+f"(acc[31])
                   : "l"(da), "l"(db));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (t == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(e + 8 * s) : "memory");
  }
  for (int j = 0; j < 32; ++j) {
    int r = row0 + warp * 16 + t % 32 / 4 + j / 2 % 2 * 8, c = col0 + j / 4 * 8 + t % 4 * 2 + j % 2;
    if (r < m && c < n)
      d[r * n + c] = acc[j];
  }
}
