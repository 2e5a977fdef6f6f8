// Histogram of bytes in 256 bins: a block counts into bins of its own in shared memory with atomics, four
// bytes a word, and adds them to the result at the end. Sums of integers do not depend on the order of the
// atomics.
#include "device.h"

#define BINS 256

KERNEL void histogram(const unsigned *words, unsigned *bins, int word_count)
{
    __shared__ unsigned local[BINS];
    local[threadIdx.x] = 0;
    __syncthreads();

    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < word_count; i += stride) {
        unsigned word = words[i];
        atomicAdd(&local[word & 255], 1u);
        atomicAdd(&local[word >> 8 & 255], 1u);
        atomicAdd(&local[word >> 16 & 255], 1u);
        atomicAdd(&local[word >> 24], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
