// Host side of kernels/bitonicSort.cu and of bitonicSort512.cu: tiles first, followed by merges of twice the
// size until one sequence is left.
#include "workload/host.h"

#include <stdlib.h>

struct network {
    const char *sort, *merge_global, *merge_tiles; // kernels
    unsigned threads;
};

static int compare_keys(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort(struct host *h, const struct network *net)
{
    static const unsigned counts[] = {2048, 65536, 524288}; // powers of two
    const unsigned n = counts[h->size], tile = 2 * net->threads;
    const struct host_dim grid = DIM(n / tile), block = DIM(net->threads);
    const size_t bytes = n * sizeof(uint32_t);
    const uint32_t *in = host_random_u32(h, n, 0);
    uint32_t *index = HOST_ARRAY(h, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) index[i] = i;

    uint64_t keys = host_upload(h, in, bytes), values = host_upload(h, index, bytes);
    host_launch(h, net->sort, grid, block, 0, ARG(keys), ARG(values));
    for (unsigned size = 2 * tile; size <= n; size *= 2) {
        for (unsigned stride = size / 2; stride >= tile; stride /= 2)
            host_launch(h, net->merge_global, grid, block, 0, ARG(keys), ARG(values), ARG(size), ARG(stride));
        host_launch(h, net->merge_tiles, grid, block, 0, ARG(keys), ARG(values), ARG(size));
    }
    const uint32_t *got_keys = host_output(h, keys, bytes), *got_values = host_output(h, values, bytes);

    // Keys must come out sorted. The network is not stable, so values are only checked for pairing with a
    // right key, each value exactly once.
    uint32_t *sorted = HOST_ARRAY(h, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) sorted[i] = in[i];
    qsort(sorted, n, sizeof(uint32_t), compare_keys);
    host_compare_u32(h, "key", got_keys, sorted, n);

    uint32_t *key_of_value = HOST_ARRAY(h, uint32_t, n), *times_seen = HOST_ARRAY(h, uint32_t, n);
    uint32_t *once = HOST_ARRAY(h, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t value = got_values[i] < n ? got_values[i] : 0;
        key_of_value[i] = in[value];
        times_seen[value]++;
        once[i] = 1;
    }
    host_compare_u32(h, "key that the value came with", key_of_value, sorted, n);
    host_compare_u32(h, "times the value is there", times_seen, once, n);
}

void workload_run_bitonicSort(struct host *h)
{
    sort(h, &(struct network){"bitonic_sort_tiles", "bitonic_merge_global", "bitonic_merge_tiles", 256});
}

void workload_run_bitonicSort512(struct host *h)
{
    sort(h, &(struct network){"bitonic_sort_tiles512", "bitonic_merge_global512", "bitonic_merge_tiles512",
                              512});
}
