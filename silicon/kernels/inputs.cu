// What applications compute on the host before their kernels run: random input in the ranges that each of them
// documents. No part of any measurement.
#include "device.h"

// From [0, 1), as `rand:SEED` fills a buffer, to [low, high).
KERNEL void stretch(float *values, int count, float low, float high)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = low + (high - low) * values[i];
}

// From all 32 bits to [0, bound).
KERNEL void below(unsigned *values, int count, unsigned bound)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] %= bound;
}
