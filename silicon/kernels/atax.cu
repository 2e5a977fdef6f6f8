// Aᵀ(Ax) in two launches (PolyBench: ATAX): a thread a row of A, then a thread a column. The sums live in
// memory: the compiler keeps what it has stored, but stores it anew at every step, since the arrays may
// overlap.
#include "device.h"

#define ROWS    4096
#define COLUMNS 4096

KERNEL void rows_times_vector(const float *a, const float *x, float *product)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < ROWS)
        for (int j = 0; j < COLUMNS; j++) product[row] += a[row * COLUMNS + j] * x[j];
}

KERNEL void columns_times_vector(const float *a, float *out, const float *product)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (column < COLUMNS)
        for (int i = 0; i < ROWS; i++) out[column] += a[i * COLUMNS + column] * product[i];
}
