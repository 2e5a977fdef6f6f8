// Products of a matrix and of its transpose with vectors, added to vectors (PolyBench: MVT): a thread a row,
// then a thread a column.
#include "device.h"

#define SIDE 4096

KERNEL void add_rows(const float *a, float *x1, const float *y1)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < SIDE)
        for (int j = 0; j < SIDE; j++) x1[row] += a[row * SIDE + j] * y1[j];
}

KERNEL void add_columns(const float *a, float *x2, const float *y2)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (column < SIDE)
        for (int j = 0; j < SIDE; j++) x2[column] += a[j * SIDE + column] * y2[j];
}
