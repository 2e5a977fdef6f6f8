// C = A * B by tiles of 128x128 and a pipeline of asynchronous copies: the body of the GEMM kernels by mma.sync.
//
// A is M x K in rows. B is K x N in rows (`BY_ROWS`, 16-bit types, read by transposing ldmatrix) or N x K in rows. C is M x N in
// rows. M is any number; N is even for N x K, else a multiple of 8; rows of A and of B are multiples of 16 bytes.
// Elements outside are zeros in shared memory and are not stored.
//
//   block: 2 x ACROSS warps, ACROSS 4 or 2; a warp has 64 x 32 or 64 x 64 of C: 4 x 4 or 4 x 8 products of 16 x 8
//   stage: 64 bytes of depth: 8 KB of A and 8 KB of B in shared memory
//   loop:  wait for stage t - barrier - start the copies of stage t + STAGES - 1 - products of stage t
//
// Cells of 16 bytes in shared memory, swizzled so that the 8 rows of an ldmatrix lie in 8 different groups of 4 banks:
//   rows of  64 bytes: cell c of row r at c ^ (r / 2 % 4)
//   rows of 256 bytes: cell c of row r at c ^ (r % 8)
#pragma once
#include "tensor.h"

#define GEMM_TILE    128
#define GEMM_DEPTH   64    // bytes
#define GEMM_THREADS 256   // of ACROSS 4
#define GEMM_STAGE   16384 // bytes of shared memory: A, then B

struct gemm_shape {
    int m, n, k; // elements
};

// Place of a block's tile, in elements. Blocks in order fill bands of 8 tiles of rows, so that resident blocks share A and B in L2.
INLINE void gemm_place(int &row, int &column)
{
    int order = blockIdx.y * gridDim.x + blockIdx.x, band = order / (8 * gridDim.x);
    int rows = min(8, (int)gridDim.y - 8 * band), in_band = order - band * 8 * gridDim.x;
    row = (band * 8 + in_band % rows) * GEMM_TILE;
    column = in_band / rows * GEMM_TILE;
}

// Starts copies of 128 rows from `row`, 64 bytes from byte `depth`, of a matrix of `rows` x `bytes`, to shared memory.
template <int THREADS>
INLINE void gemm_copy_rows(unsigned to, const void *matrix, int row, int rows, int depth, int bytes)
{
    int cell = threadIdx.x % 4, from = depth + 16 * cell;
#pragma unroll
    for (int i = 0; i < GEMM_TILE; i += THREADS / 4) {
        int r = i + threadIdx.x / 4;
        const char *source = (const char *)matrix + (size_t)(row + r) * bytes + from;
        copy_16(to + r * 64 + ((cell ^ (r / 2 % 4)) << 4), source, row + r < rows && from < bytes);
    }
}

// Starts copies of `ROWS` rows from `row`, 128 columns from `column`, of a matrix of `rows` x `columns` 16-bit elements.
template <int ROWS, int THREADS>
INLINE void gemm_copy_columns(unsigned to, const void *matrix, int row, int rows, int column, int columns)
{
    int cell = threadIdx.x % 16, from = column + 8 * cell;
#pragma unroll
    for (int i = 0; i < ROWS; i += THREADS / 16) {
        int r = i + threadIdx.x / 16;
        const char *source = (const char *)matrix + ((size_t)(row + r) * columns + from) * 2;
        copy_16(to + r * 256 + ((cell ^ (r % 8)) << 4), source, row + r < rows && from < columns);
    }
}

// Address in a lane's first ldmatrix of A: 16 rows of a warp's 64, 32 bytes of depth.
INLINE unsigned gemm_lane_a(int lane, int warp_row)
{
    int row = warp_row * 64 + lane % 16, cell = lane / 16;
    return row * 64 + ((cell ^ (row / 2 % 4)) << 4);
}

// The same of B: the first 16 columns of a warp's part of C.
template <bool BY_ROWS, int ACROSS> INLINE unsigned gemm_lane_b(int lane, int warp_column)
{
    if (BY_ROWS) return lane % 16 * 256 + (((warp_column * (16 / ACROSS) + lane / 16) ^ (lane % 8)) << 4);
    int row = warp_column * (128 / ACROSS) + lane % 8 + lane / 16 * 8, cell = lane / 8 % 2;
    return row * 64 + ((cell ^ (row / 2 % 4)) << 4);
}

// Products of a stage: fragments of A and of B by ldmatrix, then mma, twice.
template <typename OP, bool BY_ROWS, int ACROSS>
INLINE void gemm_stage(typename OP::accumulator (&acc)[4][16 / ACROSS], unsigned stage, unsigned lane_a,
                       unsigned lane_b)
{
#pragma unroll
    for (int half = 0; half < 2; half++) {
        unsigned a[4][4], b[8 / ACROSS][4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            load_matrices(a[i], stage + (lane_a ^ (half << 5)) + i * 1024);
            OP::prepare(a[i]);
        }
#pragma unroll
        for (int j = 0; j < 8 / ACROSS; j++) {
            if (BY_ROWS)
                load_matrices_trans(b[j], stage + 8192 + half * 4096 + (lane_b ^ (j << 5)));
            else
                load_matrices(b[j], stage + 8192 + (lane_b ^ (half << 5)) + j * 1024);
            OP::prepare(b[j]);
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 16 / ACROSS; j++)
                OP::multiply(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
}

// Adds to `acc` the products of the stages `first` to `end` (exclusive) of the depth.
template <typename OP, int SIZE, bool BY_ROWS, int STAGES, int ACROSS>
INLINE void gemm_loop(typename OP::accumulator (&acc)[4][16 / ACROSS], const void *a, const void *b,
                      gemm_shape shape, int row, int column, int first, int end)
{
    const int threads = 64 * ACROSS;
    unsigned base = shared_offset(tensor_shared);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned lane_a = gemm_lane_a(lane, warp / ACROSS),
             lane_b = gemm_lane_b<BY_ROWS, ACROSS>(lane, warp % ACROSS);
    auto copy = [&](int t) {
        if (t < end) {
            unsigned to = base + (t - first) % STAGES * GEMM_STAGE;
            gemm_copy_rows<threads>(to, a, row, shape.m, t * GEMM_DEPTH, shape.k * SIZE);
            if (BY_ROWS)
                gemm_copy_columns<32, threads>(to + 8192, b, t * 32, shape.k, column, shape.n);
            else
                gemm_copy_rows<threads>(to + 8192, b, column, shape.n, t * GEMM_DEPTH, shape.k * SIZE);
        }
        copy_commit();
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) copy(first + s);
    for (int t = first; t < end; t++) {
        copy_wait<STAGES - 2>();
        __syncthreads();
        copy(t + STAGES - 1);
        gemm_stage<OP, BY_ROWS, ACROSS>(acc, base + (t - first) % STAGES * GEMM_STAGE, lane_a, lane_b);
    }
}

// Gives `put(row, column, accumulator, half)` every pair of results of the thread that lies in C.
template <typename OP, int ACROSS, typename PUT>
INLINE void gemm_results(const typename OP::accumulator (&acc)[4][16 / ACROSS], gemm_shape shape, int row,
                         int column, PUT put)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    row += warp / ACROSS * 64 + lane / 4;
    column += warp % ACROSS * (128 / ACROSS) + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 16 / ACROSS; j++)
            if (row + i * 8 < shape.m && column + j * 8 < shape.n)
                put(row + i * 8, column + j * 8, acc[i / 2][j], i % 2);
}

// The kernel's body: a tile of C. `SIZE`: bytes of an element of A and B.
template <typename OP, int SIZE, bool BY_ROWS, int STAGES, int ACROSS = 4>
INLINE void gemm_tile(const void *a, const void *b, typename OP::output *c, int m, int n, int k)
{
    gemm_shape shape = {m, n, k};
    typename OP::accumulator acc[4][16 / ACROSS] = {};
    int row, column;
    gemm_place(row, column);
    gemm_loop<OP, SIZE, BY_ROWS, STAGES, ACROSS>(acc, a, b, shape, row, column, 0,
                                                 (k * SIZE + GEMM_DEPTH - 1) / GEMM_DEPTH);
    gemm_results<OP, ACROSS>(acc, shape, row, column,
                             [&](int r, int col, const typename OP::accumulator &d, int i) {
                                 OP::store(c + (size_t)r * n + col, d, i);
                             });
}
