// Product of singles by FFMA with asynchronous copies, the reference without tensor cores: A M x K, B K x N, C M x N, in rows.
// Grid (N / 128, M / 128) rounded up, 256 threads of 8x8 elements of C: two groups of 4 rows and two of 4 columns, 64 apart.
// Depth 8, 3 stages, 25 KB of shared memory. A is transposed on its way by copies of 4 bytes. N is a multiple of 4.
#include "tensor.h"

#define SGEMM_TILE     128
#define SGEMM_DEPTH    8
#define SGEMM_STAGES   3
#define SGEMM_A_STRIDE (SGEMM_TILE + 4) // singles
#define SGEMM_THREADS  256

struct sgemm_stage {
    float a[SGEMM_DEPTH][SGEMM_A_STRIDE], b[SGEMM_DEPTH][SGEMM_TILE];
};

// Starts the copies of the depth from `depth` of a tile.
INLINE void sgemm_copy(sgemm_stage *to, const float *a, const float *b, int m, int n, int k, int row,
                       int column, int depth)
{
#pragma unroll
    for (int i = 0; i < SGEMM_TILE; i += SGEMM_THREADS / SGEMM_DEPTH) {
        int r = i + threadIdx.x / SGEMM_DEPTH, x = threadIdx.x % SGEMM_DEPTH;
        bool inside = row + r < m && depth + x < k;
        copy_4(shared_offset(&to->a[x][r]), a + (size_t)(row + r) * k + depth + x, inside);
    }
    int r = threadIdx.x / 32, x = threadIdx.x % 32 * 4;
    bool inside = depth + r < k && column + x < n;
    copy_16(shared_offset(&to->b[r][x]), b + (size_t)(depth + r) * n + column + x, inside);
}

KERNEL void __launch_bounds__(SGEMM_THREADS, 2)
    sgemm_ffma(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(128) sgemm_stage stage[SGEMM_STAGES];
    int row = blockIdx.y * SGEMM_TILE, column = blockIdx.x * SGEMM_TILE,
        steps = (k + SGEMM_DEPTH - 1) / SGEMM_DEPTH;
    int mine = threadIdx.x / 16 * 4, across = threadIdx.x % 16 * 4;
    float acc[8][8] = {};
    for (int t = 0; t < SGEMM_STAGES - 1; t++) {
        if (t < steps) sgemm_copy(&stage[t], a, b, m, n, k, row, column, t * SGEMM_DEPTH);
        copy_commit();
    }
    for (int t = 0; t < steps; t++) {
        copy_wait<SGEMM_STAGES - 2>();
        __syncthreads();
        int next = t + SGEMM_STAGES - 1;
        if (next < steps)
            sgemm_copy(&stage[next % SGEMM_STAGES], a, b, m, n, k, row, column, next * SGEMM_DEPTH);
        copy_commit();
        const sgemm_stage *now = &stage[t % SGEMM_STAGES];
#pragma unroll
        for (int d = 0; d < SGEMM_DEPTH; d++) {
            float x[8], y[8];
            *(float4 *)x = *(const float4 *)&now->a[d][mine];
            *(float4 *)(x + 4) = *(const float4 *)&now->a[d][mine + 64];
            *(float4 *)y = *(const float4 *)&now->b[d][across];
            *(float4 *)(y + 4) = *(const float4 *)&now->b[d][across + 64];
#pragma unroll
            for (int i = 0; i < 64; i++) acc[i / 8][i % 8] += x[i / 8] * y[i % 8];
        }
    }
#pragma unroll
    for (int i = 0; i < 16; i++) {
        int r = row + mine + i / 2 % 4 + i / 8 * 64, x = column + across + i % 2 * 64;
        const float *v = &acc[i / 2][i % 2 * 4];
        if (r < m && x < n) *(float4 *)(c + (size_t)r * n + x) = make_float4(v[0], v[1], v[2], v[3]);
    }
}
