// Exclusive prefix sum by few blocks that have much to do each: a block goes over its part of the array, 2816 numbers at a time, and
// keeps the sum so far. A thread adds up eleven neighbours in shared memory (eleven is odd: no two of a warp in one bank), threads'
// sums are scanned, and each goes over its eleven again. What earlier blocks have is added in a second launch.
//
// Numbers and sums are 12 KB: one block of eight warps on an SM that has 16.
#include "device.h"

#define THREADS 256
#define EACH    11
#define TILE    (THREADS * EACH)

// `each` numbers a block.
KERNEL void scan_large(unsigned *data, unsigned *totals, int each, int n)
{
    __shared__ unsigned tile[TILE], sums[THREADS];
    const int tid = threadIdx.x, begin = blockIdx.x * each, end = min(begin + each, n);
    unsigned before = 0;
    for (int base = begin; base < end; base += TILE) {
        for (int i = tid; i < TILE; i += THREADS) tile[i] = base + i < end ? data[base + i] : 0;
        __syncthreads();
        unsigned sum = 0;
        for (int i = 0; i < EACH; i++) sum += tile[tid * EACH + i];
        unsigned own = sum;
        sums[tid] = sum;
        for (int distance = 1; distance < THREADS; distance *= 2) {
            __syncthreads();
            unsigned left = tid >= distance ? sums[tid - distance] : 0;
            __syncthreads();
            sums[tid] += left;
        }
        __syncthreads();
        unsigned next = before + sums[tid] - own;
        for (int i = 0; i < EACH; i++) {
            unsigned value = tile[tid * EACH + i];
            tile[tid * EACH + i] = next;
            next += value;
        }
        before += sums[THREADS - 1];
        __syncthreads();
        for (int i = tid; i < TILE; i += THREADS)
            if (base + i < end) data[base + i] = tile[i];
        __syncthreads();
    }
    if (tid == 0) totals[blockIdx.x] = before;
}

KERNEL void scan_large_add(unsigned *data, const unsigned *totals, int each, int n)
{
    const int begin = blockIdx.x * each, end = min(begin + each, n);
    unsigned before = 0;
    for (unsigned block = 0; block < blockIdx.x; block++) before += totals[block];
    for (int i = begin + threadIdx.x; i < end; i += THREADS) data[i] += before;
}
