// Batcher's bitonic sorting network over pairs of key and value. Comparators at most a block's threads apart work
// within a tile in shared memory; wider ones get a launch each. The network's shape does not depend on the
// data.
#include "device.h"

#ifndef THREADS // bitonicSort512.cu brings its own
#define THREADS 256
#endif
#define TILE (2 * THREADS)

struct pair {
    unsigned key, value;
};

// Puts a and b into ascending order, or descending.
__device__ __forceinline__ void compare(struct pair *a, struct pair *b, unsigned ascending)
{
    if ((a->key > b->key) == ascending) {
        struct pair t = *a;
        *a = *b;
        *b = t;
    }
}

__device__ __forceinline__ void load_tile(struct pair *tile, const unsigned *keys, const unsigned *values)
{
    unsigned tid = threadIdx.x, base = blockIdx.x * TILE;
    tile[tid].key = keys[base + tid];
    tile[tid].value = values[base + tid];
    tile[tid + THREADS].key = keys[base + tid + THREADS];
    tile[tid + THREADS].value = values[base + tid + THREADS];
}

__device__ __forceinline__ void store_tile(const struct pair *tile, unsigned *keys, unsigned *values)
{
    unsigned tid = threadIdx.x, base = blockIdx.x * TILE;
    __syncthreads();
    keys[base + tid] = tile[tid].key;
    values[base + tid] = tile[tid].value;
    keys[base + tid + THREADS] = tile[tid + THREADS].key;
    values[base + tid + THREADS] = tile[tid + THREADS].value;
}

// Columns of comparators with strides size / 2 down to 1: sorts bitonic sequences of that size.
__device__ __forceinline__ void merge(struct pair *tile, unsigned size, unsigned ascending)
{
    for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        compare(&tile[at], &tile[at + stride], ascending);
    }
}

// Sorts tiles, even ones upwards and odd ones downwards: two neighbours make one bitonic sequence.
KERNEL void bitonic_sort_tiles(unsigned *keys, unsigned *values)
{
    __shared__ struct pair tile[TILE];
    load_tile(tile, keys, values);
    for (unsigned size = 2; size < TILE; size <<= 1) merge(tile, size, (threadIdx.x & (size / 2)) != 0);
    merge(tile, TILE, (blockIdx.x & 1) == 0);
    store_tile(tile, keys, values);
}

// One column of comparators with a stride of at least TILE.
KERNEL void bitonic_merge_global(unsigned *keys, unsigned *values, unsigned size, unsigned stride)
{
    unsigned comparator = blockIdx.x * THREADS + threadIdx.x;
    unsigned ascending = (comparator & (size / 2)) == 0;
    unsigned at = 2 * comparator - (comparator & (stride - 1));

    struct pair a = {keys[at], values[at]}, b = {keys[at + stride], values[at + stride]};
    compare(&a, &b, ascending);
    keys[at] = a.key;
    values[at] = a.value;
    keys[at + stride] = b.key;
    values[at + stride] = b.value;
}

// The columns that are left of a merge of `size` elements, within tiles.
KERNEL void bitonic_merge_tiles(unsigned *keys, unsigned *values, unsigned size)
{
    __shared__ struct pair tile[TILE];
    unsigned comparator = blockIdx.x * THREADS + threadIdx.x;
    load_tile(tile, keys, values);
    merge(tile, TILE, (comparator & (size / 2)) == 0);
    store_tile(tile, keys, values);
}
