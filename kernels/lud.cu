// LU decomposition of a matrix without pivots, in place, by tiles of 16x16 (right-looking, blocked; as in Golub and Van Loan). A
// step of the diagonal has three launches:
//
//      diagonal   D │ U U U     D: factorises its tile, 16 threads
//      perimeter  ──┼──────     U, L: the tiles beside and below it, 32 threads for one of either
//      inside     L │ . . .     . : every other tile takes away the product of an L and a U, 256 threads
//                 L │ . . .
#include "device.h"

#define TILE 16

// The corner of a tile's numbers.
__device__ __forceinline__ float *tile_at(float *matrix, int n, int row, int column)
{
    return matrix + row * TILE * n + column * TILE;
}

KERNEL void lud_diagonal(float *matrix, int n, int step)
{
    __shared__ float tile[TILE][TILE];
    float *at = tile_at(matrix, n, step, step);
    const int tid = threadIdx.x;
    for (int i = 0; i < TILE; i++) tile[i][tid] = at[i * n + tid];
    __syncthreads();
    for (int i = 0; i < TILE - 1; i++) {
        if (tid > i) tile[tid][i] /= tile[i][i];
        __syncthreads();
        if (tid > i)
            for (int k = i + 1; k < TILE; k++) tile[tid][k] -= tile[tid][i] * tile[i][k];
        __syncthreads();
    }
    for (int i = 0; i < TILE; i++) at[i * n + tid] = tile[i][tid];
}

KERNEL void lud_perimeter(float *matrix, int n, int step)
{
    __shared__ float diagonal[TILE][TILE], row[TILE][TILE], column[TILE][TILE + 1];
    const int other = step + 1 + blockIdx.x, tid = threadIdx.x % TILE;
    float *d = tile_at(matrix, n, step, step), *r = tile_at(matrix, n, step, other);
    float *c = tile_at(matrix, n, other, step);
    const int half = threadIdx.x / TILE * (TILE / 2);
    for (int i = half; i < half + TILE / 2; i++) {
        diagonal[i][tid] = d[i * n + tid];
        row[i][tid] = r[i * n + tid];
        column[i][tid] = c[i * n + tid];
    }
    __syncthreads();
    if (threadIdx.x < TILE) { // a column of U
        for (int i = 1; i < TILE; i++)
            for (int k = 0; k < i; k++) row[i][tid] -= diagonal[i][k] * row[k][tid];
    } else { // a row of L
        for (int i = 0; i < TILE; i++) {
            for (int k = 0; k < i; k++) column[tid][i] -= column[tid][k] * diagonal[k][i];
            column[tid][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    for (int i = half; i < half + TILE / 2; i++) {
        r[i * n + tid] = row[i][tid];
        c[i * n + tid] = column[i][tid];
    }
}

KERNEL void lud_inside(float *matrix, int n, int step)
{
    __shared__ float left[TILE][TILE], top[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    left[ty][tx] = tile_at(matrix, n, step + 1 + blockIdx.y, step)[ty * n + tx];
    top[ty][tx] = tile_at(matrix, n, step, step + 1 + blockIdx.x)[ty * n + tx];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < TILE; k++) sum += left[ty][k] * top[k][tx];
    tile_at(matrix, n, step + 1 + blockIdx.y, step + 1 + blockIdx.x)[ty * n + tx] -= sum;
}
