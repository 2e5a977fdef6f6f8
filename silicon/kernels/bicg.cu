// The first product of a step of the bi-conjugate gradient method, Aᵀr (PolyBench: BICG), a thread a column.
#include "device.h"

#define ROWS    4096
#define COLUMNS 4096

KERNEL void columns_times_residual(const float *a, const float *r, float *s)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (column < COLUMNS) {
        s[column] = 0.0f;
        for (int i = 0; i < ROWS; i++) s[column] += a[i * COLUMNS + column] * r[i];
    }
}
