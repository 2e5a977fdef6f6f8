// Sum of an array, a value a block of 256: every thread adds up its share in its word of shared memory, then a tree,
// whose last six steps a warp takes without barriers.
#include "device.h"

#define THREADS 256

template <typename T> __device__ __forceinline__ void reduce(const T *in, T *out, unsigned count)
{
    extern __shared__ double words[]; // of the larger type
    volatile T *sums = (volatile T *)words;
    unsigned thread = threadIdx.x;

    sums[thread] = 0;
    for (unsigned i = blockIdx.x * THREADS * 2 + thread; i < count; i += THREADS * 2 * gridDim.x)
        sums[thread] += in[i] + in[i + THREADS];
    __syncthreads();

    for (unsigned half = THREADS / 2; half > 32; half >>= 1) {
        if (thread < half) sums[thread] += sums[thread + half];
        __syncthreads();
    }
    if (thread < 32) {
#pragma unroll
        for (int half = 32; half > 0; half >>= 1) sums[thread] += sums[thread + half];
    }
    if (thread == 0) out[blockIdx.x] = sums[0];
}

KERNEL void reduce_f32(const float *in, float *out, unsigned count) { reduce(in, out, count); }
KERNEL void reduce_f64(const double *in, double *out, unsigned count) { reduce(in, out, count); }
