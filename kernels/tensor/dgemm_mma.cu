// Product of doubles by mma.sync m8n8k4: A M x K, B K x N, C M x N, in rows. N and K are even.
// Grid (N / 64, M / 64) rounded up, 128 threads, a warp has 32 x 32 of C: 4 x 4 products of 8 x 8. 3 stages of depth 16 in
// padded rows: 56,832 bytes of shared memory. The 16 lanes of half a warp read 16 different pairs of banks.
#include "tensor.h"

#define DGEMM_TILE     64
#define DGEMM_DEPTH    16
#define DGEMM_STAGES   3
#define DGEMM_A_STRIDE (DGEMM_DEPTH + 4) // doubles
#define DGEMM_B_STRIDE (DGEMM_TILE + 4)
#define DGEMM_THREADS  128
#define DGEMM_STAGE    (DGEMM_TILE * DGEMM_A_STRIDE + DGEMM_DEPTH * DGEMM_B_STRIDE) // doubles

INLINE void dgemm_multiply(double (&d)[2], double a, double b)
{
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(a), "d"(b));
}

// Starts copies of `ROWS` rows of `COLUMNS` doubles to rows of `STRIDE`. Elements outside of the matrix are zeros.
template <int ROWS, int COLUMNS, int STRIDE>
INLINE void dgemm_copy(double *to, const double *matrix, int row, int rows, int column, int columns)
{
#pragma unroll
    for (int part = 0; part < ROWS * COLUMNS / 2; part += DGEMM_THREADS) {
        int i = part + threadIdx.x, r = i / (COLUMNS / 2), x = i % (COLUMNS / 2) * 2;
        bool inside = row + r < rows && column + x < columns;
        copy_16(shared_offset(to + r * STRIDE + x), matrix + (size_t)(row + r) * columns + column + x,
                inside);
    }
}

KERNEL void __launch_bounds__(DGEMM_THREADS)
    dgemm_mma(const double *a, const double *b, double *c, int m, int n, int k)
{
    double *shared = (double *)tensor_shared;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
    int row = blockIdx.y * DGEMM_TILE, column = blockIdx.x * DGEMM_TILE,
        steps = (k + DGEMM_DEPTH - 1) / DGEMM_DEPTH;
    double acc[4][4][2] = {};
    auto copy = [&](int t) {
        if (t < steps) {
            double *stage = shared + t % DGEMM_STAGES * DGEMM_STAGE;
            dgemm_copy<DGEMM_TILE, DGEMM_DEPTH, DGEMM_A_STRIDE>(stage, a, row, m, t * DGEMM_DEPTH, k);
            dgemm_copy<DGEMM_DEPTH, DGEMM_TILE, DGEMM_B_STRIDE>(stage + DGEMM_TILE * DGEMM_A_STRIDE, b,
                                                                t * DGEMM_DEPTH, k, column, n);
        }
        copy_commit();
    };
    for (int t = 0; t < DGEMM_STAGES - 1; t++) copy(t);
    for (int t = 0; t < steps; t++) {
        copy_wait<DGEMM_STAGES - 2>();
        __syncthreads();
        copy(t + DGEMM_STAGES - 1);
        const double *left =
            shared + t % DGEMM_STAGES * DGEMM_STAGE + (warp / 2 * 32 + g) * DGEMM_A_STRIDE + q;
        const double *right = shared + t % DGEMM_STAGES * DGEMM_STAGE + DGEMM_TILE * DGEMM_A_STRIDE +
                              q * DGEMM_B_STRIDE + warp % 2 * 32 + g;
#pragma unroll
        for (int depth = 0; depth < DGEMM_DEPTH; depth += 4) {
            double x[4], y[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                x[i] = left[i * 8 * DGEMM_A_STRIDE + depth], y[i] = right[depth * DGEMM_B_STRIDE + i * 8];
#pragma unroll
            for (int i = 0; i < 16; i++) dgemm_multiply(acc[i / 4][i % 4], x[i / 4], y[i % 4]);
        }
    }
#pragma unroll
    for (int i = 0; i < 16; i++) {
        int r = row + warp / 2 * 32 + i / 4 * 8 + g, x = column + warp % 2 * 32 + i % 4 * 8 + q * 2;
        if (r < m && x < n)
            *(double2 *)(c + (size_t)r * n + x) = make_double2(acc[i / 4][i % 4][0], acc[i / 4][i % 4][1]);
    }
}
