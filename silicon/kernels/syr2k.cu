// C = αABᵀ + αBAᵀ + βC without tiles (PolyBench: SYR2K), a thread an element.
#include "device.h"

#define SIDE  2048
#define ALPHA 1.5f
#define BETA  0.75f

KERNEL void rank_2k_update(const float *a, const float *b, float *c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (y < SIDE && x < SIDE) {
        c[y * SIDE + x] *= BETA;
        for (int k = 0; k < SIDE; k++)
            c[y * SIDE + x] +=
                ALPHA * a[y * SIDE + k] * b[x * SIDE + k] + ALPHA * b[y * SIDE + k] * a[x * SIDE + k];
    }
}
