// Sum of an array in one launch: every block writes its sum, draws a number, and who draws the last adds up the
// blocks' sums.
#include "device.h"

#define THREADS 128

__device__ unsigned blocks_done;

__device__ __forceinline__ void reduce_block(volatile float *sums, float sum, unsigned thread)
{
    sums[thread] = sum;
    __syncthreads();
    if (thread < 64) sums[thread] = sum += sums[thread + 64];
    __syncthreads();
    if (thread < 32) {
#pragma unroll
        for (unsigned half = 32; half > 0; half /= 2) sums[thread] = sum += sums[thread + half];
    }
}

KERNEL void reduce_once(const float *in, float *out, unsigned count)
{
    extern __shared__ float sums[];
    __shared__ bool is_last;
    unsigned thread = threadIdx.x;
    float sum = 0;

#pragma unroll 1
    for (unsigned i = blockIdx.x * THREADS * 2 + thread; i < count; i += THREADS * 2 * gridDim.x) {
        sum += in[i];
        sum += in[i + THREADS];
    }
    reduce_block(sums, sum, thread);
    if (thread == 0) {
        out[blockIdx.x] = sums[0];
        __threadfence();
        is_last = atomicInc(&blocks_done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;

    sum = 0;
    for (unsigned i = thread; i < gridDim.x; i += THREADS) sum += out[i];
    __syncthreads();
    reduce_block(sums, sum, thread);
    if (thread == 0) {
        out[0] = sums[0];
        blocks_done = 0;
    }
}
