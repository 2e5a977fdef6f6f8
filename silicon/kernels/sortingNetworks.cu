// Batcher's bitonic sorting network (1968) over keys with values: segments of 1,024 in shared memory, larger
// distances in global memory.
#include "device.h"

#define SEGMENT 1024

// Swaps the pair unless it stands as `ascending` says.
__device__ __forceinline__ void exchange(unsigned &key_a, unsigned &value_a, unsigned &key_b, unsigned &value_b,
                                         unsigned ascending)
{
    if ((key_a > key_b) != ascending) return;
    unsigned key = key_a, value = value_a;
    key_a = key_b;
    value_a = value_b;
    key_b = key;
    value_b = value;
}

__device__ __forceinline__ void load_segment(unsigned *keys, unsigned *values, const unsigned *in_keys,
                                             const unsigned *in_values)
{
    unsigned i = blockIdx.x * SEGMENT + threadIdx.x;
    keys[threadIdx.x] = in_keys[i];
    values[threadIdx.x] = in_values[i];
    keys[threadIdx.x + SEGMENT / 2] = in_keys[i + SEGMENT / 2];
    values[threadIdx.x + SEGMENT / 2] = in_values[i + SEGMENT / 2];
}

__device__ __forceinline__ void store_segment(unsigned *out_keys, unsigned *out_values, const unsigned *keys,
                                              const unsigned *values)
{
    unsigned i = blockIdx.x * SEGMENT + threadIdx.x;
    out_keys[i] = keys[threadIdx.x];
    out_values[i] = values[threadIdx.x];
    out_keys[i + SEGMENT / 2] = keys[threadIdx.x + SEGMENT / 2];
    out_values[i + SEGMENT / 2] = values[threadIdx.x + SEGMENT / 2];
}

// All steps of a merge from distance `stride` down.
__device__ __forceinline__ void merge_segment(unsigned *keys, unsigned *values, unsigned stride, unsigned ascending)
{
    for (; stride > 0; stride >>= 1) {
        __syncthreads();
        unsigned a = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), b = a + stride;
        exchange(keys[a], values[a], keys[b], values[b], ascending);
    }
}

// Sorts segments, every second one upwards.
KERNEL void sort_segments(unsigned *out_keys, unsigned *out_values, const unsigned *in_keys, const unsigned *in_values)
{
    __shared__ unsigned keys[SEGMENT], values[SEGMENT];

    load_segment(keys, values, in_keys, in_values);
    for (unsigned size = 2; size < SEGMENT; size <<= 1)
        merge_segment(keys, values, size / 2, (threadIdx.x & (size / 2)) != 0);
    merge_segment(keys, values, SEGMENT / 2, blockIdx.x & 1);
    __syncthreads();
    store_segment(out_keys, out_values, keys, values);
}

KERNEL void merge_global(unsigned *out_keys, unsigned *out_values, const unsigned *in_keys, const unsigned *in_values,
                         unsigned length, unsigned size, unsigned stride, unsigned upwards)
{
    unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned within = pair & (length / 2 - 1);
    unsigned ascending = upwards ^ ((within & (size / 2)) != 0);
    unsigned a = 2 * pair - (pair & (stride - 1)), b = a + stride;

    unsigned key_a = in_keys[a], value_a = in_values[a], key_b = in_keys[b], value_b = in_values[b];
    exchange(key_a, value_a, key_b, value_b, ascending);
    out_keys[a] = key_a;
    out_values[a] = value_a;
    out_keys[b] = key_b;
    out_values[b] = value_b;
}

KERNEL void merge_shared(unsigned *out_keys, unsigned *out_values, const unsigned *in_keys, const unsigned *in_values,
                         unsigned length, unsigned size, unsigned upwards)
{
    __shared__ unsigned keys[SEGMENT], values[SEGMENT];
    unsigned within = (blockIdx.x * blockDim.x + threadIdx.x) & (length / 2 - 1);

    load_segment(keys, values, in_keys, in_values);
    merge_segment(keys, values, SEGMENT / 2, upwards ^ ((within & (size / 2)) != 0));
    __syncthreads();
    store_segment(out_keys, out_values, keys, values);
}
