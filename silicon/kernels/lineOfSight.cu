// What is seen along a ray over a terrain: points whose angle no point before them exceeds.
#include "device.h"

KERNEL void find_visible(const float *angles, const float *highest_before, int points, unsigned char *is_visible)
{
    unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < points) is_visible[i] = highest_before[i] <= angles[i];
}
