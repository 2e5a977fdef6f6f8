// The sum of an array: every thread strides over the input and adds, a tree in shared memory brings the
// block's 256 sums down to 32, shuffles bring those down to one. One value a block comes out; the host
// launches the kernel again on those. The order of the additions is fixed by the shape, so the bits are too.
#include "device.h"

#define THREADS 256

KERNEL void reduction(const float *in, float *out, unsigned n)
{
    __shared__ float partial[THREADS];
    unsigned tid = threadIdx.x;

    float sum = 0.0f;
    for (unsigned i = blockIdx.x * (2 * THREADS) + tid; i < n; i += gridDim.x * (2 * THREADS)) {
        sum += in[i];
        if (i + THREADS < n) sum += in[i + THREADS];
    }
    partial[tid] = sum;
    __syncthreads();

#pragma unroll
    for (unsigned half = THREADS / 2; half > 32; half /= 2) {
        if (tid < half) partial[tid] += partial[tid + half];
        __syncthreads();
    }
    if (tid < 32) {
        sum = partial[tid] + partial[tid + 32];
#pragma unroll
        for (unsigned delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffffu, sum, delta);
        if (tid == 0) out[blockIdx.x] = sum;
    }
}
