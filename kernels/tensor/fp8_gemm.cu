// Product of e4m3 matrices by mma.sync m16n8k32, sums in singles, C in halves: A M x K, B N x K (rows along K), C M x N.
// The instruction needs sm_89. Grid (N / 128, M / 128) rounded up, 256 threads, 64 KB of shared memory. N is even; K is a
// multiple of 16.
#include "gemm.h"

KERNEL void __launch_bounds__(GEMM_THREADS, 2)
    fp8_gemm(const e4m3 *a, const e4m3 *b, f16 *c, int m, int n, int k)
{
    gemm_tile<mma_e4m3, 1, false, 4>(a, b, c, m, n, k);
}
