// Products of 16-bit matrices by mma.sync m16n8k16: A M x K, B K x N, C M x N, in rows. 4 stages are 64 KB of shared memory.
// Grid (N / 128, M / 128) rounded up, 256 threads but for `hgemm_mma_wide`. N and K are multiples of 8.
#include "gemm.h"

// Halves, sums in singles.
KERNEL void __launch_bounds__(GEMM_THREADS, 2)
    hgemm_mma(const f16 *a, const f16 *b, f16 *c, int m, int n, int k)
{
    gemm_tile<mma_f16, 2, true, 4>(a, b, c, m, n, k);
}

// As hgemm_mma with 3 stages: 48 KB of shared memory, the most without asking for more.
KERNEL void __launch_bounds__(GEMM_THREADS, 2)
    hgemm_mma_3(const f16 *a, const f16 *b, f16 *c, int m, int n, int k)
{
    gemm_tile<mma_f16, 2, true, 3>(a, b, c, m, n, k);
}

// As hgemm_mma with 4 warps of 64x64: half as many fragments of B from shared memory. 128 threads.
KERNEL void __launch_bounds__(GEMM_THREADS / 2, 2)
    hgemm_mma_wide(const f16 *a, const f16 *b, f16 *c, int m, int n, int k)
{
    gemm_tile<mma_f16, 2, true, 4, 2>(a, b, c, m, n, k);
}

// Halves, sums in halves.
KERNEL void __launch_bounds__(GEMM_THREADS, 2)
    hgemm_mma_f16(const f16 *a, const f16 *b, f16 *c, int m, int n, int k)
{
    gemm_tile<mma_f16_f16, 2, true, 4>(a, b, c, m, n, k);
}

// bf16, sums in singles.
KERNEL void __launch_bounds__(GEMM_THREADS, 2)
    bgemm_mma(const bf16 *a, const bf16 *b, bf16 *c, int m, int n, int k)
{
    gemm_tile<mma_bf16, 2, true, 4>(a, b, c, m, n, k);
}
