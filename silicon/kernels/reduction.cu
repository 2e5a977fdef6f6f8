// Sum of an array of integers, a value a block: every thread strides over the array two elements at a time, a tree
// in shared memory brings the block's sums down to 64, shuffles do the rest. The block's size is known when compiled.
#include "device.h"

template <unsigned THREADS> __device__ __forceinline__ void reduce(const int *in, int *out, unsigned count)
{
    extern __shared__ int sums[];
    unsigned thread = threadIdx.x;
    int sum = 0;

    for (unsigned i = blockIdx.x * THREADS * 2 + thread; i < count; i += THREADS * 2 * gridDim.x) {
        sum += in[i];
        sum += in[i + THREADS];
    }
    sums[thread] = sum;
    __syncthreads();

#pragma unroll
    for (unsigned half = 256; half > 32; half /= 2) {
        if (half < THREADS && thread < half) sums[thread] = sum += sums[thread + half];
        __syncthreads();
    }
    if (thread < 32) {
        if (THREADS >= 64) sum += sums[thread + 32];
        for (int delta = warpSize / 2; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffffu, sum, delta);
    }
    if (thread == 0) out[blockIdx.x] = sum;
}

KERNEL void reduce_256(const int *in, int *out, unsigned count) { reduce<256>(in, out, count); }
KERNEL void reduce_32(const int *in, int *out, unsigned count) { reduce<32>(in, out, count); }
