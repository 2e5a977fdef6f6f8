// Bucket sort's way of numbers to their buckets (Sintorn and Assarsson 2008; Rodinia: hybridsort): every
// block counts its numbers by bucket and ranks them, sums over blocks and buckets say where each block's part
// of a bucket begins, and the third launch, which was measured, writes the numbers there.
#include "device.h"

#define LOG_BUCKETS 10
#define BUCKETS     (1 << LOG_BUCKETS)

// A number in [0, 1) goes to one of equal intervals. places: its rank among the block's of that bucket, and
// the bucket. `counts` are those of the block.
KERNEL void count(const float *in, unsigned *places, int size, unsigned *counts)
{
    __shared__ unsigned counted[BUCKETS];

    for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x) counted[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += blockDim.x * gridDim.x) {
        int bucket = min((int)(in[i] * BUCKETS), BUCKETS - 1);
        places[i] = (atomicAdd(&counted[bucket], 1) << LOG_BUCKETS) + bucket;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x) counts[blockIdx.x * BUCKETS + i] = counted[i];
}

// Counts become sums over the blocks before; `starts` has the whole buckets' counts. A thread a bucket.
KERNEL void sum_blocks(unsigned *counts, unsigned *starts, int blocks)
{
    int bucket = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;

    for (int i = 0; i < blocks; i++) {
        unsigned here = counts[i * BUCKETS + bucket];
        counts[i * BUCKETS + bucket] = sum;
        sum += here;
    }
    starts[bucket] = sum;
}

// One thread: there are few buckets.
KERNEL void sum_buckets(unsigned *starts)
{
    unsigned sum = 0;

    for (int i = 0; i < BUCKETS; i++) {
        unsigned here = starts[i];
        starts[i] = sum;
        sum += here;
    }
}

// A block a warp. The table in shared memory is volatile, and read twice for each number, as the card's loads
// show.
KERNEL void scatter(const float *in, const unsigned *places, float *out, int size, const unsigned *sums,
                    const unsigned *starts)
{
    volatile __shared__ unsigned offset[BUCKETS];
    int base = blockIdx.x * BUCKETS;

    for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x)
        offset[i] = starts[i & (BUCKETS - 1)] + sums[base + i];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += blockDim.x * gridDim.x) {
        float number = in[i];
        unsigned place = places[i];
        out[offset[place & (BUCKETS - 1)] + (place >> LOG_BUCKETS)] = number;
        (void)offset[place & (BUCKETS - 1)];
    }
}
