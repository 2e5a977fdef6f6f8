// Scalar products of pairs of vectors, a block a pair at a time: 1,024 partial sums in shared memory, then a tree.
#include "device.h"

#define SUMS 1024

KERNEL void scalar_products(float *out, const float *a, const float *b, int vectors, int length)
{
    __shared__ float sums[SUMS];

    for (int vector = blockIdx.x; vector < vectors; vector += gridDim.x) {
        int first = length * vector, end = first + length;

        for (int s = threadIdx.x; s < SUMS; s += blockDim.x) {
            float sum = 0;
            for (int i = first + s; i < end; i += SUMS) sum += a[i] * b[i];
            sums[s] = sum;
        }
        for (int stride = SUMS / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            for (int s = threadIdx.x; s < stride; s += blockDim.x) sums[s] += sums[stride + s];
        }
        __syncthreads();
        if (threadIdx.x == 0) out[vector] = sums[0];
    }
}
