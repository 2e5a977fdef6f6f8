// Products of halves with the depth split over blocks, for small C and long K. A M x K, B K x N, in rows.
// Grid (N / 128, M / 128, slices), 256 threads, 64 KB of shared memory. N and K are multiples of 8.
#include "gemm.h"

// First and end stage of a block's slice of the depth.
INLINE void splitk_range(int k, int &first, int &end)
{
    int stages = (k + 31) / 32, share = (stages + gridDim.z - 1) / gridDim.z;
    first = blockIdx.z * share;
    end = min(stages, first + share);
}

// Adds a slice to C, in singles, by atomics. C starts as zeros.
KERNEL void __launch_bounds__(GEMM_THREADS, 2)
    hgemm_splitk_atomic(const f16 *a, const f16 *b, float *c, int m, int n, int k)
{
    gemm_shape shape = {m, n, k};
    mma_f16::accumulator acc[4][4] = {};
    int row, column, first, end;
    gemm_place(row, column);
    splitk_range(k, first, end);
    gemm_loop<mma_f16, 2, true, 4, 4>(acc, a, b, shape, row, column, first, end);
    gemm_results<mma_f16, 4>(acc, shape, row, column,
                             [&](int r, int col, const mma_f16::accumulator &d, int i) {
                                 atomicAdd(c + (size_t)r * n + col, d[2 * i]);
                                 atomicAdd(c + (size_t)r * n + col + 1, d[2 * i + 1]);
                             });
}

// Writes a slice's sums, in singles, to matrix blockIdx.z of `partial`.
KERNEL void __launch_bounds__(GEMM_THREADS, 2)
    hgemm_splitk_partial(const f16 *a, const f16 *b, float *partial, int m, int n, int k)
{
    gemm_shape shape = {m, n, k};
    mma_f16::accumulator acc[4][4] = {};
    int row, column, first, end;
    gemm_place(row, column);
    splitk_range(k, first, end);
    gemm_loop<mma_f16, 2, true, 4, 4>(acc, a, b, shape, row, column, first, end);
    float *slice = partial + (size_t)blockIdx.z * m * n;
    gemm_results<mma_f16, 4>(
        acc, shape, row, column, [&](int r, int col, const mma_f16::accumulator &d, int i) {
            *(float2 *)(slice + (size_t)r * n + col) = make_float2(d[2 * i], d[2 * i + 1]);
        });
}

// C in halves: sums of `slices` matrices of `elements` singles, four a thread. `elements` is a multiple of 4.
KERNEL void splitk_reduce(const float *partial, f16 *c, int elements, int slices)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= elements) return;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int s = 0; s < slices; s++) {
        float4 x = *(const float4 *)(partial + (size_t)s * elements + i);
        sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
    }
    *(uint2 *)(c + i) = make_uint2(f16_pair(sum.x, sum.y), f16_pair(sum.z, sum.w));
}
