// Gaussian elimination without pivots, two launches a column: factors of the rows below the diagonal, and then all rows less their
// factor times the diagonal's row, the right side with them. The host solves what is left from below.
#include "device.h"

#define THREADS 256
#define TILE    16

KERNEL void gauss_factors(float *factors, const float *matrix, int n, int step)
{
    const int row = step + 1 + blockIdx.x * THREADS + threadIdx.x;
    if (row < n) factors[row] = matrix[row * n + step] / matrix[step * n + step];
}

KERNEL void gauss_rows(float *matrix, float *right, const float *factors, int n, int step)
{
    const int column = step + blockIdx.x * TILE + threadIdx.x, row = step + 1 + blockIdx.y * TILE + threadIdx.y;
    if (row >= n) return;
    if (column < n) matrix[row * n + column] -= factors[row] * matrix[step * n + column];
    if (column == step) right[row] -= factors[row] * right[step];
}
