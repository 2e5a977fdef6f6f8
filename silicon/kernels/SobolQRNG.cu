// Sobol's sequence in many dimensions, in the order of Gray codes, a row of blocks a dimension. A thread begins at its
// own point and goes on in steps of a power of two: between points of such a distance all but two directions cancel
// (Bradley, du Toit, Giles, Tong, Woodhams 2011).
#include "device.h"

#define DIRECTIONS 32

// directions[dimension][k] is for bit k, the lowest first; out[dimension][point].
KERNEL void sobol(unsigned points, unsigned dimensions, const unsigned *directions, float *out)
{
    __shared__ unsigned v[DIRECTIONS];

    directions += DIRECTIONS * blockIdx.y;
    out += points * blockIdx.y;
    if (threadIdx.x < DIRECTIONS) v[threadIdx.x] = directions[threadIdx.x];
    __syncthreads();

    int first = threadIdx.x + blockIdx.x * blockDim.x, step = gridDim.x * blockDim.x;
    unsigned gray = first ^ first >> 1, value = 0;
    for (int k = 0; k < __ffs(step) - 1; k++, gray >>= 1) value ^= -(gray & 1) & v[k];
    if (first < points) out[first] = value * 0x1p-32f;

    unsigned below_step = v[__ffs(step) - 2];
    for (unsigned i = first + step; i < points; i += step) {
        value ^= below_step ^ v[__ffs(~((i - step) | (step - 1))) - 1];
        out[i] = value * 0x1p-32f;
    }
}
