// A matrix product without tiles, of which PolyBench's 2MM is a chain, a thread an element, whose sum is
// stored at every step.
#include "device.h"

#define SIDE 2048

KERNEL void multiply(const float *a, const float *b, float *c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (y < SIDE && x < SIDE)
        for (int k = 0; k < SIDE; k++) c[y * SIDE + x] += a[y * SIDE + k] * b[k * SIDE + x];
}
