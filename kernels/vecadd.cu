// c = a + b, one element a thread. The control with next to no work and no redundancy beyond its addressing.
#include "device.h"

KERNEL void vecadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
