// C = αAB + βC without tiles (PolyBench: GEMM), a thread an element, whose sum is stored at every step.
#include "device.h"

#define SIDE  512
#define ALPHA 1.5f
#define BETA  0.75f

KERNEL void multiply_add(const float *a, const float *b, float *c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (y < SIDE && x < SIDE) {
        c[y * SIDE + x] *= BETA;
        for (int k = 0; k < SIDE; k++) c[y * SIDE + x] += ALPHA * a[y * SIDE + k] * b[k * SIDE + x];
    }
}
