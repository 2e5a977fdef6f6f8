// Radix sort of 32-bit keys, least significant digits first, four bits a pass (after Satish, Harris and Garland 2009):
//
//      tiles     a block sorts its 512 keys by the digit, bit by bit, in shared memory, and counts its digits
//      offsets   one block makes of the counts, digit by digit and in a digit block by block, where each run begins
//      scatter   runs go to their places
//
// A tile and the sums for its scans are 4 KB.
#include "device.h"

#define THREADS 512
#define DIGITS  16

__device__ __forceinline__ int digit(unsigned key, int shift) { return key >> shift & (DIGITS - 1); }

// The sum of `value` over all threads before this one and itself.
__device__ __forceinline__ int inclusive_sum(int *sums, int value)
{
    const int tid = threadIdx.x;
    sums[tid] = value;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
        int before = tid >= distance ? sums[tid - distance] : 0;
        __syncthreads();
        sums[tid] += before;
        __syncthreads();
    }
    return sums[tid];
}

// counts[digit * blocks + block]; starts: where digits begin in the tiles, DIGITS a block.
KERNEL void radix_sort_tiles(unsigned *keys, int *counts, int *starts, int shift)
{
    __shared__ unsigned tile[THREADS];
    __shared__ int sums[THREADS];
    const int tid = threadIdx.x, at = blockIdx.x * THREADS + tid;
    unsigned key = keys[at];
    for (int bit = shift; bit < shift + 4; bit++) { // those with a zero first, in their order
        int one = key >> bit & 1, zeros_before = inclusive_sum(sums, 1 - one) - (1 - one);
        int zeros = sums[THREADS - 1];
        tile[one ? zeros + tid - zeros_before : zeros_before] = key;
        __syncthreads();
        key = tile[tid];
        __syncthreads();
    }
    keys[at] = key;

    // A digit's keys stand side by side: whoever stands at an end of them knows.
    int own = digit(key, shift);
    if (tid < DIGITS) sums[tid] = sums[tid + DIGITS] = 0;
    __syncthreads();
    int before = tid > 0 ? digit(tile[tid - 1], shift) : -1;
    int after = tid < THREADS - 1 ? digit(tile[tid + 1], shift) : -1;
    if (before != own) sums[own] = tid;
    if (after != own) sums[own + DIGITS] = tid + 1;
    __syncthreads();
    if (tid >= DIGITS) return;
    counts[tid * gridDim.x + blockIdx.x] = sums[tid + DIGITS] - sums[tid];
    starts[blockIdx.x * DIGITS + tid] = sums[tid];
}

// An exclusive sum of all counts, in place, by one block.
KERNEL void radix_offsets(int *counts, int n)
{
    __shared__ int sums[THREADS];
    int before = 0;
    for (int base = 0; base < n; base += THREADS) {
        int i = base + threadIdx.x, count = i < n ? counts[i] : 0;
        int sum = inclusive_sum(sums, count);
        if (i < n) counts[i] = before + sum - count;
        before += sums[THREADS - 1];
        __syncthreads();
    }
}

KERNEL void radix_scatter(unsigned *out, const unsigned *keys, const int *offsets, const int *starts, int shift)
{
    const int tid = threadIdx.x;
    unsigned key = keys[blockIdx.x * THREADS + tid];
    int own = digit(key, shift);
    out[offsets[own * gridDim.x + blockIdx.x] + tid - starts[blockIdx.x * DIGITS + own]] = key;
}
