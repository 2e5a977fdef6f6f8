// Scalar products of pairs of vectors, a block a pair and then the next of its own: products of elements 1024 apart are added
// up, four of these sums a thread, and a tree in shared memory adds the sums.
#include "device.h"

#define THREADS 256
#define SUMS    1024 // a power of two

KERNEL void scalar_product(float *products, const float *a, const float *b, int pairs, int length)
{
    __shared__ float sums[SUMS];
    const int tid = threadIdx.x;

    for (int pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
        const float *x = a + pair * length, *y = b + pair * length;
        for (int first = tid; first < SUMS; first += THREADS) {
            float sum = 0.0f;
            for (int i = first; i < length; i += SUMS) sum += x[i] * y[i];
            sums[first] = sum;
        }
        for (int half = SUMS / 2; half > 0; half /= 2) {
            __syncthreads();
            for (int i = tid; i < half; i += THREADS) sums[i] += sums[i + half];
        }
        if (tid == 0) products[pair] = sums[0];
        __syncthreads();
    }
}
