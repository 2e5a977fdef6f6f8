// Product of halves with A sparse 2:4, by mma.sp m16n8k32: A M x K has two elements other than zero in every four of a row.
// A comes compressed, M x K / 2 in rows; B is K x N, C is M x N, in rows. M is a multiple of 32, N of 8, K of 64.
//
// `places`: for every 32 rows and 32 columns of A, 32 words, one a lane. Lane t has row 16 * (q / 2) + g of the 32 in its lower
// 16 bits, and the row 8 below in its upper 16, for columns 16 * (q % 2) to 16 * (q % 2) + 15: 4 bits every 4 columns, the place
// of the first element in the lower two. Lanes q = 0 and 1 (selector 0) serve the upper 16 rows, 2 and 3 (selector 1) the lower.
//
// Grid (N / 128, M / 128) rounded up, 256 threads. A stage is 64 columns of A: 8 KB of A, 16 KB of B, 1 KB of places; 3 stages
// are 76,800 bytes of shared memory.
#include "gemm.h"

#define SPARSE_STAGES 3
#define SPARSE_STAGE  (8192 + 16384 + 1024)

// d += a * b on 16 x 8 and 32 columns of A. SELECTOR: the pair of lanes of a quad with the places.
template <int SELECTOR>
INLINE void sparse_multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[4], unsigned places)
{
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, "
                 "{%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, %13;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),
                   "r"(places), "n"(SELECTOR));
}

INLINE unsigned load_word(unsigned address)
{
    unsigned word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

// Starts the copies of stage t: columns 64t to 64t + 63 of A.
INLINE void sparse_copy(unsigned to, const f16 *a, const unsigned *places, const f16 *b, gemm_shape shape,
                        int row, int column, int t)
{
    gemm_copy_rows<GEMM_THREADS>(to, a, row, shape.m, t * 64, shape.k);
    gemm_copy_columns<64, GEMM_THREADS>(to + 8192, b, t * 64, shape.k, column, shape.n);
    if (threadIdx.x < 64) { // 4 groups of 32 rows, 2 words a lane, 4 words a copy
        int group = threadIdx.x / 16, place = threadIdx.x % 16;
        bool inside = row + group * 32 < shape.m;
        size_t from = ((size_t)(row / 32 + group) * (shape.k / 32) + t * 2) * 32 + place * 4;
        copy_16(to + 24576 + threadIdx.x * 16, places + from, inside);
    }
}

// Products of a stage.
INLINE void sparse_stage(float (&acc)[4][4][4], unsigned stage, unsigned lane_a, int lane, int warp)
{
    unsigned row_b = stage + 8192 + lane * 256, column_b = warp % 4 * 4;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        unsigned a[4][4], b[4][4], places[2];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            load_matrices(a[i], stage + (lane_a ^ (half << 5)) + i * 1024);
            load_matrices_trans(b[i], row_b + half * 8192 + (((column_b + i) ^ (lane % 8)) << 4));
        }
#pragma unroll
        for (int i = 0; i < 2; i++)
            places[i] = load_word(stage + 24576 + (((warp / 4 * 2 + i) * 2 + half) * 32 + lane) * 4);
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                sparse_multiply<0>(acc[2 * i][j], a[2 * i], b[j], places[i]);
                sparse_multiply<1>(acc[2 * i + 1][j], a[2 * i + 1], b[j], places[i]);
            }
    }
}

KERNEL void __launch_bounds__(GEMM_THREADS)
    sparse_hgemm(const f16 *a, const unsigned *places, const f16 *b, f16 *c, int m, int n, int k)
{
    gemm_shape shape = {m, n, k};
    float acc[4][4][4] = {};
    unsigned base = shared_offset(tensor_shared);
    int row, column, lane = threadIdx.x % 32, warp = threadIdx.x / 32, steps = k / 64;
    gemm_place(row, column);
    unsigned lane_a = gemm_lane_a(lane, warp / 4);
#pragma unroll
    for (int t = 0; t < SPARSE_STAGES - 1; t++) {
        if (t < steps) sparse_copy(base + t * SPARSE_STAGE, a, places, b, shape, row, column, t);
        copy_commit();
    }
    for (int t = 0; t < steps; t++) {
        copy_wait<SPARSE_STAGES - 2>();
        __syncthreads();
        int next = t + SPARSE_STAGES - 1;
        if (next < steps)
            sparse_copy(base + next % SPARSE_STAGES * SPARSE_STAGE, a, places, b, shape, row, column, next);
        copy_commit();
        sparse_stage(acc, base + t % SPARSE_STAGES * SPARSE_STAGE, lane_a, lane, warp);
    }
    gemm_results<mma_f16, 4>(acc, shape, row, column,
                             [&](int r, int col, const mma_f16::accumulator &d, int i) {
                                 mma_f16::store(c + (size_t)r * n + col, d, i);
                             });
}
