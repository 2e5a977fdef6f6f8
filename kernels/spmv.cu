// y = A x for a sparse matrix in compressed rows, in the two classical ways: a row a thread (rows of
// different lengths leave lanes idle, neighbouring lanes read far apart) and a row a warp (lanes walk the row
// together and add up by shuffles).
#include "device.h"

#define WARP 32

KERNEL void spmv_scalar(const int *__restrict__ row_start, const int *__restrict__ column,
                        const float *__restrict__ value, const float *__restrict__ x, float *__restrict__ y,
                        int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = row_start[row]; i < row_start[row + 1]; i++) sum += value[i] * x[column[i]];
    y[row] = sum;
}

KERNEL void spmv_vector(const int *__restrict__ row_start, const int *__restrict__ column,
                        const float *__restrict__ value, const float *__restrict__ x, float *__restrict__ y,
                        int rows)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = thread & (WARP - 1), row = thread / WARP;
    if (row >= rows) return; // the whole warp at once
    float sum = 0.0f;
    for (int i = row_start[row] + lane; i < row_start[row + 1]; i += WARP) sum += value[i] * x[column[i]];
#pragma unroll
    for (int delta = WARP / 2; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffffu, sum, delta);
    if (lane == 0) y[row] = sum;
}
