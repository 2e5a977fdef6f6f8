// Rate of single-precision arithmetic: 32 warps on an SM, each with 4,096 fused multiply-adds that depend on
// each other.
#include "device.h"

#define ROUNDS 1024

KERNEL void multiply_add(const float *a, const float *b, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], y = b[i], sum = 0;

    __syncthreads();
    for (int round = 0; round < ROUNDS; round++)
#pragma unroll
        for (int j = 0; j < 4; j++) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(x), "f"(y));
    __syncthreads();
    out[i] = sum;
}
