// C = αAAᵀ + βC without tiles (PolyBench: SYRK), a thread an element: neighbours read rows of A side by side.
#include "device.h"

#define SIDE 1024

KERNEL void rank_k_update(float alpha, float beta, const float *a, float *c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (y < SIDE && x < SIDE) {
        c[y * SIDE + x] *= beta;
#pragma unroll 32 // 32 branches a thread on the card
        for (int k = 0; k < SIDE; k++) c[y * SIDE + x] += alpha * a[y * SIDE + k] * a[x * SIDE + k];
    }
}
