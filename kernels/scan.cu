// Exclusive prefix sum of 32-bit integers, 512 elements a block: an up-sweep builds a tree of sums in shared
// memory, a down-sweep hands every node the sum of all that stands left of it. Sums of whole blocks are
// scanned by the same kernel in a further launch and added back by scan_add.
#include "device.h"

#define THREADS 256
#define TILE    (2 * THREADS)

// One unused word after every 32 keeps the strided accesses of the sweeps off each other's banks.
#define AT(i) ((i) + ((i) >> 5))

KERNEL void scan_tiles(unsigned *data, unsigned *tile_sums, int n)
{
    __shared__ unsigned tree[AT(TILE)];
    int tid = threadIdx.x;
    int first = blockIdx.x * TILE + tid, second = first + THREADS;

    tree[AT(tid)] = first < n ? data[first] : 0;
    tree[AT(tid + THREADS)] = second < n ? data[second] : 0;

    int stride = 1;
    for (int nodes = THREADS; nodes > 0; nodes >>= 1) {
        __syncthreads();
        if (tid < nodes) {
            int left = stride * (2 * tid + 1) - 1, right = stride * (2 * tid + 2) - 1;
            tree[AT(right)] += tree[AT(left)];
        }
        stride <<= 1;
    }
    if (tid == 0) {
        tile_sums[blockIdx.x] = tree[AT(TILE - 1)];
        tree[AT(TILE - 1)] = 0;
    }
    for (int nodes = 1; nodes <= THREADS; nodes <<= 1) {
        stride >>= 1;
        __syncthreads();
        if (tid < nodes) {
            int left = stride * (2 * tid + 1) - 1, right = stride * (2 * tid + 2) - 1;
            unsigned sum = tree[AT(left)];
            tree[AT(left)] = tree[AT(right)];
            tree[AT(right)] += sum;
        }
    }
    __syncthreads();

    if (first < n) data[first] = tree[AT(tid)];
    if (second < n) data[second] = tree[AT(tid + THREADS)];
}

KERNEL void scan_add(unsigned *data, const unsigned *tile_sums, int n)
{
    unsigned base = tile_sums[blockIdx.x];
    int first = blockIdx.x * TILE + threadIdx.x, second = first + THREADS;
    if (first < n) data[first] += base;
    if (second < n) data[second] += base;
}
