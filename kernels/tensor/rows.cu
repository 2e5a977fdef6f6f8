// Fused kernels on the rows of a matrix of halves: softmax, layer norm, product with a vector. Sums are in singles.
// Rows have a multiple of 8 elements. Softmax and layer norm: grid (rows), 256 threads, a row in registers, at most 8,192
// columns. Product with a vector: grid (rows / 8) rounded up, 256 threads, a row a warp.
#include "tensor.h"

#define ROWS_THREADS 256
#define ROWS_CELLS   4 // 16-byte cells a thread

// Sum over the block, in every thread.
INLINE float rows_sum(float x)
{
    __shared__ float part[ROWS_THREADS / 32];
    x = warp_sum(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < ROWS_THREADS / 32; i++) sum += part[i];
    return sum;
}

// Maximum over the block, in every thread.
INLINE float rows_max(float x)
{
    __shared__ float part[ROWS_THREADS / 32];
    x = warp_max(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    float most = part[0];
#pragma unroll
    for (int i = 1; i < ROWS_THREADS / 32; i++) most = fmaxf(most, part[i]);
    return most;
}

// Eight halves as singles, and back.
INLINE void rows_unpack(float (&x)[8], uint4 cell)
{
    const unsigned pair[4] = {cell.x, cell.y, cell.z, cell.w};
#pragma unroll
    for (int i = 0; i < 4; i++) x[2 * i] = f16_low(pair[i]), x[2 * i + 1] = f16_high(pair[i]);
}

INLINE uint4 rows_pack(const float (&x)[8])
{
    return make_uint4(f16_pair(x[0], x[1]), f16_pair(x[2], x[3]), f16_pair(x[4], x[5]), f16_pair(x[6], x[7]));
}

// A thread's cells of a row, `fill` behind the row's end.
INLINE void rows_load(float (&x)[ROWS_CELLS][8], const f16 *row, int columns, float fill)
{
#pragma unroll
    for (int c = 0; c < ROWS_CELLS; c++) {
        int column = (c * ROWS_THREADS + threadIdx.x) * 8;
#pragma unroll
        for (int i = 0; i < 8; i++) x[c][i] = fill;
        if (column < columns) rows_unpack(x[c], *(const uint4 *)(row + column));
    }
}

// out = exp(in - maximum of the row) / sum of the row.
KERNEL void __launch_bounds__(ROWS_THREADS) softmax_rows(const f16 *in, f16 *out, int columns)
{
    float x[ROWS_CELLS][8], most = MINUS_INFINITY, sum = 0;
    rows_load(x, in + (size_t)blockIdx.x * columns, columns, MINUS_INFINITY);
#pragma unroll
    for (int i = 0; i < ROWS_CELLS * 8; i++) most = fmaxf(most, x[i / 8][i % 8]);
    most = rows_max(most);
#pragma unroll
    for (int i = 0; i < ROWS_CELLS * 8; i++) {
        x[i / 8][i % 8] = exp2_fast((x[i / 8][i % 8] - most) * 1.44269504f);
        sum += x[i / 8][i % 8];
    }
    float factor = 1 / rows_sum(sum);
#pragma unroll
    for (int c = 0; c < ROWS_CELLS; c++) {
        int column = (c * ROWS_THREADS + threadIdx.x) * 8;
#pragma unroll
        for (int i = 0; i < 8; i++) x[c][i] *= factor;
        if (column < columns) *(uint4 *)(out + (size_t)blockIdx.x * columns + column) = rows_pack(x[c]);
    }
}

// out = (in - mean of the row) / sqrt(variance of the row + epsilon) * gamma + beta.
KERNEL void __launch_bounds__(ROWS_THREADS)
    layer_norm(const f16 *in, const f16 *gamma, const f16 *beta, f16 *out, int columns, float epsilon)
{
    float x[ROWS_CELLS][8], sum = 0, squares = 0;
    rows_load(x, in + (size_t)blockIdx.x * columns, columns, 0);
#pragma unroll
    for (int i = 0; i < ROWS_CELLS * 8; i++) sum += x[i / 8][i % 8];
    float mean = rows_sum(sum) / columns;
#pragma unroll
    for (int c = 0; c < ROWS_CELLS; c++) {
        if ((c * ROWS_THREADS + (int)threadIdx.x) * 8 >= columns) continue;
#pragma unroll
        for (int i = 0; i < 8; i++) x[c][i] -= mean, squares += x[c][i] * x[c][i];
    }
    float factor = rsqrtf(rows_sum(squares) / columns + epsilon);
#pragma unroll
    for (int c = 0; c < ROWS_CELLS; c++) {
        int column = (c * ROWS_THREADS + threadIdx.x) * 8;
        if (column >= columns) continue;
        float scale[8], shift[8];
        rows_unpack(scale, *(const uint4 *)(gamma + column));
        rows_unpack(shift, *(const uint4 *)(beta + column));
#pragma unroll
        for (int i = 0; i < 8; i++) x[c][i] = x[c][i] * factor * scale[i] + shift[i];
        *(uint4 *)(out + (size_t)blockIdx.x * columns + column) = rows_pack(x[c]);
    }
}

// y = a * x, a row a warp.
KERNEL void __launch_bounds__(ROWS_THREADS)
    gemv_f16(const f16 *a, const f16 *x, f16 *y, int rows, int columns)
{
    int row = (blockIdx.x * ROWS_THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int first = lane * 8; first < columns; first += 1024)
#pragma unroll
        for (int part = 0; part < 4; part++) {
            int column = first + part * 256;
            if (column >= columns) continue;
            float left[8], right[8];
            rows_unpack(left, *(const uint4 *)(a + (size_t)row * columns + column));
            rows_unpack(right, *(const uint4 *)(x + column));
#pragma unroll
            for (int i = 0; i < 8; i++) sum += left[i] * right[i];
        }
    sum = warp_sum(sum);
    if (lane == 0) y[row] = (f16)f16_pair(sum, 0);
}
