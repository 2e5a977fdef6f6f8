// Product of two matrices in tiles of 32 x 32, a thread an element of the result.
#include "device.h"

#define TILE 32

KERNEL void matrix_product(float *c, const float *a, const float *b, int a_width, int b_width)
{
    float sum = 0;
    int first = a_width * TILE * blockIdx.y, last = first + a_width - 1;

    for (int at = first, bt = TILE * blockIdx.x; at <= last; at += TILE, bt += TILE * b_width) {
        __shared__ float left[TILE][TILE], right[TILE][TILE];
        left[threadIdx.y][threadIdx.x] = a[at + a_width * threadIdx.y + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[bt + b_width * threadIdx.y + threadIdx.x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[b_width * TILE * blockIdx.y + TILE * blockIdx.x + b_width * threadIdx.y + threadIdx.x] = sum;
}
