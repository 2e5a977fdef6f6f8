// Host side of kernels/radixSort.cu: a pass of three launches for every four bits.
#include "workload/host.h"

#include <stdlib.h>

enum { THREADS = 512, DIGITS = 16 };

static int compare_keys(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void workload_run_radixSort(struct host *h)
{
    static const struct {
        unsigned blocks;
        int bits; // of the keys
    } sizes[] = {{2, 8}, {64, 32}, {1024, 32}};
    const unsigned blocks = sizes[h->size].blocks, n = blocks * THREADS;
    const int bits = sizes[h->size].bits, count = (int)(blocks * DIGITS);
    const size_t bytes = n * sizeof(uint32_t);
    const uint32_t *in = host_random_u32(h, n, bits < 32 ? 1u << bits : 0);

    uint64_t keys = host_upload(h, in, bytes), out = host_alloc(h, bytes);
    uint64_t counts = host_alloc(h, blocks * DIGITS * sizeof(int));
    uint64_t starts = host_alloc(h, blocks * DIGITS * sizeof(int));
    for (int shift = 0; shift < bits; shift += 4) {
        host_launch(h, "radix_sort_tiles", DIM(blocks), DIM(THREADS), 0, ARG(keys), ARG(counts), ARG(starts),
                    ARG(shift));
        host_launch(h, "radix_offsets", DIM(1), DIM(THREADS), 0, ARG(counts), ARG(count));
        host_launch(h, "radix_scatter", DIM(blocks), DIM(THREADS), 0, ARG(out), ARG(keys), ARG(counts),
                    ARG(starts), ARG(shift));
        uint64_t swap = keys;
        keys = out;
        out = swap;
    }
    const uint32_t *got = host_output(h, keys, bytes);
    if (h->failed) return;

    uint32_t *want = HOST_ARRAY(h, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) want[i] = in[i];
    qsort(want, n, sizeof *want, compare_keys);
    host_compare_u32(h, "key", got, want, n);
}
