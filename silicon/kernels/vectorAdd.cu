// Sum of two vectors, a thread an element.
#include "device.h"

KERNEL void add(const float *a, const float *b, float *c, int count)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;

    if (i < count) c[i] = a[i] + b[i];
}
