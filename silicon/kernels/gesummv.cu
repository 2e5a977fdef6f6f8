// αAx + βBx (PolyBench: GESUMMV), a thread a row of both matrices.
#include "device.h"

#define SIDE  4096
#define ALPHA 1.5f
#define BETA  0.75f

KERNEL void sum_of_products(const float *a, const float *b, const float *x, float *y, float *product)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < SIDE) {
        for (int j = 0; j < SIDE; j++) {
            product[row] += a[row * SIDE + j] * x[j];
            y[row] += b[row * SIDE + j] * x[j];
        }
        y[row] = ALPHA * product[row] + BETA * y[row];
    }
}
