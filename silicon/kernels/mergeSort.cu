// A step of a merge sort: where every 128th key of two sorted halves of a segment stands in the other half, by binary
// search (Satish, Harris, Garland 2009).
#include "device.h"

#define SAMPLE 128

// Keys below `bound` that ascend within segments of 2^log2.
KERNEL void sorted_segments(unsigned *keys, unsigned log2, unsigned bound)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, mixed = (i ^ i >> 15) * 0x2c1b3c6d;
    unsigned at = i & ((1u << log2) - 1);
    keys[i] = ((unsigned long long)at * bound + mixed % bound) >> log2;
}

// How many of the keys are below `key`, or, INCLUSIVE, at most as large.
template <bool INCLUSIVE>
__device__ __forceinline__ unsigned rank_of(unsigned key, const unsigned *keys, unsigned count, unsigned power_of_two)
{
    if (count == 0) return 0;

    unsigned rank = 0;
    for (unsigned step = power_of_two; step > 0; step >>= 1) {
        unsigned next = min(rank + step, count);
        unsigned other = keys[next - 1];
        if (INCLUSIVE ? other <= key : other < key) rank = next;
    }
    return rank;
}

__device__ __forceinline__ unsigned next_power_of_two(unsigned x) { return 1u << (32 - __clz(x - 1)); }

// A thread takes sample i of the first half and sample i of the second.
KERNEL void rank_samples(unsigned *ranks_a, unsigned *ranks_b, const unsigned *keys, unsigned stride, unsigned count,
                         unsigned threads)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= threads) return;

    const unsigned samples = stride / SAMPLE;
    unsigned i = thread & (samples - 1), first = (thread - i) * (2 * SAMPLE);
    unsigned length_a = stride, length_b = min(stride, count - first - stride);
    unsigned samples_b = (length_b + SAMPLE - 1) / SAMPLE;
    const unsigned *a = keys + first, *b = a + stride;

    ranks_a += first / SAMPLE;
    ranks_b += first / SAMPLE;
    ranks_a[i] = i * SAMPLE;
    ranks_b[i] = rank_of<false>(a[i * SAMPLE], b, length_b, next_power_of_two(length_b));
    if (i < samples_b) {
        ranks_b[samples + i] = i * SAMPLE;
        ranks_a[samples + i] = rank_of<true>(b[i * SAMPLE], a, length_a, next_power_of_two(length_a));
    }
}
