// C = A · B by square tiles in shared memory, an element of C a thread. Block row and column pick the tiles;
// in the inner loop a warp reads one element of A's tile for all lanes and a row of B's tile that every warp
// reads alike.
#include "device.h"
#ifndef TILE // matrixMul16.cu brings its own
#define TILE 32
#endif
// a: height x depth, b: depth x width, all multiples of TILE; the grid is (width, height) / TILE.
KERNEL void matrix_mul(float *c, const float *a, const float *b, int depth, int width)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;

    int a_first = depth * TILE * blockIdx.y, a_last = a_first + depth - 1;
    int b_first = TILE * blockIdx.x, b_step = TILE * width;

    float sum = 0.0f;
    for (int at = a_first, bt = b_first; at <= a_last; at += TILE, bt += b_step) {
        tile_a[ty][tx] = a[at + depth * ty + tx];
        tile_b[ty][tx] = b[bt + width * ty + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    c[width * TILE * blockIdx.y + TILE * blockIdx.x + width * ty + tx] = sum;
}
