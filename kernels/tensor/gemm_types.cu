// Products of other types by mma.sync: A M x K, B N x K (rows along K), C M x N. 4 stages are 64 KB of shared memory.
// Grid (N / 128, M / 128) rounded up, 256 threads. N is even; K is a multiple of 16 bytes.
#include "gemm.h"

// Singles, rounded to tf32 in registers: m16n8k8.
KERNEL void __launch_bounds__(GEMM_THREADS, 2)
    tf32_gemm(const float *a, const float *b, float *c, int m, int n, int k)
{
    gemm_tile<mma_tf32, 4, false, 4>(a, b, c, m, n, k);
}

// Singles as they come: the tensor core drops what tf32 has no bits for.
KERNEL void __launch_bounds__(GEMM_THREADS, 2)
    tf32_gemm_raw(const float *a, const float *b, float *c, int m, int n, int k)
{
    gemm_tile<mma_tf32_raw, 4, false, 4>(a, b, c, m, n, k);
}

// Signed bytes to 32-bit integers: m16n8k32.
KERNEL void __launch_bounds__(GEMM_THREADS, 2)
    int8_gemm(const signed char *a, const signed char *b, int *c, int m, int n, int k)
{
    gemm_tile<mma_s8, 1, false, 4>(a, b, c, m, n, k);
}
